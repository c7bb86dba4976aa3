// Every case against the oracle: on the host, in the emulator (with its race and bounds checks), and assembled for every architecture.
#include <gtest/gtest.h>

#include "codegen/compiled.h"
#include "codegen/llvm/nvptx.h"
#include "codegen/llvm/ptxas.h"
#include "scheduler/lower/lower.h"
#include "tests/support/cases.h"

namespace sinter::testing {

class Differential : public ::testing::TestWithParam<Case> {};

TEST_P(Differential, Host) { EXPECT_EQ(run_and_compare(GetParam(), Target::parse("host")), ""); }

TEST_P(Differential, Emulator) {
  if (GetParam().host_only) GTEST_SKIP() << "a schedule for a host";
  EXPECT_EQ(run_and_compare(GetParam(), Target::parse("emulate-sm_90a")), "");
}

namespace {

void check_device_code(const Case& c, const codegen::DeviceCode& code) {
  EXPECT_NE(code.ptx.find(".maxntid"), std::string::npos);
  const bool local = !codegen::kernels_with_local_memory(code.ptx).empty();
  EXPECT_TRUE(!local || c.local_memory) << code.ptx;
  for (const codegen::KernelResources& r : code.resources)
    EXPECT_TRUE(r.spill_store_bytes + r.spill_load_bytes == 0 || c.local_memory) << r.kernel;
}

}  // namespace

TEST_P(Differential, Ptx) {
  if (GetParam().host_only) GTEST_SKIP() << "a schedule for a host";
  const Built built = GetParam().build();
  {
    // Once with all that a user waits for: proofs, and the host's part of a call.
    SCOPED_TRACE("sm_90a");
    check_device_code(GetParam(), built.pipeline.compile_jit(Target::parse("cuda-sm_90a")).code().device());
  }
  const ir::Program program = built.pipeline.program();
  const ir::Schedule schedule = built.pipeline.schedule();
  for (const char* sm : {"sm_80", "sm_89", "sm_90"}) {
    SCOPED_TRACE(sm);
    // What was proved holds for every architecture: a proof asks nothing of it.
    const scheduler::Lowered lowered = scheduler::lower(program, schedule, Target::parse(std::string("cuda-") + sm), {.enabled = false});
    check_device_code(GetParam(), codegen::compile_device(lowered.module));
  }
  if (codegen::find_ptxas().empty()) GTEST_SKIP() << "no ptxas: the PTX was made but not assembled";
}

INSTANTIATE_TEST_SUITE_P(All, Differential, ::testing::ValuesIn(all_cases()), [](const auto& info) { return info.param.name; });

}  // namespace sinter::testing
