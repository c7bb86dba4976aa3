// Scalar and short-vector element types.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace sinter::ir {

// E4M3, E5M2: 8-bit floats with so many bits of exponent and mantissa, as in OCP's FP8 (E4M3 is its "fn" form: no infinity, and one
// NaN of each sign). They are for storage: conversions to them round to nearest even and saturate, NaN stays NaN.
enum class TypeCode : uint8_t { Bool, Int, UInt, Float, BFloat, E4M3, E5M2 };

// A value type: `lanes` copies of a scalar. Bool has bits == 1 in registers and occupies one byte in memory.
// Trivial, compared by value. A default Type is "none" (bits == 0): the type of nothing.
struct Type {
  TypeCode code = TypeCode::Int;
  uint8_t bits = 0;
  uint16_t lanes = 1;

  friend bool operator==(const Type&, const Type&) = default;

  bool is_none() const { return bits == 0; }
  bool is_bool() const { return code == TypeCode::Bool; }
  bool is_int() const { return code == TypeCode::Int; }
  bool is_uint() const { return code == TypeCode::UInt; }
  bool is_integer() const { return is_int() || is_uint(); }  // not bool
  bool is_float() const { return code >= TypeCode::Float; }
  bool is_f8() const { return code >= TypeCode::E4M3; }
  // f16, bf16 and f8: stored narrow, arithmetic on them has type f32 (language.md, Numbers).
  bool is_narrow_float() const { return is_float() && bits < 32; }
  // i32 and i64: overflow is an error of the algorithm. All other integers wrap.
  bool traps_on_overflow() const { return is_int() && bits >= 32; }
  bool is_scalar() const { return lanes == 1; }
  int bytes() const { return (bits + 7) / 8; }  // of one lane, in memory
  Type with_lanes(int n) const { return Type{code, bits, static_cast<uint16_t>(n)}; }
  Type element() const { return with_lanes(1); }
};

constexpr Type Bool(int lanes = 1) { return {TypeCode::Bool, 1, static_cast<uint16_t>(lanes)}; }
constexpr Type Int(int bits, int lanes = 1) {
  return {TypeCode::Int, static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
}
constexpr Type UInt(int bits, int lanes = 1) {
  return {TypeCode::UInt, static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
}
constexpr Type Float(int bits, int lanes = 1) {
  return {TypeCode::Float, static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
}
constexpr Type BFloat(int bits = 16, int lanes = 1) {
  return {TypeCode::BFloat, static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
}

constexpr Type F8E4M3(int lanes = 1) { return {TypeCode::E4M3, 8, static_cast<uint16_t>(lanes)}; }
constexpr Type F8E5M2(int lanes = 1) { return {TypeCode::E5M2, 8, static_cast<uint16_t>(lanes)}; }

// The largest finite value of a float type.
constexpr double largest_finite(Type t) {
  switch (t.code) {
    case TypeCode::BFloat: return 0x1.fep127;
    case TypeCode::E4M3: return 448;
    case TypeCode::E5M2: return 57344;
    default: return t.bits == 16 ? 65504 : t.bits == 32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  }
}

// "bool", "i32", "u8", "f16", "bf16", "f8e4m3", "f32x4": the spelling of every textual form.
std::string to_string(Type t);
std::optional<Type> parse_type(std::string_view text);

}  // namespace sinter::ir
