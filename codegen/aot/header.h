// The texts that travel with an exported pipeline.
#pragma once

#include <string>

#include "ir/kernel.h"

namespace sinter::codegen {

// Throws UserError E0603 where the pipeline or an argument has a name that C can't use.
void check_c_names(const ir::Program& program);

// The C type of a scalar argument; f16 and bf16 travel as float, rounded by the callee.
std::string c_scalar_type(ir::Type t);

std::string c_header(const ir::Module& module);

// {"name", "target", "arguments": [{"name", "kind", "type", "rank"}], "kernels": [...]}
std::string metadata_json(const ir::Module& module);

}  // namespace sinter::codegen
