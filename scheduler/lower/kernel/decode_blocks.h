// decode-blocks: block loops become arithmetic on the linear block index.
//
// requires: a draft from cut_kernels.
// ensures: `body` is a copy with its own variables, in which each block loop's variable is a Let, in the order of block_order.h (the
//          innermost loop varies fastest unless the schedule says otherwise). In the general version the digits of the launch's first
//          block are added, one by one with carries, before they are regrouped: the host launches as often as the grid needs, and only
//          a grouped order divides in 64 bits.
// why here: first of a version's passes: from here on the two versions have nothing in common.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

constexpr int64_t kMaxGrid = 2147483647;  // gridDim.x

void decode_blocks(KernelDraft& draft);

}  // namespace sinter::scheduler
