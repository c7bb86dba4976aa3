#include "ir/analysis/interval.h"

#include <algorithm>

#include "ir/analysis/postorder.h"
#include "ir/transform/fold.h"
#include "ir/transform/simplifier.h"
#include "ir/transform/simplify.h"

namespace sinter::ir {

Interval interval_union(const Interval& a, const Interval& b) {
  Interval out;
  if (a.min.defined() && b.min.defined()) out.min = simplify(min(a.min, b.min));
  if (a.max.defined() && b.max.defined()) out.max = simplify(max(a.max, b.max));
  if (a.is_point() && b.is_point() && equal_structure(a.min, b.min)) return a;
  return out;
}

Interval interval_intersection(const Interval& a, const Interval& b) {
  Interval out;
  out.min = !a.min.defined() ? b.min : !b.min.defined() ? a.min : simplify(max(a.min, b.min));
  out.max = !a.max.defined() ? b.max : !b.max.defined() ? a.max : simplify(min(a.max, b.max));
  return out;
}

namespace {

// Bottom-up over interned, simplified nodes. Every Expr it handles belongs to one Simplifier, so that equal ends are one node.
class Bounds {
 public:
  explicit Bounds(const IntervalScope& scope) : scope_(scope), s_(scope) {}

  Interval of(const Expr& e) { return visit(s_(e)); }

 private:
  Interval visit(const Expr& root) {
    post_order(
        root, [&](const Expr& e) { return memo_.count(e.get()) != 0; },
        [&](const Expr& e) {
          varies_[e.get()] = compute_varies(e);
          memo_[e.get()] = compute(e);
          keep_.push_back(e);
        },
        [&](const Expr& e, size_t operand) {
          if (e->op == Op::Let && operand == 1) {
            let_[e->var.get()] = memo_.at(e->args[0].get());
            let_varies_[e->var.get()] = true;
          }
        });
    return memo_.at(root.get());
  }

  // Not a symbolic constant: it has a variable of the scope, a Let's variable, data or lanes in it.
  bool compute_varies(const Expr& e) {
    if (e->op == Op::Var) return scope_.count(e->var.get()) || let_varies_.count(e->var.get());
    if (e->op == Op::Call || e->op == Op::Load || e->op == Op::Shuffle || e->op == Op::Let || !e.type().is_scalar()) return true;
    return std::any_of(e->args.begin(), e->args.end(), [&](const Expr& a) { return varies_.at(a.get()); });
  }

  Interval by_type(Type t) {
    const Range r = type_range(t);
    Interval out;
    if (t.is_bool() || t.bits > 16) return out;
    if (r.has_lo()) out.min = s_.literal(t, r.lo);
    if (r.has_hi()) out.max = s_.literal(t, r.hi);
    return out;
  }

  static Interval point(const Expr& e) { return {e, e}; }
  Interval ends(const Expr& lo, const Expr& hi) { return {lo, hi}; }
  Expr op(Op o, const Expr& a, const Expr& b) { return a.defined() && b.defined() ? s_.binary(o, a, b) : Expr(); }
  Interval unite(const Interval& a, const Interval& b) { return {op(Op::Min, a.min, b.min), op(Op::Max, a.max, b.max)}; }

  Expr literal(Type t, int64_t v) { return s_.literal(t, v); }
  bool nonnegative(const Expr& e) { return e.defined() && s_.at_most(literal(e.type(), 0), e); }
  bool positive(const Expr& e) { return e.defined() && s_.at_most(literal(e.type(), 0), e, -1); }

  Interval scaled(const Interval& a, Type t, int64_t k) {
    const auto times = [&](const Expr& e) { return e.defined() ? s_.binary(Op::Mul, e, literal(t, k)) : e; };
    return k >= 0 ? ends(times(a.min), times(a.max)) : ends(times(a.max), times(a.min));
  }

  Interval variable(const Expr& e) {
    if (const auto it = let_.find(e->var.get()); it != let_.end()) return it->second;
    const auto it = scope_.find(e->var.get());
    if (it == scope_.end()) return point(e);
    if (!active_.insert(e->var.get()).second) return by_type(e.type());
    // Ends may mention other variables of the scope.
    Interval out;
    if (it->second.min.defined()) out.min = visit(s_(it->second.min)).min;
    if (it->second.max.defined()) out.max = visit(s_(it->second.max)).max;
    active_.erase(e->var.get());
    return out;
  }

  std::optional<Linear> replaced(const Linear& l, size_t pick, const Expr& value) {
    LinearBuilder next(s_.intern(), false);
    for (size_t i = 0; i < l.terms.size(); ++i) next.add(i == pick ? value : l.terms[i].first, l.terms[i].second);
    next.add_constant(l.constant);
    return next.take();
  }

  // A sum of i32 or i64: variables whose ends mention other variables of the scope give way first, so that e.g.
  // 64 xo + xi with xi <= W - 1 - 64 xo is at most W - 1.
  Expr sum_end(const Linear& start, Type t, bool upper, int depth = 0) {
    Linear l = start;
    for (int round = 0; round < 16; ++round) {
      size_t pick = l.terms.size();
      Expr pick_end;
      for (size_t i = 0; i < l.terms.size(); ++i) {
        const Expr& v = l.terms[i].first;
        if (v->op != Op::Var) continue;
        const auto it = scope_.find(v->var.get());
        if (it == scope_.end() || active_.count(v->var.get())) continue;
        const Expr& end = (l.terms[i].second > 0) == upper ? it->second.max : it->second.min;
        if (!end.defined() || as_int(end) || uses_var(end, v->var.get())) continue;
        const Expr mine = s_(end);
        visit(mine);
        if (!varies_.at(mine.get())) continue;
        if (pick < l.terms.size() && !uses_var(mine, l.terms[pick].first->var.get())) continue;
        pick = i;
        pick_end = mine;
      }
      if (pick == l.terms.size()) break;
      if ((pick_end->op == Op::Min || pick_end->op == Op::Max) && depth < 4) {
        // sum + min(a, b) = min(sum + a, sum + b): each side may cancel with the sum.
        const bool smaller = (pick_end->op == Op::Min) == (l.terms[pick].second > 0);
        const std::optional<Linear> first = replaced(l, pick, pick_end->args[0]), second = replaced(l, pick, pick_end->args[1]);
        if (!first || !second) return {};
        const Expr a = sum_end(*first, t, upper, depth + 1), b = sum_end(*second, t, upper, depth + 1);
        // Of min's upper ends (and max's lower ends) one is enough.
        if (smaller == upper && !a.defined()) return b;
        if (smaller == upper && !b.defined()) return a;
        return op(smaller ? Op::Min : Op::Max, a, b);
      }
      const std::optional<Linear> taken = replaced(l, pick, pick_end);
      if (!taken) return {};
      l = *taken;
    }
    Expr sum = literal(t, 0);
    for (const auto& [term, k] : l.terms) {
      if (!fits(t, k)) return {};
      const Interval b = scaled(visit(term), t, k);
      sum = op(Op::Add, sum, upper ? b.max : b.min);
      if (!sum.defined()) return {};
    }
    if (!fits(t, l.constant)) return {};
    return op(Op::Add, sum, literal(t, l.constant));
  }

  Interval sum(const Expr& e) {
    LinearBuilder builder(s_.intern(), false);
    builder.add(e, 1);
    const std::optional<Linear> l = builder.take();
    if (!l) return {};
    if (l->terms.size() == 1 && l->terms[0].first.same_as(e)) return {};
    return {sum_end(*l, e.type(), false), sum_end(*l, e.type(), true)};
  }

  Interval product(const Expr& e) {
    const Interval a = memo_.at(e->args[0].get()), b = memo_.at(e->args[1].get());
    const auto fixed = [&](const Interval& i, const Expr& factor) -> Interval {  // factor does not vary
      if (nonnegative(factor)) return {op(Op::Mul, i.min, factor), op(Op::Mul, i.max, factor)};
      if (s_.at_most(factor, literal(factor.type(), 0))) return {op(Op::Mul, i.max, factor), op(Op::Mul, i.min, factor)};
      return unite({op(Op::Mul, i.min, factor), op(Op::Mul, i.min, factor)}, {op(Op::Mul, i.max, factor), op(Op::Mul, i.max, factor)});
    };
    if (b.is_point()) return fixed(a, b.min);
    if (a.is_point()) return fixed(b, a.min);
    if (nonnegative(a.min) && nonnegative(b.min)) return {op(Op::Mul, a.min, b.min), op(Op::Mul, a.max, b.max)};
    const Expr c[] = {op(Op::Mul, a.min, b.min), op(Op::Mul, a.min, b.max), op(Op::Mul, a.max, b.min), op(Op::Mul, a.max, b.max)};
    Interval out{c[0], c[0]};
    for (int i = 1; i < 4; ++i) out = unite(out, {c[i], c[i]});
    return out;
  }

  Interval quotient(const Expr& e) {
    const Type t = e.type();
    const Interval a = memo_.at(e->args[0].get()), b = memo_.at(e->args[1].get());
    if (positive(b.min)) {
      if (b.is_point()) return {op(Op::Div, a.min, b.min), op(Op::Div, a.max, b.min)};
      // x / y grows with x; with y it shrinks towards 0 from above and towards -1 from below.
      const Expr low = nonnegative(a.min) ? (b.max.defined() ? op(Op::Div, a.min, b.max) : literal(t, 0))
                                          : op(Op::Min, op(Op::Div, a.min, b.min), literal(t, 0));
      const Expr high = op(Op::Max, op(Op::Div, a.max, b.min), literal(t, 0));
      return {low, high};
    }
    if (!a.min.defined() || !a.max.defined()) return {};
    const Expr m = op(Op::Max, a.max, s_.unary(Op::Neg, a.min));  // |x / y| <= |x|
    const Expr magnitude = op(Op::Max, m, literal(t, 0));
    return {s_.unary(Op::Neg, magnitude), magnitude};
  }

  Interval remainder(const Expr& e) {
    const Type t = e.type();
    const Interval a = memo_.at(e->args[0].get()), b = memo_.at(e->args[1].get());
    if (const int64_t* c = b.is_point() ? as_int(b.min) : nullptr; c && *c > 0) {
      // Within one period the remainder grows with x.
      const Expr first = op(Op::Div, a.min, b.min), last = op(Op::Div, a.max, b.min);
      if (first.defined() && last.defined() && first.same_as(last)) return {op(Op::Mod, a.min, b.min), op(Op::Mod, a.max, b.min)};
      const Expr most = literal(t, *c - 1);
      return {literal(t, 0), nonnegative(a.min) && a.max.defined() ? op(Op::Min, a.max, most) : most};
    }
    Interval out{literal(t, 0), {}};
    if (positive(b.min) && b.max.defined()) {
      out.max = op(Op::Sub, b.max, literal(t, 1));
    } else if (b.min.defined() && b.max.defined()) {
      const Expr m = op(Op::Max, b.max, s_.unary(Op::Neg, b.min));
      out.max = op(Op::Max, op(Op::Sub, m, literal(t, 1)), literal(t, 0));
    }
    if (nonnegative(a.min) && a.max.defined()) out.max = out.max.defined() ? op(Op::Min, out.max, a.max) : a.max;
    return out;
  }

  Interval compute(const Expr& e) {
    const Type t = e.type();
    if (t.is_float()) return {};
    if (!varies_.at(e.get())) return point(e);
    const auto arg = [&](size_t i) { return memo_.at(e->args[i].get()); };
    switch (e->op) {
      case Op::Var: return variable(e);
      case Op::Let: return arg(1);
      default: break;
    }
    if (!t.is_scalar()) return vector(e);
    if (t.is_bool()) return {};
    switch (e->op) {
      case Op::Lane: return arg(0);
      case Op::Min: {
        const Interval a = arg(0), b = arg(1);
        return {op(Op::Min, a.min, b.min), !a.max.defined() ? b.max : !b.max.defined() ? a.max : op(Op::Min, a.max, b.max)};
      }
      case Op::Max: {
        const Interval a = arg(0), b = arg(1);
        return {!a.min.defined() ? b.min : !b.min.defined() ? a.min : op(Op::Max, a.min, b.min), op(Op::Max, a.max, b.max)};
      }
      case Op::Select: {
        const Interval a = arg(1), b = arg(2);
        if (varies_.at(e->args[0].get()) || !a.is_point() || !b.is_point()) return unite(a, b);
        return point(e);
      }
      case Op::Strict: return arg(0);
      case Op::Cast: return cast(e);
      default: break;
    }
    if (!t.traps_on_overflow()) return t.bits <= 16 ? by_range(e) : Interval{};
    switch (e->op) {
      case Op::Add: case Op::Sub: case Op::Neg: return sum(e);
      case Op::Mul: return as_int(e->args[1]) ? sum(e) : product(e);
      case Op::Div: return quotient(e);
      case Op::Mod: return remainder(e);
      case Op::Abs: {
        const Interval a = arg(0);
        Interval out{literal(t, 0), {}};
        if (a.min.defined() && a.max.defined()) {
          out.max = op(Op::Max, a.max, s_.unary(Op::Neg, a.min));
          out.min = op(Op::Max, op(Op::Max, a.min, s_.unary(Op::Neg, a.max)), literal(t, 0));
        }
        return out;
      }
      default: return by_range(e);
    }
  }

  Interval by_range(const Expr& e) {
    const Type t = e.type().element();
    const Range r = s_.ranges().of(e);
    Interval out;
    if (!t.is_integer()) return out;
    if (r.has_lo() && fits(t, r.lo)) out.min = literal(t, r.lo);
    if (r.has_hi() && fits(t, r.hi)) out.max = literal(t, r.hi);
    return out;
  }

  Interval cast(const Expr& e) {
    const Type t = e.type(), from = e->args[0].type();
    if (!t.is_integer() || !(from.is_integer())) {
      if (from.is_bool() && t.is_integer()) return {literal(t, 0), literal(t, 1)};
      return by_type(t);
    }
    const Interval a = memo_.at(e->args[0].get());
    const auto end = [&](const Expr& v) { return v.defined() ? s_.cast(t, v) : v; };
    const bool widening = t.is_int() ? from.bits < t.bits || (from.is_int() && from.bits == t.bits) : from.is_uint() && from.bits <= t.bits;
    if (widening) return {end(a.min), end(a.max)};
    // Narrowing keeps the value only where the range says so.
    const Range r = s_.ranges().of(e->args[0]);
    const bool kept = r.has_lo() && r.has_hi() && fits(t, r.lo) && fits(t, r.hi) && !(t.is_uint() && r.lo < 0);
    if (kept) return {end(a.min), end(a.max)};
    return by_type(t);
  }

  // Bounds of all lanes, as scalars.
  Interval vector(const Expr& e) {
    const Type t = e.type().element();
    const auto arg = [&](size_t i) { return memo_.at(e->args[i].get()); };
    switch (e->op) {
      case Op::Broadcast: return arg(0);
      case Op::Ramp: {
        if (!t.traps_on_overflow()) break;
        const Interval base = arg(0), stride = arg(1);
        const Interval last = scaled(stride, t, e.type().lanes - 1);
        return {op(Op::Add, base.min, op(Op::Min, last.min, literal(t, 0))), op(Op::Add, base.max, op(Op::Max, last.max, literal(t, 0)))};
      }
      case Op::Concat: {
        Interval out = arg(0);
        for (size_t i = 1; i < e->args.size(); ++i) out = unite(out, arg(i));
        return out;
      }
      default: break;
    }
    return by_range(e);
  }

  const IntervalScope& scope_;
  Simplifier s_;
  std::unordered_map<const ExprNode*, Interval> memo_;
  std::unordered_map<const ExprNode*, bool> varies_;
  std::vector<Expr> keep_;
  SymMap<Interval> let_;
  SymMap<bool> let_varies_;
  std::unordered_set<const VarNode*> active_;
};

}  // namespace

Interval bounds_of(const Expr& e, const IntervalScope& scope) { return Bounds(scope).of(e); }

}  // namespace sinter::ir
