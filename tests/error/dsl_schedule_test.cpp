// Mistakes in a schedule that show at the call, and those that show when a pipeline is put together.
#include "tests/error/dsl_expect.h"

#include "dsl/build_program.h"
#include "dsl/math.h"
#include "dsl/reduce.h"

namespace sinter {
namespace {

struct DslSchedule : testing::Test {
  Input in{"in", Float(32), 2};
  Var x{"x"}, y{"y"}, xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"};
  RDom r{0, 8, "r"};
  Func f{"f"}, g{"g"}, s{"s"};

  DslSchedule() {
    f(x, y) = in(x, y) + 1;
    g(x, y) = f(x, y) * 2;
    s(x) = 0.f;
    s(x) += f(x, r);
  }
};

TEST_F(DslSchedule, E0100_NoSuchLoop) {
  EXPECT_USER_ERROR(ErrorCode::NoSuchLoop, "vectorize: `f` has no loop `xi`", f.vectorize(xi));
  EXPECT_USER_ERROR(ErrorCode::NoSuchLoop, "its loops are, outermost first: `y`, `x`", f.parallel(xo));
  EXPECT_USER_ERROR(ErrorCode::NoSuchLoop, "`f` has no loop `r`", f.serial(r));
  EXPECT_USER_ERROR(ErrorCode::NoSuchLoop, "a Var is known by its object", f.unroll(Var("x")));
  f.split(x, xo, xi, 8);
  EXPECT_USER_ERROR(ErrorCode::NoSuchLoop, "it was split into `xo` and `xi` at dsl_schedule_test.cpp:" + std::to_string(__LINE__ - 1), f.vectorize(x));
  f.fuse(xo, y, yo);
  EXPECT_USER_ERROR(ErrorCode::NoSuchLoop, "it was fused into `yo`", f.parallel(y));
  EXPECT_USER_ERROR(ErrorCode::NoSuchLoop, "`s.update(0)` has no loop `y`", s.update().parallel(y));
  EXPECT_USER_ERROR(ErrorCode::NoSuchLoop, "`s` has no loop `r`", s.unroll(r));
  EXPECT_USER_ERROR(ErrorCode::NoSuchLoop, "`g` has no loop `xo`", g.gpu_tile(xo, y, xi, yi, 8, 8));
  EXPECT_USER_ERROR(ErrorCode::NoSuchLoop, "`g` has no dimension `xo`", g.bound(xo, 0, 8));
}

TEST_F(DslSchedule, E0101_BadFactor) {
  EXPECT_USER_ERROR(ErrorCode::BadFactor, "split of `f`: the factor 0 is not positive", f.split(x, xo, xi, 0));
  EXPECT_USER_ERROR(ErrorCode::BadFactor, "the factor -4", f.vectorize(x, -4));
  EXPECT_USER_ERROR(ErrorCode::BadFactor, "the factor 0", f.gpu_tile(x, y, xo, yo, xi, yi, 64, 0));
  EXPECT_USER_ERROR(ErrorCode::BadFactor, "threads of `f`: the factor -32", f.threads(-32));
  EXPECT_USER_ERROR(ErrorCode::BadFactor, "the factor 8589934592", f.tile(x, y, xi, yi, 8, int64_t{1} << 33));
}

TEST_F(DslSchedule, E0102_DuplicateLoop) {
  EXPECT_USER_ERROR(ErrorCode::DuplicateLoop, "the outer and the inner loop are both `xo`", f.split(x, xo, xo, 4));
  EXPECT_USER_ERROR(ErrorCode::DuplicateLoop, "`f` already has a loop `y`", f.split(x, xo, y, 4));
  EXPECT_USER_ERROR(ErrorCode::DuplicateLoop, "names the loop `x` twice", f.fuse(x, x, xo));
  EXPECT_USER_ERROR(ErrorCode::DuplicateLoop, "names the loop `x` twice", f.gpu_tile(x, x, xo, yo, xi, yi, 8, 8));
  EXPECT_USER_ERROR(ErrorCode::DuplicateLoop, "already has a loop `xi`", f.gpu_tile(x, y, xo, yo, xi, xi, 8, 8));
  f.split(x, x, xi, 8);  // the outer loop may keep the name
  EXPECT_USER_ERROR(ErrorCode::DuplicateLoop, "already has a loop `xi`", f.split(y, yo, xi, 8));
}

TEST_F(DslSchedule, E0104_BadReorder) {
  EXPECT_USER_ERROR(ErrorCode::BadReorder, "names the loop `x` twice", f.reorder(x, y, x));
}

TEST_F(DslSchedule, E0105_BadBinding) {
  EXPECT_USER_ERROR(ErrorCode::BadBinding, "names the loop `x` twice", f.gpu_blocks(x, x));
}

TEST_F(DslSchedule, ARefusedDirectiveChangesNothing) {
  EXPECT_THROW(f.split(x, xo, y, 4), UserError);
  EXPECT_THROW(f.gpu_tile(x, y, xo, yo, xi, xi, 8, 8), UserError);
  f.gpu_tile(x, y, xo, yo, xi, yi, 8, 8);
  EXPECT_EQ(build_program("p", {in}, {f}).second.directives.size(), 1u);
}

TEST_F(DslSchedule, E0112_BadWrapper) {
  EXPECT_USER_ERROR(ErrorCode::BadWrapper, "in.in(g): `g` does not read `in`", in.in(g));
  EXPECT_USER_ERROR(ErrorCode::BadWrapper, "f.in(f): `f` does not read `f`", f.in(f));
  EXPECT_USER_ERROR(ErrorCode::BadWrapper, "an empty list of readers", f.in(std::vector<Func>{}));
  const Func own = f.in(g);
  EXPECT_USER_ERROR(ErrorCode::BadWrapper, "f.in(g, ...): `g` does not read `f`", f.in({g, s}));  // it reads own now
  const int line = __LINE__ + 1;
  f.in().compute_root();
  try {
    build_program("p", {in}, {g});
    ADD_FAILURE();
  } catch (const UserError& e) {  // g has a wrapper of its own, and s is not in the pipeline
    EXPECT_EQ(e.code(), ErrorCode::BadWrapper) << e.what();
    EXPECT_EQ(e.diagnostic().loc.line, line);
  }
  EXPECT_NO_THROW(build_program("p", {in}, {g, s}));
}

TEST_F(DslSchedule, E0113_BadBound) {
  EXPECT_USER_ERROR(ErrorCode::BadBound, "the extent of `x` is 0", f.bound(x, 0, 0));
  EXPECT_USER_ERROR(ErrorCode::BadBound, "a bound depends on `y`", f.bound(x, 0, y + 1));
  EXPECT_USER_ERROR(ErrorCode::BadBound, "a bound depends on `in`", f.bound(x, 0, i32(in(0, 0))));
}

TEST_F(DslSchedule, E0114_NoSuchStage) {
  EXPECT_USER_ERROR(ErrorCode::DirectiveAfterCompile, "`f` has no update 0", f.update());
  EXPECT_USER_ERROR(ErrorCode::DirectiveAfterCompile, "it has 1, counted from 0", s.update(1));
  EXPECT_USER_ERROR(ErrorCode::DirectiveAfterCompile, "`s` has no update -1", s.update(-1));
}

TEST_F(DslSchedule, E0200_NoSuchPlace) {
  EXPECT_USER_ERROR(ErrorCode::NoSuchPlace, "`f` can't be placed inside itself", f.compute_at(f, x));
  EXPECT_USER_ERROR(ErrorCode::NoSuchPlace, "`f` can't be placed inside itself", f.store_at_block(f));
}

TEST_F(DslSchedule, E0204_InlineUpdates) {
  EXPECT_USER_ERROR(ErrorCode::InlineUpdates, "`s` has update definitions", s.compute_inline());
  EXPECT_USER_ERROR(ErrorCode::InlineUpdates, "s.compute_at_block(consumer)", s.compute_inline());
  f.compute_inline();
  EXPECT_USER_ERROR(ErrorCode::InlineUpdates, "which is compute_inline (dsl_schedule_test.cpp:" + std::to_string(__LINE__ - 1), f(x, r) += 1.f);
}

TEST_F(DslSchedule, E0209_UnusedFunc) {
  f.compute_at(g, y);
  const int line = __LINE__ - 1;
  try {
    build_program("p", {in}, {s});
    ADD_FAILURE();
  } catch (const UserError& e) {
    EXPECT_EQ(e.code(), ErrorCode::UnusedFunc) << e.what();
    EXPECT_EQ(e.diagnostic().loc.line, line);
    EXPECT_THAT(e.what(), testing::HasSubstr("compute_at: `g`, where `f` is to be computed, is not part of pipeline `p`"));
  }
}

TEST_F(DslSchedule, E0600_BadPipeline) {
  Param<float> scale("scale");
  Func scaled("scaled"), sized("sized");
  const Input other("other", Float(32), 1);
  scaled(x, y) = f(x, y) * scale;
  sized(x) = s(x) * f32(other.width());
  EXPECT_USER_ERROR(ErrorCode::BadPipeline, "pipeline `p` has no output", build_program("p", {in}, {}));
  EXPECT_USER_ERROR(ErrorCode::BadPipeline, "Input `in` is read but not an argument", build_program("p", {}, {f}));
  EXPECT_USER_ERROR(ErrorCode::BadPipeline, "Param `scale` is used by `scaled` but not an argument", build_program("p", {in}, {scaled}));
  EXPECT_USER_ERROR(ErrorCode::BadPipeline, "the size `other.extent.0` is used by `sized`", build_program("p", {in}, {sized}));
  EXPECT_USER_ERROR(ErrorCode::BadPipeline, "lists `in` twice", build_program("p", {in, in}, {f}));
  EXPECT_USER_ERROR(ErrorCode::BadPipeline, "lists `f` twice", build_program("p", {in}, {f, f}));
  EXPECT_NO_THROW(build_program("p", {in, scale, other}, {scaled, sized, f}));
}

TEST_F(DslSchedule, E0011_DuplicateName) {
  const Input twin("in", Float(32), 1);
  Func another("f");
  another(x) = s(x);
  EXPECT_USER_ERROR(ErrorCode::DuplicateName, "two arguments of pipeline `p` are called `in`", build_program("p", {in, twin}, {f}));
  EXPECT_USER_ERROR(ErrorCode::DuplicateName, "two arguments of pipeline `p` are called `f`", build_program("p", {in}, {f, another}));
  EXPECT_USER_ERROR(ErrorCode::BadArgument, "the name `a-b` of a Pipeline", build_program("a-b", {in}, {f}));
}

}  // namespace
}  // namespace sinter
