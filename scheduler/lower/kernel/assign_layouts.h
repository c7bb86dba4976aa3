// assign-layouts: which thread runs which point of each tile statement, and where the block's Funcs live.
//
// requires: tiles are formed, `threads` is chosen.
// ensures: every Tile has a layout for `threads`. Block-level Funcs in Memory::Auto are in registers if every read is register-readable
//          from statements with one layout, else in shared memory; a Func in registers has its readers' (sliced) layout, and so have
//          the statements that compute it. An explicit Register that this denies is error E0207. No conversions, no propagation.
// why here: before barriers (which depend on where values live) and before per-thread code.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

void assign_layouts(const ir::Module& module, KernelDraft& draft);

}  // namespace sinter::scheduler
