// Interpolation of missing pixels: what alpha leaves out is filled in smoothly from its surroundings, however far away they are.
#pragma once

#include <sinter/sinter.h>

#include <string>

#include "apps/support/scheduled.h"

namespace sinter::apps {

// How the GPU schedule works: the tile of a block and its threads.
struct InterpolateTile {
  int width = 32, height = 8, threads = 256;
};

// image: f32 [4, H, W], R, G, B and alpha in [0, 1]; result: f32 [3, H, W]. Where alpha is 0 over the reach of all levels (2^levels
// pixels), the result is 0 / 0.
//
// A pyramid of premultiplied colours and alpha: each level is half as wide and high as the one above, filtered by 1 2 1. From the
// coarsest level up, what a level leaves transparent takes the (linearly interpolated) colours of the one below:
// I[l] = D[l] + (1 - alpha(D[l])) up(I[l + 1]). At the end colours are divided by alpha ("pull-push", S. Gortler et al., "The
// lumigraph", 1996). Beyond its edges the image repeats them.
//
// Levels are kernels of their own, two each, since one reaches over the whole of the next. HBM: the image is read twice and the result
// written once, 44 bytes a pixel; coarser levels, 16 (1/4 + 1/16 + ...) bytes a pixel, are written twice and read three times: about 70 in
// all. The smallest levels cost launches, not bytes.
Pipeline interpolate(int levels, Scheduled how, const InterpolateTile& tile = {}, const std::string& name = "interpolate");

}  // namespace sinter::apps
