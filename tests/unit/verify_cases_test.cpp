// What the compiler makes of every case keeps the invariants of its form, and its text reads back.
// Proofs are off: they have tests of their own, and take longer.
#include <gtest/gtest.h>

#include <set>

#include "ir/text/parse.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"
#include "scheduler/lower/kernel/lower_kernels.h"
#include "scheduler/lower/lower.h"
#include "tests/support/cases.h"
#include "tests/support/ir_equal.h"

namespace sinter::test {
namespace {

using namespace sinter::ir;

// The draft of the first kernel after each pass: lowering verifies all of them, here the text reads back.
void every_draft(const scheduler::Lowered& lowered, const Target& target) {
  scheduler::KernelOptions options;
  std::set<std::string> passes;
  options.after = [&](const std::string& pass, const Module& m, KernelDraft& draft) {
    if (const bool fresh = passes.insert(pass + (draft.fast ? "" : " general")).second; !fresh) return;
    IrEqual same;
    const auto [n, read] = parse_draft(print_draft(m, draft));
    EXPECT_TRUE(same(m.program, n.program) && same(draft, read)) << "after " << pass << ": " << same.difference() << "\n" << print(draft, m);
  };
  scheduler::lower_kernels(lowered.nest.program, lowered.nest.body, target, options);
  EXPECT_EQ(passes.size(), 24u);
}

class VerifyCases : public ::testing::TestWithParam<const char*> {};

TEST_P(VerifyCases, EveryFormOfEveryCase) {
  const Target target = Target::parse(GetParam());
  for (const sinter::testing::Case& c : sinter::testing::all_cases()) {
    if (c.host_only && target.backend != Backend::Host) continue;
    SCOPED_TRACE(c.name);
    const sinter::testing::Built built = c.build();
    const Program program = built.pipeline.program();
    const Schedule schedule = built.pipeline.schedule();
    try {
      verify_program(program);
      verify_schedule(program, schedule);
      const scheduler::Lowered lowered = scheduler::lower(program, schedule, target, {.enabled = false});
      verify_nest(lowered.nest.program, lowered.nest.body);
      verify_module(lowered.module);

      IrEqual same_program, same_nest, same_module;
      const auto [p, s] = parse_program(print(program, schedule));
      EXPECT_TRUE(same_program(program, p) && same_program(schedule, s)) << same_program.difference();
      const auto [q, n] = parse_nest(print_nest(lowered.nest.program, lowered.nest.body));
      EXPECT_TRUE(same_nest(lowered.nest.program, q) && same_nest(lowered.nest.body, n)) << same_nest.difference();
      EXPECT_TRUE(same_module(lowered.module, parse_module(print(lowered.module)))) << same_module.difference();
      if (target.is_gpu()) every_draft(lowered, target);
      EXPECT_FALSE(print_loop_nest(lowered.nest.body, lowered.nest.program).empty());
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, VerifyCases, ::testing::Values("host", "cuda-sm_90a"), [](const auto& target) {
  std::string name = target.param;
  for (char& ch : name)
    if (ch == '-') ch = '_';
  return name;
});

}  // namespace
}  // namespace sinter::test
