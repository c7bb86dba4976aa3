// The order of a grid's blocks: what decode_blocks makes of an index is what loops in that order would have come to, from wherever a launch starts.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "ir/eval/flat.h"
#include "scheduler/lower/kernel/block_order.h"
#include "scheduler/lower/kernel/decode_blocks.h"

namespace sinter::scheduler {
namespace {

using namespace ir;

struct Loop {
  int extent, order, group;
};

KernelDraft draft_of(const std::vector<Loop>& loops, bool fast) {
  KernelDraft k;
  k.fast = fast;
  Expr body = i32(0);
  for (size_t i = 0; i < loops.size(); ++i) {
    const Sym v = make_sym("v" + std::to_string(i));
    k.block_loops.push_back({v, i32(0), i32(loops[i].extent), loops[i].order, loops[i].group});
    k.start.push_back(make_sym("start" + std::to_string(i)));
    body = body + make_var(v);
  }
  k.body = std::make_shared<ProvideStmt>(0, 0, std::vector<Expr>{}, body);
  decode_blocks(k);
  return k;
}

// The blocks as nested loops come to them.
std::vector<std::vector<int64_t>> enumerate(const std::vector<Loop>& loops) {
  std::vector<size_t> order(loops.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return loops[a].order < loops[b].order; });
  std::vector<std::vector<int64_t>> out;
  std::vector<int64_t> at(loops.size());
  const std::function<void(size_t)> go = [&](size_t rest) {
    if (rest == 0) return out.push_back(at);
    const size_t d = order[rest - 1];
    if (rest >= 2 && loops[order[rest - 2]].group > 0) {
      const size_t v = order[rest - 2];
      for (int first = 0; first < loops[v].extent; first += loops[v].group)
        for (at[d] = 0; at[d] < loops[d].extent; ++at[d])
          for (at[v] = first; at[v] < std::min(first + loops[v].group, loops[v].extent); ++at[v]) go(rest - 2);
      return;
    }
    for (at[d] = 0; at[d] < loops[d].extent; ++at[d]) go(rest - 1);
  };
  go(loops.size());
  return out;
}

std::vector<int64_t> decoded(const KernelDraft& k, int64_t block, SymMap<Scalar> env) {
  env[k.block.get()] = Scalar::of_int(Int(32), block);
  for (Stmt s = k.body; const auto* l = as<LetStmt>(s); s = l->body) env[l->var.get()] = evaluate(l->value, env);
  std::vector<int64_t> out;
  for (const Sym& c : k.coordinates) out.push_back(env.at(c.get()).as_int());
  return out;
}

const std::vector<std::vector<Loop>> grids = {
    {{5, 0, 0}, {7, 0, 0}},                       // as nested
    {{5, 1, 0}, {7, 2, 0}},                       // the other way round
    {{7, 1, 3}, {4, 2, 0}},                       // groups, the last one smaller
    {{7, 1, 7}, {4, 2, 0}},                       // one group
    {{3, 1, 8}, {4, 2, 0}},                       // a group that is larger than the loop
    {{3, 3, 0}, {7, 1, 2}, {4, 2, 0}},            // a loop behind the groups
    {{7, 2, 2}, {4, 3, 0}, {3, 1, 0}},            // and one before them
    {{5, 3, 2}, {4, 4, 0}, {3, 1, 2}, {2, 2, 0}}, // two pairs
};

TEST(BlockOrder, FollowsTheLoops) {
  for (const auto& loops : grids) {
    const KernelDraft k = draft_of(loops, true);
    const auto expected = enumerate(loops);
    for (size_t b = 0; b < expected.size(); ++b) ASSERT_EQ(decoded(k, static_cast<int64_t>(b), {}), expected[b]) << "block " << b;
  }
}

// The general version, started anywhere: the host splits the first block into digits as choose_version does.
TEST(BlockOrder, CarriesWhereALaunchStarts) {
  for (const auto& loops : grids) {
    const KernelDraft k = draft_of(loops, false);
    const auto expected = enumerate(loops);
    for (size_t first = 0; first < expected.size(); ++first) {
      SymMap<Scalar> env;
      int64_t rest = static_cast<int64_t>(first);
      for (const size_t d : fastest_first(k.block_loops)) {
        env[k.start[d].get()] = Scalar::of_int(Int(32), rest % loops[d].extent);
        rest /= loops[d].extent;
      }
      for (size_t b = first; b < expected.size(); ++b) ASSERT_EQ(decoded(k, static_cast<int64_t>(b - first), env), expected[b]) << "block " << b << " from " << first;
    }
  }
}

// More blocks than an i32 counts: the pair of a group is put together in 64 bits.
TEST(BlockOrder, GroupsOfAHugeGrid) {
  constexpr int64_t kV = 70000, kW = 70001, kGroup = 8, kMax = kMaxGrid;
  const KernelDraft k = draft_of({{kV, 1, kGroup}, {kW, 2, 0}}, false);
  for (const int64_t pass : {0, 1, 2})
    for (const int64_t block : {int64_t{0}, int64_t{12345678}, std::min(kMax, kV * kW - pass * kMax) - 1}) {
      const int64_t t = pass * kMax + block, group = t / (kGroup * kW), within = t % (kGroup * kW);
      SymMap<Scalar> env;
      env[k.start[0].get()] = Scalar::of_int(Int(32), pass * kMax % kV);
      env[k.start[1].get()] = Scalar::of_int(Int(32), pass * kMax / kV);
      EXPECT_EQ(decoded(k, block, env), (std::vector<int64_t>{group * kGroup + within % kGroup, within / kGroup})) << pass << " " << block;
    }
}

}  // namespace
}  // namespace sinter::scheduler
