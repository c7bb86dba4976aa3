// expand-tiles: tile statements become loops of one thread over its points.
//
// requires: layouts, storage and barriers are decided.
// ensures: no Tile. Coordinates are sums of digits: those of lane and warp are Lets at the kernel's top, those of registers are loops. Where
//          a statement's live box may be partial there are two paths under a condition that the whole block takes alike: all of the box
//          (vectors, no masks, copies of several points in straight line so that their loads can be issued together), or one point at
//          a time under a mask. Funcs in registers are Stores and Loads with an index that unrolling makes a literal. Copies of a
//          replicated value run where a register needs them; memory is written by their canonical owner only.
// why here: after barriers: from here on statements are per thread.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

void expand_tiles(KernelDraft& draft);

}  // namespace sinter::scheduler
