// Sums over the columns of a matrix.
#pragma once

#include <sinter/sinter.h>

#include <string>

#include "apps/support/scheduled.h"

namespace sinter::apps {

// How the GPU schedule works: a block sums so many columns over so many rows.
struct ColumnTile {
  int columns = 64, rows = 1024, threads = 256;
};

// x: bf16 [M, N], rows * k = M; y: f32 [N]. Sums in f32: of `rows` rows by a block, then of these partial sums.
Pipeline column_sum(Scheduled how, const ColumnTile& tile = {}, const std::string& name = "column_sum");

}  // namespace sinter::apps
