#include "scheduler/lower/kernel/distribute_reductions.h"

#include <algorithm>

#include "ir/analysis/reduction.h"
#include "ir/diagnostic.h"
#include "scheduler/layout/fixed_layout.h"
#include "scheduler/lower/copies.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

// The store of the statement's own Func; null where there are several.
const ProvideStmt* own_store(const TileStmt& tile) {
  const ProvideStmt* found = nullptr;
  bool one = true;
  walk_stmts(tile.body, [&](const Stmt& s) {
    const auto* p = as<ProvideStmt>(s);
    if (!p || p->func != tile.func) return true;
    one = found == nullptr;
    found = p;
    return true;
  });
  return one ? found : nullptr;
}

// The conditions, and'ed parts apart, under which the statement stores a point, Lets replaced by their values.
bool store_conditions(const Stmt& s, FuncId func, std::vector<Expr>& conditions, Substitution& lets) {
  if (const auto* p = as<ProvideStmt>(s)) return p->func == func;
  if (const auto* l = as<LetStmt>(s)) lets[l->var.get()] = substitute(l->value, lets);
  const size_t outside = conditions.size();
  const auto inside = [&](const Stmt& body, const Expr& condition) {
    std::vector<Expr> parts{substitute(condition, lets)};
    while (!parts.empty()) {
      const Expr part = parts.back();
      parts.pop_back();
      if (part->op == Op::And) parts.insert(parts.end(), {part->args[1], part->args[0]});
      else conditions.push_back(part);
    }
    const bool found = store_conditions(body, func, conditions, lets);
    if (!found) conditions.resize(outside);
    return found;
  };
  if (const auto* i = as<IfStmt>(s)) return inside(i->then_body, i->cond) || (i->else_body && inside(i->else_body, !i->cond));
  bool found = false;
  map_children(
      s,
      [&](const Stmt& c) {
        found = found || store_conditions(c, func, conditions, lets);
        return c;
      },
      nullptr);
  return found;
}

// What says that a point of the dimensions that stay is none of the stage's, as the guard of a loop that was split twice does. What is
// asked of the reduced dimensions too leaves the identity in their place.
std::vector<Expr> point_guards(const TileStmt& t, const std::vector<bool>& reduced) {
  std::vector<Expr> conditions, out;
  Substitution lets;
  store_conditions(t.body, t.func, conditions, lets);
  std::unordered_set<const VarNode*> points, inner;
  for (size_t d = 0; d < reduced.size(); ++d) (reduced[d] ? inner : points).insert(t.vars[d].get());
  walk_stmts(t.body, [&](const Stmt& s) {
    if (const auto* f = as<ForStmt>(s)) inner.insert(f->var.get());
    return true;
  });
  for (const Expr& c : conditions)
    if (uses_any(c, points) && !uses_any(c, inner)) out.push_back(c);
  return out;
}

class Distributor {
 public:
  Distributor(Module& module, KernelDraft& draft) : module_(module), draft_(draft) {}

  Stmt visit(const Stmt& s) {
    if (const auto* t = as<TileStmt>(s)) {
      Parts p = parts(*t);
      return p.fold ? make_seq({p.before, p.fold, p.after}) : s;
    }
    const auto* f = as<ForStmt>(s);
    if (!f) return map_children(s, [&](const Stmt& c) { return visit(c); }, nullptr);
    // The one statement that has to do with its Func here can start before the loop and finish behind it.
    std::vector<const TileStmt*> inside = tiles(s);
    for (const TileStmt* t : inside) {
      if (!continues(*t, *f, inside)) continue;
      const Parts p = parts(*t);
      const Stmt loop = map_tiles(s, [&](const TileStmt& other) { return &other == t ? p.fold : std::make_shared<TileStmt>(other); });
      return make_seq({p.before, visit(loop), p.after});
    }
    return make_for(f->var, f->min, f->extent, f->loop, visit(f->body), f->loc, f->live, f->hints);
  }

 private:
  struct Parts {
    Stmt before, fold, after;  // fold null: not a shared reduction
  };

  // What is folded into partial values already is not taken apart again.
  bool is_shared(const TileStmt& t) const {
    const std::vector<bool> reduced = reduced_dims(t);
    return t.func < static_cast<int>(module_.program.funcs.size()) && std::find(reduced.begin(), reduced.end(), true) != reduced.end();
  }

  bool continues(const TileStmt& t, const ForStmt& loop, const std::vector<const TileStmt*>& inside) const {
    if (!is_shared(t)) return false;
    const std::vector<bool> reduced = reduced_dims(t);
    std::unordered_set<const VarNode*> bound;
    walk_stmts(Stmt(Stmt(), &loop), [&](const Stmt& s) {
      if (const auto* f = as<ForStmt>(s)) bound.insert(f->var.get());
      if (const auto* l = as<LetStmt>(s)) bound.insert(l->var.get());
      return s->kind != StmtKind::Tile;
    });
    for (const Expr& e : own_store(t)->index)
      if (uses_any(e, bound)) return false;
    for (size_t d = 0; d < reduced.size(); ++d)
      if (!reduced[d] && t.live[d].defined() && uses_any(t.live[d], bound)) return false;
    for (const Expr& e : point_guards(t, reduced))
      if (uses_any(e, bound)) return false;
    for (const TileStmt* other : inside)
      if (other != &t)
        for (const Access& a : accesses(other->body))
          if (a.func == t.func) return false;
    bool conditional = false;  // a loop that may skip the statement: its condition would have to move along
    walk_stmts(loop.body, [&](const Stmt& s) {
      conditional = conditional || s->kind == StmtKind::If;
      return s->kind != StmtKind::Tile;
    });
    return !conditional;
  }

  Parts parts(const TileStmt& t) {
    if (!is_shared(t)) return {};
    const std::vector<bool> reduced = reduced_dims(t);
    const ProvideStmt& store = *own_store(t);
    const Reduction reduction = *as_reduction(t.func, store.index, store.value);
    internal_check(t.layout.kind == Layout::Kind::Blocked, "a shared reduction without a blocked layout");
    const std::string& name = module_.program.funcs[t.func].name;

    std::vector<int> pure;  // dimensions of the statement that stay
    for (size_t d = 0; d < reduced.size(); ++d)
      if (!reduced[d]) pure.push_back(static_cast<int>(d));
    const Layout own = sliced(t.layout, pure);
    // All lanes arrive at a shuffle: points that a layout pads are run like others, on values that nobody reads.
    std::vector<int64_t> padded;
    for (size_t d = 0; d < pure.size(); ++d) padded.push_back(std::max(covered(own, static_cast<int>(d)), t.extent[pure[d]]));

    KernelStorage registers;
    registers.memory = Memory::Register;
    registers.layout = own;
    registers.padded = true;
    const FuncId partial = add(std::move(registers), name + ".partial", store.value.type(), padded, t.loc);

    Parts out;
    out.before = over(t, pure, padded, {}, own, TileOp::Map, partial, [&](const std::vector<Expr>& p) { return std::pair(p, identity(reduction.op, store.value.type())); });
    std::vector<Expr> at;
    for (const int d : pure) at.push_back(make_var(t.vars[d]));
    const Expr value = make_call(partial, store.value.type(), at, store.loc);
    const Stmt body = rewrite_stmt(
        t.body,
        [&](const Stmt& s) -> Stmt {
          const auto* p = as<ProvideStmt>(s);
          if (!p || p->func != t.func) return s;
          return std::make_shared<ProvideStmt>(partial, 1, at, combined(reduction.op, value, as_reduction(t.func, p->index, p->value)->value), p->loc);
        },
        nullptr);
    out.fold = std::make_shared<TileStmt>(TileOp::Reduce, partial, 1, t.vars, t.extent, t.live, t.layout, body, t.loc);

    std::vector<Stmt> after;
    int64_t place = 1;
    for (const Digit& d : t.layout.lane) {
      const bool shares = d.dim >= 0 && reduced[d.dim];
      for (int64_t step = place; shares && step < place * d.extent; step *= 2)
        after.push_back(over(t, pure, padded, {}, own, TileOp::Map, partial, [&](const std::vector<Expr>& p) {
          const Expr mine = make_call(partial, store.value.type(), p, store.loc);
          return std::pair(p, combined(reduction.op, mine, make_shuffle(mine, make_binary(Op::BitXor, make_var(draft_.lane), i32(step)))));
        }));
      place *= d.extent;
    }

    // Warps that share points: one slot each.
    Layout slots = own;
    slots.vector = 1;
    slots.reg = shifted(own.reg);
    slots.lane = shifted(own.lane);
    slots.warp.clear();
    int64_t warps = 1;
    for (const Digit& d : t.layout.warp) {
      if (d.dim >= 0 && reduced[d.dim]) {
        slots.warp.push_back({d.extent, 0, warps});
        warps *= d.extent;
      } else {
        const auto at_pure = std::find(pure.begin(), pure.end(), d.dim);
        slots.warp.push_back(d.dim >= 0 ? Digit{d.extent, static_cast<int>(at_pure - pure.begin()) + 1, d.stride} : Digit{d.extent, -1, 1});
      }
    }
    FuncId exchange = -1;
    if (warps > 1) {
      std::vector<int64_t> extent{warps};
      extent.insert(extent.end(), padded.begin(), padded.end());
      KernelStorage shared;
      shared.memory = Memory::Shared;
      exchange = add(std::move(shared), name + ".warps", store.value.type(), extent, t.loc);
      const Sym w = make_sym("w");
      std::vector<Sym> vars{w};
      std::vector<Expr> index{make_var(w)}, point;
      for (const int d : pure) {
        vars.push_back(make_sym(t.vars[d]->name));
        index.push_back(make_var(vars.back()));
        point.push_back(make_var(vars.back()));
      }
      const Stmt put = std::make_shared<ProvideStmt>(exchange, 0, index, make_call(partial, store.value.type(), point, store.loc), store.loc);
      after.push_back(std::make_shared<TileStmt>(TileOp::Map, exchange, 0, vars, extent, std::vector<Expr>(vars.size()), slots, put, t.loc));
    }

    std::vector<int64_t> extent;
    std::vector<Expr> live;
    for (const int d : pure) {
      extent.push_back(t.extent[d]);
      live.push_back(t.live[d]);
    }
    const std::vector<Expr> guards = point_guards(t, reduced);
    Expr guard;
    after.push_back(over(t, pure, extent, live, own, TileOp::Map, t.func, [&](const std::vector<Expr>& p) {
      Substitution moved;
      for (size_t d = 0; d < pure.size(); ++d) moved[t.vars[pure[d]].get()] = p[d];
      std::vector<Expr> index;
      for (const Expr& e : store.index) index.push_back(substitute(e, moved));
      for (const Expr& e : guards) guard = guard && substitute(e, moved);
      std::vector<Expr> values;
      for (int64_t w = 0; w < warps; ++w) {
        std::vector<Expr> slot{i32(w)};
        slot.insert(slot.end(), p.begin(), p.end());
        values.push_back(exchange >= 0 ? make_call(exchange, store.value.type(), slot, store.loc) : make_call(partial, store.value.type(), p, store.loc));
      }
      while (values.size() > 1) {  // in pairs: half as deep as one after the other
        std::vector<Expr> half;
        for (size_t i = 0; i < values.size(); i += 2) half.push_back(i + 1 < values.size() ? combined(reduction.op, values[i], values[i + 1]) : values[i]);
        values = std::move(half);
      }
      return std::pair(index, combined(reduction.op, make_call(t.func, store.value.type(), index, store.loc), values[0]));
    }, store.stage, &guard));
    out.after = make_seq(std::move(after));
    return out;
  }

  static std::vector<Digit> shifted(std::vector<Digit> digits) {
    for (Digit& d : digits)
      if (d.dim >= 0) ++d.dim;
    return digits;
  }

  // A statement over the points that stay, with variables of its own; `f` gives its index and value, and may set `*guard`.
  template <class F>
  Stmt over(const TileStmt& t, const std::vector<int>& pure, std::vector<int64_t> extent, std::vector<Expr> live, const Layout& layout, TileOp op, FuncId func, F f, int stage = 1,
            const Expr* guard = nullptr) {
    std::vector<Sym> vars;
    std::vector<Expr> at;
    for (const int d : pure) {
      vars.push_back(make_sym(t.vars[d]->name));
      at.push_back(make_var(vars.back()));
      if (const auto h = draft_.hints.find(t.vars[d].get()); h != draft_.hints.end()) draft_.hints[vars.back().get()] = h->second;
    }
    const auto [index, value] = f(at);
    live.resize(pure.size());
    Stmt body = std::make_shared<ProvideStmt>(func, stage, index, value, t.loc);
    if (guard) body = make_if(*guard, body);
    return std::make_shared<TileStmt>(op, func, stage, std::move(vars), std::move(extent), std::move(live), layout, body, t.loc);
  }

  FuncId add(KernelStorage s, const std::string& name, Type type, const std::vector<int64_t>& extent, Loc loc) {
    const FuncId id = static_cast<FuncId>(module_.buffers.size());
    Buffer b;
    b.func = id;
    b.name = name;
    b.type = type;
    module_.buffers.push_back(std::move(b));
    s.func = id;
    s.name = name;
    s.type = type;
    s.loc = loc;
    for (const int64_t e : extent) s.region.push_back({i32(0), i32(e - 1), i32(e)});
    draft_.storage[id] = std::move(s);
    return id;
  }

  Module& module_;
  KernelDraft& draft_;
};

}  // namespace

std::vector<bool> reduced_dims(const TileStmt& tile) {
  std::vector<bool> out(tile.vars.size(), false);
  const ProvideStmt* store = own_store(tile);
  if (!store || store->stage == 0 || !as_reduction(tile.func, store->index, store->value)) return out;
  // A dimension of one point has nothing to share, whether the index names it or (simplified) does not.
  for (size_t d = 0; d < out.size(); ++d)
    out[d] = tile.extent[d] > 1 && std::none_of(store->index.begin(), store->index.end(), [&](const Expr& e) { return ir::uses_var(e, tile.vars[d].get()); });
  return out;
}

void distribute_reductions(Module& module, KernelDraft& draft) { draft.body = Distributor(module, draft).visit(draft.body); }

}  // namespace sinter::scheduler
