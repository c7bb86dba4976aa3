// The parts of a Module that all targets share: argument slots, argument buffers, and the checks of what was declared.
#pragma once

#include <vector>

#include "ir/kernel.h"

namespace sinter::scheduler {

// A Module of `program` without code: buffers of Inputs and outputs (others empty but named and typed), and the argument slots in
// call order (a tensor: base, extents, strides; a Param: one).
ir::Module make_module(const ir::Program& program, const ir::Target& target);

// Checks for declared extents, strides and unit innermost strides.
std::vector<ir::Stmt> declared_checks(const ir::Program& program);

// "input `x`, dimension 0: extent"
std::string argument_text(const ir::Program& program, ir::FuncId f, int dim, const char* what);

}  // namespace sinter::scheduler
