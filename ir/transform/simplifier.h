// The machine behind simplify(): one per call, or one per pass that simplifies many expressions under one scope.
#pragma once

#include "ir/analysis/intern.h"
#include "ir/analysis/linear.h"
#include "ir/analysis/range.h"
#include "ir/transform/rules/match.h"

namespace sinter::ir {

// Works bottom-up on interned nodes: `finish` takes a node whose operands are in normal form and gives the normal form of the node.
// Three kinds of steps: literals fold; index arithmetic (i32, i64 without data, see below) goes through linear forms; the rule table.
//
// Index arithmetic is a sum without loads, calls or floats in it. Its terms are collected and reordered, which keeps the value; that
// partial sums stay in range is part of the overflow obligation, stated on what lowering emits. Where there is no such obligation, in
// the values that a Func stores and in all arithmetic on data, only rules apply: each is proved to introduce no overflow.
class Simplifier {
 public:
  explicit Simplifier(const IntervalScope& scope) : scope_(scope), ranges_(scope), bounds_(scope_, intern_, ranges_) {}
  Simplifier(const Simplifier&) = delete;
  Simplifier& operator=(const Simplifier&) = delete;

  Expr operator()(const Expr& e) { return run(e, kIndex); }
  // The same for a value: sums in it are not reordered, other than in the indices of calls and loads.
  Expr value(const Expr& e) { return run(e, kValue); }

  // Nodes from operands that this object has simplified.
  Expr finish(const Expr& e);
  Expr binary(Op op, const Expr& a, const Expr& b) { return finish(make_binary(op, a, b)); }
  Expr unary(Op op, const Expr& a) { return finish(make_unary(op, a)); }
  Expr select(const Expr& c, const Expr& t, const Expr& f) { return finish(make_select(c, t, f)); }
  Expr cast(Type t, const Expr& a) { return finish(make_cast(t, a)); }
  Expr literal(Type t, int64_t v) { return intern_(make_int(t, v)); }

  Interner& intern() { return intern_; }
  Ranges& ranges() { return ranges_; }
  LinearBounds& bounds() { return bounds_; }
  const IntervalScope& scope() const { return scope_; }

  // a <= b + slack for every value in scope, by ranges and linear bounds.
  bool at_most(const Expr& a, const Expr& b, int64_t slack = 0);

 private:
  enum Mode { kIndex, kValue };
  Expr run(const Expr& e, Mode mode);

  // Each step returns an undefined Expr where it does not apply. simplify.cpp:
  Expr step(const Expr& e);
  Expr fold(const Expr& e);
  Expr by_range(const Expr& e);
  Expr by_rules(const Expr& e);
  Expr instantiate(const Expr& pattern, const Match& match);
  // simplify_index.cpp:
  bool is_index(const Expr& e) const;  // i32 or i64 scalar without data, in index mode
  std::optional<Linear> linear(const Expr& e);
  Expr build(Linear l, Type t);
  Expr index_sum(const Expr& e);
  Expr index_product(const Expr& e);
  Expr index_division(const Expr& e);
  Expr index_compare(const Expr& e);
  Expr index_min_max(const Expr& e);
  std::optional<Linear> join_pair(const std::pair<Expr, int64_t>& a, const std::pair<Expr, int64_t>& b);
  void join_terms(Linear& l);
  // simplify_vector.cpp:
  Expr cast_step(const Expr& e);
  Expr vector_step(const Expr& e);
  Expr ramp_division(const Expr& e);

  const IntervalScope& scope_;
  Interner intern_;
  Ranges ranges_;
  LinearBounds bounds_;
  // By mode: interned node → its normal form; input node → (itself, kept alive; its normal form).
  std::unordered_map<const ExprNode*, Expr> done_[2];
  std::unordered_map<const ExprNode*, std::pair<Expr, Expr>> memo_[2];
  SymMap<Expr> inlined_;  // Lets of trivial values
  Mode mode_ = kIndex;
  int depth_ = 0;
};

}  // namespace sinter::ir
