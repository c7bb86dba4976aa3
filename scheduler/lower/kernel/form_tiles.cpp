#include "scheduler/lower/kernel/form_tiles.h"

#include <algorithm>

#include "ir/diagnostic.h"
#include "ir/transform/simplify.h"
#include "scheduler/layout/fixed_layout.h"
#include "scheduler/lower/copies.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

bool is_tile_loop(const Stmt& s) {
  const auto* f = as<ForStmt>(s);
  return f && (f->loop == LoopKind::Cooperative || f->loop == LoopKind::Thread);
}

bool contains_tile_loop(const Stmt& s) {
  bool found = false;
  walk_stmts(s, [&](const Stmt& c) {
    found = found || is_tile_loop(c);
    return !found;
  });
  return found;
}

class Former {
 public:
  Former(const Program& program, KernelDraft& draft) : program_(program), draft_(draft) {}

  Stmt visit(const Stmt& s) {
    switch (s->kind) {
      case StmtKind::Produce: return visit(as<ProduceStmt>(s)->body);
      case StmtKind::Consume: return visit(as<ConsumeStmt>(s)->body);
      case StmtKind::Alloc: {
        const auto* a = as<AllocStmt>(s);
        store(*a, false);
        return visit(a->body);
      }
      case StmtKind::Let: {
        const auto* l = as<LetStmt>(s);
        draft_.lets[l->var.get()] = l->value;
        return make_let(l->var, l->value, visit(l->body));
      }
      case StmtKind::For: {
        const auto* f = as<ForStmt>(s);
        if (is_tile_loop(s)) return nest(s);
        if (!contains_tile_loop(s) && !holds_block_storage(s)) return single(s);
        loops_.push_back(f->var);
        Stmt body = visit(f->body);
        loops_.pop_back();
        const LoopKind kind = f->loop == LoopKind::Unrolled ? LoopKind::Unrolled : LoopKind::Serial;
        return make_for(f->var, f->min, f->extent, kind, body, f->loc);
      }
      case StmtKind::If:
        if (!contains_tile_loop(s) && !holds_block_storage(s)) return single(s);
        return map_children(s, [&](const Stmt& c) { return visit(c); }, nullptr);
      case StmtKind::Seq: return map_children(s, [&](const Stmt& c) { return visit(c); }, nullptr);
      default: return single(s);
    }
  }

 private:
  // Values of its Lets are per thread and not recorded: only what is uniform in the block matters to comparisons of coordinates
  // between statements. Within one statement they are.
  Stmt in_thread(const Stmt& s) {
    if (const auto* p = as<ProduceStmt>(s)) return in_thread(p->body);
    if (const auto* c = as<ConsumeStmt>(s)) return in_thread(c->body);
    if (const auto* a = as<AllocStmt>(s)) {
      store(*a, true);
      return in_thread(relative(*a));
    }
    if (const auto* l = as<LetStmt>(s)) draft_.lets[l->var.get()] = l->value;
    internal_check(!is_tile_loop(s), "form_tiles: a tile loop inside a tile statement");
    return map_children(s, [&](const Stmt& c) { return in_thread(c); }, nullptr);
  }

  // The body of a private allocation, indices counted from the region's first element: what is left of them is known at compile time
  // even where the region moves with the thread.
  Stmt relative(const AllocStmt& a) {
    for (Region& r : draft_.storage[a.func].region) r.max = simplify(r.max - r.min), r.min = i32(0);
    const auto shifted = [&](const std::vector<Expr>& index) {
      std::vector<Expr> out;
      for (size_t d = 0; d < index.size(); ++d) out.push_back(simplify(index[d] - a.region[d].min));
      return out;
    };
    Rewriter reads([&](const Expr& e) { return e->op == Op::Call && e->id == a.func ? with_args(e, shifted(e->args)) : e; });
    return rewrite_stmt(
        a.body,
        [&](const Stmt& s) -> Stmt {
          const auto* p = as<ProvideStmt>(s);
          if (!p || p->func != a.func) return s;
          return std::make_shared<ProvideStmt>(p->func, p->stage, shifted(p->index), p->value, p->loc);
        },
        [&](const Expr& e) { return reads(e); });
  }

  static bool holds_block_storage(const Stmt& s) {
    bool found = false;
    walk_stmts(s, [&](const Stmt& c) {
      if (const auto* a = as<AllocStmt>(c)) found = found || a->memory == Memory::Shared;
      return !found;
    });
    return found;
  }

  void store(const AllocStmt& a, bool in_thread) {
    KernelStorage k;
    k.func = a.func;
    k.type = a.type;
    k.memory = a.memory;
    k.region = a.region;
    k.pad = a.pad;
    k.order = a.order;
    k.align = std::max(a.align, 16);
    k.loc = a.loc.known() ? a.loc : program_.funcs[a.func].loc;
    k.in_thread = in_thread;
    k.loops = loops_;
    const std::string& name = program_.funcs[a.func].name;
    for (size_t d = 0; d < k.region.size(); ++d)
      if (!as_int(k.region[d].extent))
        user_error(ErrorCode::UnboundedBox, k.loc,
                   "`" + name + "` is stored inside a kernel, but its extent along dimension " + std::to_string(d) + " has no constant bound",
                   name + ".bound(dim, min, extent), or " + name + ".compute_root()");
    if (in_thread) {
      if (k.memory == Memory::Shared)
        user_error(ErrorCode::SharedInThread, k.loc, "`" + name + "` is stored by each thread for itself, not in shared memory",
                   name + ".store_in(MemoryType::Register), or " + name + ".store_at_block(...)");
      k.memory = Memory::Register;
    }
    internal_check(k.memory != Memory::Host, "host memory inside a kernel");
    draft_.storage[a.func] = std::move(k);
  }

  Stmt tile(std::vector<Sym> vars, std::vector<int64_t> extent, std::vector<Expr> live, Layout layout, const Stmt& body, Loc loc) {
    FuncId func = -1;
    int stage = 0;
    bool loops = false;
    walk_stmts(body, [&](const Stmt& s) {
      if (const auto* p = as<ProvideStmt>(s)) {
        func = p->func;
        stage = p->stage;
        if (!loc.known()) loc = p->loc;
      }
      loops = loops || s->kind == StmtKind::For;
      return true;
    });
    return std::make_shared<TileStmt>(loops ? TileOp::Reduce : TileOp::Map, func, stage, std::move(vars), std::move(extent),
                                      std::move(live), std::move(layout), in_thread(inline_pure_lets(body)), loc);
  }

  // The limit L where a condition says var < L, with L the same for all points of the box; undefined: it says something else.
  static Expr limit(const Expr& condition, const Sym& var, const std::vector<Sym>& vars) {
    const bool swapped = condition->op == Op::GT || condition->op == Op::GE, closed = condition->op == Op::LE || condition->op == Op::GE;
    if (!swapped && condition->op != Op::LT && condition->op != Op::LE) return {};
    if (condition->args[0].type() != Int(32)) return {};
    const Expr& low = condition->args[swapped ? 1 : 0];
    const Expr& high = condition->args[swapped ? 0 : 1];
    const Expr difference = high - low;
    for (const Sym& v : vars)
      if (coefficient(difference, v.get()) != std::optional<int64_t>(v == var ? -1 : 0)) return {};
    bool memory = false;
    walk(difference, [&](const Expr& e) { memory |= e->op == Op::Call || e->op == Op::Load; });
    if (memory) return {};
    const Expr rest = substitute(difference, var, i32(0));
    return simplify(closed ? rest + 1 : rest);
  }

  // A guard around the whole statement that bounds one coordinate, as an RDom's where(r < n) does, is where the statement's live points
  // end: all of the box then has a version without it.
  static Stmt absorb_guards(Stmt body, const std::vector<Sym>& vars, std::vector<Expr>& live) {
    body = simplify(body);  // with what the guard says
    const auto* guard = as<IfStmt>(body);
    if (!guard || guard->else_body) return body;
    Expr others;
    std::vector<Expr> parts{guard->cond};
    while (!parts.empty()) {
      const Expr part = parts.back();
      parts.pop_back();
      if (part->op == Op::And) {
        parts.push_back(part->args[1]);
        parts.push_back(part->args[0]);
        continue;
      }
      Expr end;
      for (size_t d = 0; d < vars.size() && !end.defined(); ++d) {
        end = limit(part, vars[d], vars);
        if (end.defined()) live[d] = live[d].defined() ? min(live[d], end) : end;
      }
      if (!end.defined()) others = others && part;
    }
    const Stmt inner = absorb_guards(guard->then_body, vars, live);
    return others.defined() ? make_if(others, inner) : inner;
  }

  Stmt nest(const Stmt& s) {
    std::vector<Sym> vars;
    std::vector<int64_t> extent;
    std::vector<Expr> live;
    const auto* f = as<ForStmt>(s);
    const LoopKind kind = f->loop;
    const Loc loc = f->loc;
    Stmt body = s;
    while ((f = as<ForStmt>(body)) && f->loop == kind) {
      const int64_t* n = as_int(f->extent);
      internal_check(n && is_const_int(f->min, 0), "form_tiles: a tile loop without a constant box from 0");
      vars.push_back(f->var);
      extent.push_back(*n);
      live.push_back(f->live);
      draft_.hints[f->var.get()] = f->hints;
      body = f->body;
    }
    // Dimension 0 is the innermost loop.
    std::reverse(vars.begin(), vars.end());
    std::reverse(extent.begin(), extent.end());
    std::reverse(live.begin(), live.end());
    Layout layout;
    if (kind == LoopKind::Thread) layout = flat_layout(0, 1);
    else body = absorb_guards(inline_pure_lets(body), vars, live);
    return tile(std::move(vars), std::move(extent), std::move(live), std::move(layout), body, loc);
  }

  Stmt single(const Stmt& s) {
    if (s->kind == StmtKind::Sync || s->kind == StmtKind::Check) return s;
    return tile({}, {}, {}, Layout{}, s, {});
  }

  const Program& program_;
  KernelDraft& draft_;
  std::vector<Sym> loops_;
};

}  // namespace

void form_tiles(const Program& program, KernelDraft& draft) {
  Former former(program, draft);
  draft.body = former.visit(draft.body);
  draft.stage = DraftStage::Tiled;
}

}  // namespace sinter::scheduler
