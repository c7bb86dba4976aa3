#include "apps/histogram/histogram.h"

namespace sinter::apps {

Pipeline histogram_equalize(Scheduled how, const HistogramTile& tile, const std::string& name) {
  Input image("image", UInt(8), 3);
  image.dim(2).set_extent(3);
  const Expr width = image.width(), height = image.height();
  Var x("x"), y("y"), c("c"), v("v"), xo("xo"), yo("yo"), xi("xi"), yi("yi"), vo("vo"), vi("vi");
  Func luma("luma"), row_counts("row_counts"), counts("counts"), cdf("cdf"), table("table"), result("result");
  const auto at = [&](int channel) { return i32(image(x, y, channel)); };
  luma(x, y) = (77 * at(0) + 150 * at(1) + 29 * at(2) + 128) / 256;

  RDom across(0, width, "across"), down(0, height, "down"), from1(1, 255, "from1");
  row_counts(v, y) = 0;
  row_counts(clamp(luma(across, y), 0, 255), y) += 1;
  counts(v) = sum(down, row_counts(v, down));
  cdf(v) = counts(v);
  cdf(from1) += cdf(from1 - 1);
  // How much brighter a pixel of luma v becomes.
  table(v) = cast<int16_t>(i32(cast<int64_t>(cdf(v)) * 255 / cast<int64_t>(width * height)) - v);
  result(x, y, c) = saturating_cast<uint8_t>(i32(image(x, y, c)) + i32(table(clamp(luma(x, y), 0, 255))));
  result.bound(c, 0, 3);
  counts.bound(v, 0, 256);
  cdf.bound(v, 0, 256);
  row_counts.bound(v, 0, 256);
  table.bound(v, 0, 256);

  luma.compute_inline();
  switch (how) {
    case Scheduled::ByDefault: break;
    case Scheduled::ForHost:
      row_counts.compute_root().parallel(y).vectorize(v, 8);
      row_counts.update().parallel(y);
      counts.compute_root().vectorize(v, 8);
      counts.update().reorder(v, down).vectorize(v, 8);
      cdf.compute_root();
      table.compute_root();
      result.reorder(c, x, y).unroll(c).parallel(y).vectorize(x, 8);
      break;
    case Scheduled::ForGpu:
      row_counts.compute_root().gpu_tile(v, y, vo, yo, vi, yi, 256, 1).threads(128);
      row_counts.update().gpu_tile(y, yo, yi, 1).threads(32);
      counts.compute_root().gpu_tile(v, vo, vi, 32);
      counts.update().gpu_tile(v, vo, vi, 32).threads(256);
      cdf.compute_root();
      table.compute_root();
      result.reorder(c, x, y).gpu_tile(x, y, xo, yo, xi, yi, tile.width, tile.height).unroll(c).threads(tile.threads);
      break;
  }
  return Pipeline(name, {image}, {result});
}

}  // namespace sinter::apps
