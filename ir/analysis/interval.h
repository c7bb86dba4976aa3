// Symbolic intervals of integer expressions.
#pragma once

#include <optional>

#include "ir/analysis/visit.h"
#include "ir/expr.h"

namespace sinter::ir {

// [min, max], both inclusive; an undefined end is unbounded.
struct Interval {
  Expr min, max;
  bool is_point() const { return min.defined() && min.same_as(max); }
};
using IntervalScope = SymMap<Interval>;

Interval interval_union(const Interval& a, const Interval& b);
Interval interval_intersection(const Interval& a, const Interval& b);

// The values `e` takes while each variable in `scope` ranges over its interval; other variables are symbolic constants. Ends are
// simplified expressions without the variables of `scope`. Exact for affine forms, min, max, clamp, select, / and % by positive
// constants where that is cheap; otherwise sound. Let-bound variables are followed. Data-dependent values (Call, Load) take the
// range of their type for 8 and 16 bit integers (also through casts and clamps), else unbounded.
Interval bounds_of(const Expr& e, const IntervalScope& scope);

// A constant c with e <= c (or e >= c) for all values of the variables, `scope` giving ranges for some; nullopt where none is found.
// Knows that clamp, min and max are 1-Lipschitz: min(a + 65, w) - min(a, w) <= 65.
std::optional<int64_t> constant_upper_bound(const Expr& e, const IntervalScope& scope = {});
std::optional<int64_t> constant_lower_bound(const Expr& e, const IntervalScope& scope = {});

// The largest m such that e is known to be a multiple of m ("modulus" facts for variables: e.g. strides in the fast version).
// 0 means e is the constant 0.
int64_t known_multiple(const Expr& e, const SymMap<int64_t>& multiples = {});

// e as sum(coefficient * term) + constant over i32/i64 index arithmetic; terms are non-affine sub-expressions or variables, in order
// of first appearance. Always succeeds (a single opaque term at worst).
struct Linear {
  std::vector<std::pair<Expr, int64_t>> terms;  // coefficient != 0, terms structurally distinct
  int64_t constant = 0;
};
Linear linear_form(const Expr& e);
Expr from_linear(const Linear& l, Type t = Int(32));

}  // namespace sinter::ir
