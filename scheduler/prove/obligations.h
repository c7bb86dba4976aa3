// What is proved about a pipeline before it runs (docs: proofs). The provers are checkers over the forms themselves: they do not trust
// how a form was made, so that a form that was changed by hand, or by a fault of ours, is refuted with a witness.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel_draft.h"
#include "ir/prover.h"

namespace sinter::scheduler {

// Sizes that the provers rely on: every extent of an argument is in [1, kMaxExtent]. The margin below 2^31 is what tile rounding and
// halos may add to a coordinate.
constexpr int64_t kMaxExtent = (int64_t{1} << 31) - (int64_t{1} << 20) - 1;

struct ProofOptions {
  bool enabled = true;
};

struct ProofReport {
  std::vector<ir::Obligation> obligations;  // one per kind and Func
  std::vector<ir::Stmt> checks;             // CheckStmts over arguments that the entry has to make: what only run time can tell
  double milliseconds = 0;

  std::string to_json() const;
  std::string table() const;  // for people, fixed columns
};

// All of these throw UserError where a claim is refuted, with a counterexample in the user's names, and where one is neither proved
// nor left to a check (E0306).

// The Nest form: bounds, coverage, alias, overflow, allocation.
void prove_nest(const ir::Program& program, const ir::Stmt& nest, ir::Prover& prover, ProofReport& report);

// The Kernel form with tile statements, layouts and barriers: race, ownership, convergence, resources.
void prove_kernel(const ir::Program& program, const ir::KernelDraft& kernel, const ir::Target& target, ir::Prover& prover, ProofReport& report);

}  // namespace sinter::scheduler
