// The host's part of a Module: its entry function in LLVM IR, with the device images it launches. Internal to codegen/: this
// header includes LLVM.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <vector>

#include "codegen/llvm/image.h"
#include "ir/kernel.h"

namespace sinter::codegen {

struct EntryFunctions {
  llvm::Function* entry = nullptr;            // int32 (const int64_t* values, void* stream)
  llvm::Function* workspace_bytes = nullptr;  // int64 (const int64_t* values)
  llvm::GlobalVariable* device = nullptr;     // its sinter_rt_module, mutable; has no images on host targets
};

// requires: m.entry in the final host form, expand_math done. ensures: functions of internal linkage that need nothing but the
// runtime (codegen/runtime/sinter_runtime.h) and the C library.
EntryFunctions emit_entry(llvm::Module& out, const llvm::TargetMachine& machine, const ir::Module& m,
                          const std::vector<DeviceImage>& images);

// A NUL-terminated string, and an array of constants; private to the module.
llvm::Constant* c_string(llvm::Module& out, const std::string& text);
llvm::Constant* c_array(llvm::Module& out, llvm::Type* element, const std::vector<llvm::Constant*>& values);

}  // namespace sinter::codegen
