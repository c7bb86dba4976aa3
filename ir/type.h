// Scalar and short-vector element types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sinter::ir {

enum class TypeCode : uint8_t { Bool, Int, UInt, Float, BFloat };

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
  bool is_float() const { return code == TypeCode::Float || code == TypeCode::BFloat; }
  // f16 and bf16: stored narrow, arithmetic on them has type f32 (language.md, Numbers).
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

// "bool", "i32", "u8", "f16", "bf16", "f32x4": the spelling of every textual form.
std::string to_string(Type t);
std::optional<Type> parse_type(std::string_view text);

}  // namespace sinter::ir
