// The error of each expanded maths function, measured: the expanded expression is evaluated with the scalar arithmetic of the IR over
// dense samples and compared with long double. docs/numbers.md states the same limits; a limit raised here is raised there.
#include "ir/transform/expand_math.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "ir/analysis/visit.h"
#include "ir/eval/flat.h"

namespace sinter::ir {
namespace {

struct Case {
  MathFn fn;
  Type type;
  const char* target;
  bool strict;
  double ulp;       // the largest error allowed
  double lo, hi;    // a range sampled densely besides the whole type
};

long double reference(MathFn fn, long double x) {
  switch (fn) {
    case MathFn::Exp: return std::exp(x);
    case MathFn::Exp2: return std::exp2(x);
    case MathFn::Log: return std::log(x);
    case MathFn::Log2: return std::log2(x);
    case MathFn::Tanh: return std::tanh(x);
    case MathFn::Erf: return std::erf(x);
    case MathFn::Rsqrt: return 1 / std::sqrt(x);
    case MathFn::Sin: return std::sin(x);
    case MathFn::Cos: return std::cos(x);
    default: ADD_FAILURE(); return 0;
  }
}

// |got - want| in units of the last place of `want` in the type.
double ulps(Type t, double got, long double want) {
  const int mantissa = t.bits == 32 ? 23 : 52, least = t.bits == 32 ? -126 : -1022, most = t.bits == 32 ? 128 : 1024;
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : HUGE_VAL;
  const long double limit = std::ldexp(1.0L, most);
  if (std::fabs(want) >= limit || std::isinf(got)) {
    // Past half an ulp beyond the largest finite value, infinity is the right answer.
    const long double nearly = limit - std::ldexp(1.0L, most - mantissa - 2);
    if (std::isinf(got)) return std::signbit(got) == std::signbit(want) && std::fabs(want) >= nearly - 2 * std::ldexp(1.0L, most - mantissa - 1) ? 0 : HUGE_VAL;
    return std::fabs(want) < limit * 1.0001L ? 1 : HUGE_VAL;
  }
  int e = least;
  if (want != 0) e = std::max(least, std::ilogb(want));
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / std::ldexp(1.0L, e - mantissa));
}

std::vector<double> samples(Type t, double lo, double hi) {
  std::mt19937_64 rng(7);
  std::vector<double> v = {0.0, -0.0, 1.0, -1.0, HUGE_VAL, -HUGE_VAL, NAN, 0.5, 2.0, 1e-30, -1e-30, 1e-44, -1e-44, 5e-324, 1e-310};
  const bool single = t.bits == 32;
  for (int i = -60; i < 60; ++i)  // around the ends of the range of exp
    for (double end : {88.72283905, -87.3365447, -103.972076, 709.782712893384, -708.396418532264, -745.133219101941})
      v.push_back(end * (1 + i * (single ? 0x1p-24 : 0x1p-53)));
  for (int i = 0; i < 40000; ++i) {
    if (single) {
      const uint32_t bits = static_cast<uint32_t>(rng());
      float f;
      std::memcpy(&f, &bits, 4);
      v.push_back(static_cast<double>(f));
    } else {
      const uint64_t bits = rng();
      double d;
      std::memcpy(&d, &bits, 8);
      v.push_back(d);
    }
    v.push_back(lo + (hi - lo) * (i + 0.37) / 40000);
    v.push_back(std::copysign(std::pow(2.0, -static_cast<double>(i % 1500) / 20) * hi, i & 1 ? 1 : lo));
  }
  if (single)
    for (double& x : v) x = static_cast<double>(static_cast<float>(x));
  return v;
}

Expr expanded(const Case& c, const Sym& x) {
  Expr e = make_math(c.fn, {make_var(x)});
  if (c.strict) e = make_strict(e);
  return expand_math(e, Target::parse(c.target));
}

class Accuracy : public testing::TestWithParam<Case> {};

TEST_P(Accuracy, IsAsStated) {
  const Case& c = GetParam();
  const Sym x = make_sym("x", c.type);
  ExprFunction f(expanded(c, x), {x});
  double worst = 0, at = 0;
  const bool trig = c.fn == MathFn::Sin || c.fn == MathFn::Cos;
  for (double v : samples(c.type, c.lo, c.hi)) {
    if (trig && std::isfinite(v) && std::fabs(v) > 0x1p48) continue;
    const Scalar a = Scalar::of_float(c.type, v);
    const double got = f(std::span(&a, 1)).as_double();
    const long double want = reference(c.fn, static_cast<long double>(v));
    const double u = ulps(c.type, got, want);
    if (!(u <= worst)) worst = u, at = v;
    ASSERT_LT(u, 1e6) << math_name(c.fn) << '(' << v << ") = " << got << ", not " << static_cast<double>(want);
    if (v == 0 && c.fn != MathFn::Cos) { EXPECT_EQ(std::signbit(got), std::signbit(want)) << v; }
  }
  std::printf("%-6s %s %-18s %-6s max %.3f ulp at %.17g\n", math_name(c.fn), to_string(c.type).c_str(), c.target,
              c.strict ? "strict" : "fast", worst, at);
  EXPECT_LE(worst, c.ulp) << at;
}

const Case cases[] = {
    // f32, arithmetic only
    {MathFn::Exp, Float(32), "host", false, 1.5, -104, 89},
    {MathFn::Exp2, Float(32), "host", false, 1.5, -150, 128},
    {MathFn::Log, Float(32), "host", false, 1.5, 0.5, 2},
    {MathFn::Log2, Float(32), "host", false, 2, 0.5, 2},
    {MathFn::Tanh, Float(32), "host", false, 2, -10, 10},
    {MathFn::Erf, Float(32), "host", false, 2, -4, 4},
    {MathFn::Rsqrt, Float(32), "host", false, 1.5, 0, 4},
    {MathFn::Sin, Float(32), "host", false, 1.5, -100, 100},
    {MathFn::Cos, Float(32), "host", false, 1.5, -100, 100},
    // f32 around cuda's approximate instructions, whose own error comes on top
    {MathFn::Exp, Float(32), "cuda-sm_90a", false, 1.5, -104, 89},
    {MathFn::Exp2, Float(32), "cuda-sm_90a", false, 1.5, -150, 128},
    {MathFn::Erf, Float(32), "cuda-sm_90a", false, 2, -4, 4},
    // f32 strict
    {MathFn::Exp, Float(32), "cuda-sm_90a", true, 0.51, -104, 89},
    {MathFn::Exp2, Float(32), "cuda-sm_90a", true, 0.51, -150, 128},
    {MathFn::Log, Float(32), "host", true, 0.51, 0.5, 2},
    {MathFn::Log2, Float(32), "host", true, 0.51, 0.5, 2},
    {MathFn::Tanh, Float(32), "cuda-sm_90a", true, 0.51, -10, 10},
    {MathFn::Erf, Float(32), "host-strict_float", false, 0.51, -4, 4},
    {MathFn::Rsqrt, Float(32), "cuda-sm_90a", true, 0.51, 0, 4},
    {MathFn::Sin, Float(32), "host", true, 0.51, -100, 100},
    {MathFn::Cos, Float(32), "host", true, 0.51, -100, 100},
    // f64, one form
    {MathFn::Exp, Float(64), "host", false, 1.5, -746, 710},
    {MathFn::Exp2, Float(64), "host", false, 1.5, -1075, 1024},
    {MathFn::Log, Float(64), "host", false, 1.5, 0.5, 2},
    {MathFn::Log2, Float(64), "host", true, 2, 0.5, 2},
    {MathFn::Tanh, Float(64), "host", false, 2, -20, 20},
    {MathFn::Erf, Float(64), "host", false, 2, -6, 6},
    {MathFn::Rsqrt, Float(64), "host", false, 1.5, 0, 4},
    {MathFn::Sin, Float(64), "host", false, 1.5, -100, 100},
    {MathFn::Cos, Float(64), "host", false, 1.5, -100, 100},
};
INSTANTIATE_TEST_SUITE_P(Math, Accuracy, testing::ValuesIn(cases), [](const auto& info) {
  std::string s = math_name(info.param.fn) + std::string("_") + to_string(info.param.type) + "_" + info.param.target +
                  (info.param.strict ? "_strict" : "") + "_" + std::to_string(info.index);
  for (char& ch : s)
    if (!std::isalnum(static_cast<unsigned char>(ch))) ch = '_';
  return s;
});

struct PowCase {
  Type type;
  bool strict;
  double ulp;
};

TEST(Pow, IsAsStatedAndSpecialCasesAreThoseOfC) {
  const PowCase pow_cases[] = {{Float(32), false, 2}, {Float(32), true, 0.51}, {Float(64), false, 2}};
  const double special[] = {0.0, -0.0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 1e30, -1e30, 1e-30, 4503599627370497.0, 16777217.0, 8388609.0,
                            HUGE_VAL, -HUGE_VAL, NAN, 1e-44, -1e-44, 2.5, -2.5};
  for (const PowCase& c : pow_cases) {
    const Sym x = make_sym("x", c.type), y = make_sym("y", c.type);
    Expr e = make_math(MathFn::Pow, {make_var(x), make_var(y)});
    if (c.strict) e = make_strict(e);
    ExprFunction f(expand_math(e, Target::parse("host")), {x, y});
    double worst = 0, ax = 0, ay = 0;
    const auto check = [&](double a, double b) {
      if (c.type.bits == 32) a = static_cast<double>(static_cast<float>(a)), b = static_cast<double>(static_cast<float>(b));
      const Scalar v[] = {Scalar::of_float(c.type, a), Scalar::of_float(c.type, b)};
      const double got = f(std::span<const Scalar>(v)).as_double();
      const long double want = std::pow(static_cast<long double>(a), static_cast<long double>(b));
      const double u = ulps(c.type, got, want);
      ASSERT_LT(u, 1e6) << "pow(" << a << ", " << b << ") = " << got << ", not " << static_cast<double>(want);
      if (want == 0 || std::isinf(want)) { EXPECT_EQ(std::signbit(got), std::signbit(want)) << a << ' ' << b; }
      if (u > worst) worst = u, ax = a, ay = b;
    };
    for (double a : special)
      for (double b : special) check(a, b);
    std::mt19937_64 rng(3);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int i = 0; i < 60000; ++i) {
      const double log_x = (unit(rng) - 0.5) * (i & 1 ? 2 : c.type.bits == 32 ? 250 : 2000);
      const double a = std::exp2(log_x), limit = c.type.bits == 32 ? 150 : 1074;
      check(a, (unit(rng) * 2 - 1) * limit / std::fabs(log_x));
    }
    std::printf("pow    %s %s max %.3f ulp at %.17g, %.17g\n", to_string(c.type).c_str(), c.strict ? "strict" : "fast", worst, ax, ay);
    EXPECT_LE(worst, c.ulp);
  }
}

// What is left is native: nothing approximate below Strict, nothing narrow, and nothing but the list of the header.
TEST(ExpandMath, LeavesOnlyNativeNodes) {
  for (const char* name : {"host", "host-strict_float", "cuda-sm_80", "cuda-sm_90a-strict_float", "emulate-sm_90a"}) {
    const Target target = Target::parse(name);
    for (int fn = 0; fn <= static_cast<int>(MathFn::IsNan); ++fn)
      for (Type t : {Float(16), BFloat(), Float(32), Float(64), Float(32, 4)})
        for (bool strict : {false, true}) {
          const int arity = static_cast<MathFn>(fn) == MathFn::Fma ? 3 : static_cast<MathFn>(fn) == MathFn::Pow ? 2 : 1;
          std::vector<Expr> args;
          for (int i = 0; i < arity; ++i) args.push_back(make_var(make_sym("v", t)));
          Expr e = make_math(static_cast<MathFn>(fn), args);
          const Type result = e.type();
          if (strict) e = make_strict(e);
          const Expr r = expand_math(e, target);
          EXPECT_EQ(r.type(), result);
          walk(r, [&](const Expr& n) {
            if (n->op != Op::Math) return;
            EXPECT_FALSE(n->args[0].type().is_narrow_float());
            const bool approximate = n->fn == MathFn::Exp2 || n->fn == MathFn::Rsqrt || n->fn == MathFn::Tanh;
            const bool exact = n->fn == MathFn::Sqrt || n->fn >= MathFn::Floor;
            const bool allowed = target.backend == Backend::Cuda && !strict && !target.strict_float && n->type.bits == 32;
            EXPECT_TRUE(exact || (approximate && allowed)) << math_name(n->fn) << ' ' << name;
          });
        }
  }
}

TEST(ExpandMath, BelowAndBesideStrictAreTwoForms) {
  const Sym x = make_sym("x", Float(32));
  const Expr t = make_math(MathFn::Tanh, {make_var(x)});
  const Expr both = expand_math(make_binary(Op::Add, t, make_strict(t)), Target::parse("cuda-sm_90"));
  EXPECT_EQ(both->args[0]->op, Op::Math);
  EXPECT_EQ(both->args[1]->op, Op::Strict);
  int native = 0;
  walk(both->args[1], [&](const Expr& n) { native += n->op == Op::Math && n->fn == MathFn::Tanh; });
  EXPECT_EQ(native, 0);
}

TEST(ExpandMath, SharingIsKept) {
  Expr e = make_var(make_sym("x", Float(32)));
  for (int i = 0; i < 40; ++i) e = make_binary(Op::Mul, make_math(MathFn::Tanh, {e}), make_math(MathFn::Sin, {e}));
  size_t nodes = 0;
  walk(expand_math(e, Target::parse("host")), [&](const Expr&) { ++nodes; });
  EXPECT_LT(nodes, 40u * 300);
}

TEST(ExpandMath, StatementsAndFloatMod) {
  const Sym x = make_sym("x", Float(32));
  const Expr mod = make_binary(Op::Mod, make_var(x), make_float(Float(32), 3));
  const Stmt s = expand_math(make_let(make_sym("y", Float(32)), mod, make_seq({})), Target::parse("host"));
  const Expr value = as<LetStmt>(s)->value;
  EXPECT_EQ(value->op, Op::Strict);
  for (double v : {-7.25, 7.25, 0.0, -3.0})
    EXPECT_EQ(evaluate(value, {{x.get(), Scalar::of_float(Float(32), v)}}), evaluate(mod, {{x.get(), Scalar::of_float(Float(32), v)}}));
}

}  // namespace
}  // namespace sinter::ir
