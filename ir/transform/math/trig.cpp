// Sine and cosine: x = k pi/2 + r, |r| <= pi/4, reduced in f64.
#include "ir/transform/math/ops.h"

namespace sinter::ir::math {

namespace {

constexpr double largest = 0x1p48;
// pi/2 in three parts; k * first is exact under Fma and cancels exactly for k < 2^48.
constexpr double first = 0x1.921fb54442d18p+0, second = 0x1.1a62633145c07p-54, third = -0x1.f1976b7ed8fbcp-110;

struct Reduced {
  V k;        // f64, an integer
  Double r;   // f64
};

Reduced reduce(const V& x) {
  const V k = round(x * 6.36619772367581343076e-1);
  const V r1 = fma(k, -first, x);
  const V p = k * second, p_lo = fma(k, second, -p);
  // r1 - p and its error, whichever of the two is larger.
  const V hi = r1 - p, back = hi - r1;
  const V error = (r1 - (hi - back)) + (-p - back);
  return {k, {hi, error - fma(k, third, p_lo)}};
}

V sin_kernel(const V& r, const V& lo) {
  const V z = r * r;
  if (is_f32(r)) {
    const V s = polynomial(z, {-1.66666666638100818e-1, 8.33333185716498251e-3, -1.98400772760725793e-4, 2.72487017082320455e-6});
    return fma(r * z, s, r);
  }
  const V s = polynomial(z, {-1.66666666666666667e-1, 8.33333333333333145e-3, -1.98412698412649687e-4, 2.75573192192644101e-6,
                             -2.50521062065316828e-8, 1.60585275194377285e-10, -7.58645594001797296e-13});
  return r + fma(r * z, s, lo * fma(z, -0.5, 1.0));
}

V cos_kernel(const V& r, const V& lo) {
  const V z = r * r, half = z * 0.5, w = z.f(1) - half;
  if (is_f32(r)) {
    const V c = polynomial(z, {4.16666666642834768e-2, -1.38888876573740094e-3, 2.48005924823291957e-5, -2.72999375342847716e-7});
    return w + (((z.f(1) - w) - half) + z * z * c);
  }
  const V c = polynomial(z, {4.16666666666666667e-2, -1.38888888888888878e-3, 2.48015873015845929e-5, -2.75573192213612617e-7,
                             2.08767557766717658e-9, -1.14704586083414277e-11, 4.74573781142591082e-14});
  return w + (((z.f(1) - w) - half) + fma(z * z, c, -(r * lo)));
}

// sin(x + quarters * pi/2)
V sine(const V& x0, int quarters) {
  const Type t = x0.type();
  const Sym sx = make_sym("sin.x", t);
  const V x{make_var(sx)};
  const V wide = cast(Float(64), x);
  const Reduced red = reduce(wide);
  const V r = cast(t.element(), red.r.hi);
  const V lo = is_f32(x) ? r : red.r.lo;  // f32 has no use for it
  // Infinite and huge k saturate: the result is replaced below.
  const Type i = Int(64, t.lanes);
  Expr quadrant = make_cast(i, red.k.e);
  quadrant = make_binary(Op::BitAnd, quadrant, make_int(i, 3));
  if (quarters) quadrant = make_binary(Op::Add, quadrant, make_int(i, quarters));
  const auto bit = [&](int mask) {
    return V{make_binary(Op::NE, make_binary(Op::BitAnd, quadrant, make_int(i, mask)), make_int(i, 0))};
  };
  const V value = select(bit(1), cos_kernel(r, lo), sin_kernel(r, lo));
  V result = select(bit(2), -value, value);
  if (quarters == 0) result = select(x == 0.0, x, result);  // -0
  result = select(!(abs(x) > largest), result, x.f(not_a_number()));
  return {make_let(sx, x0.e, make_strict(result.e))};
}

}  // namespace

V sin(const V& x) { return sine(x, 0); }
V cos(const V& x) { return sine(x, 1); }

}  // namespace sinter::ir::math
