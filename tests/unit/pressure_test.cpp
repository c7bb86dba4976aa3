// Registers estimated from PTX: counted by hand, and beside what ptxas says.
#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include "codegen/compiled.h"
#include "codegen/llvm/pressure.h"
#include "tests/support/cases.h"

namespace sinter::codegen {
namespace {

int registers(const std::string& body) {
  const std::string ptx = ".version 8.0\n.target sm_90\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n.maxntid 128\n{\n"
                          "\t.reg .pred %p<9>;\n\t.reg .b32 %r<99>;\n\t.reg .b64 %rd<99>;\n" + body + "\tret;\n}\n";
  const auto all = estimate_registers(ptx);
  EXPECT_EQ(all.size(), 1u);
  EXPECT_EQ(all.at(0).kernel, "k");
  return all.at(0).registers;
}

// The overhead of a kernel that holds nothing.
int base() { return registers(""); }

TEST(Pressure, ValuesCountWhileTheyAreAlive) {
  EXPECT_EQ(registers("\tmov.u32 %r1, %tid.x;\n\tst.shared.b32 [a], %r1;\n"), base() + 1);
  EXPECT_EQ(registers("\tmov.u32 %r1, %tid.x;\n\tadd.s32 %r2, %r1, 1;\n\tst.shared.b32 [a], %r2;\n"), base() + 1) << "the sum takes its operand's place";
  EXPECT_EQ(registers("\tmov.u32 %r1, %tid.x;\n\tadd.s32 %r2, %r1, 1;\n\tmul.lo.s32 %r3, %r2, %r1;\n\tst.shared.b32 [a], %r3;\n"), base() + 2) << "both at the product";
  EXPECT_EQ(registers("\tmov.u32 %r1, %tid.x;\n\tst.shared.b32 [a], %r1;\n\tmov.u32 %r2, %tid.x;\n\tst.shared.b32 [b], %r2;\n"), base() + 1);
  EXPECT_EQ(registers("\tld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [a];\n\tst.shared.v4.b32 [b], {%r4, %r3, %r2, %r1};\n"), base() + 4);
  EXPECT_EQ(registers("\tld.shared.b64 %rd1, [a];\n\tst.shared.b64 [b], %rd1;\n"), base() + 2) << "64 bits are two";
}

TEST(Pressure, ParametersConstantsAndPredicatesAreFree) {
  EXPECT_EQ(registers("\tld.param.b64 %rd1, [k_param_0];\n\tcvta.to.global.u64 %rd2, %rd1;\n\tmov.b32 %r1, 7;\n\tst.global.b32 [%rd2], %r1;\n"), base());
  EXPECT_EQ(registers("\tmov.u32 %r1, %tid.x;\n\tsetp.lt.s32 %p1, %r1, 3;\n\t@%p1 bra $L;\n\tst.shared.b32 [a], 1;\n$L:\n"), base() + 1);
}

TEST(Pressure, LoopsKeepWhatTheNextTurnReads) {
  const std::string loop = "\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, %tid.y;\n$L:\n\tadd.s32 %r1, %r1, 1;\n\tsetp.lt.s32 %p1, %r1, 9;\n\t@%p1 bra $L;\n";
  EXPECT_EQ(registers(loop), base() + 2) << "the second is never read";
  EXPECT_EQ(registers("\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, %tid.y;\n$L:\n\tadd.s32 %r3, %r2, 1;\n\tadd.s32 %r1, %r1, %r3;\n\tsetp.lt.s32 %p1, %r1, 9;\n\t@%p1 bra $L;\n"), base() + 3)
      << "%r2 lives around the loop";
}

TEST(Pressure, WhatAGuardMayLeaveIsRead) {
  EXPECT_EQ(registers("\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, %tid.y;\n\tsetp.lt.s32 %p1, %r2, 3;\n\t@%p1 mov.b32 %r1, 5;\n\tst.shared.b32 [a], %r1;\n"), base() + 2);
}

// An estimate that helps to choose tiles: the assembler's number within a factor of two, for kernels of the usual kinds.
TEST(Pressure, NearWhatPtxasSays) {
  if (find_ptxas().empty()) GTEST_SKIP() << "no ptxas";
  int seen = 0;
  for (const testing::Case& c : testing::all_cases()) {
    if (c.name != "copy_4097" && c.name != "bias_gelu_1024x8" && c.name != "blur_shared_130x37" && c.name != "shared_softmax_f32" && c.name != "app_harris_gpu_131x37") continue;
    const Callable kernel = c.build().pipeline.compile_jit(Target::parse("cuda-sm_90a"));
    for (const RegisterPressure& e : estimate_registers(kernel.ptx()))
      for (const KernelResources& r : kernel.code().device().resources)
        if (r.kernel == e.kernel) {
          EXPECT_LE(e.registers, 2 * r.registers + 8) << e.kernel;
          EXPECT_GE(2 * e.registers, r.registers) << e.kernel;
          ++seen;
        }
  }
  EXPECT_GE(seen, 10);
}

}  // namespace
}  // namespace sinter::codegen
