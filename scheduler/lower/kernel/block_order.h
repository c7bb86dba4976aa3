// In which order the blocks of a grid run over its loops.
//
// The linear index of a block is a number whose digits are the block loops, the fastest first. Where a loop v is grouped by n, it and the
// next loop w make one digit, which is regrouped: n consecutive v for each w, then the next n. Both steps are bijections of their own:
// a change of digits, and regroup(), whose lemma is proved in tests/rules.
#pragma once

#include <utility>
#include <vector>

#include "ir/kernel_draft.h"

namespace sinter::scheduler {

// Indices into `loops` (which are outermost first), fastest first.
std::vector<size_t> fastest_first(const std::vector<ir::BlockLoop>& loops);
// True where the loop at position `i` of that order is grouped: the last one has nothing to be repeated for.
bool is_grouped(const std::vector<ir::BlockLoop>& loops, const std::vector<size_t>& order, size_t i);

struct Regrouped {
  ir::Expr v, w;
};
// From t in [0, extent_v * extent_w) to the two loops. The last group has what is left of v. All of one integer type that holds t.
Regrouped regroup(const ir::Expr& t, const ir::Expr& group, const ir::Expr& extent_v, const ir::Expr& extent_w);
// The t that regroup() takes to (v, w).
ir::Expr regroup_inverse(const ir::Expr& v, const ir::Expr& w, const ir::Expr& group, const ir::Expr& extent_v, const ir::Expr& extent_w);

}  // namespace sinter::scheduler
