// Target machines, and the optimisation pipelines run before them. Internal to codegen/: this header includes LLVM.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "ir/target/target.h"

namespace sinter::codegen {

std::unique_ptr<llvm::TargetMachine> nvptx_machine(const ir::Target& target);

// `cpu`: "native", or a name that LLVM knows ("x86-64-v2"). Code is position independent where `pic`.
std::unique_ptr<llvm::TargetMachine> host_machine(const std::string& cpu, bool pic);
bool has_feature(const llvm::TargetMachine& machine, const char* feature);

// Device code is not unrolled, vectorized or versioned behind the schedule's back; host code is.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, bool host);

std::string to_assembly(llvm::Module& module, llvm::TargetMachine& machine);
std::string to_object(llvm::Module& module, llvm::TargetMachine& machine);
std::string to_text(const llvm::Module& module);

// Throws InternalError with the verifier's words.
void verify(const llvm::Module& module);

}  // namespace sinter::codegen
