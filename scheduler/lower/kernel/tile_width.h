// What the width rule (layout/fixed_layout.h) needs to know of tile statements: their accesses to global memory.
#pragma once

#include "scheduler/layout/fixed_layout.h"
#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

std::vector<GlobalAccess> global_accesses(const ir::Module& module, const KernelDraft& draft, const ir::TileStmt& tile);

// Points along dimension 0 that one thread handles at once, by the accesses of `group` (statements over one box); a vectorize hint
// overrides; 1 in the general version. Not yet limited by the number of threads.
int tile_vector(const ir::Module& module, const KernelDraft& draft, const std::vector<const ir::TileStmt*>& group);

int64_t box_points(const ir::TileStmt& tile);

}  // namespace sinter::scheduler
