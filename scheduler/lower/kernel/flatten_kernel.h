// flatten-kernel: the accesses of a kernel become flat, in i32 in the fast version, i64 in the general one.
//
// requires: per-thread code (no Tile); `module.buffers` of arguments and scratch have mins and strides.
// ensures: no Call, no Provide, no Vectorized or Unrolled loop. Indices of shared memory are relative to the allocation, those of registers
//          literals (or a Ramp from one): a serial loop over registers is unrolled, a register index that stays unknown is error E0206.
//          `strides` holds the i32 forms of run-time strides that the fast version uses, to be bound on the host.
// why here: after expand-tiles; before load grouping, which works on flat indices.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

void flatten_kernel(const ir::Module& module, KernelDraft& draft);

}  // namespace sinter::scheduler
