// explain(): one readable page on what a schedule became.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel.h"
#include "ir/prover.h"
#include "scheduler/lower/build_nest.h"
#include "scheduler/report/costs.h"

namespace sinter::scheduler {

// The registers of a kernel's threads.
struct KernelResources {
  std::string kernel;
  int registers = 0, spill_bytes = 0;  // what the assembler said; 0 registers where there is none
  int estimated = 0;                   // from the code before it; 0 = unknown
};

struct ExplainInput {
  const Nest* nest = nullptr;
  const ir::Module* module = nullptr;
  std::vector<KernelTraffic> traffic;
  const std::vector<ir::Obligation>* obligations = nullptr;  // may be null
  double proof_ms = 0;
  std::vector<KernelResources> resources;
  // Extents and integer Params. Where none are given the page says so and takes the estimates of the
  // schedule, else 4096 for outputs, and for Inputs what those need.
  ir::SymMap<int64_t> sizes;
};

// Kernels and launches, HBM bytes per Func and in total beside the compulsory minimum, operations,
// intensity, roofline bound, bytes in flight, shared memory and registers, versions, requirements,
// placement choices, proofs.
std::string explain(const ExplainInput& input);

}  // namespace sinter::scheduler
