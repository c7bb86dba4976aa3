// Softmax over rows: y = exp(x - max x) / sum exp(x - max x), and its logarithm.
#pragma once

#include <sinter/sinter.h>

#include <string>

#include "apps/support/scheduled.h"

namespace sinter::apps {

// How a block of the GPU schedule works: so many rows by so many threads.
struct RowTile {
  int rows = 1, threads = 256;
  bool keep_exponentials = true;  // e in registers; else computed again for the result
};

// x: bf16 [M, n]; y: bf16 [M, n]. Rows have a fixed length, and fit into the registers of a block: up to some 32 elements a thread.
Pipeline softmax(int n, Scheduled how, const RowTile& tile = {}, const std::string& name = "softmax");
// y = (x - max x) - log(sum exp(x - max x)).
Pipeline log_softmax(int n, Scheduled how, const RowTile& tile = {}, const std::string& name = "log_softmax");

}  // namespace sinter::apps
