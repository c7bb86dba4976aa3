// From a Nest to the final Kernel form: per-thread kernels, each in two versions, and the host code that launches them.
#pragma once

#include "ir/kernel.h"

namespace sinter::scheduler {

// For cuda and emulate targets.
ir::Module lower_kernels(const ir::Program& program, const ir::Stmt& nest, const ir::Target& target);

}  // namespace sinter::scheduler
