#include "scheduler/lower/regions.h"

#include <algorithm>

#include "ir/diagnostic.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

int position_of(const StageLoops& loops, int node) {
  for (size_t i = 0; i < loops.order.size(); ++i)
    if (loops.order[i] == node) return static_cast<int>(i);
  throw InternalError("a place names a loop that is not in its nest");
}

const StageLoops& loops_of(const Plan& plan, const LoopPlace& p) { return plan.funcs[p.func].stages[p.stage]; }

void add(DimRegion& region, const Interval& i, bool first) {
  if (first) {
    region.min = i.min, region.max = i.max;
    return;
  }
  region.min = region.min.defined() && i.min.defined() ? simplify(min(region.min, i.min)) : Expr();
  region.max = region.max.defined() && i.max.defined() ? simplify(max(region.max, i.max)) : Expr();
}

// The smallest number of which the live extent of dimension `dim` is rounded up to a multiple.
int64_t round_up_multiple(const StageLoops& loops, int dim) {
  int node = -1;
  for (int i = 0; i < loops.pure_dims; ++i)
    if (loops.dim_of_node[i] == dim) node = i;
  int64_t multiple = 1;
  for (const LoopRelation& r : loops.relations)
    if (r.kind == LoopRelation::Kind::Split && r.whole == node) {
      if (r.tail != Tail::RoundUp) break;
      multiple *= r.factor;
      node = r.outer;
    }
  return multiple;
}

}  // namespace

bool is_in_block(const Plan& plan, const LoopPlace& place) { return !block_place(plan, place).is_root(); }

bool is_thread_private(const Plan& plan, const LoopPlace& place) {
  for (LoopPlace p = place; !p.is_root(); p = plan.funcs[p.func].compute) {
    const StageLoops& loops = loops_of(plan, p);
    for (size_t i = position_of(loops, p.node); i < loops.order.size(); ++i)
      if (loops.loop(static_cast<int>(i)).kind == LoopKind::Thread) return true;
  }
  return false;
}

Regions::Regions(const Plan& plan)
    : plan_(plan), compute_(plan.funcs.size()), store_(plan.funcs.size()), root_(plan.funcs.size()), shapes_(plan.funcs.size()) {}

Interval Regions::lift(Interval interval, LoopPlace from, const LoopPlace& to) const {
  while (!(from == to)) {
    if (from.is_root()) return interval;  // nothing that varies is left
    const StageLoops& loops = loops_of(plan_, from);
    const StageShape& shape = shapes_[from.func][from.stage];
    const bool last = to.func == from.func && to.stage == from.stage;
    const size_t end = last ? position_of(loops, to.node) : loops.order.size();
    IntervalScope scope;
    for (size_t i = position_of(loops, from.node); i < end; ++i) {
      const int node = loops.order[i];
      scope[shape.sym[node].get()] = {i32(0), simplify(shape.iterations(loops, i) - 1)};
    }
    if (interval.min.defined()) interval.min = bounds_of(interval.min, scope).min;
    if (interval.max.defined()) interval.max = bounds_of(interval.max, scope).max;
    if (last) break;
    from = plan_.funcs[from.func].compute;
  }
  return interval;
}

IntervalScope Regions::scope_at(FuncId h, int stage, const LoopPlace& place) const {
  const FuncDef& f = plan_.program.funcs[h];
  const Definition& def = f.stages[stage];
  IntervalScope scope;
  const auto rdom_interval = [&](size_t r) {
    return Interval{def.rdom.vars[r].min, simplify(def.rdom.vars[r].min + def.rdom.vars[r].extent - 1)};
  };
  if (place.is_root() || !(h == place.func && stage == place.stage)) {
    const std::vector<DimRegion>& region = place.is_root() ? root_[h] : compute_[h];
    for (int d = 0; d < f.rank(); ++d) {
      Interval i{region[d].min, region[d].max};
      if (!place.is_root()) i = lift(i, plan_.funcs[h].compute, place);
      scope[f.dims[d].get()] = i;
    }
    for (size_t r = 0; r < def.rdom.vars.size(); ++r) scope[def.rdom.vars[r].var.get()] = rdom_interval(r);
    return scope;
  }
  // The stage that has the place's loop: loops inside it vary, the others are fixed.
  const StageLoops& loops = loops_of(plan_, place);
  const StageShape& shape = shapes_[h][stage];
  const int at = position_of(loops, place.node);
  IntervalScope inner;
  std::unordered_set<const VarNode*> outside;
  for (int i = 0; i < static_cast<int>(loops.order.size()); ++i) {
    const int node = loops.order[i];
    if (i < at) inner[shape.sym[node].get()] = {i32(0), simplify(shape.full[node] - 1)};
    else outside.insert(shape.sym[node].get());
  }
  std::unordered_set<const VarNode*> varying;
  for (int i = 0; i < at; ++i) varying.insert(shape.sym[loops.order[i]].get());
  // Loops that run over their live iterations only stay inside the region; guarded ones may leave it.
  bool guarded = !shape.guards.empty();
  for (size_t i = at; i < loops.order.size(); ++i) {
    const int node = loops.order[i];
    if (equal_structure(shape.full[node], shape.live[node])) continue;
    const LoopKind kind = loops.nodes[node].kind;
    std::unordered_set<const VarNode*> not_around;
    for (size_t j = 0; j <= i; ++j) not_around.insert(shape.sym[loops.order[j]].get());
    guarded |= kind == LoopKind::Block || kind == LoopKind::Vectorized || kind == LoopKind::Unrolled || uses_any(shape.live[node], not_around);
  }
  const auto interval_of = [&](const Expr& coord, const Interval& whole) {
    if (!uses_any(coord, outside)) return whole;
    if (!guarded && !uses_any(coord, varying)) return Interval{coord, coord};
    Interval i = bounds_of(coord, inner);
    // A guarded tail may reach beyond the region: clip to what is live.
    if (i.max.defined() && !can_prove(i.max <= whole.max)) i.max = simplify(min(i.max, whole.max));
    return i;
  };
  for (int d = 0; d < f.rank(); ++d) {
    const DimRegion& region = compute_[h][d];
    const Interval whole{region.min, region.max};
    scope[f.dims[d].get()] = shape.pure_coord[d].defined() ? interval_of(shape.pure_coord[d], whole) : whole;
  }
  for (size_t r = 0; r < def.rdom.vars.size(); ++r)
    scope[def.rdom.vars[r].var.get()] = interval_of(shape.rvar_coord[r], rdom_interval(r));
  return scope;
}

std::vector<DimRegion> Regions::required(FuncId f, const LoopPlace& place) const {
  const FuncDef& func = plan_.program.funcs[f];
  std::vector<DimRegion> region(func.rank());
  bool first = true;
  if (plan_.program.is_output(f)) {
    for (int d = 0; d < func.rank(); ++d) {
      const Expr extent = func.fixed_extent[d].defined() && as_int(func.fixed_extent[d]) ? func.fixed_extent[d] : make_var(func.extent[d]);
      region[d].min = i32(0);
      region[d].max = simplify(extent - 1);
    }
    first = false;
  }
  for (const auto& [reader, stage] : readers_of(plan_.program, f)) {
    if (plan_.funcs[reader].placement == Placement::Inline) continue;
    const Definition& def = plan_.program.funcs[reader].stages[stage];
    const IntervalScope scope = scope_at(reader, stage, place);
    std::unordered_set<const ExprNode*> done;
    const auto visit = [&](const Expr& root) {
      walk(root, [&](const Expr& e) {
        if (e->op != Op::Call || e->id != f || !done.insert(e.get()).second) return;
        for (int d = 0; d < func.rank(); ++d) add(region[d], bounds_of(e->args[d], scope), first);
        first = false;
      });
    };
    for (const Expr& a : def.args) visit(a);
    visit(def.value);
    visit(def.rdom.where);
  }
  if (!func.is_input()) add_own_updates(f, region);
  return region;
}

void Regions::add_own_updates(FuncId f, std::vector<DimRegion>& region) const {
  const FuncDef& func = plan_.program.funcs[f];
  for (size_t s = 1; s < func.stages.size(); ++s) {
    const Definition& def = func.stages[s];
    IntervalScope scope;
    for (int d = 0; d < func.rank(); ++d) scope[func.dims[d].get()] = {region[d].min, region[d].max};
    for (const RVarDef& r : def.rdom.vars) scope[r.var.get()] = {r.min, simplify(r.min + r.extent - 1)};
    const auto touch = [&](const std::vector<Expr>& index) {
      for (int d = 0; d < func.rank(); ++d) {
        const bool pure = index[d]->op == Op::Var && index[d]->var == func.dims[d];
        if (!pure) add(region[d], bounds_of(index[d], scope), false);
      }
    };
    touch(def.args);
    walk(def.value, [&](const Expr& e) {
      if (e->op == Op::Call && e->id == f) touch(e->args);
    });
  }
}

void Regions::finish(FuncId f, std::vector<DimRegion>& region, const LoopPlace& place) const {
  const FuncDef& func = plan_.program.funcs[f];
  const FuncPlan& fp = plan_.funcs[f];
  for (const DimBound& b : fp.bounds) {
    DimRegion& r = region[b.dim];
    if (!b.min.defined() && !(place == fp.compute)) continue;
    if (b.min.defined()) r.min = b.min;
    if (!r.min.defined()) continue;  // said below
    r.max = simplify(r.min + b.extent - 1);
    r.extent = b.extent;
  }
  for (const DimAlign& a : fp.aligned) {
    DimRegion& r = region[a.dim];
    if (!r.min.defined() || !r.max.defined()) continue;
    const std::optional<int64_t> needed = constant_upper_bound(simplify(r.max - r.min + 1));
    r.min = simplify(r.min - (r.min - i32(a.remainder)) % a.modulus);
    r.max = simplify(r.min + ceil_div(r.max - r.min + 1, a.modulus) * a.modulus - 1);
    r.extent = Expr();
    // Where nobody knows how far the range begins from a multiple: at worst modulus - 1.
    if (!place.is_root() && needed && !constant_upper_bound(simplify(r.max - r.min + 1)))
      r.extent = i32((*needed + 2 * a.modulus - 2) / a.modulus * a.modulus);
  }
  for (int d = 0; d < func.rank(); ++d) {
    DimRegion& r = region[d];
    if (!r.min.defined() || !r.max.defined())
      user_error(ErrorCode::UnboundedInput, func.loc,
                 "the region of `" + func.name + "` that its readers need has no bound in dimension " + std::to_string(d) + " (`" + func.dims[d]->name + "`)",
                 "clamp the index that reads it" + (func.is_input() ? "" : ", or " + func.name + ".bound(" + func.dims[d]->name + ", min, extent)"));
    if (plan_.program.is_output(f)) continue;
    int64_t multiple = 1;
    for (const StageLoops& loops : fp.stages) multiple = std::max(multiple, round_up_multiple(loops, d));
    if (multiple > 1) {
      r.max = simplify(r.min + ceil_div(r.max - r.min + 1, multiple) * multiple - 1);
      r.extent = Expr();
    }
  }
}

// A region of given extent may reach beyond what the readers need: what is around it holds all of it.
void Regions::cover_tiles(FuncId f, std::vector<DimRegion>& region, const LoopPlace& place) const {
  const FuncPlan& fp = plan_.funcs[f];
  for (const DimBound& b : fp.bounds) {
    if (b.min.defined()) continue;
    DimRegion& r = region[b.dim];
    add(r, lift({compute_[f][b.dim].min, compute_[f][b.dim].max}, fp.compute, place), false);
    r.extent = Expr();
    if (r.min.defined() && r.max.defined() && place.is_root()) r.extent = simplify(r.max - r.min + 1);
  }
}

void Regions::set_extents(FuncId f, std::vector<DimRegion>& region, const LoopPlace& place, bool) const {
  const FuncDef& func = plan_.program.funcs[f];
  const FuncPlan& fp = plan_.funcs[f];
  const bool bounded = is_in_block(plan_, place);
  for (int d = 0; d < func.rank(); ++d) {
    DimRegion& r = region[d];
    const Expr extent = simplify(r.max - r.min + 1);
    if (!bounded) {
      r.extent = extent;
      continue;
    }
    if (r.extent.defined() && as_int(r.extent)) continue;
    const std::optional<int64_t> bound = constant_upper_bound(extent);
    if (!bound)
      user_error(ErrorCode::UnboundedBox, fp.has_compute ? fp.compute_directive.loc : func.loc,
                 "`" + func.name + "` is computed inside a block, but its region there has no constant bound in dimension " +
                     std::to_string(d) + " (`" + func.dims[d]->name + "`): extent " + to_string(extent),
                 func.name + ".bound(" + func.dims[d]->name + ", min, extent), a tile of constant size, or " + func.name + ".compute_root()",
                 place_excerpt(plan_, place));
    r.extent = i32(std::max<int64_t>(*bound, 0));
  }
}

bool Regions::is_bounded_at(FuncId f, const LoopPlace& place, int64_t* bytes) const {
  std::vector<DimRegion> region = required(f, place);
  int64_t size = plan_.program.funcs[f].type.bytes();
  for (const DimRegion& r : region) {
    if (!r.min.defined() || !r.max.defined()) return false;
    const std::optional<int64_t> bound = constant_upper_bound(simplify(r.max - r.min + 1));
    if (!bound || *bound > (1 << 20)) return false;
    size *= std::max<int64_t>(*bound, 1);
    if (size > (1 << 28)) return false;
  }
  *bytes = size;
  return true;
}

void Regions::set(FuncId f) {
  const FuncPlan& fp = plan_.funcs[f];
  root_[f] = required(f, LoopPlace{});
  // An Input that nothing reads asks for nothing.
  if (plan_.program.funcs[f].is_input() && readers_of(plan_.program, f).empty()) return;
  finish(f, root_[f], LoopPlace{});
  for (DimRegion& r : root_[f])
    if (!r.extent.defined() || !as_int(r.extent)) r.extent = simplify(r.max - r.min + 1);
  if (fp.placement == Placement::Inline) return;
  if (fp.compute.is_root()) {
    compute_[f] = store_[f] = root_[f];
  } else {
    compute_[f] = required(f, fp.compute);
    finish(f, compute_[f], fp.compute);
    set_extents(f, compute_[f], fp.compute, true);
    cover_tiles(f, root_[f], LoopPlace{});
    if (fp.store == fp.compute) {
      store_[f] = compute_[f];
    } else if (fp.store.is_root()) {
      store_[f] = root_[f];
    } else {
      store_[f] = required(f, fp.store);
      finish(f, store_[f], fp.store);
      cover_tiles(f, store_[f], fp.store);
      set_extents(f, store_[f], fp.store, true);
    }
  }
  shapes_[f].clear();
  for (const StageLoops& loops : fp.stages) shapes_[f].push_back(make_shape(plan_, loops, compute_[f], false));
}

}  // namespace sinter::scheduler
