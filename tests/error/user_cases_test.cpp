// Kinds of trouble that users of scheduling languages report, and what happens here.
#include "tests/error/expect_error.h"
#include "tests/support/cases.h"

namespace sinter::testing {
namespace {

using ir::ErrorCode;

struct UserCases : ::testing::Test {
  Input in{"in", Float(32), 2};
  Var x{"x"}, y{"y"}, xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"}, t{"t"};
  Func f{"f"}, g{"g"};
  void compile(const char* target = "emulate") { Pipeline("cases", {in}, {g}).compile_jit(Target::parse(target)); }
};

// A tile wider than the output.
TEST_F(UserCases, Case5_TileOf256OnWidth130) {
  for (const TailStrategy tail : {TailStrategy::Auto, TailStrategy::GuardWithIf, TailStrategy::ShiftInwards})
    for (const char* target : {"emulate", "host"}) {
      const Case c{"tile_256_of_130", [&] {
                     Func p("p"), q("q");
                     p(x, y) = in(x, y) * 2.f;
                     q(x, y) = p(x, y) + p(x + 1, y);
                     q.gpu_tile(x, y, xo, yo, xi, yi, 256, 1, tail);
                     p.compute_at_block(q).store_in(MemoryType::Shared);
                     return Built{Pipeline("wide", {in}, {q}), {integers(dtype_of<float>(), {131, 3})}, {Buffer::host<float>({130, 3})}};
                   }};
      EXPECT_EQ(run_and_compare(c, Target::parse(target)), "") << target << ", tail " << static_cast<int>(tail);
    }
}

// Registers are a thread's own: two threads that show it.
TEST_F(UserCases, Case8_RegistersOfAnotherThread) {
  f(x, y) = in(x, y) * 2.f;
  const int line = __LINE__ + 1;
  g(x, y) = f(x, y) + f(x + 1, y + 1);
  g.tile(x, y, xo, yo, xi, yi, 16, 8).gpu_blocks(xo, yo).gpu_threads(xi, yi);
  f.compute_at_block(g).store_in(MemoryType::Register).gpu_threads(x, y);
  EXPECT_ERROR(ErrorCode::CrossThreadRegister, line,
               ({"`f` is read by a thread that did not write it", "read here", "computed under thread loops", "counterexample: in one block, thread ", ", which thread ",
                 "help: f.store_in(MemoryType::Shared)"}),
               compile());
}

TEST_F(UserCases, Case11_BlocksInsideBlocks) {
  g(x, y) = in(x, y) * 2.f;
  g.gpu_tile(x, y, xo, yo, xi, yi, 16, 8);
  const int line = __LINE__ + 1;
  g.gpu_blocks(xi);
  EXPECT_ERROR(ErrorCode::BadBinding, line, ({"gpu_blocks: `xi` is already a coop loop", "| block yo", "coop xi   <-- here"}), compile());
}

TEST_F(UserCases, Case11_BlocksAroundASerialLoopAroundBlocks) {
  g(x, y) = in(x, y) * 2.f;
  g.split(x, xo, xi, 16).split(xi, t, xi, 4).serial(xo).gpu_blocks(y);
  const int line = __LINE__ + 1;
  g.gpu_blocks(t);
  EXPECT_ERROR(ErrorCode::BlockInsideBlock, line, ({"block loop `t` of `g` is inside the loop `xo` that other blocks run", "| block y", "block t   <-- here", "help: reorder"}), compile());
}

TEST_F(UserCases, Case15_ComputeAtBetweenTwoBlockLoops) {
  f(x, y) = in(x, y) * 2.f;
  g(x, y) = f(x, y) + f(x + 1, y);
  g.gpu_tile(x, y, xo, yo, xi, yi, 16, 8);
  const int line = __LINE__ + 1;
  f.compute_at(g, yo);
  EXPECT_ERROR(ErrorCode::OuterBlockPlace, line,
               ({"`f` can't be computed at `yo`, an outer block loop of `g`", "| block yo   <-- here\n  |   block xo\n  |     coop yi\n  |       coop xi\n  |         g(...) = ...",
                 "help: f.compute_at_block(g), the same as compute_at(g, xo)"}),
               compile());
}

TEST_F(UserCases, Case16_ComputeAtOnAnOutput) {
  f(x, y) = in(x, y) * 2.f;
  g(x, y) = f(x, y) + 1.f;
  const int line = __LINE__ + 1;
  f.compute_at(g, y);
  EXPECT_ERROR(ErrorCode::OutputPlacement, line, ({"compute_at: `f` is an output of the pipeline; it is computed at root", "help: remove the directive"}),
               Pipeline("both", {in}, {g, f}).compile_jit(Target::parse("host")));
}

TEST_F(UserCases, Case17_StoreRootWithoutComputeAt) {
  f(x, y) = in(x, y) * 2.f;
  g(x, y) = f(x, y) + f(x + 1, y);
  const int line = __LINE__ + 1;
  f.store_root();
  for (const char* target : {"emulate", "host"})
    EXPECT_ERROR(ErrorCode::StoreWithoutCompute, line, ({"store_root: `f` has no compute_at; it would be inlined", "help: say where it is computed: f.compute_at(consumer, loop)"}), compile(target));
}

// 61 KB of shared memory fit an H200's block, and an L40's, but 130 KB not that of the latter; Funcs and bytes are named.
TEST_F(UserCases, Case18_SharedMemory) {
  const auto schedule = [&](int64_t rows) {
    const int line = __LINE__ + 1;
    Func p("p"), q("q"); p(x, y) = in(x, y) * 2.f;
    q(x, y) = p(x, y) + p(x + 1, y);
    q.gpu_tile(x, y, xo, yo, xi, yi, 127, rows);
    p.compute_at_block(q).store_in(MemoryType::Shared);
    g = q;
    return line;
  };
  schedule(122);  // 128 x 122 x 4 bytes
  for (const char* target : {"emulate-sm_80", "emulate-sm_89", "emulate-sm_90a"}) EXPECT_NO_THROW(compile(target));
  const int line = schedule(260);
  EXPECT_NO_THROW(compile("emulate-sm_90a"));
  EXPECT_ERROR(ErrorCode::TooMuchShared, line,
               ({"needs 133120 bytes of shared memory; emulate-sm_89 allows 101376 a block", "| p: 133120 bytes", "help: smaller tiles, or p.compute_root()"}), compile("emulate-sm_89"));
}

TEST_F(UserCases, Case18_Threads) {
  g(x, y) = in(x, y) * 2.f;
  const int line = __LINE__ + 1;
  g.tile(x, y, xo, yo, xi, yi, 40, 30).gpu_blocks(xo, yo).gpu_threads(xi, yi);
  EXPECT_ERROR(ErrorCode::TooManyThreads, line, ({"a block of 1216 threads; cuda-sm_90a allows 1024"}), compile("cuda-sm_90a"));
}

}  // namespace
}  // namespace sinter::testing
