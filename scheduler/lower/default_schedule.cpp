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

namespace {

// The inner part of a split has a constant extent, and so has whatever is split from it.
bool is_constant(const StageLoops& loops, int node) {
  for (const LoopRelation& r : loops.relations) {
    if (r.kind != LoopRelation::Kind::Split) continue;
    if (r.inner == node) return true;
    if (r.outer == node) return is_constant(loops, r.whole);
  }
  return false;
}

bool is_free(const LoopNode& n) { return !n.is_rvar && !n.kind_fixed; }

bool is_tile_index(const StageLoops& loops, int node) {
  return loops.nodes[node].kind == LoopKind::Parallel || (is_free(loops.nodes[node]) && !is_constant(loops, node));
}

// A schedule written for a CPU, on a GPU: its parallel loops and the outer parts of its tiles are the blocks.
void bind_tiled_loops(const Program& program, StageLoops& loops) {
  for (int n : loops.order) {
    LoopNode& node = loops.nodes[n];
    if (is_tile_index(loops, n)) node.kind = LoopKind::Block;
  }
  std::stable_partition(loops.order.begin(), loops.order.end(), [&](int n) { return loops.nodes[n].kind != LoopKind::Block; });
  check_nest(program, loops);
}

void add_single_block(StageLoops& loops, size_t position) {
  LoopNode block;
  block.name = make_sym("block");
  block.kind = LoopKind::Block;
  block.kind_fixed = true;
  block.loc = loops.loc;
  loops.nodes.push_back(block);
  loops.dim_of_node.push_back(-1);
  loops.order.insert(loops.order.begin() + static_cast<int64_t>(position), static_cast<int>(loops.nodes.size()) - 1);
}

}  // namespace

void default_gpu_schedule(Plan& plan, FuncId func, int stage) {
  StageLoops& loops = plan.funcs[func].stages[stage];
  if (loops.has_kind(LoopKind::Block)) return;
  if (loops.has_kind(LoopKind::Thread)) return add_single_block(loops, loops.order.size());

  // Some pure loop that is left to us is the inner part of a tile, and some other one tells the tiles apart.
  bool tiled = false, tiles = false;
  for (int n : loops.order) {
    const LoopNode& node = loops.nodes[n];
    tiled |= is_free(node) && node.kind == LoopKind::Serial && is_constant(loops, n);
    tiles |= is_tile_index(loops, n);
  }
  if (tiled && tiles) return bind_tiled_loops(plan.program, loops);

  // Loops that are places, and those around them, are host loops around launches; the tile is made of what is inside.
  size_t end = loops.order.size();
  for (size_t i = loops.order.size(); i-- > 0;)
    if (is_named_place(plan, func, loops.loop(static_cast<int>(i)).name)) end = i;
  std::vector<Sym> pure, parallel;  // innermost first
  for (size_t i = 0; i < end; ++i) {
    const LoopNode& n = loops.loop(static_cast<int>(i));
    if (n.kind == LoopKind::Parallel) parallel.push_back(n.name);
    else if (is_free(n)) pure.push_back(n.name);
  }
  const size_t dims = std::min<size_t>(parallel.empty() ? 2 : 1, pure.size());
  for (size_t i = 0; i < end; ++i) {
    LoopNode& n = loops.nodes[loops.order[i]];
    if (n.kind == LoopKind::Parallel) n.kind = LoopKind::Block;
  }
  if (dims == 0) {
    if (parallel.empty()) return add_single_block(loops, end);
    std::stable_partition(loops.order.begin(), loops.order.begin() + static_cast<int64_t>(end), [&](int n) { return loops.nodes[n].kind != LoopKind::Block; });
    return check_nest(plan.program, loops);
  }
  std::vector<int> host(loops.order.begin() + static_cast<int64_t>(end), loops.order.end());
  loops.order.resize(end);
  Directive d;
  d.kind = DirectiveKind::GpuTile;
  d.func = func;
  d.stage = stage;
  d.loc = loops.loc;
  d.loops.assign(pure.begin(), pure.begin() + static_cast<int64_t>(dims));
  for (const char* suffix : {"o", "i"})
    for (size_t i = 0; i < dims; ++i) d.loops.push_back(make_sym(pure[i]->name + suffix));
  if (dims == 1) d.ints = {parallel.empty() ? kTile1D : kTileX};
  if (dims == 2) d.ints = {kTileX, kTileY};
  apply_gpu_tile(plan.program, loops, d);
  loops.order.insert(loops.order.end(), host.begin(), host.end());
  check_nest(plan.program, loops);
}

void default_host_schedule(Plan& plan, FuncId func, int stage) {
  StageLoops& loops = plan.funcs[func].stages[stage];
  if (loops.touched || loops.order.empty()) return;
  // Storage outside of a loop that computes a Func anew is shared by its iterations: they stay in order.
  for (const FuncPlan& fp : plan.funcs)
    if (fp.has_store && fp.has_compute && fp.compute_directive.target == func) return;
  LoopNode& outermost = loops.nodes[loops.order.back()];
  if (!outermost.is_rvar && loops.pure_dims >= 2) outermost.kind = LoopKind::Parallel;
}

}  // namespace sinter::scheduler
