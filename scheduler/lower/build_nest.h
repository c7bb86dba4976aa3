// The Nest form of a pipeline, built once from the applied schedule.
#pragma once

#include <string>
#include <vector>

#include "ir/stmt.h"
#include "scheduler/lower/plan.h"
#include "scheduler/lower/regions.h"

namespace sinter::scheduler {

// What the caller's buffer must satisfy: needed <= given on entry (boundary.md, Requirements).
struct Requirement {
  ir::FuncId func;
  int dim;
  ir::Expr min, max;  // the region that is read or written; must lie in [0, extent - 1]
};

struct PlacementNote {
  ir::FuncId func;
  std::string where;   // "inline", "root", "by at block xo"
  std::string reason;
  int recompute;
};

struct Nest {
  ir::Program program;  // inlined Funcs substituted
  ir::Stmt body;
  std::vector<Requirement> requirements;
  std::vector<PlacementNote> placement;
  ir::SymMap<int64_t> estimates;  // set_estimate: extents of Inputs and outputs, for reports
};

// Requires: a plan after resolve_placement. Ensures: the Nest form (ir/verify), every Provide inside its stage's region, CheckStmts for
// the requirements in front. Indices are absolute; Lets bind region ends that are not affine.
Nest build_nest(const Plan& plan);

}  // namespace sinter::scheduler
