// A pipeline's arguments as the runtime checks them.
#pragma once

#include <string>
#include <vector>

#include "codegen/runtime/sinter_runtime.h"
#include "ir/program.h"

namespace sinter::codegen {

// DLPack's code and bits of an element type; bool is code 6 with 8 bits.
DLDataType dl_type(ir::Type t);
struct RuntimeArguments {
  std::vector<std::string> names;   // owns what `args` points to
  std::vector<sinter_rt_arg> args;  // in call order
};
RuntimeArguments runtime_arguments(const ir::Program& program);

}  // namespace sinter::codegen
