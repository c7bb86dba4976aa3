#include "apps/bench/workloads.h"

#include <tuple>

#include "apps/harris/harris.h"
#include "apps/normalization/normalization.h"
#include "apps/softmax/softmax.h"
#include "apps/sums/sums.h"

namespace sinter::apps {

Workload copy_workload() {
  Input x("x", BFloat(16), 1);
  Var i("i"), io("io"), ii("ii");
  Func y("y");
  y(i) = x(i);
  y.gpu_tile(i, io, ii, 2048).threads(256);  // one 16-byte vector a thread: the device's own scheduling keeps the most in flight
  return {"copy", {"copy/1GiB"}, Pipeline("copy", {x}, {y})};
}

Workload bias_gelu_residual_workload() {
  Input x("x", BFloat(16), 2), bias("bias", BFloat(16), 1), res("res", BFloat(16), 2);
  Var n("n"), m("m"), no("no"), mo("mo"), ni("ni"), mi("mi");
  Func pre("pre"), y("y");
  pre(n, m) = f32(x(n, m)) + f32(bias(n));
  y(n, m) = bf16(gelu(pre(n, m)) * 0.5f + f32(res(n, m)));

  // One 16-byte vector of each tensor a thread: small blocks that overlap beat more work per thread. pre is inlined.
  y.gpu_tile(n, m, no, mo, ni, mi, 1024, 2).threads(256);
  return {"bias_gelu_residual", {"bias_gelu_residual/8192x8192", "bias_gelu_residual/512x1024"}, Pipeline("bias_gelu_residual", {x, bias, res}, {y})};
}

Workload blur3x3_workload() {
  Input in("in", Float(32), 2);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func bx("bx"), by("by");
  bx(x, y) = (in(x, y) + in(x + 1, y) + in(x + 2, y)) * (1.f / 3);
  by(x, y) = (bx(x, y) + bx(x, y + 1) + bx(x, y + 2)) * (1.f / 3);

  // bx is inlined. A thread owns two columns of four rows: six rows of loads, all independent, for four rows of results.
  by.gpu_tile(x, y, xo, yo, xi, yi, 64, 32).vectorize(xi, 2).unroll(yi, 4).threads(256);
  return {"blur3x3", {"blur3x3_f32/8194x8194"}, Pipeline("blur3x3", {in}, {by})};
}

Workload harris_workload() { return {"harris", {"harris_f32/4100x4100"}, harris(Scheduled::ForGpu)}; }

// A length a library: what a row needs is chosen for it.
static std::string of_length(const char* name, int n) { return std::string(name) + "_" + std::to_string(n); }

std::vector<Workload> softmax_workloads() {
  std::vector<Workload> list;
  for (const auto& [size, n, tile] : {std::tuple{"softmax/32768x1024", 1024, RowTile{2, 64}}, {"softmax/16384x4096", 4096, RowTile{1, 128}}, {"softmax/4096x32768", 32768, RowTile{1, 512}}})
    list.push_back({of_length("softmax", n), {size}, softmax(n, Scheduled::ForGpu, tile, of_length("softmax", n))});
  return list;
}

std::vector<Workload> normalization_workloads() {
  std::vector<Workload> list;
  for (const auto& [size, n, tile] : {std::tuple{"layernorm/16384x4096", 4096, NormTile{1, 256}}, {"layernorm/8192x8192", 8192, NormTile{1, 128}}})
    list.push_back({of_length("layer_norm", n), {size}, layer_norm(n, Scheduled::ForGpu, tile, of_length("layer_norm", n))});
  return list;
}

Workload column_sum_workload() { return {"column_sum", {"column_sum/65536x4096"}, column_sum(Scheduled::ForGpu)}; }

std::vector<Workload> all_workloads() {
  std::vector<Workload> list{copy_workload(), bias_gelu_residual_workload(), blur3x3_workload(), harris_workload(), column_sum_workload()};
  for (const auto& more : {softmax_workloads(), normalization_workloads()}) list.insert(list.end(), more.begin(), more.end());
  return list;
}

// Other block shapes of the kernels that go along rows or columns.
static void add_row_variants(std::vector<Workload>& list) {
  const auto add = [&](const std::string& size, const std::string& library, const std::string& schedule, const auto& make) {
    const std::string full = library + "_" + schedule;
    list.push_back({full, {size + "@" + schedule}, make(full)});
  };
  for (const auto& [rows, threads] : {std::pair{1, 64}, {1, 128}, {2, 128}, {4, 128}})
    add("softmax/32768x1024", "softmax_1024", std::to_string(rows) + "r" + std::to_string(threads) + "t",
        [&](const std::string& name) { return softmax(1024, Scheduled::ForGpu, {rows, threads}, name); });
  for (const auto& [rows, threads, keep] : {std::tuple{1, 64, true}, {1, 128, false}, {2, 256, true}, {1, 256, true}})
    add("softmax/16384x4096", "softmax_4096", std::to_string(rows) + "r" + std::to_string(threads) + "t" + (keep ? "" : "_again"),
        [&](const std::string& name) { return softmax(4096, Scheduled::ForGpu, {rows, threads, keep}, name); });
  for (const auto& [threads, keep] : {std::pair{512, false}, {1024, false}})
    add("softmax/4096x32768", "softmax_32768", "1r" + std::to_string(threads) + "t" + (keep ? "" : "_again"),
        [&](const std::string& name) { return softmax(32768, Scheduled::ForGpu, {1, threads, keep}, name); });
  for (const int threads : {128, 512})
    add("layernorm/16384x4096", "layer_norm_4096", std::to_string(threads) + "t",
        [&](const std::string& name) { return layer_norm(4096, Scheduled::ForGpu, {1, threads}, name); });
  for (const int threads : {256, 512})
    add("layernorm/8192x8192", "layer_norm_8192", std::to_string(threads) + "t",
        [&](const std::string& name) { return layer_norm(8192, Scheduled::ForGpu, {1, threads}, name); });
  for (const auto& [columns, rows, threads] : {std::tuple{64, 512, 256}, {64, 2048, 256}, {128, 512, 256}, {128, 1024, 256}, {128, 1024, 512}, {256, 256, 256}, {256, 512, 256}, {256, 512, 512},
                                               {256, 1024, 512}, {512, 256, 512}, {512, 512, 512}, {64, 1024, 128}})
    add("column_sum/65536x4096", "column_sum", std::to_string(columns) + "c" + std::to_string(rows) + "r" + std::to_string(threads) + "t",
        [&](const std::string& name) { return column_sum(Scheduled::ForGpu, {columns, rows, threads}, name); });
}

std::vector<Workload> variants() {
  std::vector<Workload> list;
  add_row_variants(list);
  const auto add = [&](const std::string& schedule, Scheduled how, const HarrisTile& tile) {
    const std::string library = "harris_" + schedule;
    list.push_back({library, {"harris_f32/4100x4100@" + schedule}, harris(how, tile, library)});
  };
  add("default", Scheduled::ByDefault, {});
  for (const HarrisTile& t : std::initializer_list<HarrisTile>{{128, 32, 4, 8, 128}, {64, 32, 4, 8, 64}, {64, 32, 4, 4, 128}, {64, 32, 2, 8, 128}, {128, 64, 4, 8, 256},
                                                              {64, 64, 4, 8, 128}, {128, 64, 4, 16, 128}, {128, 32, 4, 4, 256}, {256, 16, 4, 4, 256}, {128, 32, 2, 8, 256},
                                                              {128, 32, 4, 8, 128, false}}) {
    const std::string size = std::to_string(t.width) + "x" + std::to_string(t.height) + "c" + std::to_string(t.columns) + "r" + std::to_string(t.rows);
    add(size + (t.stage_luma ? "" : "_inline"), Scheduled::ForGpu, t);
  }
  return list;
}

}  // namespace sinter::apps
