// Every case against the oracle: on the host, in the emulator (with its race and bounds checks), and assembled for every architecture.
#include <gtest/gtest.h>

#include "codegen/compiled.h"
#include "codegen/llvm/nvptx.h"
#include "codegen/llvm/ptxas.h"
#include "tests/support/cases.h"

namespace sinter::testing {

class Differential : public ::testing::TestWithParam<Case> {};

TEST_P(Differential, Host) { EXPECT_EQ(run_and_compare(GetParam(), Target::parse("host")), ""); }

TEST_P(Differential, Emulator) {
  if (GetParam().host_only) GTEST_SKIP() << "a schedule for a host";
  EXPECT_EQ(run_and_compare(GetParam(), Target::parse("emulate-sm_90a")), "");
}

TEST_P(Differential, Ptx) {
  if (GetParam().host_only) GTEST_SKIP() << "a schedule for a host";
  const Built built = GetParam().build();
  for (const char* sm : {"cuda-sm_80", "cuda-sm_90a"}) {
    const Callable kernel = built.pipeline.compile_jit(Target::parse(std::string(sm)));
    EXPECT_NE(kernel.ptx().find(".maxntid"), std::string::npos);
    const bool local = !codegen::kernels_with_local_memory(kernel.ptx()).empty();
    EXPECT_TRUE(!local || GetParam().local_memory) << kernel.ptx();
    for (const codegen::KernelResources& r : kernel.code().device().resources)
      EXPECT_TRUE(r.spill_store_bytes + r.spill_load_bytes == 0 || GetParam().local_memory) << r.kernel;
  }
  if (codegen::find_ptxas().empty()) GTEST_SKIP() << "no ptxas: the PTX was made but not assembled";
}

INSTANTIATE_TEST_SUITE_P(All, Differential, ::testing::ValuesIn(all_cases()), [](const auto& info) { return info.param.name; });

}  // namespace sinter::testing
