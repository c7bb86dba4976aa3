// Mistakes in the wider language: boundaries, integer arithmetic, shifted domains.
#include "tests/error/dsl_expect.h"

#include "dsl/sinter.h"

namespace sinter {
namespace {

struct Language : testing::Test {
  Input in{"in", Int(32), 2}, bytes{"bytes", UInt(8), 1}, wide{"wide", Int(64), 1}, floats{"floats", Float(32), 1};
  Var x{"x"}, y{"y"};
  Func f{"f"}, g{"g"};
};

TEST_F(Language, Boundaries) {
  f(x, y) = in(x, y);
  EXPECT_USER_ERROR(ErrorCode::WrongArity, "repeat_image: `f` has 2 dimensions and is given bounds for 3", BoundaryConditions::repeat_image(f, {{0, 1}, {0, 1}, {0, 1}}));
  EXPECT_USER_ERROR(ErrorCode::WrongArity, "mirror_image: `f` has 2", BoundaryConditions::mirror_image(f, {{0, 1}, {0, 1}, {0, 1}}));
  EXPECT_USER_ERROR(ErrorCode::WrongArity, "mirror_interior: `f` has 2", BoundaryConditions::mirror_interior(f, {{0, 1}, {0, 1}, {0, 1}}));
}

TEST_F(Language, Mux) {
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "mux of no values", mux(x, {}));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "the index of mux has type f32", mux(floats(x), {Expr(1), Expr(2)}));
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "an operand of `mux` is an undefined Expr", mux(x, {Expr(1), Expr()}));
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "an operand of `likely` is an undefined Expr", likely(Expr()));
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "an operand of `likely_if_innermost` is an undefined Expr", likely_if_innermost(Expr()));
}

TEST_F(Language, IntegerMath) {
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`widening_mul` of i64: there is no wider type", widening_mul(wide(x), wide(x)));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`widening_shift_left` of i64", widening_shift_left(wide(x), 1));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`mul_shift_right` of i64", mul_shift_right(wide(x), wide(x), 3));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`saturating_add` of f32", saturating_add(floats(x), floats(x)));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`halving_add` of f32", halving_add(bytes(x), floats(x)));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`rounding_shift_right` of f32", rounding_shift_right(floats(x), 2));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`widening_add` of bool", widening_add(x < y, x < y));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "`absd` of bool", absd(x < y, x < y));
  EXPECT_USER_ERROR(ErrorCode::BadTypeWidth, "there is no type `i7`", saturating_cast(Int(7), bytes(x)));
}

TEST_F(Language, Translate) {
  EXPECT_USER_ERROR(ErrorCode::UndefinedFunc, "translate: `f` has no definition yet", f.translate({1}));
  EXPECT_USER_ERROR(ErrorCode::WrongArity, "translate: `bytes` has 1 dimensions and is given 2 offsets", bytes.translate({1, 2}));
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "translate of `in`: an offset depends on `x`", in.translate({x}));
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "translate of `in`: an offset depends on `bytes`", in.translate({i32(bytes(0))}));
  EXPECT_USER_ERROR(ErrorCode::TypeMismatch, "index 0 of `in` has type f32", in.translate({Expr(1.f)}));
}

}  // namespace
}  // namespace sinter
