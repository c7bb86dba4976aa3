// form-tiles: the loops that a block runs together become tile statements.
//
// requires: the body of a block: Lets, Ifs and serial loops that all threads take alike; nests of Cooperative or Thread loops with
//           constant extents; stores without such loops.
// ensures: every store is inside a Tile (without a layout yet). Allocs are in `storage`, Produce and Consume are gone; loops outside of
//          tiles are Serial or Unrolled. A Tile made of Thread loops has a flat layout of one step already, one without loops a
//          Single one.
// why here: after the kernel is alone, before anything that asks who computes what.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

void form_tiles(const ir::Program& program, KernelDraft& draft);

}  // namespace sinter::scheduler
