#include <algorithm>

#include "ir/analysis/linear.h"
#include "ir/analysis/range.h"
#include "ir/transform/fold.h"

namespace sinter::ir {

namespace {

constexpr int kMaxDepth = 12;

uint64_t hash_linear(const Linear& l) {
  uint64_t h = static_cast<uint64_t>(l.constant) * 0x9e3779b97f4a7c15ull;
  for (const auto& [term, c] : l.terms)
    h = (h ^ reinterpret_cast<uintptr_t>(term.get()) ^ (static_cast<uint64_t>(c) << 20)) * 0xff51afd7ed558ccdull;
  return h;
}

bool same_linear(const Linear& a, const Linear& b) {
  if (a.constant != b.constant || a.terms.size() != b.terms.size()) return false;
  for (size_t i = 0; i < a.terms.size(); ++i)
    if (!a.terms[i].first.same_as(b.terms[i].first) || a.terms[i].second != b.terms[i].second) return false;
  return true;
}

std::optional<Linear> negated(const Linear& l) {
  Linear out = l;
  if (l.constant == INT64_MIN) return std::nullopt;
  out.constant = -l.constant;
  for (auto& term : out.terms) {
    if (term.second == INT64_MIN) return std::nullopt;
    term.second = -term.second;
  }
  return out;
}

// i64(min(a, b)) splits like min(i64(a), i64(b)): casts to wider signed types are monotone and exact.
const Expr& under_cast(const Expr& e) {
  return e->op == Op::Cast && e.type().traps_on_overflow() && e->args[0].type().traps_on_overflow() &&
                 e.type().bits >= e->args[0].type().bits
             ? e->args[0]
             : e;
}

}  // namespace

std::optional<int64_t> LinearBounds::upper(const Linear& l, int budget) {
  budget_ = budget;
  const int64_t best = search(l, 0);
  return best == Range::kMax ? std::nullopt : std::optional<int64_t>(best);
}

std::optional<int64_t> LinearBounds::lower(const Linear& l, int budget) {
  const std::optional<Linear> n = negated(l);
  if (!n) return std::nullopt;
  const std::optional<int64_t> u = upper(*n, budget);
  return u && *u != INT64_MIN ? std::optional<int64_t>(-*u) : std::nullopt;
}

int64_t LinearBounds::direct(const Linear& l) {
  __int128 sum = l.constant;
  for (const auto& [term, c] : l.terms) {
    const Range r = ranges_.of(term);
    if (c > 0 ? !r.has_hi() : !r.has_lo()) return Range::kMax;
    sum += static_cast<__int128>(c) * (c > 0 ? r.hi : r.lo);
    // Guards the sum itself: each product is below 2^126.
    if (sum > (static_cast<__int128>(1) << 100) || sum < -(static_cast<__int128>(1) << 100)) return Range::kMax;
  }
  if (sum >= Range::kMax) return Range::kMax;
  return sum <= Range::kMin ? Range::kMin + 1 : static_cast<int64_t>(sum);
}

// l * scale with one term's expression replaced by `value` (whose coefficient is not scaled).
std::optional<Linear> LinearBounds::replace(const Linear& l, size_t term, const Expr& value, int64_t scale) {
  LinearBuilder sum(intern_);
  const Expr typed = value.type() == l.terms[term].first.type() ? value : intern_(make_cast(l.terms[term].first.type(), value));
  for (size_t i = 0; i < l.terms.size(); ++i) {
    int64_t c = l.terms[i].second;
    if (i == term) {
      sum.add(typed, c);
      continue;
    }
    if (__builtin_mul_overflow(c, scale, &c)) return std::nullopt;
    sum.add(l.terms[i].first, c);
  }
  int64_t constant = 0;
  if (__builtin_mul_overflow(l.constant, scale, &constant)) return std::nullopt;
  sum.add_constant(constant);
  return sum.take();
}

int64_t LinearBounds::search(const Linear& l, int depth) {
  int64_t best = direct(l);
  if (l.terms.empty() || depth > kMaxDepth) return best;
  auto& bucket = memo_[hash_linear(l)];
  for (const auto& [key, value] : bucket)
    if (same_linear(key, l)) return value;
  if (--budget_ < 0) return best;

  const auto with = [&](size_t term, const Expr& value) {
    const std::optional<Linear> r = replace(l, term, value);
    return r ? search(*r, depth + 1) : Range::kMax;
  };
  // Cases that lose nothing come first: the largest of two is one of the two.
  const auto split = [&]() -> bool {
    for (size_t i = 0; i < l.terms.size(); ++i) {
      const auto& [term, c] = l.terms[i];
      const Expr& e = under_cast(term);
      if (e->op == (c > 0 ? Op::Max : Op::Min)) {
        const int64_t first = with(i, e->args[0]);
        best = std::min(best, first == Range::kMax ? first : std::max(first, with(i, e->args[1])));
        return true;
      }
      if (e->op == Op::Select) {
        const int64_t first = with(i, e->args[1]);
        best = std::min(best, first == Range::kMax ? first : std::max(first, with(i, e->args[2])));
        return true;
      }
    }
    return false;
  };
  // Either side bounds a min from above; which one cancels with the rest is found by trying all.
  const auto choose = [&]() -> bool {
    bool any = false;
    for (size_t i = 0; i < l.terms.size(); ++i) {
      const auto& [term, c] = l.terms[i];
      const Expr& e = under_cast(term);
      if (e->op == (c > 0 ? Op::Min : Op::Max)) {
        best = std::min({best, with(i, e->args[0]), with(i, e->args[1])});
        any = true;
      }
    }
    return any;
  };
  // d * (x / d) is in [x - d + 1, x]: d times the whole sum has no division.
  const auto divide = [&]() -> bool {
    if (l.terms.size() == 1) return false;
    for (size_t i = 0; i < l.terms.size(); ++i) {
      const auto& [term, c] = l.terms[i];
      const Expr& e = under_cast(term);
      if (e->op != Op::Div) continue;
      const int64_t* d = as_int(e->args[1]);
      if (!d || *d <= 1 || c == INT64_MIN) continue;
      std::optional<Linear> r = replace(l, i, e->args[0], *d);
      int64_t slack = 0;
      if (!r || (c < 0 && (__builtin_mul_overflow(-c, *d - 1, &slack) || __builtin_add_overflow(r->constant, slack, &r->constant))))
        return true;
      const int64_t scaled = search(*r, depth + 1);
      if (scaled != Range::kMax) best = std::min(best, euclid_div(scaled, *d));
      return true;
    }
    return false;
  };
  // A variable with a symbolic end: put the end in its place, the innermost variable first.
  const auto eliminate = [&]() -> bool {
    size_t pick = l.terms.size();
    for (size_t i = 0; i < l.terms.size(); ++i) {
      const Expr& e = under_cast(l.terms[i].first);
      if (e->op != Op::Var) continue;
      const auto it = scope_.find(e->var.get());
      if (it == scope_.end()) continue;
      const Expr& end = l.terms[i].second > 0 ? it->second.max : it->second.min;
      if (!end.defined() || as_int(end) || uses_var(end, e->var.get())) continue;
      // v comes before w if its end mentions w.
      if (pick == l.terms.size()) {
        pick = i;
        continue;
      }
      const Expr& held = under_cast(l.terms[pick].first);
      if (uses_var(end, held->var.get())) pick = i;
    }
    if (pick == l.terms.size()) return false;
    const Expr& e = under_cast(l.terms[pick].first);
    const Interval& interval = scope_.at(e->var.get());
    best = std::min(best, with(pick, intern_(l.terms[pick].second > 0 ? interval.max : interval.min)));
    return true;
  };
  if (!split() && !choose()) {
    eliminate();
    divide();
  }
  if (budget_ >= 0) memo_[hash_linear(l)].emplace_back(l, best);
  return best;
}

}  // namespace sinter::ir
