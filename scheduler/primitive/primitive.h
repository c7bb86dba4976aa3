// The loop directives, one file each: check, check, rewrite. Each edits the loops of one stage and throws a UserError where the
// directive is not legal there.
#pragma once

#include "scheduler/primitive/stage_loops.h"

namespace sinter::scheduler {

void apply_split(const ir::Program&, StageLoops&, const ir::Directive&);
void apply_fuse(const ir::Program&, StageLoops&, const ir::Directive&);
void apply_rename(const ir::Program&, StageLoops&, const ir::Directive&);
void apply_reorder(const ir::Program&, StageLoops&, const ir::Directive&);
void apply_bind(const ir::Program&, StageLoops&, const ir::Directive&);       // serial, parallel, cooperative, gpu_blocks, gpu_threads
void apply_vectorize(const ir::Program&, StageLoops&, const ir::Directive&);  // vectorize, unroll
void apply_gpu_tile(const ir::Program&, StageLoops&, const ir::Directive&);
void apply_block_order(const ir::Program&, StageLoops&, const ir::Directive&);
void apply_threads(const ir::Program&, StageLoops&, const ir::Directive&);

// Splits the loop at `position`; shared by split, gpu_tile and vectorize. Returns the node of the inner loop.
int split_loop(StageLoops&, int position, const ir::Sym& outer, const ir::Sym& inner, int64_t factor, ir::Tail tail, ir::Loc loc);

// E0103 where the tail of a split or gpu_tile is not legal for the loop.
void require_tail(const ir::Program&, const StageLoops&, const LoopNode&, const ir::Directive&);

// Checks of the whole nest once all directives are applied: block loops outermost in one group, thread loops contiguous.
void check_nest(const ir::Program&, const StageLoops&);
// The same of block_order: what it names are block loops now, and a group has a loop to be repeated for.
void check_block_order(const ir::Program&, const StageLoops&);

// True where the iterations of the update's RVar loops may run in any order: every pair of iterations touches different points,
// which holds here only where an argument of the left side, and of every read of the Func itself, is exactly that RVar.
bool rvar_is_parallel(const ir::Program&, const StageLoops&, int position);
// True for an RVar of an update that folds values with an associative, commutative operator into points that the RVar has no part in:
// a block may share its iterations out and combine what its threads have.
bool rvar_is_reduced(const ir::Program&, const StageLoops&, int position);

}  // namespace sinter::scheduler
