#include "scheduler/lower/kernel/unroll_serial.h"

#include <algorithm>

#include "scheduler/lower/copies.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

// Of loaded values in one straight line.
constexpr int64_t kLoadBytes = 128;
constexpr int64_t kMaxNodes = 4000;

bool straight(const Stmt& s) {
  if (s->kind == StmtKind::Store) return true;
  if (const auto* l = as<LetStmt>(s)) return straight(l->body);
  if (const auto* q = as<SeqStmt>(s)) return std::all_of(q->stmts.begin(), q->stmts.end(), straight);
  return false;
}

Stmt copies(const ForStmt& f, const Expr& first, int64_t n) {
  std::vector<Stmt> out;
  for (int64_t i = 0; i < n; ++i) out.push_back(instantiate(f.body, {{f.var.get(), first + i}}));
  return make_seq(std::move(out));
}

class SerialUnroller {
 public:
  explicit SerialUnroller(const KernelDraft& draft) : draft_(draft) {}

  Stmt operator()(const Stmt& s) const {
    const auto* f = as<ForStmt>(s);
    if (!f || f->loop != LoopKind::Serial || f->var->type != Int(32) || !straight(f->body)) return s;
    int64_t bytes = 0, nodes = 0;
    std::unordered_set<const ExprNode*> seen;
    walk_exprs(f->body, [&](const Expr& e) {
      walk_down(e, [&](const Expr& n) {
        if (!seen.insert(n.get()).second) return false;
        ++nodes;
        const bool moves = n->op == Op::Load && !draft_.in_registers(n->id) && ir::uses_var(n->args[0], f->var.get());
        if (moves) bytes += std::max(4, n.type().bytes() * n.type().lanes);
        return true;
      });
    });
    if (bytes == 0) return s;
    const int64_t most = std::min(kLoadBytes / bytes, kMaxNodes / std::max<int64_t>(nodes, 1));
    const int64_t* known = as_int(f->extent);
    if (known && *known <= std::min<int64_t>(most, 8)) return copies(*f, f->min, *known);
    int64_t n = 8;
    while (n > 1 && n > most) n /= 2;
    if (n == 1) return s;
    const Sym outer = make_sym(f->var->name + ".o"), rest = make_sym(f->var->name + ".rest");
    // An extent below 0 runs nothing, in both loops.
    const Expr extent = known ? f->extent : max(f->extent, i32(0));
    const Expr whole = extent / n, left = extent % n;
    const Stmt main = make_for(outer, i32(0), whole, LoopKind::Serial, copies(*f, f->min + make_var(outer) * n, n), f->loc);
    if (known && *known % n == 0) return main;
    const Stmt tail = make_for(rest, f->min + whole * n, left, LoopKind::Serial, copies(*f, make_var(rest), 1), f->loc);
    return make_seq({main, tail});
  }

 private:
  const KernelDraft& draft_;
};

}  // namespace

void unroll_serial(KernelDraft& draft) {
  const SerialUnroller unroller(draft);
  draft.body = rewrite_stmt(draft.body, [&](const Stmt& s) { return unroller(s); }, nullptr);
}

}  // namespace sinter::scheduler
