#include "apps/bench/workloads.h"

#include "apps/harris/harris.h"

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

std::vector<Workload> all_workloads() { return {copy_workload(), bias_gelu_residual_workload(), blur3x3_workload(), harris_workload()}; }

std::vector<Workload> variants() {
  std::vector<Workload> list;
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
