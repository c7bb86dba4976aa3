// Functions of Exprs: casts, selection, and mathematics. Float functions take integers as f32 and narrow floats as f32.
#pragma once

#include <vector>

#include "dsl/expr.h"

namespace sinter {

// Explicit conversion. Integers wrap; a float that becomes an integer truncates and saturates, NaN gives 0; floats
// round to the nearest even. To an 8-bit float, what is beyond its largest value becomes that value, infinities too.
Expr cast(Type t, const Operand& e);
template <class T>
Expr cast(const Operand& e) {
  return cast(type_of<T>(), e);
}
inline Expr f16(const Operand& e) { return cast(Float(16), e); }
inline Expr bf16(const Operand& e) { return cast(BFloat(16), e); }
inline Expr f8e4m3(const Operand& e) { return cast(F8E4M3(), e); }
inline Expr f8e5m2(const Operand& e) { return cast(F8E5M2(), e); }
inline Expr f32(const Operand& e) { return cast(Float(32), e); }
inline Expr f64(const Operand& e) { return cast(Float(64), e); }
inline Expr i8(const Operand& e) { return cast(Int(8), e); }
inline Expr i16(const Operand& e) { return cast(Int(16), e); }
inline Expr i32(const Operand& e) { return cast(Int(32), e); }
inline Expr i64(const Operand& e) { return cast(Int(64), e); }
inline Expr u8(const Operand& e) { return cast(UInt(8), e); }
inline Expr u16(const Operand& e) { return cast(UInt(16), e); }
inline Expr u32(const Operand& e) { return cast(UInt(32), e); }
inline Expr u64(const Operand& e) { return cast(UInt(64), e); }
// The same bits as another type of the same width.
Expr reinterpret(Type t, const Operand& e);

namespace detail {
// An operand of a variadic call: those are not converted at the call, and take the line of one that is.
inline const Operand& at(const Operand& o, Loc) { return o; }
template <class T>
Operand at(const T& value, Loc loc) {
  return {value, loc};
}
}  // namespace detail

// All operands are evaluated. Narrow floats stay narrow.
Expr select(const Operand& condition, const Operand& if_true, const Operand& if_false);
// select(c0, v0, c1, v1, ..., otherwise)
template <class... Rest>
requires(sizeof...(Rest) >= 2 && sizeof...(Rest) % 2 == 0) Expr
    select(const Operand& c0, const Operand& v0, const Operand& c1, const Rest&... rest) {
  return select(c0, v0, Operand(select(c1, detail::at(rest, c1.loc)...), c1.loc));
}

// values[id]; the last one where id is none of 0 .. n - 1. All operands are evaluated.
Expr mux(const Operand& id, const std::vector<Expr>& values, Loc loc = Loc::here());

// The value itself. Hints that Halide's loop partitioning takes; tiles that lie inside are found from the bounds here, so they change
// nothing.
Expr likely(const Operand& e);
Expr likely_if_innermost(const Operand& e);

// NaN propagates through min, max and clamp.
Expr min(const Operand& a, const Operand& b);
Expr max(const Operand& a, const Operand& b);
template <class... Rest>
requires(sizeof...(Rest) >= 1) Expr min(const Operand& a, const Operand& b, const Rest&... rest) {
  return min(Operand(min(a, b), a.loc), detail::at(rest, a.loc)...);
}
template <class... Rest>
requires(sizeof...(Rest) >= 1) Expr max(const Operand& a, const Operand& b, const Rest&... rest) {
  return max(Operand(max(a, b), a.loc), detail::at(rest, a.loc)...);
}
Expr clamp(const Operand& a, const Operand& low, const Operand& high);
Expr lerp(const Operand& a, const Operand& b, const Operand& weight);  // a (1 - w) + b w, floats
Expr abs(const Operand& a);                                            // of the operand's type

Expr exp(const Operand& a);
Expr exp2(const Operand& a);
Expr log(const Operand& a);
Expr log2(const Operand& a);
Expr tanh(const Operand& a);
Expr erf(const Operand& a);
Expr sqrt(const Operand& a);
Expr rsqrt(const Operand& a);
Expr sin(const Operand& a);
Expr cos(const Operand& a);
Expr floor(const Operand& a);
Expr ceil(const Operand& a);
Expr round(const Operand& a);  // half to even
Expr trunc(const Operand& a);
Expr pow(const Operand& a, const Operand& b);
Expr fma(const Operand& a, const Operand& b, const Operand& c);
Expr is_nan(const Operand& a);

Expr relu(const Operand& a);
Expr sigmoid(const Operand& a);
Expr silu(const Operand& a);  // a sigmoid(a)
Expr gelu(const Operand& a);  // the tanh form

// `e` computed as written: no contraction, reassociation or approximation. Inline reductions inside keep their order
// too.
Expr strict_float(const Operand& e);

}  // namespace sinter
