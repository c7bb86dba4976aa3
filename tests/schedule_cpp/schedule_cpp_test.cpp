// What schedule_to_cpp() prints, compiled: it gives the same directives to the same algorithm without any.
#include <gtest/gtest.h>

#include <map>

#include "tests/support/ir_equal.h"
#include "tests/support/schedule_samples.h"

// sinter_print_schedules wrote it when this was built.
#include <printed_schedules.inc>

namespace sinter::testing {
namespace {

TEST(ScheduleCpp, CompilesBackToTheSameSchedule) {
  size_t directives = 0;
  for (const ScheduleSample& s : schedule_samples()) {
    const auto function = printed.find(s.name);
    ASSERT_NE(function, printed.end()) << s.name << ": printed when this was built, not now";
    const Pipeline original = s.build();
    Pipeline again = s.build();
    again.clear_schedule();
    EXPECT_EQ(again.schedule().directives.size(), 0u);
    function->second(again);
    test::IrEqual equal;
    EXPECT_TRUE(equal(original.program(), again.program())) << s.name << ": " << equal.difference();
    EXPECT_TRUE(equal(original.schedule(), again.schedule())) << s.name << ": " << equal.difference() << "\n" << again.schedule_to_cpp();
    EXPECT_EQ(original.schedule_to_cpp(), again.schedule_to_cpp());
    directives += original.schedule().directives.size();
  }
  EXPECT_GT(directives, 100u);
}

}  // namespace
}  // namespace sinter::testing
