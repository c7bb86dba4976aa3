#include "scheduler/prove/invert_map.h"

#include <algorithm>

#include "ir/text/print.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

bool MapInverter::fail(const std::string& why) {
  reason_ = why;
  return false;
}

bool MapInverter::uses_loops(const Expr& e) const {
  return std::any_of(nest_.begin(), nest_.end(), [&](const ForStmt* l) { return uses_var(e, l->var.get()); });
}

const ForStmt* MapInverter::loop_of(const Expr& e) const {
  if (e->op != Op::Var) return nullptr;
  for (const ForStmt* l : nest_)
    if (l->var == e->var) return l;
  return nullptr;
}

Expr MapInverter::evaluate(const Expr& e) const {
  const Expr known = rewrite(e, [&](const Expr& n) {
    for (const auto& [term, value] : out_.known)
      if (n->op == term->op && equal_structure(n, term)) return value;
    return n;
  });
  return simplify(substitute(known, out_.value));
}

bool MapInverter::found(const Expr& e) const {
  return std::all_of(nest_.begin(), nest_.end(), [&](const ForStmt* l) { return out_.value.count(l->var.get()) || !uses_var(e, l->var.get()); });
}

// (u / d + w) / a with d times w whole is (u + d w) / (d a): all parts of one fused loop are to name the same base.
MapInverter::Part MapInverter::part(const Expr& e) const {
  Part p{e, {}, {}, {}};
  const auto literal = [](const Expr& x) { return x.defined() ? as_int(x) : nullptr; };
  for (bool more = true; more;) {
    more = false;
    if (p.base->op == Op::Div && !uses_loops(p.base->args[1])) {
      p.low = p.low.defined() ? simplify(p.base->args[1] * p.low) : p.base->args[1];
      p.base = p.base->args[0];
      more = true;
    } else if (p.base->op == Op::Mod && !uses_loops(p.base->args[1])) {
      const int64_t *m = literal(p.base->args[1]), *low = literal(p.low), *inner = literal(p.modulus);
      if (!p.low.defined() && !p.modulus.defined()) {
        p.modulus = p.base->args[1];
      } else if (m && (!p.low.defined() || low) && *m % ((low ? *low : 1) * (inner ? *inner : 1)) == 0 && (!p.modulus.defined() || inner)) {
        if (!inner) p.modulus = i32(*m / *low);  // (v % ab) / a is (v / a) % b, and (v % ab) % a is v % a
      } else {
        break;
      }
      p.base = p.base->args[0];
      more = true;
    } else if (p.low.defined() || p.modulus.defined()) {
      Linear l = linear_form(p.base);
      const auto quotient = std::find_if(l.terms.begin(), l.terms.end(), [&](const auto& t) {
        return t.second == 1 && t.first->op == Op::Div && literal(t.first->args[1]) && uses_loops(t.first);
      });
      if (l.terms.size() < 2 || quotient == l.terms.end()) break;
      const Expr u = quotient->first->args[0];
      const int64_t d = *literal(quotient->first->args[1]);
      l.terms.erase(quotient);
      p.base = simplify(u + from_linear(l) * d);
      p.low = p.low.defined() ? simplify(p.low * d) : i32(d);
      more = true;
    }
  }
  return p;
}

// `e` has `value`; e is a term of a coordinate: a loop, or a part of something fused.
bool MapInverter::term(const Expr& e, const Expr& value) {
  if (const ForStmt* l = loop_of(e)) {
    out_.value.try_emplace(l->var.get(), value);
    return true;
  }
  Part p = part(e);
  if (!p.low.defined() && !p.modulus.defined()) return fail("`" + to_string(e) + "` is not recognised as a split of its loops");
  p.value = value;
  out_.known.emplace_back(e, value);
  for (Fused& f : fused_)
    if (equal_structure(f.base, p.base)) {
      f.parts.push_back(std::move(p));
      return true;
    }
  fused_.push_back({p.base, {p}});
  return true;
}

bool MapInverter::equation(const Expr& e, const Expr& value) {
  const Linear l = linear_form(simplify(e));
  if (l.terms.size() == 1 && l.terms[0].second == 1 && l.constant == 0 && l.terms[0].first->op != Op::Min) return !uses_loops(l.terms[0].first) || term(l.terms[0].first, value);
  struct Digit {
    Expr term;
    int64_t stride;
    Expr whole;  // of a clipped start: what its digits add up to
    Expr clip;
    int64_t least = 1;  // the least stride in `whole`
  };
  std::vector<Digit> digits;
  Expr rest = value - make_int(value.type(), l.constant);
  for (const auto& [t, c] : l.terms) {
    if (!uses_loops(t)) {
      rest = rest - t * c;
      continue;
    }
    if (c < 0) return fail("`" + to_string(e) + "` runs backwards");
    if (t->op == Op::Min && uses_loops(t->args[0]) != uses_loops(t->args[1])) {
      const bool second = uses_loops(t->args[1]);
      int64_t least = 0;
      for (const auto& [u, cu] : linear_form(t->args[second]).terms)
        if (uses_loops(u)) least = least ? std::min(least, cu) : cu;
      if (least < 1) return fail("`" + to_string(e) + "` runs backwards");
      digits.push_back({t, c * least, t->args[second], t->args[!second], least});
      continue;
    }
    digits.push_back({t, c, {}, {}, 1});
  }
  // Loops that start elsewhere than at 0.
  const auto first_of = [&](const Digit& d) {
    const ForStmt* l = loop_of(d.term);
    const Expr min = l ? outer_.resolve(l->min) : i32(0);
    return uses_loops(min) ? i32(0) : min;
  };
  std::stable_sort(digits.begin(), digits.end(), [](const Digit& a, const Digit& b) { return a.stride > b.stride; });
  std::vector<Expr> below(digits.size());  // what the digits behind this one add to the least
  Expr offset = i32(0), sum = i32(0);
  for (size_t i = digits.size(); i-- > 0;) {
    below[i] = sum;
    sum = sum + (digits[i].term - first_of(digits[i])) * (digits[i].stride / digits[i].least);
    offset = offset + first_of(digits[i]) * digits[i].stride;
  }
  rest = simplify(rest - offset);
  for (size_t i = 0; i < digits.size(); ++i) {
    const Digit& d = digits[i];
    const Expr stride = make_int(rest.type(), d.stride), first = first_of(d);
    const bool last = i + 1 == digits.size();
    if (d.whole.defined()) {
      out_.apart.reset();
      if (!equation(d.whole, simplify(rest / stride * d.least))) return false;
      rest = simplify(rest - min(evaluate(d.whole), d.clip) * (d.stride / d.least));
      continue;
    }
    if (found(d.term)) {  // of another coordinate too
      rest = simplify(rest - (evaluate(d.term) - first) * d.stride);
      continue;
    }
    if (out_.apart && !last) out_.apart->push_back(simplify(below[i]) < stride && simplify(below[i]) >= i32(0));
    Expr quotient = d.stride == 1 && last ? rest : simplify(rest / stride), remainder = simplify(rest % stride);
    if (const ForStmt* l = loop_of(d.term); l && !last) {
      // Parts that overlap: the last one takes what is left.
      const Expr end = simplify(outer_.resolve(l->extent) - 1);
      if (!uses_loops(end) && !can_(quotient <= end)) {
        quotient = simplify(min(quotient, end));
        remainder = simplify(rest - quotient * stride);
      }
    }
    if (!term(d.term, simplify(quotient + first))) return false;
    rest = remainder;
  }
  return true;
}

namespace {

// a / c + 1 as (a + c) / c: the way extents of split loops are written.
Expr one_more(const Expr& e) {
  if (e->op == Op::Div && as_int(e->args[1])) return simplify((e->args[0] + e->args[1]) / e->args[1]);
  return simplify(e + 1);
}

}  // namespace

// The sum of the parts, each times the moduli below it. Of a run-time modulus it stands as a variable of which quotient and remainder
// are known, which is the lemma of fuse: no solver has to divide by a size.
Expr MapInverter::joined(const std::vector<Part>& parts) {
  std::vector<Expr> from(parts.size());  // the sum of the parts from here on
  for (size_t i = parts.size(); i-- > 0;) {
    const Part& p = parts[i];
    if (!p.modulus.defined()) {
      from[i] = p.value;
      continue;
    }
    const Expr above = i + 1 < parts.size() ? from[i + 1] : i32(0);
    if (as_int(p.modulus)) {
      from[i] = simplify(above * p.modulus + p.value);
      continue;
    }
    must_(p.value >= i32(0) && p.value < p.modulus && above >= i32(0));
    const Sym sum = make_sym(parts[0].base->op == Op::Var ? parts[0].base->var->name : "fused");
    const Expr most = bounds_of(above, ranges_).max;
    const Expr last = most.defined() ? simplify(one_more(most) * p.modulus - 1) : Expr();
    point_.set_range(sum, i32(0), last);
    ranges_[sum.get()] = {i32(0), last};
    point_.add_fused(sum, p.modulus, above, p.value);
    Expr low = p.modulus;  // s / (a b) for (s / a) / b
    for (size_t j = i + 1; j + 1 < parts.size() && parts[j].modulus.defined(); ++j) {
      must_(parts[j].value >= i32(0) && parts[j].value < parts[j].modulus);
      low = simplify(low * parts[j].modulus);
      point_.add_fused(sum, low, from[j + 1], {});
    }
    out_.sums.push_back(equal(make_var(sum), above * p.modulus + p.value));
    from[i] = make_var(sum);
  }
  return from[0];
}

bool MapInverter::put_together(Fused f) {
  std::vector<Part> chain;
  Expr low;
  for (bool top = false; !top;) {
    const auto next = std::find_if(f.parts.begin(), f.parts.end(), [&](const Part& p) {
      return low.defined() ? p.low.defined() && equal_structure(simplify(p.low), low) : !p.low.defined();
    });
    if (next == f.parts.end()) break;
    top = !next->modulus.defined();
    if (!top) low = simplify(low.defined() ? low * next->modulus : next->modulus);
    chain.push_back(*next);
  }
  const bool whole = !chain.empty() && !chain.back().modulus.defined();
  if (!whole || chain.size() != f.parts.size()) {
    out_.apart.reset();  // some part is used nowhere: its first value computes the point as well as any
    if (chain.empty()) {
      // Only higher parts: the lower ones are 0.
      const auto lowest = std::min_element(f.parts.begin(), f.parts.end(), [](const Part& a, const Part& b) {
        return (a.low.defined() && as_int(a.low) ? *as_int(a.low) : 1) < (b.low.defined() && as_int(b.low) ? *as_int(b.low) : 1);
      });
      return equation(f.base, simplify(lowest->value * lowest->low));
    }
  }
  const Expr value = joined(chain);
  out_.known.emplace_back(f.base, value);
  return equation(f.base, value);
}

std::optional<LoopValues> MapInverter::invert(const std::vector<Expr>& coord, const std::vector<Expr>& at, std::string& reason) {
  for (const Expr& x : at)
    for (const Sym& v : free_vars(x))
      if (const auto range = point_.scope().find(v.get()); range != point_.scope().end()) ranges_[v.get()] = range->second;
  for (size_t k = 0; k < coord.size(); ++k)
    if (!equation(coord[k], at[k])) {
      reason = reason_;
      return std::nullopt;
    }
  while (!fused_.empty()) {
    // One that is no part of another: its own parts are all known.
    size_t pick = 0;
    for (size_t i = 0; i < fused_.size(); ++i) {
      bool inside = false;
      for (size_t j = 0; j < fused_.size(); ++j) {
        if (i == j) continue;
        walk(fused_[j].base, [&](const Expr& n) {
          if (n->op == Op::Div || n->op == Op::Mod) inside = inside || equal_structure(part(n).base, fused_[i].base);
        });
      }
      if (!inside) {
        pick = i;
        break;
      }
    }
    Fused f = std::move(fused_[pick]);
    fused_.erase(fused_.begin() + static_cast<int64_t>(pick));
    if (!put_together(std::move(f))) {
      reason = reason_;
      return std::nullopt;
    }
  }
  // Loops that no coordinate uses repeat every point; the first iteration will do.
  for (const ForStmt* l : nest_)
    if (!out_.value.count(l->var.get())) {
      out_.value[l->var.get()] = simplify(substitute(outer_.resolve(l->min), out_.value));
      if (out_.apart) out_.apart->push_back(outer_.resolve(l->extent) <= i32(1));
    }
  return std::move(out_);
}

}  // namespace sinter::scheduler
