// The applications that work on images, each under its default schedule and the ones by hand, at odd sizes.
#include "apps/bilateral_grid/bilateral_grid.h"
#include "apps/histogram/histogram.h"
#include "apps/iir_blur/iir_blur.h"
#include "apps/interpolate/interpolate.h"
#include "apps/max_filter/max_filter.h"
#include "tests/support/case_lists.h"

namespace sinter::testing {

namespace {

using apps::Scheduled;

Built max_filter(Scheduled how, int radius, int64_t width, int64_t height) {
  return {apps::max_filter(radius, how, {32, 16, 256}), {normals(f32_type(), {width, height, 2})}, {Buffer::host(f32_type(), {width, height, 2})}};
}
Built histogram(Scheduled how, int64_t width, int64_t height) {
  const auto u8 = dtype_of<uint8_t>();
  return {apps::histogram_equalize(how), {integers(u8, {width, height, 3}, 1, 40, 190)}, {Buffer::host(u8, {width, height, 3})}};
}
Built iir_blur(Scheduled how, int64_t width, int64_t height) {
  return {apps::iir_blur(how), {normals(f32_type(), {width, height, 3}), 0.2f}, {Buffer::host(f32_type(), {width, height, 3})}};
}
Built bilateral_grid(Scheduled how, int64_t width, int64_t height) {
  Buffer image = normals(f32_type(), {width, height});  // some beyond [0, 1]
  return {apps::bilateral_grid(8, 10, how), {image}, {Buffer::host(f32_type(), {width, height})}};
}
// Colours and alpha of 0 to 1, in eighths, so that sums are exact; alpha is not 0 everywhere.
Built interpolate(Scheduled how, int64_t width, int64_t height) {
  Buffer image = integers(f32_type(), {width, height, 4}, 1, 0, 8);
  float* p = static_cast<float*>(image.raw_data());
  for (int64_t i = 0; i < image.size(); ++i) p[i] /= 8;
  p[image.size() - 1] = 1;
  return {apps::interpolate(4, how), {image}, {Buffer::host(f32_type(), {width, height, 3})}};
}

}  // namespace

std::vector<Case> image_app_cases() {
  std::vector<Case> c;
  const char* const schedule[] = {"default", "host", "gpu"};
  for (const Scheduled how : {Scheduled::ByDefault, Scheduled::ForHost, Scheduled::ForGpu}) {
    const std::string by = schedule[static_cast<int>(how)];
    const bool host = how == Scheduled::ForHost;
    for (const auto& [w, h] : {std::pair<int64_t, int64_t>{75, 41}, {1, 1}}) {
      if (w == 1 && how != Scheduled::ForGpu) continue;  // tests/differential/image_apps_test.cpp has the others
      const auto name = [&, w = w, h = h](const char* app) { return std::string("app_") + app + "_" + by + "_" + std::to_string(w) + "x" + std::to_string(h); };
      const auto of = [how, w = w, h = h](auto build) { return [=] { return build(how, w, h); }; };
      c.push_back({name("max_filter"), [=, w = w, h = h] { return max_filter(how, 6, w, h); }, 0, 0, false, host});
      c.push_back({name("histogram"), of(histogram), 0, 0, false, host});
      // Quotients of sums in f32, in any order.
      c.push_back({name("bilateral_grid"), of(bilateral_grid), 1e-6, 1e-5, false, host});
      c.push_back({name("interpolate"), of(interpolate), 1e-6, 1e-5, false, host});
      // Each step of a scan rounds, and so does its contraction to FMA.
      c.push_back({name("iir_blur"), of(iir_blur), 1e-5, 1e-5, false, host});
    }
  }
  return c;
}

}  // namespace sinter::testing
