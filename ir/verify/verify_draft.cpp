// The verifier of a kernel's draft: the form that its stage gives the body, and what the stage says about storage and layouts.
#include <algorithm>

#include "ir/verify/checker.h"
#include "ir/verify/verify.h"

namespace sinter::ir {

namespace {

FormKind form_of(DraftStage s) {
  if (s <= DraftStage::Decoded) return FormKind::Nest;
  if (s < DraftStage::Expanded) return FormKind::Tiles;
  return s == DraftStage::Expanded ? FormKind::Expanded : FormKind::Threads;
}

class DraftChecker {
 public:
  DraftChecker(const KernelDraft& draft, const Module& module)
      : d_(draft), m_(module), header_(make_header()), c_(form_of(draft.stage), module.program, &module) {}

  void run() {
    if (at_least(DraftStage::Packed)) kernel_header(c_, header_, m_);
    variables();
    storage();
    if (at_least(DraftStage::Sized)) c_.problem_if(d_.threads < 32 || d_.threads % 32 != 0, "a block of " + std::to_string(d_.threads) + " threads, which are not whole warps");
    if (d_.stage <= DraftStage::Decoded) {
      c_.inside_block();
      c_.body(d_.body);
    } else {
      if (!at_least(DraftStage::LaidOut)) c_.layouts_undecided();
      c_.set_kernel(header_);
      c_.role(header_.roles[0]);
    }
    if (at_least(DraftStage::Tiled)) {
      visit(d_.body);
      if (!at_least(DraftStage::Expanded)) lets();
    }
    finish(c_, std::string("the draft of kernel `") + d_.name + "` (" + (d_.fast ? "fast, " : "general, ") + draft_stage_name(d_.stage) + ")",
           [&](const PrintOptions& o) { return print(d_, m_, o); });
  }

 private:
  bool at_least(DraftStage s) const { return d_.stage >= s; }
  std::string name(int f) const {
    const bool known = f >= 0 && f < static_cast<int>(m_.buffers.size());
    return known ? "`" + m_.buffers[static_cast<size_t>(f)].name + "`" : "?" + std::to_string(f);
  }

  bool is_global(int id) const {
    const Buffer& b = m_.buffers[static_cast<size_t>(id)];
    return b.is_argument || b.workspace_offset.defined();
  }

  // The draft as the kernel that it is going to be, so that rules of kernels apply to it.
  Kernel make_header() const {
    Kernel k;
    k.name = d_.name;
    k.block = d_.block;
    k.thread = d_.thread;
    k.threads = at_least(DraftStage::Sized) ? d_.threads : 1024;
    k.fast = d_.fast;
    k.shared_bytes = d_.shared_bytes;
    for (int id = 0; id < static_cast<int>(m_.buffers.size()); ++id) {
      if (d_.stored(id) || !is_global(id)) continue;
      k.buffers.push_back(id);
      const bool input = id < static_cast<int>(m_.program.funcs.size()) && m_.program.funcs[static_cast<size_t>(id)].is_input();
      if (!input) k.written.push_back(id);
    }
    for (const auto& [f, s] : d_.storage) {
      if (s.memory == Memory::Global) continue;
      Allocation a;
      a.buffer = f;
      a.type = s.type;
      a.memory = s.memory;
      a.align = s.align;
      a.offset = s.offset;
      const bool constant = std::all_of(s.region.begin(), s.region.end(), [](const Region& r) { return as_int(r.extent) != nullptr; });
      a.elements = constant ? s.array_elements() : 1;
      k.allocations.push_back(a);
    }
    Role all;
    all.warps = (k.threads + 31) / 32;
    all.body = d_.body;
    k.roles.push_back(std::move(all));
    return k;
  }

  void in_scope(const Sym& s) {
    if (!s) return;
    c_.in_scope(s);
    scope_.insert(s.get());
  }

  void variables() {
    for (const Sym& s : m_.args.slots) in_scope(s);
    for (const Sym& s : d_.host) in_scope(s);
    for (const Sym& s : d_.start) in_scope(s);
    for (const Buffer& b : m_.buffers)
      for (const std::vector<Expr>* es : {&b.min, &b.extent, &b.stride})
        for (const Expr& e : *es)
          if (e.defined())
            for (const Sym& s : free_vars(e)) in_scope(s);
    for (const NarrowStride& n : d_.strides) {
      c_.problem_if(!n.var || n.var->type != Int(32) || !n.value.defined() || n.value.type() != Int(32), "a narrow stride that is not i32");
      if (n.value.defined()) host_value(n.value, "a narrow stride");
      in_scope(n.var);
    }
    const size_t loops = d_.block_loops.size();
    c_.problem_if(loops == 0, "a kernel without block loops");
    c_.problem_if(!d_.start.empty() && d_.start.size() != loops, "a first block of another rank than the grid");
    c_.problem_if(!d_.grid.defined() || d_.grid.type() != Int(64), "a grid that is not i64");
    if (d_.grid.defined()) host_value(d_.grid, "the grid");
    for (const BlockLoop& l : d_.block_loops) {
      c_.problem_if(!l.var || !l.extent.defined() || !l.min.defined(), "a block loop without variable or bounds");
      if (l.extent.defined()) host_value(l.extent, "the extent of a block loop");
      if (l.extent.defined()) c_.problem_if(!as_int(l.extent) && l.extent->op != Op::Var, "the extent of a block loop is neither a constant nor a variable");
      c_.problem_if(l.order < 0 || l.group < 0, "a negative place in the block order");
      for (const BlockLoop& other : d_.block_loops) c_.problem_if(&other != &l && l.order > 0 && other.order == l.order, "two block loops at one place of the block order");
      if (d_.stage == DraftStage::Cut) in_scope(l.var);
    }
    if (d_.stage == DraftStage::Cut) return;
    for (const Sym& s : {d_.block, d_.thread, d_.lane, d_.warp}) c_.problem_if(!s || s->type != Int(32), "block, thread, lane or warp is not an i32 variable");
    in_scope(d_.block);
    in_scope(d_.thread);
    if (!at_least(DraftStage::Expanded)) {  // Lets from then on
      in_scope(d_.lane);
      in_scope(d_.warp);
    }
  }

  void host_value(const Expr& e, const char* what) {
    for (const Sym& s : free_vars(e)) c_.problem_if(!scope_.count(s.get()), std::string(what) + " uses `" + s->name + "`, which is no variable of the host");
  }

  void storage() {
    c_.problem_if(!at_least(DraftStage::Tiled) && !d_.storage.empty(), "storage, while allocations are still in the body");
    for (const auto& [f, s] : d_.storage) {
      const bool known = f >= 0 && f < static_cast<int>(m_.buffers.size());
      c_.problem_if(!known || s.func != f, "storage of a Func that does not exist, or of another one");
      if (!known) continue;
      const Type type = m_.buffers[static_cast<size_t>(f)].type;
      c_.problem_if(s.type != type, name(f) + " holds " + to_string(type) + ", stored as " + to_string(s.type));
      if (f < static_cast<int>(m_.program.funcs.size())) {
        const FuncDef& def = m_.program.funcs[static_cast<size_t>(f)];
        c_.problem_if(def.is_input(), "storage of the Input " + name(f));
        c_.problem_if(static_cast<int>(s.region.size()) != def.rank(), "the storage of " + name(f) + " is not of its rank");
      }
      c_.problem_if(!s.pad.empty() && s.pad.size() != s.region.size(), "padding of another rank");
      for (const Region& r : s.region) {
        const int64_t* n = r.extent.defined() ? as_int(r.extent) : nullptr;
        c_.problem_if(!n || *n < 1, "the storage of " + name(f) + " has an extent that is no positive constant");
        c_.problem_if(r.min.defined() != !at_least(DraftStage::Flat), "the first coordinate of the storage of " + name(f) + " is missing, or of no use any more");
      }
      c_.problem_if(s.in_thread && s.memory != Memory::Register, name(f) + " is stored by each thread, and not in registers");
      if (at_least(DraftStage::LaidOut)) c_.problem_if(s.memory == Memory::Auto, "the memory of " + name(f) + " is not decided");
    }
  }

  void lets() {
    size_t found = 0;
    walk_stmts(d_.body, [&](const Stmt& s) {
      const auto* l = as<LetStmt>(s);
      if (!l || !l->var) return true;
      ++found;
      const auto it = d_.lets.find(l->var.get());
      c_.problem_if(it == d_.lets.end() || !it->second.same_as(l->value), "the value of `" + l->var->name + "` is not the one that is noted");
      return true;
    });
    c_.problem_if(found != d_.lets.size(), std::to_string(d_.lets.size()) + " values of Lets are noted; there are " + std::to_string(found));
  }

  // Storage is where it is accessed, and tiles are laid out.
  void visit(const Stmt& s) {
    if (!s) return;
    read_.clear();
    each_expr(s, [&](const Expr& e) { reads(e); });
    if (const auto* p = as<ProvideStmt>(s)) access(p->func);
    if (const auto* p = as<StoreStmt>(s)) access(p->buffer);
    if (const auto* t = as<TileStmt>(s)) tile(*t);
    std::vector<Sym> bound;
    if (const auto* l = as<LetStmt>(s)) bound.push_back(l->var);
    if (const auto* f = as<ForStmt>(s)) bound.push_back(f->var);
    for (const Sym& v : bound) scope_.insert(v.get());
    map_children(s, [&](const Stmt& child) { visit(child); return child; }, nullptr);
    for (const Sym& v : bound) scope_.erase(v.get());
  }

  // Nodes that access nothing are met once, others once a statement: their scope counts.
  bool reads(const Expr& e) {
    if (!e.defined() || silent_.count(e.get())) return false;
    if (const auto it = read_.find(e.get()); it != read_.end()) return it->second;
    bool any = e->op == Op::Call || e->op == Op::Load;
    if (any) access(e->id);
    for (const Expr& a : e->args) any |= reads(a);
    read_[e.get()] = any;
    if (!any || at_least(DraftStage::Flat)) silent_.insert(e.get());
    return any;
  }

  void access(int id) {
    if (id < 0 || id >= static_cast<int>(m_.buffers.size())) return;  // said already
    const KernelStorage* s = d_.stored(id);
    if (!s) {
      c_.problem_if(!is_global(id), name(id) + " is stored nowhere");
      return;
    }
    for (const Sym& v : origin(*s))
      if (!scope_.count(v.get())) c_.problem(name(id) + " is accessed where its first coordinate, which uses `" + v->name + "`, is not known");
  }

  // The variables of a storage's first coordinate.
  const std::vector<Sym>& origin(const KernelStorage& s) {
    const auto [it, fresh] = origins_.try_emplace(s.func);
    if (fresh)
      for (const Region& r : s.region)
        if (r.min.defined())
          for (const Sym& v : free_vars(r.min)) it->second.push_back(v);
    return it->second;
  }

  void tile(const TileStmt& t) {
    const Layout& l = t.layout;
    if (!at_least(DraftStage::LaidOut)) {
      c_.problem_if(l.kind == Layout::Kind::Blocked, "a tile with a layout, before layouts are assigned");
      return;
    }
    if (l.kind == Layout::Kind::Single) {
      c_.problem_if(!t.vars.empty(), "a tile with dimensions that one thread runs");
      return;
    }
    c_.problem_if(l.threads != d_.threads, "a layout of " + std::to_string(l.threads) + " threads in a block of " + std::to_string(d_.threads));
    if (l.kind != Layout::Kind::Blocked) return;
    for (size_t d = 0; d < t.extent.size(); ++d) {
      const int64_t covered = reach(l, static_cast<int>(d));
      c_.problem_if(covered < t.extent[d], "a layout that covers " + std::to_string(covered) + " of " + std::to_string(t.extent[d]) + " points along dimension " + std::to_string(d));
    }
  }

  const KernelDraft& d_;
  const Module& m_;
  Kernel header_;
  Checker c_;
  std::unordered_set<const VarNode*> scope_;
  std::unordered_set<const ExprNode*> silent_;
  std::unordered_map<const ExprNode*, bool> read_;
  std::map<FuncId, std::vector<Sym>> origins_;
};

}  // namespace

void verify_draft(const KernelDraft& draft, const Module& module) { DraftChecker(draft, module).run(); }

}  // namespace sinter::ir
