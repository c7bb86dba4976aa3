// The texts that travel with an exported pipeline.
#pragma once

#include <string>
#include <vector>

#include "codegen/aot/export.h"
#include "ir/kernel.h"

namespace sinter::codegen {

// Throws UserError E0603 where the pipeline or an argument has a name that C can't use.
void check_c_names(const ir::Program& program);

const std::string& argument_name(const ir::Program& p, const ir::Argument& a);
// "f32 [height, 3], innermost stride 1" or "scalar i32": what a call takes, in DLPack's order.
std::string argument_text(const ir::Program& p, const ir::Argument& a);

// The C type of a scalar argument; f16 and bf16 travel as float, rounded by the callee.
std::string c_scalar_type(ir::Type t);

std::string c_header(const Library& library);

// One version in words: what travels inside of it.
struct VersionText {
  const ir::Module* module = nullptr;
  std::vector<std::string> images;  // "cubin sm_90a", "ptx sm_90"
};

// {"name": "f", "arguments": [{"name", "kind", "type", "rank", "shape", "dense"}], "versions": [{"target", "device", "images", "kernels"}]}
// kind is "input", "output" or "scalar". shape is in DLPack's order, the innermost dimension last, null where any extent will do; dense:
// the innermost stride has to be 1.
std::string arguments_json(const ir::Program& program);  // the list of "arguments"
std::string metadata_json(const std::vector<VersionText>& versions);

}  // namespace sinter::codegen
