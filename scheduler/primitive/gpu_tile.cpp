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
    if (d.ints[i] < 1)
      user_error(ErrorCode::BadFactor, d.loc, "gpu_tile: the tile of `" + d.loops[i]->name + "` is " + std::to_string(d.ints[i]),
                 "a tile size is a positive constant");
    const LoopNode& node = loops.loop(at);
    if (node.kind_fixed && node.kind != LoopKind::Serial)
      user_error(node.kind == LoopKind::Block ? ErrorCode::BlockInsideBlock : ErrorCode::BadBinding, d.loc,
                 "gpu_tile: `" + node.name->name + "` is already a " + loop_kind_name(node.kind) + " loop",
                 "tile it before it is bound", nest_excerpt(program, loops, at));
    if (node.is_rvar && !rvar_is_parallel(program, loops, at))
      user_error(ErrorCode::RVarParallel, d.loc, "gpu_tile: `" + node.name->name + "` is an RVar whose iterations depend on each other",
                 "tile the pure Vars", nest_excerpt(program, loops, at));
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
  // The tiled loops take their places: inner ones lowest, then whatever else there was, block loops outermost.
  std::vector<int> rest;
  for (int n : loops.order) {
    bool tiled = false;
    for (int t : inner) tiled |= n == t || n == t - 1;
    if (!tiled) rest.push_back(n);
  }
  std::vector<int> order, rvars, other_blocks;
  for (int n : rest) (loops.nodes[n].is_rvar ? rvars : other_blocks).push_back(n);
  order.insert(order.end(), rvars.begin(), rvars.end());
  order.insert(order.end(), inner.begin(), inner.end());
  order.insert(order.end(), outer.begin(), outer.end());
  // Dimensions that are not tiled are around the tile, a block for each of their points.
  for (int n : other_blocks)
    if (!loops.nodes[n].kind_fixed) loops.nodes[n].kind = LoopKind::Block;
  order.insert(order.end(), other_blocks.begin(), other_blocks.end());
  loops.order = std::move(order);
}

}  // namespace sinter::scheduler
