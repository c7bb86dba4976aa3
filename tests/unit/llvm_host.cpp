// Host code: whole entries compiled in memory against reference loops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <thread>

#include "codegen/llvm/jit.h"
#include "codegen/runtime/sinter_runtime.h"
#include "tests/unit/llvm_modules.h"

namespace sinter {
namespace {

using ::testing::HasSubstr;

int64_t address(const void* p) { return static_cast<int64_t>(reinterpret_cast<uintptr_t>(p)); }
int64_t bits(float v) { return std::bit_cast<uint32_t>(v); }

std::vector<float> ramp(int n, float scale) {
  std::vector<float> v(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) v[static_cast<size_t>(i)] = scale * static_cast<float>(i % 37) - 3;
  return v;
}

TEST(LlvmHost, SaxpyOfAnySize) {
  const codegen::HostJit jit(test::saxpy_host());
  for (const int n : {0, 1, 7, 8, 63, 64, 65, 1000}) {
    const std::vector<float> x = ramp(n, 0.25f), y = ramp(n, 2);
    std::vector<float> out(static_cast<size_t>(n) + 1, -77);
    const int64_t values[] = {address(x.data()), n, 1, bits(1.5f), address(y.data()), n, 1, address(out.data()), n, 1};
    ASSERT_EQ(jit.entry()(values, nullptr), 0) << sinter_last_error();
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) ASSERT_FLOAT_EQ(out[i], 1.5f * x[i] + y[i]) << i << " of " << n;
    EXPECT_EQ(out.back(), -77) << "written behind the end";
  }
}

TEST(LlvmHost, AViolatedRequirementRunsNothing) {
  const codegen::HostJit jit(test::saxpy_host());
  const std::vector<float> x(9), y(10);
  std::vector<float> out(10, 5);
  const int64_t values[] = {address(x.data()), 9, 1, bits(1), address(y.data()), 10, 1, address(out.data()), 10, 1};
  EXPECT_EQ(jit.entry()(values, nullptr), SINTER_ERR_REQUIRES);
  const std::string text = sinter_last_error();
  EXPECT_THAT(text, HasSubstr("saxpy"));
  EXPECT_THAT(text, HasSubstr("input `x`, dimension 0: extent"));
  EXPECT_THAT(text, HasSubstr("10"));
  EXPECT_THAT(text, HasSubstr("9"));
  EXPECT_EQ(out, std::vector<float>(10, 5));
}

void check_stencil(const ir::Module& m) {
  const codegen::HostJit jit(m);
  for (const int n : {1, 99, 100, 101, 777}) {
    const std::vector<float> in = ramp(n + 2, 0.5f);
    std::vector<float> out(static_cast<size_t>(n));
    const int64_t values[] = {address(in.data()), n + 2, 1, address(out.data()), n, 1};
    ASSERT_EQ(jit.entry()(values, nullptr), 0) << sinter_last_error();
    for (size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], (2 * in[i] + 2 * in[i + 1] + 2 * in[i + 2]) / 3, 1e-4) << i;
  }
}

TEST(LlvmHost, SmallScratchIsOnTheStack) {
  const ir::Module m = test::stencil_host();
  EXPECT_EQ(codegen::HostJit(m).llvm_ir().find("call ptr @sinter_rt_arena_alloc"), std::string::npos);
  check_stencil(m);
}

TEST(LlvmHost, LargeScratchIsInTheArena) {
  const ir::Module m = test::stencil_host(50000);
  EXPECT_THAT(codegen::HostJit(m).llvm_ir(), HasSubstr("@sinter_rt_arena_alloc"));
  check_stencil(m);
}

TEST(LlvmHost, WorkspaceHoldsScratchOfRootFuncs) {
  test::ModuleBuilder b("twice", "host");
  const int in = b.tensor("in", ir::Int(32), 1);
  const int out = b.tensor("out", ir::Int(32), 1, true);
  const int mid = b.local("mid", ir::Int(32));
  const ir::Expr n = b.extent(out), wide = ir::make_cast(ir::Int(64), n);
  b.m.buffers[static_cast<size_t>(mid)].workspace_offset = ir::make_int(ir::Int(64), 256);
  b.m.buffers[static_cast<size_t>(mid)].bytes = wide * 4;
  b.m.workspace_bytes = wide * 4 + 256;
  const ir::Sym i = ir::make_sym("i"), j = ir::make_sym("j"), k = ir::make_sym("k");
  const auto read = [](int buffer, const ir::Sym& s) { return ir::make_load(buffer, ir::Int(32), ir::make_var(s)); };
  b.m.entry = ir::make_seq({test::loop(k, n, test::store(mid, ir::make_var(k), ir::i32(9))), std::make_shared<ir::MemsetStmt>(mid),
                            test::loop(i, n, test::store(mid, ir::make_var(i), read(mid, i) + read(in, i) * 3)),
                            test::loop(j, n, test::store(out, ir::make_var(j), read(mid, j) + 1))});
  const codegen::HostJit jit(b.m);
  std::vector<int32_t> x = {1, -2, 3}, y(3);
  const int64_t values[] = {address(x.data()), 3, 1, address(y.data()), 3, 1};
  EXPECT_EQ(jit.workspace_bytes(values), 256 + 12);
  ASSERT_EQ(jit.entry()(values, nullptr), 0);
  EXPECT_THAT(y, ::testing::ElementsAre(4, -5, 10));
}

// A value read before a store is not the value after it, shared node or not.
TEST(LlvmHost, LoadsAreNotRememberedAcrossStores) {
  test::ModuleBuilder b("again", "host");
  const int out = b.tensor("out", ir::Int(32), 1, true);
  const ir::Expr first = ir::make_load(out, ir::Int(32), ir::i32(0));
  const ir::Expr next = first * 2 + 1;
  const ir::Stmt once = test::store(out, ir::i32(0), next);
  const ir::Sym i = ir::make_sym("i");
  b.m.entry = ir::make_seq({once, once, test::loop(i, ir::i32(3), ir::make_seq({once, test::store(out, ir::i32(1), next)}))});
  const codegen::HostJit jit(b.m);
  std::vector<int32_t> x = {1, 0};
  const int64_t values[] = {address(x.data()), 2, 1};
  ASSERT_EQ(jit.entry()(values, nullptr), 0);
  EXPECT_THAT(x, ::testing::ElementsAre(63, 127));
}

// Copies of a Let may bind one variable to several values; nodes of the body are shared between the copies.
TEST(LlvmHost, CopiesOfALetKeepTheirValues) {
  test::ModuleBuilder b("lets", "host");
  const int out = b.tensor("out", ir::Int(32), 1, true);
  const ir::Sym t = ir::make_sym("t");
  const ir::Expr square = ir::make_var(t) * ir::make_var(t);
  const auto squared = [&](ir::Expr v) { return ir::make_let(t, std::move(v), square + square); };
  const ir::Expr read = ir::make_load(out, ir::Int(32), ir::i32(0));
  b.m.entry = ir::make_seq({test::store(out, ir::i32(1), squared(ir::i32(2)) + squared(ir::i32(3))),
                            test::store(out, ir::i32(2), squared(read) + squared(read + 1)),
                            ir::make_let(t, ir::i32(5), test::store(out, ir::i32(3), square)),
                            ir::make_let(t, ir::i32(6), test::store(out, ir::i32(4), square))});
  const codegen::HostJit jit(b.m);
  std::vector<int32_t> x = {10, 0, 0, 0, 0};
  const int64_t values[] = {address(x.data()), 5, 1};
  ASSERT_EQ(jit.entry()(values, nullptr), 0);
  EXPECT_THAT(x, ::testing::ElementsAre(10, 26, 442, 25, 36));
}

TEST(LlvmHost, LongChains) {
  test::ModuleBuilder b("chain", "host");
  const int out = b.tensor("out", ir::Float(64), 1, true);
  const ir::Expr one = ir::make_load(out, ir::Float(64), ir::i32(0));
  ir::Expr sum = one;
  for (int i = 0; i < 5000; ++i) sum = ir::make_binary(i % 2 ? ir::Op::Add : ir::Op::Sub, sum, i % 3 ? one : ir::make_float(ir::Float(64), i));
  b.m.entry = test::store(out, ir::i32(1), sum);
  double want = 2;
  for (int i = 0; i < 5000; ++i) want = i % 2 ? want + (i % 3 ? 2 : i) : want - (i % 3 ? 2 : i);
  const codegen::HostJit jit(b.m);
  std::vector<double> x = {2, 0};
  const int64_t values[] = {address(x.data()), 2, 1};
  ASSERT_EQ(jit.entry()(values, nullptr), 0);
  EXPECT_EQ(x[1], want);
}

TEST(LlvmHost, MaskedAccessesTouchNothing) {
  test::ModuleBuilder b("masked", "host");
  const int in = b.tensor("in", ir::Int(32), 1);
  const int out = b.tensor("out", ir::Int(32), 1, true);
  const ir::Expr n = b.extent(in);
  const ir::Expr index = test::dense(ir::i32(0), 8);
  const ir::Expr mask = ir::make_binary(ir::Op::LT, index, ir::make_broadcast(n, 8));
  const ir::Expr far = ir::make_binary(ir::Op::Mul, index, ir::make_broadcast(ir::i32(1 << 26), 8));
  const ir::Expr value = ir::make_select(mask, ir::make_load(in, ir::Int(32, 8), index, mask), ir::make_int(ir::Int(32, 8), -1));
  const ir::Expr never = ir::make_load(in, ir::Int(32), ir::i32(1 << 28), n < ir::i32(0));
  b.m.entry = ir::make_seq({std::make_shared<ir::StoreStmt>(out, index, value),
                            std::make_shared<ir::StoreStmt>(out, far, value, ir::make_binary(ir::Op::LT, far, ir::make_int(ir::Int(32, 8), 1))),
                            ir::make_if(ir::make_binary(ir::Op::And, n < ir::i32(0), never > ir::i32(0)), test::store(out, ir::i32(0), ir::i32(5)))});
  const codegen::HostJit jit(b.m);
  std::vector<int32_t> x = {7, 8, 9}, y(8, 0);
  const int64_t values[] = {address(x.data()), 3, 1, address(y.data()), 8, 1};
  ASSERT_EQ(jit.entry()(values, nullptr), 0);
  EXPECT_THAT(y, ::testing::ElementsAre(7, 8, 9, -1, -1, -1, -1, -1));
}

TEST(LlvmHost, CompilesOnSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<int> status(4, -1);
  for (size_t t = 0; t < status.size(); ++t)
    threads.emplace_back([&, t] {
      const codegen::HostJit jit(test::saxpy_host());
      const std::vector<float> x = ramp(100, 1);
      std::vector<float> out(100);
      const int64_t values[] = {address(x.data()), 100, 1, bits(2), address(x.data()), 100, 1, address(out.data()), 100, 1};
      status[t] = jit.entry()(values, nullptr) == 0 && out[50] == 3 * x[50] ? 0 : 1;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(status, std::vector<int>(4, 0));
}

// Without a driver a launch fails in words; the entry itself compiles anywhere.
TEST(LlvmHost, DeviceEntriesCompile) {
  const codegen::HostJit jit(test::saxpy_cuda("cuda-sm_90a"), {{"ptx", "not a kernel"}});
  ASSERT_NE(jit.device_module(), nullptr);
  EXPECT_STREQ(jit.device_module()->name, "saxpy");
  EXPECT_EQ(jit.device_module()->num_kernels, 1);
  EXPECT_STREQ(jit.device_module()->kernel_names[0], "saxpy_kernel");
  EXPECT_STREQ(jit.device_module()->images[0], "not a kernel");
  EXPECT_EQ(jit.device_module()->image_sizes[0], std::strlen("not a kernel") + 1);
  const int64_t values[] = {0, 4, 1, bits(2), 0, 4, 1, 0, 4, 1};
  EXPECT_NE(jit.entry()(values, nullptr), 0);
  EXPECT_STRNE(sinter_last_error(), "");
}

}  // namespace
}  // namespace sinter
