// serial, parallel, cooperative, gpu_blocks, gpu_threads, threads: what runs a loop.
#include "ir/diagnostic.h"
#include "scheduler/primitive/primitive.h"

namespace sinter::scheduler {

using namespace ir;

static LoopKind kind_of(DirectiveKind k) {
  switch (k) {
    case DirectiveKind::Parallel: return LoopKind::Parallel;
    case DirectiveKind::Cooperative: return LoopKind::Cooperative;
    case DirectiveKind::GpuBlocks: return LoopKind::Block;
    case DirectiveKind::GpuThreads: return LoopKind::Thread;
    default: return LoopKind::Serial;
  }
}

void apply_bind(const Program& program, StageLoops& loops, const Directive& d) {
  const LoopKind kind = kind_of(d.kind);
  for (const Sym& s : d.loops) {
    const int at = require_loop(program, loops, s, d);
    LoopNode& node = loops.nodes[loops.order[at]];
    if (kind != LoopKind::Serial) {
      if (node.kind_fixed && node.kind != LoopKind::Serial && node.kind != kind)
        user_error(ErrorCode::BadBinding, d.loc,
                   std::string(directive_name(d.kind)) + ": `" + s->name + "` is already a " + loop_kind_name(node.kind) + " loop",
                   "bind a loop once; serial(" + s->name + ") undoes a binding", nest_excerpt(program, loops, at));
      const bool reduced = rvar_is_reduced(program, loops, at);
      if (node.is_rvar && !rvar_is_parallel(program, loops, at) && !(kind == LoopKind::Cooperative && reduced))
        user_error(ErrorCode::RVarParallel, d.loc,
                   std::string(directive_name(d.kind)) + ": iterations of RVar `" + s->name + "` update the same points of `" +
                       program.funcs[loops.func].name + "`, so their order matters",
                   (reduced ? "cooperative(" + s->name + ") shares a reduction out among the threads of a block; or " : std::string()) +
                       "bind the pure Vars and leave `" + s->name + "` serial",
                   nest_excerpt(program, loops, at));
      // A block loop encloses whole blocks: nothing but other block loops (and host loops) may be around it.
      if (kind == LoopKind::Block)
        for (int i = at + 1; i < static_cast<int>(loops.order.size()); ++i) {
          const LoopKind around = loops.loop(i).kind;
          if (around == LoopKind::Thread || around == LoopKind::Cooperative || around == LoopKind::Vectorized || around == LoopKind::Unrolled)
            user_error(ErrorCode::BlockInsideBlock, d.loc,
                       "gpu_blocks: `" + s->name + "` is inside the " + loop_kind_name(around) + " loop `" + loops.loop(i).name->name + "` of a block",
                       "make `" + s->name + "` an outer loop with reorder, or bind it to threads", nest_excerpt(program, loops, at));
        }
    }
    node.kind = kind;
    node.kind_fixed = true;
    node.loc = d.loc;
  }
  loops.touched = true;
}

void apply_threads(const Program& program, StageLoops& loops, const Directive& d) {
  const int64_t n = d.ints[0];
  if (n < 32 || n > 1024 || n % 32 != 0)
    user_error(ErrorCode::BadThreads, d.loc, "threads(" + std::to_string(n) + "): not a block size",
               "a multiple of 32 between 32 and 1024", nest_excerpt(program, loops));
  loops.threads = n;
}

void check_nest(const Program& program, const StageLoops& loops) {
  const std::string& name = program.funcs[loops.func].name;
  const int n = static_cast<int>(loops.order.size());
  int innermost_block = -1, outermost_block = -1, innermost_thread = -1, outermost_thread = -1;
  for (int i = n - 1; i >= 0; --i) {
    if (loops.loop(i).kind == LoopKind::Block) {
      innermost_block = i;
      if (outermost_block < 0) outermost_block = i;
    }
    if (loops.loop(i).kind == LoopKind::Thread) {
      innermost_thread = i;
      if (outermost_thread < 0) outermost_thread = i;
    }
  }
  for (int i = outermost_block; innermost_block >= 0 && i >= innermost_block; --i)
    if (loops.loop(i).kind != LoopKind::Block)
      user_error(ErrorCode::BlockInsideBlock, loops.loop(innermost_block).loc,
                 "block loop `" + loops.loop(innermost_block).name->name + "` of `" + name + "` is inside the loop `" + loops.loop(i).name->name +
                     "` that other blocks run",
                 "reorder so that all block loops are one group of outermost loops", nest_excerpt(program, loops, innermost_block));
  // A reorder may have put the parts of a block around its blocks.
  for (int i = outermost_block + 1; outermost_block >= 0 && i < n; ++i) {
    const LoopKind around = loops.loop(i).kind;
    if (around == LoopKind::Thread || around == LoopKind::Cooperative || around == LoopKind::Vectorized || around == LoopKind::Unrolled)
      user_error(ErrorCode::BlockInsideBlock, loops.loop(outermost_block).loc,
                 "block loop `" + loops.loop(outermost_block).name->name + "` of `" + name + "` is inside the " + loop_kind_name(around) + " loop `" +
                     loops.loop(i).name->name + "` of a block",
                 "reorder so that all block loops are one group of outermost loops", nest_excerpt(program, loops, outermost_block));
  }
  for (int i = outermost_thread; innermost_thread >= 0 && i >= innermost_thread; --i)
    if (loops.loop(i).kind != LoopKind::Thread)
      user_error(ErrorCode::BadBinding, loops.loop(i).loc,
                 "loop `" + loops.loop(i).name->name + "` of `" + name + "` lies between its thread loops",
                 "reorder so that the thread loops are adjacent", nest_excerpt(program, loops, i));
  for (int i = 0; i < n; ++i) {
    const LoopNode& l = loops.loop(i);
    if (l.kind != LoopKind::Parallel) continue;
    for (int j = i + 1; j < n; ++j)
      if (loops.loop(j).kind == LoopKind::Block || loops.loop(j).kind == LoopKind::Thread)
        user_error(ErrorCode::BadBinding, l.loc, "parallel loop `" + l.name->name + "` of `" + name + "` is inside a " +
                       loop_kind_name(loops.loop(j).kind) + " loop", "bind it with gpu_threads, or leave it cooperative", nest_excerpt(program, loops, i));
  }
}

}  // namespace sinter::scheduler
