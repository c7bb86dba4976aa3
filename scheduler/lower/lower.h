// The whole way from Program + Schedule to a Module for one target.
#pragma once

#include "ir/kernel.h"
#include "ir/schedule.h"
#include "scheduler/lower/build_nest.h"

namespace sinter::scheduler {

struct Lowered {
  Nest nest;
  ir::Module module;
};

// Throws UserError where the algorithm or schedule is not legal, or a proof fails.
Lowered lower(const ir::Program& program, const ir::Schedule& schedule, const ir::Target& target);

}  // namespace sinter::scheduler
