#include "scheduler/lower/lower.h"

#include "ir/text/print.h"
#include "ir/transform/expand_math.h"
#include "ir/verify/verify.h"
#include "scheduler/lower/host/lower_host.h"
#include "scheduler/lower/kernel/lower_kernels.h"
#include "scheduler/prove/prover.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

Module expand_module_math(Module m) {
  m.entry = expand_math(m.entry, m.target);
  for (Kernel& k : m.kernels)
    for (Role& r : k.roles) r.body = expand_math(r.body, m.target);
  return m;
}

Plan place(const Program& program, const Schedule& schedule, const Target& target, PassLog* passes) {
  Plan plan;
  const auto run = [&](const char* name, auto pass) {
    PassScope scope(name, passes, [&] { return print(plan.program); }, [&] { verify_program(plan.program); });
    pass();
    scope.done();
  };
  run("apply-schedule", [&] { plan = apply_schedule(program, schedule, target); });
  run("resolve-placement", [&] { resolve_placement(plan); });  // substitutes inlined Funcs
  return plan;
}

}  // namespace

Lowered lower(const Program& program, const Schedule& schedule, const Target& target, const ProofOptions& proofs) {
  Lowered out;
  const auto print_nest_of = [](const Nest& n) { return print(n.body, n.program); };
  const auto print_module = [](const Module& m) { return print(m); };
  const std::unique_ptr<Prover> prover = proofs.enabled ? make_prover() : nullptr;
  KernelOptions kernel_options;
  kernel_options.prover = prover.get();
  kernel_options.report = &out.proofs;
  kernel_options.passes = &out.passes;

  verify_program(program);
  verify_schedule(program, schedule);
  const Plan plan = place(program, schedule, target, &out.passes);
  out.nest = run_pass(&out.passes, "build-nest", Nest{program, make_seq({}), {}, {}, {}}, [&] { return build_nest(plan); }, print_nest_of,
                      [](const Nest& n) { verify_nest(n.program, n.body); });
  if (prover) prove_nest(out.nest.program, out.nest.body, *prover, out.proofs);
  out.module = run_pass(
      &out.passes, target.is_gpu() ? "lower-kernels" : "lower-host", Module{},
      [&] {
        return target.is_gpu() ? lower_kernels(out.nest.program, out.nest.body, target, kernel_options)
                               : lower_host(out.nest.program, out.nest.body, target, &out.passes);
      },
      print_module, verify_module);
  // What proofs left to run time comes before anything else.
  if (!out.proofs.checks.empty()) {
    std::vector<Stmt> entry = out.proofs.checks;
    entry.push_back(out.module.entry);
    out.module.entry = make_seq(std::move(entry));
  }
  out.module = run_pass(&out.passes, "expand-math", out.module, [&] { return expand_module_math(out.module); }, print_module, verify_module);
  return out;
}

}  // namespace sinter::scheduler
