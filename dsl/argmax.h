// Where the largest or smallest value of a reduction domain is, and which it is.
//
// The result has the point, an i32 for each RVar, then the value: argmax(r, e)[0] is the coordinate for a domain of one dimension. Of
// equal values the first counts, in the order of the domain (first variable innermost); a NaN counts as larger and smaller than all, so
// the first NaN is found, as the value of maximum and minimum is NaN then. Over nothing: 2147483647 for each RVar, and the value of
// maximum or minimum.
//
// They are made of two reductions: maximum or minimum of `e`, and the least position where `e` has that value. So each is shared among
// threads as other reductions are, and reachable as f.reduction(i). Both see the same values of `e`, since arithmetic in it is strict
// here; where that costs too much, give `e` a Func that is computed at root.
#pragma once

#include <vector>

#include "dsl/var.h"

namespace sinter {

// Several values.
class Tuple {
 public:
  explicit Tuple(std::vector<Expr> values) : values_(std::move(values)) {}
  size_t size() const { return values_.size(); }
  const Expr& operator[](size_t i) const { return values_.at(i); }

 private:
  std::vector<Expr> values_;
};

Tuple argmax(const RDom& r, const Operand& e, Loc loc = Loc::here());
Tuple argmin(const RDom& r, const Operand& e, Loc loc = Loc::here());

}  // namespace sinter
