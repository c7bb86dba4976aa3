// Runs a pipeline unfused and fused on the same data, checks both, and prints what fusing gained.
#pragma once

#include <sinter/sinter.h>

#include <functional>
#include <string>
#include <vector>

namespace sinter::apps {

enum class Form { Unfused, Fused };

struct Comparison {
  std::string title;
  std::function<Pipeline(Form)> make;
  std::vector<CallArgument> inputs;  // host buffers and scalars, in the pipeline's order
  std::vector<int64_t> output_extents;
  double tolerance;                  // largest absolute difference from the oracle that rounding explains
};

// Compiles and runs both forms for `target`, checks them against each other and the oracle, prints one table. Returns the fused
// result (host, f32). Throws std::runtime_error where a result is wrong.
Buffer compare_forms(const Comparison& comparison, const Target& target, bool explain);

}  // namespace sinter::apps
