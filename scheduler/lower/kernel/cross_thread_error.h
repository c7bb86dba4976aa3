// Error E0207: a Func asked to be in registers is read by a thread that did not write it.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

// Throws, with the two threads of one point as a counterexample where plain evaluation finds them.
[[noreturn]] void cross_thread_error(const ir::Module& module, const KernelDraft& draft, const KernelStorage& storage,
                                     const ir::TileStmt& writer, const ir::TileStmt& reader, const Access& access);

}  // namespace sinter::scheduler
