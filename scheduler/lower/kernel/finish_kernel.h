// finish-kernel: a draft becomes an ir::Kernel.
//
// requires: final per-thread code.
// ensures: buffers (in order of first use), written, scalars (free variables that are not the kernel's own) and allocations are those of
//          the body; register estimates are within the target's limit, else error E0403.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

ir::Kernel finish_kernel(const ir::Module& module, const KernelDraft& draft);

}  // namespace sinter::scheduler
