#include "ir/analysis/range.h"

#include <algorithm>

#include "ir/analysis/postorder.h"
#include "ir/transform/fold.h"

namespace sinter::ir {

namespace {

using Wide = __int128;

// An end of a range, saturated into "unbounded".
int64_t low_end(Wide v) { return v <= Range::kMin ? Range::kMin : v >= Range::kMax ? Range::kMax - 1 : static_cast<int64_t>(v); }
int64_t high_end(Wide v) { return v >= Range::kMax ? Range::kMax : v <= Range::kMin ? Range::kMin + 1 : static_cast<int64_t>(v); }

Range add(const Range& a, const Range& b) {
  Range r;
  if (a.has_lo() && b.has_lo()) r.lo = low_end(static_cast<Wide>(a.lo) + b.lo);
  if (a.has_hi() && b.has_hi()) r.hi = high_end(static_cast<Wide>(a.hi) + b.hi);
  return r;
}

Range negate(const Range& a) {
  return {a.has_hi() ? -a.hi : Range::kMin, a.has_lo() ? -a.lo : Range::kMax};
}

Range unite(const Range& a, const Range& b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

// Infinities multiply like large numbers of their sign; 0 times anything is 0.
Range multiply(const Range& a, const Range& b) {
  const auto product = [](int64_t x, int64_t y) -> Wide {
    if (x == 0 || y == 0) return 0;
    const bool infinite = x == Range::kMin || x == Range::kMax || y == Range::kMin || y == Range::kMax;
    if (infinite) return (x < 0) == (y < 0) ? static_cast<Wide>(1) << 100 : -(static_cast<Wide>(1) << 100);
    return static_cast<Wide>(x) * y;
  };
  const Wide c[] = {product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo), product(a.hi, b.hi)};
  return {low_end(*std::min_element(c, c + 4)), high_end(*std::max_element(c, c + 4))};
}

int64_t magnitude(const Range& a) {  // max |v|, kMax where unbounded
  if (!a.has_lo() || !a.has_hi()) return Range::kMax;
  return std::max(a.hi < 0 ? -a.hi : a.hi, a.lo < 0 ? -a.lo : a.lo);
}

Range divide(const Range& a, const Range& b) {
  if (b.lo >= 1) {
    const auto quotient = [](int64_t x, int64_t y) -> int64_t {
      if (x == Range::kMin || x == Range::kMax) return x;
      if (y == Range::kMax) return x < 0 ? -1 : 0;
      return euclid_div(x, y);
    };
    Range r;
    r.lo = a.lo < 0 ? quotient(a.lo, b.lo) : quotient(a.lo, b.hi);
    r.hi = a.hi < 0 ? quotient(a.hi, b.hi) : quotient(a.hi, b.lo);
    return r;
  }
  if (b.hi <= -1) return negate(divide(a, negate(b)));
  const int64_t m = magnitude(a);
  return m == Range::kMax ? Range{} : Range{-m, m};
}

Range modulo(const Range& a, const Range& b) {
  if (b.is_point() && b.lo != 0 && a.has_lo() && a.has_hi() && b.lo != Range::kMin &&
      euclid_div(a.lo, b.lo) == euclid_div(a.hi, b.lo))
    return {euclid_mod(a.lo, b.lo), euclid_mod(a.hi, b.lo)};
  const int64_t m = magnitude(b);
  Range r{0, m == Range::kMax ? Range::kMax : std::max<int64_t>(m - 1, 0)};
  if (a.lo >= 0) r.hi = std::min(r.hi, a.hi);
  return r;
}

// The range of a value computed as `r` and then wrapped to `t`.
Range wrapped(Type t, const Range& r) {
  if (t.traps_on_overflow()) return r;
  const Range all = type_range(t);
  return r.lo >= all.lo && r.hi <= all.hi && r.has_lo() && r.has_hi() ? r : all;
}

Range truth(bool always, bool never) { return always ? Range::point(1) : never ? Range::point(0) : Range{0, 1}; }

Range compare(Op op, const Range& a, const Range& b) {
  switch (op) {
    case Op::LT: return truth(a.has_hi() && b.has_lo() && a.hi < b.lo, a.has_lo() && b.has_hi() && a.lo >= b.hi);
    case Op::LE: return truth(a.has_hi() && b.has_lo() && a.hi <= b.lo, a.has_lo() && b.has_hi() && a.lo > b.hi);
    case Op::GT: return compare(Op::LT, b, a);
    case Op::GE: return compare(Op::LE, b, a);
    default: break;
  }
  const bool apart = (a.has_hi() && b.has_lo() && a.hi < b.lo) || (a.has_lo() && b.has_hi() && a.lo > b.hi);
  const bool same = a.is_point() && a == b;
  return op == Op::EQ ? truth(same, apart) : truth(apart, same);
}

Range bitwise(Op op, const Range& a, const Range& b) {
  if (op == Op::BitAnd) {
    if (a.lo >= 0 && b.lo >= 0) return {0, std::min(a.hi, b.hi)};
    if (a.lo >= 0) return {0, a.hi};
    if (b.lo >= 0) return {0, b.hi};
    return {};
  }
  if (a.lo < 0 || b.lo < 0 || !a.has_hi() || !b.has_hi()) return {};
  int64_t ones = 0;  // 2^k - 1 >= both
  while (ones < a.hi || ones < b.hi) ones = ones * 2 + 1;
  return {0, ones};
}

}  // namespace

Range type_range(Type t) {
  if (t.is_bool()) return {0, 1};
  if (!t.is_integer() || t.bits >= 64 || t.traps_on_overflow()) return {};
  if (t.is_uint()) return {0, (int64_t{1} << t.bits) - 1};
  return {-(int64_t{1} << (t.bits - 1)), (int64_t{1} << (t.bits - 1)) - 1};
}

Range Ranges::of(const Expr& root) {
  post_order(
      root, [&](const Expr& e) { return memo_.count(e.get()) != 0; },
      [&](const Expr& e) {
        Range r = compute(e);
        memo_[e.get()] = {e, r};
      },
      [&](const Expr& e, size_t operand) {
        if (e->op == Op::Let && operand == 1) let_[e->var.get()] = memo_.at(e->args[0].get()).second;
      });
  return memo_.at(root.get()).second;
}

Range Ranges::variable(const Expr& e) {
  if (const auto it = let_.find(e->var.get()); it != let_.end()) return it->second;
  const auto it = scope_.find(e->var.get());
  if (it == scope_.end() || !active_.insert(e->var.get()).second) return type_range(e.type());
  Range r = type_range(e.type());
  if (it->second.min.defined()) r.lo = std::max(r.lo, of(it->second.min).lo);
  if (it->second.max.defined()) r.hi = std::min(r.hi, of(it->second.max).hi);
  active_.erase(e->var.get());
  return r.lo > r.hi ? type_range(e.type()) : r;  // an empty scope: nothing is known about what never happens
}

Range Ranges::compute(const Expr& e) {
  const Type t = e.type();
  if (t.is_float()) return {};
  const auto arg = [&](size_t i) { return memo_.at(e->args[i].get()).second; };
  // u64 values above 2^63 have no place in a Range; their arithmetic is unknown.
  if (t.is_uint() && t.bits == 64 && e->op != Op::IntImm) return {};
  switch (e->op) {
    case Op::IntImm: return t.is_uint() && e->i < 0 ? Range{} : Range::point(e->i);
    case Op::Var: return variable(e);
    case Op::Let: return arg(1);
    case Op::Cast: {
      if (e->args[0].type().is_float()) return type_range(t);
      const Range r = arg(0), all = t.is_int() && t.bits == 32 ? Range{INT32_MIN, INT32_MAX} : type_range(t);
      if (t.is_bool()) return {0, 1};
      // i32 → i64 and the like never wrap; i64 → i32 does, and its range is then that of the type.
      const Type from = e->args[0].type();
      if (t.is_int() && (from.bits < t.bits || (from.is_int() && from.bits == t.bits))) return r;
      if (r.has_lo() && r.has_hi() && r.lo >= all.lo && r.hi <= all.hi) return r;
      return type_range(t);
    }
    case Op::Neg: return wrapped(t, negate(arg(0)));
    case Op::Abs: {
      const Range r = arg(0);
      if (r.lo >= 0) return r;
      if (r.hi <= 0) return wrapped(t, negate(r));
      const int64_t m = magnitude(r);
      return wrapped(t, {0, m});
    }
    case Op::Add: return wrapped(t, add(arg(0), arg(1)));
    case Op::Sub: return wrapped(t, add(arg(0), negate(arg(1))));
    case Op::Mul: return wrapped(t, multiply(arg(0), arg(1)));
    case Op::Div: return wrapped(t, divide(arg(0), arg(1)));
    case Op::Mod: return wrapped(t, modulo(arg(0), arg(1)));
    case Op::Min: return {std::min(arg(0).lo, arg(1).lo), std::min(arg(0).hi, arg(1).hi)};
    case Op::Max: return {std::max(arg(0).lo, arg(1).lo), std::max(arg(0).hi, arg(1).hi)};
    case Op::EQ: case Op::NE: case Op::LT: case Op::LE: case Op::GT: case Op::GE: {
      const Type of = e->args[0].type();
      if (of.is_float()) return {0, 1};
      return compare(e->op, arg(0), arg(1));
    }
    case Op::And: return {std::min(arg(0).lo, arg(1).lo), std::min(arg(0).hi, arg(1).hi)};
    case Op::Or: return {std::max(arg(0).lo, arg(1).lo), std::max(arg(0).hi, arg(1).hi)};
    case Op::Not: return {1 - arg(0).hi, 1 - arg(0).lo};
    case Op::BitAnd: case Op::BitOr: case Op::BitXor: return wrapped(t, bitwise(e->op, arg(0), arg(1)));
    case Op::Shr: {
      const Range amount = arg(1), r = arg(0);
      if (!amount.is_point() || amount.lo < 0 || amount.lo >= t.bits) return type_range(t);
      return {r.has_lo() ? r.lo >> amount.lo : Range::kMin, r.has_hi() ? r.hi >> amount.lo : Range::kMax};
    }
    case Op::Select: {
      const Range c = arg(0);
      return c.lo == 1 ? arg(1) : c.hi == 0 ? arg(2) : unite(arg(1), arg(2));
    }
    case Op::Strict: case Op::Broadcast: case Op::Lane: case Op::Shuffle: return arg(0);
    case Op::Ramp: return wrapped(t, add(arg(0), multiply(arg(1), {0, t.lanes - 1})));
    case Op::Concat: {
      Range r = arg(0);
      for (size_t i = 1; i < e->args.size(); ++i) r = unite(r, arg(i));
      return r;
    }
    default: return type_range(t);
  }
}

}  // namespace sinter::ir
