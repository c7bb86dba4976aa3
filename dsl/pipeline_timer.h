// Timing on the GPU, for programs that want to show what a schedule gained.
#pragma once

#include <functional>

namespace sinter {

// Median time in milliseconds of `work`, which enqueues on the default stream, over `repeats` runs after two that warm up: CUDA events
// around each, so that the host's part does not count. Throws RuntimeError without a GPU.
double gpu_median_ms(const std::function<void()>& work, int repeats);

}  // namespace sinter
