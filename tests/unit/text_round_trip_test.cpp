// parse(print(x)) is x, for random IR of every form; print is a function of the structure.
#include <gtest/gtest.h>

#include <chrono>

#include "ir/diagnostic.h"
#include "ir/text/parse.h"
#include "ir/text/print.h"
#include "tests/support/ir_equal.h"
#include "tests/support/random_ir.h"

namespace sinter::test {
namespace {

using namespace sinter::ir;

constexpr PrintOptions kLocs{.locs = true};

TEST(TextRoundTrip, ProgramsAndSchedules) {
  size_t directives = 0, stages = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    RandomIr random(seed);
    const Program p = random.program();
    const Schedule s = random.schedule(p);
    const std::string text = print(p, s, kLocs);
    SCOPED_TRACE(text);
    const auto [q, t] = parse_program(text);
    IrEqual equal(true);
    // Names of Funcs may gain a suffix; everything else is the same.
    ASSERT_TRUE(equal(p, q) && equal(s, t)) << equal.difference();
    ASSERT_EQ(print(q, t, kLocs), text);
    directives += s.directives.size();
    for (const FuncDef& f : p.funcs) stages += f.stages.size();
  }
  EXPECT_GT(directives, 1000u);  // the generator does make things
  EXPECT_GT(stages, 1000u);
}

TEST(TextRoundTrip, Nests) {
  size_t bytes = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    RandomIr random(seed);
    const Program p = random.program();
    const Stmt s = random.nest(p);
    const std::string text = print_nest(p, s, kLocs);
    SCOPED_TRACE(text);
    const auto [q, t] = parse_nest(text);
    IrEqual equal(true);
    ASSERT_TRUE(equal(p, q) && equal(s, t)) << equal.difference();
    ASSERT_EQ(print_nest(q, t, kLocs), text);
    bytes += text.size();
  }
  EXPECT_GT(bytes, 200000u);
}

TEST(TextRoundTrip, Modules) {
  size_t bytes = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const Module m = RandomIr(seed).module();
    const std::string text = print(m, kLocs);
    SCOPED_TRACE(text);
    const Module n = parse_module(text);
    IrEqual equal(true);
    ASSERT_TRUE(equal(m, n)) << equal.difference();
    ASSERT_EQ(print(n, kLocs), text);
    bytes += text.size();
  }
  EXPECT_GT(bytes, 400000u);
}

Program one_func(const Expr& value, const Sym& x) {
  Program p;
  p.name = "p";
  FuncDef f;
  f.name = "f";
  f.type = value.type();
  f.dims = {x};
  f.stages.push_back({{make_var(x)}, value, {}, {}});
  p.funcs.push_back(f);
  return p;
}

TEST(TextRoundTrip, SquaringChainIsLinearAndFast) {
  const Sym x = make_sym("x");
  Expr e = make_cast(Float(32), make_var(x));
  for (int i = 0; i < 40; ++i) e = make_binary(Op::Mul, e, e);
  const auto start = std::chrono::steady_clock::now();
  const std::string text = print(one_func(e, x));
  const Program q = parse_program(text).first;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count();
  EXPECT_LT(text.size(), 2000u);
  EXPECT_LT(ms, 100);
  // Sharing is back: the deepest operand chain can be walked, and both operands are one node.
  int shared = 0;
  for (Expr at = q.funcs[0].stages[0].value; at->op == Op::Mul; at = at->args[0]) shared += at->args[0].same_as(at->args[1]);
  EXPECT_GE(shared, 15);
}

TEST(TextRoundTrip, DeepExpressionsStayWithinTheParsersDepth) {
  const Sym x = make_sym("x");
  Expr sum = make_var(x), right = make_var(x);
  for (int i = 0; i < 3000; ++i) {
    sum = make_binary(Op::Add, sum, make_var(x));
    right = make_binary(Op::Min, make_var(x), make_unary(Op::Neg, right));
  }
  for (const Expr& e : {sum, right}) {
    const Program p = one_func(e, x), q = parse_program(print(p)).first;
    IrEqual equal;
    EXPECT_TRUE(equal(p, q)) << equal.difference();
  }
}

TEST(TextRoundTrip, ManyLetsInARow) {
  Stmt s = make_seq({});
  const Sym first = make_sym("v");
  Sym last = first;
  std::vector<std::pair<Sym, Expr>> lets;
  for (int i = 0; i < 2000; ++i) {
    const Sym v = make_sym("v");
    lets.emplace_back(v, make_binary(Op::Add, make_var(last), i32(i)));
    last = v;
  }
  for (size_t i = lets.size(); i-- > 0;) s = make_let(lets[i].first, lets[i].second, s);
  const Program p = one_func(i32(0), make_sym("x"));
  const auto [q, t] = parse_nest(print_nest(p, s));
  IrEqual equal;
  EXPECT_TRUE(equal(p, q) && equal(s, t)) << equal.difference();
}

TEST(TextRoundTrip, EqualityCanTellThingsApart) {  // the property above would hold of a constant `true` too
  int different = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Module a = RandomIr(seed).module(), b = RandomIr(seed + 1).module();
    IrEqual equal, itself;
    different += !equal(a, b);
    EXPECT_TRUE(itself(a, RandomIr(seed).module()));
  }
  EXPECT_EQ(different, 50);
}

}  // namespace
}  // namespace sinter::test
