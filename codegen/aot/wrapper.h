// The C functions of an exported pipeline, in LLVM IR. Internal to codegen/: this header includes LLVM.
#pragma once

#include "codegen/llvm/entry.h"

namespace sinter::codegen {

// Adds `name`, `name_init`, `name_workspace_size` and `name_metadata` around the entry of the same LLVM module.
void emit_wrappers(llvm::Module& out, const llvm::TargetMachine& machine, const ir::Module& m, const EntryFunctions& entry);

}  // namespace sinter::codegen
