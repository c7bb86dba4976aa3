// Private to expand_math: arithmetic written with operators, on floats of one type, and the families of functions.
//
// Products whose rounding matters are explicit Fma or lie under Strict: outside of it the compiler may contract a * b + c.
#pragma once

#include <initializer_list>

#include "ir/expr.h"

namespace sinter::ir::math {

// A float (or Bool) expression with operators; f() makes a constant of the same type.
struct V {
  Expr e;
  Type type() const { return e.type(); }
  V f(double v) const { return {make_float(type(), v)}; }
};
inline V operator+(const V& a, const V& b) { return {make_binary(Op::Add, a.e, b.e)}; }
inline V operator-(const V& a, const V& b) { return {make_binary(Op::Sub, a.e, b.e)}; }
inline V operator*(const V& a, const V& b) { return {make_binary(Op::Mul, a.e, b.e)}; }
inline V operator/(const V& a, const V& b) { return {make_binary(Op::Div, a.e, b.e)}; }
inline V operator-(const V& a) { return {make_unary(Op::Neg, a.e)}; }
inline V operator+(const V& a, double b) { return a + a.f(b); }
inline V operator-(const V& a, double b) { return a - a.f(b); }
inline V operator*(const V& a, double b) { return a * a.f(b); }
inline V operator<(const V& a, const V& b) { return {make_binary(Op::LT, a.e, b.e)}; }
inline V operator>(const V& a, const V& b) { return {make_binary(Op::GT, a.e, b.e)}; }
inline V operator==(const V& a, const V& b) { return {make_binary(Op::EQ, a.e, b.e)}; }
inline V operator<(const V& a, double b) { return a < a.f(b); }
inline V operator>(const V& a, double b) { return a > a.f(b); }
inline V operator==(const V& a, double b) { return a == a.f(b); }
inline V operator&&(const V& a, const V& b) { return {make_binary(Op::And, a.e, b.e)}; }
inline V operator||(const V& a, const V& b) { return {make_binary(Op::Or, a.e, b.e)}; }
inline V operator!(const V& a) { return {make_unary(Op::Not, a.e)}; }
inline V select(const V& c, const V& a, const V& b) { return {make_select(c.e, a.e, b.e)}; }
inline V fma(const V& a, const V& b, const V& c) { return {make_math(MathFn::Fma, {a.e, b.e, c.e})}; }
inline V fma(const V& a, double b, const V& c) { return fma(a, a.f(b), c); }
inline V fma(const V& a, double b, double c) { return fma(a, a.f(b), a.f(c)); }
inline V fma(const V& a, const V& b, double c) { return fma(a, b, a.f(c)); }
inline V round(const V& a) { return {make_math(MathFn::Round, {a.e})}; }
inline V trunc(const V& a) { return {make_math(MathFn::Trunc, {a.e})}; }
inline V sqrt(const V& a) { return {make_math(MathFn::Sqrt, {a.e})}; }
inline V is_nan(const V& a) { return {make_math(MathFn::IsNan, {a.e})}; }
inline V abs(const V& a) { return {make_unary(Op::Abs, a.e)}; }
inline V clamp(const V& a, double lo, double hi) {  // NaN stays NaN
  return {make_binary(Op::Min, make_binary(Op::Max, a.e, a.f(lo).e), a.f(hi).e)};
}
inline V cast(Type t, const V& a) { return {make_cast(t.with_lanes(a.type().lanes), a.e)}; }

// c[0] + x c[1] + x^2 c[2] + ..., by Horner's rule in Fma.
V polynomial(const V& x, std::initializer_list<double> c);

inline bool is_f32(const V& x) { return x.type().bits == 32; }
double infinity();
double not_a_number();

// x * 2^k for a float k that is an integer in [-252, 254] (f32) or [-2044, 2046] (f64), rounded once.
V scale(const V& x, const V& k);

// x > 0 finite (denormals too) as 2^k * (1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1). For other x the results are finite and meaningless.
struct Split {
  V k, f;
};
Split split(const V& x);

// An unevaluated sum with |lo| <= ulp(hi) / 2.
struct Double {
  V hi, lo;
};

// ---- the functions, in the type of x (f32 or f64), by arithmetic alone --------------------------------------------
V exp(const V& x);
V exp2(const V& x);
V log(const V& x);
V log2(const V& x);
V tanh(const V& x);
V erf(const V& x);
V pow(const V& x, const V& y);
V sin(const V& x);
V cos(const V& x);

// f32 with the approximate Exp2 of cuda, whose result is 0 where it is not normal.
V exp_by_native_exp2(const V& x);
V exp2_by_native_exp2(const V& x);
V erf_by_native_exp2(const V& x);

}  // namespace sinter::ir::math
