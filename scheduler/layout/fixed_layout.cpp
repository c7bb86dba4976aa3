#include "scheduler/layout/fixed_layout.h"

#include <algorithm>

#include "ir/diagnostic.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

int64_t power_of_two_at_least(int64_t n) {
  int64_t p = 1;
  while (p < n) p *= 2;
  return p;
}

int64_t largest_divisor_up_to(int64_t n, int64_t limit) {
  for (int64_t d = std::min(n, limit); d > 1; --d)
    if (n % d == 0) return d;
  return 1;
}

}  // namespace

int vector_width(const std::vector<GlobalAccess>& accesses, int64_t extent0) {
  int64_t narrowest = 0, widest = 0;
  for (const GlobalAccess& a : accesses) {
    if (a.kind == GlobalAccess::Strided) return 1;
    if (a.kind != GlobalAccess::Unit) continue;
    narrowest = narrowest ? std::min<int64_t>(narrowest, a.bytes) : a.bytes;
    widest = std::max<int64_t>(widest, a.bytes);
  }
  if (!narrowest) return 1;
  int64_t v = std::min<int64_t>(16 / narrowest, 32 / widest);
  for (const GlobalAccess& a : accesses)
    if (a.kind == GlobalAccess::Unit && a.width < 16) v = std::min(v, std::max<int64_t>(1, a.width / a.bytes));
  const auto some_aligned = [&] {
    return std::any_of(accesses.begin(), accesses.end(),
                       [&](const GlobalAccess& a) { return a.kind == GlobalAccess::Unit && a.multiple % v == 0; });
  };
  while (v > 1 && (extent0 % v != 0 || !some_aligned())) v /= 2;
  return static_cast<int>(std::max<int64_t>(v, 1));
}

int limit_to_threads(int vector, int64_t points, int threads) {
  while (vector > 1 && points / vector < threads) vector /= 2;
  return vector;
}

Layout fixed_layout(const std::vector<int64_t>& extent, const std::vector<LoopHints>& hints, int threads, int vector) {
  internal_check(threads % 32 == 0, "fixed_layout: threads are not whole warps");
  const int rank = static_cast<int>(extent.size());
  Layout out;
  out.kind = Layout::Kind::Blocked;
  out.threads = threads;
  out.vector = std::max(vector, 1);
  std::vector<int64_t> stride(rank, 1), rest(extent);
  const auto take = [&](std::vector<Digit>& owner, int d, int64_t n) {
    if (n <= 1) return;
    owner.push_back({n, d, stride[d]});
    stride[d] *= n;
    rest[d] = (rest[d] + n - 1) / n;
  };
  if (rank > 0) take(out.reg, 0, out.vector);
  for (int d = 0; d < rank; ++d) take(out.reg, d, std::min(rest[d], hints[d].unroll));
  int64_t lanes = 32, warps = threads / 32;
  for (int d = 0; d < rank && lanes > 1; ++d) {
    const int64_t n = std::min(lanes, power_of_two_at_least(rest[d]));
    take(out.lane, d, n);
    lanes /= n;
  }
  if (lanes > 1) out.lane.push_back({lanes, -1, 1});
  for (int d = 0; d < rank && warps > 1; ++d) {
    const int64_t n = largest_divisor_up_to(warps, power_of_two_at_least(rest[d]));
    take(out.warp, d, n);
    warps /= n;
  }
  if (warps > 1) out.warp.push_back({warps, -1, 1});
  for (int d = 0; d < rank; ++d) take(out.reg, d, rest[d]);
  return out;
}

Layout flat_layout(int threads, int vector) {
  Layout out;
  out.kind = Layout::Kind::Flat;
  out.threads = threads;
  out.vector = std::max(vector, 1);
  return out;
}

Layout replicated_layout(int threads) { return fixed_layout({}, {}, threads, 1); }

Layout sliced(const Layout& layout, const std::vector<int>& dim_of) {
  const auto owner = [&](const std::vector<Digit>& digits, bool keep_copies) {
    std::vector<Digit> out;
    for (Digit d : digits) {
      const auto at = d.dim < 0 ? dim_of.end() : std::find(dim_of.begin(), dim_of.end(), d.dim);
      if (at != dim_of.end()) d.dim = static_cast<int>(at - dim_of.begin());
      else if (keep_copies) d = {d.extent, -1, 1};
      else continue;
      out.push_back(d);
    }
    return out;
  };
  Layout out = layout;
  out.reg = owner(layout.reg, false);
  out.lane = owner(layout.lane, true);
  out.warp = owner(layout.warp, true);
  const bool vector_kept = !out.reg.empty() && out.reg[0].dim == 0 && out.reg[0].stride == 1 && out.reg[0].extent == layout.vector;
  out.vector = vector_kept ? layout.vector : 1;
  return out;
}

int64_t covered(const Layout& layout, int dim) {
  int64_t last = 0;
  for (const auto* owner : {&layout.reg, &layout.lane, &layout.warp})
    for (const Digit& d : *owner)
      if (d.dim == dim) last += (d.extent - 1) * d.stride;
  return last + 1;
}

}  // namespace sinter::scheduler
