// The applications, each under its default schedule and the ones by hand, at odd sizes.
#include "apps/harris/harris.h"
#include "apps/normalization/normalization.h"
#include "apps/softmax/softmax.h"
#include "apps/sums/sums.h"
#include "tests/support/case_lists.h"

namespace sinter::testing {

namespace {

using apps::Scheduled;

Built harris(Scheduled how, int64_t width, int64_t height, const apps::HarrisTile& tile = {}) {
  return {apps::harris(how, tile), {normals(f32_type(), {width + 4, height + 4, 3})}, {Buffer::host(f32_type(), {width, height})}};
}

// Rows of n, seven of them.
Built softmax(Scheduled how, int n, const apps::RowTile& tile, bool log_of) {
  return {log_of ? apps::log_softmax(n, how, tile) : apps::softmax(n, how, tile), {normals(bf16_type(), {n, 7})}, {Buffer::host(bf16_type(), {n, 7})}};
}
Built layer_norm(Scheduled how, int n, const apps::NormTile& tile) {
  return {apps::layer_norm(n, how, tile), {normals(bf16_type(), {n, 7}), normals(bf16_type(), {n}, 2), normals(bf16_type(), {n}, 3)}, {Buffer::host(bf16_type(), {n, 7})}};
}
Built column_sum(Scheduled how, int64_t columns, int64_t rows, const apps::ColumnTile& tile) {
  return {apps::column_sum(how, tile), {integers(bf16_type(), {columns, rows})}, {Buffer::host(f32_type(), {columns})}};
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
  const char* const schedule[] = {"default", "host", "gpu"};
  for (const Scheduled how : {Scheduled::ByDefault, Scheduled::ForHost, Scheduled::ForGpu}) {
    const std::string by = schedule[static_cast<int>(how)];
    const bool host = how == Scheduled::ForHost;
    // A result is rounded to bf16: one unit in its last place, where the two sides of a rounding are met.
    for (const auto& [n, tile] : {std::pair{127, apps::RowTile{1, 64}}, {1024, apps::RowTile{2, 256}}, {4096, apps::RowTile{1, 256, false}}})
      for (const bool log_of : {false, true})
        c.push_back({std::string(log_of ? "app_log_softmax_" : "app_softmax_") + by + "_" + std::to_string(n), [=, n = n, tile = tile] { return softmax(how, n, tile, log_of); }, 1e-6, 1.0 / 100, false, host});
    for (const auto& [n, tile] : {std::pair{129, apps::NormTile{1, 64}}, {1024, apps::NormTile{2, 128}}})
      c.push_back({"app_layer_norm_" + by + "_" + std::to_string(n), [=, n = n, tile = tile] { return layer_norm(how, n, tile); }, 1e-2, 1.0 / 100, false, host});
    for (const auto& [columns, rows] : {std::pair{65, 131}, {128, 64}})
      c.push_back({"app_column_sum_" + by + "_" + std::to_string(columns) + "x" + std::to_string(rows), [=, columns = columns, rows = rows] { return column_sum(how, columns, rows, {32, 64, 128}); }, 0, 0, false, host});
  }
  return c;
}

}  // namespace sinter::testing
