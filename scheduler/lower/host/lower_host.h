// From a Nest to the final host form: everything in Module::entry, flat loops and vector expressions.
#pragma once

#include "ir/kernel.h"

namespace sinter::scheduler {

ir::Module lower_host(const ir::Program& program, const ir::Stmt& nest, const ir::Target& target);

}  // namespace sinter::scheduler
