// Types of expressions: what operators, literals and functions make of their operands.
#include <array>
#include <limits>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dsl/math.h"
#include "dsl/var.h"
#include "ir/analysis/visit.h"

namespace sinter {
namespace {

const std::array<Type, 14> kTypes = {Int(8),   Int(16),  Int(32),  Int(64),   UInt(8),   UInt(16),
                                     UInt(32), UInt(64), Float(16), BFloat(16), F8E4M3(), F8E5M2(), Float(32), Float(64)};

Expr value(Type t) { return cast(t, Var("v")); }

// The type of a + b, rows a, columns b, in the order of kTypes.
const char* const kArithmetic =
    "i8  i16 i32 i64 i8  i16 i32 i64 f32 f32 f32 f32 f32 f64 "
    "i16 i16 i32 i64 i16 i16 i32 i64 f32 f32 f32 f32 f32 f64 "
    "i32 i32 i32 i64 i32 i32 i32 i64 f32 f32 f32 f32 f32 f64 "
    "i64 i64 i64 i64 i64 i64 i64 i64 f32 f32 f32 f32 f32 f64 "
    "i8  i16 i32 i64 u8  u16 u32 u64 f32 f32 f32 f32 f32 f64 "
    "i16 i16 i32 i64 u16 u16 u32 u64 f32 f32 f32 f32 f32 f64 "
    "i32 i32 i32 i64 u32 u32 u32 u64 f32 f32 f32 f32 f32 f64 "
    "i64 i64 i64 i64 u64 u64 u64 u64 f32 f32 f32 f32 f32 f64 "
    "f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64 "
    "f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64 "
    "f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64 "
    "f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64 "
    "f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64 "
    "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 ";

TEST(DslTypes, ArithmeticMatchesTheTable) {
  std::istringstream table(kArithmetic);
  for (Type a : kTypes)
    for (Type b : kTypes) {
      std::string expected;
      table >> expected;
      SCOPED_TRACE(ir::to_string(a) + " with " + ir::to_string(b));
      const Expr x = value(a), y = value(b);
      for (const Expr& e : {x + y, x - y, x * y, x / y, min(x, y), max(x, y)}) {
        EXPECT_EQ(ir::to_string(e.type()), expected);
        for (const ir::Expr& operand : e.node()->args) EXPECT_EQ(ir::to_string(operand.type()), expected);
      }
      // Comparison happens in the same type and gives a bool.
      for (const Expr& e : {x == y, x != y, x < y, x <= y, x > y, x >= y}) {
        EXPECT_EQ(e.type(), Bool());
        EXPECT_EQ(ir::to_string(e.node()->args[0].type()), expected);
      }
      // Selection moves values: it keeps 16-bit floats of one type.
      EXPECT_EQ(ir::to_string(select(x == x, x, y).type()), a == b ? ir::to_string(a) : expected);
    }
}

TEST(DslTypes, NoNarrowFloatIsEverComputedWith) {
  for (Type t : {Float(16), BFloat(16), F8E4M3(), F8E5M2()}) {
    const Expr x = value(t);
    for (const Expr& e : {-x, abs(x), x * x + 1, exp(x), gelu(x), silu(x), relu(x), sigmoid(x), clamp(x, 0, 1), lerp(x, x, 0.5f), x + 1.5})
      EXPECT_EQ(e.type(), Float(32));
    ir::walk(gelu(x).node(), [&](const ir::Expr& n) {
      EXPECT_TRUE(n.type() != t || n->op == ir::Op::Cast);
    });
  }
}

TEST(DslTypes, ALiteralTakesTheTypeOfTheOtherSide) {
  for (Type t : kTypes) {
    const Expr x = value(t);
    const Type computed = t.is_narrow_float() ? Float(32) : t;
    for (const Expr& e : {x + 1, 1 + x, x * int64_t{7}, x - uint8_t{3}, min(x, 5), x / size_t{2}}) EXPECT_EQ(e.type(), computed) << ir::to_string(t);
    EXPECT_EQ(select(x == 0, x, 1).type(), t);
    if (t.is_float()) EXPECT_EQ((x * 0.5).type(), computed);
    else EXPECT_EQ((x * 0.5f).type(), Float(32));
  }
  EXPECT_EQ((value(UInt(8)) + 255).node()->args[1]->i, 255);
  EXPECT_EQ((value(Int(8)) + -128).node()->args[1]->i, -128);
  EXPECT_EQ((value(UInt(64)) + std::numeric_limits<uint64_t>::max()).type(), UInt(64));
  EXPECT_EQ((1 + Expr(2)).type(), Int(32));
  EXPECT_EQ(Expr(2.0).type(), Float(64));
  EXPECT_EQ(Expr(2.0f).type(), Float(32));
  EXPECT_EQ(Expr(true).type(), Bool());
}

TEST(DslTypes, LiteralsThatDoNotFitAreRefused) {
  struct Case {
    Type type;
    std::vector<Expr> fit, misfit;
  };
  const auto max64 = std::numeric_limits<uint64_t>::max();
  const std::vector<Case> cases = {
      {UInt(8), {0, 255}, {-1, 256, max64}},
      {Int(8), {-128, 127}, {128, -129}},
      {Int(32), {int64_t{2147483647}}, {int64_t{2147483648}}},
      {UInt(32), {4294967295u}, {-1, int64_t{4294967296}}},
      {UInt(64), {max64}, {-1}},
      {Int(64), {int64_t{1} << 62}, {max64}},
      {Float(32), {16777216, 1e-50, 0.1}, {16777217, 1e300}},
      {BFloat(16), {3e38}, {1e300}},
  };
  for (const Case& c : cases) {
    for (const Expr& literal : c.fit) EXPECT_NO_THROW(value(c.type) + literal) << ir::to_string(c.type);
    for (const Expr& literal : c.misfit) {
      try {
        value(c.type) + literal;
        ADD_FAILURE() << ir::to_string(c.type) << " took " << ir::to_string(literal.node());
      } catch (const UserError& e) {
        EXPECT_EQ(e.code(), ErrorCode::BadConstant);
      }
    }
  }
}

TEST(DslTypes, CastsAreExplicitAndWrap) {
  for (Type from : kTypes)
    for (Type to : kTypes) EXPECT_EQ(cast(to, value(from)).type(), to);
  EXPECT_EQ(u8(300).node()->i, 44);
  EXPECT_EQ(bf16(1.00390625).node()->f, 1.0);  // half way: to even
  EXPECT_EQ(f8e4m3(17).node()->f, 16.0);
  EXPECT_EQ(f8e4m3(1000).node()->f, 448.0);
  EXPECT_EQ(select(value(Bool()), value(F8E5M2()), 57344.f).type(), F8E5M2());
  EXPECT_THROW(select(value(Bool()), value(F8E5M2()), 60000.f), UserError);
  EXPECT_THROW(select(value(Bool()), value(F8E4M3()), std::numeric_limits<float>::infinity()), UserError);
  EXPECT_EQ(cast<float8_e4m3>(Var("x")).type(), F8E4M3());
  EXPECT_EQ(cast<float8_e5m2>(Var("x")).type(), F8E5M2());
  EXPECT_EQ(cast<float>(Var("x")).type(), Float(32));
  EXPECT_EQ(cast<bfloat16>(Var("x")).type(), BFloat(16));
  EXPECT_EQ(cast<float16>(Var("x")).type(), Float(16));
  EXPECT_EQ(cast<int8_t>(Var("x")).type(), Int(8));
  EXPECT_EQ(cast<bool>(Var("x")).node()->op, ir::Op::NE);  // not the lowest bit
}

TEST(DslTypes, ShiftsHaveTheTypeOfTheirLeftSide) {
  for (Type a : {UInt(8), Int(16), UInt(32), Int(64)}) {
    EXPECT_EQ((value(a) << value(Int(32))).type(), a);
    EXPECT_EQ((value(a) >> 3).type(), a);
    EXPECT_EQ((1 << value(a)).type(), a);
  }
}

TEST(DslTypes, FunctionsOfIntegersAreF32) {
  for (Type t : {UInt(8), Int(32), Int(64)}) {
    EXPECT_EQ(exp(value(t)).type(), Float(32));
    EXPECT_EQ(pow(value(t), 2).type(), Float(32));
    EXPECT_EQ(abs(value(t)).type(), t);
  }
  EXPECT_EQ(pow(value(Float(64)), 2).type(), Float(64));
  EXPECT_EQ(pow(value(Float(32)), 2.5).type(), Float(32));
  EXPECT_EQ(fma(value(Float(32)), value(Float(64)), 1).type(), Float(64));
  EXPECT_EQ(is_nan(value(BFloat(16))).type(), Bool());
}

TEST(DslTypes, OperatorsCarryTheirLine) {
  Var x("x");
  const Expr a = x + 1, b = x * 2;  const int line = __LINE__;
  EXPECT_EQ(a.node()->loc.line, line);
  const Expr c =
      a * b;
  EXPECT_EQ(c.node()->loc.line, line + 3);
  EXPECT_THAT(c.node()->loc.file, testing::HasSubstr("dsl_types_test.cpp"));
  const Expr d = select(x < 3, exp(a), 1.f);
  EXPECT_EQ(d.node()->loc.line, line + 6);
  EXPECT_EQ(d.node()->args[1]->loc.line, line + 6);
}

TEST(DslTypes, SelectOfManyTakesTheFirstThatHolds) {
  Var x("x");
  const Expr e = select(x < 1, 10, x < 2, 20, x < 3, 30, 40);
  EXPECT_EQ(ir::to_string(e.node()), ir::to_string(select(x < 1, 10, select(x < 2, 20, select(x < 3, 30, 40))).node()));
  EXPECT_EQ(ir::to_string(min(x, 5, 7).node()), ir::to_string(min(min(x, 5), 7).node()));
}

TEST(DslTypes, ADeepChainOfSharedNodesIsCheap) {
  Expr e = f32(Var("x"));
  for (int i = 0; i < 200; ++i) e = e * e + e;  // 3^200 paths
  size_t nodes = 0;
  ir::walk(e.node(), [&](const ir::Expr&) { ++nodes; });
  EXPECT_LT(nodes, 500u);
}

}  // namespace
}  // namespace sinter
