// Reductions that a block computes together: cooperative RVars of a tile statement (tiles.md, Reductions).
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

// Per dimension of the statement: whether its points are folded into one, i.e. the statement is an update f(p) = f(p) op value and the
// dimension's variable has no part in p.
std::vector<bool> reduced_dims(const ir::TileStmt& tile);

// Replaces f(p) = f(p) op value over points that several threads run by
//   partial(p) = identity                              in registers of each thread
//   partial(p) = partial(p) op value                   each thread over its own points
//   partial(p) = partial(p) op shuffle(partial(p))     the lanes of a warp that share p, pairwise
//   warps(w, p) = partial(p)                           one lane of each warp, in shared memory; where warps share p
//   f(p) = f(p) op warps(0, p) op warps(1, p) ...      everybody who needs it
// after layouts are assigned. The first and the last three move out of serial loops over further parts of the same reduction. Lanes
// combine in the same order whichever of them looks, so all threads get the same bits. Adds the new storage to module and draft.
void distribute_reductions(ir::Module& module, KernelDraft& draft);

}  // namespace sinter::scheduler
