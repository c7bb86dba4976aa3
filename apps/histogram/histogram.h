// Histogram equalisation: an image whose brightness is spread over the whole range.
#pragma once

#include <sinter/sinter.h>

#include <string>

#include "apps/support/scheduled.h"

namespace sinter::apps {

// How the GPU schedule works: a tile of results of a block, and its threads.
struct HistogramTile {
  int width = 256, height = 4, threads = 256;
};

// image: u8 [3, H, W], R, G and B; result: u8 [3, H, W]. Needs at least one pixel, at most 2^31 / 255 of them.
//
// Luma Y = (77 R + 150 G + 29 B + 128) / 256; cdf(v) = how many pixels have Y <= v. Equalised luma is cdf(Y) / (W H) * 255, rounded
// down, and what it gains over Y is added to each channel (the colour differences of BT.601 stay), saturating.
//
// A histogram of each row, then the sum over rows: rows are counted side by side, each by one thread, since two increments of one
// counter have an order. The cdf is a scan over 256 values. HBM: the image is read twice (6 bytes a pixel), the result written once (3),
// and 2 KB a row are written and read for the counters.
Pipeline histogram_equalize(Scheduled how, const HistogramTile& tile = {}, const std::string& name = "histogram_equalize");

}  // namespace sinter::apps
