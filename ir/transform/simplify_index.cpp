// Index arithmetic through linear forms. Each step mirrors rules of the table, for sums of any length.
#include <numeric>

#include "ir/transform/fold.h"
#include "ir/transform/simplifier.h"

namespace sinter::ir {

bool Simplifier::is_index(const Expr& e) const {
  return mode_ == kIndex && e.type().traps_on_overflow() && e.type().is_scalar() && !intern_.is_data(e);
}

std::optional<Linear> Simplifier::linear(const Expr& e) {
  LinearBuilder sum(intern_, false);
  sum.add(e, 1);
  return sum.take();
}

// The sum in normal form; undefined where a literal does not fit. Partial sums are normal forms already.
Expr Simplifier::build(Linear l, Type t) {
  join_terms(l);
  const std::optional<Expr> e = build_linear(intern_, l, t);
  if (!e) return {};
  Expr part = *e;
  while (done_[mode_].try_emplace(part.get(), part).second && (part->op == Op::Add || part->op == Op::Sub)) part = part->args[0];
  return *e;
}

namespace {

bool is_literal_division(const Expr& e, Op op) {
  if (e->op != op) return false;
  const int64_t* c = as_int(e->args[1]);
  return c && *c > 0;
}

}  // namespace

// Two terms that are one:
//   k*c * (x / c) + k * (x % c) = k * x          k * x - k*c * (x / c) = k * (x % c)
//   k * x - k * (x % c) = k*c * (x / c)          k * min(x, y) + k * max(x, y) = k * x + k * y
std::optional<Linear> Simplifier::join_pair(const std::pair<Expr, int64_t>& a, const std::pair<Expr, int64_t>& b) {
  const auto& [e, k] = a;
  const auto& [f, m] = b;
  LinearBuilder sum(intern_, false);
  if (e->op == Op::Min && f->op == Op::Max && k == m) {
    const bool same = e->args[0].same_as(f->args[0]) && e->args[1].same_as(f->args[1]);
    const bool crossed = e->args[0].same_as(f->args[1]) && e->args[1].same_as(f->args[0]);
    if (!same && !crossed) return std::nullopt;
    sum.add(e->args[0], k);
    sum.add(e->args[1], k);
    return sum.take();
  }
  if (is_literal_division(e, Op::Div)) {
    const int64_t c = e->args[1]->i;
    if (k % c != 0) return std::nullopt;
    if (f->op == Op::Mod && m == k / c && f->args[0].same_as(e->args[0]) && f->args[1].same_as(e->args[1])) {
      sum.add(e->args[0], m);
      return sum.take();
    }
    if (f.same_as(e->args[0]) && m == -(k / c)) {
      sum.add(binary(Op::Mod, f, e->args[1]), m);
      return sum.take();
    }
  }
  if (is_literal_division(e, Op::Mod) && f.same_as(e->args[0]) && m != INT64_MIN && k == -m) {
    int64_t scaled = 0;
    if (__builtin_mul_overflow(m, e->args[1]->i, &scaled)) return std::nullopt;
    sum.add(binary(Op::Div, f, e->args[1]), scaled);
    return sum.take();
  }
  return std::nullopt;
}

void Simplifier::join_terms(Linear& l) {
  for (size_t i = 0; i < l.terms.size(); ++i) {
    const Op op = l.terms[i].first->op;
    if (op != Op::Div && op != Op::Mod && op != Op::Min) continue;
    for (size_t j = 0; j < l.terms.size(); ++j) {
      const std::optional<Linear> pair = i == j ? std::nullopt : join_pair(l.terms[i], l.terms[j]);
      if (!pair) continue;
      LinearBuilder sum(intern_, false);
      for (size_t n = 0; n < l.terms.size(); ++n) {
        if (n == std::min(i, j)) sum.add(*pair, 1);
        if (n != i && n != j) sum.add(l.terms[n].first, l.terms[n].second);
      }
      sum.add_constant(l.constant);
      std::optional<Linear> joined = sum.take();
      if (!joined) return;
      l = std::move(*joined);
      return join_terms(l);
    }
  }
}

Expr Simplifier::index_sum(const Expr& e) {
  if (!is_index(e)) return {};
  const std::optional<Linear> l = linear(e);
  if (!l) return {};
  return build(*l, e.type());
}

Expr Simplifier::index_product(const Expr& e) {
  if (!is_index(e)) return {};
  if (as_int(e->args[0]) || as_int(e->args[1])) return index_sum(e);
  // Literal factors of both sides go outside: (x * 4) * y is (x * y) * 4.
  const std::optional<Linear> a = linear(e->args[0]), b = linear(e->args[1]);
  if (!a || !b || a->constant != 0 || b->constant != 0 || a->terms.size() != 1 || b->terms.size() != 1) return {};
  int64_t k = 0;
  if (__builtin_mul_overflow(a->terms[0].second, b->terms[0].second, &k) || k == 1) return {};
  return build(Linear{{{binary(Op::Mul, a->terms[0].first, b->terms[0].first), k}}, 0}, e.type());
}

Expr Simplifier::index_division(const Expr& e) {
  const int64_t* c = as_int(e->args[1]);
  if (!c || *c <= 0 || !is_index(e)) return {};
  const std::optional<Linear> l = linear(e->args[0]);
  if (!l) return {};
  const Type t = e.type();
  const bool quotient = e->op == Op::Div;

  // Multiples of c go: whole + rest. The literal's rest keeps its sign, so that its magnitude only shrinks.
  Linear whole, rest;
  for (const auto& [term, k] : l->terms) (k % *c == 0 ? whole : rest).terms.emplace_back(term, k % *c == 0 ? k / *c : k);
  whole.constant = l->constant / *c;
  rest.constant = l->constant % *c;

  // What is left may lie between two multiples.
  LinearBuilder remaining(intern_);
  remaining.add(rest, 1);
  if (const std::optional<Linear> r = remaining.take()) {
    const std::optional<int64_t> lo = bounds_.lower(*r, 24), hi = lo ? bounds_.upper(*r, 24) : std::nullopt;
    if (lo && hi && euclid_div(*lo, *c) == euclid_div(*hi, *c)) {
      const int64_t q = euclid_div(*lo, *c);
      Linear& out = quotient ? whole : rest;
      int64_t shift = 0;
      if (!__builtin_mul_overflow(q, quotient ? 1 : -*c, &shift) && !__builtin_add_overflow(out.constant, shift, &out.constant))
        return build(out, t);
    }
  }

  // A divisor shared by the literal c and all coefficients.
  int64_t g = *c;
  for (const auto& term : rest.terms) g = std::gcd(g, term.second);
  if (g > 1 && !rest.terms.empty() && (quotient || rest.constant % g == 0)) {
    for (auto& term : rest.terms) term.second /= g;
    rest.constant = euclid_div(rest.constant, g);
    const Expr part = build(rest, t);
    if (!part.defined()) return {};
    const Expr reduced = binary(e->op, part, literal(t, *c / g));
    if (!quotient) return build(Linear{{{reduced, g}}, 0}, t);
    LinearBuilder sum(intern_, false);
    sum.add(whole, 1);
    sum.add(reduced, 1);
    const std::optional<Linear> total = sum.take();
    return total ? build(*total, t) : Expr();
  }
  if (whole.terms.empty() && whole.constant == 0) return {};
  const Expr part = build(rest, t);
  if (!part.defined()) return {};
  const Expr reduced = binary(e->op, part, literal(t, *c));
  if (!quotient) return reduced;
  LinearBuilder sum(intern_, false);
  sum.add(whole, 1);
  sum.add(reduced, 1);
  const std::optional<Linear> total = sum.take();
  return total ? build(*total, t) : Expr();
}

namespace {

// Takes from both sums what they share, towards zero: what stays on a side is a part of what was there.
void cancel(Linear& a, Linear& b) {
  const auto shared = [](int64_t x, int64_t y) -> int64_t {
    if ((x < 0) != (y < 0)) return 0;
    return x < 0 ? std::max(x, y) : std::min(x, y);
  };
  for (auto& [term, k] : a.terms)
    for (auto& [other, m] : b.terms)
      if (other.same_as(term)) {
        const int64_t s = shared(k, m);
        k -= s;
        m -= s;
      }
  const int64_t s = shared(a.constant, b.constant);
  a.constant -= s;
  b.constant -= s;
  std::erase_if(a.terms, [](const auto& t) { return t.second == 0; });
  std::erase_if(b.terms, [](const auto& t) { return t.second == 0; });
}

int64_t common_divisor(const Linear& l, int64_t g) {
  for (const auto& term : l.terms) g = std::gcd(g, term.second);
  return g;
}

void divide(Linear& l, int64_t g) {
  for (auto& term : l.terms) term.second /= g;
  l.constant /= g;
}

}  // namespace

Expr Simplifier::index_compare(const Expr& e) {
  if (!is_index(e->args[0]) || !is_index(e->args[1])) return {};
  const std::optional<Linear> la = linear(e->args[0]), lb = linear(e->args[1]);
  if (!la || !lb) return {};
  Linear a = *la, b = *lb;
  cancel(a, b);
  const Type t = e->args[0].type();

  // Decided by ranges?
  LinearBuilder difference(intern_);
  difference.add(a, 1);
  difference.add(b, -1);
  const std::optional<Linear> d = difference.take();
  if (!d) return {};
  const std::optional<int64_t> hi = bounds_.upper(*d, 24), lo = bounds_.lower(*d, 24);
  const bool equality = e->op == Op::EQ || e->op == Op::NE;
  if (equality) {
    const bool is_eq = e->op == Op::EQ;
    if ((hi && *hi < 0) || (lo && *lo > 0)) return literal(Bool(), !is_eq);
    if (hi && lo && *hi == 0 && *lo == 0) return literal(Bool(), is_eq);
  } else {
    const int64_t limit = e->op == Op::LT ? -1 : 0;  // a < b: a - b <= -1
    if (hi && *hi <= limit) return literal(Bool(), 1);
    if (lo && *lo > limit) return literal(Bool(), 0);
  }

  // A common divisor of all coefficients leaves; where one side is a literal, that side rounds.
  const int64_t g = common_divisor(b, common_divisor(a, 0));
  if (g > 1) {
    if (a.constant % g == 0 && b.constant % g == 0) {
      divide(a, g);
      divide(b, g);
    } else if (b.terms.empty() && a.constant == 0) {
      if (equality) return literal(Bool(), e->op == Op::NE);
      b.constant = euclid_div(b.constant, g) + (e->op == Op::LT ? 1 : 0);  // g s < c: s < ceil(c / g), as g does not divide c
      divide(a, g);
    } else if (a.terms.empty() && b.constant == 0) {
      if (equality) return literal(Bool(), e->op == Op::NE);
      a.constant = euclid_div(a.constant, g) + (e->op == Op::LE ? 1 : 0);
      divide(b, g);
    }
  }
  const Expr left = build(a, t), right = build(b, t);
  if (!left.defined() || !right.defined() || (left.same_as(e->args[0]) && right.same_as(e->args[1]))) return {};
  return finish(with_args(e, {left, right}));
}

Expr Simplifier::index_min_max(const Expr& e) {
  if (!is_index(e)) return {};
  // A flat list of operands; one that another dominates goes.
  const Op op = e->op;
  std::vector<Expr> flat, todo{e};
  while (!todo.empty()) {
    const Expr next = todo.back();
    todo.pop_back();
    if (next->op == op && flat.size() + todo.size() < 8) {
      todo.push_back(next->args[1]);
      todo.push_back(next->args[0]);
    } else {
      flat.push_back(next);
    }
  }
  std::vector<Expr> kept;
  for (const Expr& candidate : flat) {
    const auto beats = [&](const Expr& a, const Expr& b) { return op == Op::Min ? at_most(a, b) : at_most(b, a); };
    bool needed = true;
    for (const Expr& other : kept) needed = needed && !beats(other, candidate);
    if (!needed) continue;
    std::erase_if(kept, [&](const Expr& other) { return beats(candidate, other); });
    kept.push_back(candidate);
  }
  if (kept.size() == flat.size()) return {};
  Expr out = kept[0];
  for (size_t i = 1; i < kept.size(); ++i) out = binary(op, out, kept[i]);
  return out;
}

}  // namespace sinter::ir
