// ptxas, where it is installed: PTX to a cubin, and what it says about registers and spills.
#pragma once

#include <string>
#include <vector>

#include "ir/target/target.h"

namespace sinter::codegen {

struct KernelResources {
  std::string kernel;
  int registers = 0;
  int stack_bytes = 0;
  int spill_store_bytes = 0, spill_load_bytes = 0;
  int static_shared_bytes = 0;
  int barriers = 0;
};

struct AssembleResult {
  std::string cubin;
  std::vector<KernelResources> kernels;
  std::vector<std::string> warnings;
};

// The path of ptxas: on PATH, else below CUDA_HOME or CUDA_PATH, else in /usr/local/cuda; empty where there is none.
std::string find_ptxas();

// requires: find_ptxas() is not empty. Throws UserError E0605 with the tool's words where it rejects the text.
AssembleResult assemble(const std::string& ptx, const std::string& sm_name);

}  // namespace sinter::codegen
