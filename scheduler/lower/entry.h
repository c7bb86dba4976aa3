// The parts of a Module that all targets share: argument slots, argument buffers, and the checks of what was declared.
#pragma once

#include <vector>

#include "ir/kernel.h"

namespace sinter::scheduler {

// A Module of `program` without code: buffers of Inputs and outputs (others empty but named and typed), and the argument slots in
// call order (a tensor: base, extents, strides; a Param: one).
ir::Module make_module(const ir::Program& program, const ir::Target& target);

// The entry around `body`, which computes the outputs: first the checks of declared extents and strides; then nothing where all outputs
// are empty; then the checks that no size which `body` relies on is 0. Proofs take every extent to be at least 1.
ir::Stmt make_entry(const ir::Program& program, const ir::Stmt& body);

}  // namespace sinter::scheduler
