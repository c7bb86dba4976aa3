// What a schedule moves and computes at given sizes, as numbers: behind the words of explain() and the pictures of the HTML page.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ir/target/target.h"
#include "scheduler/lower/build_nest.h"
#include "scheduler/report/traffic.h"

namespace sinter::scheduler {

struct BufferCost {
  std::string name;
  bool write = false;
  int64_t bytes = 0;   // all launches
  std::string region;  // "[0, 767] x [-2, 513]": the coordinates that are touched
};

// One kernel, or one pass on a host.
struct KernelCost {
  std::string name;
  int64_t launches = 0, read = 0, written = 0, flops = 0;
  std::vector<BufferCost> buffers;

  int64_t bytes() const { return read + written; }
  double intensity() const;  // FLOP/byte
  // The least that the device takes, by its rates: seconds, and whether it is memory that decides.
  double seconds(const ir::DeviceLimits& device) const;
  bool memory_bound(const ir::DeviceLimits& device) const;
};

// The totals that explain() prints, for tables and tests.
struct TrafficTotals {
  int64_t launches = 0, read = 0, written = 0, compulsory = 0, flops = 0;
};

struct Costs {
  std::string sizes;    // "image 768 x 512 x 3, radius = 4"
  ir::SymMap<int64_t> values;  // of all extents and integer Params
  bool estimated = false, assumed = false;  // some sizes were not given, and are estimates of the schedule, or examples
  std::vector<KernelCost> kernels;
  TrafficTotals total;
};

// `sizes`: extents and integer Params. Those that are missing are the schedule's estimates, else 4096 for outputs, and for Inputs what those
// need.
Costs measure_costs(const Nest& nest, const std::vector<KernelTraffic>& traffic, const ir::SymMap<int64_t>& sizes);

// Three digits and a unit: "4.72 MB", "812 KB".
std::string scaled_text(double v, const std::array<const char*, 5>& units);
std::string bytes_text(int64_t bytes);
std::string flops_text(int64_t flops);
std::string seconds_text(double seconds);

}  // namespace sinter::scheduler
