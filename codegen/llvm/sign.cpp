#include "codegen/llvm/sign.h"

namespace sinter::codegen {

using ir::Expr;
using ir::Op;
using ir::Type;

void SignAnalysis::note(const ir::Sym& s, bool yes) {
  const auto [it, fresh] = vars_.try_emplace(s.get(), yes);
  if (fresh || it->second == yes) return;
  it->second = yes;  // copies of one Let bind one Sym to different values: what was concluded may not hold
  memo_.clear();
}

bool SignAnalysis::knows(const ir::Sym& s) const {
  const auto it = vars_.find(s.get());
  return it != vars_.end() && it->second;
}

void SignAnalysis::note_entry(const ir::Module& m) {
  for (const ir::FuncDef& f : m.program.funcs)
    for (const ir::Sym& s : f.extent)
      if (s) note(s, true);
  for (const ir::Buffer& b : m.buffers) {
    for (const Expr& e : b.extent)
      if (e.defined() && e->op == Op::Var) note(e->var, true);
    if (b.base) note(b.base, true);
  }
  ir::walk_stmts(m.entry, [&](const ir::Stmt& s) {
    const auto join = [&](const ir::Sym& var, bool yes) { note(var, yes && (!vars_.contains(var.get()) || knows(var))); };
    if (const auto* let = ir::as<ir::LetStmt>(s)) join(let->var, nonneg(let->value));
    if (const auto* f = ir::as<ir::ForStmt>(s)) join(f->var, nonneg(f->min));
    return true;
  });
}

bool SignAnalysis::nonneg(const Expr& e, int depth) {
  constexpr int kDeepest = 200;
  const Type t = e.type();
  if (t.is_uint() || t.is_bool()) return true;
  if (!t.is_int() || depth > kDeepest) return false;
  if (e->op == Op::IntImm) return e->i >= 0;
  if (e->op == Op::Var) return knows(e->var);
  if (const auto it = memo_.find(e.get()); it != memo_.end()) return it->second;
  const auto arg = [&](size_t i) { return nonneg(e->args[i], depth + 1); };
  bool yes = false;
  switch (e->op) {
    case Op::Add: case Op::Mul: case Op::Ramp: yes = t.traps_on_overflow() && arg(0) && arg(1); break;
    case Op::Div: yes = t.traps_on_overflow() && arg(0) && arg(1); break;
    case Op::Mod: yes = true; break;
    case Op::Abs: yes = t.traps_on_overflow(); break;
    case Op::Min: yes = arg(0) && arg(1); break;
    case Op::Max: case Op::BitAnd: yes = arg(0) || arg(1); break;
    case Op::Shr: case Op::Broadcast: case Op::Lane: yes = arg(0); break;
    case Op::Select: yes = arg(1) && arg(2); break;
    case Op::Cast: {
      const Type f = e->args[0].type();
      yes = !f.is_float() && arg(0) && (f.bits < t.bits || (f.bits == t.bits && f.is_int()));
      break;
    }
    default: break;
  }
  memo_[e.get()] = yes;
  return yes;
}

}  // namespace sinter::codegen
