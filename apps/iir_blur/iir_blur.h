// A blur of any width at the same cost: a recursive filter, run forth and back along columns and along rows.
#pragma once

#include <sinter/sinter.h>

#include <string>

#include "apps/support/scheduled.h"

namespace sinter::apps {

// How the GPU schedule works: how many columns a block scans, a thread each; side of the tiles that are transposed.
struct IirTile {
  int columns = 32, side = 32, threads = 256;
};

// image: f32 [C, H, W]; alpha: f32 in (0, 1], small is wide; result: f32 [C, H, W].
//
// First order, forth and back, so that nothing is shifted: down a column u[0] = x[0], u[y] = (1 - alpha) u[y - 1] + alpha x[y], then up
// again, v[H - 1] = u[H - 1], v[y] = (1 - alpha) v[y + 1] + alpha u[y]. The same along rows: columns of the transposed image.
//
// Each scan is an update over an RDom of rows. On a GPU neighbouring threads scan neighbouring columns, and a transposition goes through
// shared memory, so that all accesses are to whole lines. HBM: along one axis the image is read and written by the scan down, the scan up
// and the transposition, and written twice more where a scan's Func begins (zeros, then its first row): 32 bytes a pixel, 64 in all
// (explain() says 80: it also counts the row above, which a scan finds in the cache).
// There are W C columns to walk down side by side; a small image is bound by how fast a thread walks.
Pipeline iir_blur(Scheduled how, const IirTile& tile = {}, const std::string& name = "iir_blur");

}  // namespace sinter::apps
