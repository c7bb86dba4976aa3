#include "apps/iir_blur/iir_blur.h"

#include <vector>

namespace sinter::apps {

namespace {

// Along the columns of `f`, of `height` rows: down, up, and the result transposed.
struct ColumnBlur {
  Func down, up, transposed;
};

ColumnBlur blur_columns(const Func& f, const Expr& height, const Expr& alpha, const std::string& name) {
  Var x("x"), y("y"), c("c");
  RDom r(1, height - 1, "r"), back(1, height - 1, "back");
  Func down(name + "_down"), up(name + "_up"), transposed(name + "_transposed");
  down(x, y, c) = 0.f;
  down(x, 0, c) = f(x, 0, c);
  down(x, r, c) = (1.f - alpha) * down(x, r - 1, c) + alpha * f(x, r, c);
  const Expr row = height - 1 - back;
  up(x, y, c) = 0.f;
  up(x, height - 1, c) = down(x, height - 1, c);
  up(x, row, c) = (1.f - alpha) * up(x, row + 1, c) + alpha * down(x, row, c);
  transposed(x, y, c) = up(y, x, c);
  return {down, up, transposed};
}

}  // namespace

Pipeline iir_blur(Scheduled how, const IirTile& tile, const std::string& name) {
  Input image("image", Float(32), 3);
  Param<float> alpha("alpha");
  Var x("x"), y("y"), c("c"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func source("source");
  source(x, y, c) = image(x, y, c);
  ColumnBlur columns = blur_columns(source, image.height(), alpha, "columns");
  ColumnBlur rows = blur_columns(columns.transposed, image.width(), alpha, "rows");

  if (how != Scheduled::ByDefault) {
    source.compute_inline();
    columns.transposed.compute_root();
  }
  for (ColumnBlur* pass : {&columns, &rows}) {
    for (Func* scan : {&pass->down, &pass->up}) {
      const Var sx = scan->args()[0], sy = scan->args()[1], sc = scan->args()[2];
      if (how == Scheduled::ForHost) {
        // Strips of columns are tasks, eight columns at once.
        scan->compute_root().parallel(sc).parallel(sy).vectorize(sx, 8);
        scan->update(1).split(sx, xo, xi, 64).parallel(sc).parallel(xo).vectorize(xi, 8);
      }
      if (how == Scheduled::ForGpu) {
        // A thread a column. What is scanned is another Func than what is written, so loads of the next rows are not held up by stores.
        scan->compute_root().gpu_tile(sx, sy, xo, yo, xi, yi, 128, 8).threads(tile.threads);
        scan->update(0).gpu_tile(sx, xo, xi, tile.threads).threads(tile.threads);
        scan->update(1).gpu_tile(sx, xo, xi, tile.columns).threads(tile.columns);
      }
    }
    const Var tx = pass->transposed.args()[0], ty = pass->transposed.args()[1], sx = pass->up.args()[0];
    if (how == Scheduled::ForHost) pass->transposed.tile(tx, ty, xo, yo, xi, yi, 16, 16).parallel(yo);
    if (how == Scheduled::ForGpu) {
      pass->transposed.gpu_tile(tx, ty, xo, yo, xi, yi, tile.side, tile.side).threads(tile.threads);
      pass->up.in(pass->transposed).compute_at_block(pass->transposed).store_in(MemoryType::Shared).align_storage(sx, tile.side + 1);
    }
  }
  return Pipeline(name, {image, alpha}, {rows.transposed});
}

}  // namespace sinter::apps
