// 16-bit floats as they lie in memory: conversions to and from float, rounding to nearest even.
#pragma once

#include <bit>
#include <cstdint>

namespace sinter {

/// The bits of the bf16 nearest to `value`. A NaN stays one: it is made quiet, its sign and upper
/// payload are kept.
constexpr uint16_t float_to_bf16_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

constexpr float bf16_bits_to_float(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// The bits of the f16 nearest to `value`: with subnormals, and infinity beyond the largest. A NaN
/// stays one, as above.
constexpr uint16_t float_to_f16_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return static_cast<uint16_t>(sign | 0x7e00 | (magnitude >> 13 & 0x1ff));
  if (magnitude >= 0x47800000) return static_cast<uint16_t>(sign | 0x7c00);  // 2^16 and above
  // What is dropped of `kept` units, rounded to nearest even. A carry goes on into the exponent,
  // where it is right, up to infinity.
  uint32_t kept = 0, dropped = 0, half = 0;
  if (magnitude >= 0x38800000) {  // 2^-14 and above: normal
    kept = (magnitude - 0x38000000) >> 13;
    dropped = magnitude & 0x1fff;
    half = 0x1000;
  } else if (magnitude >= 0x33000000) {  // 2^-25 and above: subnormal, in units of 2^-24
    const uint32_t significand = (magnitude & 0x7fffff) | 0x800000;
    const uint32_t shift = 126 - (magnitude >> 23);
    kept = significand >> shift;
    dropped = significand & ((1u << shift) - 1);
    half = 1u << (shift - 1);
  }
  if (dropped > half || (dropped == half && (kept & 1))) ++kept;
  return static_cast<uint16_t>(sign | kept);
}

constexpr float f16_bits_to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // exact
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

/// An element of a bf16 buffer. Storage only: arithmetic happens in float.
struct bfloat16 {
  uint16_t bits = 0;

  constexpr bfloat16() = default;
  constexpr explicit bfloat16(float value) : bits(float_to_bf16_bits(value)) {}
  constexpr operator float() const { return bf16_bits_to_float(bits); }
};

/// An element of an f16 buffer. Storage only: arithmetic happens in float.
struct float16 {
  uint16_t bits = 0;

  constexpr float16() = default;
  constexpr explicit float16(float value) : bits(float_to_f16_bits(value)) {}
  constexpr operator float() const { return f16_bits_to_float(bits); }
};

}  // namespace sinter
