// 16-bit and 8-bit floats as they lie in memory: conversions to and from float, rounding to nearest even.
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

/// The bits of the 8-bit float nearest to `value`, with `mantissa` bits of mantissa and smallest normal number 2^`min_exp`. Beyond the
/// largest finite value, whose bits are `largest`: that value, with the sign. A NaN gives 0x7f.
constexpr uint8_t float_to_f8_bits(float value, int mantissa, int min_exp, uint32_t largest) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 24 & 0x80, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7f;
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (exponent < min_exp - mantissa - 1) return static_cast<uint8_t>(sign);
  const int shift = 23 - mantissa + (exponent < min_exp ? min_exp - exponent : 0);  // of the significand, to units of the last place
  const uint32_t significand = (magnitude & 0x7fffff) | 0x800000;
  const uint32_t dropped = significand & ((1u << shift) - 1), half = 1u << (shift - 1);
  uint32_t kept = significand >> shift;
  if (dropped > half || (dropped == half && (kept & 1))) ++kept;
  if (exponent > min_exp) kept += static_cast<uint32_t>(exponent - min_exp) << mantissa;
  return static_cast<uint8_t>(sign | (kept < largest ? kept : largest));
}

/// Exact. `infinity`: the bits of infinity, 0 where the format has none.
constexpr float f8_bits_to_float(uint8_t bits, int mantissa, int min_exp, uint32_t largest, uint32_t infinity) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x80) << 24, magnitude = bits & 0x7f;
  if (magnitude > largest) return std::bit_cast<float>(sign | (magnitude == infinity ? 0x7f800000 : 0x7fc00000));
  if (magnitude >> mantissa) return std::bit_cast<float>(sign | ((magnitude << (23 - mantissa)) + (static_cast<uint32_t>(126 + min_exp) << 23)));
  const float unit = std::bit_cast<float>(static_cast<uint32_t>(127 + min_exp - mantissa) << 23);
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(static_cast<float>(magnitude) * unit));
}

/// An element of an f8e4m3 buffer: 4 bits of exponent, 3 of mantissa, up to 448, no infinity. Storage only: arithmetic happens in float.
struct float8_e4m3 {
  uint8_t bits = 0;

  constexpr float8_e4m3() = default;
  constexpr explicit float8_e4m3(float value) : bits(float_to_f8_bits(value, 3, -6, 0x7e)) {}
  constexpr operator float() const { return f8_bits_to_float(bits, 3, -6, 0x7e, 0); }
};

/// An element of an f8e5m2 buffer: 5 bits of exponent, 2 of mantissa, up to 57344. Storage only: arithmetic happens in float.
struct float8_e5m2 {
  uint8_t bits = 0;

  constexpr float8_e5m2() = default;
  constexpr explicit float8_e5m2(float value) : bits(float_to_f8_bits(value, 2, -14, 0x7b)) {}
  constexpr operator float() const { return f8_bits_to_float(bits, 2, -14, 0x7b, 0x7c); }
};

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
