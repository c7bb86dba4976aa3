// From a Nest to the final host form: everything in Module::entry, flat loops and vector expressions.
#pragma once

#include "ir/kernel.h"
#include "ir/pass_scope.h"

namespace sinter::scheduler {

ir::Module lower_host(const ir::Program& program, const ir::Stmt& nest, const ir::Target& target, ir::PassLog* passes = nullptr);

}  // namespace sinter::scheduler
