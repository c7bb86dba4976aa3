#include "scheduler/prove/path.h"

#include "ir/analysis/visit.h"
#include "ir/transform/simplify.h"
#include "scheduler/lower/copies.h"
#include "scheduler/prove/obligations.h"

namespace sinter::scheduler {

using namespace ir;

Expr negated(const Expr& c) {
  switch (c->op) {
    case Op::LT: return c->args[0] >= c->args[1];
    case Op::LE: return c->args[0] > c->args[1];
    case Op::GT: return c->args[0] <= c->args[1];
    case Op::GE: return c->args[0] < c->args[1];
    case Op::Not: return c->args[0];
    case Op::Or: return negated(c->args[0]) && negated(c->args[1]);
    default: return !c;
  }
}

Path Path::of_arguments(const Program& program) {
  Path p;
  for (size_t i = 0; i < program.funcs.size(); ++i) {
    const FuncDef& f = program.funcs[i];
    if (!f.is_input() && !program.is_output(static_cast<FuncId>(i))) continue;
    for (size_t d = 0; d < f.extent.size(); ++d) {
      if (!f.extent[d]) continue;
      const Expr fixed = d < f.fixed_extent.size() ? f.fixed_extent[d] : Expr();
      if (fixed.defined() && as_int(fixed)) {
        p.set_range(f.extent[d], fixed, fixed);
        continue;
      }
      p.set_range(f.extent[d], i32(1), i32(kMaxExtent));
      if (fixed.defined()) p.assume(equal(make_var(f.extent[d]), fixed));
    }
  }
  return p;
}

Expr Path::resolve(const Expr& e) const { return e.defined() ? substitute(inline_lets(e), lets_) : e; }

void Path::set_range(const Sym& var, const Expr& min, const Expr& max) {
  scope_[var.get()] = {min, max};
  age_.try_emplace(var.get(), age_.size());
  if (min.defined()) facts_.push_back(make_var(var) >= min);
  if (max.defined()) facts_.push_back(make_var(var) <= max);
}

void Path::enter_loop(const Sym& var, const Expr& min, const Expr& extent, const Expr& live) {
  const Expr first = in_digits(resolve(min)), last = simplify(first + in_digits(resolve(extent)) - 1);
  set_range(var, first, last);
  loops_.insert(var.get());
  if (is_const_int(first, 0)) add_digits(var, simplify(resolve(extent)));
  if (live.defined()) assume(make_var(var) <= first + resolve(live) - 1);
}

void Path::add_digits(const Sym& var, const Expr& extent) {
  if (extent->op != Op::Mul || as_int(extent->args[0]) || as_int(extent->args[1])) return;
  for (int i = 0; i < 2; ++i) {
    const Expr &a = extent->args[i], &b = extent->args[1 - i];
    if (!can_prove(a >= i32(1), scope_)) continue;
    const Sym quotient = make_sym(var->name + "/(" + to_string(a) + ")"), remainder = make_sym(var->name + "%(" + to_string(a) + ")");
    set_range(quotient, i32(0), simplify(b - 1));
    set_range(remainder, i32(0), simplify(a - 1));
    add_fused(var, a, make_var(quotient), make_var(remainder));
  }
}

Expr Path::in_digits(const Expr& e) const {
  if (fused_.empty()) return e;
  return rewrite(e, [&](const Expr& n) {
    if ((n->op != Op::Div && n->op != Op::Mod) || n->args[0]->op != Op::Var) return n;
    for (const Fused& f : fused_)
      if (n->args[0]->var == f.var && (n->op == Op::Div ? f.quotient : f.remainder).defined() && equal_structure(simplify(n->args[1]), f.inner))
        return n->op == Op::Div ? f.quotient : f.remainder;
    return n;
  });
}

// A bound of a variable, `v < e`, narrows its interval: interval reasoning then needs no solver.
void Path::refine(const Expr& fact) {
  const auto narrow = [&](const Expr& v, const Expr& bound, bool upper) {
    if (v->op != Op::Var || uses_var(bound, v->var.get())) return;
    const auto it = scope_.find(v->var.get());
    if (it == scope_.end()) return;
    // Only by what was known before v: intervals stay free of cycles.
    const size_t age = age_.at(v->var.get());
    for (const Sym& s : free_vars(bound))
      if (const auto other = age_.find(s.get()); other != age_.end() && other->second > age) return;
    Expr& end = upper ? it->second.max : it->second.min;
    end = !end.defined() ? bound : simplify(upper ? min(end, bound) : max(end, bound));
  };
  const auto at_most = [&](const Expr& a, const Expr& b, int64_t strict) {  // a + strict <= b
    if (a.type() != Int(32)) return;
    narrow(a, simplify(b - strict), true);
    narrow(b, simplify(a + strict), false);
  };
  switch (fact->op) {
    case Op::LT: at_most(fact->args[0], fact->args[1], 1); break;
    case Op::LE: at_most(fact->args[0], fact->args[1], 0); break;
    case Op::GT: at_most(fact->args[1], fact->args[0], 1); break;
    case Op::GE: at_most(fact->args[1], fact->args[0], 0); break;
    default: break;
  }
}

void Path::assume(const Expr& condition) {
  if (!condition.defined()) return;
  const Expr c = in_digits(resolve(condition));
  if (is_true(c)) return;
  if (c->op == Op::And) {
    assume(c->args[0]);
    assume(c->args[1]);
    return;
  }
  facts_.push_back(c);
  refine(c);
}

void Path::assume_not(const Expr& condition) { assume(negated(resolve(condition))); }

void Path::bind(const Sym& var, const Expr& value) { lets_[var.get()] = resolve(value); }

void assume_checks(const Stmt& s, Path& path) {
  if (const auto* q = as<SeqStmt>(s))
    for (const Stmt& c : q->stmts) assume_checks(c, path);
  if (const auto* i = as<IfStmt>(s))
    if (can_prove(path.resolve(i->cond), path.scope())) assume_checks(i->then_body, path);
  if (const auto* c = as<CheckStmt>(s)) {
    switch (c->relation) {
      case CheckStmt::AtLeast: path.assume(c->given >= c->needed); break;
      case CheckStmt::Equal: path.assume(equal(c->given, c->needed)); break;
      case CheckStmt::MultipleOf: path.assume(equal(c->given % c->needed, make_int(c->given.type(), 0))); break;
    }
  }
}

}  // namespace sinter::scheduler
