#include "ir/transform/rules/match.h"

namespace sinter::ir {

const Expr* Match::find(const VarNode* v) const {
  for (const auto& [key, value] : values)
    if (key == v) return &value;
  return nullptr;
}

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

class Matcher {
 public:
  Matcher(const Rule& rule, const std::function<bool(const Match&)>& accept) : rule_(rule), accept_(accept) {}

  bool run(const Expr& e) {
    match_.lanes = e.type().lanes;
    match_.lifted = e.type().lanes > 1 && rule_.lhs.type().is_scalar();
    todo_.emplace_back(rule_.lhs, e);
    return step();
  }

 private:
  // Matches what is left to do; restores `todo_` and `match_` before it returns false.
  bool step() {
    if (todo_.empty()) return accept_(match_);
    const auto [pattern, e] = todo_.back();
    todo_.pop_back();
    const bool done = node(pattern, e);
    if (!done) todo_.emplace_back(pattern, e);
    return done;
  }

  bool node(const Expr& pattern, const Expr& e) {
    const Type t = e.type();
    if ((pattern.type().lanes > 1 || match_.lifted ? match_.lanes : 1) != t.lanes) return false;
    switch (pattern->op) {
      case Op::Var: return wildcard(pattern->var.get(), e, pattern.type().is_bool());
      case Op::IntImm: {
        const int64_t* v = literal(e);
        const Type before = match_.number;
        if (!v || t.is_bool() != pattern.type().is_bool() || *v != make_int(t.element(), pattern->i)->i || !number(t)) return false;
        if (step()) return true;
        match_.number = before;
        return false;
      }
      default: break;
    }
    if (pattern->op != e->op || pattern->args.size() != e->args.size()) return false;
    if (pattern.type().is_bool() != t.is_bool() && rule_.domains != kAny) return false;
    if (operands(pattern, e, false)) return true;
    return is_commutative(e->op) && operands(pattern, e, true);
  }

  bool operands(const Expr& pattern, const Expr& e, bool swapped) {
    const size_t n = e->args.size(), before = todo_.size();
    for (size_t i = n; i-- > 0;) todo_.emplace_back(pattern->args[i], e->args[swapped ? n - 1 - i : i]);
    if (step()) return true;
    todo_.resize(before);
    return false;
  }

  // Fixes the type that numbers mean, or checks it. A Bool matched by a Bool of the pattern says nothing about it.
  bool number(Type t) {
    if (t.is_bool()) return true;
    if (match_.number.is_none()) match_.number = t.element();
    return match_.number == t.element();
  }

  bool wildcard(const VarNode* v, const Expr& e, bool boolean) {
    const Type t = e.type();
    if (boolean ? !t.is_bool() : !in_domain(rule_.domains, t)) return false;
    if (is_literal_wildcard(v) && !literal(e)) return false;
    if (const Expr* bound = match_.find(v)) return bound->same_as(e) && step();
    const Type before = match_.number;
    if (!boolean && !number(t)) return false;
    match_.values.emplace_back(v, e);
    if (step()) return true;
    match_.values.pop_back();
    match_.number = before;
    return false;
  }

  const Rule& rule_;
  const std::function<bool(const Match&)>& accept_;
  std::vector<std::pair<Expr, Expr>> todo_;
  Match match_;
};

}  // namespace

bool match_rule(const Rule& rule, const Expr& e, const std::function<bool(const Match&)>& accept) {
  if (rule.lhs->op != e->op) return false;
  return Matcher(rule, accept).run(e);
}

}  // namespace sinter::ir
