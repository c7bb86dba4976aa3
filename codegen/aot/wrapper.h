// The C functions of an exported pipeline, in LLVM IR. Internal to codegen/: this header includes LLVM.
#pragma once

#include <vector>

#include "codegen/aot/header.h"
#include "codegen/llvm/entry.h"

namespace sinter::codegen {

struct ExportedVersion {
  const ir::Module* module = nullptr;
  VersionText text;
  EntryFunctions entry;  // in the LLVM module that the wrappers go to
};

// Adds `name`, `name_init`, `name_workspace_size` and `name_metadata` around the entries of the same LLVM module. A call runs the version
// that sinter_rt_choose finds.
void emit_wrappers(llvm::Module& out, const llvm::TargetMachine& machine, const std::vector<ExportedVersion>& versions);

}  // namespace sinter::codegen
