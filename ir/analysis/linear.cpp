#include "ir/analysis/linear.h"

#include "ir/diagnostic.h"

namespace sinter::ir {

namespace {

bool fits(Type t, int64_t v) { return t.bits >= 64 || v == static_cast<int32_t>(v); }

}  // namespace

void LinearBuilder::add_constant(int64_t c) {
  if (__builtin_add_overflow(out_.constant, c, &out_.constant)) overflow_ = true;
}

void LinearBuilder::add_term(const Expr& e, int64_t k) {
  const auto [it, fresh] = where_.try_emplace(e.get(), out_.terms.size());
  if (fresh) {
    out_.terms.emplace_back(e, k);
  } else if (__builtin_add_overflow(out_.terms[it->second].second, k, &out_.terms[it->second].second)) {
    overflow_ = true;
  }
}

void LinearBuilder::add(const Expr& e, int64_t k) {
  if (k == 0) return;
  const Type t = e.type();
  if (!t.traps_on_overflow() || !t.is_scalar() || --budget_ < 0) return add_term(e, k);
  int64_t scaled = 0;
  switch (e->op) {
    case Op::IntImm:
      if (__builtin_mul_overflow(e->i, k, &scaled)) {
        overflow_ = true;
      } else {
        add_constant(scaled);
      }
      return;
    case Op::Add:
      add(e->args[0], k);
      return add(e->args[1], k);
    case Op::Sub:
    case Op::Neg:
      if (k == INT64_MIN) return add_term(e, k);
      if (e->op == Op::Sub) add(e->args[0], k);
      return add(e->args.back(), -k);
    case Op::Mul:
      for (int i = 0; i < 2; ++i)
        if (const int64_t* c = as_int(e->args[i]); c && !__builtin_mul_overflow(*c, k, &scaled)) return add(e->args[1 - i], scaled);
      return add_term(e, k);
    case Op::Cast: {
      const Expr& inner = e->args[0];
      if (!through_casts_ || !inner.type().traps_on_overflow() || t.bits < inner.type().bits) return add_term(e, k);
      LinearBuilder parts(intern_, true);
      parts.budget_ = budget_;
      parts.add(inner, 1);
      const std::optional<Linear> l = parts.take();
      if (!l) return add_term(e, k);
      budget_ = parts.budget_;
      for (const auto& [term, coefficient] : l->terms) {
        if (__builtin_mul_overflow(coefficient, k, &scaled)) overflow_ = true;
        add_term(intern_.unique(make_cast(t, term)), scaled);
      }
      if (__builtin_mul_overflow(l->constant, k, &scaled)) overflow_ = true;
      return add_constant(scaled);
    }
    default: return add_term(e, k);
  }
}

void LinearBuilder::add(const Linear& l, int64_t k) {
  int64_t scaled = 0;
  for (const auto& [term, coefficient] : l.terms) {
    if (__builtin_mul_overflow(coefficient, k, &scaled)) overflow_ = true;
    add_term(term, scaled);
  }
  if (__builtin_mul_overflow(l.constant, k, &scaled)) overflow_ = true;
  add_constant(scaled);
}

std::optional<Linear> LinearBuilder::take() {
  if (overflow_) return std::nullopt;
  std::erase_if(out_.terms, [](const auto& term) { return term.second == 0; });
  return std::move(out_);
}

std::optional<Expr> build_linear(Interner& intern, const Linear& l, Type t) {
  if (!fits(t, l.constant)) return std::nullopt;
  for (const auto& term : l.terms)
    if (!fits(t, term.second)) return std::nullopt;
  const auto literal = [&](int64_t v) { return intern.unique(make_int(t, v)); };
  const auto binary = [&](Op op, const Expr& a, const Expr& b) { return intern.unique(make_binary(op, a, b)); };
  const auto scaled = [&](const Expr& e, int64_t c) { return c == 1 ? e : binary(Op::Mul, e, literal(c)); };

  size_t first = 0;
  while (first < l.terms.size() && l.terms[first].second < 0) ++first;
  int64_t constant = l.constant;
  Expr sum;
  if (first < l.terms.size()) {
    sum = scaled(l.terms[first].first, l.terms[first].second);
  } else if (constant != 0 || l.terms.empty()) {
    sum = literal(constant);
    constant = 0;
  }
  for (size_t i = 0; i < l.terms.size(); ++i) {
    if (i == first) continue;
    const auto& [term, c] = l.terms[i];
    if (!sum.defined()) {
      sum = c == -1 ? intern.unique(make_unary(Op::Neg, term)) : scaled(term, c);
    } else if (c < 0 && c != INT64_MIN && fits(t, -c)) {
      sum = binary(Op::Sub, sum, scaled(term, -c));
    } else {
      sum = binary(Op::Add, sum, scaled(term, c));
    }
  }
  if (constant < 0 && constant != INT64_MIN && fits(t, -constant)) return binary(Op::Sub, sum, literal(-constant));
  if (constant != 0) return binary(Op::Add, sum, literal(constant));
  return sum;
}

Linear linear_form(const Expr& e) {
  Interner intern;
  LinearBuilder sum(intern);
  sum.add(intern(e), 1);
  if (std::optional<Linear> l = sum.take()) return *l;
  return Linear{{{e, 1}}, 0};
}

Expr from_linear(const Linear& l, Type t) {
  Interner intern;
  Linear interned = l;
  for (auto& term : interned.terms) term.first = intern(make_cast(t, term.first));
  const std::optional<Expr> e = build_linear(intern, interned, t);
  internal_check(e.has_value(), "from_linear: a coefficient does not fit the type");
  return *e;
}

}  // namespace sinter::ir
