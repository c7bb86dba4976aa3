// Facts (Bool expressions known to hold) as intervals of their variables.
#pragma once

#include "ir/analysis/interval.h"

namespace sinter::ir {

// What comparisons among `facts` (and below their Ands) say about single variables: from `0 <= x`, `x < n`, `x + 64*b <= w - 1`.
// Each comparison bounds one variable, the last one of it by order of appearance in `facts`: inner variables are bounded by
// outer ones, never the other way round, so that ends do not refer to each other in circles. Facts of other shapes say nothing here.
IntervalScope scope_of_facts(const std::vector<Expr>& facts);

}  // namespace sinter::ir
