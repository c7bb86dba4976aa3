// decode-blocks: block loops become arithmetic on the linear block index.
//
// requires: a draft from cut_kernels.
// ensures: `body` is a copy with its own variables, in which each block loop's variable is a Let, the innermost loop varying fastest.
//          In the general version the coordinates of the launch's first block are added, digit by digit with carries: the host launches
//          as often as the grid needs, and the kernel gets by without 64-bit division.
// why here: first of a version's passes: from here on the two versions have nothing in common.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

constexpr int64_t kMaxGrid = 2147483647;  // gridDim.x

void decode_blocks(KernelDraft& draft);

}  // namespace sinter::scheduler
