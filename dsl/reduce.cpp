#include "dsl/reduce.h"

#include <cmath>
#include <limits>

#include "dsl/contents.h"
#include "dsl/match.h"
#include "ir/analysis/visit.h"

namespace sinter {

using detail::Reduction;
using ir::Op;
using ir::user_error;

namespace detail {

static const char* reduction_name(Reduction op) {
  static const char* const names[] = {"sum", "product", "maximum", "minimum"};
  return names[static_cast<int>(op)];
}

// A Func that is the reduction, over the free Vars and outer RVars of `value` (the latter as Vars of its own), and the
// call that reads it where the reduction was written.
static ir::Expr make_reduction(Reduction op, const RDomPtr& rdom, ir::Expr value, bool strict, Loc loc) {
  const FuncPtr f = make_func(reduction_name(op), loc);
  f->reduction = InlineReduction{op, rdom, value, strict, false};
  f->type = value.type();
  f->loc = loc;
  rdom->used = true;

  std::vector<ir::Expr> actual, formal;
  ir::Substitution renamed;
  const auto collect = [&](const ir::Expr& e) {
    if (!e.defined()) return;
    for (const ir::Sym& v : ir::free_vars(e)) {
      const SymNode& s = sym_node(v);
      const bool outer = s.kind == SymKind::RVar && s.rdom != rdom.get();
      if (s.kind != SymKind::Var && !outer) continue;
      bool known = false;
      for (const ir::Expr& a : actual) known |= a->var == v;
      if (known) continue;
      actual.push_back(ir::make_var(v));
      formal.push_back(outer ? Expr(Var(v->name, loc)).node() : actual.back());
      if (outer) renamed[v.get()] = formal.back();
    }
  };
  collect(value);
  collect(rdom->where);
  if (!renamed.empty() && rdom->where.defined()) {
    for (const ir::Sym& v : ir::free_vars(rdom->where))
      if (renamed.count(v.get()))
        user_error(
            ErrorCode::BadReduction, loc,
            std::string(reduction_name(op)) + ": the RDom's where() depends on `" + v->name + "` of another RDom",
            "write the condition into the value: " + std::string(reduction_name(op)) + "(r, select(condition, e, 0))");
  }

  StageContents init{formal, reduction_identity(*f, f->type), nullptr, {}, loc};
  f->set_rank(static_cast<int>(formal.size()));
  StageContents update{formal, {}, rdom, {}, loc};
  update.value =
      reduction_step(*f, weaken(make_handle_call(f, formal, loc), f.get()), ir::substitute(value, renamed), loc);
  for (size_t i = 0; i < rdom->vars.size(); ++i) update.loops.add(rvar_sym(rdom, i), true);
  for (const ir::Expr& e : formal) {
    f->dims.push_back(e->var);
    init.loops.add(e->var, false);
    update.loops.add(e->var, false);
  }
  f->stages.push_back(std::move(init));
  f->stages.push_back(std::move(update));
  return make_handle_call(f, std::move(actual), loc);
}

ir::Expr strict_reductions(const ir::Expr& e) {
  return ir::rewrite(e, [](const ir::Expr& n) {
    if (n->op != Op::Call || !sym_node(n->var).func->reduction) return n;
    const InlineReduction& r = *sym_node(n->var).func->reduction;
    return r.strict || r.adopted
               ? n
               : make_reduction(r.op, r.rdom, ir::make_strict(strict_reductions(r.value)), true, n->loc);
  });
}

// May the conversion be done to every element before reducing? (dsl/reduce.h)
static bool commutes(Reduction op, Type from, Type to) {
  const bool wider = to.bits > from.bits;
  if (op == Reduction::Maximum || op == Reduction::Minimum) {
    if (from.is_float() && to.is_float()) return !to.is_f8();  // which saturates: over nothing, the result would differ
    return from.is_integer() && to.is_integer() && wider && (to.is_int() || from.is_uint());
  }
  if (from.is_float() && to.is_float()) return wider && !from.is_narrow_float();
  return from == Int(32) && to == Int(64);
}

WholeReduction whole_reduction(const ir::Expr& rhs) {
  std::vector<Type> casts;  // outermost first
  const ir::Expr* e = &rhs;
  bool strict = false;
  while ((*e)->op == Op::Cast || (*e)->op == Op::Strict) {
    strict |= (*e)->op == Op::Strict;
    if ((*e)->op == Op::Cast) casts.push_back((*e).type());
    e = &(*e)->args[0];
  }
  if ((*e)->op != Op::Call) return {};
  FuncContents* const f = sym_node((*e)->var).func;
  if (!f->reduction || (strict && !f->reduction->strict)) return {};
  ir::Expr value = f->reduction->value;
  for (auto t = casts.rbegin(); t != casts.rend(); ++t) {
    if (!commutes(f->reduction->op, value.type(), *t)) return {};
    value = ir::make_cast(*t, value);
  }
  return {f, value};
}

ir::Expr reduction_identity(const FuncContents& reduction, Type t) {
  switch (reduction.reduction->op) {
    case Reduction::Sum: return ir::make_const(t, 0);
    case Reduction::Product: return ir::make_const(t, 1);
    case Reduction::Maximum:
      if (t.is_float()) return ir::make_float(t, -std::numeric_limits<double>::infinity());
      return ir::make_int(t, t.is_uint() ? 0 : std::numeric_limits<int64_t>::min() >> (64 - t.bits));
    case Reduction::Minimum:
      if (t.is_float()) return ir::make_float(t, std::numeric_limits<double>::infinity());
      return ir::make_int(t, t.is_uint() ? -1 : std::numeric_limits<int64_t>::max() >> (64 - t.bits));
  }
  throw InternalError("reduction_identity: no such reduction");
}

ir::Expr reduction_step(const FuncContents& reduction, const ir::Expr& accumulator, const ir::Expr& value, Loc loc) {
  static const Op ops[] = {Op::Add, Op::Mul, Op::Max, Op::Min};
  const Type t = value.type(), compute = t.is_narrow_float() ? Float(32) : t;
  const ir::Expr step = ir::make_binary(ops[static_cast<int>(reduction.reduction->op)],
                                        ir::make_cast(compute, accumulator), ir::make_cast(compute, value), loc);
  return ir::make_cast(t, reduction.reduction->strict ? ir::make_strict(step) : step);
}

}  // namespace detail

static Expr reduce(Reduction op, const RDom& r, const Operand& e, Loc loc) {
  const char* name = detail::reduction_name(op);
  const Type t = detail::checked(e, name).type();
  if (t.is_bool())
    user_error(ErrorCode::BadReduction, loc, std::string(name) + " of bool",
               "convert first: sum(r, select(condition, 1, 0)) counts where it holds");
  const ir::Expr value = detail::convert(e, t.is_narrow_float() ? Float(32) : t);
  return Expr(detail::make_reduction(op, r.contents(), value, false, loc));
}

Expr sum(const RDom& r, const Operand& e, Loc loc) { return reduce(Reduction::Sum, r, e, loc); }
Expr product(const RDom& r, const Operand& e, Loc loc) { return reduce(Reduction::Product, r, e, loc); }
Expr maximum(const RDom& r, const Operand& e, Loc loc) { return reduce(Reduction::Maximum, r, e, loc); }
Expr minimum(const RDom& r, const Operand& e, Loc loc) { return reduce(Reduction::Minimum, r, e, loc); }

}  // namespace sinter
