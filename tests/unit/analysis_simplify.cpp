// simplify() against brute force, and the forms that other passes rely on.
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

struct Vars {
  Sym xs, ys, zs;
  Expr x, y, z;
  explicit Vars(Type t = Int(32))
      : xs(make_sym("x", t)), ys(make_sym("y", t)), zs(make_sym("z", t)), x(make_var(xs)), y(make_var(ys)), z(make_var(zs)) {}
  std::vector<Box> boxes(int64_t lo, int64_t hi) const { return {{xs, lo, hi}, {ys, lo, hi}, {zs, lo + 1, hi - 1}}; }
};

IntervalScope scope_of(const std::vector<Box>& boxes) {
  IntervalScope scope;
  for (const Box& b : boxes) scope[b.var.get()] = {make_int(b.var->type, b.lo), make_int(b.var->type, b.hi)};
  return scope;
}

// Equal wherever the original has a value; and simplifying again changes nothing.
void check(const Expr& e, const IntervalScope& scope, const std::vector<Box>& boxes, const std::string& what) {
  const Expr s = simplify(e, scope);
  ASSERT_EQ(s.type(), e.type()) << what;
  bool fine = true;
  testing::for_each_point(boxes, [&](const Env& env) {
    if (!fine) return;
    const auto before = Evaluator(env)(e);
    if (!before) return;
    const auto after = Evaluator(env)(s);
    fine = after && *after == *before;
    if (fine) return;
    std::string at;
    for (const Box& b : boxes) at += b.var->name + " = " + std::to_string(env.at(b.var.get())) + " ";
    ADD_FAILURE() << what << "\n  before: " << to_string(e) << " = " << (*before)[0] << "\n  after:  " << to_string(s) << " = "
                  << (after ? std::to_string((*after)[0]) : "overflow") << "\n  at " << at;
  }, 7);
  const Expr again = simplify(s, scope);
  EXPECT_TRUE(equal_structure(s, again)) << what << "\n  " << to_string(e) << "\n  once:  " << to_string(s) << "\n  twice: " << to_string(again);
}

void fuzz(Type t, bool with_scope, bool data, int count, int64_t lo, int64_t hi) {
  const Vars v(t);
  const std::vector<Box> boxes = v.boxes(lo, hi);
  const IntervalScope scope = with_scope ? scope_of(boxes) : IntervalScope{};
  for (int seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    Generator g(static_cast<uint64_t>(seed), boxes, t);
    if (data) g.allow_data();
    const Expr e = seed % 3 == 0 ? g.boolean(3) : g.number(4);
    check(e, scope, boxes, "seed " + std::to_string(seed));
  }
}

TEST(AnalysisSimplify, RandomIndexExpressionsKeepTheirValue) { fuzz(Int(32), false, false, 1200, -4, 5); }
TEST(AnalysisSimplify, RandomIndexExpressionsWithRanges) { fuzz(Int(32), true, false, 1200, -3, 6); }
TEST(AnalysisSimplify, RandomExpressionsOnData) { fuzz(Int(32), true, true, 800, 0, 7); }
TEST(AnalysisSimplify, RandomInt64) { fuzz(Int(64), true, false, 600, -3, 4); }
TEST(AnalysisSimplify, RandomUInt8Wraps) { fuzz(UInt(8), false, false, 600, 250, 255); }
TEST(AnalysisSimplify, RandomInt8Wraps) { fuzz(Int(8), true, true, 600, 122, 127); }

// On data nothing may overflow that did not: values at the edge of i32.
TEST(AnalysisSimplify, DataAtTheEdgeOfInt32) {
  const Vars v;
  const Expr a = make_load(1, Int(32), v.x), b = make_load(2, Int(32), v.y);
  // The loads stand for themselves: a and b as free values, through a substitution after simplifying.
  const Sym as = make_sym("a"), bs = make_sym("b");
  const auto free = [&](const Expr& e) {
    return rewrite(e, [&](const Expr& n) { return n->op == Op::Load ? make_var(n->id == 1 ? as : bs) : n; });
  };
  for (int seed = 0; seed < 1000; ++seed) {
    Generator g(static_cast<uint64_t>(seed), {{as, 0, 0}, {bs, 0, 0}}, Int(32));
    const Expr e = rewrite(seed % 3 ? g.number(3) : g.boolean(3), [&](const Expr& n) {
      return n->op != Op::Var ? n : n->var == as ? a : b;
    });
    const Expr s = simplify(e), before = free(e), after = free(s);
    for (const int64_t av : {int64_t{INT32_MIN}, int64_t{INT32_MIN} + 1, int64_t{-5}, int64_t{0}, int64_t{9}, int64_t{INT32_MAX} - 2, int64_t{INT32_MAX}})
      for (const int64_t bv : {int64_t{INT32_MIN}, int64_t{-1}, int64_t{3}, int64_t{INT32_MAX}}) {
        const Env env{{as.get(), av}, {bs.get(), bv}};
        const auto want = Evaluator(env)(before);
        if (!want) continue;
        const auto got = Evaluator(env)(after);
        ASSERT_TRUE(got && *got == *want) << "seed " << seed << ": " << to_string(before) << " became " << to_string(after)
                                          << " at a = " << av << ", b = " << bv;
      }
  }
}

// Nor may it in what is stored: nothing bounds the variables and parameters there.
TEST(AnalysisSimplify, ValuesAtTheEdgeOfInt32) {
  const Sym as = make_sym("a"), bs = make_sym("b");
  for (int seed = 0; seed < 2000; ++seed) {
    Generator g(static_cast<uint64_t>(seed), {{as, 0, 0}, {bs, 0, 0}}, Int(32));
    const Expr e = seed % 3 ? g.number(3) : g.boolean(3), s = simplify_value(e);
    for (const int64_t av : {int64_t{INT32_MIN}, int64_t{INT32_MIN} + 1, int64_t{-5}, int64_t{0}, int64_t{9}, int64_t{INT32_MAX} - 2, int64_t{INT32_MAX}})
      for (const int64_t bv : {int64_t{INT32_MIN}, int64_t{-1}, int64_t{3}, int64_t{INT32_MAX}}) {
        const Env env{{as.get(), av}, {bs.get(), bv}};
        const auto want = Evaluator(env)(e);
        if (!want) continue;
        const auto got = Evaluator(env)(s);
        ASSERT_TRUE(got && *got == *want) << "seed " << seed << ": " << to_string(e) << " became " << to_string(s) << " at a = " << av << ", b = " << bv;
      }
  }
  // The sum of an index may be reordered, the same sum in a value may not, also where both are in one value.
  const Expr a = make_var(as), b = make_var(bs), c = make_var(make_sym("c"));
  const Expr e = make_binary(Op::Add, a, make_binary(Op::Sub, b, c));
  EXPECT_EQ(to_string(simplify(e)), "a + b - c");
  EXPECT_EQ(to_string(simplify_value(e)), "a + (b - c)");
  EXPECT_EQ(to_string(simplify_value(make_load(1, Int(32), e))), "b1(a + b - c)");
  EXPECT_EQ(to_string(simplify_value(make_load(1, Int(32), e) * e)), "b1(a + b - c)*(a + (b - c))");
}

std::string text(const Expr& e, const IntervalScope& scope = {}) { return to_string(simplify(e, scope)); }

TEST(AnalysisSimplify, NormalForms) {
  const Vars v;
  const auto& [xs, ys, zs, x, y, z] = v;
  EXPECT_EQ(text((x + 3) * 64 - (x + 2) * 64), "64");
  EXPECT_EQ(text(z + x * 2 + y + x * 3 + 1), "z + x*5 + y + 1");
  EXPECT_EQ(text(i32(3) - (x + 5)), "-2 - x");
  EXPECT_EQ(text((x * 64 + 65) / 64), "x + 1");
  EXPECT_EQ(text((x * 64 + y) / 128), "(x*64 + y)/128");
  EXPECT_EQ(text((x * 64 + y * 32) / 128), "(x*2 + y)/4");
  EXPECT_EQ(text((x * 64 + y) % 64), "y % 64");
  EXPECT_EQ(text(y + (x / 66) * 66 + x % 66), "y + x");
  EXPECT_EQ(text(x - (x / 4) * 4), "x % 4");
  EXPECT_EQ(text((x / 4) / 8), "x/32");
  EXPECT_EQ(text(min(x + 7, x + 3)), "x + 3");
  EXPECT_EQ(text(max(min(max(min(x, y + 9 - y), i32(0)), i32(5)), i32(2))), "max(min(x, 5), 2)");
  EXPECT_EQ(text(x * 64 + y < x * 64 + 12), "y < 12");
  EXPECT_EQ(text(x * 64 < i32(100)), "x < 2");
  EXPECT_EQ(text(x * 64 <= i32(100)), "x < 2");
  EXPECT_EQ(text(i32(100) <= x * 64), "2 <= x");
  EXPECT_EQ(text(x - y >= i32(0)), "y <= x");
  EXPECT_EQ(text(!(x < y) && y <= x), "y <= x");
  EXPECT_EQ(text(make_select(x < y, x, y)), "min(x, y)");
  EXPECT_EQ(text((x + 63) / 64), "(x + 63)/64");
}

TEST(AnalysisSimplify, RangesDecide) {
  const Vars v;
  const auto& [xs, ys, zs, x, y, z] = v;
  const IntervalScope scope{{xs.get(), {i32(0), i32(63)}}, {ys.get(), {i32(0), z - 1}}};
  EXPECT_EQ(text((y * 64 + x) / 64, scope), "y");
  EXPECT_EQ(text((y * 64 + x) % 64, scope), "x");
  EXPECT_EQ(text(x < i32(64), scope), "true");
  EXPECT_EQ(text(y < z, scope), "true");
  EXPECT_EQ(text(y * 64 + x < z * 64, scope), "true");
  EXPECT_EQ(text(min(y, z), scope), "y");
  EXPECT_EQ(text(max(min(x, i32(63)), i32(0)), scope), "x");
  EXPECT_EQ(text(make_unary(Op::Abs, x), scope), "x");
}

TEST(AnalysisSimplify, RampsStayVisible) {
  const Vars v;
  const auto& [xs, ys, zs, x, y, z] = v;
  const Expr lanes = make_ramp(i32(0), i32(1), 4);
  const auto vec = [](const Expr& e) { return make_broadcast(e, 4); };
  EXPECT_EQ(text(make_binary(Op::Add, vec(x * 4), lanes)), "ramp(x*4, 1)");
  EXPECT_EQ(text(make_binary(Op::Mul, make_binary(Op::Add, lanes, vec(x)), vec(i32(8)))), "ramp(x*8, 8)");
  EXPECT_EQ(text(make_binary(Op::Div, make_ramp(x * 4, i32(1), 4), vec(i32(4)))), "broadcast(x)");
  EXPECT_EQ(text(make_binary(Op::Mod, make_ramp(x * 4, i32(1), 4), vec(i32(64)))), "ramp(x % 16*4, 1)");
  EXPECT_EQ(text(make_binary(Op::Div, make_ramp(x * 4 + 1, i32(1), 4), vec(i32(4)))), "ramp(x*4 + 1, 1)/broadcast(4)");
  EXPECT_EQ(text(make_concat({x, x + 1, x + 2, x + 3})), "ramp(x, 1)");
  EXPECT_EQ(text(make_cast(Int(64, 4), make_ramp(x, i32(1), 4))), "ramp(i64(x), 1)");
}

TEST(AnalysisSimplify, RandomVectorsKeepTheirValue) {
  const Vars v;
  const std::vector<Box> boxes = v.boxes(-2, 3);
  for (int seed = 0; seed < 600 && !HasFailure(); ++seed) {
    Generator g(static_cast<uint64_t>(seed), boxes, Int(32));
    const std::function<Expr(int)> vec = [&](int depth) -> Expr {
      static constexpr Op kOps[] = {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Mod, Op::Min, Op::Max, Op::Add, Op::Sub};
      switch (depth == 0 ? g.pick(0, 1) : g.pick(0, 4)) {
        case 0: return make_ramp(g.number(1), i32(g.pick(-2, 8)), 4);
        case 1: return make_broadcast(g.pick(0, 1) ? g.number(1) : i32(g.literal()), 4);
        default: return make_binary(kOps[g.pick(0, 8)], vec(depth - 1), vec(depth - 1));
      }
    };
    check(vec(3), {}, boxes, "seed " + std::to_string(seed));
  }
}

TEST(AnalysisSimplify, FloatsKeepTheirValue) {
  const Sym as = make_sym("a", Float(32));
  const Expr a = make_var(as), zero = make_float(Float(32), 0);
  const Expr kept[] = {
      make_binary(Op::Add, a, zero), make_binary(Op::Sub, a, a), make_binary(Op::Mul, a, zero),
      make_unary(Op::Not, make_binary(Op::LT, a, zero)), make_binary(Op::EQ, a, a),
      make_cast(Float(32), make_cast(Float(16), a)), make_select(make_binary(Op::LT, a, zero), a, zero),
  };
  for (const Expr& e : kept) EXPECT_TRUE(equal_structure(simplify(e), e)) << to_string(e) << " became " << to_string(simplify(e));
  EXPECT_TRUE(equal_structure(simplify(make_select(make_bool(true), a, zero)), a));
  EXPECT_EQ(text(make_cast(Float(16), i32(2049))), "2048");
}

TEST(AnalysisSimplify, LetsOfTrivialValuesGo) {
  const Vars v;
  const Sym t = make_sym("t");
  EXPECT_EQ(text(make_let(t, v.x, make_var(t) + 1)), "x + 1");
  EXPECT_EQ(text(make_let(t, i32(4) , make_var(t) * v.y)), "y*4");
  EXPECT_EQ(text(make_let(t, v.x % 8, make_var(t) / 8)), "(let t = x % 8 in 0)");
}

TEST(AnalysisSimplify, LongChainsAndSharedGraphsAreLinear) {
  const Vars v;
  Expr chain = v.x;
  for (int i = 0; i < 5000; ++i) chain = make_binary(i % 2 ? Op::Min : Op::Add, chain, i % 3 ? v.y : v.z);
  simplify(chain);  // must end, and not in the call stack's overflow
  Expr dag = make_load(0, Int(32), v.x);
  for (int i = 0; i < 200; ++i) dag = make_binary(Op::Mul, dag, dag);  // 2^200 paths
  simplify(dag);
}

}  // namespace
}  // namespace sinter
