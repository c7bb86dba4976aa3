#include <algorithm>

#include "ir/diagnostic.h"
#include "scheduler/primitive/primitive.h"

namespace sinter::scheduler {

using namespace ir;

// gpu_tile(x, y, xo, yo, xi, yi, tx, ty[, tail]): split each dimension, outer loops become blocks, inner ones cooperative, in the
// order innermost xi, yi, xo, yo outermost. One to three dimensions.
void apply_gpu_tile(const Program& program, StageLoops& loops, const Directive& d) {
  const int dims = static_cast<int>(d.loops.size()) / 3;
  for (int i = 0; i < dims; ++i) {
    const int at = require_loop(program, loops, d.loops[i], d);
    if (d.ints[i] < 1 || d.ints[i] > kMaxFactor)
      user_error(ErrorCode::BadFactor, d.loc, "gpu_tile: the tile of `" + d.loops[i]->name + "` is " + std::to_string(d.ints[i]),
                 "a tile size is a constant from 1 to " + std::to_string(kMaxFactor));
    const LoopNode& node = loops.loop(at);
    if (node.kind_fixed && node.kind != LoopKind::Serial)
      user_error(node.kind == LoopKind::Block ? ErrorCode::BlockInsideBlock : ErrorCode::BadBinding, d.loc,
                 "gpu_tile: `" + node.name->name + "` is already a " + loop_kind_name(node.kind) + " loop",
                 "tile it before it is bound", nest_excerpt(program, loops, at));
    if (node.is_rvar && !rvar_is_parallel(program, loops, at))
      user_error(ErrorCode::RVarParallel, d.loc, "gpu_tile: `" + node.name->name + "` is an RVar whose iterations depend on each other",
                 "tile the pure Vars", nest_excerpt(program, loops, at));
    require_tail(program, loops, node, d);
    require_unused(program, loops, d.loops[dims + i], at, d);
    require_unused(program, loops, d.loops[2 * dims + i], at, d);
  }
  std::vector<int> inner, outer;
  for (int i = 0; i < dims; ++i) {
    const int at = require_loop(program, loops, d.loops[i], d);
    const int node = split_loop(loops, at, d.loops[dims + i], d.loops[2 * dims + i], d.ints[i], d.tail, d.loc);
    loops.nodes[node].kind = LoopKind::Cooperative;
    loops.nodes[node - 1].kind = LoopKind::Block;
    for (int n : {node, node - 1}) loops.nodes[n].kind_fixed = true;
    inner.push_back(node);
    outer.push_back(node - 1);
  }
  // Inner tile loops lowest, their blocks outermost of the tiled ones. A loop that was inside all tiled ones stays innermost, part of
  // what a thread does per point, and so does one that is unrolled or vectorized; any other loop is around the tile, a block for each of its iterations.
  const auto is_tiled = [&](int n) {
    return std::find(inner.begin(), inner.end(), n) != inner.end() || std::find(outer.begin(), outer.end(), n) != outer.end();
  };
  std::vector<int> order, around;
  bool seen = false;
  for (int n : loops.order) {
    if (is_tiled(n)) seen = true;
    else if (!seen || loops.nodes[n].is_rvar || loops.nodes[n].kind == LoopKind::Unrolled || loops.nodes[n].kind == LoopKind::Vectorized) order.push_back(n);
    else around.push_back(n);
  }
  order.insert(order.end(), inner.begin(), inner.end());
  order.insert(order.end(), outer.begin(), outer.end());
  for (int n : around)
    if (!loops.nodes[n].kind_fixed) loops.nodes[n].kind = LoopKind::Block;
  order.insert(order.end(), around.begin(), around.end());
  loops.order = std::move(order);
}

}  // namespace sinter::scheduler
