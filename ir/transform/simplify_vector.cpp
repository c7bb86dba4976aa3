// Steps for casts and vectors, which change types and so do not fit the rule language.
#include <numeric>

#include "ir/transform/fold.h"
#include "ir/transform/simplifier.h"

namespace sinter::ir {

namespace {

// Lane-by-lane operators: op(broadcast(a), broadcast(b)) is broadcast(op(a, b)).
bool is_lanewise(Op op) {
  switch (op) {
    case Op::Cast: case Op::Reinterpret: case Op::Neg: case Op::Abs: case Op::Add: case Op::Sub: case Op::Mul: case Op::Div:
    case Op::Mod: case Op::Min: case Op::Max: case Op::EQ: case Op::NE: case Op::LT: case Op::LE: case Op::GT: case Op::GE:
    case Op::And: case Op::Or: case Op::Not: case Op::BitAnd: case Op::BitOr: case Op::BitXor: case Op::BitNot: case Op::Shl:
    case Op::Shr: case Op::Select: case Op::Math: case Op::Strict: return true;
    default: return false;
  }
}

// Every value of `from` is a value of `to`.
bool widens(Type from, Type to) {
  if (from.is_bool()) return to.is_integer();
  if (!from.is_integer() || !to.is_integer()) return false;
  if (from.is_uint()) return to.is_uint() ? to.bits >= from.bits : to.bits > from.bits;
  return to.is_int() && to.bits >= from.bits;
}

}  // namespace

Expr Simplifier::cast_step(const Expr& e) {
  if (e->op != Op::Cast) return {};
  const Expr& a = e->args[0];
  const Type t = e.type(), from = a.type();
  if (t == from) return a;
  if (const int64_t* v = as_int(a)) {
    if (t.is_integer()) return literal(t, *v);
    if (t.is_bool()) return literal(t, *v != 0);
    // Exact as a double, then rounded once, like the machine's conversion.
    constexpr int64_t kExact = int64_t{1} << 53;
    if (t.is_float() && *v <= kExact && *v >= (from.is_uint() ? 0 : -kExact)) return intern_(make_float(t, static_cast<double>(*v)));
    return {};
  }
  if (a->op == Op::FloatImm && t.is_float()) return intern_(make_float(t, a->f));
  if (a->op == Op::Cast && widens(a->args[0].type().element(), from.element()) && (t.is_integer() || t.is_bool()))
    return cast(t, a->args[0]);
  return {};
}

Expr Simplifier::vector_step(const Expr& e) {
  const Type t = e.type();
  if (e->op == Op::Lane) {
    const Expr& v = e->args[0];
    if (v->op == Op::Broadcast) return v->args[0];
    if (v->op == Op::Concat) return v->args[static_cast<size_t>(e->i)];
    if (v->op == Op::Ramp && (t.traps_on_overflow() || e->i == 0))
      return e->i == 0 ? v->args[0] : binary(Op::Add, v->args[0], binary(Op::Mul, v->args[1], literal(t, e->i)));
    return {};
  }
  if (t.is_scalar()) return {};
  if (e->op == Op::Concat) {
    bool same = true, lanes = e->args[0]->op == Op::Lane && e->args[0]->args[0].type() == t;
    for (size_t i = 0; i < e->args.size(); ++i) {
      same = same && e->args[i].same_as(e->args[0]);
      lanes = lanes && e->args[i]->op == Op::Lane && e->args[i]->i == static_cast<int64_t>(i) &&
              e->args[i]->args[0].same_as(e->args[0]->args[0]);
    }
    if (same) return finish(make_broadcast(e->args[0], t.lanes));
    if (lanes) return e->args[0]->args[0];
    if (!t.traps_on_overflow()) return {};
    // base, base + s, base + 2 s ...
    std::optional<int64_t> stride;
    for (size_t i = 1; i < e->args.size(); ++i) {
      LinearBuilder difference(intern_);
      difference.add(e->args[i], 1);
      difference.add(e->args[i - 1], -1);
      const std::optional<Linear> l = difference.take();
      if (!l || !l->terms.empty() || !fits(t, l->constant) || (stride && *stride != l->constant)) return {};
      stride = l->constant;
    }
    return finish(make_ramp(e->args[0], literal(t.element(), *stride), t.lanes));
  }
  if (is_lanewise(e->op)) {
    bool all = !e->args.empty();
    for (const Expr& a : e->args) all = all && a->op == Op::Broadcast;
    if (all) {
      std::vector<Expr> args;
      for (const Expr& a : e->args) args.push_back(a->args[0]);
      return finish(make_broadcast(finish(with_args(e, std::move(args), t.element())), t.lanes));
    }
  }
  // i32 does not overflow, so lanes may be widened before the stride is added.
  if (e->op == Op::Cast && e->args[0]->op == Op::Ramp && t.traps_on_overflow() && e->args[0].type().traps_on_overflow() &&
      t.bits > e->args[0].type().bits)
    return finish(make_ramp(cast(t.element(), e->args[0]->args[0]), cast(t.element(), e->args[0]->args[1]), t.lanes));
  if ((e->op == Op::Div || e->op == Op::Mod) && t.traps_on_overflow()) return ramp_division(e);
  return {};
}

// ramp(b, s) / c where no lane crosses a multiple of c: all lanes have the quotient of the first.
Expr Simplifier::ramp_division(const Expr& e) {
  const Expr &v = e->args[0], &d = e->args[1];
  const int64_t* c = d->op == Op::Broadcast ? as_int(d->args[0]) : nullptr;
  const int64_t* s = v->op == Op::Ramp ? as_int(v->args[1]) : nullptr;
  if (!c || !s || *c <= 0 || *s < 0 || *s > INT32_MAX) return {};
  LinearBuilder sum(intern_);
  sum.add(v->args[0], 1);
  const std::optional<Linear> l = sum.take();
  if (!l) return {};
  // The base is rest + a multiple of m, and m divides c.
  int64_t m = *c;
  for (const auto& [term, k] : l->terms) m = std::gcd(m, known_multiple(term) == 0 ? 0 : std::gcd(*c, k) * std::gcd(*c, known_multiple(term)));
  m = std::gcd(m, *c);
  const int64_t rest = euclid_mod(l->constant, m), span = *s * (e.type().lanes - 1);
  if (rest + span >= m) return {};
  const Expr first = binary(e->op, v->args[0], d->args[0]);
  return finish(e->op == Op::Div ? make_broadcast(first, e.type().lanes) : make_ramp(first, v->args[1], e.type().lanes));
}

}  // namespace sinter::ir
