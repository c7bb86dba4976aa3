// bounds_of, constant bounds, linear forms and multiples against brute force.
#include <gtest/gtest.h>

#include "ir/transform/simplify.h"
#include "tests/unit/analysis_support.h"

namespace sinter {
namespace {

using namespace ir;
using testing::Box;
using testing::Env;
using testing::Evaluator;
using testing::Generator;

std::string text(const Interval& i) {
  return "[" + (i.min.defined() ? to_string(i.min) : "-inf") + ", " + (i.max.defined() ? to_string(i.max) : "inf") + "]";
}

struct Tile {
  Sym xos = make_sym("xo"), xis = make_sym("xi"), dxs = make_sym("dx"), ws = make_sym("W"), ts = make_sym("t");
  Expr xo = make_var(xos), xi = make_var(xis), dx = make_var(dxs), w = make_var(ws), t = make_var(ts);
  IntervalScope scope{{xis.get(), {i32(0), i32(63)}}, {dxs.get(), {i32(-1), i32(1)}}, {ts.get(), {i32(0), i32(1187)}}};
};

TEST(AnalysisBounds, OfTiles) {
  const Tile v;
  EXPECT_EQ(text(bounds_of(v.xo * 64 + v.xi + v.dx, v.scope)), "[xo*64 - 1, xo*64 + 64]");
  EXPECT_EQ(text(bounds_of(min(v.xo * 64 + v.xi, v.w - 1), v.scope)), "[min(xo*64, W - 1), min(xo*64 + 63, W - 1)]");
  EXPECT_EQ(text(bounds_of(v.t % 66, v.scope)), "[0, 65]");
  EXPECT_EQ(text(bounds_of(v.t / 66, v.scope)), "[0, 17]");
  EXPECT_EQ(text(bounds_of(max(min(v.t, v.w - 1), i32(0)), {{v.ts.get(), {}}})), "[0, max(W - 1, 0)]");
  EXPECT_EQ(text(bounds_of(v.t * 2 - v.xi, v.scope)), "[-63, 2374]");
}

TEST(AnalysisBounds, ExtentsAreConstant) {
  const Tile v;
  const Interval plain = bounds_of(v.xo * 64 + v.xi + v.dx, v.scope);
  EXPECT_EQ(to_string(simplify(plain.max - plain.min + 1)), "66");
  const Expr x = v.xo * 64 + v.xi + v.dx;
  for (const Expr& e : {max(min(x, v.w - 1), i32(0)), min(max(x, i32(0)), v.w - 1), min(x, v.w + 5), max(x, v.w / 2)}) {
    const Interval b = bounds_of(e, v.scope);
    EXPECT_EQ(constant_upper_bound(b.max - b.min + 1, v.scope).value_or(-1), 66) << text(b);
  }
}

TEST(AnalysisBounds, NestedScopes) {
  const Tile v;
  // A masked tile: the inner variable stops at the edge of the image.
  const IntervalScope nest{{v.xis.get(), {i32(0), min(i32(63), v.w - 1 - v.xo * 64)}}, {v.xos.get(), {i32(0), (v.w + 63) / 64 - 1}}};
  EXPECT_EQ(text(bounds_of(v.xo * 64 + v.xi, nest)), "[0, W - 1]");
  EXPECT_TRUE(can_prove(v.xo * 64 + v.xi < v.w, nest));
  EXPECT_TRUE(can_prove(v.xo * 64 < v.w, nest));
  EXPECT_TRUE(can_prove(v.xi >= i32(0) && v.xi <= i32(63), nest));
  EXPECT_FALSE(can_prove(v.xo * 64 + v.xi < v.w - 1, nest));
  EXPECT_FALSE(can_prove(v.xo * 64 + 63 < v.w, nest));
}

TEST(AnalysisBounds, DataHasTheRangeOfItsType) {
  const Tile v;
  const Expr byte = make_call(3, UInt(8), {v.xi}), word = make_call(4, Int(32), {v.xi});
  EXPECT_EQ(text(bounds_of(make_cast(Int(32), byte) * 2 + 1, {})), "[1, 511]");
  EXPECT_EQ(text(bounds_of(make_cast(Int(32), make_call(5, Int(16), {v.xi})), {})), "[-32768, 32767]");
  EXPECT_EQ(text(bounds_of(word, {})), "[-inf, inf]");
  EXPECT_EQ(text(bounds_of(max(min(word, i32(9)), i32(0)), {})), "[0, 9]");
  EXPECT_EQ(text(bounds_of(make_cast(UInt(8), make_cast(Int(32), byte) + 1), {})), "[0, 255]");
}

TEST(AnalysisBounds, VectorsAndLets) {
  const Tile v;
  EXPECT_EQ(text(bounds_of(make_ramp(v.xi * 4, i32(1), 4), v.scope)), "[0, 255]");
  const Sym s = make_sym("s");
  EXPECT_EQ(text(bounds_of(make_let(s, v.xi * 2, make_var(s) + 1), v.scope)), "[1, 127]");
}

// Contains every value; and for affine expressions both ends are values.
TEST(AnalysisBounds, RandomExpressionsAreContained) {
  const Sym xs = make_sym("x"), ys = make_sym("y"), ns = make_sym("n");
  const std::vector<Box> boxes{{xs, -2, 3}, {ys, 0, 4}, {ns, -3, 6}};
  // y's end depends on n, which stays symbolic.
  const Expr n = make_var(ns);
  int bounded = 0;
  for (int seed = 0; seed < 1500 && !HasFailure(); ++seed) {
    const bool symbolic = seed % 2;
    IntervalScope scope{{xs.get(), {i32(-2), i32(3)}}, {ys.get(), {i32(0), symbolic ? min(n + 1, i32(4)) : i32(4)}}};
    Generator g(static_cast<uint64_t>(seed), boxes, Int(32));
    const Expr e = g.number(4);
    const Interval b = bounds_of(e, scope);
    for (const Expr& end : {b.min, b.max})
      if (end.defined()) {
        EXPECT_FALSE(uses_any(end, {xs.get(), ys.get()})) << to_string(e) << " has " << text(b);
        ++bounded;
      }
    const auto lo = constant_lower_bound(e, scope), hi = constant_upper_bound(e, scope);
    testing::for_each_point(boxes, [&](const Env& env) {
      const int64_t nv = env.at(ns.get());
      if (HasFailure() || (symbolic && env.at(ys.get()) > std::min<int64_t>(nv + 1, 4))) return;
      const auto value = Evaluator(env).scalar(e);
      if (!value) return;
      const auto min_end = b.min.defined() ? Evaluator(env).scalar(b.min) : value, max_end = b.max.defined() ? Evaluator(env).scalar(b.max) : value;
      EXPECT_TRUE((!min_end || *min_end <= *value) && (!max_end || *value <= *max_end))
          << "seed " << seed << ": " << to_string(e) << " = " << *value << " outside " << text(b) << " at n = " << nv
          << " x = " << env.at(xs.get()) << " y = " << env.at(ys.get());
      EXPECT_TRUE((!lo || *lo <= *value) && (!hi || *value <= *hi))
          << "seed " << seed << ": " << to_string(e) << " = " << *value << " outside constants " << lo.value_or(-999) << " " << hi.value_or(-999);
    }, 5);
  }
  EXPECT_GT(bounded, 2000);
}

TEST(AnalysisBounds, AffineBoundsAreTight) {
  const Sym xs = make_sym("x"), ys = make_sym("y"), ns = make_sym("n");
  const Expr x = make_var(xs), y = make_var(ys), n = make_var(ns);
  const IntervalScope scope{{xs.get(), {i32(-2), i32(3)}}, {ys.get(), {i32(0), i32(4)}}};
  std::mt19937_64 rng(7);
  for (int round = 0; round < 200; ++round) {
    const auto k = [&] { return static_cast<int64_t>(rng() % 15) - 7; };
    const Expr e = x * k() + y * k() + (n * k() + x * k()) + k();
    const Interval b = bounds_of(e, scope);
    ASSERT_TRUE(b.min.defined() && b.max.defined()) << to_string(e);
    const Env base{{ns.get(), 11}, {xs.get(), 0}, {ys.get(), 0}};
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    testing::for_each_point({{xs, -2, 3}, {ys, 0, 4}, {ns, 11, 11}}, [&](const Env& env) {
      lo = std::min(lo, *Evaluator(env).scalar(e));
      hi = std::max(hi, *Evaluator(env).scalar(e));
    });
    EXPECT_EQ(*Evaluator(base).scalar(b.min), lo) << to_string(e) << " " << text(b);
    EXPECT_EQ(*Evaluator(base).scalar(b.max), hi) << to_string(e) << " " << text(b);
  }
}

TEST(AnalysisBounds, ConstantBoundsKnowLipschitz) {
  const Sym as = make_sym("a"), ws = make_sym("w");
  const Expr a = make_var(as), w = make_var(ws);
  EXPECT_EQ(constant_upper_bound(min(a + 65, w) - min(a, w)).value_or(-1), 65);
  EXPECT_EQ(constant_lower_bound(min(a + 65, w) - min(a, w)).value_or(-1), 0);
  EXPECT_EQ(constant_upper_bound(max(min(a + 65, w), i32(0)) - max(min(a, w), i32(0)) + 1).value_or(-1), 66);
  EXPECT_EQ(constant_upper_bound((a + 7) / 8 - a / 8).value_or(-1), 1);
  EXPECT_EQ(constant_lower_bound((a + 7) / 8 - a / 8).value_or(-1), 0);
  EXPECT_FALSE(constant_upper_bound(a - w).has_value());
  EXPECT_EQ(constant_upper_bound(make_cast(Int(64), min(a + 3, w)) - make_cast(Int(64), min(a, w))).value_or(-1), 3);
}

TEST(AnalysisLinear, RoundTrip) {
  const Sym xs = make_sym("x"), ys = make_sym("y");
  const std::vector<Box> boxes{{xs, -3, 4}, {ys, -2, 5}};
  for (int seed = 0; seed < 400 && !HasFailure(); ++seed) {
    Generator g(static_cast<uint64_t>(seed), boxes, Int(32));
    const Expr e = g.number(4);
    const Linear l = linear_form(e);
    for (size_t i = 0; i < l.terms.size(); ++i) {
      EXPECT_NE(l.terms[i].second, 0);
      for (size_t j = 0; j < i; ++j) EXPECT_FALSE(equal_structure(l.terms[i].first, l.terms[j].first));
    }
    const Expr back = from_linear(l);
    testing::for_each_point(boxes, [&](const Env& env) {
      const auto want = Evaluator(env).scalar(e), got = Evaluator(env).scalar(back);
      EXPECT_TRUE(!want || (got && *got == *want)) << to_string(e) << " as " << to_string(back);
    }, 3);
  }
  const Expr x = make_var(xs), y = make_var(ys);
  EXPECT_TRUE(linear_form((x + 3) * 64 - x * 64).terms.empty());
  EXPECT_EQ(linear_form((x + 3) * 64 - x * 64).constant, 192);
  EXPECT_EQ(to_string(from_linear(linear_form(y + x * 2 + y + 5))), "y*2 + x*2 + 5");
}

TEST(AnalysisMultiple, DividesEveryValue) {
  const Sym xs = make_sym("x"), ys = make_sym("y");
  const SymMap<int64_t> known{{xs.get(), 4}, {ys.get(), 6}};
  const std::vector<Box> quarter{{xs, -3, 3}, {ys, -2, 2}};
  int useful = 0;
  for (int seed = 0; seed < 1500 && !HasFailure(); ++seed) {
    Generator g(static_cast<uint64_t>(seed), quarter, Int(32));
    const Expr e = g.number(3);
    const int64_t m = known_multiple(e, known);
    useful += m != 1;
    testing::for_each_point(quarter, [&](const Env& env) {
      const Env scaled{{xs.get(), env.at(xs.get()) * 4}, {ys.get(), env.at(ys.get()) * 6}};
      const auto value = Evaluator(scaled).scalar(e);
      EXPECT_TRUE(!value || (m == 0 ? *value == 0 : *value % m == 0)) << to_string(e) << " = " << *value << ", no multiple of " << m;
    });
  }
  EXPECT_GT(useful, 200);
  const Expr x = make_var(xs), y = make_var(ys);
  EXPECT_EQ(known_multiple(x * 16 + y * 32 + 64), 16);
  EXPECT_EQ(known_multiple(x * y, known), 24);
  EXPECT_EQ(known_multiple(x - y), 1);
  EXPECT_EQ(known_multiple(x - x), 0);
}

}  // namespace
}  // namespace sinter
