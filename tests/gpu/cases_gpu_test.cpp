// Every case on the device against the oracle.
#include <gtest/gtest.h>

#include "codegen/runtime/sinter_runtime.h"
#include "tests/support/cases.h"

namespace sinter::testing {

class Gpu : public ::testing::TestWithParam<Case> {};

TEST_P(Gpu, EqualsOracle) {
  if (!sinter_rt_have_gpu()) GTEST_SKIP() << "no GPU";
  if (GetParam().host_only) GTEST_SKIP() << "a schedule for a host";
  EXPECT_EQ(run_and_compare(GetParam(), native_target()), "");
}

INSTANTIATE_TEST_SUITE_P(All, Gpu, ::testing::ValuesIn(all_cases()), [](const auto& info) { return info.param.name; });

}  // namespace sinter::testing
