#include "tests/support/ir_equal.h"

#include <algorithm>
#include <cstring>

namespace sinter::test {

using namespace sinter::ir;

bool IrEqual::differ(const char* where) {
  if (difference_.empty()) difference_ = where;
  return false;
}

bool IrEqual::syms(const Sym& a, const Sym& b) {
  if (!a || !b) return same(!a && !b, "a missing variable");
  const auto [there, fresh_there] = there_.emplace(a.get(), b.get());
  const auto [back, fresh_back] = back_.emplace(b.get(), a.get());
  return same(there->second == b.get() && back->second == a.get(), "which variable") && same(a->type == b->type, "type of a variable");
}

bool IrEqual::syms(const std::vector<Sym>& a, const std::vector<Sym>& b) {
  if (a.size() != b.size()) return differ("number of variables");
  for (size_t i = 0; i < a.size(); ++i)
    if (!syms(a[i], b[i])) return false;
  return true;
}

bool IrEqual::locs(const Loc& a, const Loc& b) {
  if (!locs_) return true;
  if (!a.known() || !b.known()) return same(a.known() == b.known(), "a missing place");
  return same(a.line == b.line && std::strcmp(a.file, b.file) == 0, "place");
}

bool IrEqual::operator()(const Expr& a, const Expr& b) {
  if (!a.defined() || !b.defined()) return same(!a.defined() && !b.defined(), "a missing expression");
  const auto [it, fresh] = memo_.try_emplace({a.get(), b.get()}, true);
  if (!fresh) return it->second;
  bool equal = same(a->op == b->op, "operator") && same(a.type() == b.type(), "type of an expression") &&
               same(a->args.size() == b->args.size(), "number of operands") && same(a->i == b->i, "integer of a node") &&
               same(std::memcmp(&a->f, &b->f, sizeof a->f) == 0, "floating-point value") && same(a->id == b->id, "Func or buffer") &&
               same(a->fn == b->fn, "math function") && same(a->cache == b->cache, "cache policy");
  if (equal && (a->var || b->var)) equal = syms(a->var, b->var);
  for (size_t i = 0; equal && i < a->args.size(); ++i) equal = (*this)(a->args[i], b->args[i]);
  memo_[{a.get(), b.get()}] = equal;
  return equal;
}

bool IrEqual::exprs(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  if (a.size() != b.size()) return differ("number of expressions");
  for (size_t i = 0; i < a.size(); ++i)
    if (!(*this)(a[i], b[i])) return false;
  return true;
}

// A list of nothing but undefined expressions says the same as no list.
bool IrEqual::optional_exprs(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  const auto any = [](const std::vector<Expr>& es) { return std::any_of(es.begin(), es.end(), [](const Expr& e) { return e.defined(); }); };
  return (!any(a) && !any(b)) || exprs(a, b);
}

bool IrEqual::operator()(const Stmt& a, const Stmt& b) {
  if (!a || !b) return same(!a && !b, "a missing statement");
  if (a->kind != b->kind) return differ("kind of statement");
  if (!locs(a->loc, b->loc)) return false;
  switch (a->kind) {
    case StmtKind::Seq: {
      const auto &x = as<SeqStmt>(a)->stmts, &y = as<SeqStmt>(b)->stmts;
      if (x.size() != y.size()) return differ("number of statements");
      for (size_t i = 0; i < x.size(); ++i)
        if (!(*this)(x[i], y[i])) return false;
      return true;
    }
    case StmtKind::For: {
      const auto *x = as<ForStmt>(a), *y = as<ForStmt>(b);
      return syms(x->var, y->var) && same(x->loop == y->loop && x->hints == y->hints, "loop kind or hints") && (*this)(x->min, y->min) &&
             (*this)(x->extent, y->extent) && (*this)(x->live, y->live) && (*this)(x->body, y->body);
    }
    case StmtKind::If: {
      const auto *x = as<IfStmt>(a), *y = as<IfStmt>(b);
      return (*this)(x->cond, y->cond) && (*this)(x->then_body, y->then_body) && (*this)(x->else_body, y->else_body);
    }
    case StmtKind::Let: {
      const auto *x = as<LetStmt>(a), *y = as<LetStmt>(b);
      return syms(x->var, y->var) && (*this)(x->value, y->value) && (*this)(x->body, y->body);
    }
    case StmtKind::Provide: {
      const auto *x = as<ProvideStmt>(a), *y = as<ProvideStmt>(b);
      return same(x->func == y->func && x->stage == y->stage, "which stage") && exprs(x->index, y->index) && (*this)(x->value, y->value);
    }
    case StmtKind::Alloc: {
      const auto *x = as<AllocStmt>(a), *y = as<AllocStmt>(b);
      bool equal = same(x->func == y->func && x->type == y->type && x->memory == y->memory && x->ring == y->ring && x->align == y->align &&
                            x->swizzle == y->swizzle && x->pad == y->pad && x->order == y->order && x->region.size() == y->region.size(),
                        "allocation");
      for (size_t i = 0; equal && i < x->region.size(); ++i)
        equal = (*this)(x->region[i].min, y->region[i].min) && (*this)(x->region[i].max, y->region[i].max) &&
                (*this)(x->region[i].extent, y->region[i].extent);
      return equal && (*this)(x->body, y->body);
    }
    case StmtKind::Produce: return same(as<ProduceStmt>(a)->func == as<ProduceStmt>(b)->func, "produce") && (*this)(as<ProduceStmt>(a)->body, as<ProduceStmt>(b)->body);
    case StmtKind::Consume: return same(as<ConsumeStmt>(a)->func == as<ConsumeStmt>(b)->func, "consume") && (*this)(as<ConsumeStmt>(a)->body, as<ConsumeStmt>(b)->body);
    case StmtKind::Tile: {
      const auto *x = as<TileStmt>(a), *y = as<TileStmt>(b);
      return same(x->op == y->op && x->func == y->func && x->stage == y->stage && x->extent == y->extent && x->layout == y->layout, "tile") &&
             syms(x->vars, y->vars) && optional_exprs(x->live, y->live) && (*this)(x->body, y->body);
    }
    case StmtKind::Store: {
      const auto *x = as<StoreStmt>(a), *y = as<StoreStmt>(b);
      return same(x->buffer == y->buffer && x->align == y->align && x->cache == y->cache, "store") && (*this)(x->index, y->index) &&
             (*this)(x->value, y->value) && (*this)(x->mask, y->mask);
    }
    case StmtKind::Sync: return same(as<SyncStmt>(a)->sync == as<SyncStmt>(b)->sync, "sync") && exprs(as<SyncStmt>(a)->args, as<SyncStmt>(b)->args);
    case StmtKind::AsyncCopy: {
      const auto *x = as<AsyncCopyStmt>(a), *y = as<AsyncCopyStmt>(b);
      return same(x->copy == y->copy && x->dst == y->dst && x->src == y->src && x->box == y->box, "async copy") && exprs(x->dst_min, y->dst_min) &&
             exprs(x->src_min, y->src_min) && (*this)(x->slot, y->slot) && (*this)(x->barrier, y->barrier);
    }
    case StmtKind::Matrix: {
      const auto *x = as<MatrixStmt>(a), *y = as<MatrixStmt>(b);
      return same(x->instruction == y->instruction && x->acc == y->acc && x->a == y->a && x->b == y->b, "matrix") && exprs(x->args, y->args);
    }
    case StmtKind::Launch: return same(as<LaunchStmt>(a)->kernel == as<LaunchStmt>(b)->kernel, "launch") && (*this)(as<LaunchStmt>(a)->grid, as<LaunchStmt>(b)->grid);
    case StmtKind::Check: {
      const auto *x = as<CheckStmt>(a), *y = as<CheckStmt>(b);
      return same(x->what == y->what && x->relation == y->relation, "check") && (*this)(x->given, y->given) && (*this)(x->needed, y->needed);
    }
    case StmtKind::Memset: return same(as<MemsetStmt>(a)->buffer == as<MemsetStmt>(b)->buffer, "memset");
  }
  return false;
}

bool IrEqual::definitions(const Definition& a, const Definition& b) {
  bool equal = locs(a.loc, b.loc) && same(a.rdom.vars.size() == b.rdom.vars.size(), "number of reduction variables");
  for (size_t i = 0; equal && i < a.rdom.vars.size(); ++i) {
    const RVarDef &x = a.rdom.vars[i], &y = b.rdom.vars[i];
    equal = syms(x.var, y.var) && (*this)(x.min, y.min) && (*this)(x.extent, y.extent);
  }
  return equal && exprs(a.args, b.args) && (*this)(a.value, b.value) && (*this)(a.rdom.where, b.rdom.where);
}

bool IrEqual::functions(const FuncDef& a, const FuncDef& b) {
  bool equal = same(a.kind == b.kind && a.type == b.type && a.free_stride0 == b.free_stride0 && a.is_wrapper == b.is_wrapper, "func") &&
               syms(a.dims, b.dims) && syms(a.extent, b.extent) && syms(a.stride, b.stride) && optional_exprs(a.fixed_extent, b.fixed_extent) &&
               optional_exprs(a.fixed_stride, b.fixed_stride) && locs(a.loc, b.loc) && same(a.stages.size() == b.stages.size(), "number of stages");
  for (size_t i = 0; equal && i < a.stages.size(); ++i) equal = definitions(a.stages[i], b.stages[i]);
  return equal;
}

bool IrEqual::operator()(const Program& a, const Program& b) {
  bool equal = same(a.name == b.name, "name of the program") && same(a.funcs.size() == b.funcs.size(), "number of funcs") &&
               same(a.params.size() == b.params.size(), "number of params") && same(a.args.size() == b.args.size(), "number of arguments");
  for (size_t i = 0; equal && i < a.params.size(); ++i)
    equal = same(a.params[i].name == b.params[i].name, "name of a param") && syms(a.params[i].var, b.params[i].var) && locs(a.params[i].loc, b.params[i].loc);
  for (size_t i = 0; equal && i < a.funcs.size(); ++i) equal = functions(a.funcs[i], b.funcs[i]);
  for (size_t i = 0; equal && i < a.args.size(); ++i) equal = same(a.args[i].kind == b.args[i].kind && a.args[i].id == b.args[i].id, "argument");
  return equal;
}

bool IrEqual::operator()(const Schedule& a, const Schedule& b) {
  bool equal = same(a.directives.size() == b.directives.size(), "number of directives");
  for (size_t i = 0; equal && i < a.directives.size(); ++i) {
    const Directive &x = a.directives[i], &y = b.directives[i];
    equal = same(x.kind == y.kind && x.func == y.func && x.stage == y.stage && x.ints == y.ints && x.tail == y.tail && x.memory == y.memory &&
                     x.target == y.target && x.target_stage == y.target_stage,
                 "directive") &&
            syms(x.loops, y.loops) && exprs(x.exprs, y.exprs) && locs(x.loc, y.loc);
  }
  return equal;
}

bool IrEqual::kernels(const Kernel& a, const Kernel& b) {
  bool equal = same(a.name == b.name && a.threads == b.threads && a.min_blocks == b.min_blocks && a.cluster == b.cluster && a.fast == b.fast &&
                        a.read_only_inputs == b.read_only_inputs && a.buffers == b.buffers && a.written == b.written &&
                        a.shared_bytes == b.shared_bytes && a.allocations.size() == b.allocations.size() && a.roles.size() == b.roles.size(),
                    "kernel") &&
               locs(a.loc, b.loc) && syms(a.block, b.block) && syms(a.thread, b.thread) && syms(a.scalars, b.scalars);
  for (size_t i = 0; equal && i < a.allocations.size(); ++i) {
    const Allocation &x = a.allocations[i], &y = b.allocations[i];
    equal = same(x.buffer == y.buffer && x.type == y.type && x.memory == y.memory && x.offset == y.offset && x.elements == y.elements &&
                     x.ring == y.ring && x.align == y.align && x.swizzle == y.swizzle,
                 "allocation of a kernel");
  }
  for (size_t i = 0; equal && i < a.roles.size(); ++i) {
    const Role &x = a.roles[i], &y = b.roles[i];
    equal = same(x.name == y.name && x.first_warp == y.first_warp && x.warps == y.warps && x.registers == y.registers, "role") && (*this)(x.body, y.body);
  }
  return equal;
}

bool IrEqual::buffers(const Buffer& a, const Buffer& b) {
  return same(a.func == b.func && a.name == b.name && a.type == b.type && a.is_argument == b.is_argument && a.is_output == b.is_output, "buffer") &&
         syms(a.base, b.base) && exprs(a.min, b.min) && exprs(a.extent, b.extent) && exprs(a.stride, b.stride) &&
         (*this)(a.workspace_offset, b.workspace_offset) && (*this)(a.bytes, b.bytes);
}

bool IrEqual::operator()(const Module& a, const Module& b) {
  bool equal = (*this)(a.program, b.program) && same(a.target == b.target, "target") && syms(a.args.slots, b.args.slots) &&
               same(a.buffers.size() == b.buffers.size() && a.kernels.size() == b.kernels.size(), "number of buffers or kernels");
  for (size_t i = 0; equal && i < a.buffers.size(); ++i) equal = buffers(a.buffers[i], b.buffers[i]);
  for (size_t i = 0; equal && i < a.kernels.size(); ++i) equal = kernels(a.kernels[i], b.kernels[i]);
  return equal && (*this)(a.workspace_bytes, b.workspace_bytes) && (*this)(a.entry, b.entry);
}

bool IrEqual::storages(const KernelStorage& a, const KernelStorage& b) {
  bool equal = same(a.func == b.func && a.type == b.type && a.memory == b.memory && a.pad == b.pad && a.order == b.order && a.align == b.align &&
                        a.in_thread == b.in_thread && a.padded == b.padded && a.layout == b.layout && a.offset == b.offset && a.region.size() == b.region.size(),
                    "storage") &&
               syms(a.loops, b.loops) && locs(a.loc, b.loc);
  for (size_t d = 0; equal && d < a.region.size(); ++d)
    equal = exprs({a.region[d].min, a.region[d].max, a.region[d].extent}, {b.region[d].min, b.region[d].max, b.region[d].extent});
  return equal;
}

bool IrEqual::operator()(const KernelDraft& a, const KernelDraft& b) {
  bool equal = same(a.name == b.name && a.stage == b.stage && a.threads_hint == b.threads_hint && a.fast == b.fast && a.threads == b.threads &&
                        a.shared_bytes == b.shared_bytes && a.access_bytes == b.access_bytes && a.storage.size() == b.storage.size() &&
                        a.block_loops.size() == b.block_loops.size() && a.strides.size() == b.strides.size() && a.lets.size() == b.lets.size(),
                    "draft") &&
               locs(a.loc, b.loc) && syms(a.host, b.host) && (*this)(a.grid, b.grid) && syms(a.start, b.start) &&
               syms({a.block, a.thread, a.lane, a.warp}, {b.block, b.thread, b.lane, b.warp});
  for (size_t i = 0; equal && i < a.block_loops.size(); ++i) {
    const BlockLoop &x = a.block_loops[i], &y = b.block_loops[i];
    equal = syms(x.var, y.var) && (*this)(x.min, y.min) && (*this)(x.extent, y.extent) && same(x.order == y.order && x.group == y.group, "block order");
  }
  for (size_t i = 0; equal && i < a.strides.size(); ++i) {
    const NarrowStride &x = a.strides[i], &y = b.strides[i];
    equal = syms(x.var, y.var) && (*this)(x.value, y.value) && same(x.multiple_bytes == y.multiple_bytes && x.element_bytes == y.element_bytes, "stride");
  }
  equal = equal && (*this)(a.body, b.body) && syms(a.coordinates, b.coordinates);
  for (auto i = a.storage.begin(), j = b.storage.begin(); equal && i != a.storage.end(); ++i, ++j) equal = storages(i->second, j->second);
  for (const auto& [v, h] : a.hints) {
    if (!equal || h == LoopHints{}) continue;
    const auto there = there_.find(v);
    const auto it = there == there_.end() ? b.hints.end() : b.hints.find(there->second);
    equal = same(it != b.hints.end() && it->second == h, "hint");
  }
  return equal;
}

}  // namespace sinter::test
