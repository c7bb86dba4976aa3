#include "ir/transform/simplify.h"

#include <utility>

#include "ir/analysis/postorder.h"
#include "ir/diagnostic.h"
#include "ir/transform/fold.h"
#include "ir/transform/simplifier.h"

namespace sinter::ir {

namespace {

// Rules strictly shrink or order expressions; this only bounds the damage of a pair that does not.
constexpr int kMaxDepth = 200;

const int64_t* literal_of(const Expr& e) { return e->op == Op::Broadcast ? as_int(e->args[0]) : as_int(e); }

bool wants_literal_right(Op op) {
  switch (op) {
    case Op::Add: case Op::Mul: case Op::Min: case Op::Max: case Op::EQ: case Op::NE: case Op::And: case Op::Or:
    case Op::BitAnd: case Op::BitOr: case Op::BitXor: return true;
    default: return false;
  }
}

}  // namespace

Expr Simplifier::run(const Expr& root, Mode mode) {
  if (!root.defined()) return root;
  const Mode outer = std::exchange(mode_, mode);
  auto& memo = memo_[mode];
  const auto of = [&](const Expr& e) { return memo.at(e.get()).second; };
  const auto done = [&](const Expr& e) {
    if (memo.count(e.get()) != 0) return true;
    if (mode == kIndex || (e->op != Op::Call && e->op != Op::Load)) return false;
    // An index below a value is an index; the same expression elsewhere in the value is none, so it has no entry of its own here.
    std::vector<Expr> args;
    for (const Expr& a : e->args) args.push_back(run(a, kIndex));
    memo[e.get()] = {e, finish(with_args(e, std::move(args)))};
    return true;
  };
  post_order(
      root, done,
      [&](const Expr& e) {
        Expr out;
        if (e->op == Op::Var) {
          const auto it = inlined_.find(e->var.get());
          out = it == inlined_.end() ? finish(e) : it->second;
        } else if (e->op == Op::Let && inlined_.count(e->var.get())) {
          out = of(e->args[1]);
        } else {
          std::vector<Expr> args;
          args.reserve(e->args.size());
          for (const Expr& a : e->args) args.push_back(of(a));
          out = finish(args.empty() ? e : with_args(e, std::move(args)));
        }
        memo[e.get()] = {e, out};
        // What is simplified is simplified: passes that use one Simplifier feed it its own results.
        memo.try_emplace(out.get(), out, out);
      },
      [&](const Expr& e, size_t operand) {
        if (e->op != Op::Let || operand != 1) return;
        const Expr value = of(e->args[0]);
        if (is_const(value) || value->op == Op::Var) {
          inlined_[e->var.get()] = value;
        } else if (value.type().is_integer() || value.type().is_bool()) {
          ranges_.bind(e->var, ranges_.of(value));
        }
      });
  mode_ = outer;
  return of(root);
}

Expr Simplifier::finish(const Expr& raw) {
  const Expr e = intern_.unique(raw);
  auto& done = done_[mode_];
  if (const auto it = done.find(e.get()); it != done.end()) return it->second;
  if (depth_ > kMaxDepth) return e;
  ++depth_;
  Expr out = step(e);
  --depth_;
  if (!out.defined()) out = e;
  done[e.get()] = out;
  done[out.get()] = out;
  return out;
}

Expr Simplifier::step(const Expr& e) {
  Expr out;
  if (out = fold(e); out.defined()) return out;
  if (out = vector_step(e); out.defined()) return out;
  if (out = cast_step(e); out.defined()) return out;
  if (out = by_range(e); out.defined()) return out;
  switch (e->op) {
    case Op::Add: case Op::Sub: case Op::Neg: out = index_sum(e); break;
    case Op::Mul: out = index_product(e); break;
    case Op::Div: case Op::Mod: out = index_division(e); break;
    case Op::EQ: case Op::NE: case Op::LT: case Op::LE: out = index_compare(e); break;
    case Op::Min: case Op::Max: out = index_min_max(e); break;
    default: break;
  }
  if (out.defined()) return out;
  return by_rules(e);
}

Expr Simplifier::fold(const Expr& e) {
  if (e->args.empty() || !(e.type().is_integer() || e.type().is_bool())) return {};
  if (e->args.size() == 1) {
    const int64_t* a = literal_of(e->args[0]);
    if (!a || e->args[0].type() != e.type()) return {};
    const std::optional<int64_t> v = fold_unary(e->op, e.type(), *a);
    return v ? literal(e.type(), *v) : Expr();
  }
  if (e->args.size() != 2 || e->args[0].type() != e->args[1].type() || e->op < Op::Add || e->op > Op::Shr) return {};
  const int64_t *a = literal_of(e->args[0]), *b = literal_of(e->args[1]);
  if (a && b && !e->args[0].type().is_float()) {
    const std::optional<int64_t> v = fold_binary(e->op, e->args[0].type(), *a, *b);
    return v ? literal(e.type(), *v) : Expr();
  }
  if (a && !b && wants_literal_right(e->op)) return finish(with_args(e, {e->args[1], e->args[0]}));
  return {};
}

// Anything whose range is one value is that value.
Expr Simplifier::by_range(const Expr& e) {
  switch (e->op) {
    case Op::Div: case Op::Mod: case Op::Min: case Op::Max: case Op::EQ: case Op::NE: case Op::LT: case Op::LE: case Op::GT:
    case Op::GE: case Op::And: case Op::Or: case Op::Not: case Op::BitAnd: case Op::Shr: break;
    default: return {};
  }
  if (e.type().is_float()) return {};
  const Range r = ranges_.of(e);
  return r.is_point() && fits(e.type(), r.lo) ? literal(e.type(), r.lo) : Expr();
}

bool Simplifier::at_most(const Expr& a, const Expr& b, int64_t slack) {
  const Range ra = ranges_.of(a), rb = ranges_.of(b);
  int64_t limit = 0;
  if (ra.has_hi() && rb.has_lo() && !__builtin_add_overflow(rb.lo, slack, &limit) && ra.hi <= limit) return true;
  if (!a.type().traps_on_overflow() || !a.type().is_scalar()) return false;
  LinearBuilder difference(intern_);
  difference.add(a, 1);
  difference.add(b, -1);
  const std::optional<Linear> l = difference.take();
  if (!l) return false;
  const std::optional<int64_t> u = bounds_.upper(*l, 24);
  return u && *u <= slack;
}

Expr Simplifier::by_rules(const Expr& e) {
  Expr out;
  const Rule* rule = nullptr;
  const std::function<bool(const Match&)> accept = [&](const Match& match) {
    if (rule->condition.defined() && !is_true(instantiate(rule->condition, match))) return false;
    out = instantiate(rule->rhs, match);
    return out.defined();
  };
  // The index steps have tried ranges already, and better.
  const bool tried = (e->op == Op::Min || e->op == Op::Max || ((e->op == Op::Div || e->op == Op::Mod) && as_int(e->args[1]))) && is_index(e);
  for (const Rule* candidate : rules_for(e->op)) {
    if (tried && candidate->by_range) continue;
    rule = candidate;
    if (match_rule(*rule, e, accept)) return out;
  }
  return {};
}

// The normal form of a pattern under a match; undefined where literals of the rule do not fold (they would overflow).
Expr Simplifier::instantiate(const Expr& pattern, const Match& match) {
  if (pattern->op == Op::Var) {
    const Expr* value = match.find(pattern->var.get());
    internal_check(value != nullptr, "a rule uses a wildcard that its pattern does not bind");
    return *value;
  }
  if (pattern->op == Op::IntImm) {
    const int lanes = match.lifted ? match.lanes : 1;
    const Type t = pattern.type().is_bool() ? Bool(lanes) : match.number.with_lanes(lanes);
    return literal(t, pattern->i);
  }
  std::vector<Expr> args;
  bool literals = true;
  for (const Expr& a : pattern->args) {
    args.push_back(instantiate(a, match));
    if (!args.back().defined()) return {};
    literals = literals && is_const(args.back());
  }
  Expr out;
  switch (pattern->op) {
    case Op::Select: out = make_select(args[0], args[1], args[2]); break;
    case Op::Ramp: return finish(make_ramp(args[0], args[1], match.lanes));
    case Op::Broadcast: return finish(make_broadcast(args[0], match.lanes));
    default: out = args.size() == 1 ? make_unary(pattern->op, args[0]) : make_binary(pattern->op, args[0], args[1]); break;
  }
  out = finish(out);
  return literals && !is_const(out) ? Expr() : out;
}

Expr simplify(const Expr& e, const IntervalScope& scope) {
  Simplifier simplifier(scope);
  return simplifier(e);
}

Expr simplify_value(const Expr& e, const IntervalScope& scope) {
  Simplifier simplifier(scope);
  return simplifier.value(e);
}

}  // namespace sinter::ir
