// From a Nest to the final Kernel form: per-thread kernels, each in two versions, and the host code that launches them.
#pragma once

#include <functional>
#include <string>

#include "ir/kernel_draft.h"
#include "ir/pass_scope.h"
#include "ir/prover.h"
#include "scheduler/prove/obligations.h"

namespace sinter::scheduler {

struct KernelOptions {
  // Proves each kernel while it has tile statements, layouts and barriers; without one nothing is proved.
  ir::Prover* prover = nullptr;
  ProofReport* report = nullptr;
  ir::PassLog* passes = nullptr;
  bool verify = ir::verifies_each_pass();  // the draft, after each pass
  // Called after each pass of a kernel, before the next: tests look at drafts, and break them.
  std::function<void(const std::string& pass, const ir::Module&, ir::KernelDraft&)> after;
};

// For cuda and emulate targets.
ir::Module lower_kernels(const ir::Program& program, const ir::Stmt& nest, const ir::Target& target, const KernelOptions& options = {});

}  // namespace sinter::scheduler
