#include "scheduler/lower/build_nest.h"

#include <algorithm>
#include <numeric>

#include "ir/diagnostic.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

// More than anybody wants; beyond, compilation takes minutes.
constexpr int64_t kMaxCopies = 4096;

class Builder {
 public:
  explicit Builder(const Plan& plan) : plan_(plan), program_(plan.program), regions_(plan) {}

  Nest build() {
    for (int f = static_cast<int>(program_.funcs.size()) - 1; f >= 0; --f)
      if (program_.funcs[f].is_input() || plan_.funcs[f].placement != Placement::Inline) regions_.set(f);
    Nest nest{program_, nullptr, {}, {}, {}};
    std::vector<Stmt> checks = requirements(nest.requirements);
    checks.push_back(roots());
    nest.body = make_seq(std::move(checks));
    for (size_t f = 0; f < program_.funcs.size(); ++f) {
      if (!program_.funcs[f].is_input()) nest.placement.push_back(note(static_cast<int>(f)));
      for (const auto& [d, extent] : plan_.funcs[f].estimates) nest.estimates[program_.funcs[f].extent[d].get()] = extent;
    }
    return nest;
  }

 private:
  PlacementNote note(FuncId f) const {
    const FuncPlan& fp = plan_.funcs[f];
    PlacementNote n{f, "root", fp.reason, fp.recompute};
    if (fp.placement == Placement::Inline) n.where = "inline";
    if (fp.placement == Placement::At) {
      const StageLoops& loops = plan_.funcs[fp.compute.func].stages[fp.compute.stage];
      n.where = program_.funcs[fp.compute.func].name + " at " + loop_kind_name(loops.nodes[fp.compute.node].kind) + " " +
                loops.nodes[fp.compute.node].name->name;
    }
    return n;
  }

  // The region that is read of each Input, and of each output by other Funcs, must lie inside the caller's buffer.
  std::vector<Stmt> requirements(std::vector<Requirement>& out) const {
    std::vector<Stmt> checks;
    for (size_t i = 0; i < program_.funcs.size(); ++i) {
      const FuncId f = static_cast<int>(i);
      const FuncDef& func = program_.funcs[f];
      const bool output = program_.is_output(f);
      if (!func.is_input() && !output) continue;
      const std::vector<DimRegion>& region = regions_.root_region(f);
      for (int d = 0; d < func.rank(); ++d) {
        if (!region[d].min.defined()) continue;  // never read
        const Expr extent = make_var(func.extent[d]);
        const std::string what = std::string(output ? "output" : "input") + " `" + func.name + "`, dimension " + std::to_string(d) + " (`" +
                                 func.dims[d]->name + "`)";
        out.push_back({f, d, region[d].min, region[d].max});
        if (!can_prove(region[d].min >= i32(0)))
          checks.push_back(std::make_shared<CheckStmt>(what + ": first coordinate", region[d].min, i32(0), CheckStmt::AtLeast, func.loc));
        const Expr needed = simplify(region[d].max + 1);
        if (!can_prove(needed <= extent))
          checks.push_back(std::make_shared<CheckStmt>(what + ": extent", extent, needed, CheckStmt::AtLeast, func.loc));
      }
    }
    return checks;
  }

  std::vector<FuncId> funcs_at(const LoopPlace& p) const {
    std::vector<FuncId> out;
    for (size_t f = 0; f < plan_.funcs.size(); ++f) {
      const FuncPlan& fp = plan_.funcs[f];
      if (program_.funcs[f].is_input() || fp.placement == Placement::Inline) continue;
      if (fp.compute == p || fp.store == p) out.push_back(static_cast<int>(f));
    }
    return out;
  }

  Stmt roots() { return wrap(LoopPlace{}, nullptr); }

  // Puts the Funcs that are computed or stored at `p` around `inner`, producers first.
  Stmt wrap(const LoopPlace& p, Stmt inner) {
    const std::vector<FuncId> funcs = funcs_at(p);
    for (auto f = funcs.rbegin(); f != funcs.rend(); ++f) {
      const FuncPlan& fp = plan_.funcs[*f];
      if (fp.compute == p) {
        Stmt produce = std::make_shared<ProduceStmt>(*f, stages(*f));
        if (!inner) inner = produce;
        else if (program_.is_output(*f)) inner = make_seq({produce, inner});
        else inner = make_seq({produce, std::make_shared<ConsumeStmt>(*f, inner)});
      }
      if (fp.store == p && !program_.is_output(*f)) {
        std::vector<Region> region;
        // Where a tail is guarded, an iteration that is not live may need less than nothing.
        for (const DimRegion& r : regions_.store_region(*f))
          region.push_back({r.min, r.max, can_prove(r.extent >= i32(0)) ? r.extent : simplify(max(r.extent, i32(0)))});
        align_storage(*f, region);
        const auto alloc = std::make_shared<AllocStmt>(*f, program_.funcs[*f].type, fp.memory, std::move(region), inner, program_.funcs[*f].loc);
        if (!std::is_sorted(fp.storage_order.begin(), fp.storage_order.end())) alloc->order = fp.storage_order;
        inner = alloc;
      }
    }
    return inner ? inner : make_seq({});
  }

  void align_storage(FuncId f, std::vector<Region>& region) const {
    const FuncPlan& fp = plan_.funcs[f];
    for (size_t d = 0; d < fp.storage_align.size(); ++d) {
      int64_t n = fp.storage_align[d];
      if (n == 1) continue;
      // Rows of a GPU's workspace are whole 16 bytes (cut_kernels): a multiple of both is not rounded again.
      const size_t innermost = fp.storage_order.empty() ? 0 : static_cast<size_t>(fp.storage_order[0]);
      if (fp.memory == Memory::Global && d == innermost) n = std::lcm(n, std::max<int64_t>(1, 16 / program_.funcs[f].type.bytes()));
      region[d].extent = simplify(ceil_div(region[d].extent, n) * n);
    }
  }

  Stmt stages(FuncId f) {
    std::vector<Stmt> out;
    for (size_t s = 0; s < plan_.funcs[f].stages.size(); ++s) out.push_back(stage(f, static_cast<int>(s)));
    return make_seq(std::move(out));
  }

  bool has_places(FuncId f, int stage) const {
    return std::any_of(plan_.funcs.begin(), plan_.funcs.end(), [&](const FuncPlan& fp) {
      return fp.placement == Placement::At && fp.compute.func == f && fp.compute.stage == stage;
    });
  }

  Stmt stage(FuncId f, int s) {
    const StageLoops& loops = plan_.funcs[f].stages[s];
    const Stmt guarded = nest(loops, regions_.shape(f, s));
    // A tail that moves inwards needs at least one whole part; which of the two runs is decided when the extents are known. Funcs
    // computed inside keep the guarded form.
    if (has_places(f, s)) return guarded;
    const StageShape shifted = make_shape(plan_, loops, regions_.compute_region(f), true);
    if (!shifted.shifts) return guarded;
    // Inside a guarded part its length is known only there: no one condition in front decides.
    std::unordered_set<const VarNode*> own;
    for (const Sym& v : shifted.sym) own.insert(v.get());
    if (uses_any(shifted.shift_condition, own)) return guarded;
    return make_if(shifted.shift_condition, nest(loops, shifted), guarded);
  }

  static std::unordered_set<const VarNode*> stage_loops(const StageLoops& loops, const StageShape& shape) {
    std::unordered_set<const VarNode*> out;
    for (int n : loops.order) out.insert(shape.sym[n].get());
    return out;
  }

  // Points of what is expanded into code: the copies of a statement, and the box of a block.
  struct Sizes {
    int64_t copies = 1, box = 1;
  };
  void check_size(const StageLoops& loops, int position, const Expr& extent, Sizes& sizes) const {
    const LoopNode& loop = loops.loop(position);
    const int64_t* n = as_int(extent);
    if (!n) return;
    const bool box = loop.kind == LoopKind::Cooperative && plan_.target.is_gpu();
    if (!box && loop.kind != LoopKind::Vectorized && loop.kind != LoopKind::Unrolled) return;
    const int64_t limit = box ? kMaxBox : kMaxCopies;
    int64_t& size = box ? sizes.box : sizes.copies;
    size = std::min(size * std::clamp<int64_t>(*n, 1, limit + 1), limit + 1);
    if (size <= limit && (loop.kind != LoopKind::Vectorized || *n <= kMaxLanes)) return;
    const std::string of = "`" + loop.name->name + "` of `" + program_.funcs[loops.func].name + "`";
    user_error(ErrorCode::BadFactor, loop.loc,
               box ? "the box that a block computes together, with loop " + of + " of " + std::to_string(*n) + ", has more than " + std::to_string(limit) + " points"
                   : std::string(loop_kind_name(loop.kind)) + " loop " + of + ", of " + std::to_string(*n) + ", makes " +
                         (size <= limit ? "vectors of more than " + std::to_string(kMaxLanes) + " lanes" : "more than " + std::to_string(limit) + " copies of a statement"),
               box ? "smaller tiles; serial(" + loop.name->name + ") makes it a loop inside the block" : "split it and expand the inner part",
               nest_excerpt(program_, loops, position));
  }

  // Where block_order puts the block loop at `position`: what it names first, then the others from the innermost on.
  static void place_in_order(const StageLoops& loops, int position, LoopHints& hints) {
    if (loops.block_order.empty()) return;
    const auto named = [&](int node) {
      return std::find_if(loops.block_order.begin(), loops.block_order.end(), [&](const OrderedBlock& o) { return o.node == node; });
    };
    const auto it = named(loops.order[position]);
    if (it != loops.block_order.end()) {
      hints.order = 1 + (it - loops.block_order.begin());
      if (it->group > 1) hints.group = it->group;
      return;
    }
    hints.order = 1 + static_cast<int64_t>(loops.block_order.size());
    for (int i = 0; i < position; ++i)
      if (loops.loop(i).kind == LoopKind::Block && named(loops.order[i]) == loops.block_order.end()) ++hints.order;
  }

  Stmt nest(const StageLoops& loops, const StageShape& shape) {
    const FuncDef& func = program_.funcs[loops.func];
    const Definition& def = func.stages[loops.stage];
    Substitution values;
    for (int d = 0; d < func.rank(); ++d)
      if (shape.pure_coord[d].defined()) values[func.dims[d].get()] = shape.pure_coord[d];
    for (size_t r = 0; r < def.rdom.vars.size(); ++r) values[def.rdom.vars[r].var.get()] = shape.rvar_coord[r];
    Rewriter to_loops([&values](const Expr& e) {
      if (e->op != Op::Var) return e;
      const auto it = values.find(e->var.get());
      return it == values.end() ? e : it->second;
    });
    std::vector<Expr> index;
    for (const Expr& a : def.args) index.push_back(simplify(to_loops(a)));
    Stmt body = std::make_shared<ProvideStmt>(loops.func, loops.stage, std::move(index), simplify_value(to_loops(def.value)), def.loc);

    Expr guard;
    for (const Expr& g : shape.guards) guard = guard && g;
    const int n = static_cast<int>(loops.order.size());
    std::vector<Expr> extent(n), live(n);
    Sizes sizes;
    for (int i = 0; i < n; ++i) {
      const int node = loops.order[i];
      const LoopNode& loop = loops.nodes[node];
      const Expr var = make_var(shape.sym[node]);
      const Expr full = shape.full[node], alive = shape.live[node];
      const bool same = equal_structure(full, alive);
      const bool is_static = loop.kind == LoopKind::Cooperative || loop.kind == LoopKind::Thread || loop.kind == LoopKind::Vectorized ||
                             loop.kind == LoopKind::Unrolled;
      if (is_static && !as_int(full))
        user_error(loop.kind == LoopKind::Cooperative ? ErrorCode::UnboundedBox : ErrorCode::BadVectorize, loop.loc,
                   std::string(loop_kind_name(loop.kind)) + " loop `" + loop.name->name + "` of `" + func.name + "` has no constant extent: " + to_string(full),
                   "split it by a constant factor first, or bound() the dimension", nest_excerpt(program_, loops, i));
      check_size(loops, i, full, sizes);
      extent[i] = full;
      if (same) continue;
      // `live` may use loops that are outside of this one; else the iterations are guarded.
      std::unordered_set<const VarNode*> not_outside;
      for (int j = 0; j <= i; ++j) not_outside.insert(shape.sym[loops.order[j]].get());
      if (loop.kind == LoopKind::Cooperative || loop.kind == LoopKind::Thread)
        for (int j = i; j < n; ++j)
          if (loops.loop(j).kind == loop.kind) not_outside.insert(shape.sym[loops.order[j]].get());
      bool available = !uses_any(alive, not_outside);
      // A grid is a box; registers are indexed by constants, so that the loops over them are unrolled.
      if (loop.kind == LoopKind::Block) available &= !uses_any(alive, stage_loops(loops, shape));
      if (loop.kind == LoopKind::Serial && as_int(full) && plan_.funcs[loops.func].memory == Memory::Register) available = false;
      if (!available || loop.kind == LoopKind::Vectorized || loop.kind == LoopKind::Unrolled) guard = guard && (var < alive);
      else if (is_static) live[i] = alive;
      else extent[i] = alive;
    }
    if (def.rdom.where.defined()) guard = guard && to_loops(def.rdom.where);
    if (guard.defined()) guard = simplify(guard);
    body = make_if(guard, body);
    for (int i = 0; i < n; ++i) {
      const int node = loops.order[i];
      const LoopNode& loop = loops.nodes[node];
      body = wrap(LoopPlace{loops.func, loops.stage, node}, body);
      LoopHints hints = loop.hints;
      const bool outermost_block = loop.kind == LoopKind::Block && (i + 1 == n || loops.loop(i + 1).kind != LoopKind::Block);
      if (outermost_block) hints.threads = loops.threads;
      if (loop.kind == LoopKind::Block) place_in_order(loops, i, hints);
      body = make_for(shape.sym[node], i32(0), extent[i], loop.kind, body, loop.loc, live[i], hints);
    }
    return body;
  }

  const Plan& plan_;
  const Program& program_;
  Regions regions_;
};

}  // namespace

Nest build_nest(const Plan& plan) { return Builder(plan).build(); }

}  // namespace sinter::scheduler
