// choose-threads: the size of a kernel's blocks.
//
// requires: tiles are formed.
// ensures: `threads` is a multiple of the warp size within the target's limit: what threads(n) said, else what explicit thread loops
//          need, else 128 to 256 by work (fewer where the largest box has fewer vectors than that).
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

void choose_threads(const ir::Module& module, KernelDraft& draft);

}  // namespace sinter::scheduler
