#include "scheduler/lower/kernel/flatten_kernel.h"

#include "ir/diagnostic.h"
#include "ir/transform/simplify.h"
#include "scheduler/lower/expand_vectors.h"
#include "scheduler/lower/flatten.h"
#include "scheduler/lower/unroll_loops.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

class KernelPlaces {
 public:
  KernelPlaces(const Module& module, const KernelDraft& draft) : module_(module), draft_(draft) {}

  const Place* operator()(FuncId f) {
    if (const auto it = places_.find(f); it != places_.end()) return &it->second;
    Place p;
    p.buffer = f;
    if (const KernelStorage* s = draft_.stored(f); s && s->memory != Memory::Global) {
      std::vector<Expr> extents;
      for (const int64_t e : s->extents()) extents.push_back(i32(e));
      for (const Region& r : s->region) p.min.push_back(r.min);
      p.stride = compact_strides(extents, Int(32), s->order);
      p.index_i32 = true;
    } else {
      const Buffer& b = module_.buffers[f];
      internal_check(b.is_argument || b.workspace_offset.defined() || !b.stride.empty() || b.min.empty(), "a global buffer without storage");
      p.min = b.min;
      for (size_t d = 0; d < b.stride.size(); ++d) p.stride.push_back(draft_.fast ? narrow(f, b, d) : b.stride[d]);
    }
    return &places_.emplace(f, std::move(p)).first->second;
  }

  std::vector<NarrowStride> narrow_strides;

 private:
  Expr narrow(FuncId f, const Buffer& b, size_t d) {
    if (const int64_t* known = as_int(b.stride[d])) return i32(*known);
    const Sym v = make_sym(b.name + ".stride" + std::to_string(d));
    narrow_strides.push_back({v, make_cast(Int(32), b.stride[d]), d == 0 ? b.type.bytes() : row_width(module_.program, f), b.type.bytes()});
    return make_var(v);
  }

  const Module& module_;
  const KernelDraft& draft_;
  std::map<FuncId, Place> places_;
};

bool is_register(const KernelDraft& draft, int buffer) { return draft.in_registers(buffer); }

// Calls `f` with every index into a register Func that `s` holds directly.
void each_register_index(const KernelDraft& draft, const Stmt& s, const std::function<void(const Expr&, int, Loc)>& f) {
  each_expr(s, [&](const Expr& e) {
    walk(e, [&](const Expr& n) {
      if (n->op == Op::Load && is_register(draft, n->id)) f(n->args[0], n->id, n->loc);
    });
  });
  if (const auto* st = as<StoreStmt>(s); st && is_register(draft, st->buffer)) f(st->index, st->buffer, st->loc);
}

// Serial loops whose variable selects a register become Unrolled.
Stmt unroll_register_loops(const KernelDraft& draft, const Stmt& s) {
  std::unordered_set<const VarNode*> selecting;
  Substitution lets;
  walk_stmts(s, [&](const Stmt& st) {
    if (const auto* l = as<LetStmt>(st)) lets[l->var.get()] = l->value;
    each_register_index(draft, st, [&](const Expr& index, int, Loc) {
      std::vector<Sym> todo = free_vars(index);
      while (!todo.empty()) {
        const Sym v = todo.back();
        todo.pop_back();
        if (!selecting.insert(v.get()).second) continue;
        if (const auto it = lets.find(v.get()); it != lets.end())
          for (const Sym& w : free_vars(it->second)) todo.push_back(w);
      }
    });
    return true;
  });
  return rewrite_stmt(
      s,
      [&](const Stmt& st) -> Stmt {
        const auto* f = as<ForStmt>(st);
        if (!f || f->loop != LoopKind::Serial || !selecting.count(f->var.get())) return st;
        if (!as_int(f->extent)) return st;
        internal_check(*as_int(f->extent) <= 4096, "a loop over registers is too long to unroll");
        return make_for(f->var, f->min, f->extent, LoopKind::Unrolled, f->body, f->loc);
      },
      nullptr);
}

// Register indices with Lets followed and folded; what is not a literal then is an error of the schedule.
class LiteralRegisters {
 public:
  LiteralRegisters(const Module& module, const KernelDraft& draft) : module_(module), draft_(draft) {}

  Stmt operator()(const Stmt& s) {
    if (const auto* l = as<LetStmt>(s)) {
      const Expr value = expr(l->value);
      if (value.type() == Int(32) || value.type() == Int(64)) lets_[l->var.get()] = value;
      return make_let(l->var, value, (*this)(l->body));
    }
    const Stmt out = map_children(s, [&](const Stmt& c) { return (*this)(c); }, [&](const Expr& e) { return expr(e); });
    const auto* st = as<StoreStmt>(out);
    if (!st || !is_register(draft_, st->buffer)) return out;
    return std::make_shared<StoreStmt>(st->buffer, literal(st->index, st->buffer, st->loc), st->value, st->mask, st->align, st->cache, st->loc);
  }

 private:
  Expr expr(const Expr& e) {
    return rewrite(e, [&](const Expr& n) {
      if (n->op != Op::Load || !is_register(draft_, n->id)) return n;
      return with_args(n, {literal(n->args[0], n->id, n->loc)});
    });
  }

  Expr literal(const Expr& index, int buffer, Loc loc) {
    Expr e = index;
    for (int depth = 0; depth < 64 && !free_vars(e).empty(); ++depth) e = simplify(substitute(e, lets_));
    e = simplify(e);
    const bool known = as_int(e) || (e->op == Op::Ramp && as_int(e->args[0]) && as_int(e->args[1]));
    if (!known) {
      const std::string& name = module_.buffers[buffer].name;
      user_error(ErrorCode::BadMemory, loc.known() ? loc : draft_.stored(buffer)->loc,
                 "`" + name + "` is stored in registers, which can't be indexed by `" + to_string(e) + "`",
                 "a constant extent for the loops around it, or " + name + ".compute_at_block(...).store_in(MemoryType::Shared)");
    }
    return e;
  }

  const Module& module_;
  const KernelDraft& draft_;
  Substitution lets_;
};

}  // namespace

void flatten_kernel(const Module& module, KernelDraft& draft) {
  KernelPlaces places(module, draft);
  Stmt s = flatten(draft.body, std::ref(places), draft.index_type());
  s = unroll_register_loops(draft, s);
  s = expand_vectors(s);
  s = unroll_loops(s);
  s = simplify(s);
  draft.body = LiteralRegisters(module, draft)(s);
  for (auto& [f, storage] : draft.storage)  // indices are relative to it now
    for (Region& r : storage.region) r.min = Expr();
  draft.strides = std::move(places.narrow_strides);
  draft.stage = DraftStage::Flat;
}

}  // namespace sinter::scheduler
