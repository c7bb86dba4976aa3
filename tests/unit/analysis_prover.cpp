// The provers against brute force, and the cases that passes rely on.
#include <gtest/gtest.h>

#include "ir/transform/simplify.h"
#include "scheduler/prove/prover.h"
#include "tests/unit/analysis_support.h"

namespace sinter {
namespace {

using namespace ir;
using scheduler::CompositeProver;
using scheduler::Z3Prover;
using testing::Box;
using testing::Env;
using testing::Evaluator;
using testing::Generator;

// Random claims over a small box given as facts: Proved exactly where brute force finds no counterexample, and each model is one.
TEST(AnalysisProver, AgreesWithBruteForce) {
  const Sym xs = make_sym("x"), ys = make_sym("y");
  const std::vector<Box> boxes{{xs, -3, 4}, {ys, 0, 5}};
  std::vector<Expr> facts;
  for (const Box& b : boxes) {
    facts.push_back(i32(b.lo) <= make_var(b.var));
    facts.push_back(make_var(b.var) <= i32(b.hi));
  }
  CompositeProver prover;
  int proved = 0, refuted = 0, unknown = 0;
  for (int seed = 0; seed < 300 && !HasFailure(); ++seed) {
    Generator g(static_cast<uint64_t>(seed), boxes, Int(32));
    const Expr claim = seed % 2 ? make_binary(Op::Or, g.boolean(2), g.boolean(2)) : g.boolean(2);
    const Answer answer = prover.prove(facts, claim);
    bool always = true;
    testing::for_each_point(boxes, [&](const Env& env) { always = always && Evaluator(env).scalar(claim) == 1; });
    switch (answer.verdict) {
      case Verdict::Proved:
        ++proved;
        EXPECT_TRUE(always) << "seed " << seed << ": " << to_string(claim);
        break;
      case Verdict::Refuted: {
        ++refuted;
        EXPECT_FALSE(always) << "seed " << seed << ": " << to_string(claim) << " " << answer.model_text();
        Env env;
        for (const auto& [v, value] : answer.model) env[v.get()] = value;
        for (const Expr& f : facts) EXPECT_EQ(Evaluator(env).scalar(f), 1) << answer.model_text();
        EXPECT_EQ(Evaluator(env).scalar(claim), 0) << "seed " << seed << ": " << to_string(claim) << " at " << answer.model_text();
        break;
      }
      case Verdict::Unknown: ++unknown; break;
    }
  }
  EXPECT_GT(proved, 30);
  EXPECT_GT(refuted, 100);
  EXPECT_LT(unknown, 10);
}

TEST(AnalysisProver, IntervalsNeedNoSolver) {
  const Sym xos = make_sym("xo"), xis = make_sym("xi"), ws = make_sym("w");
  const Expr xo = make_var(xos), xi = make_var(xis), w = make_var(ws);
  const std::vector<Expr> facts{i32(1) <= w, i32(0) <= xo, xo <= (w + 63) / 64 - 1, i32(0) <= xi, xi < i32(64), xi < w - xo * 64};
  CompositeProver prover;
  EXPECT_EQ(prover.prove(facts, xo * 64 + xi <= w - 1).verdict, Verdict::Proved);
  EXPECT_EQ(prover.prove(facts, i32(0) <= xo * 64 + xi).verdict, Verdict::Proved);
  EXPECT_EQ(prover.stats().by_intervals, 2);
  const Answer no = prover.prove(facts, xo * 64 + xi < w - 1);
  EXPECT_EQ(no.verdict, Verdict::Refuted);
  EXPECT_EQ(no.model.size(), 3u);
  EXPECT_EQ(no.model[0].first, xos) << "in order of first appearance";
  EXPECT_EQ(prover.prove(facts, xo * 64 + xi < w - 1).model_text(), no.model_text());
  EXPECT_EQ(prover.stats().cached, 1);
  EXPECT_GT(prover.stats().milliseconds, 0);
}

TEST(AnalysisProver, EuclideanDivisionOfBothSigns) {
  Z3Prover z3;
  const Sym xs = make_sym("x");
  const Expr x = make_var(xs);
  for (const int64_t c : {-7, -2, -1, 0, 1, 2, 7})
    for (const int64_t v : {-9, -7, -1, 0, 1, 6, 7}) {
      const Env env{{xs.get(), v}};
      const Expr q = make_binary(Op::Div, x, i32(c)), r = make_binary(Op::Mod, x, i32(c));
      const Expr claim = equal(q, i32(*Evaluator(env).scalar(q))) && equal(r, i32(*Evaluator(env).scalar(r)));
      EXPECT_EQ(z3.prove({equal(x, i32(v))}, claim).verdict, Verdict::Proved) << v << " / " << c;
    }
  const Sym ys = make_sym("y");
  const Expr y = make_var(ys);
  EXPECT_EQ(z3.prove({equal(y, i32(0))}, equal(x / y, i32(0)) && equal(x % y, i32(0))).verdict, Verdict::Proved);
}

TEST(AnalysisProver, DataIsAnUnknownOfItsType) {
  Z3Prover z3;
  const Sym xs = make_sym("x");
  const Expr x = make_var(xs);
  const Expr byte = make_cast(Int(32), make_load(4, UInt(8), x)), word = make_load(5, Int(32), x);
  EXPECT_EQ(z3.prove({}, byte <= i32(255)).verdict, Verdict::Proved);
  EXPECT_EQ(z3.prove({}, byte <= i32(254)).verdict, Verdict::Refuted);
  EXPECT_EQ(z3.prove({}, equal(word, make_load(5, Int(32), x))).verdict, Verdict::Proved) << "same structure, same value";
  EXPECT_EQ(z3.prove({}, equal(word, make_load(5, Int(32), x + 1))).verdict, Verdict::Refuted);
  const Expr wrapped = make_cast(UInt(8), x);
  EXPECT_EQ(z3.prove({i32(0) <= x, x < i32(256)}, equal(make_cast(Int(32), wrapped), x)).verdict, Verdict::Proved);
  EXPECT_EQ(z3.prove({}, equal(make_cast(Int(32), wrapped), x)).verdict, Verdict::Refuted);
  const Expr f = make_load(6, Float(32), x);
  EXPECT_EQ(z3.prove({}, make_binary(Op::LE, f, f)).verdict, Verdict::Refuted) << "floats are not looked into";
}

TEST(AnalysisProver, LetsAndSharing) {
  Z3Prover z3;
  const Sym xs = make_sym("x"), ts = make_sym("t");
  const Expr x = make_var(xs), t = make_var(ts);
  EXPECT_EQ(z3.prove({}, make_let(ts, x * 2, t % 2 <= i32(0))).verdict, Verdict::Proved);
  // The variable met first without its Let.
  Z3Prover other;
  EXPECT_EQ(other.prove({}, t % 2 <= i32(0)).verdict, Verdict::Refuted);
  EXPECT_EQ(other.prove({}, make_let(ts, x * 2, t % 2 <= i32(0))).verdict, Verdict::Proved);
  Expr big = x;
  for (int i = 0; i < 60; ++i) big = max(big - 1, min(big, x + i));  // 2^60 paths
  EXPECT_NE(z3.prove({}, big <= big).verdict, Verdict::Refuted);
}

TEST(AnalysisProver, HardClaimsAreUnknownNotSlow) {
  Z3Prover z3;
  const Sym s[] = {make_sym("a"), make_sym("b"), make_sym("c")};
  const Expr a = make_var(s[0]), b = make_var(s[1]), c = make_var(s[2]);
  // Fermat for cubes.
  const Expr claim = !equal(a * a * a + b * b * b, c * c * c);
  EXPECT_NE(z3.prove({a > i32(0), b > i32(0), c > i32(0)}, claim).verdict, Verdict::Proved);
  EXPECT_NE(z3.prove({a > i32(0), b > i32(0), c > i32(0)}, claim).verdict, Verdict::Refuted);
}

TEST(AnalysisProver, ModelTextNamesVariables) {
  const Answer a{Verdict::Refuted, {{make_sym("k"), 31}, {make_sym("x"), 4}}};
  EXPECT_EQ(a.model_text(), "k = 31, x = 4");
  EXPECT_STREQ(verdict_name(Verdict::Unknown), "unknown");
}

}  // namespace
}  // namespace sinter
