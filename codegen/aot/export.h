// Ahead of time: a pipeline as files that other programs link.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel.h"

namespace sinter::codegen {

struct ExportOptions {
  std::string cpu = "x86-64-v2";  // what the host code may use: a processor's name to LLVM, or "native"
};

// A pipeline lowered once for each target it is exported for; all versions have the same arguments.
struct Library {
  std::vector<ir::Module> versions;
  std::vector<std::string> notes;  // for the header's comment: what was left out, and why
};

// Throws UserError E0400 for a list that is empty or has two versions for one device, E0603 for a target that can't be exported.
void check_targets(const std::vector<ir::Target>& targets);

// What is exported beside the targets that a user names: code of an architecture with a letter (sm_90a) runs on that one only, so that
// generic PTX (sm_90) goes with it, unless it is named.
std::vector<ir::Target> generic_targets(const std::vector<ir::Target>& targets);

// path.a, an archive of one position-independent object, and path.h, a plain C header that documents the arguments. The object
// defines `name`, `name_init`, `name_workspace_size` and `name_metadata`, where `name` is the pipeline's, and nothing else that
// another object could see; it needs the runtime library and the C library. Kernels of cuda targets travel inside of it. The metadata is
// a JSON text in a section of its own, ".sinter.metadata", for tools: readelf -p .sinter.metadata path.a
// Throws UserError E0603 for a name that is no C identifier, for versions whose arguments differ, and for files that can't be written.
void export_static_library(const Library& library, const std::string& path, const ExportOptions& options = {});
void export_static_library(const ir::Module& module, const std::string& path, const ExportOptions& options = {});

// The same functions for Python: path.py, a module that takes tensors of any library (DLPack, __array_interface__,
// __cuda_array_interface__) without copies, and beside it lib<name>.so, where <name> is path's last part, and the runtime as a shared
// library, which all modules of a process share. The three files may be moved together; the module needs nothing but the interpreter.
// Needs a C compiler as the linker: $CC, else cc. Throws UserError E0603 as above, for names that Python can't use, and without a linker;
// E0605 where the linker fails. Returns the files' paths.
std::vector<std::string> export_python_module(const Library& library, const std::string& path, const ExportOptions& options = {});

// One file each, named as given. export_ptx: cuda targets only. export_llvm: the kernels' IR on cuda, the entry's on host.
void export_ptx(const ir::Module& module, const std::string& path);
void export_llvm(const ir::Module& module, const std::string& path, const ExportOptions& options = {});
std::string llvm_text(const ir::Module& module, const ExportOptions& options = {});  // what export_llvm writes
void export_text(const std::string& text, const std::string& path);

}  // namespace sinter::codegen
