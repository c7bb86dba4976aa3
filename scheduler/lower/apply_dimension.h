// The directives about dimensions of a Func and the storage along them: bound, bound_extent, align_bounds, set_estimate,
// reorder_storage, align_storage.
#pragma once

#include "scheduler/lower/plan.h"

namespace sinter::scheduler {

// Checks one of them and notes it in the plan of its Func.
void apply_dimension(const ir::Program& program, FuncPlan& plan, const ir::Directive& directive);

}  // namespace sinter::scheduler
