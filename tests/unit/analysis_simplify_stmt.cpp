// simplify(Stmt): the same writes in the same order, and the shapes it promises.
#include <gtest/gtest.h>

#include <array>

#include "ir/transform/simplify.h"
#include "tests/unit/analysis_support.h"

namespace sinter {
namespace {

using namespace ir;
using testing::Env;
using testing::Evaluator;
using testing::Generator;

// What a Nest writes, in order: (func, index, value) triples. Sets `overflow` where an expression has no value.
struct Trace {
  std::vector<std::array<int64_t, 3>> writes;
  bool overflow = false;

  int64_t value(const Expr& e, const Env& env) {
    const auto v = Evaluator(env).scalar(e);
    overflow = overflow || !v;
    return v.value_or(0);
  }
  void run(const Stmt& s, const Env& env) {
    if (!s || overflow) return;
    if (const auto* seq = as<SeqStmt>(s)) {
      for (const Stmt& c : seq->stmts) run(c, env);
    } else if (const auto* loop = as<ForStmt>(s)) {
      const int64_t mn = value(loop->min, env);
      int64_t extent = value(loop->extent, env);
      if (loop->live.defined()) extent = std::min(extent, value(loop->live, env));
      for (int64_t i = 0; i < extent && !overflow; ++i) {
        Env inner = env;
        inner[loop->var.get()] = mn + i;
        run(loop->body, inner);
      }
    } else if (const auto* branch = as<IfStmt>(s)) {
      run(value(branch->cond, env) ? branch->then_body : branch->else_body, env);
    } else if (const auto* let = as<LetStmt>(s)) {
      Env inner = env;
      inner[let->var.get()] = value(let->value, env);
      run(let->body, inner);
    } else if (const auto* provide = as<ProvideStmt>(s)) {
      const int64_t index = value(provide->index[0], env), v = value(provide->value, env);
      writes.push_back({provide->func, index, v});
    } else {
      ADD_FAILURE() << "unexpected statement";
    }
  }
};

// Random nests over a symbolic size n.
class NestGenerator {
 public:
  explicit NestGenerator(uint64_t seed) : rng_(seed) { vars_.push_back({n, 0, 0}); }

  Stmt stmt(int depth) {
    const auto pick = [&](int lo, int hi) { return lo + static_cast<int>(rng_() % static_cast<uint64_t>(hi - lo + 1)); };
    if (depth == 0) return provide();
    switch (pick(0, 6)) {
      case 0: return make_seq({stmt(depth - 1), stmt(depth - 1)});
      case 1: return make_if(generator().boolean(2), stmt(depth - 1), pick(0, 1) ? stmt(depth - 1) : nullptr);
      case 2: {
        const Sym t = make_sym("t" + std::to_string(names_++));
        const Expr value = pick(0, 2) ? generator().number(2) : i32(pick(-2, 5));
        vars_.push_back({t, 0, 0});
        const Stmt body = stmt(depth - 1);
        vars_.pop_back();
        return make_let(t, value, body);
      }
      case 3: return provide();
      default: {
        const Sym v = make_sym("v" + std::to_string(names_++));
        const bool cooperative = pick(0, 3) == 0;
        const Expr mn = cooperative ? i32(0) : pick(0, 1) ? i32(pick(-1, 2)) : make_var(n) - 1;
        const Expr extent = cooperative || pick(0, 1) ? i32(pick(0, 3)) : min(make_var(n), i32(4));
        const Expr live = cooperative ? generator().number(1) : Expr();
        vars_.push_back({v, 0, 0});
        const Stmt body = stmt(depth - 1);
        vars_.pop_back();
        return make_for(v, mn, extent, cooperative ? LoopKind::Cooperative : LoopKind::Serial, body, {}, live);
      }
    }
  }

  const Sym n = make_sym("n");

 private:
  Generator generator() { return Generator(rng_(), in_scope(), Int(32)); }
  std::vector<testing::Box> in_scope() { return vars_; }
  Stmt provide() {
    Generator g = generator();
    return std::make_shared<ProvideStmt>(static_cast<int>(rng_() % 3), 0, std::vector<Expr>{g.number(2)}, g.number(2));
  }

  std::mt19937_64 rng_;
  std::vector<testing::Box> vars_;
  int names_ = 0;
};

TEST(AnalysisSimplifyStmt, RandomNestsWriteTheSame) {
  int compared = 0, changed = 0;
  for (int seed = 0; seed < 1500 && !HasFailure(); ++seed) {
    NestGenerator g(static_cast<uint64_t>(seed));
    const Stmt s = g.stmt(4);
    const Stmt simple = simplify(s);
    changed += simple != s;
    for (int64_t n = 0; n < 4; ++n) {
      const Env env{{g.n.get(), n}};
      Trace before, after;
      before.run(s, env);
      if (before.overflow) continue;
      after.run(simple, env);
      ++compared;
      EXPECT_TRUE(!after.overflow && before.writes == after.writes) << "seed " << seed << ", n = " << n << ": " << before.writes.size()
                                                                    << " writes, then " << after.writes.size();
    }
  }
  EXPECT_GT(compared, 3000);
  EXPECT_GT(changed, 700);
}

struct Shapes : ::testing::Test {
  Sym vs = make_sym("v"), ws = make_sym("w");
  Expr v = make_var(vs), w = make_var(ws);
  Stmt write(const Expr& index) { return std::make_shared<ProvideStmt>(1, 0, std::vector<Expr>{index}, index); }
  static bool empty(const Stmt& s) { return as<SeqStmt>(s) && as<SeqStmt>(s)->stmts.empty(); }
};

TEST_F(Shapes, EmptyLoopsGo) {
  EXPECT_TRUE(empty(simplify(make_for(vs, i32(3), i32(0), LoopKind::Serial, write(v)))));
  EXPECT_TRUE(empty(simplify(make_for(vs, i32(3), w - (w + 2), LoopKind::Block, write(v)))));
  EXPECT_TRUE(empty(simplify(make_if(w < w, write(w)))));
}

TEST_F(Shapes, OneIterationIsASubstitution) {
  const Stmt s = simplify(make_for(vs, w * 4, i32(1), LoopKind::Serial, write(v + 1)));
  ASSERT_TRUE(as<ProvideStmt>(s));
  EXPECT_EQ(to_string(as<ProvideStmt>(s)->index[0]), "w*4 + 1");
  for (const LoopKind kind : {LoopKind::Block, LoopKind::Cooperative, LoopKind::Thread}) {
    const Stmt kept = make_for(vs, i32(0), i32(1), kind, write(w));
    EXPECT_EQ(simplify(kept), kept) << loop_kind_name(kind);
  }
}

TEST_F(Shapes, GuardsThatRangesDecideGo) {
  const Stmt inside = make_if(v < w, write(v));
  const Stmt loop = simplify(make_for(vs, i32(0), w, LoopKind::Serial, inside));
  ASSERT_TRUE(as<ForStmt>(loop));
  EXPECT_TRUE(as<ProvideStmt>(as<ForStmt>(loop)->body)) << "v < w holds in [0, w)";
  const Stmt masked = simplify(make_for(vs, i32(0), i32(64), LoopKind::Cooperative, inside, {}, w));
  EXPECT_TRUE(as<ProvideStmt>(as<ForStmt>(masked)->body)) << "only live iterations count";
  const Stmt needed = make_for(vs, i32(0), w, LoopKind::Serial, make_if(v < w - 1, write(v)));
  EXPECT_TRUE(as<IfStmt>(as<ForStmt>(simplify(needed))->body));
}

TEST_F(Shapes, UnchangedStatementsStayThemselves) {
  const Stmt s = simplify(make_for(vs, i32(0), w, LoopKind::Serial, make_if(v < w - 1, write(v * 4 + 1))));
  EXPECT_EQ(simplify(s), s);
}

}  // namespace
}  // namespace sinter
