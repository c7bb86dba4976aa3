// Mistakes in a schedule that show when it is compiled: each with its code, the user's line, and words. tests/error/dsl_schedule_test.cpp
// has those that show at the call.
#include "ir/text/parse.h"
#include "scheduler/lower/kernel/lower_kernels.h"
#include "scheduler/prove/obligations.h"
#include "scheduler/prove/prover.h"
#include "tests/error/expect_error.h"
#include "tests/support/cases.h"

namespace sinter::testing {
namespace {

using ir::ErrorCode;
using Tail = TailStrategy;

struct ScheduleCodes : ::testing::Test {
  static constexpr int input_line = __LINE__ + 6, sum_line = __LINE__ + 8;  // members are made where the constructor is
  Input in{"in", Float(32), 2}, index{"index", Int(32), 1};
  Var x{"x"}, y{"y"}, xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"}, t{"t"};
  RDom r{0, 3, 0, 2, "r"};
  Func p{"p"}, s{"s"}, f{"f"};

  ScheduleCodes() {
    p(x, y) = in(x, y) + 1.f;
    s(x, y) = 0.f;
    s(x, y) += p(x + r.x, y + r.y);
    f(x, y) = s(x, y) + s(x + 1, y) + p(x, y);
  }
  void tile() { f.gpu_tile(x, y, xo, yo, xi, yi, 32, 8); }
  void threads() { f.tile(x, y, xo, yo, xi, yi, 32, 8).gpu_blocks(xo, yo).gpu_threads(xi, yi); }
  void compile(const char* target = "emulate") { compile(f, target); }
  void compile(const Func& out, const char* target = "emulate") { Pipeline("codes", {in, index}, {out}).compile_jit(Target::parse(target)); }
};

TEST_F(ScheduleCodes, E0103_BadTail) {
  const int line = __LINE__ + 1;
  s.compute_root().update().split(x, xo, xi, 8, Tail::ShiftInwards);
  EXPECT_ERROR(ErrorCode::BadTail, line, ({"split: ShiftInwards computes some points twice", "an update of `s`", "help: use TailStrategy::GuardWithIf"}), compile());
}

TEST_F(ScheduleCodes, E0103_BadTailOfATile) {
  const int line = __LINE__ + 1;
  s.compute_root().update().gpu_tile(x, xo, xi, 8, Tail::ShiftInwards);
  EXPECT_ERROR(ErrorCode::BadTail, line, ({"gpu_tile: ShiftInwards computes some points twice"}), compile());
}

TEST_F(ScheduleCodes, E0103_BadTailOfAnRVar) {
  const int line = __LINE__ + 1;
  s.compute_root().update().split(r.x, xo, xi, 2, Tail::RoundUp);
  EXPECT_ERROR(ErrorCode::BadTail, line, ({"RoundUp would run RVar `" + r.x.name() + "` beyond its domain"}), compile());
}

TEST_F(ScheduleCodes, E0104_DependentRVars) {
  const int line = __LINE__ + 1;
  s.compute_root().update().reorder(r.y, r.x);
  EXPECT_ERROR(ErrorCode::BadReorder, line, ({"changes the order of RVars that update the same points of `s`", "s(...) = ...", "help: keep the RVars in the order"}), compile());
}

TEST_F(ScheduleCodes, E0104_GroupsWithNothingBehind) {
  tile();
  const int line = __LINE__ + 1;
  f.block_order(xo, grouped(yo, 8));
  EXPECT_ERROR(ErrorCode::BadReorder, line, ({"block_order: groups of `yo` are done for each iteration of the next loop, and it is the last one", "block yo   <-- here", "help: put another block loop behind it"}), compile());
}

TEST_F(ScheduleCodes, E0105_OrderOfNoBlock) {
  tile();
  const int line = __LINE__ + 1;
  f.block_order(xi);
  EXPECT_ERROR(ErrorCode::BadBinding, line, ({"block_order: `xi` of `f` is a coop loop, not one of blocks", "help: make it a block loop with gpu_blocks or gpu_tile"}), compile());
}

TEST_F(ScheduleCodes, E0100_OrderOfALoopThatIsGone) {
  tile();
  const int line = __LINE__ + 1;
  f.block_order(yo).fuse(xo, yo, t);
  EXPECT_ERROR(ErrorCode::NoSuchLoop, line, ({"block_order: the loop `yo` of `f` was split or fused since", "help: give the order after the last split or fuse"}), compile());
}

TEST_F(ScheduleCodes, E0104_PartsOfAScan) {
  Func c("c");
  RDom k(1, 20, "k");
  c(x, y) = p(x, y);
  c(k, y) += c(k - 1, y);  // the RVar is an argument, but an iteration reads what another wrote
  const int line = __LINE__ + 1;
  c.update().split(k, xo, xi, 4).reorder(xo, xi);
  EXPECT_ERROR(ErrorCode::BadReorder, line, ({"changes the order of RVars that update the same points of `c`"}), compile(c));
}

TEST_F(ScheduleCodes, E0105_BadBinding) {
  const int line = __LINE__ + 1;
  f.gpu_blocks(y).gpu_threads(y);
  EXPECT_ERROR(ErrorCode::BadBinding, line, ({"gpu_threads: `y` is already a block loop", "| block y   <-- here", "help: bind a loop once"}), compile());
}

TEST_F(ScheduleCodes, E0105_SplitOfABoundLoop) {
  const int line = __LINE__ + 1;
  f.gpu_blocks(x).split(x, xo, xi, 4);
  EXPECT_ERROR(ErrorCode::BadBinding, line, ({"split: `x` is already a block loop", "help: split it first"}), compile());
}

TEST_F(ScheduleCodes, E0105_ParallelInABlock) {
  tile();
  const int line = __LINE__ + 1;
  s.compute_at_block(f).parallel(y);
  EXPECT_ERROR(ErrorCode::BadBinding, line, ({"parallel loop `y` of `s`, which is computed inside a block of `f`", "block xo   <-- here"}), compile());
}

TEST_F(ScheduleCodes, E0106_BlockInsideBlock) {
  tile();
  const int line = __LINE__ + 1;
  s.compute_at_block(f).gpu_blocks(y);
  EXPECT_ERROR(ErrorCode::BlockInsideBlock, line, ({"block loop `y` of `s`, which is computed inside a block of `f`", "help: ", "compute_root()"}), compile());
}

TEST_F(ScheduleCodes, E0107_BadFuse) {
  const int line = __LINE__ + 1;
  f.split(x, xo, xi, 4).fuse(xi, y, t);
  EXPECT_ERROR(ErrorCode::BadFuse, line, ({"fuse: `y` is not the loop directly around `xi`", "serial xi   <-- here", "help: reorder"}), compile());
}

TEST_F(ScheduleCodes, E0107_FuseOfTwoKinds) {
  const int line = __LINE__ + 1;
  f.parallel(y).fuse(x, y, t);
  EXPECT_ERROR(ErrorCode::BadFuse, line, ({"`x` is serial, `y` is parallel", "help: bind the fused loop"}), compile());
}

TEST_F(ScheduleCodes, E0108_RVarParallel) {
  const int line = __LINE__ + 1;
  s.compute_root().update().parallel(r.x);
  EXPECT_ERROR(ErrorCode::RVarParallel, line, ({"parallel: iterations of RVar", "update the same points of `s`", "<-- here", "help: cooperative(", "shares a reduction out among the threads of a block; or bind the pure Vars"}), compile());
}

TEST_F(ScheduleCodes, E0108_AcrossBlocks) {
  const int line = __LINE__ + 1;
  s.compute_root().update().split(r.x, xo, xi, 2).gpu_blocks(xo);
  EXPECT_ERROR(ErrorCode::RVarParallel, line, ({"gpu_blocks: iterations of RVar `xo` update the same points of `s`"}), compile());
}

// A thread folds its iterations into one value per point: not where a loop inside decides which point.
TEST_F(ScheduleCodes, E0108_CooperativeAroundAScatter) {
  Func h("h");
  RDom k(0, 64, 0, 64, "k");
  h(x) = 0.f;
  h(clamp(i32(p(k.x, 0)), 0, 31)) += p(k.x, k.y);
  h.bound(x, 0, 32);
  const int line = __LINE__ + 1;
  h.update().cooperative(k.y);
  EXPECT_ERROR(ErrorCode::RVarParallel, line,
               ({"which point of `h` one of them updates depends on `kx`, a loop inside", "coop ky   <-- here", "help: name `kx` after `ky` in the RDom"}), compile(h));
}

TEST_F(ScheduleCodes, E0109_BadVectorize) {
  const int line = __LINE__ + 1;
  f.vectorize(x);
  for (const char* target : {"emulate", "host"})
    EXPECT_ERROR(ErrorCode::BadVectorize, line, ({"vectorized loop `x` of `f` has no constant extent: f.extent.0", "vectorized x   <-- here", "help: split it"}), compile(target));
}

TEST_F(ScheduleCodes, E0101_MoreThanCanBeExpanded) {
  const int line = __LINE__ + 1;
  f.split(x, xo, xi, 512).split(y, yo, yi, 64).unroll(xi).unroll(yi);
  EXPECT_ERROR(ErrorCode::BadFactor, line, ({"unrolled loop `yi` of `f`, of 64, makes more than 4096 copies"}), compile("host"));
}

TEST_F(ScheduleCodes, E0101_MoreThanABlockComputes) {
  const int line = __LINE__ + 1;
  f.gpu_tile(x, y, xo, yo, xi, yi, 1024, 1024);
  EXPECT_ERROR(ErrorCode::BadFactor, line, ({"the box that a block computes together", "more than 262144 points", "help: smaller tiles"}), compile());
}

TEST_F(ScheduleCodes, E0110_MixedThreadStyles) {
  threads();
  const int line = __LINE__ + 1;
  s.compute_at_block(f);
  EXPECT_ERROR(ErrorCode::MixedThreadStyles, line, ({"`s` is computed at block level in a kernel with explicit gpu_threads", "help: s.gpu_threads(...) or s.cooperative()"}), compile());
}

TEST_F(ScheduleCodes, E0111_BadThreads) {
  tile();
  const int line = __LINE__ + 1;
  f.threads(100);
  EXPECT_ERROR(ErrorCode::BadThreads, line, ({"threads(100): not a block size", "help: a multiple of 32 between 32 and 1024"}), compile());
}

TEST_F(ScheduleCodes, E0113_BoundTwice) {
  const int first = __LINE__ + 1, line = __LINE__ + 2;
  p.compute_root().bound(x, 0, 64);
  p.bound(x, 0, 32);
  EXPECT_ERROR(ErrorCode::BadBound, line, ({"`x` of `p` is bounded twice (schedule_codes_test.cpp:" + std::to_string(first)}), compile());
}

TEST_F(ScheduleCodes, E0200_NoSuchPlace) {
  const int line = __LINE__ + 1;
  p.compute_at(f, t);
  EXPECT_ERROR(ErrorCode::NoSuchPlace, line, ({"compute_at: `f` has no loop `t`", "f(...) = ...", "help: "}), compile());
}

TEST_F(ScheduleCodes, E0200_AnotherReaderOutside) {
  s.compute_root();
  const int line = __LINE__ + 1;
  p.compute_at(s, y);
  EXPECT_ERROR(ErrorCode::NoSuchPlace, line, ({"`p` is also read by `s.update(0)` (schedule_codes_test.cpp:", "which is not inside this loop", "<-- here", "help: compute it at a loop that encloses"}), compile());
}

TEST_F(ScheduleCodes, E0201_OuterBlockPlace) {
  tile();
  const int line = __LINE__ + 1;
  s.compute_at(f, yo);
  EXPECT_ERROR(ErrorCode::OuterBlockPlace, line, ({"`s` can't be computed at `yo`, an outer block loop of `f`", "| block yo   <-- here", "help: s.compute_at_block(f), the same as compute_at(f, xo)"}), compile());
}

TEST_F(ScheduleCodes, E0202_CooperativePlace) {
  tile();
  const int line = __LINE__ + 1;
  s.compute_at(f, yi);
  EXPECT_ERROR(ErrorCode::CooperativePlace, line, ({"a cooperative loop is run by all threads together", "coop yi   <-- here", "help: f.serial(yi) makes it one"}), compile());
}

TEST_F(ScheduleCodes, E0203_OutputPlacement) {
  const int line = __LINE__ + 1;
  f.compute_inline();
  EXPECT_ERROR(ErrorCode::OutputPlacement, line, ({"compute_inline: `f` is an output of the pipeline"}), compile());
}

TEST_F(ScheduleCodes, DirectivesOfAnInlinedFunc) {
  const auto refused = [&](int line, ErrorCode code, const std::string& directive, const auto& schedule) {
    Func q("q"), g("g");
    q(x, y) = in(x, y) + 1.f;
    g(x, y) = q(x, y) * 2.f;
    q.compute_inline();
    schedule(q);
    EXPECT_ERROR(code, line, ({directive + ": `q` is inlined (compute_inline), so ", "help: remove the directive, or q.compute_root()"}), compile(g, "host"));
  };
  refused(__LINE__, ErrorCode::NoSuchLoop, "vectorize", [&](Func& q) { q.vectorize(x, 4); });
  refused(__LINE__, ErrorCode::NoSuchLoop, "split", [&](Func& q) { q.split(x, xo, xi, 8); });
  refused(__LINE__, ErrorCode::StoreWithoutCompute, "store_root", [&](Func& q) { q.store_root(); });
  refused(__LINE__, ErrorCode::BadMemory, "store_in", [&](Func& q) { q.store_in(MemoryType::Register); });
  refused(__LINE__, ErrorCode::BadMemory, "reorder_storage", [&](Func& q) { q.reorder_storage(y, x); });
}

TEST_F(ScheduleCodes, E0205_StoreInsideCompute) {
  const int line = __LINE__ + 1;
  s.compute_at(f, y).store_at(f, x);
  EXPECT_ERROR(ErrorCode::StoreWithoutCompute, line, ({"store_at: `s` is computed outside of the loop where it would be stored", "serial y   <-- computed here"}), compile("host"));
}

TEST_F(ScheduleCodes, E0206_BadMemory) {
  const int line = __LINE__ + 1;
  s.compute_root().store_in(MemoryType::Shared);
  EXPECT_ERROR(ErrorCode::BadMemory, line, ({"store_in(shared): `s` is not computed inside a block", "help: s.compute_at_block(consumer)"}), compile());
}

TEST_F(ScheduleCodes, E0206_GlobalInABlock) {
  tile();
  const int line = __LINE__ + 1;
  s.compute_at_block(f).store_in(MemoryType::Global);
  EXPECT_ERROR(ErrorCode::BadMemory, line, ({"store_in(global): `s` is computed inside a block", "block xo   <-- here", "help: Register or Shared there"}), compile());
}

TEST_F(ScheduleCodes, E0207_CrossThreadRegister) {
  tile();
  s.compute_at_block(f).store_in(MemoryType::Register);
  try {
    compile();
    ADD_FAILURE() << "accepted";
  } catch (const ir::UserError& e) {  // the line is that of the read, in the definition of f
    EXPECT_EQ(e.code(), ErrorCode::CrossThreadRegister);
    EXPECT_STREQ(e.diagnostic().loc.file, __FILE__);
    EXPECT_THAT(e.what(), ::testing::HasSubstr("`s` is read by a thread that did not write it"));
    EXPECT_THAT(e.what(), ::testing::HasSubstr("counterexample: in one block, thread "));
    EXPECT_THAT(e.what(), ::testing::HasSubstr("help: s.store_in(MemoryType::Shared)"));
  }
}

TEST_F(ScheduleCodes, E0208_UnboundedBox) {
  f.gpu_blocks(y);
  const int line = __LINE__ + 1;
  s.compute_at(f, y).store_in(MemoryType::Shared);
  EXPECT_ERROR(ErrorCode::UnboundedBox, line, ({"`s` is computed inside a block, but its region there has no constant bound in dimension 0 (`x`)", "help: s.bound(x, min, extent)"}), compile());
}

TEST_F(ScheduleCodes, E0210_SharedInThread) {
  threads();
  const int line = __LINE__ + 1;
  s.compute_at(f, xi).store_in(MemoryType::Shared);
  EXPECT_ERROR(ErrorCode::SharedInThread, line, ({"store_in(Shared): `s` is computed inside a thread loop", "help: s.compute_at_block(...) shares it"}), compile());
}

TEST_F(ScheduleCodes, E0300_OutOfBounds) {
  const int line = __LINE__ + 1;
  Func g("g"); g(x) = p(x + 6, 0);
  p.compute_root().bound(x, 0, 8).bound(y, 0, 1);
  EXPECT_ERROR(ErrorCode::OutOfBounds, line, ({"`p` is read outside of its storage in dimension 0 (`x`)", "counterexample: ", "help: bound() the Func"}), compile(g, "host"));
}

TEST_F(ScheduleCodes, E0305_Overflow) {
  Func g("g");
  const int line = __LINE__ + 1;
  g(x) = in(clamp(x * 65536 * 64, 0, 7), 0);
  EXPECT_ERROR(ErrorCode::Overflow, line, ({"index arithmetic may leave 32 bits", "counterexample: ", "help: "}), compile(g, "host"));
}

// No directive of today makes a host loop whose bounds are data; a Nest in text does.
TEST(NestCodes, E0407_HostLoopBounds) {
  const auto [program, nest] = ir::parse_nest(
      "program p {\n  input n(d) : i32 extent (n.w) stride (n.s)\n  func f(x) : f32 extent (f.w) stride (f.s) = 1.0\n  args (input n, output f)\n}\n"
      "nest {\n  serial i in [0, n(0)) {\n    block px in [0, f.w) {\n      f(px) = 1.0\n    }\n  }\n}\n");
  EXPECT_ERROR(ErrorCode::HostLoopBounds, 0, ({"the bounds of loop `i`, which runs on the host, depend on tensor data", "help: put the loop inside the kernel"}),
               scheduler::lower_kernels(program, nest, Target::parse("emulate")));
}

// The language refuses a pure definition that reads its own Func (E0001), so only a Nest in text has one.
TEST(NestCodes, E0308_AliasBroken) {
  const auto [program, nest] = ir::parse_nest(
      "program p {\n  func f(x) : f32 extent (f.w) stride (f.s) = 1.0\n  args (output f)\n}\n"
      "nest {\n  produce f {\n    serial px in [0, f.w) {\n      f(px) = f(px) + 1.0\n    }\n  }\n}\n");
  const auto prover = scheduler::make_prover();
  scheduler::ProofReport report;
  EXPECT_ERROR(ErrorCode::AliasBroken, 0, ({"the pure definition of `f` reads `f` itself", "counterexample: f(px)"}), scheduler::prove_nest(program, nest, *prover, report));
}

TEST_F(ScheduleCodes, E0307_UnboundedInput) {
  Func g("g");
  g(x) = in(index(x), 0);
  EXPECT_ERROR(ErrorCode::UnboundedInput, input_line, ({"the region of `in` that its readers need has no bound in dimension 0", "help: clamp the index that reads it"}), compile(g, "host"));
}

TEST_F(ScheduleCodes, E0401_TooManyThreads) {
  const int line = __LINE__ + 1;
  f.split(x, xo, xi, 1200).reorder(xi, xo, y).gpu_blocks(xo, y).gpu_threads(xi);
  EXPECT_ERROR(ErrorCode::TooManyThreads, line, ({"a block of 1216 threads; emulate-sm_90a allows 1024", "help: smaller thread loops"}), compile());
}

TEST_F(ScheduleCodes, E0402_TooMuchShared) {
  f.gpu_tile(x, y, xo, yo, xi, yi, 256, 256);
  s.compute_at_block(f).store_in(MemoryType::Shared);
  EXPECT_ERROR(ErrorCode::TooMuchShared, sum_line, ({"bytes of shared memory; emulate-sm_90a allows 232448 a block", "| s: 263168 bytes", "help: smaller tiles"}), compile());
}

TEST_F(ScheduleCodes, E0403_TooManyRegisters) {
  Func g("g"), h("h");
  g(x, y) = p(x, y) * 2.f;
  h(x, y) = g(x, y) + g(x, y) * f32(y);
  h.gpu_tile(x, y, xo, yo, xi, yi, 256, 128).threads(32);
  g.compute_at_block(h).store_in(MemoryType::Register);
  EXPECT_ERROR(ErrorCode::TooManyRegisters, __LINE__ - 2, ({"registers a thread", "`g`: 1024 registers", "help: more threads, smaller tiles, or store_in(MemoryType::Shared)"}), compile(h));
}

}  // namespace
}  // namespace sinter::testing
