// insert-barriers: threads of a block wait for each other where a statement depends on what another thread did.
//
// requires: layouts are assigned and shared memory is packed.
// ensures: between two statements that touch the same bytes of shared memory, or the same buffer written by the kernel, one of them
//          writing, there is a barrier, around loops' back edges too, unless each thread depends on its own points only (equal
//          layouts, equal coordinates). A barrier is placed as late as possible, and serves all dependences that cross it.
// why here: statements are still whole, so a dependence is a pair of statements.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

void insert_barriers(KernelDraft& draft);

}  // namespace sinter::scheduler
