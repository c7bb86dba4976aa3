#include "scheduler/lower/host/bind_host_loops.h"

#include <algorithm>

#include "scheduler/lower/copies.h"
#include "scheduler/lower/expand_vectors.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

constexpr int kVectorBytes = 32;

bool is_tile_loop(LoopKind k) { return k == LoopKind::Cooperative || k == LoopKind::Thread; }

// Lanes that suit the widest type in `body`.
int native_lanes(const Stmt& body) {
  int bytes = 4;
  walk_exprs(body, [&](const Expr& e) {
    walk(e, [&](const Expr& n) { bytes = std::max(bytes, n.type().bytes()); });
  });
  return std::min(kMaxLanes, kVectorBytes / bytes);
}

// Control flow and storage inside the loop would fall back to one lane at a time; iterations that fold into one point are in order.
bool vectorizes(const ForStmt& f) {
  bool ok = true;
  walk_stmts(f.body, [&](const Stmt& s) {
    if (const auto* p = as<ProvideStmt>(s))
      ok = ok && (p->stage == 0 || std::any_of(p->index.begin(), p->index.end(), [&](const Expr& e) { return ir::uses_var(e, f.var.get()); }));
    if (s->kind == StmtKind::Alloc) ok = false;
    if (const auto* i = as<IfStmt>(s)) ok = ok && !uses_var(i->cond, f.var.get());
    if (const auto* l = as<LetStmt>(s)) ok = ok && !uses_var(l->value, f.var.get());
    if (const auto* l = as<ForStmt>(s))
      ok = ok && (l->loop == LoopKind::Serial || l->loop == LoopKind::Unrolled) && !uses_var(l->min, f.var.get()) &&
           !uses_var(l->extent, f.var.get());
    return ok;
  });
  return ok;
}

Stmt vector_loop(const ForStmt& f, const Expr& count, int lanes) {
  const Sym n = make_sym(f.var->name + ".n"), outer = make_sym(f.var->name + ".o"), lane = make_sym(f.var->name),
            tail = make_sym(f.var->name + ".tail");
  const Expr whole = make_var(n) / lanes;
  Stmt vectors = make_for(lane, f.min + make_var(outer) * lanes, i32(lanes), LoopKind::Vectorized,
                          instantiate(f.body, {{f.var.get(), make_var(lane)}}), f.loc);
  vectors = make_for(outer, i32(0), whole, LoopKind::Serial, vectors, f.loc);
  const Stmt rest = make_for(tail, f.min + whole * lanes, make_var(n) - whole * lanes, LoopKind::Serial,
                             instantiate(f.body, {{f.var.get(), make_var(tail)}}), f.loc);
  return make_let(n, max(count, i32(0)), make_seq({vectors, rest}));
}

Stmt bind(const Stmt& s, bool in_parallel) {
  if (!s) return s;
  if (const auto* p = as<ProduceStmt>(s)) return bind(p->body, in_parallel);
  if (const auto* c = as<ConsumeStmt>(s)) return bind(c->body, in_parallel);
  const auto* f = as<ForStmt>(s);
  if (!f) return map_children(s, [&](const Stmt& c) { return bind(c, in_parallel); }, nullptr);
  if (f->loop == LoopKind::Block || f->loop == LoopKind::Parallel) {
    const LoopKind kind = in_parallel ? LoopKind::Serial : LoopKind::Parallel;
    return make_for(f->var, f->min, f->extent, kind, bind(f->body, true), f->loc);
  }
  if (!is_tile_loop(f->loop)) return make_for(f->var, f->min, f->extent, f->loop, bind(f->body, in_parallel), f->loc);
  const Expr count = f->live.defined() ? min(f->live, f->extent) : f->extent;
  bool innermost = true;
  walk_stmts(f->body, [&](const Stmt& c) {
    if (const auto* l = as<ForStmt>(c)) innermost = innermost && !is_tile_loop(l->loop);
    return innermost;
  });
  const Stmt body = bind(f->body, in_parallel);
  const auto bound = std::make_shared<ForStmt>(f->var, f->min, count, Expr(), LoopKind::Serial, body, f->loc);
  const int lanes = native_lanes(body);
  return innermost && lanes > 1 && vectorizes(*bound) ? vector_loop(*bound, count, lanes) : Stmt(bound);
}

}  // namespace

Stmt bind_host_loops(const Stmt& nest) { return bind(nest, false); }

}  // namespace sinter::scheduler
