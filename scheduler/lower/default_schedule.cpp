// The schedules that stages without directives get: one kernel of cooperative tiles on a GPU, parallel rows on a host.
#include <algorithm>

#include "ir/diagnostic.h"
#include "scheduler/lower/plan.h"
#include "scheduler/primitive/primitive.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

// Tiles of 256 threads with a few points each: rows of 128 or more so that a warp reads whole lines, 8 rows for a stencil's reuse.
constexpr int64_t kTile1D = 1024, kTileX = 128, kTileY = 8;

}  // namespace

void default_gpu_schedule(Plan& plan, FuncId func, int stage) {
  StageLoops& loops = plan.funcs[func].stages[stage];
  if (loops.has_kind(LoopKind::Block)) return;
  // A CPU schedule on a GPU: parallel loops are the blocks.
  bool had_parallel = false;
  for (int n : loops.order)
    if (loops.nodes[n].kind == LoopKind::Parallel) loops.nodes[n].kind = LoopKind::Block, had_parallel = true;
  if (had_parallel) {
    std::stable_partition(loops.order.begin(), loops.order.end(), [&](int n) { return loops.nodes[n].kind != LoopKind::Block; });
    check_nest(plan.program, loops);
    return;
  }
  std::vector<int> pure;  // free pure loops, innermost first
  for (int n : loops.order)
    if (!loops.nodes[n].is_rvar && !loops.nodes[n].kind_fixed) pure.push_back(n);
  Directive d;
  d.kind = DirectiveKind::GpuTile;
  d.func = func;
  d.stage = stage;
  d.loc = loops.loc;
  const size_t dims = std::min<size_t>(2, pure.size());
  for (size_t i = 0; i < dims; ++i) d.loops.push_back(loops.nodes[pure[i]].name);
  for (const char* suffix : {"o", "i"})
    for (size_t i = 0; i < dims; ++i) d.loops.push_back(make_sym(loops.nodes[pure[i]].name->name + suffix));
  if (dims == 1) d.ints = {kTile1D};
  if (dims == 2) d.ints = {kTileX, kTileY};
  if (dims > 0) return apply_gpu_tile(plan.program, loops, d);
  // Nothing to spread: one block.
  LoopNode block;
  block.name = make_sym("block");
  block.kind = LoopKind::Block;
  block.kind_fixed = true;
  block.loc = loops.loc;
  loops.nodes.push_back(block);
  loops.dim_of_node.push_back(-1);
  loops.order.push_back(static_cast<int>(loops.nodes.size()) - 1);
}

void default_host_schedule(Plan& plan, FuncId func, int stage) {
  StageLoops& loops = plan.funcs[func].stages[stage];
  if (loops.touched || loops.order.empty()) return;
  LoopNode& outermost = loops.nodes[loops.order.back()];
  if (!outermost.is_rvar && loops.pure_dims >= 2) outermost.kind = LoopKind::Parallel;
}

}  // namespace sinter::scheduler
