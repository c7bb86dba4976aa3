#include "ir/transform/simplifier.h"
#include "ir/transform/simplify.h"

namespace sinter::ir {

namespace {

class StmtSimplifier {
 public:
  Stmt visit(const Stmt& s) {
    if (!s) return s;
    switch (s->kind) {
      case StmtKind::For: return loop(*as<ForStmt>(s), s);
      case StmtKind::If: return branch(*as<IfStmt>(s), s);
      case StmtKind::Let: return let(*as<LetStmt>(s), s);
      case StmtKind::Tile: return tile(*as<TileStmt>(s), s);
      case StmtKind::Provide: {
        const auto& p = *as<ProvideStmt>(s);
        std::vector<Expr> index;
        bool changed = false;
        for (const Expr& e : p.index) {
          index.push_back(expr(e));
          changed = changed || !index.back().same_as(e);
        }
        const Expr v = value(p.value);
        return changed || !v.same_as(p.value) ? std::make_shared<ProvideStmt>(p.func, p.stage, std::move(index), v, p.loc) : s;
      }
      case StmtKind::Store: {
        const auto& t = *as<StoreStmt>(s);
        const Expr index = expr(t.index), v = value(t.value), mask = expr(t.mask);
        if (index.same_as(t.index) && v.same_as(t.value) && mask.same_as(t.mask)) return s;
        return std::make_shared<StoreStmt>(t.buffer, index, v, mask, t.align, t.cache, t.loc);
      }
      case StmtKind::Seq: {
        std::vector<Stmt> stmts;
        bool changed = false;
        for (const Stmt& child : as<SeqStmt>(s)->stmts) {
          stmts.push_back(visit(child));
          changed = changed || stmts.back() != child;
        }
        return changed || stmts.size() < 2 ? make_seq(std::move(stmts)) : s;
      }
      default: return map_children(s, [&](const Stmt& c) { return visit(c); }, [&](const Expr& e) { return expr(e); });
    }
  }

 private:
  Expr expr(const Expr& e) { return simplified(e, simplify); }
  Expr value(const Expr& e) { return simplified(e, simplify_value); }
  Expr simplified(const Expr& e, Expr (*how)(const Expr&, const IntervalScope&)) {
    if (!e.defined()) return e;
    const Expr out = how(substitute(e, values_), scope_);
    return equal_structure(out, e) ? e : out;
  }

  Stmt nothing() { return make_seq({}); }
  static bool is_nothing(const Stmt& s) { return !s || (s->kind == StmtKind::Seq && as<SeqStmt>(s)->stmts.empty()); }

  Stmt loop(const ForStmt& f, const Stmt& s) {
    const Expr mn = expr(f.min), extent = expr(f.extent), live = expr(f.live);
    const Expr most = live.defined() ? min(live, extent) : extent;
    if (can_prove(most <= make_int(most.type(), 0), scope_)) return nothing();
    const bool place = f.loop == LoopKind::Block || f.loop == LoopKind::Cooperative || f.loop == LoopKind::Thread;
    if (!place && is_const_int(most, 1)) {
      values_[f.var.get()] = mn;
      const Stmt body = visit(f.body);
      return launches(body) ? make_let(f.var, mn, body) : body;
    }
    scope_[f.var.get()] = {mn, simplify(mn + most - 1, scope_)};
    const Stmt body = visit(f.body);
    scope_.erase(f.var.get());
    if (is_nothing(body) && !place) return nothing();
    if (mn.same_as(f.min) && extent.same_as(f.extent) && live.same_as(f.live) && body == f.body) return s;
    return make_for(f.var, mn, extent, f.loop, body, f.loc, live, f.hints);
  }

  Stmt branch(const IfStmt& f, const Stmt& s) {
    const Expr cond = expr(f.cond);
    if (is_true(cond)) return visit(f.then_body);
    if (is_false(cond)) return f.else_body ? visit(f.else_body) : nothing();
    const Stmt then_body = visit(f.then_body), else_body = visit(f.else_body);
    const bool no_else = is_nothing(else_body);
    if (is_nothing(then_body)) return no_else ? nothing() : make_if(simplify(!cond, scope_), else_body);
    if (cond.same_as(f.cond) && then_body == f.then_body && else_body == f.else_body) return s;
    return make_if(cond, then_body, no_else ? nullptr : else_body);
  }

  // A launch reads host variables that its kernel lists: they are used where no expression shows it.
  static bool launches(const Stmt& s) {
    bool found = false;
    walk_stmts(s, [&](const Stmt& c) {
      found = found || c->kind == StmtKind::Launch;
      return !found;
    });
    return found;
  }

  Stmt let(const LetStmt& l, const Stmt& s) {
    const Expr value = expr(l.value);
    if (is_const(value) || value->op == Op::Var) {
      values_[l.var.get()] = value;
      const Stmt body = visit(l.body);
      return launches(body) ? make_let(l.var, value, body) : body;
    }
    if (value.type().is_integer() && value.type().is_scalar()) {
      // Only literal ends: a symbolic one would undo the Let.
      Interval range;
      if (const auto lo = constant_lower_bound(value, scope_); lo && make_int(value.type(), *lo)->i == *lo) range.min = make_int(value.type(), *lo);
      if (const auto hi = constant_upper_bound(value, scope_); hi && make_int(value.type(), *hi)->i == *hi) range.max = make_int(value.type(), *hi);
      scope_[l.var.get()] = range;
    }
    const Stmt body = visit(l.body);
    scope_.erase(l.var.get());
    if (is_nothing(body)) return nothing();
    return value.same_as(l.value) && body == l.body ? s : make_let(l.var, value, body);
  }

  Stmt tile(const TileStmt& t, const Stmt& s) {
    for (size_t d = 0; d < t.vars.size(); ++d) {
      const Type type = t.vars[d]->type;
      Expr last = make_int(type, t.extent[d] - 1);
      if (d < t.live.size() && t.live[d].defined()) last = min(last, make_cast(type, expr(t.live[d])) - 1);
      scope_[t.vars[d].get()] = {make_int(type, 0), last};
    }
    const Stmt out = map_children(s, [&](const Stmt& c) { return visit(c); }, [&](const Expr& e) { return expr(e); });
    for (const Sym& v : t.vars) scope_.erase(v.get());
    return out;
  }

  IntervalScope scope_;
  Substitution values_;
};

}  // namespace

Stmt simplify(const Stmt& s) { return StmtSimplifier().visit(s); }

}  // namespace sinter::ir
