#include "scheduler/lower/kernel/block_order.h"

#include <algorithm>
#include <numeric>

namespace sinter::scheduler {

using namespace ir;

std::vector<size_t> fastest_first(const std::vector<BlockLoop>& loops) {
  std::vector<size_t> order(loops.size());
  std::iota(order.rbegin(), order.rend(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return loops[a].order < loops[b].order; });
  return order;
}

bool is_grouped(const std::vector<BlockLoop>& loops, const std::vector<size_t>& order, size_t i) { return loops[order[i]].group > 0 && i + 1 < order.size(); }

Regrouped regroup(const Expr& t, const Expr& group, const Expr& extent_v, const Expr& extent_w) {
  const Expr whole = group * extent_w, first = t / whole * group, rest = t % whole, part = min(extent_v - first, group);
  return {first + rest % part, rest / part};
}

Expr regroup_inverse(const Expr& v, const Expr& w, const Expr& group, const Expr& extent_v, const Expr& extent_w) {
  const Expr g = v / group;
  return g * (group * extent_w) + w * min(extent_v - g * group, group) + v % group;
}

}  // namespace sinter::scheduler
