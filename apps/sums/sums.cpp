#include "apps/sums/sums.h"

namespace sinter::apps {

Pipeline column_sum(Scheduled how, const ColumnTile& tile, const std::string& name) {
  Input x("x", BFloat(16), 2);
  Var i("i"), part("part"), io("io"), po("po"), ii("ii"), pi("pi");
  const Expr height = x.height();
  RDom r(0, tile.rows), q(0, (height + (tile.rows - 1)) / tile.rows);
  Func partial("partial"), total("total"), y("y");
  // The last part is shorter: a row beyond the end is not counted.
  const Expr row = part * tile.rows + r;
  r.where(row < height);
  partial(i, part) = sum(r, f32(x(i, min(row, height - 1))));
  total(i) = sum(q, partial(i, q));
  y(i) = total(i);

  switch (how) {
    case Scheduled::ByDefault: break;
    case Scheduled::ForHost:
      partial.compute_root().parallel(part);
      partial.update().parallel(part).vectorize(i, 8);
      break;
    case Scheduled::ForGpu: {
      // Neighbouring lanes sum neighbouring columns; the warps of a block take its rows in turn. Sums are begun and ended in registers:
      // what a block has summed is stored by a copy.
      Func parts = partial.in(total);
      parts.compute_root().gpu_tile(i, part, io, po, ii, pi, tile.columns, 1).threads(tile.threads);
      partial.compute_at_block(parts).store_in(MemoryType::Register);
      y.gpu_tile(i, io, ii, 32);
      total.compute_at_block(y).store_in(MemoryType::Register);
      break;
    }
  }
  return Pipeline(name, {x}, {y});
}

}  // namespace sinter::apps
