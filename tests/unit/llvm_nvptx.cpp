// NVPTX: what the PTX of small kernels says, and that ptxas takes it for every architecture without a spill.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/llvm/nvptx.h"
#include "codegen/llvm/ptxas.h"
#include "ir/diagnostic.h"
#include "ir/eval/scalar.h"
#include "tests/unit/llvm_modules.h"

namespace sinter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

// One kernel whose body stores `value(load of lane thread)` for every thread.
ir::Module map_kernel(const char* target, ir::Type in, ir::Type out, const std::function<ir::Expr(ir::Expr)>& f) {
  test::ModuleBuilder b("map", target);
  const int x = b.tensor("x", in, 1);
  const int y = b.tensor("y", out, 1, true);
  ir::Kernel& k = b.kernel("map_kernel", 64);
  const ir::Expr at = ir::make_var(k.thread);
  test::ModuleBuilder::body(k, test::store(y, at, f(ir::make_load(x, in, at))));
  k.buffers = {x, y};
  k.written = {y};
  return b.m;
}

std::string math_ptx(ir::MathFn fn, const char* target = "cuda-sm_90a") {
  return codegen::emit_ptx(map_kernel(target, ir::Float(32), ir::Float(32), [&](ir::Expr x) { return ir::make_math(fn, {x}); })).ptx;
}

TEST(LlvmNvptx, VectorLoadsAreReadOnlyAndWide) {
  const std::string ptx = codegen::emit_ptx(test::saxpy_cuda("cuda-sm_90a")).ptx;
  EXPECT_EQ(count(ptx, "ld.global.nc.v4.b32"), 2);
  EXPECT_EQ(count(ptx, "st.global.v4.b32"), 1);
  EXPECT_THAT(ptx, HasSubstr(".maxntid 256"));
  EXPECT_THAT(ptx, HasSubstr("fma.rn.f32"));
  EXPECT_THAT(ptx, HasSubstr("+12]"));  // the tail's elements share a base and differ by literal offsets
}

TEST(LlvmNvptx, StreamingIsACachePolicy) {
  const std::string ptx = codegen::emit_ptx(test::saxpy_cuda("cuda-sm_80", ir::CachePolicy::Stream)).ptx;
  EXPECT_EQ(count(ptx, "ld.global.nc.L1::no_allocate.v4.b32"), 2);
  EXPECT_EQ(count(ptx, "st.global.cs.v4.b32"), 1);
}

// Rows of 8 modulo 16 bytes: pieces of eight, each with its policy.
TEST(LlvmNvptx, VectorsSplitByAlignment) {
  test::ModuleBuilder b("rows", "cuda-sm_90a");
  const int x = b.tensor("x", ir::Float(32), 1);
  const int y = b.tensor("y", ir::Float(32), 1, true);
  ir::Kernel& k = b.kernel("rows_kernel", 64);
  const ir::Expr at = test::dense(ir::make_var(k.thread) * 4 + 2, 4);
  test::ModuleBuilder::body(k, test::store(y, at, ir::make_load(x, ir::Float(32, 4), at, {}, 2, ir::CachePolicy::Stream), 2, ir::CachePolicy::Stream));
  k.buffers = {x, y};
  k.written = {y};
  k.fast = true;
  const std::string ptx = codegen::emit_ptx(b.m).ptx;
  EXPECT_EQ(count(ptx, "ld.global.nc.L1::no_allocate.v2.b32"), 2);
  EXPECT_EQ(count(ptx, "st.global.cs.v2.b32"), 2);
  k.fast = false;  // a caller's buffer may be a slice
  const std::string general = codegen::emit_ptx(b.m).ptx;
  EXPECT_EQ(count(general, "ld.global.nc.L1::no_allocate.b32"), 4);
}

// A tile count that the entry computes from sizes is not negative, so that decoding a block index is one unsigned division.
TEST(LlvmNvptx, SizesAreNotNegative) {
  test::ModuleBuilder b("decode", "cuda-sm_90a");
  const int y = b.tensor("y", ir::Int(32), 1, true);
  const ir::Sym tiles = ir::make_sym("tiles"), unknown = b.param("unknown", ir::Int(32));
  ir::Kernel& k = b.kernel("decode_kernel", 64);
  const auto body = [&](const ir::Sym& divisor) {
    return test::store(y, ir::make_var(k.thread), ir::make_var(k.block) / ir::make_var(divisor));
  };
  test::ModuleBuilder::body(k, body(tiles));
  k.buffers = {y};
  k.written = {y};
  k.scalars = {tiles, unknown};
  b.m.entry = ir::make_let(tiles, ir::ceil_div(b.extent(y), 64), std::make_shared<ir::LaunchStmt>(0, ir::make_int(ir::Int(64), 1)));
  const std::string ptx = codegen::emit_ptx(b.m).ptx;
  EXPECT_THAT(ptx, HasSubstr("div.u32"));
  EXPECT_THAT(ptx, Not(HasSubstr("div.s32")));
  test::ModuleBuilder::body(k, body(unknown));
  EXPECT_THAT(codegen::emit_ptx(b.m).ptx, HasSubstr("div.s32"));
}

TEST(LlvmNvptx, StrictDoesNotContract) {
  const std::string ptx = codegen::emit_ptx(test::saxpy_cuda("cuda-sm_90a-strict_float")).ptx;
  EXPECT_THAT(ptx, Not(HasSubstr("fma")));
  EXPECT_THAT(ptx, HasSubstr("mul.rn.f32"));  // without .rn, ptxas would contract
  EXPECT_THAT(ptx, HasSubstr("add.rn.f32"));
}

TEST(LlvmNvptx, NarrowFloatsConvertInPairs) {
  const std::string ptx = codegen::emit_ptx(test::narrow_cuda("cuda-sm_80")).ptx;
  EXPECT_EQ(count(ptx, "cvt.rn.bf16x2.f32"), 4);
  EXPECT_EQ(count(ptx, "ld.global.nc.v4.b32"), 1);
  EXPECT_EQ(count(ptx, "st.global.v4.b32"), 1);
}

TEST(LlvmNvptx, EightBitFloatsConvertInPairsWhereThereAreInstructions) {
  const std::string e4m3 = codegen::emit_ptx(test::narrow_cuda("cuda-sm_90", ir::F8E4M3())).ptx;
  EXPECT_EQ(count(e4m3, "cvt.rn.satfinite.e4m3x2.f32"), 4);
  EXPECT_EQ(count(e4m3, "cvt.rn.f16x2.e4m3x2"), 4);
  EXPECT_EQ(count(e4m3, "ld.global.nc"), 1) << e4m3;
  const std::string e5m2 = codegen::emit_ptx(test::narrow_cuda("cuda-sm_90a", ir::F8E5M2())).ptx;
  EXPECT_EQ(count(e5m2, "cvt.rn.satfinite.e5m2x2.f32"), 4);
  EXPECT_EQ(count(e5m2, "cvt.rn.f16x2.e5m2x2"), 4);
  EXPECT_THAT(codegen::emit_ptx(test::narrow_cuda("cuda-sm_80", ir::F8E4M3())).ptx, Not(HasSubstr("e4m3")));
}

TEST(LlvmNvptx, RegistersStayRegisters) {
  const std::string ptx = codegen::emit_ptx(test::stencil_cuda("cuda-sm_90a")).ptx;
  EXPECT_THAT(ptx, HasSubstr("bar.sync"));
  EXPECT_THAT(ptx, HasSubstr(".extern .shared .align 1024"));
  EXPECT_TRUE(codegen::kernels_with_local_memory(ptx).empty());
}

TEST(LlvmNvptx, LocalMemoryIsFound) {
  test::ModuleBuilder b("dynamic", "cuda-sm_90a");
  const int x = b.tensor("x", ir::Int(32), 1);
  const int y = b.tensor("y", ir::Float(32), 1, true);
  const int r = b.local("r", ir::Float(32));
  ir::Kernel& k = b.kernel("dynamic_kernel", 32);
  const ir::Expr at = ir::make_load(x, ir::Int(32), ir::make_var(k.thread));
  std::vector<ir::Stmt> s;
  for (int i = 0; i < 8; ++i) s.push_back(test::store(r, ir::i32(i), ir::make_cast(ir::Float(32), at + i)));
  s.push_back(test::store(y, ir::make_var(k.thread), ir::make_load(r, ir::Float(32), at % 8)));
  test::ModuleBuilder::body(k, ir::make_seq(s));
  k.buffers = {x, y};
  k.written = {y};
  k.allocations = {{r, ir::Float(32), ir::Memory::Register, 0, 8}};
  EXPECT_THAT(codegen::kernels_with_local_memory(codegen::emit_ptx(b.m).ptx), ::testing::ElementsAre("dynamic_kernel"));
}

TEST(LlvmNvptx, NativeFunctions) {
  EXPECT_THAT(math_ptx(ir::MathFn::Exp2), HasSubstr("ex2.approx.ftz.f32"));
  EXPECT_THAT(math_ptx(ir::MathFn::Log2), HasSubstr("lg2.approx.f32"));
  EXPECT_THAT(math_ptx(ir::MathFn::Tanh), HasSubstr("tanh.approx.f32"));
  EXPECT_THAT(math_ptx(ir::MathFn::Rsqrt), HasSubstr("rsqrt.approx.f32"));
  EXPECT_THAT(math_ptx(ir::MathFn::Sin), HasSubstr("sin.approx.f32"));
  EXPECT_THAT(math_ptx(ir::MathFn::Cos), HasSubstr("cos.approx.f32"));
  EXPECT_THAT(math_ptx(ir::MathFn::Sqrt), HasSubstr("sqrt.approx.f32"));
  EXPECT_THAT(math_ptx(ir::MathFn::Sqrt, "cuda-sm_90a-strict_float"), HasSubstr("sqrt.rn.f32"));
  EXPECT_THROW(math_ptx(ir::MathFn::Exp2, "cuda-sm_90a-strict_float"), ir::InternalError);
}

TEST(LlvmNvptx, DivisionAndExtremes) {
  const auto with = [](const char* target, ir::Op op) {
    return codegen::emit_ptx(map_kernel(target, ir::Float(32), ir::Float(32), [&](ir::Expr x) {
             return ir::make_binary(op, ir::make_float(ir::Float(32), 1.5), x);
           })).ptx;
  };
  EXPECT_THAT(with("cuda-sm_90a", ir::Op::Div), HasSubstr("div.full.f32"));
  EXPECT_THAT(with("cuda-sm_90a-strict_float", ir::Op::Div), HasSubstr("div.rn.f32"));
  EXPECT_THAT(with("cuda-sm_90a", ir::Op::Max), HasSubstr("max.NaN.f32"));
  EXPECT_THAT(with("cuda-sm_90a", ir::Op::Min), HasSubstr("min.NaN.f32"));
}

TEST(LlvmNvptx, RolesHaveNoExecutionYet) {
  ir::Module m = test::narrow_cuda("cuda-sm_90a");
  m.kernels[0].roles.push_back(m.kernels[0].roles[0]);
  try {
    codegen::emit_ptx(m);
    FAIL() << "accepted";
  } catch (const ir::UserError& e) {
    EXPECT_EQ(e.code(), ir::ErrorCode::NotExecutable);
    EXPECT_THAT(e.what(), HasSubstr("narrow_kernel"));
  }
}

class Ptxas : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (codegen::find_ptxas().empty()) GTEST_SKIP() << "ptxas is not installed";
  }
  static void accepts(const ir::Module& m) {
    const std::string ptx = codegen::emit_ptx(m).ptx;
    const codegen::AssembleResult r = codegen::assemble(ptx, m.target.sm_name());
    EXPECT_EQ(r.cubin.substr(1, 3), "ELF");
    ASSERT_EQ(r.kernels.size(), m.kernels.size()) << ptx;
    for (const codegen::KernelResources& k : r.kernels) {
      EXPECT_GT(k.registers, 0);
      EXPECT_EQ(k.spill_store_bytes + k.spill_load_bytes + k.stack_bytes, 0) << k.kernel << "\n" << ptx;
    }
    EXPECT_TRUE(r.warnings.empty()) << r.warnings[0];
  }
};

TEST_P(Ptxas, TakesEveryKernel) {
  accepts(test::saxpy_cuda(GetParam()));
  accepts(test::saxpy_cuda(GetParam(), ir::CachePolicy::Stream));
  accepts(test::narrow_cuda(GetParam()));
  for (const ir::Type t : {ir::Float(16), ir::F8E4M3(), ir::F8E5M2()}) accepts(test::narrow_cuda(GetParam(), t));
  accepts(test::stencil_cuda(GetParam()));
}

// All casts between all types, a kernel for each source.
TEST_P(Ptxas, TakesEveryCast) {
  test::ModuleBuilder b("casts", GetParam());
  const std::vector<ir::Type> types = {ir::Bool(), ir::Int(8), ir::Int(16), ir::Int(32), ir::Int(64), ir::UInt(8), ir::UInt(16),
                                       ir::UInt(32), ir::UInt(64), ir::Float(16), ir::BFloat(16), ir::F8E4M3(), ir::F8E5M2(), ir::Float(32), ir::Float(64)};
  for (const ir::Type from : types) {
    const int x = b.tensor("x", from, 1);
    std::vector<int> outs;
    for (const ir::Type to : types) outs.push_back(b.tensor("y" + to_string(to), to, 1, true));
    ir::Kernel& k = b.kernel("casts_" + to_string(from), 64);
    std::vector<ir::Stmt> s;
    const ir::Expr at = ir::make_var(k.thread);
    for (size_t i = 0; i < types.size(); ++i)
      s.push_back(test::store(outs[i], at, ir::make_cast(types[i], ir::make_load(x, from, at))));
    test::ModuleBuilder::body(k, ir::make_seq(s));
    k.buffers = outs;
    k.buffers.push_back(x);
    k.written = outs;
  }
  accepts(b.m);
}

// All operators that each type has, scalar and in vectors, a kernel each.
TEST_P(Ptxas, TakesEveryOperator) {
  const std::vector<ir::Type> types = {ir::Bool(), ir::Int(8), ir::Int(16), ir::Int(32), ir::Int(64), ir::UInt(8), ir::UInt(16),
                                       ir::UInt(32), ir::UInt(64), ir::Float(16), ir::BFloat(16), ir::F8E4M3(), ir::F8E5M2(), ir::Float(32), ir::Float(64)};
  test::ModuleBuilder b("operators", GetParam());
  for (const ir::Type t : types) {
    for (const int lanes : {1, 4}) {
      const int x = b.tensor("x", t, 1), y = b.tensor("y", t, 1);
      const int out = b.tensor("out", t, 1, true), flags = b.tensor("flags", ir::Bool(), 1, true);
      ir::Kernel& k = b.kernel("operators_" + to_string(t.with_lanes(lanes)), 64);
      const ir::Expr first = ir::make_var(k.thread) * lanes;
      const ir::Expr at = lanes == 1 ? first : test::dense(first, lanes);
      const ir::Expr a = ir::make_load(x, t.with_lanes(lanes), at), c = ir::make_load(y, t.with_lanes(lanes), at);
      std::vector<ir::Stmt> s;
      const auto keep = [&](const ir::Expr& v) {
        const ir::Expr to = first + static_cast<int64_t>(s.size()) * 1024;
        s.push_back(test::store(v.type().is_bool() && !t.is_bool() ? flags : out, lanes == 1 ? to : test::dense(to, lanes), v));
      };
      for (int i = static_cast<int>(ir::Op::Add); i <= static_cast<int>(ir::Op::Shr); ++i) {
        const auto op = static_cast<ir::Op>(i);
        if (op == ir::Op::Not || op == ir::Op::BitNot) {
          if (ir::scalar_fn(op, {}, t, t) && (op == ir::Op::Not) == t.is_bool()) keep(ir::make_unary(op, a));
          continue;
        }
        if ((op == ir::Op::And || op == ir::Op::Or) && !t.is_bool()) continue;
        if (ir::scalar_fn(op, {}, t, t)) keep(ir::make_binary(op, a, c));
      }
      if (!t.is_bool()) keep(ir::make_unary(ir::Op::Neg, a)), keep(ir::make_unary(ir::Op::Abs, a));
      if (t.is_float()) {
        for (const auto f : {ir::MathFn::Sqrt, ir::MathFn::Floor, ir::MathFn::Ceil, ir::MathFn::Round, ir::MathFn::Trunc, ir::MathFn::IsNan})
          keep(ir::make_math(f, {a}));
        keep(ir::make_math(ir::MathFn::Fma, {a, c, a}));
        keep(ir::make_strict(ir::make_binary(ir::Op::Div, a, c)));
      }
      keep(ir::make_select(ir::make_binary(ir::Op::LT, a, c), c, a));
      if (lanes == 1) keep(ir::make_shuffle(a, ir::i32(3)));
      test::ModuleBuilder::body(k, ir::make_seq(s));
      k.buffers = {x, y, out, flags};
      k.written = {out, flags};
    }
  }
  accepts(b.m);
}

INSTANTIATE_TEST_SUITE_P(Architectures, Ptxas, ::testing::Values("cuda-sm_80", "cuda-sm_89", "cuda-sm_90", "cuda-sm_90a"));

TEST(PtxasErrors, RejectedTextIsAToolFailure) {
  if (codegen::find_ptxas().empty()) GTEST_SKIP() << "ptxas is not installed";
  try {
    codegen::assemble(".version 8.0\n.target sm_90\n.address_size 64\nnonsense\n", "sm_90");
    FAIL() << "accepted";
  } catch (const ir::UserError& e) {
    EXPECT_EQ(e.code(), ir::ErrorCode::ToolFailed);
    EXPECT_THAT(e.what(), HasSubstr("E0605"));
    EXPECT_THAT(e.what(), HasSubstr("sm_90"));
  }
}

}  // namespace
}  // namespace sinter
