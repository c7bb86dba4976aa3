// Max filter: the largest value within a disc around each pixel.
#pragma once

#include <sinter/sinter.h>

#include <string>

#include "apps/support/scheduled.h"

namespace sinter::apps {

// How a block of the GPU schedule works: a tile of results, and so many threads.
struct MaxFilterTile {
  int width = 32, height = 32, threads = 512;
};

// image: f32 [C, H, W]; result: f32 [C, H, W], y[p] = max of image[q] over |q - p| <= radius; beyond its edges the image repeats them.
//
// A disc is a row of 2 radius + 1 vertical spans, and the maximum of a span of n pixels is that of two runs of 2^t pixels that overlap
// in it, t = floor(log2 n) ("sparse table"). Runs double: longest(t) = max of two of longest(t - 1). So 4 radius + 2 maxima a pixel,
// however tall the spans are, instead of the pi radius^2 of the definition.
//
// GPU: one kernel. A block has the runs that its tile needs in shared memory, so it reads (width + 2 radius) (height + 2 radius) pixels
// for width * height results, most of them from the cache; HBM sees the image once and the result once, 8 bytes a pixel. What bounds it
// are the 4 radius + 2 reads of shared memory for each pixel.
Pipeline max_filter(int radius, Scheduled how, const MaxFilterTile& tile = {}, const std::string& name = "max_filter");

}  // namespace sinter::apps
