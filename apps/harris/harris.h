// Harris corners: an RGB image to the corner response of each pixel.
#pragma once

#include <sinter/sinter.h>

#include <string>

#include "apps/support/scheduled.h"

namespace sinter::apps {

// How a block of the GPU schedule works: a tile of width x height results, the patch of them that one thread computes, the block's
// threads; luma in shared memory, or computed by each thread where it is read.
struct HarrisTile {
  int width = 128, height = 16, columns = 4, rows = 4, threads = 128;
  bool stage_luma = true;
};

// image: f32 [3, H, W]; response: f32 [H - 4, W - 4], the pixels whose 5 x 5 neighbourhood lies in the image.
// Luma, its Sobel gradients (each divided by 12), their products summed over 3 x 3 boxes, det - 0.04 trace^2.
Pipeline harris(Scheduled how, const HarrisTile& tile = {}, const std::string& name = "harris");

}  // namespace sinter::apps
