#include "scheduler/lower/kernel/draft.h"

#include <numeric>

#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

std::string storage_name(const Program& program, const KernelDraft& draft, FuncId f) {
  if (f < static_cast<int>(program.funcs.size())) return program.funcs[f].name;
  const KernelStorage* s = draft.stored(f);
  return s ? s->name : "?";
}

std::vector<Access> accesses(const Stmt& s) {
  std::vector<Access> out;
  std::unordered_set<const ExprNode*> seen;
  const auto calls = [&](const Expr& e) {
    walk_down(e, [&](const Expr& n) {
      if (!seen.insert(n.get()).second) return false;
      if (n->op == Op::Call) out.push_back({n->id, n->args, false, n.type(), n->loc});
      return true;
    });
  };
  walk_stmts(s, [&](const Stmt& st) {
    each_expr(st, calls);
    if (const auto* p = as<ProvideStmt>(st)) out.push_back({p->func, p->index, true, p->value.type(), p->loc});
    return true;
  });
  return out;
}

Expr resolved(const KernelDraft& draft, const Expr& e) {
  std::function<Expr(const Expr&)> step;
  Rewriter rewriter([&](const Expr& n) { return step(n); });
  step = [&](const Expr& n) -> Expr {
    if (n->op != Op::Var) return n;
    const auto it = draft.lets.find(n->var.get());
    return it == draft.lets.end() ? n : rewriter(it->second);
  };
  return simplify(rewriter(e));
}

std::vector<const TileStmt*> tiles(const Stmt& body) {
  std::vector<const TileStmt*> out;
  walk_stmts(body, [&](const Stmt& s) {
    if (const auto* t = as<TileStmt>(s)) out.push_back(t);
    return s->kind != StmtKind::Tile;
  });
  return out;
}

Stmt map_tiles(const Stmt& body, const std::function<Stmt(const TileStmt&)>& f) {
  if (const auto* t = as<TileStmt>(body)) return f(*t);
  return map_children(body, [&](const Stmt& c) { return map_tiles(c, f); }, nullptr);
}

int64_t row_width(const Program& program, FuncId f) {
  const FuncDef& def = program.funcs[f];
  const int64_t bytes = def.type.bytes();
  int64_t width = 16, compact = bytes;
  bool compact_known = true;
  const auto constant = [](const std::vector<Expr>& v, int d) -> const int64_t* {
    return d < static_cast<int>(v.size()) && v[d].defined() ? as_int(v[d]) : nullptr;
  };
  for (int d = 1; d < def.rank(); ++d) {
    const int64_t* below = constant(def.fixed_extent, d - 1);
    compact_known = compact_known && below;
    if (compact_known) compact *= *below;
    if (const int64_t* s = constant(def.fixed_stride, d)) width = std::gcd(width, *s * bytes);
    else if (compact_known) width = std::gcd(width, compact);
  }
  return std::max(width, bytes);
}

}  // namespace sinter::scheduler
