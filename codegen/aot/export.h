// Ahead of time: a pipeline as files that other programs link.
#pragma once

#include <string>

#include "ir/kernel.h"

namespace sinter::codegen {

struct ExportOptions {
  std::string cpu = "x86-64-v2";  // what the host code may use: a processor's name to LLVM, or "native"
};

// path.a, an archive of one position-independent object, and path.h, a plain C header that documents the arguments. The object
// defines `name`, `name_init`, `name_workspace_size` and `name_metadata`, where `name` is the pipeline's, and nothing else that
// another object could see; it needs the runtime library and the C library. Kernels of a cuda target travel inside of it.
// Throws UserError E0603 for a name that is no C identifier and for files that can't be written.
void export_static_library(const ir::Module& module, const std::string& path, const ExportOptions& options = {});

// One file each, named as given. export_ptx: cuda targets only. export_llvm: the kernels' IR on cuda, the entry's on host.
void export_ptx(const ir::Module& module, const std::string& path);
void export_llvm(const ir::Module& module, const std::string& path, const ExportOptions& options = {});
void export_text(const std::string& text, const std::string& path);

}  // namespace sinter::codegen
