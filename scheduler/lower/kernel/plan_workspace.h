// plan-workspace: the scratch buffers of a pipeline get offsets in one workspace.
//
// requires: scratch with byte sizes in terms of arguments and the launches during which each is live.
// ensures: buffers in the module have `bytes` and `workspace_offset`, multiples of 256; buffers that are live during one launch don't overlap;
//          `workspace_bytes` is the sum. Sizes are symbolic, so reuse is by slots: a slot is as large as the largest buffer that uses it.
// why here: once all kernels are cut.
#pragma once

#include "scheduler/lower/kernel/cut_kernels.h"

namespace sinter::scheduler {

void plan_workspace(std::vector<Scratch> scratch, ir::Module& module);

}  // namespace sinter::scheduler
