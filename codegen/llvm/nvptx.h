// The NVPTX back end: the kernels of a Module as one PTX text.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel.h"

namespace sinter::codegen {

struct PtxResult {
  std::string ptx;
  std::string llvm_ir;  // after optimisation
};

// requires: kernels in the final per-thread form, expand_math done for cuda; kernel names are identifiers and distinct.
// ensures: entry points named like the kernels; parameters are one pointer per Kernel::buffers entry, then one value per
// Kernel::scalars entry; shared memory is dynamic, Kernel::shared_bytes of it.
// Throws UserError E0405 for statements that have no execution here yet.
PtxResult emit_ptx(const ir::Module& module);

// Names of the kernels in `ptx` that use local memory: a register array that is not in registers.
std::vector<std::string> kernels_with_local_memory(const std::string& ptx);

}  // namespace sinter::codegen
