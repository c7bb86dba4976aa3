// The workloads of the benchmark library: plain algorithm, hand schedule, the name that the comparison knows them by.
#pragma once

#include <sinter/sinter.h>

#include <string>
#include <vector>

namespace sinter::apps {

// One exported kernel and the benchmark names it serves (one kernel for all sizes: it is compiled without knowing them).
struct Workload {
  std::string library;             // C name of the exported function
  std::vector<std::string> names;  // "bias_gelu_residual/8192x8192"
  Pipeline pipeline;
};

// y[i] = x[i], bf16: the copy rate that everything else is measured against.
Workload copy_workload();
// y[m, n] = bf16(gelu(x[m, n] + bias[n]) / 2 + residual[m, n]), bf16, arithmetic in f32.
Workload bias_gelu_residual_workload();
// 3x3 box filter, f32, separable: rows of sums, then columns; valid region only.
Workload blur3x3_workload();

// Corners of an RGB image (apps/harris), f32; valid region only.
Workload harris_workload();

std::vector<Workload> all_workloads();
// Other schedules of some of them, under NAME@schedule: what the choice was made from.
std::vector<Workload> variants();

}  // namespace sinter::apps
