#include "ir/diagnostic.h"
#include "scheduler/primitive/primitive.h"

namespace sinter::scheduler {

using namespace ir;

int split_loop(StageLoops& loops, int position, const Sym& outer, const Sym& inner, int64_t factor, Tail tail, Loc loc) {
  const int whole = loops.order[position];
  LoopNode o = loops.nodes[whole], i = loops.nodes[whole];
  o.name = outer;
  i.name = inner;
  o.loc = i.loc = loc;
  const int first = static_cast<int>(loops.nodes.size());
  loops.nodes.push_back(o);
  loops.nodes.push_back(i);
  loops.dim_of_node.resize(loops.nodes.size(), -1);
  loops.relations.push_back({LoopRelation::Kind::Split, whole, first, first + 1, factor, tail, loc});
  loops.order[position] = first + 1;
  loops.order.insert(loops.order.begin() + position + 1, first);
  loops.touched = true;
  return first + 1;
}

void require_tail(const Program& program, const StageLoops& loops, const LoopNode& node, const Directive& d) {
  const std::string word = directive_name(d.kind);
  if (d.tail == Tail::ShiftInwards && loops.stage > 0)
    user_error(ErrorCode::BadTail, d.loc,
               word + ": ShiftInwards computes some points twice, and an update of `" + program.funcs[loops.func].name + "` is not idempotent",
               "use TailStrategy::GuardWithIf");
  if (d.tail == Tail::RoundUp && node.is_rvar)
    user_error(ErrorCode::BadTail, d.loc, word + ": RoundUp would run RVar `" + node.name->name + "` beyond its domain", "use TailStrategy::GuardWithIf");
}

// split(old, outer, inner, factor, tail)
void apply_split(const Program& program, StageLoops& loops, const Directive& d) {
  const int at = require_loop(program, loops, d.loops[0], d);
  const int64_t factor = d.ints[0];
  if (factor < 1 || factor > kMaxFactor)
    user_error(ErrorCode::BadFactor, d.loc, "split: the factor of `" + d.loops[0]->name + "` is " + std::to_string(factor),
               "a factor is a constant from 1 to " + std::to_string(kMaxFactor));
  if (d.loops[1] == d.loops[2])
    user_error(ErrorCode::DuplicateLoop, d.loc, "split: the outer and the inner loop are both `" + d.loops[1]->name + "`",
               "give them different Vars");
  require_unused(program, loops, d.loops[1], at, d);
  require_unused(program, loops, d.loops[2], at, d);
  const LoopNode& node = loops.loop(at);
  if (node.kind_fixed && node.kind != LoopKind::Serial)
    user_error(ErrorCode::BadBinding, d.loc, "split: `" + node.name->name + "` is already a " + loop_kind_name(node.kind) + " loop",
               "split it first, then bind the parts", nest_excerpt(program, loops, at));
  require_tail(program, loops, node, d);
  split_loop(loops, at, d.loops[1], d.loops[2], factor, d.tail, d.loc);
}

}  // namespace sinter::scheduler
