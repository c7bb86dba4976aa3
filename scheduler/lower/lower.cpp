#include "scheduler/lower/lower.h"

#include "ir/transform/expand_math.h"
#include "scheduler/lower/host/lower_host.h"
#include "scheduler/lower/kernel/lower_kernels.h"

namespace sinter::scheduler {

using namespace ir;

Lowered lower(const Program& program, const Schedule& schedule, const Target& target, const ProofOptions&) {
  Lowered out;
  Plan plan = apply_schedule(program, schedule, target);
  resolve_placement(plan);
  out.nest = build_nest(plan);
  out.module = target.is_gpu() ? lower_kernels(out.nest.program, out.nest.body, target) : lower_host(out.nest.program, out.nest.body, target);
  out.module.entry = expand_math(out.module.entry, target);
  for (Kernel& k : out.module.kernels)
    for (Role& r : k.roles) r.body = expand_math(r.body, target);
  return out;
}

}  // namespace sinter::scheduler
