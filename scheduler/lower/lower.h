// The whole way from Program + Schedule to a Module for one target.
#pragma once

#include "ir/kernel.h"
#include "ir/pass_scope.h"
#include "ir/schedule.h"
#include "scheduler/lower/build_nest.h"
#include "scheduler/prove/obligations.h"

namespace sinter::scheduler {

struct Lowered {
  Nest nest;
  ir::Module module;
  ProofReport proofs;
  ir::PassLog passes;
};

// Throws UserError where the algorithm or schedule is not legal, or a proof fails.
Lowered lower(const ir::Program& program, const ir::Schedule& schedule, const ir::Target& target, const ProofOptions& proofs = {});

}  // namespace sinter::scheduler
