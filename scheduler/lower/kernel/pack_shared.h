// pack-shared: shared-memory Funcs get byte offsets; Funcs that are never live together may lie in the same bytes.
//
// requires: layouts are assigned.
// ensures: `offset` of each Func in shared memory; `shared_bytes` within the target's limit, else error E0402 that lists Funcs and bytes.
//          A Func is live from the first to the last statement that touches it, and through the whole of every loop inside its
//          allocation that touches it.
// why here: before barriers, which must see who shares bytes with whom.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

void pack_shared(const ir::Module& module, KernelDraft& draft);

}  // namespace sinter::scheduler
