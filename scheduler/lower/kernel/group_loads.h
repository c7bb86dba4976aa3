// group-loads: the loads of a straight line of code become few, wide, early ones.
//
// requires: flat per-thread code.
// ensures: in each run of Lets and Stores without control flow, loads of buffers that the run doesn't store to are Lets at its front, in
//          order of first use, each element loaded once: elements at literal distances from each other are covered by aligned vectors as
//          wide as possible such that nothing is read that nobody asked for. Runs with very many loads are cut into batches. Dense vector
//          accesses that remain say the alignment they are known to have. `access_bytes` says what the fast version relies on.
// why here: last: it wants final indices. Stencils get their neighbours from one aligned row; independent loads are in flight together.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

void group_loads(const ir::Module& module, KernelDraft& draft);

}  // namespace sinter::scheduler
