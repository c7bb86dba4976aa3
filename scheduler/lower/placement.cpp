#include <algorithm>

#include "ir/analysis/visit.h"
#include "ir/diagnostic.h"
#include "ir/transform/simplify.h"
#include "scheduler/lower/plan.h"
#include "scheduler/lower/regions.h"
#include "scheduler/primitive/primitive.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

// A stencil is inlined while (reads per point) x (operations of the producer) stays under this: about what a memory-bound kernel can
// compute for free while it waits for a 4-byte element.
constexpr int kInlineBudget = 64;
// Default placement in shared memory takes at most this much of a block's limit, so that several blocks fit a multiprocessor.
constexpr int64_t kDefaultSharedBytes = 48 * 1024;

const StageLoops& loops_of(const Plan& plan, const LoopPlace& p) { return plan.funcs[p.func].stages[p.stage]; }

int position_of(const StageLoops& loops, int node) {
  return static_cast<int>(std::find(loops.order.begin(), loops.order.end(), node) - loops.order.begin());
}

bool reads(const Definition& def, FuncId f) {
  bool found = false;
  const auto visit = [&](const Expr& root) {
    walk_down(root, [&](const Expr& e) {
      if (e->op == Op::Call && e->id == f) found = true;
      return !found;
    });
  };
  for (const Expr& a : def.args) visit(a);
  visit(def.value);
  visit(def.rdom.where);
  return found;
}

// How many different elements of f one point of the stage reads.
int distinct_reads(const Definition& def, FuncId f) {
  std::vector<std::vector<Expr>> seen;
  const auto visit = [&](const Expr& root) {
    walk(root, [&](const Expr& e) {
      if (e->op != Op::Call || e->id != f) return;
      for (const auto& s : seen)
        if (std::equal(s.begin(), s.end(), e->args.begin(), [](const Expr& a, const Expr& b) { return equal_structure(a, b); })) return;
      seen.push_back(e->args);
    });
  };
  for (const Expr& a : def.args) visit(a);
  visit(def.value);
  visit(def.rdom.where);
  return static_cast<int>(seen.size());
}

int operation_cost(const Expr& e) {
  int cost = 0;
  walk(e, [&](const Expr& n) {
    if (n->op == Op::Math) cost += 8;
    else if (n->op == Op::Div || n->op == Op::Mod) cost += 4;
    else if (!n->args.empty() && n->op != Op::Call && n->op != Op::Cast) cost += 1;
    else if (n->op == Op::Call) cost += 1;
  });
  return cost;
}

void substitute_calls(Program& program, FuncId f) {
  const FuncDef& func = program.funcs[f];
  const Definition& def = func.stages[0];
  Rewriter rewriter([&](const Expr& e) {
    if (e->op != Op::Call || e->id != f) return e;
    Substitution values;
    for (int d = 0; d < func.rank(); ++d) values[func.dims[d].get()] = e->args[d];
    return substitute(def.value, values);
  });
  for (size_t g = f + 1; g < program.funcs.size(); ++g)
    for (Definition& stage : program.funcs[g].stages) {
      if (!reads(stage, f)) continue;
      for (Expr& a : stage.args) a = rewriter(a);
      stage.value = rewriter(stage.value);
      stage.rdom.where = rewriter(stage.rdom.where);
    }
}

class Resolver {
 public:
  explicit Resolver(Plan& plan) : plan_(plan), regions_(plan) {}

  void run() {
    fix_output_extents();
    for (int f = static_cast<int>(plan_.funcs.size()) - 1; f >= 0; --f) {
      if (plan_.program.funcs[f].is_input()) continue;
      place(f);
      if (plan_.funcs[f].placement == Placement::Inline) {
        substitute_calls(plan_.program, f);
        continue;
      }
      const bool in_block = !plan_.funcs[f].compute.is_root() && is_in_block(plan_, plan_.funcs[f].compute);
      if (!plan_.funcs[f].compute.is_root()) check_inside(f);
      if (!in_block)
        for (int s = 0; s < static_cast<int>(plan_.funcs[f].stages.size()); ++s) {
          if (plan_.target.is_gpu()) default_gpu_schedule(plan_, f, s);
          else if (plan_.funcs[f].compute.is_root()) default_host_schedule(plan_, f, s);
        }
      place_storage(f);
      check_memory(f);
      regions_.set(f);
    }
    bind_cooperative();
  }

 private:
  void fix_output_extents() {
    for (size_t f = 0; f < plan_.funcs.size(); ++f)
      if (plan_.program.is_output(static_cast<int>(f)))
        for (const DimBound& b : plan_.funcs[f].bounds) {
          if (b.min.defined() && !is_const_int(b.min, 0))
            user_error(ErrorCode::BadBound, b.loc, "bound: the output `" + plan_.program.funcs[f].name + "` starts at 0 in every dimension",
                       "bound(" + plan_.program.funcs[f].dims[b.dim]->name + ", 0, extent)");
          plan_.program.funcs[f].fixed_extent[b.dim] = b.extent;
        }
  }

  std::vector<std::pair<FuncId, int>> live_readers(FuncId f) const {
    std::vector<std::pair<FuncId, int>> out;
    for (const auto& r : readers_of(plan_.program, f))
      if (plan_.funcs[r.first].placement != Placement::Inline) out.push_back(r);
    return out;
  }

  void place(FuncId f) {
    FuncPlan& fp = plan_.funcs[f];
    const FuncDef& func = plan_.program.funcs[f];
    const auto readers = live_readers(f);
    for (const auto& [g, s] : readers) fp.recompute = std::max(fp.recompute, distinct_reads(plan_.program.funcs[g].stages[s], f));
    if (plan_.program.is_output(f)) return at_root(fp, "an output");
    switch (fp.placement) {
      case Placement::Root: return at_root(fp, "compute_root");
      case Placement::Inline: fp.reason = "compute_inline"; return;
      case Placement::At: return place_at(f);
      case Placement::Default: break;
    }
    if (!func.has_updates()) {
      const int cost = operation_cost(func.stages[0].value);
      if (fp.has_store)
        user_error(ErrorCode::StoreWithoutCompute, fp.store_directive.loc,
                   std::string(directive_name(fp.store_directive.kind)) + ": `" + func.name + "` has no compute_at; it would be inlined",
                   "say where it is computed: " + func.name + ".compute_at(consumer, loop)");
      // Loops or memory that the user scheduled ask for storage.
      bool scheduled = fp.memory != Memory::Auto || fp.has_storage_layout();
      for (const StageLoops& l : fp.stages) scheduled |= l.touched || l.cooperative_stage;
      if (!scheduled && (func.is_wrapper || fp.recompute <= 1)) return make_inline(fp, "read at one index per point");
      if (!scheduled && fp.recompute * cost <= kInlineBudget)
        return make_inline(fp, std::to_string(fp.recompute) + " reads x " + std::to_string(cost) + " operations <= " + std::to_string(kInlineBudget));
    } else if (fp.has_store) {
      user_error(ErrorCode::StoreWithoutCompute, fp.store_directive.loc,
                 std::string(directive_name(fp.store_directive.kind)) + ": `" + func.name + "` has no compute_at",
                 "say where it is computed: " + func.name + ".compute_at(consumer, loop)");
    }
    const LoopPlace block = common_block(readers);
    int64_t bytes = 0;
    if (!block.is_root() && !has_block_loops(fp) && regions_.is_bounded_at(f, block, &bytes) && bytes <= kDefaultSharedBytes) {
      fp.placement = Placement::At;
      fp.compute = fp.store = block;
      fp.reason = "in the block of its consumer, " + std::to_string(bytes) + " bytes";
      // Nobody said which threads compute it where threads are bound by hand: all of them together.
      if (kernel_is_explicit(block))
        for (StageLoops& l : fp.stages) l.cooperative_stage = !l.has_kind(LoopKind::Thread);
      sink_cooperative(block);
      return;
    }
    at_root(fp, block.is_root() ? "its readers share no block" : "too large or unbounded inside the block");
  }

  static bool has_block_loops(const FuncPlan& fp) {
    return std::any_of(fp.stages.begin(), fp.stages.end(), [](const StageLoops& l) { return l.has_kind(LoopKind::Block); });
  }

  void at_root(FuncPlan& fp, std::string reason) {
    fp.placement = Placement::Root;
    fp.compute = fp.store = LoopPlace{};
    fp.reason = std::move(reason);
  }
  void make_inline(FuncPlan& fp, std::string reason) {
    fp.placement = Placement::Inline;
    fp.reason = std::move(reason);
  }

  // The block in which every reader is computed, or root.
  LoopPlace common_block(const std::vector<std::pair<FuncId, int>>& readers) const {
    LoopPlace common;
    for (const auto& [g, s] : readers) {
      const LoopPlace block = stage_block(g, s);
      if (block.is_root() || (!common.is_root() && !(block == common))) return {};
      common = block;
    }
    return common;
  }
  LoopPlace stage_block(FuncId g, int stage) const {
    const StageLoops& loops = plan_.funcs[g].stages[stage];
    for (int n : loops.order)
      if (loops.nodes[n].kind == LoopKind::Block) return {g, stage, n};
    return plan_.funcs[g].compute.is_root() ? LoopPlace{} : block_place(plan_, plan_.funcs[g].compute);
  }

  // ---- explicit places ----
  LoopPlace find_place(FuncId f, const Directive& d) const {
    const FuncId g = d.target;
    const std::string& name = plan_.program.funcs[f].name;
    const std::string word = directive_name(d.kind);
    if (d.kind == DirectiveKind::StoreRoot || d.kind == DirectiveKind::ComputeRoot) return {};
    const std::string& target = g >= 0 ? plan_.program.funcs[g].name : name;
    if (g < 0 || g == f || plan_.program.funcs[g].is_input())
      user_error(ErrorCode::NoSuchPlace, d.loc, word + ": `" + name + "` can't be computed inside `" + target + "`", "name a Func that reads it");
    if (plan_.funcs[g].placement == Placement::Inline || g < f)
      user_error(ErrorCode::NoSuchPlace, d.loc,
                 word + ": `" + target + "` " + (g < f ? "does not read `" + name + "`" : "is inlined and has no loops"),
                 "name a consumer that is computed, with compute_root or compute_at");
    const bool block = d.kind == DirectiveKind::ComputeAtBlock || d.kind == DirectiveKind::StoreAtBlock;
    const auto& stages = plan_.funcs[g].stages;
    if (block) {
      for (int s = 0; s < static_cast<int>(stages.size()); ++s) {
        if (d.target_stage >= 0 && d.target_stage != s) continue;
        const LoopPlace p = stage_block(g, s);
        if (!p.is_root() && encloses_readers(f, p)) return p;
      }
      for (int s = 0; s < static_cast<int>(stages.size()); ++s)
        if (const LoopPlace p = stage_block(g, s); !p.is_root()) {
          check_encloses(f, p, d);
          return p;
        }
      user_error(ErrorCode::NoSuchPlace, d.loc, word + ": `" + target + "` has no block loops",
                 target + ".gpu_tile(...) or " + target + ".gpu_blocks(...)", nest_excerpt(plan_.program, stages[0]));
    }
    LoopPlace found;
    for (int s = 0; s < static_cast<int>(stages.size()); ++s) {
      if (d.target_stage >= 0 && d.target_stage != s) continue;
      const int at = stages[s].find(d.loops[0]);
      if (at < 0) continue;
      const LoopPlace p{g, s, stages[s].order[at]};
      if (found.is_root() || encloses_readers(f, p)) found = p;
      if (encloses_readers(f, p)) break;
    }
    if (found.is_root())
      user_error(ErrorCode::NoSuchPlace, d.loc, word + ": `" + target + "` has no loop `" + d.loops[0]->name + "`",
                 "its loops are shown above; name one of them", nest_excerpt(plan_.program, stages[std::max(0, d.target_stage)]));
    check_place_kind(f, found, d);
    return found;
  }

  void check_place_kind(FuncId f, const LoopPlace& p, const Directive& d) const {
    const StageLoops& loops = loops_of(plan_, p);
    const int at = position_of(loops, p.node);
    const LoopKind kind = loops.loop(at).kind;
    const std::string loop = loops.loop(at).name->name;
    const std::string& name = plan_.program.funcs[f].name;
    const std::string& target = plan_.program.funcs[p.func].name;
    if (kind == LoopKind::Block && at > 0 && loops.loop(at - 1).kind == LoopKind::Block) {
      int nearest = at;
      while (nearest > 0 && loops.loop(nearest - 1).kind == LoopKind::Block) --nearest;
      user_error(ErrorCode::OuterBlockPlace, d.loc,
                 "`" + name + "` can't be computed at `" + loop + "`, an outer block loop of `" + target + "`: blocks share nothing there",
                 name + ".compute_at_block(" + target + "), the same as compute_at(" + target + ", " + loops.loop(nearest).name->name + ")",
                 place_excerpt(plan_, p));
    }
    if (kind == LoopKind::Cooperative)
      user_error(ErrorCode::CooperativePlace, d.loc,
                 "`" + name + "` can't be computed at `" + loop + "`: a cooperative loop is run by all threads together, it isn't a place in time",
                 target + ".serial(" + loop + ") makes it one; " + name + ".compute_at_block(" + target + ") computes it once per block",
                 place_excerpt(plan_, p));
    if (kind == LoopKind::Vectorized || kind == LoopKind::Unrolled)
      user_error(ErrorCode::NoSuchPlace, d.loc, "`" + name + "` can't be computed at the " + loop_kind_name(kind) + " loop `" + loop + "` of `" + target + "`",
                 "name the loop around it", place_excerpt(plan_, p));
  }

  bool encloses_readers(FuncId f, const LoopPlace& p) const {
    for (const auto& [g, s] : live_readers(f)) {
      if (g == p.func && s == p.stage) continue;
      if (!is_inside(plan_, plan_.funcs[g].compute, p)) return false;
    }
    return true;
  }

  void check_encloses(FuncId f, const LoopPlace& p, const Directive& d) const {
    for (const auto& [g, s] : live_readers(f)) {
      if ((g == p.func && s == p.stage) || is_inside(plan_, plan_.funcs[g].compute, p)) continue;
      const std::string reader = plan_.program.funcs[g].name + (s > 0 ? ".update(" + std::to_string(s - 1) + ")" : "");
      user_error(ErrorCode::NoSuchPlace, d.loc,
                 "`" + plan_.program.funcs[f].name + "` is also read by `" + reader + "` (" + to_string(plan_.program.funcs[g].stages[s].loc) +
                     "), which is not inside this loop",
                 "compute it at a loop that encloses all its readers, or compute_root()", place_excerpt(plan_, p));
    }
  }

  void place_at(FuncId f) {
    FuncPlan& fp = plan_.funcs[f];
    const Directive& d = fp.compute_directive;
    const LoopPlace p = find_place(f, d);
    check_encloses(f, p, d);
    fp.compute = fp.store = p;
    fp.reason = directive_name(d.kind);
    sink_cooperative(p);
  }

  void place_storage(FuncId f) {
    FuncPlan& fp = plan_.funcs[f];
    if (!fp.has_store) return;
    const FuncDef& func = plan_.program.funcs[f];
    const Directive& d = fp.store_directive;
    if (fp.compute.is_root()) {
      if (d.kind == DirectiveKind::StoreRoot) return;
      user_error(ErrorCode::StoreWithoutCompute, d.loc, std::string(directive_name(d.kind)) + ": `" + func.name + "` is computed at root, outside of that loop",
                 "storage lives at or outside of where a Func is computed");
    }
    const LoopPlace p = find_place(f, d);
    if (!p.is_root() && !is_inside(plan_, fp.compute, p))
      user_error(ErrorCode::StoreWithoutCompute, d.loc,
                 std::string(directive_name(d.kind)) + ": `" + func.name + "` is computed outside of the loop where it would be stored",
                 "storage lives at or outside of where a Func is computed", place_excerpt(plan_, fp.compute, "<-- computed here"));
    if (p.is_root() && is_in_block(plan_, fp.compute))
      user_error(ErrorCode::BadMemory, d.loc, "store_root: `" + func.name + "` is computed inside a block, whose storage ends with it",
                 func.name + ".store_at_block(consumer), or compute_root()", place_excerpt(plan_, fp.compute));
    fp.store = p;
    if (func.has_updates()) check_shared_storage(f, d);
  }

  // Iterations of a parallel loop between storage and computation all write the same elements: harmless where each writes the same
  // value, a race where updates accumulate.
  void check_shared_storage(FuncId f, const Directive& d) {
    const FuncPlan& fp = plan_.funcs[f];
    for (LoopPlace p = fp.compute; !p.is_root() && !(p == fp.store); p = plan_.funcs[p.func].compute) {
      const StageLoops& loops = loops_of(plan_, p);
      const bool ends = p.func == fp.store.func && p.stage == fp.store.stage;
      const int end = ends ? position_of(loops, fp.store.node) : static_cast<int>(loops.order.size());
      for (int i = position_of(loops, p.node); i < end; ++i)
        if (loops.loop(i).kind == LoopKind::Parallel || loops.loop(i).kind == LoopKind::Thread)
          user_error(ErrorCode::Race, d.loc,
                     "`" + plan_.program.funcs[f].name + "` is updated by all iterations of the " + loop_kind_name(loops.loop(i).kind) + " loop `" +
                         loops.loop(i).name->name + "` in one storage",
                     "store it where it is computed, or make `" + loops.loop(i).name->name + "` serial", nest_excerpt(plan_.program, loops, i));
      if (ends) return;
    }
  }

  void check_inside(FuncId f) {
    const FuncPlan& fp = plan_.funcs[f];
    const bool in_block = is_in_block(plan_, fp.compute);
    for (const StageLoops& l : fp.stages)
      for (int n : l.order) {
        const LoopNode& node = l.nodes[n];
        if (in_block && node.kind == LoopKind::Block)
          user_error(ErrorCode::BlockInsideBlock, node.loc,
                     "block loop `" + node.name->name + "` of `" + plan_.program.funcs[f].name + "`, which is computed inside a block of `" +
                         plan_.program.funcs[fp.compute.func].name + "`",
                     "bind its loops to threads or leave them cooperative; or compute_root() for a kernel of its own", place_excerpt(plan_, fp.compute));
        if (in_block && node.kind == LoopKind::Parallel)
          user_error(ErrorCode::BadBinding, node.loc,
                     "parallel loop `" + node.name->name + "` of `" + plan_.program.funcs[f].name + "`, which is computed inside a block of `" +
                         plan_.program.funcs[fp.compute.func].name + "`",
                     "leave it cooperative, or bind it with gpu_threads; or compute_root()", place_excerpt(plan_, fp.compute));
        if (is_thread_private(plan_, fp.compute) && node.kind == LoopKind::Thread)
          user_error(ErrorCode::BadBinding, node.loc,
                     "thread loop `" + node.name->name + "` of `" + plan_.program.funcs[f].name + "`, which is computed inside a thread loop",
                     "leave it serial: one thread computes it", place_excerpt(plan_, fp.compute));
      }
  }

  void check_memory(FuncId f) {
    FuncPlan& fp = plan_.funcs[f];
    const std::string& name = plan_.program.funcs[f].name;
    const bool in_block = !fp.store.is_root() && is_in_block(plan_, fp.store);
    const bool is_private = !fp.store.is_root() && is_thread_private(plan_, fp.store);
    const bool output = plan_.program.is_output(f);
    if (output && fp.memory != Memory::Auto && fp.memory != Memory::Global)
      user_error(ErrorCode::BadMemory, fp.memory_loc, std::string("store_in(") + memory_name(fp.memory) + "): `" + name + "` is an output; the caller owns its memory",
                 "remove the directive");
    if (!in_block && (fp.memory == Memory::Register || fp.memory == Memory::Shared))
      user_error(ErrorCode::BadMemory, fp.memory_loc,
                 std::string("store_in(") + memory_name(fp.memory) + "): `" + name + "` is not computed inside a block",
                 name + ".compute_at_block(consumer)");
    if (in_block && (fp.memory == Memory::Global || fp.memory == Memory::Host))
      user_error(ErrorCode::BadMemory, fp.memory_loc,
                 std::string("store_in(") + memory_name(fp.memory) + "): `" + name + "` is computed inside a block",
                 "Register or Shared there; compute_root() for global memory", place_excerpt(plan_, fp.compute));
    if (is_private && fp.memory == Memory::Shared)
      user_error(ErrorCode::SharedInThread, fp.memory_loc, "store_in(Shared): `" + name + "` is computed inside a thread loop, each thread its own",
                 name + ".compute_at_block(...) shares it; Register keeps it private", place_excerpt(plan_, fp.compute));
    // Registers have no addresses to be laid out: who says how elements lie in memory asks for memory.
    if (fp.has_storage_layout() && (is_private || fp.memory == Memory::Register))
      user_error(ErrorCode::BadMemory, fp.storage_loc, "the storage layout of `" + name + "`, which is kept in registers",
                 "remove reorder_storage and align_storage, or " + name + ".compute_at_block(consumer).store_in(MemoryType::Shared)",
                 place_excerpt(plan_, fp.compute));
    if (in_block && fp.has_storage_layout()) fp.memory = Memory::Shared;
    if (is_private && fp.memory == Memory::Auto) fp.memory = Memory::Register;
    if (!in_block && fp.memory == Memory::Auto) fp.memory = plan_.target.is_gpu() ? Memory::Global : Memory::Host;
  }

  // A serial loop that is a place must lie outside of the cooperative loops: those are no order in time, so they move inwards.
  void sink_cooperative(const LoopPlace& p) {
    StageLoops& loops = plan_.funcs[p.func].stages[p.stage];
    if (loops.has_kind(LoopKind::Thread) || !is_in_block(plan_, p)) return;
    const int at = position_of(loops, p.node);
    if (loops.loop(at).kind == LoopKind::Block) return;
    std::vector<int> below(loops.order.begin(), loops.order.begin() + at), sunk, above{loops.order[at]};
    for (size_t i = at + 1; i < loops.order.size(); ++i) {
      const LoopNode& n = loops.nodes[loops.order[i]];
      const bool undecided = n.kind == LoopKind::Serial && !n.is_rvar && !n.kind_fixed && !is_named_place(plan_, p.func, n.name);
      const bool cooperative = n.kind == LoopKind::Cooperative || undecided;
      const bool inside = std::any_of(loops.order.begin() + i, loops.order.end(), [&](int m) { return loops.nodes[m].kind == LoopKind::Block; }) ||
                          !plan_.funcs[p.func].compute.is_root();
      (cooperative && inside ? sunk : above).push_back(loops.order[i]);
    }
    loops.order = below;
    loops.order.insert(loops.order.end(), sunk.begin(), sunk.end());
    loops.order.insert(loops.order.end(), above.begin(), above.end());
  }

  // Inside a block whatever is not bound by hand is cooperative: pure loops of every stage of the kernel (tiles.md).
  void bind_cooperative() {
    for (size_t f = 0; f < plan_.funcs.size(); ++f) {
      FuncPlan& fp = plan_.funcs[f];
      if (plan_.program.funcs[f].is_input() || fp.placement == Placement::Inline) continue;
      for (StageLoops& loops : fp.stages) {
        const bool own_blocks = loops.has_kind(LoopKind::Block);
        if (plan_.target.is_gpu() && own_blocks) serialize_host_loops(loops);
        if (!own_blocks && (fp.compute.is_root() || !is_in_block(plan_, fp.compute))) {
          if (!plan_.target.is_gpu()) serialize_tile_loops(loops);
          continue;
        }
        if (is_thread_private(plan_, fp.compute)) continue;
        if (loops.has_kind(LoopKind::Thread)) continue;
        if (!loops.cooperative_stage && !loops.has_kind(LoopKind::Cooperative) && loops.pure_dims > 0 && kernel_is_explicit(own_blocks ? LoopPlace{static_cast<int>(f), loops.stage, 0} : fp.compute))
          user_error(ErrorCode::MixedThreadStyles, fp.has_directive ? fp.first_directive : loops.loc,
                     "`" + plan_.program.funcs[f].name + "` is computed at block level in a kernel with explicit gpu_threads, and nothing says which threads compute it",
                     plan_.program.funcs[f].name + ".gpu_threads(...) or " + plan_.program.funcs[f].name + ".cooperative()",
                     nest_excerpt(plan_.program, loops));
        make_cooperative(loops, static_cast<int>(f));
      }
    }
  }

  // Loops around launches run on the host, one launch after another, whatever a schedule written for a CPU made of them.
  static void serialize_host_loops(StageLoops& loops) {
    for (size_t i = loops.order.size(); i-- > 0 && loops.loop(static_cast<int>(i)).kind != LoopKind::Block;) {
      LoopNode& n = loops.nodes[loops.order[i]];
      n.kind = LoopKind::Serial;
      n.hints = {};
    }
  }

  // Words about the threads of a block, where a host has none: plain loops.
  static void serialize_tile_loops(StageLoops& loops) {
    for (const int node : loops.order) {
      LoopNode& n = loops.nodes[node];
      if (n.kind == LoopKind::Cooperative || n.kind == LoopKind::Thread) n.kind = LoopKind::Serial;
    }
  }

  bool kernel_is_explicit(const LoopPlace& at) const {
    const auto root_of = [&](FuncId f, int stage) {
      LoopPlace p{f, stage, 0};
      while (!plan_.funcs[p.func].compute.is_root()) p = plan_.funcs[p.func].compute;
      return std::pair(p.func, p.stage);
    };
    const auto kernel = root_of(at.func, at.stage);
    for (size_t f = 0; f < plan_.funcs.size(); ++f)
      for (const StageLoops& l : plan_.funcs[f].stages)
        if (plan_.funcs[f].placement != Placement::Inline && l.has_kind(LoopKind::Thread) && root_of(static_cast<int>(f), l.stage) == kernel) return true;
    return false;
  }

  // Something is computed or stored in each iteration: the loop is one in time.
  bool is_place(FuncId f, int stage, int node) const {
    const LoopPlace p{f, stage, node};
    return std::any_of(plan_.funcs.begin(), plan_.funcs.end(),
                       [&](const FuncPlan& fp) { return fp.placement == Placement::At && (fp.compute == p || fp.store == p); });
  }

  void make_cooperative(StageLoops& loops, FuncId f) {
    const StageShape& shape = regions_.shape(f, loops.stage);
    bool inside = !loops.has_kind(LoopKind::Block);
    for (int i = static_cast<int>(loops.order.size()) - 1; i >= 0; --i) {
      LoopNode& n = loops.nodes[loops.order[i]];
      if (!inside) {
        bool more = false;
        for (int j = 0; j < i; ++j) more |= loops.loop(j).kind == LoopKind::Block;
        inside = n.kind == LoopKind::Block && !more;
        continue;
      }
      const int64_t* full = as_int(shape.full[loops.order[i]]);
      if (n.is_rvar) continue;
      if (n.kind == LoopKind::Serial && !n.kind_fixed) {
        if (is_place(f, loops.stage, loops.order[i])) continue;
        if (!full)
          user_error(ErrorCode::UnboundedBox, loops.loc,
                     "loop `" + n.name->name + "` of `" + plan_.program.funcs[f].name + "` is inside a block, but its extent has no constant bound: " +
                         to_string(shape.full[loops.order[i]]),
                     "tile it with a constant factor, bound() it, or serial(" + n.name->name + ")", nest_excerpt(plan_.program, loops, i));
        n.kind = LoopKind::Cooperative;
      } else if (full && n.kind == LoopKind::Vectorized) {
        n.kind = LoopKind::Cooperative;
        n.hints.vector = *full;
      } else if (full && n.kind == LoopKind::Unrolled) {
        n.kind = LoopKind::Cooperative;
        n.hints.unroll = *full;
      }
    }
    if (plan_.target.is_gpu()) share_reduction(plan_, loops, shape);
    gather_cooperative(loops);
  }

  // Cooperative loops are one perfect nest; serial loops between them go outside.
  static void gather_cooperative(StageLoops& loops) {
    int lowest = -1, highest = -1;
    for (int i = 0; i < static_cast<int>(loops.order.size()); ++i)
      if (loops.loop(i).kind == LoopKind::Cooperative) {
        if (lowest < 0) lowest = i;
        highest = i;
      }
    if (lowest < 0) return;
    std::stable_partition(loops.order.begin() + lowest, loops.order.begin() + highest + 1,
                          [&](int n) { return loops.nodes[n].kind == LoopKind::Cooperative; });
  }

  Plan& plan_;
  Regions regions_;
};

}  // namespace

std::vector<std::pair<FuncId, int>> readers_of(const Program& program, FuncId f) {
  std::vector<std::pair<FuncId, int>> out;
  for (size_t g = 0; g < program.funcs.size(); ++g) {
    if (static_cast<int>(g) == f) continue;
    for (size_t s = 0; s < program.funcs[g].stages.size(); ++s)
      if (reads(program.funcs[g].stages[s], f)) out.push_back({static_cast<int>(g), static_cast<int>(s)});
  }
  return out;
}

bool is_inside(const Plan& plan, const LoopPlace& inner, const LoopPlace& outer) {
  if (outer.is_root()) return true;
  for (LoopPlace p = inner; !p.is_root(); p = plan.funcs[p.func].compute)
    if (p.func == outer.func && p.stage == outer.stage) {
      const StageLoops& loops = loops_of(plan, p);
      return position_of(loops, p.node) <= position_of(loops, outer.node);
    }
  return false;
}

LoopPlace block_place(const Plan& plan, const LoopPlace& at) {
  for (LoopPlace p = at; !p.is_root(); p = plan.funcs[p.func].compute) {
    const StageLoops& loops = loops_of(plan, p);
    for (int i = 0; i < static_cast<int>(loops.order.size()); ++i)
      if (loops.loop(i).kind == LoopKind::Block) return position_of(loops, p.node) <= i ? LoopPlace{p.func, p.stage, loops.order[i]} : LoopPlace{};
  }
  return {};
}

std::vector<std::string> place_excerpt(const Plan& plan, const LoopPlace& place, const std::string& remark) {
  if (place.is_root()) return {};
  const StageLoops& loops = loops_of(plan, place);
  return nest_excerpt(plan.program, loops, position_of(loops, place.node), remark);
}

void resolve_placement(Plan& plan) { Resolver(plan).run(); }

}  // namespace sinter::scheduler
