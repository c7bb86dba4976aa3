// Exponentials and logarithms. Polynomials interpolate at Chebyshev nodes, found in 60 digits: their own error is below a fifth of an
// ulp of the result.
#include <limits>

#include "ir/transform/math/ops.h"

namespace sinter::ir::math {

double infinity() { return std::numeric_limits<double>::infinity(); }
double not_a_number() { return std::numeric_limits<double>::quiet_NaN(); }

V polynomial(const V& x, std::initializer_list<double> c) {
  auto it = std::rbegin(c);
  V r = x.f(*it);
  for (++it; it != std::rend(c); ++it) r = fma(x, r, *it);
  return r;
}

namespace {

// 2^k of an integer k (i32 or i64 of the float's width) in the normal range, from its bits.
V power_of_two(Type t, const Expr& k) {
  const int mantissa = t.bits == 32 ? 23 : 52, bias = t.bits == 32 ? 127 : 1023;
  const Type i = k.type();
  const Expr biased = make_binary(Op::Add, k, make_int(i, bias));
  return {make_reinterpret(t, make_binary(Op::Shl, biased, make_int(i, mantissa)))};
}

}  // namespace

// In two steps, so that results may be denormal or overflow; only the second one rounds.
V scale(const V& x, const V& k) {
  const Type i = Int(x.type().bits, x.type().lanes);
  const Expr n = make_cast(i, k.e), half = make_binary(Op::Shr, n, make_int(i, 1)), rest = make_binary(Op::Sub, n, half);
  return x * power_of_two(x.type(), half) * power_of_two(x.type(), rest);
}

Split split(const V& x) {
  const bool single = is_f32(x);
  const int bits = x.type().bits, lanes = x.type().lanes, mantissa = single ? 23 : 52;
  const V tiny = x < (single ? 0x1p-126 : 0x1p-1022);
  const V normal = select(tiny, x * (single ? 0x1p24 : 0x1p54), x);
  // Unsigned arithmetic wraps, whatever x is.
  const Type u = UInt(bits, lanes), i = Int(bits, lanes);
  const Expr raw = make_reinterpret(u, normal.e);
  const Expr root_half = make_int(u, single ? 0x3f3504f3 : 0x3fe6a09e667f3bcd);
  const Expr above = make_reinterpret(i, make_binary(Op::Sub, raw, root_half));
  const Expr exponent = make_binary(Op::Shr, above, make_int(i, mantissa));
  const Expr moved = make_binary(Op::Shl, make_reinterpret(u, exponent), make_int(u, mantissa));
  const V m{make_reinterpret(x.type(), make_binary(Op::Sub, raw, moved))};
  const V k{make_cast(x.type(), exponent)};
  return {k - select(tiny, x.f(single ? 24 : 54), x.f(0)), m - 1.0};
}

// e^x = 2^k e^r, r = x - k ln 2 in [-ln2/2, ln2/2], e^r = 1 + r + r^2 q(r).
V exp(const V& x) {
  const bool single = is_f32(x);
  // Beyond these the result is 0 or infinity all the same.
  const V a = single ? clamp(x, -104, 89) : clamp(x, -746, 710);
  const V k = round(a * 1.44269504088896340736);
  V r, q;
  if (single) {
    r = fma(k, 1.90465429995776788e-9, fma(k, -0x1.62e43p-1, a));
    q = polynomial(r, {5.00000001345772715e-1, 1.66666666816142557e-1, 4.16664650060400488e-2, 8.33331093444886847e-3,
                       1.39336410319867012e-3, 1.98909808697503256e-4});
  } else {
    r = fma(k, -2.3190468138462995584e-17, fma(k, -0x1.62e42fefa39efp-1, a));
    q = polynomial(r, {5.0e-1, 1.6666666666666671e-1, 4.16666666666666698e-2, 8.33333333332614088e-3, 1.38888888888837524e-3,
                       1.9841269874800492e-4, 2.48015873255333638e-5, 2.75572554257464343e-6, 2.75572736613486362e-7,
                       2.51052063739570111e-8, 2.09146793765839351e-9});
  }
  return scale(fma(r * r, q, r) + 1.0, k);
}

// 2^x = 2^k 2^f, f in [-1/2, 1/2], 2^f = 1 + f q(f).
static V exp2_fraction(const V& f) {
  if (is_f32(f))
    return fma(f, polynomial(f, {6.93147180559945309e-1, 2.40226509222887581e-1, 5.55041088390961839e-2, 9.61805667852463808e-3,
                                 1.33335023861627707e-3, 1.54614446985691291e-4, 1.52973237607010741e-5}),
               1.0);
  return fma(f, polynomial(f, {6.93147180559945309e-1, 2.40226506959100712e-1, 5.5504108664821627e-2, 9.61812910762847949e-3,
                               1.33335581464064707e-3, 1.54035303933707334e-4, 1.52527338415567726e-5, 1.32154868087055628e-6,
                               1.01780570877339411e-7, 7.05489730415549928e-9, 4.45581790833606449e-10, 2.57293241773623042e-11}),
             1.0);
}

V exp2(const V& x) {
  const V a = is_f32(x) ? clamp(x, -151, 128) : clamp(x, -1076, 1024);
  const V k = round(a);
  return scale(exp2_fraction(a - k), k);
}

// An integer k in [-126, 127] next to x log2(e), as a float and as 2^k; some such k for NaN.
struct Power {
  V k, value;
};
static Power power_near_exp(const V& x) {
  // Above 2^23 a float is an integer: the sum rounds, and its low bits are k + 127, the exponent of 2^k.
  const double magic = 0x1.8p23 + 127;
  const V sum = fma(x, 1.44269504088896340736, magic);
  // Comparisons written so that NaN fails them: one instruction each, where the language's min and max would keep it.
  const V low = select(sum > magic - 126, sum, x.f(magic - 126)), held = select(low < magic + 127, low, x.f(magic + 127));
  const Expr bits = make_binary(Op::Shl, make_reinterpret(UInt(32, x.type().lanes), held.e), make_int(UInt(32, x.type().lanes), 23));
  return {held - magic, {make_reinterpret(x.type(), bits)}};
}

// e^x = 2^k 2^r, r = x log2(e) - k in [-1/2, 1/2], and beyond it where k is held: there 2^r takes the result to denormals, 0 or infinity,
// and NaN is in r.
V exp_by_native_exp2(const V& x) {
  const Power p = power_near_exp(x);
  const V r = fma(x, 1.92596299112661746887e-8, fma(x, 1.44269502162933349609, -p.k));
  return V{make_math(MathFn::Exp2, {r.e})} * p.value;
}

// The instruction takes a result below the normal range for 0: there 2^24 times it is computed.
V exp2_by_native_exp2(const V& x) {
  const V tiny = x < -126.0;
  return V{make_math(MathFn::Exp2, {(x + select(tiny, x.f(24), x.f(0))).e})} * select(tiny, x.f(0x1p-24), x.f(1));
}

namespace {

// Replaces a logarithm's value where x is no positive finite number.
V log_special(const V& x, const V& r) {
  const V ends = select(x == 0.0, x.f(-infinity()), select(x < infinity(), r, x));  // +inf and NaN are themselves
  return select(x < 0.0, x.f(not_a_number()), ends);
}

// log(1 + f) = f + w.
V log1p_tail(const V& f) {
  const V z = f * f;
  if (is_f32(f)) {
    const V p = polynomial(f, {3.33333311800300481e-1, -2.4999996957950882e-1, 2.00007157488921017e-1, -1.66678023195012541e-1,
                               1.42490576456974804e-1, -1.24256873314511061e-1, 1.16854199234867393e-1, -1.14797338466376356e-1,
                               6.97161147145117783e-2});
    return fma(z, f.f(-0.5), z * (f * p));
  }
  // 2 atanh(s) = 2 s + s R(s^2), s = f / (2 + f); so log(1 + f) = f - (f^2 / 2 - s (f^2 / 2 + R)).
  const V s = f / (f + 2.0), t = s * s;
  const V big_r = t * polynomial(t, {6.66666666666666665e-1, 4.0000000000000877e-1, 2.85714285708036118e-1, 2.22222223917139174e-1,
                                     1.81817956401329063e-1, 1.53862397028146582e-1, 1.32687731386568852e-1, 1.30866261478401021e-1});
  const V half = z * 0.5;
  return fma(s, half + big_r, -half);
}

}  // namespace

V log(const V& x) {
  const Split m = split(x);
  const bool single = is_f32(x);
  // ln 2 = hi + lo with k * hi exact under Fma.
  const V w = fma(m.k, single ? -1.90465429995776788e-9 : 2.3190468138462995584e-17, log1p_tail(m.f));
  return log_special(x, fma(m.k, single ? 0x1.62e43p-1 : 0x1.62e42fefa39efp-1, m.f + w));
}

V log2(const V& x) {
  const Split m = split(x);
  const bool single = is_f32(x);
  const double hi = single ? 0x1.715476p+0 : 0x1.71547652b82fep+0, lo = single ? 1.92596299112661746887e-8 : 2.0355273740931033e-17;
  const V w = log1p_tail(m.f);
  return log_special(x, fma(m.f, hi, fma(m.f, lo, w * hi)) + m.k);
}

// ---- powers -------------------------------------------------------------------------------------------------------

namespace {

Double quick_sum(const V& a, const V& b) {  // |a| >= |b| or a == 0
  const V s = a + b;
  return {s, (a - s) + b};
}

// log2 of 2^k (1 + f) to about twice the precision of the type: the first two terms of 2 atanh(s) as unevaluated sums.
Double log2_double(const Split& m) {
  const V& f = m.f;
  const bool single = is_f32(f);
  const V d = f + 2.0, d_lo = f - (d - 2.0);
  const V s = f / d;
  const V s_lo = (fma(-s, d, f) - s * d_lo) / d;
  const V z = s * s, z_lo = fma(s, s, -z) + s * s_lo * 2.0;
  const V c = s * z, c_lo = fma(s, z, -c) + fma(s, z_lo, s_lo * z);
  const double third = single ? 0x1.555556p-1 : 0x1.5555555555555p-1, third_lo = single ? -1.98682149251302e-8 : 3.7007434154171883e-17;
  const V t = c * third, t_lo = fma(c, third, -t) + fma(c, third_lo, c_lo * third);
  const V r = single ? polynomial(z, {3.99999999049712492e-1, 2.85715317907578252e-1, 2.22047656660172495e-1, 1.91203575750342462e-1})
                     : polynomial(z, {3.99999999999999998e-1, 2.85714285714293657e-1, 2.22222222216562315e-1, 1.81818183353144031e-1,
                                      1.53845949708954578e-1, 1.33348042382253445e-1, 1.17062485409223853e-1, 1.17230510280977529e-1});
  Double sum = quick_sum(s * 2.0, t);
  sum = quick_sum(sum.hi, sum.lo + (t_lo + fma(s_lo, 2.0, c * z * r)));
  // Times log2(e), plus k.
  const double hi = single ? 0x1.715476p+0 : 0x1.71547652b82fep+0, lo = single ? 1.92596299112661746887e-8 : 2.0355273740931033e-17;
  const V p = sum.hi * hi, p_lo = fma(sum.hi, hi, -p) + fma(sum.hi, lo, sum.lo * hi);
  Double all = quick_sum(m.k, p);
  return quick_sum(all.hi, all.lo + p_lo);
}

}  // namespace

V pow(const V& x0, const V& y0) {
  // The operands are bound outside Strict: it is only the sums below that must not be contracted.
  const Sym sx = make_sym("pow.x", x0.type()), sy = make_sym("pow.y", y0.type());
  const V x{make_var(sx)}, y{make_var(sy)};
  const double largest = is_f32(x) ? 160 : 1100;
  const V a = abs(x);
  const Double l = log2_double(split(a));
  const V e = y * l.hi;
  const V e_lo = fma(y, l.hi, -e) + y * l.lo;
  const V inside = abs(e) < largest;
  const V ec = clamp(e, -largest, largest);
  const V k = round(ec);
  V r = scale(exp2_fraction((ec - k) + select(inside, e_lo, x.f(0))), k);

  const V inf = x.f(infinity()), zero = x.f(0), one = x.f(1);
  const V is_integer = trunc(y) == y, half = y * 0.5;
  const V is_odd = is_integer && !(trunc(half) == half);
  const V extreme = a == zero || a == inf || abs(y) == inf;
  const V to_infinity = (a > one && y > zero) || (a < one && y < zero);
  r = select(extreme, select(to_infinity, inf, zero), r);
  r = select(a == one, one, r);
  const V negative{make_binary(Op::LT, make_reinterpret(Int(x.type().bits, x.type().lanes), x.e),
                               make_int(Int(x.type().bits, x.type().lanes), 0))};
  r = select(negative && is_odd, -r, r);
  r = select((x < zero && !is_integer && a < inf) || is_nan(x) || is_nan(y), x.f(not_a_number()), r);
  r = select(y == zero || x == one, one, r);
  return {make_let(sx, x0.e, make_let(sy, y0.e, make_strict(r.e)))};
}

}  // namespace sinter::ir::math
