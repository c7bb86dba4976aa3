#include "scheduler/lower/copies.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

class Copier {
 public:
  explicit Copier(Substitution values) : values_(std::move(values)) { renew(); }

  Stmt operator()(const Stmt& s) {
    if (!s) return s;
    switch (s->kind) {
      case StmtKind::Let: {
        const auto* n = as<LetStmt>(s);
        Expr value = expr(n->value);
        const Sym v = fresh(n->var);
        return make_let(v, std::move(value), (*this)(n->body));
      }
      case StmtKind::For: {
        const auto* n = as<ForStmt>(s);
        Expr min = expr(n->min), extent = expr(n->extent), live = expr(n->live);
        const Sym v = fresh(n->var);
        return make_for(v, std::move(min), std::move(extent), n->loop, (*this)(n->body), n->loc, std::move(live), n->hints);
      }
      case StmtKind::Tile: {
        auto copy = std::make_shared<TileStmt>(*as<TileStmt>(s));
        for (Expr& e : copy->live) e = expr(e);
        for (Sym& v : copy->vars) v = fresh(v);
        copy->body = (*this)(copy->body);
        return copy;
      }
      default:
        return map_children(s, [&](const Stmt& c) { return (*this)(c); }, [&](const Expr& e) { return expr(e); });
    }
  }

 private:
  Expr expr(const Expr& e) { return e.defined() ? (*rewriter_)(e) : e; }

  Sym fresh(const Sym& s) {
    const Sym copy = make_sym(s->name, s->type);
    values_[s.get()] = make_var(copy);
    renew();
    return copy;
  }

  // A memo is valid for one state of values_ only.
  void renew() {
    rewriter_ = std::make_unique<Rewriter>([this](const Expr& e) {
      if (e->op != Op::Var) return e;
      const auto it = values_.find(e->var.get());
      return it == values_.end() ? e : it->second;
    });
  }

  Substitution values_;
  std::unique_ptr<Rewriter> rewriter_;
};

std::optional<int64_t> coefficient_of(const Expr& e, const VarNode* var,
                                      CoefficientMemo& memo) {
  if (const auto it = memo.find(e.get()); it != memo.end()) return it->second;
  const auto of = [&](int i) { return coefficient_of(e->args[i], var, memo); };
  std::optional<int64_t> c;
  switch (e->op) {
    case Op::Var: c = e->var.get() == var ? 1 : 0; break;
    case Op::Add: case Op::Sub: {
      const auto a = of(0), b = of(1);
      int64_t r = 0;
      if (a && b && !(e->op == Op::Add ? __builtin_add_overflow(*a, *b, &r) : __builtin_sub_overflow(*a, *b, &r))) c = r;
      break;
    }
    case Op::Mul: {
      const auto a = of(0), b = of(1);
      int64_t r = 0;
      if (a == 0 && b == 0) c = 0;
      else if (a && as_int(e->args[1]) && !__builtin_mul_overflow(*a, *as_int(e->args[1]), &r)) c = r;
      else if (b && as_int(e->args[0]) && !__builtin_mul_overflow(*b, *as_int(e->args[0]), &r)) c = r;
      break;
    }
    case Op::Cast: {
      const auto a = of(0);
      // Widening of a type that may not overflow keeps sums apart; anything else only constants.
      if (a == 0 || (a && e.type().is_int() && e->args[0].type().traps_on_overflow() && e.type().bits >= e->args[0].type().bits)) c = a;
      break;
    }
    default: {
      bool free = true;
      for (size_t i = 0; i < e->args.size(); ++i) free = free && of(static_cast<int>(i)) == 0;
      if (free) c = 0;
    }
  }
  if (c && *c != 0 && !e.type().traps_on_overflow()) c.reset();
  memo[e.get()] = c;
  return c;
}

}  // namespace

Stmt instantiate(const Stmt& s, const Substitution& values) { return Copier(values)(s); }

Expr inline_lets(const Expr& e) {
  if (!e.defined()) return e;
  // Values first: a Let's own value may hold further Lets.
  Substitution values;
  walk(e, [&](const Expr& n) {
    if (n->op == Op::Let) values[n->var.get()] = n->args[0];
  });
  if (values.empty()) return e;
  std::function<Expr(const Expr&)> step;
  Rewriter rewriter([&](const Expr& n) { return step(n); });
  step = [&](const Expr& n) -> Expr {
    if (n->op == Op::Let) return n->args[1];
    if (n->op != Op::Var) return n;
    const auto it = values.find(n->var.get());
    return it == values.end() ? n : rewriter(it->second);
  };
  return rewriter(e);
}

Stmt inline_lets(const Stmt& s) {
  return rewrite_stmt(s, nullptr, [](const Expr& e) { return inline_lets(e); });
}

Stmt inline_pure_lets(const Stmt& s) {
  const auto pure = [](const Expr& e) {
    bool ok = true;
    walk(e, [&](const Expr& n) { ok = ok && n->op != Op::Call && n->op != Op::Load && n->op != Op::Shuffle; });
    return ok;
  };
  Substitution values;
  std::function<Expr(const Expr&)> step;
  Rewriter rewriter([&](const Expr& n) { return step(n); });
  step = [&](const Expr& n) -> Expr {
    if (n->op != Op::Var) return n;
    const auto it = values.find(n->var.get());
    return it == values.end() ? n : rewriter(it->second);
  };
  // A Sym is bound once: all values can be known before any use is rewritten.
  walk_stmts(s, [&](const Stmt& c) {
    if (const auto* l = as<LetStmt>(c); l && pure(l->value)) values[l->var.get()] = l->value;
    return true;
  });
  if (values.empty()) return s;
  return rewrite_stmt(
      s,
      [&](const Stmt& c) -> Stmt {
        const auto* l = as<LetStmt>(c);
        return l && values.count(l->var.get()) ? l->body : c;
      },
      [&](const Expr& e) { return rewriter(e); });
}

std::optional<int64_t> coefficient(const Expr& e, const VarNode* var) {
  CoefficientMemo memo;
  return coefficient_of(e, var, memo);
}
std::optional<int64_t> coefficient(const Expr& e, const VarNode* var, CoefficientMemo& memo) { return coefficient_of(e, var, memo); }

bool uses_var(const Stmt& s, const VarNode* var) {
  bool found = false;
  walk_exprs(s, [&](const Expr& e) { found = found || ir::uses_var(e, var); });
  return found;
}

}  // namespace sinter::scheduler
