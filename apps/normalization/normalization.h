// Layer norm over rows.
#pragma once

#include <sinter/sinter.h>

#include <string>

#include "apps/support/scheduled.h"

namespace sinter::apps {

// How a block of the GPU schedule works: so many rows by so many threads.
struct NormTile {
  int rows = 1, threads = 256;
};

// x: bf16 [M, n]; gain, bias: bf16 [n]; y: bf16 [M, n]. y = (x - mean) / sqrt(variance + 1e-5) * gain + bias, statistics in f32; the
// variance is the mean of squared differences, not a difference of means.
Pipeline layer_norm(int n, Scheduled how, const NormTile& tile = {}, const std::string& name = "layer_norm");

}  // namespace sinter::apps
