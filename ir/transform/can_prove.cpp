#include "ir/transform/simplifier.h"
#include "ir/transform/simplify.h"

namespace sinter::ir {

namespace {

// `c` is simplified: no > or >=, Not only around what has no negation.
bool holds(Simplifier& s, const Expr& c, int budget) {
  if (is_true(c)) return true;
  if (budget <= 0 || is_false(c)) return false;
  switch (c->op) {
    case Op::And: return holds(s, c->args[0], budget - 1) && holds(s, c->args[1], budget - 1);
    case Op::Or: return holds(s, c->args[0], budget - 1) || holds(s, c->args[1], budget - 1);
    case Op::EQ: case Op::NE: case Op::LT: case Op::LE: break;
    default: return false;
  }
  const Type t = c->args[0].type();
  if (!t.traps_on_overflow() || !t.is_scalar()) return false;
  LinearBuilder difference(s.intern());
  difference.add(c->args[0], 1);
  difference.add(c->args[1], -1);
  const std::optional<Linear> d = difference.take();
  if (!d) return false;
  const std::optional<int64_t> hi = s.bounds().upper(*d);
  if (c->op == Op::LT) return hi && *hi < 0;
  if (c->op == Op::LE) return hi && *hi <= 0;
  const std::optional<int64_t> lo = s.bounds().lower(*d);
  if (c->op == Op::EQ) return hi && lo && *hi == 0 && *lo == 0;
  return (hi && *hi < 0) || (lo && *lo > 0);
}

}  // namespace

bool can_prove(const Expr& cond, const IntervalScope& scope) {
  Simplifier s(scope);
  return holds(s, s(cond), 64);
}

std::optional<int64_t> constant_upper_bound(const Expr& e, const IntervalScope& scope) {
  Simplifier s(scope);
  LinearBuilder sum(s.intern());
  sum.add(s(e), 1);
  const std::optional<Linear> l = sum.take();
  return l ? s.bounds().upper(*l) : std::nullopt;
}

std::optional<int64_t> constant_lower_bound(const Expr& e, const IntervalScope& scope) {
  Simplifier s(scope);
  LinearBuilder sum(s.intern());
  sum.add(s(e), 1);
  const std::optional<Linear> l = sum.take();
  return l ? s.bounds().lower(*l) : std::nullopt;
}

}  // namespace sinter::ir
