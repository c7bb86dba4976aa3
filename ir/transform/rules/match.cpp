#include "ir/transform/rules/match.h"

#include "ir/diagnostic.h"

namespace sinter::ir {

namespace {

bool is_commutative(Op op) {
  switch (op) {
    case Op::Add: case Op::Mul: case Op::Min: case Op::Max: case Op::EQ: case Op::NE: case Op::And: case Op::Or:
    case Op::BitAnd: case Op::BitOr: case Op::BitXor: return true;
    default: return false;
  }
}

bool in_domain(uint8_t domains, Type t) {
  if (t.is_bool()) return domains & kBool;
  if (t.is_float()) return domains & kFloat;
  return domains & (t.traps_on_overflow() ? kSigned : kWrapping);
}

// The literal behind a scalar or broadcast IntImm.
const int64_t* literal(const Expr& e) {
  if (e->op == Op::Broadcast) return as_int(e->args[0]);
  return as_int(e);
}

// Most rules fail on the operator of an operand: looks one level down, without a binding.
bool plausible(const Expr& pattern, const Expr& e) {
  if (pattern->op == Op::Var) return !is_literal_wildcard(pattern->var.get()) || literal(e);
  if (pattern->op == Op::IntImm) return literal(e);
  return pattern->op == e->op;
}

bool plausible_operands(const Expr& pattern, const Expr& e) {
  const size_t n = e->args.size();
  if (pattern->args.size() != n) return false;
  bool straight = true, swapped = is_commutative(e->op);
  for (size_t i = 0; i < n && (straight || swapped); ++i) {
    straight = straight && plausible(pattern->args[i], e->args[i]);
    swapped = swapped && plausible(pattern->args[i], e->args[n - 1 - i]);
  }
  return straight || swapped;
}

class Matcher {
 public:
  Matcher(const Rule& rule, const std::function<bool(const Match&)>& accept) : rule_(rule), accept_(accept) {}

  bool run(const Expr& e) {
    match_.lanes = e.type().lanes;
    match_.lifted = e.type().lanes > 1 && rule_.lhs.type().is_scalar();
    push(rule_.lhs, e);
    return step();
  }

 private:
  // Pairs of pattern and expression that must still match. Every function here leaves it, and `match_`, as found if it fails.
  void push(const Expr& pattern, const Expr& e) {
    internal_check(left_ < todo_.size(), "a rule pattern is too large");
    todo_[left_++] = {&pattern, &e};
  }

  bool step() {
    if (left_ == 0) return accept_(match_);
    const auto [pattern, e] = todo_[--left_];
    if (node(*pattern, *e)) return true;
    todo_[left_++] = {pattern, e};
    return false;
  }

  bool node(const Expr& pattern, const Expr& e) {
    const Type t = e.type();
    if ((pattern.type().lanes > 1 || match_.lifted ? match_.lanes : 1) != t.lanes) return false;
    if (pattern->op == Op::Var) return wildcard(pattern->var.get(), e, pattern.type().is_bool());
    if (pattern->op == Op::IntImm) return constant(pattern, e);
    if (pattern->op != e->op || !plausible_operands(pattern, e)) return false;
    if (pattern.type().is_bool() != t.is_bool() && rule_.domains != kAny) return false;
    return operands(pattern, e, false) || (is_commutative(e->op) && operands(pattern, e, true));
  }

  bool operands(const Expr& pattern, const Expr& e, bool swapped) {
    const size_t n = e->args.size(), before = left_;
    for (size_t i = n; i-- > 0;) push(pattern->args[i], e->args[swapped ? n - 1 - i : i]);
    if (step()) return true;
    left_ = before;
    return false;
  }

  // Fixes the type that numbers mean, or checks it. A Bool says nothing about it.
  bool number(Type t) {
    if (t.is_bool()) return true;
    if (match_.number.is_none()) match_.number = t.element();
    return match_.number == t.element();
  }

  bool constant(const Expr& pattern, const Expr& e) {
    const Type t = e.type(), before = match_.number;
    const int64_t* v = literal(e);
    if (!v || t.is_bool() != pattern.type().is_bool()) return false;
    // -1 in a pattern is all ones in an unsigned type.
    if (*v != pattern->i && (pattern->i >= 0 || *v != make_int(t.element(), pattern->i)->i)) return false;
    if (number(t) && step()) return true;
    match_.number = before;
    return false;
  }

  bool wildcard(const VarNode* v, const Expr& e, bool boolean) {
    const Type t = e.type(), before = match_.number;
    if (boolean ? !t.is_bool() : !in_domain(rule_.domains, t)) return false;
    if (is_literal_wildcard(v) && !literal(e)) return false;
    if (const Expr* bound = match_.find(v)) return bound->same_as(e) && step();
    internal_check(match_.count < Match::kMaxValues, "a rule has too many wildcards");
    const bool typed = boolean || number(t);
    match_.values[match_.count++] = {v, &e};
    if (typed && step()) return true;
    --match_.count;
    match_.number = before;
    return false;
  }

  const Rule& rule_;
  const std::function<bool(const Match&)>& accept_;
  std::array<std::pair<const Expr*, const Expr*>, 24> todo_;
  size_t left_ = 0;
  Match match_;
};

}  // namespace

bool match_rule(const Rule& rule, const Expr& e, const std::function<bool(const Match&)>& accept) {
  if (rule.lhs->op != e->op || !plausible_operands(rule.lhs, e)) return false;
  return Matcher(rule, accept).run(e);
}

}  // namespace sinter::ir
