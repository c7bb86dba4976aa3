// The fixed layout rule: every point of a box has one owner, and neighbours along dimension 0 lie where accesses want them.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "scheduler/layout/fixed_layout.h"

namespace sinter::scheduler {
namespace {

using namespace ir;

bool canonical(const Layout& l, int64_t lane, int64_t warp) {
  const auto copies = [](const std::vector<Digit>& ds, int64_t i) {
    for (const Digit& d : ds) {
      if (d.dim < 0 && i % d.extent != 0) return true;
      i /= d.extent;
    }
    return false;
  };
  return !copies(l.lane, lane) && !copies(l.warp, warp);
}

// How often each point inside the box is owned by a canonical owner.
std::map<std::vector<int64_t>, int> owners(const Layout& l, const std::vector<int64_t>& extent) {
  std::map<std::vector<int64_t>, int> out;
  for (int64_t warp = 0; warp < l.threads / 32; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t reg = 0; canonical(l, lane, warp) && reg < digit_product(l.reg); ++reg) {
        const auto at = coordinates(l, static_cast<int>(extent.size()), reg, lane, warp);
        bool inside = true;
        for (size_t d = 0; d < extent.size(); ++d) inside = inside && at[d] < extent[d];
        if (inside) ++out[at];
      }
  return out;
}

TEST(FixedLayout, EveryPointHasOneOwner) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> extent;
    std::vector<LoopHints> hints;
    const int rank = 1 + static_cast<int>(random() % 3);
    int64_t points = 1;
    for (int d = 0; d < rank; ++d) {
      extent.push_back(1 + static_cast<int64_t>(random() % (rank == 1 ? 600 : 24)));
      points *= extent.back();
      hints.push_back({0, random() % 3 == 0 ? static_cast<int64_t>(2 + random() % 3) : 0, 0});
    }
    const int threads = 32 * static_cast<int>(1 + random() % 8);
    const int vector = 1 << (random() % 4);
    const Layout l = fixed_layout(extent, hints, threads, extent[0] % vector == 0 ? vector : 1);
    EXPECT_EQ(digit_product(l.lane), 32);
    EXPECT_EQ(digit_product(l.warp), threads / 32);
    const auto count = owners(l, extent);
    EXPECT_EQ(static_cast<int64_t>(count.size()), points) << to_string(l);
    for (const auto& [at, n] : count) ASSERT_EQ(n, 1) << to_string(l);
  }
}

TEST(FixedLayout, InnermostDimensionFirst) {
  const Layout l = fixed_layout({1024, 4}, {{}, {}}, 256, 8);
  EXPECT_EQ(to_string(l), "blocked(threads 256, vector 8) reg[8:d0*1 2:d1*2] lane[32:d0*8] warp[4:d0*256 2:d1*1]");
}

TEST(FixedLayout, UnrolledDigitBelowTheThreads) {
  const Layout l = fixed_layout({64, 64}, {{}, {0, 8, 0}}, 256, 2);
  EXPECT_EQ(to_string(l), "blocked(threads 256, vector 2) reg[2:d0*1 8:d1*1] lane[32:d0*2] warp[8:d1*8]");
}

TEST(FixedLayout, SliceReplicatesAcrossThreads) {
  const Layout l = sliced(fixed_layout({1024, 4}, {{}, {}}, 256, 8), {1});
  EXPECT_EQ(to_string(l), "blocked(threads 256, vector 1) reg[2:d0*2] lane[32:none] warp[4:none 2:d0*1]");
}

GlobalAccess unit(int bytes, int64_t multiple = 0, int64_t width = 16) {
  GlobalAccess a;
  a.bytes = bytes;
  a.multiple = multiple;
  a.width = width;
  return a;
}

TEST(WidthRule, NarrowestAtLeastFourBytesWidestTwoOfSixteen) {
  EXPECT_EQ(vector_width({unit(4), unit(4)}, 64), 4);
  EXPECT_EQ(vector_width({unit(2), unit(2)}, 1024), 8);
  EXPECT_EQ(vector_width({unit(2), unit(4)}, 1024), 8);
  EXPECT_EQ(vector_width({unit(1), unit(8)}, 1024), 4);
  EXPECT_EQ(vector_width({unit(4), unit(4)}, 66), 2);       // the box
  EXPECT_EQ(vector_width({unit(4, 0, 8)}, 64), 2);          // the rows
  EXPECT_EQ(vector_width({unit(4, 1)}, 64), 1);             // starts anywhere
  EXPECT_EQ(vector_width({unit(4, 1), unit(4, 64)}, 64), 4);  // a stencil: one access is aligned
  GlobalAccess strided = unit(4);
  strided.kind = GlobalAccess::Strided;
  EXPECT_EQ(vector_width({unit(4), strided}, 64), 1);
}

}  // namespace
}  // namespace sinter::scheduler
