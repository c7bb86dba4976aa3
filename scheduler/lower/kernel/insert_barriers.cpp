#include "scheduler/lower/kernel/insert_barriers.h"

#include <algorithm>
#include <set>

#include "scheduler/lower/kernel/register_reads.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

class BarrierInserter {
 public:
  explicit BarrierInserter(KernelDraft& draft) : draft_(draft) {
    const std::vector<const TileStmt*> all = tiles(draft.body);
    for (size_t i = 0; i < all.size(); ++i) {
      number_[all[i]] = static_cast<int>(i);
      tiles_.push_back(all[i]);
      std::vector<Access> shared;
      for (Access& a : accesses(all[i]->body)) {
        const KernelStorage* s = draft.stored(a.func);
        if (s && (s->in_thread || s->memory == Memory::Register)) continue;
        if (a.write) written_.insert(a.func);
        shared.push_back(std::move(a));
      }
      accesses_.push_back(std::move(shared));
    }
    walk_stmts(draft.body, [&](const Stmt& s) {
      if (const auto* f = as<ForStmt>(s)) loop_vars_.insert(f->var.get());
      return s->kind != StmtKind::Tile;
    });
  }

  Stmt operator()() {
    std::set<int> pending;
    return visit(draft_.body, pending);
  }

 private:
  // `pending`: statements since the last barrier on some path here.
  Stmt visit(const Stmt& s, std::set<int>& pending) {
    if (const auto* t = as<TileStmt>(s)) {
      const int i = number_.at(t);
      bool wait = false;
      for (const int p : pending) wait = wait || depends(p, i);
      if (wait) pending.clear();
      pending.insert(i);
      return wait ? make_seq({std::make_shared<SyncStmt>(SyncKind::Barrier, std::vector<Expr>{}, t->loc), s}) : s;
    }
    if (const auto* q = as<SeqStmt>(s)) {
      std::vector<Stmt> out;
      for (const Stmt& c : q->stmts) out.push_back(visit(c, pending));
      return make_seq(std::move(out));
    }
    if (const auto* f = as<ForStmt>(s)) {
      // What may be pending at the loop's head: what is before it, and what an iteration leaves.
      std::set<int> head = pending;
      while (true) {
        std::set<int> tail = head;
        const Stmt body = visit(f->body, tail);
        std::set<int> both = head;
        both.insert(tail.begin(), tail.end());
        if (both == head) {
          pending = std::move(head);
          return make_for(f->var, f->min, f->extent, f->loop, body, f->loc, f->live, f->hints);
        }
        head = std::move(both);
      }
    }
    if (const auto* i = as<IfStmt>(s)) {
      std::set<int> then_pending = pending, else_pending = pending;
      const Stmt a = visit(i->then_body, then_pending);
      const Stmt b = i->else_body ? visit(i->else_body, else_pending) : nullptr;
      pending = std::move(then_pending);
      pending.insert(else_pending.begin(), else_pending.end());
      return make_if(i->cond, a, b);
    }
    return map_children(s, [&](const Stmt& c) { return visit(c, pending); }, nullptr);
  }

  bool same_bytes(FuncId a, FuncId b) const {
    const KernelStorage *x = draft_.stored(a), *y = draft_.stored(b);
    const bool xs = x && x->memory == Memory::Shared, ys = y && y->memory == Memory::Shared;
    if (!xs || !ys) return a == b;
    const auto bytes = [](const KernelStorage& s) { return s.elements() * s.type.bytes(); };
    return x->offset < y->offset + bytes(*y) && y->offset < x->offset + bytes(*x);
  }

  bool depends(int p, int q) const {
    for (const Access& a : accesses_[p]) {
      for (const Access& b : accesses_[q]) {
        if ((!a.write && !b.write) || !same_bytes(a.func, b.func)) continue;
        if (!draft_.stored(a.func) && !written_.count(a.func)) continue;
        if (!own_points_only(p, a, q, b)) return true;
      }
    }
    return false;
  }

  // Each thread touches the same elements in both statements.
  bool own_points_only(int p, const Access& a, int q, const Access& b) const {
    const TileStmt &s = *tiles_[p], &t = *tiles_[q];
    if (a.func != b.func || s.layout.threads != t.layout.threads || s.layout.kind != t.layout.kind) return false;
    if (s.layout.kind == Layout::Kind::Single) return true;
    if (s.extent != t.extent || !(normalized(s.layout) == normalized(t.layout))) return false;
    const KernelStorage* stored = draft_.stored(a.func);
    if (!stored) {
      // Global: the same expressions over the two statements' coordinates, which must determine the element's owner.
      if (a.index.size() != s.vars.size()) return false;
      Substitution to_t;
      for (size_t d = 0; d < s.vars.size(); ++d) to_t[s.vars[d].get()] = make_var(t.vars[d]);
      for (size_t d = 0; d < a.index.size(); ++d) {
        const Expr x = resolved(draft_, substitute(a.index[d], to_t)), y = resolved(draft_, b.index[d]);
        if (!equal_structure(x, y)) return false;
        const Expr rest = resolved(draft_, b.index[d] - make_var(t.vars[d]));
        for (const Sym& v : t.vars)
          if (ir::uses_var(rest, v.get())) return false;
        if (varies_in_loop(rest)) return false;
      }
      return true;
    }
    const auto x = matched_dims(draft_, *stored, s, a.index), y = matched_dims(draft_, *stored, t, b.index);
    return x && y && *x == *y && std::count(x->begin(), x->end(), -1) == 0 && x->size() == s.vars.size();
  }

  // Iterations of a serial loop would shift who owns what.
  bool varies_in_loop(const Expr& e) const { return uses_any(e, loop_vars_); }

  KernelDraft& draft_;
  std::vector<const TileStmt*> tiles_;
  std::vector<std::vector<Access>> accesses_;
  std::set<FuncId> written_;
  std::unordered_set<const VarNode*> loop_vars_;  // of serial loops around statements
  std::unordered_map<const TileStmt*, int> number_;
};

}  // namespace

void insert_barriers(KernelDraft& draft) {
  draft.body = BarrierInserter(draft)();
  draft.stage = DraftStage::Ordered;
}

}  // namespace sinter::scheduler
