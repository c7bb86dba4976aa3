// How long compiling takes: the whole way to PTX, to host code, and its phases. No ptxas: its time
// is NVIDIA's.
#include <benchmark/benchmark.h>
#include <sinter/sinter.h>

#include <functional>
#include <string>
#include <vector>

#include "codegen/compiled.h"
#include "ir/text/print.h"
#include "scheduler/lower/lower.h"

namespace sinter {
namespace {

Pipeline bias_gelu_residual() {
  Input x("x", BFloat(16), 2), bias("bias", BFloat(16), 1), res("res", BFloat(16), 2);
  Var n("n"), m("m"), no("no"), mo("mo"), ni("ni"), mi("mi");
  Func pre("pre"), y("y");
  pre(n, m) = f32(x(n, m)) + f32(bias(n));
  y(n, m) = bf16(gelu(pre(n, m)) + f32(res(n, m)));
  y.gpu_tile(n, m, no, mo, ni, mi, 1024, 2).threads(256);
  return Pipeline("bias_gelu_residual", {x, bias, res}, {y});
}

Pipeline blur() {
  Input in("in", Float(32), 2);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func bx("bx"), by("by");
  bx(x, y) = (in(x, y) + in(x + 1, y) + in(x + 2, y)) * (1.f / 3);
  by(x, y) = (bx(x, y) + bx(x, y + 1) + bx(x, y + 2)) * (1.f / 3);
  by.gpu_tile(x, y, xo, yo, xi, yi, 64, 16);
  bx.compute_at_block(by).store_in(MemoryType::Shared);
  return Pipeline("blur", {in}, {by});
}

// Corners of an image: eleven Funcs, none of them scheduled.
Pipeline harris() {
  Input in("in", Float(32), 2);
  Var x("x"), y("y");
  Func ix("ix"), iy("iy"), ixx("ixx"), iyy("iyy"), ixy("ixy"), sxx("sxx"), syy("syy"), sxy("sxy"),
      det("det"), trace("trace"), out("out");
  ix(x, y) = (in(x + 2, y) - in(x, y)) + 2.f * (in(x + 2, y + 1) - in(x, y + 1)) +
             (in(x + 2, y + 2) - in(x, y + 2));
  iy(x, y) = (in(x, y + 2) - in(x, y)) + 2.f * (in(x + 1, y + 2) - in(x + 1, y)) +
             (in(x + 2, y + 2) - in(x + 2, y));
  ixx(x, y) = ix(x, y) * ix(x, y);
  iyy(x, y) = iy(x, y) * iy(x, y);
  ixy(x, y) = ix(x, y) * iy(x, y);
  const auto sum3x3 = [&](Func& f) {
    Expr e = 0.f;
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx) e = e + f(x + dx, y + dy);
    return e;
  };
  sxx(x, y) = sum3x3(ixx);
  syy(x, y) = sum3x3(iyy);
  sxy(x, y) = sum3x3(ixy);
  det(x, y) = sxx(x, y) * syy(x, y) - sxy(x, y) * sxy(x, y);
  trace(x, y) = sxx(x, y) + syy(x, y);
  out(x, y) = det(x, y) - 0.04f * trace(x, y) * trace(x, y);
  return Pipeline("harris", {in}, {out});
}

struct Workload {
  const char* name;
  Pipeline (*make)();
};
const Workload kWorkloads[] = {
    {"bias_gelu_residual", bias_gelu_residual}, {"blur", blur}, {"harris", harris}};
const char* const kTargets[] = {"cuda-sm_90a-no_ptxas", "host"};

// What a user waits for: algorithm and schedule built anew, compiled to something that can be
// called.
void jit(benchmark::State& state, Pipeline (*make)(), const Target& target) {
  for (auto _ : state) benchmark::DoNotOptimize(make().compile_jit(target));
}

void build(benchmark::State& state, Pipeline (*make)(), const Target&) {
  for (auto _ : state) benchmark::DoNotOptimize(make().program());
}

void lower(benchmark::State& state, Pipeline (*make)(), const Target& target) {
  const Pipeline p = make();
  const ir::Program program = p.program();
  const ir::Schedule schedule = p.schedule();
  double proofs = 0;
  for (auto _ : state) {
    const scheduler::Lowered lowered = scheduler::lower(program, schedule, target);
    proofs += lowered.proofs.milliseconds;
  }
  state.counters["proofs_ms"] = benchmark::Counter(proofs, benchmark::Counter::kAvgIterations);
}

void emit(benchmark::State& state, Pipeline (*make)(), const Target& target) {
  const Pipeline p = make();
  const ir::Module module = scheduler::lower(p.program(), p.schedule(), target).module;
  for (auto _ : state) benchmark::DoNotOptimize(codegen::Compiled(module));
}

void register_all() {
  const std::pair<const char*, void (*)(benchmark::State&, Pipeline(*)(), const Target&)> phases[] =
      {{"jit", jit}, {"build", build}, {"lower", lower}, {"emit", emit}};
  for (const auto& [phase, run] : phases)
    for (const char* target : kTargets)
      for (const Workload& w : kWorkloads)
        benchmark::RegisterBenchmark((std::string(phase) + "/" + w.name + "/" + target).c_str(),
                                     [run = run, make = w.make, t = Target::parse(target)](
                                         benchmark::State& s) { run(s, make, t); })
            ->Unit(benchmark::kMillisecond);
}

const bool registered = (register_all(), true);

}  // namespace
}  // namespace sinter
