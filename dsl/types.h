// Element types and the words that the language shares with the IR.
#pragma once

#include <cstdint>
#include <type_traits>

#include "dsl/half.h"
#include "ir/diagnostic.h"
#include "ir/schedule.h"
#include "ir/type.h"

namespace sinter {

using ir::BFloat;
using ir::Bool;
using ir::Error;
using ir::ErrorCode;
using ir::F8E4M3;
using ir::F8E5M2;
using ir::Float;
using ir::Int;
using ir::InternalError;
using ir::Loc;
using ir::RuntimeError;
using ir::Type;
using ir::UInt;
using ir::UserError;

using MemoryType = ir::Memory;  // Auto, Register, Shared, Global, Host
using TailStrategy = ir::Tail;  // Auto, RoundUp, GuardWithIf, ShiftInwards

// The Type of a C++ type.
template <class T>
constexpr Type type_of() {
  if constexpr (std::is_same_v<T, bfloat16>) return BFloat(16);
  if constexpr (std::is_same_v<T, float16>) return Float(16);
  if constexpr (std::is_same_v<T, float8_e4m3>) return F8E4M3();
  if constexpr (std::is_same_v<T, float8_e5m2>) return F8E5M2();
  constexpr bool known = std::is_arithmetic_v<T> || std::is_same_v<T, bfloat16> || std::is_same_v<T, float16> ||
                         std::is_same_v<T, float8_e4m3> || std::is_same_v<T, float8_e5m2>;
  static_assert(known,
                "this C++ type has no counterpart in Sinter");
  if constexpr (std::is_same_v<T, bool>) return Bool();
  if constexpr (std::is_floating_point_v<T>) return Float(static_cast<int>(sizeof(T) * 8));
  return std::is_signed_v<T> ? Int(static_cast<int>(sizeof(T) * 8)) : UInt(static_cast<int>(sizeof(T) * 8));
}

namespace detail {
// E0012 where the language has no such type: Int(7), Float(128), vectors.
void check_type(Type t, Loc loc);
}  // namespace detail

}  // namespace sinter
