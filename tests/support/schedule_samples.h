// Pipelines whose schedules hold each directive at least once, with every field that it has: what is stored and printed is tried on them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sinter/sinter.h>

namespace sinter::testing {

struct ScheduleSample {
  std::string name;  // an identifier
  std::function<Pipeline()> build;
};

std::vector<ScheduleSample> schedule_samples();

}  // namespace sinter::testing
