#include "apps/harris/harris.h"

namespace sinter::apps {

Pipeline harris(Scheduled how, const HarrisTile& tile, const std::string& name) {
  Input image("image", Float(32), 3);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func gray("gray"), dx("dx"), sx("sx"), ix("ix"), iy("iy"), response("response");
  gray(x, y) = 0.299f * image(x, y, 0) + 0.587f * image(x, y, 1) + 0.114f * image(x, y, 2);
  // Gradients as a difference along one direction, smoothed along the other; times 12.
  dx(x, y) = gray(x + 2, y) - gray(x, y);
  sx(x, y) = gray(x, y) + 2.f * gray(x + 1, y) + gray(x + 2, y);
  ix(x, y) = dx(x, y) + 2.f * dx(x, y + 1) + dx(x, y + 2);
  iy(x, y) = sx(x, y + 2) - sx(x, y);

  // Sums over 3 x 3 boxes: along rows, then along columns.
  const auto box = [&](const char* of, const Func& a, const Func& b) {
    Func row(std::string(of) + "_row"), sum(of);
    row(x, y) = a(x, y) * b(x, y) + a(x + 1, y) * b(x + 1, y) + a(x + 2, y) * b(x + 2, y);
    sum(x, y) = row(x, y) + row(x, y + 1) + row(x, y + 2);
    return std::pair{row, sum};
  };
  auto [xx_row, xx] = box("xx", ix, ix);
  auto [yy_row, yy] = box("yy", iy, iy);
  auto [xy_row, xy] = box("xy", ix, iy);
  Func trace("trace");
  trace(x, y) = xx(x, y) + yy(x, y);
  response(x, y) = (xx(x, y) * yy(x, y) - xy(x, y) * xy(x, y) - 0.04f * trace(x, y) * trace(x, y)) * (1.f / (12 * 12 * 12 * 12));

  if (how != Scheduled::ByDefault)
    for (Func* f : {&dx, &sx, &ix, &iy, &xx_row, &yy_row, &xy_row, &xx, &yy, &xy, &trace}) f->compute_inline();
  switch (how) {
    case Scheduled::ByDefault: break;
    case Scheduled::ForHost:
      // Strips of rows as tasks, eight pixels at once; a strip's luma, products and sums stay in the cache.
      response.split(y, yo, yi, 32).parallel(yo).vectorize(x, 8);
      gray.compute_at(response, yo).vectorize(x, 8);
      break;
    case Scheduled::ForGpu:
      // One kernel. A block has the luma of its tile in shared memory; a thread computes a patch of rows and columns, so that gradients
      // and row sums, all inlined, are computed once for the pixels that share them.
      response.gpu_tile(x, y, xo, yo, xi, yi, tile.width, tile.height).vectorize(xi, tile.columns).unroll(yi, tile.rows).threads(tile.threads);
      if (tile.stage_luma) gray.compute_at_block(response).store_in(MemoryType::Shared);
      else gray.compute_inline();
      break;
  }
  return Pipeline(name, {image}, {response});
}

}  // namespace sinter::apps
