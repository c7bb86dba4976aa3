#include "ir/analysis/facts.h"

#include "ir/transform/simplify.h"

namespace sinter::ir {

namespace {

class FactScope {
 public:
  explicit FactScope(const std::vector<Expr>& facts) {
    for (const Expr& f : facts)
      for (const Sym& v : free_vars(f)) order_.try_emplace(v.get(), order_.size());
    for (const Expr& f : facts) add(f);
  }
  IntervalScope take() { return std::move(scope_); }

 private:
  void add(const Expr& f) {
    switch (f->op) {
      case Op::And: add(f->args[0]), add(f->args[1]); return;
      case Op::LT: return at_most(f->args[0], f->args[1], -1);
      case Op::LE: return at_most(f->args[0], f->args[1], 0);
      case Op::GT: return at_most(f->args[1], f->args[0], -1);
      case Op::GE: return at_most(f->args[1], f->args[0], 0);
      case Op::EQ: at_most(f->args[0], f->args[1], 0), at_most(f->args[1], f->args[0], 0); return;
      default: return;
    }
  }

  // a <= b + slack.
  void at_most(const Expr& a, const Expr& b, int64_t slack) {
    if (!a.type().traps_on_overflow() || !a.type().is_scalar()) return;
    Linear l = linear_form(a - b);  // sum <= slack
    Sym last;
    for (const auto& [term, k] : l.terms)
      for (const Sym& v : free_vars(term))
        if (!last || order_.at(v.get()) > order_.at(last.get())) last = v;
    if (!last) return;
    size_t pick = l.terms.size();
    for (size_t i = 0; i < l.terms.size(); ++i) {
      const Expr& term = l.terms[i].first;
      if (term->op == Op::Var && term->var == last) {
        pick = i;
      } else if (uses_var(term, last.get())) {
        return;  // also inside something else
      }
    }
    if (pick == l.terms.size()) return;
    const int64_t k = l.terms[pick].second;
    if (k != 1 && k != -1) return;
    l.terms.erase(l.terms.begin() + static_cast<ptrdiff_t>(pick));
    // k = 1: v <= slack - rest. k = -1: v >= rest - slack.
    if (k == 1) {
      for (auto& term : l.terms) {
        if (term.second == INT64_MIN) return;
        term.second = -term.second;
      }
      if (__builtin_sub_overflow(slack, l.constant, &l.constant)) return;
    } else if (__builtin_sub_overflow(l.constant, slack, &l.constant)) {
      return;
    }
    const Type t = last->type;
    if (make_int(t, l.constant)->i != l.constant) return;
    for (const auto& term : l.terms)
      if (term.first.type() != t || make_int(t, term.second)->i != term.second) return;
    const Expr end = from_linear(l, t);
    Interval& known = scope_[last.get()];
    Expr& side = k == 1 ? known.max : known.min;
    side = !side.defined() ? end : k == 1 ? min(side, end) : max(side, end);
  }

  SymMap<size_t> order_;
  IntervalScope scope_;
};

}  // namespace

IntervalScope scope_of_facts(const std::vector<Expr>& facts) { return FactScope(facts).take(); }

}  // namespace sinter::ir
