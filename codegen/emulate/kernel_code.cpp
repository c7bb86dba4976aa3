#include "codegen/emulate/kernel_code.h"

#include <map>

namespace sinter::codegen::emulator {

using ir::as;
using ir::Expr;
using ir::Op;
using ir::Slot;
using ir::Stmt;
using ir::StmtKind;

namespace {

bool is_dense(const Expr& index) { return index->op == Op::Ramp && ir::is_const_int(index->args[1], 1); }

[[noreturn]] void not_executable(const std::string& what, ir::Loc loc) {
  ir::user_error(ir::ErrorCode::NotExecutable, loc, what + " has no execution in the emulator yet",
                 "compile for a cuda target, or leave the directive that needs it out");
}

class Compiler {
 public:
  Compiler(const ir::Kernel& k, KernelCode& out) : kernel_(k), out_(out) {}

  void role(const ir::Role& r) {
    builder_ = {};
    role_ = {};
    const bool all = r.warps <= 0;
    role_.first_thread = all ? 0 : r.first_warp * 32;
    role_.threads = all ? kernel_.threads : std::min(kernel_.threads - role_.first_thread, r.warps * 32);
    // Known even where the body does not read them.
    builder_.variable(kernel_.block);
    builder_.variable(kernel_.thread);
    loc_ = kernel_.loc;
    if (r.body) stmt(r.body);
    push({.kind = Step::Kind::End});
    finish();
    out_.roles.push_back(std::move(role_));
  }

 private:
  Step& push(Step s) {
    role_.steps.push_back(s);
    return role_.steps.back();
  }
  uint32_t here() const { return static_cast<uint32_t>(role_.steps.size()); }

  // Sites of one line and buffer are one: copies of a statement (unrolled, or a tail) are the same definition.
  uint32_t site(ir::Loc loc, int buffer, const void* node, std::string what = {}) {
    if (!loc.known()) loc = loc_;
    const auto key = std::tuple(loc.known() ? std::string(loc.file) : std::string(), loc.line, buffer, what,
                                loc.known() && buffer >= 0 ? nullptr : node);
    const auto [it, fresh] = sites_.try_emplace(key, static_cast<uint32_t>(out_.sites.size()));
    if (fresh) out_.sites.push_back({loc, buffer, std::move(what)});
    return it->second;
  }

  // The code of several expressions as steps. Slots are valid until the next statement.
  std::vector<Slot> values(const std::vector<Expr>& list) {
    builder_.begin_statement();
    uint32_t from = builder_.position();
    std::vector<Slot> slots;
    for (const Expr& e : list) slots.push_back(e.defined() ? builder_.emit(e) : 0);
    // A shuffle is a step of its own: all lanes of the warp meet there.
    const std::vector<ir::FlatOp>& ops = builder_.code().ops;
    const std::vector<ir::FlatAccess>& accesses = builder_.code().accesses;
    for (uint32_t i = from; i < ops.size(); ++i) {
      if (ops[i].kind != ir::FlatOp::Kind::Access) continue;
      const Expr& node = accesses[ops[i].access].node;
      if (node->op == Op::Shuffle) {
        if (i > from) push({.kind = Step::Kind::Eval, .begin = from, .end = i});
        push({.kind = Step::Kind::Shuffle, .begin = ops[i].access, .site = site(node->loc, -1, node.get(), "shuffle")});
        from = i + 1;
      } else if (node->op != Op::Load) {
        throw ir::InternalError(std::string("the emulator met a ") + op_name(node->op) + " in per-thread code");
      }
    }
    if (ops.size() > from) push({.kind = Step::Kind::Eval, .begin = from, .end = static_cast<uint32_t>(ops.size())});
    while (role_.accesses.size() < accesses.size()) {
      const Expr& n = accesses[role_.accesses.size()].node;
      AccessInfo info;
      if (n->op == Op::Load)
        info = {n->id, n->type.element(), n->type.lanes, n->i, is_dense(n->args[0]), n->args.size() > 1, site(n->loc, n->id, n.get())};
      role_.accesses.push_back(info);
    }
    return slots;
  }
  Slot value(const Expr& e) { return values({e})[0]; }

  void stmt(const Stmt& s) {
    const ir::Loc outer = loc_;
    if (s->loc.known()) loc_ = s->loc;
    statement(s);
    loc_ = outer;
  }

  void statement(const Stmt& s) {
    switch (s->kind) {
      case StmtKind::Seq:
        for (const Stmt& c : as<ir::SeqStmt>(s)->stmts) stmt(c);
        return;
      case StmtKind::Let: {
        const auto* let = as<ir::LetStmt>(s);
        const Slot v = value(let->value);
        push({.kind = Step::Kind::Assign, .lanes = let->var->type.lanes, .a = builder_.variable(let->var), .b = v});
        return stmt(let->body);
      }
      case StmtKind::If: {
        const auto* node = as<ir::IfStmt>(s);
        const Slot c = value(node->cond);
        const uint32_t branch = here();
        push({.kind = Step::Kind::BranchIfNot, .a = c});
        stmt(node->then_body);
        if (node->else_body) {
          const uint32_t jump = here();
          push({.kind = Step::Kind::Jump});
          role_.steps[branch].target = here();
          stmt(node->else_body);
          role_.steps[jump].target = here();
        } else {
          role_.steps[branch].target = here();
        }
        return;
      }
      case StmtKind::For: return loop(*as<ir::ForStmt>(s));
      case StmtKind::Store: return store(*as<ir::StoreStmt>(s));
      case StmtKind::Sync: return sync(*as<ir::SyncStmt>(s));
      case StmtKind::AsyncCopy: not_executable("an asynchronous copy", s->loc);
      case StmtKind::Matrix: not_executable("a matrix instruction", s->loc);
      default: throw ir::InternalError("the emulator met a statement that is not of the per-thread form");
    }
  }

  void loop(const ir::ForStmt& f) {
    if (f.loop != ir::LoopKind::Serial)
      throw ir::InternalError(std::string("the emulator met a loop of kind ") + loop_kind_name(f.loop));
    const std::vector<Slot> v = values({f.min, f.extent});
    const Slot var = builder_.variable(f.var);
    const Slot limit = builder_.variable(ir::make_sym(f.var->name + ".end", ir::Int(64)));
    push({.kind = Step::Kind::LoopEnter, .begin = v[1], .a = var, .b = v[0], .c = limit});
    loop_enters_.push_back(here() - 1);
    const uint32_t test = here();
    push({.kind = Step::Kind::LoopTest, .a = var, .c = limit});
    stmt(f.body);
    push({.kind = Step::Kind::LoopNext, .target = test, .a = var});
    role_.steps[test].target = here();
  }

  void store(const ir::StoreStmt& s) {
    const std::vector<Slot> v = values({s.index, s.value, s.mask});
    const ir::Type t = s.value.type();
    StoreCode code;
    code.info = {s.buffer, t.element(), t.lanes, s.align, is_dense(s.index), s.mask.defined(), site(s.loc, s.buffer, &s)};
    code.index = v[0];
    code.value = v[1];
    code.mask = v[2];
    push({.kind = Step::Kind::Store, .begin = static_cast<uint32_t>(role_.stores.size())});
    role_.stores.push_back(code);
  }

  void sync(const ir::SyncStmt& s) {
    const uint32_t id = site(s.loc, -1, &s, sync_name(s.sync));
    if (s.sync == ir::SyncKind::WarpSync) {
      push({.kind = Step::Kind::WarpSync, .site = id});
    } else if (s.sync == ir::SyncKind::Barrier && s.args.empty()) {
      push({.kind = Step::Kind::Barrier, .site = id});
    } else if (s.sync == ir::SyncKind::Barrier && s.args.size() == 2) {
      const std::vector<Slot> v = values(s.args);
      push({.kind = Step::Kind::Barrier, .named = true, .a = v[0], .b = v[1], .site = id});
    } else {
      not_executable(std::string("`") + sync_name(s.sync) + "`", s.loc);
    }
  }

  void finish() {
    role_.code = builder_.finish();
    const ir::FlatCode& c = role_.code;
    for (Step& s : role_.steps)
      for (Slot* x : {&s.a, &s.b, &s.c}) *x = c.resolve(*x);
    for (uint32_t i : loop_enters_) role_.steps[i].begin = c.resolve(role_.steps[i].begin);
    loop_enters_.clear();
    for (StoreCode& s : role_.stores)
      for (Slot* x : {&s.index, &s.value, &s.mask}) *x = c.resolve(*x);
  }

  const ir::Kernel& kernel_;
  KernelCode& out_;
  ir::FlatBuilder builder_;
  RoleCode role_;
  ir::Loc loc_;
  std::vector<uint32_t> loop_enters_;
  std::map<std::tuple<std::string, int, int, std::string, const void*>, uint32_t> sites_;
};

}  // namespace

KernelCode compile_kernel(const ir::Kernel& kernel) {
  KernelCode out;
  out.kernel = &kernel;
  Compiler c(kernel, out);
  for (const ir::Role& r : kernel.roles) c.role(r);
  return out;
}

}  // namespace sinter::codegen::emulator
