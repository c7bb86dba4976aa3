// The map that puts the blocks of a grid in groups is a bijection for any extents and group: its lemma, proved by Z3 in stages (proofs.md 1).
#include <gtest/gtest.h>

#include "ir/transform/simplify.h"
#include "scheduler/lower/kernel/block_order.h"
#include "scheduler/prove/z3_prover.h"

namespace sinter {
namespace {

using namespace ir;

struct GroupedOrder : ::testing::Test {
  const Sym ts = make_sym("t"), gs = make_sym("g"), rs = make_sym("r"), ps = make_sym("p"), as = make_sym("a"), ws = make_sym("w"), ms = make_sym("m"), vs = make_sym("extent_v"), us = make_sym("extent_w");
  const Expr t = make_var(ts), g = make_var(gs), r = make_var(rs), p = make_var(ps), a = make_var(as), w = make_var(ws), m = make_var(ms), extent_v = make_var(vs), extent_w = make_var(us);
  const std::vector<Expr> sizes = {m >= i32(1), extent_v >= i32(1), extent_w >= i32(1)};
  scheduler::Z3Prover z3{20'000'000};

  void proved(std::vector<Expr> facts, const Expr& claim, const char* what) {
    facts.insert(facts.end(), sizes.begin(), sizes.end());
    EXPECT_EQ(z3.prove(facts, claim).verdict, Verdict::Proved) << what << ": " << to_string(claim);
  }
};

// t = g * (m * extent_w) + r: which group, and where in it.
TEST_F(GroupedOrder, SplitsIntoGroupsThatAreNotEmpty) {
  const std::vector<Expr> split = {g >= i32(0), r >= i32(0), r < m * extent_w};
  std::vector<Expr> inside = split;
  inside.push_back(g * (m * extent_w) + r < extent_v * extent_w);
  proved(inside, g * m < extent_v, "a group has a first v");
  inside.push_back(g * m < extent_v);
  // In terms of the length of the group, p = min(extent_v - g * m, m).
  proved(inside, r < (extent_v - g * m) * extent_w, "r is inside what is left");
  std::vector<Expr> back = split;
  back.push_back(equal(p, min(extent_v - g * m, m)));
  back.push_back(p >= i32(1));
  back.push_back(r < p * extent_w);
  proved(back, g * (m * extent_w) + r < extent_v * extent_w, "what the group holds is in the grid");
}

// r = w * p + a inside a group of p: each (a, w) once.
TEST_F(GroupedOrder, AGroupHasEachPairOnce) {
  const std::vector<Expr> digits = {p >= i32(1), a >= i32(0), a < p, w >= i32(0)};
  std::vector<Expr> there = digits;
  there.push_back(w * p + a < p * extent_w);
  proved(there, w < extent_w, "w in its range");
  std::vector<Expr> back = digits;
  back.push_back(w < extent_w);
  proved(back, w * p + a < p * extent_w, "inside the group");
}

// v = g * m + a with a < p = min(extent_v - g * m, m): each v in [0, extent_v) once.
TEST_F(GroupedOrder, GroupsTileTheLoop) {
  const std::vector<Expr> digits = {g >= i32(0), a >= i32(0), equal(p, min(extent_v - g * m, m)), a < p};
  proved(digits, g * m + a < extent_v, "v in its range");
  proved({g >= i32(0), a >= i32(0), a < m, g * m + a < extent_v}, a < min(extent_v - g * m, m), "a in its group");
}

TEST_F(GroupedOrder, AWrongLemmaIsRefuted) {
  // Without the shorter last group: v leaves its range.
  EXPECT_EQ(z3.prove({g >= i32(0), a >= i32(0), a < m, g * m < extent_v, m >= i32(1)}, g * m + a < extent_v).verdict, Verdict::Refuted);
}

// The stages put together as regroup() and its inverse: over all small sizes, by evaluation.
TEST_F(GroupedOrder, TheInverseIsOne) {
  const auto value = [](const Expr& e) {
    const int64_t* n = as_int(simplify(e));
    EXPECT_NE(n, nullptr) << to_string(e);
    return n ? static_cast<int>(*n) : -1;
  };
  for (int ev = 1; ev <= 7; ++ev)
    for (int ew = 1; ew <= 4; ++ew)
      for (int n = 1; n <= ev; ++n)
        for (int at = 0; at < ev * ew; ++at) {
          const auto [v, w] = scheduler::regroup(i32(at), i32(n), i32(ev), i32(ew));
          const int x = value(v), y = value(w);
          ASSERT_TRUE(x >= 0 && x < ev && y >= 0 && y < ew) << at;
          ASSERT_EQ(value(scheduler::regroup_inverse(i32(x), i32(y), i32(n), i32(ev), i32(ew))), at) << ev << " " << ew << " by " << n;
        }
}

}  // namespace
}  // namespace sinter
