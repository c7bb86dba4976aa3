#include "ir/analysis/visit.h"

#include "ir/diagnostic.h"

namespace sinter::ir {

namespace {

void walk_node(const Expr& e, const std::function<void(const Expr&)>& f, std::unordered_set<const ExprNode*>& seen) {
  if (!e.defined() || !seen.insert(e.get()).second) return;
  for (const Expr& a : e->args) walk_node(a, f, seen);
  f(e);
}

void walk_down_node(const Expr& e, const std::function<bool(const Expr&)>& f, std::unordered_set<const ExprNode*>& seen) {
  if (!e.defined() || !seen.insert(e.get()).second) return;
  if (!f(e)) return;
  for (const Expr& a : e->args) walk_down_node(a, f, seen);
}

}  // namespace

void walk(const Expr& e, const std::function<void(const Expr&)>& f) {
  std::unordered_set<const ExprNode*> seen;
  walk_node(e, f, seen);
}

void walk_down(const Expr& e, const std::function<bool(const Expr&)>& f) {
  std::unordered_set<const ExprNode*> seen;
  walk_down_node(e, f, seen);
}

Expr Rewriter::operator()(const Expr& e) {
  if (!e.defined()) return e;
  if (const auto it = memo_.find(e.get()); it != memo_.end()) return it->second;
  Expr current = e;
  if (!e->args.empty()) {
    std::vector<Expr> args;
    args.reserve(e->args.size());
    bool changed = false;
    for (const Expr& a : e->args) {
      args.push_back((*this)(a));
      changed |= !args.back().same_as(a);
    }
    if (changed) current = with_args(e, std::move(args));
  }
  Expr result = f_(current);
  keep_.push_back(e);
  memo_.emplace(e.get(), result);
  return result;
}

Expr rewrite(const Expr& e, const std::function<Expr(const Expr&)>& f) { return Rewriter(f)(e); }

static std::function<Expr(const Expr&)> substituter(const Substitution& values) {
  return [&values](const Expr& e) {
    if (e->op != Op::Var) return e;
    const auto it = values.find(e->var.get());
    return it == values.end() ? e : it->second;
  };
}

Expr substitute(const Expr& e, const Substitution& values) { return values.empty() ? e : rewrite(e, substituter(values)); }
Expr substitute(const Expr& e, const Sym& var, const Expr& value) { return substitute(e, Substitution{{var.get(), value}}); }
Stmt substitute(const Stmt& s, const Substitution& values) {
  if (values.empty()) return s;
  Rewriter rewriter(substituter(values));
  return rewrite_stmt(s, nullptr, [&](const Expr& e) { return rewriter(e); });
}

bool uses_var(const Expr& e, const VarNode* v) { return uses_any(e, {v}); }

bool uses_any(const Expr& e, const std::unordered_set<const VarNode*>& vars) {
  bool found = false;
  walk_down(e, [&](const Expr& n) {
    if (n->op == Op::Var && vars.count(n->var.get())) found = true;
    return !found;
  });
  return found;
}

// Variables bound inside (by Let) are excluded: a Sym is bound once, so collecting binders is enough.
static void collect_vars(const Expr& e, std::vector<Sym>& used, std::unordered_set<const VarNode*>& bound,
                         std::unordered_set<const ExprNode*>& seen) {
  if (!e.defined() || !seen.insert(e.get()).second) return;
  if (e->op == Op::Var) used.push_back(e->var);
  if (e->op == Op::Let) bound.insert(e->var.get());
  for (const Expr& a : e->args) collect_vars(a, used, bound, seen);
}

static std::vector<Sym> without(const std::vector<Sym>& used, std::unordered_set<const VarNode*> excluded) {
  std::vector<Sym> out;
  for (const Sym& s : used)
    if (excluded.insert(s.get()).second) out.push_back(s);
  return out;
}

std::vector<Sym> free_vars(const Expr& e) {
  std::vector<Sym> used;
  std::unordered_set<const VarNode*> bound;
  std::unordered_set<const ExprNode*> seen;
  collect_vars(e, used, bound, seen);
  return without(used, std::move(bound));
}

std::vector<Sym> free_vars(const Stmt& s) {
  std::vector<Sym> used;
  std::unordered_set<const VarNode*> bound;
  std::unordered_set<const ExprNode*> seen;
  walk_stmts(s, [&](const Stmt& st) {
    if (const auto* f = as<ForStmt>(st)) bound.insert(f->var.get());
    if (const auto* l = as<LetStmt>(st)) bound.insert(l->var.get());
    if (const auto* t = as<TileStmt>(st))
      for (const Sym& v : t->vars) bound.insert(v.get());
    each_expr(st, [&](const Expr& e) { collect_vars(e, used, bound, seen); });
    return true;
  });
  return without(used, std::move(bound));
}

// ---- statements ----------------------------------------------------------------------------------------------------

static void each_child(const Stmt& s, const std::function<void(const Stmt&)>& f) {
  const auto visit = [&](const Stmt& child) {
    if (child) f(child);
  };
  switch (s->kind) {
    case StmtKind::Seq:
      for (const Stmt& c : as<SeqStmt>(s)->stmts) visit(c);
      break;
    case StmtKind::For: visit(as<ForStmt>(s)->body); break;
    case StmtKind::If:
      visit(as<IfStmt>(s)->then_body);
      visit(as<IfStmt>(s)->else_body);
      break;
    case StmtKind::Let: visit(as<LetStmt>(s)->body); break;
    case StmtKind::Alloc: visit(as<AllocStmt>(s)->body); break;
    case StmtKind::Produce: visit(as<ProduceStmt>(s)->body); break;
    case StmtKind::Consume: visit(as<ConsumeStmt>(s)->body); break;
    case StmtKind::Tile: visit(as<TileStmt>(s)->body); break;
    default: break;
  }
}

void walk_stmts(const Stmt& s, const std::function<bool(const Stmt&)>& f) {
  if (!s || !f(s)) return;
  each_child(s, [&](const Stmt& c) { walk_stmts(c, f); });
}

void each_expr(const Stmt& s, const std::function<void(const Expr&)>& f) {
  const auto visit = [&](const Expr& e) {
    if (e.defined()) f(e);
  };
  const auto all = [&](const std::vector<Expr>& es) {
    for (const Expr& e : es) visit(e);
  };
  switch (s->kind) {
    case StmtKind::For: {
      const auto* n = as<ForStmt>(s);
      visit(n->min), visit(n->extent), visit(n->live);
      break;
    }
    case StmtKind::If: visit(as<IfStmt>(s)->cond); break;
    case StmtKind::Let: visit(as<LetStmt>(s)->value); break;
    case StmtKind::Provide: all(as<ProvideStmt>(s)->index), visit(as<ProvideStmt>(s)->value); break;
    case StmtKind::Alloc:
      for (const Region& r : as<AllocStmt>(s)->region) visit(r.min), visit(r.max), visit(r.extent);
      break;
    case StmtKind::Tile: all(as<TileStmt>(s)->live); break;
    case StmtKind::Store: {
      const auto* n = as<StoreStmt>(s);
      visit(n->index), visit(n->value), visit(n->mask);
      break;
    }
    case StmtKind::Sync: all(as<SyncStmt>(s)->args); break;
    case StmtKind::AsyncCopy: {
      const auto* n = as<AsyncCopyStmt>(s);
      all(n->dst_min), all(n->src_min), visit(n->slot), visit(n->barrier);
      break;
    }
    case StmtKind::Matrix: all(as<MatrixStmt>(s)->args); break;
    case StmtKind::Launch: visit(as<LaunchStmt>(s)->grid); break;
    case StmtKind::Check: visit(as<CheckStmt>(s)->given), visit(as<CheckStmt>(s)->needed); break;
    case StmtKind::Seq: case StmtKind::Produce: case StmtKind::Consume: case StmtKind::Memset: break;
  }
}

void walk_exprs(const Stmt& s, const std::function<void(const Expr&)>& f) {
  walk_stmts(s, [&](const Stmt& st) {
    each_expr(st, f);
    return true;
  });
}

namespace {

// A copy of node T that `edit` may change; the original where it reports no change.
template <class T, class Edit>
Stmt edited(const Stmt& s, Edit edit) {
  auto copy = std::make_shared<T>(*as<T>(s));
  return edit(*copy) ? Stmt(copy) : s;
}

}  // namespace

Stmt map_children(const Stmt& s, const std::function<Stmt(const Stmt&)>& fs, const std::function<Expr(const Expr&)>& fe) {
  if (!s) return s;
  bool changed = false;
  const auto stmt = [&](Stmt& c) {
    if (!c || !fs) return;
    Stmt n = fs(c);
    changed |= n != c;
    c = std::move(n);
  };
  const auto expr = [&](Expr& e) {
    if (!e.defined() || !fe) return;
    Expr n = fe(e);
    changed |= !n.same_as(e);
    e = std::move(n);
  };
  const auto exprs = [&](std::vector<Expr>& es) {
    for (Expr& e : es) expr(e);
  };
  switch (s->kind) {
    case StmtKind::Seq: {
      std::vector<Stmt> stmts = as<SeqStmt>(s)->stmts;
      for (Stmt& c : stmts) stmt(c);
      return changed ? make_seq(std::move(stmts)) : s;
    }
    case StmtKind::For:
      return edited<ForStmt>(s, [&](ForStmt& n) { expr(n.min), expr(n.extent), expr(n.live), stmt(n.body); return changed; });
    case StmtKind::If:
      return edited<IfStmt>(s, [&](IfStmt& n) { expr(n.cond), stmt(n.then_body), stmt(n.else_body); return changed; });
    case StmtKind::Let:
      return edited<LetStmt>(s, [&](LetStmt& n) { expr(n.value), stmt(n.body); return changed; });
    case StmtKind::Provide:
      return edited<ProvideStmt>(s, [&](ProvideStmt& n) { exprs(n.index), expr(n.value); return changed; });
    case StmtKind::Alloc:
      return edited<AllocStmt>(s, [&](AllocStmt& n) {
        for (Region& r : n.region) expr(r.min), expr(r.max), expr(r.extent);
        stmt(n.body);
        return changed;
      });
    case StmtKind::Produce: return edited<ProduceStmt>(s, [&](ProduceStmt& n) { stmt(n.body); return changed; });
    case StmtKind::Consume: return edited<ConsumeStmt>(s, [&](ConsumeStmt& n) { stmt(n.body); return changed; });
    case StmtKind::Tile: return edited<TileStmt>(s, [&](TileStmt& n) { exprs(n.live), stmt(n.body); return changed; });
    case StmtKind::Store:
      return edited<StoreStmt>(s, [&](StoreStmt& n) { expr(n.index), expr(n.value), expr(n.mask); return changed; });
    case StmtKind::Sync: return edited<SyncStmt>(s, [&](SyncStmt& n) { exprs(n.args); return changed; });
    case StmtKind::AsyncCopy:
      return edited<AsyncCopyStmt>(s, [&](AsyncCopyStmt& n) { exprs(n.dst_min), exprs(n.src_min), expr(n.slot), expr(n.barrier); return changed; });
    case StmtKind::Matrix: return edited<MatrixStmt>(s, [&](MatrixStmt& n) { exprs(n.args); return changed; });
    case StmtKind::Launch: return edited<LaunchStmt>(s, [&](LaunchStmt& n) { expr(n.grid); return changed; });
    case StmtKind::Check: return edited<CheckStmt>(s, [&](CheckStmt& n) { expr(n.given), expr(n.needed); return changed; });
    case StmtKind::Memset: return s;
  }
  return s;
}

Stmt rewrite_stmt(const Stmt& s, const std::function<Stmt(const Stmt&)>& fs, const std::function<Expr(const Expr&)>& fe) {
  if (!s) return s;
  const Stmt inner = map_children(s, [&](const Stmt& c) { return rewrite_stmt(c, fs, fe); }, fe);
  return fs ? fs(inner) : inner;
}

}  // namespace sinter::ir
