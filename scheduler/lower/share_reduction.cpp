// Reductions of a block: which RVars its threads share.
#include <algorithm>

#include "ir/analysis/reduction.h"
#include "ir/analysis/visit.h"
#include "ir/diagnostic.h"
#include "scheduler/lower/copies.h"
#include "scheduler/lower/plan.h"
#include "scheduler/lower/stage_shape.h"
#include "scheduler/primitive/primitive.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

// Pure points that keep a block busy by themselves, and points of a shared box that give each thread a few.
constexpr int64_t kBusy = 128, kSharedPoints = 2048;

// Neighbours along the RVar are neighbours in memory, rather than those along the innermost pure dimension.
bool reads_along(const Definition& def, const VarNode* rvar, const std::vector<Sym>& dims) {
  bool along = false, across = false;
  walk(def.value, [&](const Expr& e) {
    if (e->op != Op::Call || e->args.empty()) return;
    along |= uses_var(e->args[0], rvar);
    across |= !dims.empty() && uses_var(e->args[0], dims[0].get());
  });
  return along || !across;
}

// A thread folds all of its iterations into one value per point, so a loop inside of them can't be what decides the point.
void require_one_point(const Plan& plan, const StageLoops& loops, int position) {
  const FuncDef& func = plan.program.funcs[loops.func];
  for (int i = 0; i < position; ++i) {
    const LoopNode& inner = loops.loop(i);
    if (!inner.is_rvar || inner.kind == LoopKind::Cooperative || rvar_is_reduced(plan.program, loops, i)) continue;
    const LoopNode& shared = loops.loop(position);
    user_error(ErrorCode::RVarParallel, shared.loc,
               "cooperative: the threads of a block share the iterations of `" + shared.name->name + "`, but which point of `" + func.name + "` one of them updates depends on `" +
                   inner.name->name + "`, a loop inside",
               "name `" + inner.name->name + "` after `" + shared.name->name + "` in the RDom, so that it is the loop around it, or leave `" + shared.name->name + "` serial", nest_excerpt(plan.program, loops, position));
  }
}

}  // namespace

bool is_named_place(const Plan& plan, FuncId func, const Sym& loop) {
  const auto names = [&](const Directive& d) { return d.target == func && !d.loops.empty() && d.loops[0] == loop; };
  return std::any_of(plan.funcs.begin(), plan.funcs.end(), [&](const FuncPlan& fp) {
    return (fp.has_compute && names(fp.compute_directive)) || (fp.has_store && names(fp.store_directive));
  });
}

void share_reduction(const Plan& plan, StageLoops& loops, const StageShape& shape) {
  const FuncDef& func = plan.program.funcs[loops.func];
  if (!stage_reduction(plan.program, loops.func, loops.stage)) return;
  int64_t points = 1;
  bool by_hand = false;
  for (int i = 0; i < static_cast<int>(loops.order.size()); ++i) {
    const int node = loops.order[i];
    const LoopNode& n = loops.nodes[node];
    if (n.kind != LoopKind::Cooperative) continue;
    if (n.is_rvar && rvar_is_reduced(plan.program, loops, i)) require_one_point(plan, loops, i);
    by_hand |= n.is_rvar;
    if (const int64_t* full = as_int(shape.full[node])) points *= *full;
  }
  if (by_hand || points >= kBusy) return;
  std::vector<int> shared;
  int64_t box = points;
  for (int i = 0; i < static_cast<int>(loops.order.size()) && box < kSharedPoints; ++i) {
    const int node = loops.order[i];
    const LoopNode& n = loops.nodes[node];
    if (n.kind == LoopKind::Block) break;
    if (!n.is_rvar) continue;
    if (n.kind != LoopKind::Serial || n.kind_fixed || !rvar_is_reduced(plan.program, loops, i) || is_named_place(plan, loops.func, n.name)) break;
    const int64_t* full = as_int(shape.full[node]);
    if (full && *full * box <= kMaxBox) {
      shared.push_back(node);
      box *= *full;
      continue;
    }
    const int64_t part = std::max<int64_t>(32, kSharedPoints / box);
    shared.push_back(split_loop(loops, i, make_sym(n.name->name + "o"), make_sym(n.name->name + "i"), part, Tail::GuardWithIf, loops.loc));
    break;
  }
  if (shared.empty()) return;
  for (const int node : shared) loops.nodes[node].kind = LoopKind::Cooperative;
  // Lanes follow the order of the loops: the ones that are contiguous in memory innermost.
  const Definition& def = func.stages[loops.stage];
  if (reads_along(def, def.rdom.vars[0].var.get(), func.dims)) return;
  const auto blocks = std::find_if(loops.order.begin(), loops.order.end(), [&](int n) { return loops.nodes[n].kind == LoopKind::Block; });
  std::stable_partition(loops.order.begin(), blocks, [&](int n) { return std::find(shared.begin(), shared.end(), n) == shared.end(); });
}

}  // namespace sinter::scheduler
