// decode-blocks: block loops become arithmetic on the linear block index.
//
// requires: a draft from cut_kernels.
// ensures: `body` is a copy with its own variables, in which each block loop's variable is a Let, the innermost loop varying fastest.
//          The general version covers grids of more blocks than one launch has by a serial loop.
// why here: first of a version's passes: from here on the two versions have nothing in common.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

constexpr int64_t kMaxGrid = 2147483647;  // gridDim.x

void decode_blocks(KernelDraft& draft);

}  // namespace sinter::scheduler
