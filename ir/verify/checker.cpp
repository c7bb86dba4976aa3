#include "ir/verify/checker.h"

#include <algorithm>

#include "ir/analysis/visit.h"
#include "ir/verify/type_rules.h"

namespace sinter::ir {

namespace {

constexpr int kMaxLanes = 16;  // of vectors in final forms

const char* kind_name(StmtKind k) {
  static const char* const names[] = {"Seq",     "For",  "If",    "Let",  "Provide",   "Alloc",  "Produce", "Consume",
                                      "Tile",    "Store", "Sync", "AsyncCopy", "Matrix", "Launch",  "Check", "Memset"};
  return names[static_cast<int>(k)];
}

}  // namespace

void Checker::problem(const std::string& text) {
  // One fault met again and again (a shared node) is said once per statement.
  if (current_) {
    std::vector<std::string>& here = marks_[current_.get()];
    for (const std::string& t : here)
      if (t == text) return;
    here.push_back(text);
  }
  problems_.push_back(text);
}

void Checker::set_kernel(const Kernel& k) {
  kernel_ = &k;
  for (const Allocation& a : k.allocations) allocations_[a.buffer] = &a;
  if (k.block) in_scope(k.block);
  if (k.thread) {
    in_scope(k.thread);
    tainted_.insert(k.thread.get());
  }
  for (const Sym& s : k.scalars)
    if (s) in_scope(s);
}

void Checker::role(const Role& r) {
  role_warps_ = r.warps;
  stmt(r.body);
}

Type Checker::element_type(int id) const {
  if (const auto it = allocations_.find(id); it != allocations_.end()) return it->second->type;
  if (module_ && id < static_cast<int>(module_->buffers.size())) return module_->buffers[id].type;
  return program_.funcs[id].type;
}

int Checker::rank(int id) const { return id < static_cast<int>(program_.funcs.size()) ? program_.funcs[id].rank() : -1; }

std::string Checker::name(int id) const {
  if (id >= 0 && id < static_cast<int>(program_.funcs.size())) return "`" + program_.funcs[id].name + "`";
  if (module_ && id >= 0 && id < static_cast<int>(module_->buffers.size())) return "`" + module_->buffers[id].name + "`";
  return "?" + std::to_string(id);
}

void Checker::bind(const Sym& s, const void* binder) {
  if (!s) {
    problem("binds no variable");
    return;
  }
  const auto [it, fresh] = binders_.emplace(s.get(), binder);
  problem_if(!fresh && it->second != binder, "`" + s->name + "` is bound twice");
  problem_if(fresh && scope_.count(s.get()), "`" + s->name + "` is bound here, and free in this code");
  scope_.insert(s.get());
}

// May the value differ between threads of a block? What is loaded from registers does; from memory, if the address does.
bool Checker::tainted(const Expr& e) const {
  bool found = false;
  walk_down(e, [&](const Expr& n) {
    if (n->op == Op::Var) found |= tainted_.count(n->var.get()) > 0;
    if (n->op == Op::Shuffle) found = true;
    if (n->op == Op::Load || n->op == Op::Call) {
      const Allocation* a = allocation(n->id);
      found |= a && a->memory == Memory::Register;
    }
    return !found;
  });
  return found;
}

// ---- expressions ----------------------------------------------------------------------------------------------------

void Checker::register_index(int id, const Expr& index) {
  const Allocation* a = allocation(id);
  if (!a || a->memory != Memory::Register || form_ != FormKind::Threads) return;
  const int64_t *first = as_int(index), *step = nullptr;
  if (index->op == Op::Ramp) {
    first = as_int(index->args[0]);
    step = as_int(index->args[1]);
    if (!step) first = nullptr;
  }
  if (!first) {
    problem("registers of " + name(id) + " are indexed by something that is not a literal");
    return;
  }
  const int64_t last = *first + (step ? *step * (index.type().lanes - 1) : 0);
  const bool inside = std::min(*first, last) >= 0 && std::max(*first, last) < a->elements;
  problem_if(!inside, "register " + std::to_string(last) + " of " + name(id) + ", which has " + std::to_string(a->elements));
}

void Checker::access(int id, Type element, const std::vector<Expr>& index, bool flat, bool store) {
  if (!known(id)) {
    problem("there is no Func or buffer " + std::to_string(id));
    return;
  }
  problem_if(element_type(id) != element, name(id) + " holds " + to_string(element_type(id)) + ", accessed as " + to_string(element));
  if (!flat) {
    problem_if(rank(id) >= 0 && static_cast<int>(index.size()) != rank(id),
               name(id) + " has " + std::to_string(rank(id)) + " dimensions, accessed with " + std::to_string(index.size()) + " indices");
  }
  const bool is_func = id < static_cast<int>(program_.funcs.size());
  const bool at_boundary = is_func && (program_.funcs[id].is_input() || program_.is_output(id));
  const bool in_module = module_ && id < static_cast<int>(module_->buffers.size());
  const bool placed = in_module && (module_->buffers[id].is_argument || module_->buffers[id].workspace_offset.defined());
  switch (form_) {
    case FormKind::Nest:
    case FormKind::HostLoops: problem_if(!at_boundary && !placed && !allocs_.count(id), name(id) + " is accessed outside of its allocation"); break;
    case FormKind::Tiles: break;
    case FormKind::Expanded: {
      // What the threads of a block hold in registers together has become an array of each of them.
      const Allocation* a = allocation(id);
      problem_if(flat && (!a || a->memory != Memory::Register), "a flat access to " + name(id) + ", which is not in registers");
      break;
    }
    case FormKind::Threads: {
      if (allocations_.count(id)) {
        if (flat) register_index(id, index[0]);
        break;
      }
      const auto listed = [id](const std::vector<int>& ids) { return std::find(ids.begin(), ids.end(), id) != ids.end(); };
      problem_if(!listed(kernel_->buffers), name(id) + " is not among the kernel's buffers");
      problem_if(store && !listed(kernel_->written), name(id) + " is not among the kernel's written buffers");
      break;
    }
    case FormKind::HostFlat:
    case FormKind::Host: problem_if(!placed && !allocs_.count(id), name(id) + " is accessed outside of its allocation"); break;
    case FormKind::Entry: problem("the entry accesses " + name(id)); break;
  }
  problem_if(store && is_func && program_.funcs[id].is_input(), "a store to the Input " + name(id));
}

void Checker::node(const Expr& e) {
  if (!typed_.count(e.get())) {
    const std::string bad = type_problem(e);
    if (!bad.empty()) {
      problem(bad);
      return;
    }
    typed_.insert(e.get());
    keep_.push_back(e);
  }
  const bool scalar_form = form_ == FormKind::Nest || form_ == FormKind::Expanded || form_ == FormKind::HostLoops || form_ == FormKind::Entry;
  problem_if(scalar_form && !e.type().is_scalar(), "a vector in a form of scalars");
  problem_if(e.type().lanes > kMaxLanes, "a vector of " + std::to_string(e.type().lanes) + " lanes");
  const bool multi = form_ == FormKind::Nest || form_ == FormKind::Tiles || form_ == FormKind::Expanded || form_ == FormKind::HostLoops;
  if (e->op == Op::Call) {
    problem_if(!multi, "a Call, where accesses are flat");
    access(e->id, e.type().element(), e->args, false, false);
  } else if (e->op == Op::Load) {
    problem_if(form_ == FormKind::Nest || form_ == FormKind::HostLoops, form_ == FormKind::Nest ? "a flat Load in the Nest form" : "a flat Load where accesses have coordinates");
    access(e->id, e.type().element(), {e->args[0]}, true, false);
  } else if (e->op == Op::Shuffle) {
    problem_if(form_ != FormKind::Threads && form_ != FormKind::Tiles && form_ != FormKind::Expanded, "a Shuffle outside of a kernel");
  }
}

// Let-bound variables are in scope in their body only; a node is visited once per statement.
void Checker::expr(const Expr& e) {
  if (!e.defined()) return;
  std::vector<Sym> lets;
  walk(e, [&](const Expr& n) {
    if (n->op == Op::Let && n->var && n->args.size() == 2 && n->args[0].defined()) lets.push_back(n->var);
  });
  std::unordered_set<const VarNode*> inner;
  for (const Sym& s : lets) inner.insert(s.get());
  walk(e, [&](const Expr& n) {
    if (n->op == Op::Var && n->var && !scope_.count(n->var.get()) && !inner.count(n->var.get()))
      problem("`" + n->var->name + "` is used where it is not bound");
    if (n->op == Op::Let && n->var) {
      const auto [it, fresh] = binders_.emplace(n->var.get(), n.get());
      problem_if(!fresh && it->second != n.get(), "`" + n->var->name + "` is bound twice");
      if (fresh) keep_.push_back(n);
    }
    node(n);
  });
  // Outside of its Let a variable is free.
  if (!lets.empty())
    for (const Sym& s : free_vars(e))
      problem_if(inner.count(s.get()) && !scope_.count(s.get()), "`" + s->name + "` is used where it is not bound");
}

// ---- statements -----------------------------------------------------------------------------------------------------

bool Checker::allowed(const Stmt& s) const {
  const FormKind f = form_;
  const bool host = f == FormKind::HostLoops || f == FormKind::HostFlat || f == FormKind::Host;
  const bool per_thread = f == FormKind::Expanded || f == FormKind::Threads;
  const bool in_tile = f == FormKind::Tiles && place_.in_tile, around_tiles = f == FormKind::Tiles && !place_.in_tile;
  switch (s->kind) {
    case StmtKind::Seq: case StmtKind::If: case StmtKind::Let: return true;
    case StmtKind::For: {
      const LoopKind k = as<ForStmt>(s)->loop;
      const bool copies = k == LoopKind::Vectorized || k == LoopKind::Unrolled;
      if (f == FormKind::Nest) return true;
      if (in_tile) return k != LoopKind::Block && k != LoopKind::Parallel;
      if (around_tiles) return k == LoopKind::Serial || k == LoopKind::Unrolled;
      if (copies) return f == FormKind::Expanded || f == FormKind::HostLoops || f == FormKind::HostFlat;
      return k == LoopKind::Serial || (host && k == LoopKind::Parallel);
    }
    case StmtKind::Provide: return f == FormKind::Nest || f == FormKind::Expanded || f == FormKind::HostLoops || in_tile;
    case StmtKind::Alloc: return f == FormKind::Nest || host || in_tile;
    case StmtKind::Produce: case StmtKind::Consume: return f == FormKind::Nest;
    case StmtKind::Tile: return around_tiles;
    case StmtKind::Store: return per_thread || f == FormKind::HostFlat || f == FormKind::Host || in_tile;
    case StmtKind::Sync: case StmtKind::AsyncCopy: case StmtKind::Matrix: return per_thread || around_tiles;
    case StmtKind::Launch: return f == FormKind::Entry;
    case StmtKind::Check: return f == FormKind::Nest || host || f == FormKind::Entry;
    case StmtKind::Memset: return f == FormKind::Host || f == FormKind::Entry;
  }
  return false;
}

void Checker::with_place(const Place& place, const Stmt& inner) {
  const Place saved = place_;
  place_ = place;
  stmt(inner);
  place_ = saved;
}

void Checker::stmt(const Stmt& s) {
  // Long runs of Lets are a loop here, not recursion.
  std::vector<Sym> lets;
  Stmt at = s;
  const Place saved = place_;
  const Stmt outer = current_;
  while (true) {
    if (!at) {
      problem("lacks a statement");
      break;
    }
    current_ = at;
    if (!allowed(at)) {
      const auto* f = as<ForStmt>(at);
      problem(f ? std::string("a ") + loop_kind_name(f->loop) + " loop does not belong here" : std::string(kind_name(at->kind)) + " does not belong here");
    }
    each_expr(at, [this](const Expr& e) { expr(e); });
    const auto* let = as<LetStmt>(at);
    if (!let) {
      children(at);
      break;
    }
    problem_if(!let->value.defined(), "a Let without a value");
    if (let->var && let->value.defined()) {
      problem_if(let->var->type != let->value.type(), "`" + let->var->name + "` is " + to_string(let->var->type) + ", its value " + to_string(let->value.type()));
      if (kernel_ && tainted(let->value)) tainted_.insert(let->var.get());
    }
    bind(let->var, let);
    lets.push_back(let->var);
    at = let->body;
  }
  for (const Sym& v : lets)
    if (v) unbind(v);
  place_ = saved;
  current_ = outer;
}

void Checker::children(const Stmt& s) {
  Place inner = place_;
  inner.block_chain = false;
  switch (s->kind) {
    case StmtKind::Seq:
      for (const Stmt& one : as<SeqStmt>(s)->stmts) with_place(inner, one);
      return;
    case StmtKind::For: loop(*as<ForStmt>(s)); return;
    case StmtKind::If: {
      const auto* i = as<IfStmt>(s);
      if (!i->cond.defined()) problem("an If without a condition");
      else problem_if(i->cond.type() != Bool(), "the condition is " + to_string(i->cond.type()));
      inner.divergent |= kernel_ && i->cond.defined() && tainted(i->cond);
      with_place(inner, i->then_body);
      if (i->else_body) with_place(inner, i->else_body);
      return;
    }
    case StmtKind::Let: return;
    case StmtKind::Provide: provide(*as<ProvideStmt>(s)); return;
    case StmtKind::Alloc: alloc(s, *as<AllocStmt>(s)); return;
    case StmtKind::Produce:
    case StmtKind::Consume: {
      const bool produce = s->kind == StmtKind::Produce;
      const int f = produce ? as<ProduceStmt>(s)->func : as<ConsumeStmt>(s)->func;
      problem_if(!known(f), "there is no Func " + std::to_string(f));
      with_place(inner, produce ? as<ProduceStmt>(s)->body : as<ConsumeStmt>(s)->body);
      return;
    }
    case StmtKind::Tile: tile(*as<TileStmt>(s)); return;
    case StmtKind::Store: store(*as<StoreStmt>(s)); return;
    case StmtKind::Sync: sync(*as<SyncStmt>(s)); return;
    case StmtKind::AsyncCopy: async_copy(*as<AsyncCopyStmt>(s)); return;
    case StmtKind::Matrix: matrix(*as<MatrixStmt>(s)); return;
    case StmtKind::Launch: launch(*as<LaunchStmt>(s)); return;
    case StmtKind::Check: check(*as<CheckStmt>(s)); return;
    case StmtKind::Memset: problem_if(!known(as<MemsetStmt>(s)->buffer), "there is no buffer " + std::to_string(as<MemsetStmt>(s)->buffer)); return;
  }
}

}  // namespace sinter::ir
