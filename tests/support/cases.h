// Pipelines with data, one per feature of the language or directive of the schedule. Every way to run a pipeline is compared with the
// oracle on each: host, emulator and PTX assembly in tests/differential, the device in tests/gpu.
#pragma once

#include <sinter/sinter.h>

#include <functional>
#include <string>
#include <vector>

namespace sinter::testing {

struct Built {
  Pipeline pipeline;
  std::vector<CallArgument> inputs;  // host buffers and scalars, call order
  std::vector<Buffer> outputs;       // host; types and extents
};

struct Case {
  std::string name;
  std::function<Built()> build;
  // Float results may differ from the oracle by absolute + relative * |expected|: what rounding, FMA and the fast functions explain.
  // Integers are compared bit for bit.
  double absolute = 0, relative = 0;
  bool local_memory = false;  // more than the registers hold is expected: an array with a run-time index, or spills
  bool host_only = false;     // a schedule that means nothing to a GPU
};

std::vector<Case> all_cases();
std::ostream& operator<<(std::ostream& out, const Case& c);

// Runs the oracle and `target` and returns "" where they agree, else the first difference in words.
std::string run_and_compare(const Case& c, const Target& target);

// Deterministic data. Small integers, also in floats, so that sums are exact; or normally distributed.
Buffer integers(DLDataType type, std::vector<int64_t> extents, uint32_t seed = 1, int low = -8, int high = 8);
Buffer normals(DLDataType type, std::vector<int64_t> extents, uint32_t seed = 1);

}  // namespace sinter::testing
