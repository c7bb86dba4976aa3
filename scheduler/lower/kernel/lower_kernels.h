// From a Nest to the final Kernel form: per-thread kernels, each in two versions, and the host code that launches them.
#pragma once

#include <functional>

#include "ir/kernel.h"
#include "ir/prover.h"
#include "scheduler/prove/obligations.h"

namespace sinter::scheduler {

// What proves each kernel while it still has tile statements, layouts and barriers; without a prover nothing is proved.
struct KernelProofs {
  ir::Prover* prover = nullptr;
  ProofReport* report = nullptr;
  std::function<void(KernelDraft&)> edit;  // tests: changes a kernel just before it is proved
};

// For cuda and emulate targets.
ir::Module lower_kernels(const ir::Program& program, const ir::Stmt& nest, const ir::Target& target, const KernelProofs& proofs = {});

}  // namespace sinter::scheduler
