#include "ir/diagnostic.h"
#include "scheduler/primitive/primitive.h"

namespace sinter::scheduler {

using namespace ir;

// fuse(inner, outer, fused)
void apply_fuse(const Program& program, StageLoops& loops, const Directive& d) {
  const int inner = require_loop(program, loops, d.loops[0], d);
  const int outer = require_loop(program, loops, d.loops[1], d);
  if (inner == outer)
    user_error(ErrorCode::BadFuse, d.loc, "fuse: `" + d.loops[0]->name + "` with itself", "name two loops");
  if (outer != inner + 1)
    user_error(ErrorCode::BadFuse, d.loc,
               "fuse: `" + d.loops[1]->name + "` is not the loop directly around `" + d.loops[0]->name + "`",
               "reorder the loops so that they are adjacent", nest_excerpt(program, loops, inner));
  const LoopNode a = loops.loop(inner), b = loops.loop(outer);
  if (a.is_rvar != b.is_rvar)
    user_error(ErrorCode::BadFuse, d.loc, "fuse: `" + a.name->name + "` and `" + b.name->name + "` are an RVar and a Var",
               "fuse loops of one sort only", nest_excerpt(program, loops, inner));
  if (a.kind != b.kind)
    user_error(ErrorCode::BadFuse, d.loc,
               std::string("fuse: `") + a.name->name + "` is " + loop_kind_name(a.kind) + ", `" + b.name->name + "` is " + loop_kind_name(b.kind),
               "bind the fused loop instead", nest_excerpt(program, loops, inner));
  if (d.loops[2] != a.name && d.loops[2] != b.name) require_unused(program, loops, d.loops[2], -1, d);
  LoopNode fused = a;
  fused.name = d.loops[2];
  fused.loc = d.loc;
  fused.hints = {};
  const int node = static_cast<int>(loops.nodes.size());
  loops.nodes.push_back(fused);
  loops.dim_of_node.push_back(-1);
  loops.relations.push_back({LoopRelation::Kind::Fuse, node, loops.order[outer], loops.order[inner], 1, Tail::Auto, d.loc});
  loops.order[inner] = node;
  loops.order.erase(loops.order.begin() + outer);
  loops.touched = true;
}

}  // namespace sinter::scheduler
