// The sigmoids: near zero an odd polynomial, further out 1 minus something small made of an exponential.
#include "ir/transform/math/ops.h"

namespace sinter::ir::math {

namespace {
V with_sign_of(const V& x, const V& magnitude) { return select(x < 0.0, -magnitude, magnitude); }
}  // namespace

V tanh(const V& x) {
  const bool single = is_f32(x);
  const V z = x * x, a = abs(x);
  const V p = single ? polynomial(z, {-3.33333332839382629e-1, 1.33333220731915809e-1, -5.39640638264773483e-2,
                                      2.18119026084334433e-2, -8.49924782879508526e-3, 2.48761464803154832e-3})
                     : polynomial(z, {-3.33333333333333333e-1, 1.33333333333333321e-1, -5.39682539682518463e-2,
                                      2.18694885360071355e-2, -8.86323552452506831e-3, 3.59212792012110875e-3,
                                      -1.45583276390067778e-3, 5.90012223860403101e-4, -2.39030918170639646e-4,
                                      9.64763673694332337e-5, -3.79316514807946612e-5, 1.31664221585282293e-5,
                                      -2.91032288340146908e-6});
  const V small = x * fma(z, p, 1.0);  // a product keeps the sign of -0
  // 1 - 2 / (e^(2 |x|) + 1); from 10 (20) on it is 1.
  const V e = exp(clamp(a, 0, single ? 10 : 20) * 2.0);
  const V large = x.f(1) - x.f(2) / (e + 1.0);
  return select(a < 0.5625, small, with_sign_of(x, large));
}

namespace {

V erf_near_zero(const V& x) {
  const V z = x * x;
  const V p = is_f32(x) ? polynomial(z, {1.28379166656690254e-1, -3.76126330030389749e-1, 1.12836836993192075e-1, -2.68587226947562574e-2,
                                         5.19931819807591643e-3, -8.12296088777280524e-4, 8.2858265486911716e-5})
                        : polynomial(z, {1.28379167095512574e-1, -3.76126389031837525e-1, 1.12837916709551256e-1,
                                         -2.68661706451312185e-2, 5.22397762544167401e-3, -8.54832702340300061e-4,
                                         1.20553329788794839e-4, -1.49256502369675017e-5, 1.64621107820186364e-6,
                                         -1.63657686488320721e-7, 1.48060271461287517e-8, -1.22777344867955238e-9,
                                         9.32372351815302663e-11, -6.19673642878769998e-12, 2.80671281956112625e-13});
  return fma(x, p, x);  // 2/sqrt(pi) is 1 + the first coefficient
}

// -log2(1 - erf(|x|)), for f32.
V erf_exponent(const V& x) {
  const V a = clamp(abs(x), 0, 3.95);
  return polynomial(a, {-4.72779174831746422e-4, 1.63063215686989517, 9.11437466828850173e-1, 1.58909840883427959e-1,
                        -3.81779338601362215e-2, 6.88945657555743944e-3, -8.66202869442574636e-4, 6.71008871862371104e-5,
                        -2.39674570194256875e-6});
}

}  // namespace

V erf(const V& x) {
  if (is_f32(x)) return select(abs(x) < 0.9375, erf_near_zero(x), with_sign_of(x, x.f(1) - exp2(-erf_exponent(x))));
  // 1 - e^(-x^2) g(t), t = (x - 2) / (x + 2) in [-1/3, 1/2]
  const V a = clamp(abs(x), 1, 6), t = (a - 2.0) / (a + 2.0);
  const V g = polynomial(t, {2.55395676310505744e-1,  -4.27185847413958395e-1, 2.41658194242466329e-1,  -7.89785810157325263e-2,
                             3.73289240434948349e-3,  6.99746173922847606e-3,  -8.47143252275225317e-4, -9.81977026916264705e-4,
                             4.35556442720989287e-5,  1.74361143115436502e-4,  2.75247673631650497e-5,  -2.75790131190219086e-5,
                             -1.39614900674239696e-5, 1.3805842477253988e-6,   3.76016771671931325e-6,  1.25598978613456933e-6,
                             -5.06091543869304822e-7, -6.14447716799506562e-7, 1.3408848717362391e-7});
  return select(abs(x) < 1.0, erf_near_zero(x), with_sign_of(x, x.f(1) - exp(-(a * a)) * g));
}

V erf_by_native_exp2(const V& x) {
  const V power{make_math(MathFn::Exp2, {(-erf_exponent(x)).e})};
  return select(abs(x) < 0.9375, erf_near_zero(x), with_sign_of(x, x.f(1) - power));
}

}  // namespace sinter::ir::math
