#include "scheduler/prove/kernel_race.h"
#include "scheduler/prove/kernel_registers.h"

namespace sinter::scheduler {

void prove_kernel(const ir::Program& program, const KernelDraft& kernel, const ir::Target& target, ir::Prover& prover, ProofReport& report) {
  Claims claims(prover, report);
  claims.restart_clock();
  prove_resources(claims, program, kernel, target);
  prove_ownership(claims, program, kernel);
  prove_races(claims, program, kernel);
}

}  // namespace sinter::scheduler
