// Proofs of Nests written by hand: what is accepted, and what is refuted with which witness.
#include <gtest/gtest.h>

#include "ir/diagnostic.h"
#include "ir/text/parse.h"
#include "scheduler/prove/obligations.h"
#include "scheduler/prove/prover.h"

namespace sinter::scheduler {
namespace {

using namespace ir;

struct Outcome {
  bool proved = false;
  ErrorCode code{};
  std::string text;
  ProofReport report;
};

Outcome prove(const std::string& text) {
  const auto [program, nest] = parse_nest(text);
  const std::unique_ptr<Prover> prover = make_prover();
  Outcome out;
  try {
    prove_nest(program, nest, *prover, out.report);
    out.proved = true;
  } catch (const UserError& e) {
    out.code = e.code();
    out.text = e.what();
    EXPECT_TRUE(e.code() == ErrorCode::Unproved || e.code() == ErrorCode::UnboundedBox || !e.diagnostic().counterexample.empty()) << e.what();
  }
  return out;
}

// f(x) = in(x), n elements of each.
std::string pure(const std::string& nest) {
  return "program p {\n  input in(_0) : i32 extent (m) stride (s)\n  func f(x) : i32 extent (n) stride (t) = in(x)\n  args (input in, output f)\n}\nnest {\n"
         "  check \"in\" m at_least n\n  produce f {\n" + nest + "  }\n}\n";
}
// f(x) = 0; f(x) += in(r, x) over r in [0, 16) where r <= x.
std::string update(const std::string& nest) {
  return "program p {\n  input in(_0, _1) : i32 extent (m, k) stride (s, u)\n  func f(x) : i32 extent (n) stride (t) = 0\n"
         "    update over (r in [0, 16)) where r <= x f(x) = f(x) + in(r, x)\n  args (input in, output f)\n}\nnest {\n"
         "  check \"in\" m at_least 16\n  check \"in\" k at_least n\n  produce f {\n    serial i in [0, n) { f(i) = 0 }\n" + nest + "  }\n}\n";
}

void expect_proved(const std::string& text) {
  const Outcome o = prove(text);
  EXPECT_TRUE(o.proved) << o.text << "\nof\n" << text;
  for (const Obligation& b : o.report.obligations) EXPECT_EQ(b.verdict, Verdict::Proved) << b.kind << ": " << b.claim;
}
void expect_refuted(const std::string& text, ErrorCode code, const std::vector<std::string>& words) {
  const Outcome o = prove(text);
  ASSERT_FALSE(o.proved) << "proved:\n" << o.report.table() << text;
  EXPECT_EQ(o.code, code) << o.text;
  for (const std::string& w : words) EXPECT_NE(o.text.find(w), std::string::npos) << w << " is not in\n" << o.text;
}

TEST(ProveNest, SplitsThatCover) {
  expect_proved(pure("serial x in [0, n) { f(x) = in(x) }"));
  expect_proved(pure("serial o in [0, (n + 7)/8) { serial i in [0, 8) { if o*8 + i < n { f(o*8 + i) = in(o*8 + i) } } }"));
  expect_proved(pure("serial o in [0, (n + 7)/8) { serial i in [0, min(8, n - o*8)) { f(o*8 + i) = in(o*8 + i) } }"));
  expect_proved(pure("block o in [0, (n + 7)/8) { coop i in [0, 8) live min(8, n - o*8) { f(o*8 + i) = in(o*8 + i) } }"));
  // 10 does not divide by 4: the inner guard keeps the parts apart.
  expect_proved(pure("serial o in [0, (n + 9)/10) { serial j in [0, 3) { serial i in [0, 4) { if j*4 + i < 10 && o*10 + j*4 + i < n {"
                     " f(o*10 + j*4 + i) = in(o*10 + j*4 + i) } } } }"));
}

TEST(ProveNest, PartsThatMoveInwards) {
  expect_proved(pure("if n >= 8 { serial o in [0, (n + 7)/8) { vectorized i in [0, 8) { f(min(o*8, n - 8) + i) = in(min(o*8, n - 8) + i) } } }"
                     " else { serial x in [0, n) { f(x) = in(x) } }"));
  expect_refuted(pure("if n >= 9 { serial o in [0, (n + 7)/8) { vectorized i in [0, 8) { f(min(o*8, n - 9) + i) = in(min(o*8, n - 9) + i) } } }"
                      " else { serial x in [0, n) { f(x) = in(x) } }"),
                 ErrorCode::NotCovered, {"leaves points", "is not computed"});
  expect_refuted(pure("serial o in [0, (n + 7)/8) { vectorized i in [0, 8) { f(min(o*8, n - 8) + i) = in(min(o*8, n - 8) + i) } }"), ErrorCode::OutOfBounds,
                 {"`f` is stored outside of its extents", "coordinate -"});
  expect_refuted(update("if n >= 8 { serial o in [0, (n + 7)/8) { serial i in [0, 8) { serial q in [0, 16) { if q <= min(o*8, n - 8) + i {"
                        " update 1 f(min(o*8, n - 8) + i) = f(min(o*8, n - 8) + i) + in(q, min(o*8, n - 8) + i) } } } } }"
                        " else { serial x in [0, n) { serial q in [0, 16) { if q <= x { update 1 f(x) = f(x) + in(q, x) } } } }"),
                 ErrorCode::NotCovered, {"computes points of its domain twice", "is computed by ("});
}

TEST(ProveNest, FusedLoopsCover) {
  const std::string program =
      "program p {\n  input in(_0, _1) : i32 extent (a, b) stride (sa, sb)\n  func f(x, y) : i32 extent (n, m) stride (u, v) = in(x, y)\n  args (input in, output f)\n}\n"
      "nest {\n  check \"in\" a at_least n\n  check \"in\" b at_least m\n  produce f {\n";
  expect_proved(program + "parallel t in [0, n*m) { f(t % n, t/n) = in(t % n, t/n) } } }");
  const Outcome o = prove(program + "parallel t in [0, n*m) { f(t % n, t/n) = in(t % n, t/n) } } }");
  EXPECT_EQ(o.report.checks.size(), 1u);  // n * m < 2^31: only the caller knows
  expect_refuted(program + "parallel t in [0, n*m) { f(t % n, 0) = in(t % n, 0) } } }", ErrorCode::NotCovered, {"y = 1 is not computed, with x = 0, m = 2, n = 1"});
}

// Two dimensions of n x m, all sizes unknown.
std::string plane(const std::string& nest) {
  return "program p {\n  func f(x, y) : i32 extent (n, m) stride (u, v) = 3\n  args (output f)\n}\nnest {\n  produce f {\n" + nest + " } }";
}
std::string stored_at(const std::string& x, const std::string& y) { return "f(" + x + ", " + y + ") = 3"; }

TEST(ProveNest, FusedLoopsThatAreSplitAgainCover) {
  const std::string t = "(o*10 + i)", shifted = "(min(o*10, n*m - 10) + i)";
  expect_proved(plane("serial o in [0, (n*m + 9)/10) { serial i in [0, 10) { if o*10 + i < n*m { " + stored_at(t + " % n", t + "/n") + " } } }"));
  expect_proved(plane("serial o in [0, (n*m + 9)/10) { coop i in [0, 10) live min(10, n*m - o*10) { " + stored_at(t + " % n", t + "/n") + " } }"));
  expect_proved(plane("if n*m >= 10 { serial o in [0, (n*m + 9)/10) { serial i in [0, 10) { " + stored_at(shifted + " % n", shifted + "/n") + " } } } else { serial q in [0, n*m) { " +
                      stored_at("q % n", "q/n") + " } }"));
  expect_refuted(plane("serial o in [0, (n*m + 9)/10) { serial i in [0, 9) { if o*10 + i < n*m { " + stored_at(t + " % n", t + "/n") + " } } }"), ErrorCode::NotCovered, {"is not computed"});
  expect_refuted(plane("serial o in [0, n*m/10) { serial i in [0, 10) { " + stored_at(t + " % n", t + "/n") + " } }"), ErrorCode::NotCovered, {"is not computed"});
  // A fused pair of outer loops beside a fused pair of inner ones, of tiles that do not divide the extents.
  expect_proved(plane("serial q in [0, (n + 7)/8*((m + 3)/4)) { serial t in [0, 32) { if q % ((n + 7)/8)*8 + t % 8 < n && q/((n + 7)/8)*4 + t/8 < m { " +
                      stored_at("q % ((n + 7)/8)*8 + t % 8", "q/((n + 7)/8)*4 + t/8") + " } } }"));
  expect_refuted(plane("serial q in [0, n/8*((m + 3)/4)) { serial t in [0, 32) { if q % ((n + 7)/8)*8 + t % 8 < n && q/((n + 7)/8)*4 + t/8 < m { " +
                       stored_at("q % ((n + 7)/8)*8 + t % 8", "q/((n + 7)/8)*4 + t/8") + " } } }"),
                 ErrorCode::NotCovered, {"is not computed"});
}

TEST(ProveNest, ThreeFusedLoopsCover) {
  const auto cube = [](const std::string& loop, const std::string& x, const std::string& y, const std::string& z) {
    const std::string at = "(" + x + ", " + y + ", " + z + ")";
    return "program p {\n  input in(_0, _1, _2) : i32 extent (a, b, c) stride (sa, sb, sc)\n  func f(x, y, z) : i32 extent (n, m, k) stride (u, v, w) = in(x, y, z)\n"
           "  args (input in, output f)\n}\nnest {\n  check \"in\" a at_least n\n  check \"in\" b at_least m\n  check \"in\" c at_least k\n  produce f {\n" + loop + " { f" + at + " = in" + at + " } } }";
  };
  expect_proved(cube("serial t in [0, n*m*k)", "t % (n*m) % n", "t % (n*m)/n", "t/(n*m)"));
  expect_proved(cube("serial t in [0, n*(m*k))", "t % n", "t/n % m", "t/n/m"));
  expect_refuted(cube("serial t in [0, n*m*k)", "t % (n*m) % n", "0", "t/(n*m)"), ErrorCode::NotCovered, {"y = 1 is not computed"});
}

// What an iteration may be that the digits of the point do not name: ranges that depend on other loops, loops that run no time.
TEST(ProveNest, RangesOfOneLoopByAnother) {
  expect_proved(pure("serial o in [0, 2) { serial x in [0, n) { f(x) = in(x) } }"));
  expect_refuted(pure("serial o in [0, n - 1) { serial x in [0, n) { f(x) = in(x) } }"), ErrorCode::NotCovered, {"x = 0 is not computed, with n = 1"});
  expect_refuted(pure("serial o in [0, (n + 7)/8) { serial i in [0, min(8, n - o*8 - 1)) { f(o*8 + i) = in(o*8 + i) } }"), ErrorCode::NotCovered, {"x = 0 is not computed"});
  expect_refuted(pure("serial o in [0, (n + 7)/8) { serial i in [0, min(8, o)) { if o*8 + i < n { f(o*8 + i) = in(o*8 + i) } } }"), ErrorCode::NotCovered, {"x = 0 is not computed"});
  // The clipped tail computes the end again; a guard must not count on the part before it.
  expect_refuted(pure("if n >= 8 { serial o in [0, (n + 7)/8) { serial i in [0, 8) { if o*8 + i < n { f(min(o*8, n - 8) + i) = in(min(o*8, n - 8) + i) } } } }"
                      " else { serial x in [0, n) { f(x) = in(x) } }"),
                 ErrorCode::NotCovered, {"is not computed"});
}

// Another iteration than the one read off the indices computes the point: that is no proof, and no counterexample either.
TEST(ProveNest, NoPointIsCalledLeftOutThatIsComputed) {
  expect_refuted(pure("serial o in [0, n) { serial i in [o, +1] { f(i) = in(i) } }"), ErrorCode::Unproved, {"may be left out"});
}

TEST(ProveNest, PointsLeftOut) {
  expect_refuted(pure("serial x in [0, n - 1) { f(x) = in(x) }"), ErrorCode::NotCovered, {"leaves points", "x = 0 is not computed, with n = 1"});
  expect_refuted(pure("serial x in [1, +n - 1] { f(x) = in(x) }"), ErrorCode::NotCovered, {"x = 0 is not computed"});
  expect_refuted(pure("serial o in [0, n/8) { serial i in [0, 8) { f(o*8 + i) = in(o*8 + i) } }"), ErrorCode::NotCovered, {"is not computed"});
  expect_refuted(pure("serial o in [0, (n + 7)/8) { serial i in [0, 7) { if o*8 + i < n { f(o*8 + i) = in(o*8 + i) } } }"), ErrorCode::NotCovered, {"x = 7 is not computed"});
  expect_refuted(pure("serial o in [0, (n + 7)/8) { serial i in [0, 8) { if o*8 + i < n - 1 { f(o*8 + i) = in(o*8 + i) } } }"), ErrorCode::NotCovered, {"is not computed"});
  expect_refuted(pure("serial x in [0, n) { if n > 100 { f(x) = in(x) } }"), ErrorCode::NotCovered, {"`f` is computed only if n > 100"});
  expect_refuted(pure("if n > 100 { serial x in [0, n) { f(x) = in(x) } } else { serial x in [0, n) { if n > 50 { f(x) = in(x) } } }"), ErrorCode::NotCovered, {"counterexample: n = "});
}

TEST(ProveNest, OutOfBounds) {
  expect_refuted(pure("serial x in [0, n + 1) { f(x) = in(x) }"), ErrorCode::OutOfBounds, {"`f` is stored outside of its extents", "coordinate"});
  expect_refuted(pure("serial x in [0, n) { f(x) = in(x + 1) }"), ErrorCode::OutOfBounds, {"`in` is read outside of its extents", "in(x + 1)"});
  expect_proved(pure("serial x in [0, n) { f(x) = in(min(x + 1, m - 1)) }"));
  // What is read as an index is bounded by its type, or by a clamp.
  const std::string table =
      "program p {\n  input at(_0) : u8 extent (k) stride (r)\n  input in(_0) : i32 extent (m) stride (s)\n  func f(x) : i32 extent (n) stride (t) = in(i32(at(x)))\n"
      "  args (input at, input in, output f)\n}\nnest {\n  check \"at\" k at_least n\n  check \"in\" m at_least ";
  expect_proved(table + "256\n  produce f { serial x in [0, n) { f(x) = in(i32(at(x))) } }\n}\n");
  expect_refuted(table + "255\n  produce f { serial x in [0, n) { f(x) = in(i32(at(x))) } }\n}\n", ErrorCode::OutOfBounds, {"`in`", "value = 255"});
}

TEST(ProveNest, UpdatesRunOnce) {
  const std::string body = "update 1 f(x) = f(x) + in(q, x)";
  expect_proved(update("serial x in [0, n) { serial q in [0, 16) { if q <= x { " + body + " } } }"));
  expect_proved(update("parallel x in [0, n) { serial qo in [0, 4) { serial qi in [0, 4) { if qo*4 + qi <= x { update 1 f(x) = f(x) + in(qo*4 + qi, x) } } } }"));
  expect_refuted(update("serial x in [0, n) { serial q in [0, 16) { " + body + " } }"), ErrorCode::NotCovered, {"where(r <= x)"});
  expect_refuted(update("serial x in [0, n) { serial q in [0, 16) { if q < x { " + body + " } } }"), ErrorCode::NotCovered, {"is not computed"});
  expect_refuted(update("serial x in [0, n) { serial q in [0, 15) { if q <= x { " + body + " } } }"), ErrorCode::NotCovered, {"r = 15 is not computed"});
  expect_refuted(update("serial x in [0, n) { serial again in [0, 2) { serial q in [0, 16) { if q <= x { " + body + " } } } }"), ErrorCode::NotCovered, {"`again`"});
  expect_refuted(update("serial x in [0, n) { parallel q in [0, 16) { if q <= x { " + body + " } } }"), ErrorCode::Race, {"iterations of `q`", "f(x)"});
  expect_refuted(update("serial o in [0, (n + 7)/8) { serial i in [0, 10) { if o*8 + i < n { serial q in [0, 16) { if q <= o*8 + i {"
                        " update 1 f(o*8 + i) = f(o*8 + i) + in(q, o*8 + i) } } } } }"),
                 ErrorCode::NotCovered, {"twice", "x = 8 is computed by (o = 0, i = 8"});
  expect_refuted(update("serial x in [0, n) { }"), ErrorCode::NotCovered, {"stage 1 of `f` is never computed"});
}

TEST(ProveNest, ParallelUpdatesThatReadTheirNeighbours) {
  const std::string text =
      "program p {\n  input in(_0) : i32 extent (m) stride (s)\n  func f(x) : i32 extent (n) stride (t) = 0\n"
      "    update over (r in [1, +99]) f(r) = f(r - 1) + in(r)\n  args (input in, output f)\n}\nnest {\n  check \"in\" m at_least 101\n  check \"f\" n at_least 101\n"
      "  produce f { serial x in [0, n) { f(x) = 0 }\n";
  expect_proved(text + "serial r.1 in [0, 99) { update 1 f(r.1 + 1) = f(r.1) + in(r.1 + 1) } } }");
  expect_refuted(text + "parallel r.1 in [0, 99) { update 1 f(r.1 + 1) = f(r.1) + in(r.1 + 1) } } }", ErrorCode::Race, {"no order", "reads"});
}

// g at a block of f, or stored around a loop in which parts of it are computed.
const char* const two_stages =
    "program p {\n  input in(_0) : i32 extent (m) stride (s)\n  func g(x) : i32 = in(x)\n  func f(x) : i32 extent (n) stride (t) = g(x) + g(x + 1)\n"
    "  args (input in, output f)\n}\nnest {\n  check \"in\" m at_least n + 1\n  produce f {\n    block o in [0, (n + 31)/32) {\n";

TEST(ProveNest, StorageInBlocks) {
  const auto with = [](const std::string& region, const std::string& loop) {
    return two_stages + ("alloc g : i32 " + region) + " in shared\n produce g { coop x in " + loop +
           " { g(o*32 + x) = in(o*32 + x) } }\n consume g { coop i in [0, 32) live min(32, n - o*32) { f(o*32 + i) = g(o*32 + i) + g(o*32 + i + 1) } } } } }\n";
  };
  expect_proved(with("[o*32, min(o*32 + 31, n - 1) + 1; 33]", "[0, 33) live min(33, n - o*32 + 1)"));
  expect_refuted(with("[o*32, min(o*32 + 31, n - 1) + 1; 32]", "[0, 33) live min(33, n - o*32 + 1)"), ErrorCode::OutOfBounds, {"storage of `g` is too small", "needs 33"});
  expect_refuted(with("[o*32, min(o*32 + 31, n - 1); 33]", "[0, 32) live min(32, n - o*32)"), ErrorCode::OutOfBounds, {"`g` is read outside of its storage", "g(o*32 + i + 1)"});
  expect_refuted(with("[o*32, min(o*32 + 31, n - 1) + 1; 33]", "[0, 33) live min(32, n - o*32 + 1)"), ErrorCode::NotCovered, {"`g` leaves points"});
  expect_refuted(with("[o*32, min(o*32 + 31, n - 1) + 1; n]", "[0, 33) live min(33, n - o*32 + 1)"), ErrorCode::UnboundedBox, {"not a constant"});
}

TEST(ProveNest, ReadBeforeItIsComputed) {
  const std::string head = std::string(two_stages) + "alloc g : i32 [o*32, min(o*32 + 31, n - 1) + 1; 33] in shared\n";
  const std::string produce = "produce g { coop x in [0, 33) live min(33, n - o*32 + 1) { g(o*32 + x) = in(o*32 + x) } }\n";
  const std::string consume = "consume g { coop i in [0, 32) live min(32, n - o*32) { f(o*32 + i) = g(o*32 + i) + g(o*32 + i + 1) } }\n";
  expect_proved(head + produce + consume + "} } }\n");
  expect_refuted(head + consume + "} } }\n", ErrorCode::NotCovered, {"`g` is read where it has not been computed"});
  expect_refuted(head + "if o > 0 { " + produce + "}\n" + consume + "} } }\n", ErrorCode::NotCovered, {"`g` is read where it has not been computed"});
}

TEST(ProveNest, ReadersOfAPartGetOnlyThePart) {
  const auto with = [](const std::string& loop) {
    return std::string(two_stages) + "alloc g : i32 [o*32, min(o*32 + 31, n - 1) + 1; 33] in shared\n serial i in [0, min(32, n - o*32)) {\n produce g { serial x in " + loop +
           " { g(o*32 + i + x) = in(o*32 + i + x) } }\n consume g { f(o*32 + i) = g(o*32 + i) + g(o*32 + i + 1) } } } } }\n";
  };
  expect_proved(with("[0, 2)"));
  expect_refuted(with("[0, 1)"), ErrorCode::OutOfBounds, {"what is computed of it here"});
}

TEST(ProveNest, ReportIsGroupedAndReadable) {
  const Outcome o = prove(pure("serial o in [0, (n + 7)/8) { serial i in [0, min(8, n - o*8)) { f(o*8 + i) = in(o*8 + i) } }"));
  ASSERT_TRUE(o.proved) << o.text;
  EXPECT_NE(o.report.table().find("coverage  `f`: every point of its domain once"), std::string::npos) << o.report.table();
  EXPECT_NE(o.report.to_json().find("{\"kind\": \"bounds\", \"claim\": \"`in`: every read in its extents\", \"verdict\": \"proved\""), std::string::npos) << o.report.to_json();
  for (size_t i = 0; i < o.report.obligations.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(o.report.obligations[i].kind == o.report.obligations[j].kind && o.report.obligations[i].claim == o.report.obligations[j].claim);
}

}  // namespace
}  // namespace sinter::scheduler
