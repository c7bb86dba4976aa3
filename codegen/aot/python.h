// The text of an exported Python module.
#pragma once

#include <string>

#include "codegen/aot/export.h"

namespace sinter::codegen {

// Throws UserError E0603 where `module`, the file's name without its ending, or the pipeline has a name that Python can't use.
void check_python_names(const ir::Program& program, const std::string& module);

// A module of functions `name`, `name_init`, `name_workspace_size` and `name_metadata` over the shared library `file`, which lies beside
// it. An argument whose name is a word of Python's gets an underscore behind it.
std::string python_module(const Library& library, const std::string& file);

}  // namespace sinter::codegen
