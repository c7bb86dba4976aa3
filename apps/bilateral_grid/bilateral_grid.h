// Bilateral grid: smoothing that stops at edges, at a cost that does not depend on how far it reaches.
#pragma once

#include <sinter/sinter.h>

#include <string>

#include "apps/support/scheduled.h"

namespace sinter::apps {

// How the GPU schedule works: threads of each block.
struct BilateralTile {
  int threads = 128;
};

// image: f32 [H, W], brightness, clamped to [0, 1]; result: f32 [H, W]. A cell of the grid covers cell x cell pixels and 1 / bins of the
// range of brightness.
//
// J. Chen, S. Paris, F. Durand, "Real-time edge-aware image processing with the bilateral grid" (2007): each pixel adds (v, 1) to the
// cell at (x / cell, y / cell, v bins), rounded to the nearest; the grid is blurred by 1 4 6 4 1 along each of its three dimensions; a
// pixel of the result is the grid at its own (x, y, v), interpolated linearly, the sum of brightness divided by the count. Two
// pixels on the two sides of an edge are far apart in the third dimension and do not mix. Beyond its edges the image repeats them.
//
// Filling the grid is a scatter within each column of cells: one thread a column walks its cell x cell pixels, so no two threads meet.
// HBM: the image is read twice and the result written once, 12 bytes a pixel; the grid has 8 (bins + 1) / cell^2 bytes a pixel (1.4
// at 8 x 8 and 10), written and read twice.
Pipeline bilateral_grid(int cell, int bins, Scheduled how, const BilateralTile& tile = {}, const std::string& name = "bilateral_grid");

}  // namespace sinter::apps
