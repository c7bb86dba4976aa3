// Private to ir/eval: C++ types of the IR's types, and the maths of one scalar.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "ir/eval/scalar.h"

namespace sinter::ir {

// RuntimeError::status() of an EvalError: SINTER_ERR_REQUIRES of the runtime, since the values of the arguments decide.
inline constexpr int eval_status = 9;

// A narrow float is computed with as a float and rounded by `pack`.
struct F16 {};
struct BF16 {};
template <TypeCode Code>
struct F8 {};
template <class T>
inline constexpr bool is_f8 = false;
template <TypeCode Code>
inline constexpr bool is_f8<F8<Code>> = true;

// Rep<T>: `Work` is what operators compute in.
template <class T>
struct Rep {
  using Work = T;
  static constexpr bool is_float = std::is_floating_point_v<T>;
  static T unpack(uint64_t v) {
    if constexpr (std::is_same_v<T, float>) return std::bit_cast<float>(static_cast<uint32_t>(v));
    else if constexpr (std::is_same_v<T, double>) return std::bit_cast<double>(v);
    else return static_cast<T>(v);
  }
  static uint64_t pack(T v) {
    if constexpr (std::is_same_v<T, float>) return std::bit_cast<uint32_t>(v);
    else if constexpr (std::is_same_v<T, double>) return std::bit_cast<uint64_t>(v);
    else if constexpr (std::is_same_v<T, bool>) return v ? 1 : 0;
    else if constexpr (std::is_signed_v<T>) return static_cast<uint64_t>(static_cast<int64_t>(v));
    else return v;
  }
};
template <>
struct Rep<F16> {
  using Work = float;
  static constexpr bool is_float = true;
  static float unpack(uint64_t v) { return static_cast<float>(decode_f16(static_cast<uint16_t>(v))); }
  static uint64_t pack(double v) { return encode_f16(v); }
};
template <>
struct Rep<BF16> {
  using Work = float;
  static constexpr bool is_float = true;
  static float unpack(uint64_t v) { return static_cast<float>(decode_bf16(static_cast<uint16_t>(v))); }
  static uint64_t pack(double v) { return encode_bf16(v); }
};

template <TypeCode Code>
struct Rep<F8<Code>> {
  using Work = float;
  static constexpr bool is_float = true;
  static constexpr Type type{Code, 8};
  static float unpack(uint64_t v) { return static_cast<float>(decode_f8(type, static_cast<uint8_t>(v))); }
  static uint64_t pack(double v) { return encode_f8(type, v); }
};

// Calls f.operator()<T>() for the C++ type of `t`.
template <class F>
auto with_cpp_type(Type t, F&& f) -> decltype(f.template operator()<bool>()) {
  switch (t.code) {
    case TypeCode::Bool: return f.template operator()<bool>();
    case TypeCode::Int:
      switch (t.bits) {
        case 8: return f.template operator()<int8_t>();
        case 16: return f.template operator()<int16_t>();
        case 32: return f.template operator()<int32_t>();
        case 64: return f.template operator()<int64_t>();
      }
      break;
    case TypeCode::UInt:
      switch (t.bits) {
        case 8: return f.template operator()<uint8_t>();
        case 16: return f.template operator()<uint16_t>();
        case 32: return f.template operator()<uint32_t>();
        case 64: return f.template operator()<uint64_t>();
      }
      break;
    case TypeCode::Float:
      switch (t.bits) {
        case 16: return f.template operator()<F16>();
        case 32: return f.template operator()<float>();
        case 64: return f.template operator()<double>();
      }
      break;
    case TypeCode::BFloat: return f.template operator()<BF16>();
    case TypeCode::E4M3: return f.template operator()<F8<TypeCode::E4M3>>();
    case TypeCode::E5M2: return f.template operator()<F8<TypeCode::E5M2>>();
  }
  throw InternalError("no arithmetic on type " + to_string(t));
}

}  // namespace sinter::ir
