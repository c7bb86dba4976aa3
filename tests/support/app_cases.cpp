// The applications, each under its default schedule and the ones by hand, at odd sizes.
#include "apps/harris/harris.h"
#include "tests/support/case_lists.h"

namespace sinter::testing {

namespace {

using apps::Scheduled;

Built harris(Scheduled how, int64_t width, int64_t height, const apps::HarrisTile& tile = {}) {
  return {apps::harris(how, tile), {normals(f32_type(), {width + 4, height + 4, 3})}, {Buffer::host(f32_type(), {width, height})}};
}

}  // namespace

std::vector<Case> app_cases() {
  std::vector<Case> c;
  // Differences of products of sums of 25 pixels: rounding relative to the terms, which are some hundredths here, not to what is left.
  const double absolute = 1e-4, relative = 1e-3;
  for (auto [w, h] : {std::pair<int64_t, int64_t>{131, 37}, {1, 1}, {257, 65}}) {
    const std::string size = std::to_string(w) + "x" + std::to_string(h);
    // For sm_80, ptxas prefers 32 registers and one word of local memory.
    c.push_back({"app_harris_default_" + size, [=] { return harris(Scheduled::ByDefault, w, h); }, absolute, relative, true});
    c.push_back({"app_harris_host_" + size, [=] { return harris(Scheduled::ForHost, w, h); }, absolute, relative, false, true});
    c.push_back({"app_harris_gpu_" + size, [=] { return harris(Scheduled::ForGpu, w, h); }, absolute, relative});
  }
  c.push_back({"app_harris_gpu_inline", [] { return harris(Scheduled::ForGpu, 131, 37, {64, 16, 4, 4, 64, false}); }, absolute, relative});
  return c;
}

}  // namespace sinter::testing
