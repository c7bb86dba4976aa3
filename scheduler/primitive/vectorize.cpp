#include "ir/diagnostic.h"
#include "scheduler/primitive/primitive.h"

namespace sinter::scheduler {

using namespace ir;

// vectorize(v[, n]), unroll(v[, n]). With n: on a loop inside a block that is or becomes cooperative, a register digit of n; else the
// loop is split by n and the inner part is vectorized or unrolled.
void apply_vectorize(const Program& program, StageLoops& loops, const Directive& d) {
  const int at = require_loop(program, loops, d.loops[0], d);
  LoopNode& node = loops.nodes[loops.order[at]];
  const bool vector = d.kind == DirectiveKind::Vectorize;
  const char* word = directive_name(d.kind);
  const int64_t n = d.ints.empty() ? 0 : d.ints[0];
  if (!d.ints.empty() && (n < 1 || n > (vector ? kMaxLanes : kMaxFactor) || (vector && (n & (n - 1)) != 0)))
    user_error(ErrorCode::BadFactor, d.loc, std::string(word) + ": factor " + std::to_string(n) + " of `" + node.name->name + "`",
               vector ? "a power of two, at most " + std::to_string(kMaxLanes) : "a constant from 1 to " + std::to_string(kMaxFactor));
  if (node.is_rvar && vector && !rvar_is_parallel(program, loops, at))
    user_error(ErrorCode::RVarParallel, d.loc,
               "vectorize: iterations of RVar `" + node.name->name + "` update the same points of `" + program.funcs[loops.func].name + "`",
               "vectorize a pure Var, or unroll the RVar", nest_excerpt(program, loops, at));
  if (node.kind == LoopKind::Block || node.kind == LoopKind::Thread || node.kind == LoopKind::Parallel)
    user_error(ErrorCode::BadBinding, d.loc, std::string(word) + ": `" + node.name->name + "` is a " + loop_kind_name(node.kind) + " loop",
               "split it and " + std::string(word) + " the inner part", nest_excerpt(program, loops, at));
  loops.touched = true;
  if (node.kind == LoopKind::Cooperative) {
    (vector ? node.hints.vector : node.hints.unroll) = n;
    if (n == 0) user_error(ErrorCode::BadFactor, d.loc, std::string(word) + ": `" + node.name->name + "` is cooperative",
                           "give the register digit: " + std::string(word) + "(" + node.name->name + ", n)");
    return;
  }
  int target = loops.order[at];
  if (n > 0) {
    const Sym inner = make_sym(node.name->name + (vector ? ".v" : ".u"));
    target = split_loop(loops, at, node.name, inner, n, Tail::Auto, d.loc);
  }
  LoopNode& bound = loops.nodes[target];
  bound.kind = vector ? LoopKind::Vectorized : LoopKind::Unrolled;
  bound.kind_fixed = true;
  bound.loc = d.loc;
}

}  // namespace sinter::scheduler
