#include "scheduler/lower/stage_shape.h"

#include "ir/diagnostic.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

bool wants_shift(const Plan& plan, const StageLoops& loops, const LoopRelation& r) {
  if (r.kind != LoopRelation::Kind::Split || loops.stage > 0) return false;
  if (r.tail == Tail::ShiftInwards) return true;
  // Auto: vectorized host loops of pure definitions.
  return r.tail == Tail::Auto && !plan.target.is_gpu() && loops.nodes[r.inner].kind == LoopKind::Vectorized;
}

Expr StageShape::iterations(const StageLoops& loops, int position) const {
  const int node = loops.order[position];
  const LoopKind kind = loops.nodes[node].kind;
  if (kind == LoopKind::Block || kind == LoopKind::Vectorized || kind == LoopKind::Unrolled) return full[node];
  std::unordered_set<const VarNode*> not_around;
  for (int i = 0; i <= position; ++i) not_around.insert(sym[loops.order[i]].get());
  return uses_any(live[node], not_around) ? full[node] : live[node];
}

StageShape make_shape(const Plan& plan, const StageLoops& loops, const std::vector<DimRegion>& region, bool shift) {
  const FuncDef& f = plan.program.funcs[loops.func];
  const Definition& def = f.stages[loops.stage];
  const size_t n = loops.nodes.size();
  StageShape s;
  s.sym.resize(n), s.full.resize(n), s.live.resize(n), s.value.resize(n);
  s.pure_coord.resize(f.rank());
  s.rvar_coord.resize(def.rdom.vars.size());
  // Every node gets a variable; those of consumed loops are substituted by their values at the end.
  for (size_t i = 0; i < n; ++i) s.sym[i] = make_sym(loops.nodes[i].name->name);
  const int base = loops.pure_dims + static_cast<int>(def.rdom.vars.size());
  for (int i = 0; i < base; ++i) {
    const int d = loops.dim_of_node[i];
    if (loops.nodes[i].is_rvar) {
      s.full[i] = s.live[i] = def.rdom.vars[d].extent;
    } else {
      s.live[i] = simplify(region[d].max - region[d].min + 1);
      s.full[i] = region[d].extent.defined() ? region[d].extent : s.live[i];
    }
  }
  for (size_t i = base; i < n; ++i) s.full[i] = s.live[i] = i32(1);  // loops without a dimension

  std::unordered_set<const VarNode*> loop_vars;
  for (const Sym& v : s.sym) loop_vars.insert(v.get());
  std::vector<bool> moved(loops.relations.size(), false);
  for (size_t n_relation = 0; n_relation < loops.relations.size(); ++n_relation) {
    const LoopRelation& r = loops.relations[n_relation];
    const Expr outer = make_var(s.sym[r.outer]), inner = make_var(s.sym[r.inner]);
    if (r.kind == LoopRelation::Kind::Fuse) {
      s.full[r.whole] = s.live[r.whole] = simplify(s.full[r.inner] * s.full[r.outer]);
      for (int part : {r.inner, r.outer})
        if (!equal_structure(s.full[part], s.live[part])) s.guards.push_back(make_var(s.sym[part]) < s.live[part]);
      continue;
    }
    const Expr full = s.full[r.whole], live = s.live[r.whole];
    s.full[r.outer] = simplify(ceil_div(full, r.factor));
    s.live[r.outer] = equal_structure(full, live) ? s.full[r.outer] : simplify(ceil_div(live, r.factor));
    s.full[r.inner] = i32(r.factor);
    const int64_t* whole = as_int(live);
    const bool divides = whole && *whole % r.factor == 0;
    // Whether a whole part fits must be known before the stage's loops run: a part of another tail stays guarded.
    moved[n_relation] = shift && !divides && wants_shift(plan, loops, r) && !uses_any(live, loop_vars);
    const bool exact = r.tail == Tail::RoundUp || moved[n_relation] || divides;
    s.live[r.inner] = exact ? s.full[r.inner] : min(i32(r.factor), live - outer * r.factor);
    if (moved[n_relation]) {
      s.shifts = true;
      s.shift_condition = s.shift_condition && (live >= i32(r.factor));
    }
  }

  // Values: leaves are their variables (a loop of one iteration is its only value), then backwards through the relations.
  Substitution values;
  for (int leaf : loops.order) s.value[leaf] = is_const_int(s.full[leaf], 1) ? i32(0) : make_var(s.sym[leaf]);
  for (size_t n_relation = loops.relations.size(); n_relation-- > 0;) {
    const LoopRelation* r = &loops.relations[n_relation];
    if (r->kind == LoopRelation::Kind::Fuse) {
      const Expr whole = s.value[r->whole];
      internal_check(whole.defined(), "a fused loop without a value");
      s.value[r->inner] = simplify(whole % s.full[r->inner]);
      s.value[r->outer] = simplify(whole / s.full[r->inner]);
    } else {
      Expr start = s.value[r->outer] * r->factor;
      if (moved[n_relation]) start = min(start, s.live[r->whole] - r->factor);
      s.value[r->whole] = start + s.value[r->inner];
    }
  }
  for (size_t i = 0; i < n; ++i)
    if (s.value[i].defined()) values[s.sym[i].get()] = s.value[i];
  // Values may name consumed nodes through `live` (shifted splits): close the substitution.
  const auto close = [&](const Expr& e) {
    if (!e.defined()) return e;
    Expr out = e;
    for (int guard = 0; guard < 64; ++guard) {
      const Expr next = substitute(out, values);
      if (next.same_as(out) || equal_structure(next, out)) break;
      out = next;
    }
    return simplify(out);
  };
  for (auto* list : {&s.full, &s.live, &s.value, &s.guards})
    for (Expr& e : *list) e = close(e);
  s.shift_condition = close(s.shift_condition);
  for (int i = 0; i < base; ++i) {
    const int d = loops.dim_of_node[i];
    if (loops.nodes[i].is_rvar) s.rvar_coord[d] = simplify(def.rdom.vars[d].min + s.value[i]);
    else s.pure_coord[d] = simplify(region[d].min + s.value[i]);
  }
  return s;
}

}  // namespace sinter::scheduler
