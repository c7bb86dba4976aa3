// Mistakes in an algorithm: each is found where it is written.
#include "tests/error/dsl_expect.h"

#include "dsl/argmax.h"
#include "dsl/boundary.h"
#include "dsl/build_program.h"
#include "dsl/math.h"
#include "dsl/reduce.h"

namespace sinter {
namespace {

struct DslAlgorithm : testing::Test {
  Input in{"in", Float(32), 2}, bytes{"bytes", UInt(8), 1}, half{"half", BFloat(16), 1};
  Var x{"x"}, y{"y"}, z{"z"};
  Func f{"f"}, g{"g"}, h{"h"};
  RDom r{0, 8, "r"};
};

TEST_F(DslAlgorithm, E0001_UndefinedFunc) {
  EXPECT_USER_ERROR(ErrorCode::UndefinedFunc, "`g` is read before it is defined", f(x) = g(x) + 1);
  EXPECT_USER_ERROR(ErrorCode::UndefinedFunc, "`f` is read before it is defined", f(x) = f(x - 1) + 1);
  EXPECT_USER_ERROR(ErrorCode::UndefinedFunc, "`f` has no definition yet", f.update());
  EXPECT_USER_ERROR(ErrorCode::UndefinedFunc, "`f` is scheduled before it is defined", f.compute_root());
  EXPECT_USER_ERROR(ErrorCode::UndefinedFunc, "output `f` of pipeline `p`", build_program("p", {in}, {f}));
  f(x, y) = in(x, y);
  EXPECT_USER_ERROR(ErrorCode::UndefinedFunc, "`g` has no definition yet", f.compute_at(g, x));
  EXPECT_USER_ERROR(ErrorCode::UndefinedFunc, "g.in()", g.in());
  EXPECT_USER_ERROR(ErrorCode::UndefinedFunc, "f.in(g)", f.in(g));
}

TEST_F(DslAlgorithm, E0002_RedefinedFunc) {
  f(x, y) = in(x, y);
  EXPECT_USER_ERROR(ErrorCode::RedefinedFunc, "`f` is defined a second time (first at dsl_algorithm_test.cpp:" + std::to_string(__LINE__ - 1), f(x, y) = 2.f);
  EXPECT_USER_ERROR(ErrorCode::RedefinedFunc, "`f` is defined a second time", f(y, z) = in(y, z));
  EXPECT_NO_THROW((f(x, y) = f(x, y) * 2));  // an update: it reads itself
}

TEST_F(DslAlgorithm, E0003_WrongArity) {
  EXPECT_USER_ERROR(ErrorCode::WrongArity, "`in` has 2 dimensions and is given 1 index", f(x) = in(x));
  EXPECT_USER_ERROR(ErrorCode::WrongArity, "`bytes` has 1 dimension and is given 0 indices", f(x) = bytes());
  f(x, y) = in(x, y);
  EXPECT_USER_ERROR(ErrorCode::WrongArity, "write f(x, y)", g(x) = f(x, y, 0));
  EXPECT_USER_ERROR(ErrorCode::WrongArity, "`f` has 2 dimensions", f(x) += 1.f);
  EXPECT_USER_ERROR(ErrorCode::WrongArity, "`in` has no dimension 2", in.dim(2));
  EXPECT_USER_ERROR(ErrorCode::WrongArity, "`in` has no dimension -1", in.dim(-1));
  EXPECT_USER_ERROR(ErrorCode::WrongArity, "given bounds for 3", BoundaryConditions::repeat_edge(f, {{0, 1}, {0, 1}, {0, 1}}));
}

TEST_F(DslAlgorithm, E0004_TypeMismatch) {
  const Expr condition = x < y, value = f32(x);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`%` of f32", value % 2.f);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`<<` of f32", value << 1);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`>>` of f32", x >> value);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`&` of f32", value & 1);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`|` of bool", condition | condition);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`~` of bool", ~condition);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`&&` of i32", condition && x);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`||` of f32", value || condition);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`!` of i32", !x);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`+` of bool and i32", condition + x);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`*` of bool", condition * condition);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`<` of bool", condition < condition);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`==` of bool and i32", condition == 1);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`-` of bool", -condition);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "condition of select has type i32", select(x, 1, 2));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`select` of bool and f32", select(condition, condition, value));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`max` of bool", max(condition, condition));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`exp` of bool", exp(condition));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`abs` of bool", abs(condition));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`lerp` of i32", lerp(x, y, 0.5f));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`is_nan` of i32", is_nan(x));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "reinterpret of f32 as u8", reinterpret(UInt(8), value));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "index 1 of `in` has type f32", in(x, value));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "index 0 of `bytes` has type i64", bytes(i64(x)));
  f(x) = bytes(x);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "the update of `f` has type i32, and `f` is u8", f(r) = r + 1);
  h(x) = half(x);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "accumulate in f32 and round once", h(x) += 1);
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "the exterior of `half` has type f32", BoundaryConditions::constant_exterior(half, value));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "a bound of type f32", f.bound(x, 0, value));
  EXPECT_NO_THROW(in(u8(x), 3));
}

TEST_F(DslAlgorithm, E0005_FreeVariable) {
  EXPECT_USER_ERROR(ErrorCode::FreeVariable, "Var `y` on the right of the definition of `f`", f(x) = in(x, y));
  EXPECT_USER_ERROR(ErrorCode::FreeVariable, "Var `z`", f(x) = sum(r, in(r, z)));
  EXPECT_USER_ERROR(ErrorCode::FreeVariable, "has no Var", f() = x + 1);
  f(x) = 0.f;
  EXPECT_USER_ERROR(ErrorCode::FreeVariable, "Var `y` on the right", f(x) += in(x, y));
  RDom masked(0, 8, "masked");
  masked.where(masked < y);
  EXPECT_USER_ERROR(ErrorCode::FreeVariable, "Var `y` on the right", f(x) += in(x, masked));
  EXPECT_USER_ERROR(ErrorCode::FreeVariable, "Var `x`", Func(x + 1));
}

TEST_F(DslAlgorithm, E0006_BadPureArgument) {
  EXPECT_USER_ERROR(ErrorCode::BadPureArgument, "argument 1 of the first definition of `f` is not a Var", f(x, 3) = 1);
  EXPECT_USER_ERROR(ErrorCode::BadPureArgument, "argument 0", f(r) = 1);
  EXPECT_USER_ERROR(ErrorCode::BadPureArgument, "argument 0", f(x + 1) = x);
  EXPECT_USER_ERROR(ErrorCode::BadPureArgument, "Var `x` is two arguments", f(x, x) = 1);
}

TEST_F(DslAlgorithm, E0007_BadUpdate) {
  f(x, y) = in(x, y);
  EXPECT_USER_ERROR(ErrorCode::BadUpdate, "reads `f` at another `x` than it writes", f(x, y) += f(x + 1, y));
  EXPECT_USER_ERROR(ErrorCode::BadUpdate, "reads `f` at another `y`", f(x, y) = f(x, 0) + f(x, y));
  EXPECT_USER_ERROR(ErrorCode::BadUpdate, "f(x + 1, y)   read here", f(x, y) = f(x + 1, y));
  EXPECT_USER_ERROR(ErrorCode::BadUpdate, "Var `y` on the left is not a dimension in its own place", f(y, x) += 1);
  EXPECT_USER_ERROR(ErrorCode::BadUpdate, "Var `x` on the left", f(x + 1, y) += 1);
  EXPECT_NO_THROW((f(r, y) = f(r - 1, y) + 1));  // an RVar has an order
  g(x, y) = f(x, y) * 2;
  EXPECT_USER_ERROR(ErrorCode::BadUpdate, "reads `g`, which itself depends on `f`", f(x, y) += g(x, y));
  EXPECT_USER_ERROR(ErrorCode::BadUpdate, "which itself depends on `f`", f(x, y) += sum(r, f(r, y)));
}

TEST_F(DslAlgorithm, E0008_BadRDom) {
  RDom s(0, 4, 0, 5);
  EXPECT_USER_ERROR(ErrorCode::BadRDom, "RVar `r` in the first definition of `f`", f(x) = in(x, r));
  f(x) = 0.f;
  EXPECT_USER_ERROR(ErrorCode::BadRDom, "uses two RDoms", f(x) += in(r, s.x));
  EXPECT_USER_ERROR(ErrorCode::BadRDom, "belongs to no RDom", f(x) += f32(RVar("lone")));
  EXPECT_USER_ERROR(ErrorCode::BadRDom, "the extent of dimension 1 of the RDom is -2", RDom(0, 4, 0, -2));
  EXPECT_USER_ERROR(ErrorCode::BadRDom, "has type f32", RDom(0, 4.f));
  EXPECT_USER_ERROR(ErrorCode::BadRDom, "has type i64", RDom(0, i64(in.width())));
  EXPECT_USER_ERROR(ErrorCode::BadRDom, "depends on the variable `x`", RDom(0, x));
  EXPECT_USER_ERROR(ErrorCode::BadRDom, "depends on the variable `r`", RDom(r, 3));
  EXPECT_USER_ERROR(ErrorCode::BadRDom, "depends on the data of `bytes`", RDom(0, i32(bytes(0))));
  EXPECT_USER_ERROR(ErrorCode::BadRDom, "where() takes a condition", s.where(s.x + 1));
  f(x) += in(x, s.x + s.y);
  EXPECT_USER_ERROR(ErrorCode::BadRDom, "where() after the RDom was used", s.where(s.x < s.y));
  const Input scalar("scalar", Float(32), 0);
  EXPECT_USER_ERROR(ErrorCode::BadRDom, "an RDom without dimensions", RDom{scalar});
  EXPECT_THROW(s[2], UserError);
  EXPECT_THROW(static_cast<Expr>(s), UserError);    // two dimensions as one
  EXPECT_THROW(static_cast<Expr>(s.z), UserError);  // not there
}

TEST_F(DslAlgorithm, E0009_BadReduction) {
  EXPECT_USER_ERROR(ErrorCode::BadReduction, "sum of bool", sum(r, r < 3));
  EXPECT_USER_ERROR(ErrorCode::BadReduction, "argmax of bool", argmax(r, r < 3));
  EXPECT_USER_ERROR(ErrorCode::BadReduction, "argmin of bool", argmin(r, r < 3));
  f(x) = sum(r, in(x, r));
  EXPECT_USER_ERROR(ErrorCode::BadReduction, "f.update()", f.reduction(0));
  g(x) = sum(r, in(x, r)) + 1;
  EXPECT_USER_ERROR(ErrorCode::BadReduction, "has no inline reduction 1", g.reduction(1));
  RDom s(0, 4, "s");
  s.where(s < r);
  EXPECT_USER_ERROR(ErrorCode::BadReduction, "where() depends on `r` of another RDom", sum(s, in(s, 0)));
}

TEST_F(DslAlgorithm, E0010_BadConstant) {
  EXPECT_USER_ERROR(ErrorCode::BadConstant, "the literal 300 is not a value of u8", bytes(x) + 300);
  EXPECT_USER_ERROR(ErrorCode::BadConstant, "the literal -1 is not a value of u8", bytes(x) == -1);
  EXPECT_USER_ERROR(ErrorCode::BadConstant, "the literal 16777217 is not a value of f32", in(x, y) * 16777217);
  EXPECT_USER_ERROR(ErrorCode::BadConstant, "the literal 4294967296 is not a value of i32", x + (int64_t{1} << 32));
  EXPECT_USER_ERROR(ErrorCode::BadConstant, "the literal 18446744073709551615 is not a value of i32", x * ~uint64_t{0});
  f(x) = bytes(x);
  EXPECT_USER_ERROR(ErrorCode::BadConstant, "the literal 256 is not a value of u8", f(r) = 256);
  EXPECT_USER_ERROR(ErrorCode::BadConstant, "the literal 999 is not a value of u8", BoundaryConditions::constant_exterior(bytes, 999));
}

TEST_F(DslAlgorithm, E0012_BadTypeWidth) {
  EXPECT_USER_ERROR(ErrorCode::BadTypeWidth, "there is no type `i7`", Input("odd", Int(7), 1));
  EXPECT_USER_ERROR(ErrorCode::BadTypeWidth, "there is no type `f128`", cast(Float(128), x));
  EXPECT_USER_ERROR(ErrorCode::BadTypeWidth, "there is no type `bf32`", Param("p", BFloat(32)));
  EXPECT_USER_ERROR(ErrorCode::BadTypeWidth, "vectors come from the schedule", cast(Float(32, 4), x));
}

TEST_F(DslAlgorithm, E0013_BadArgument) {
  const Expr nothing;
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "an operand of `+` is an undefined Expr", x + nothing);
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "an operand of `exp` is an undefined Expr", exp(nothing));
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "an operand of `in` is an undefined Expr", in(x, nothing));
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "an operand of `f` is an undefined Expr", f(x) = nothing);
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "the name `2x` of a Func is not an identifier", Func("2x"));
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "the name `` of a Var", Var(""));
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "the name `a b` of a Input", Input("a b", Int(32), 1));
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "an Input of rank 9", Input("deep", Int(32), 9));
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "set_extent of `in` depends on `x`", in.dim(0).set_extent(x + 1));
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "set_extent of `in` has type f32", in.dim(0).set_extent(2.f));
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "set_stride of `in` is negative", in.dim(1).set_stride(-4));
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "with a min other than 0", in.dim(0).set_bounds(1, 10));
}

}  // namespace
}  // namespace sinter
