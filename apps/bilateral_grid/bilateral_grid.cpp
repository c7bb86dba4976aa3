#include "apps/bilateral_grid/bilateral_grid.h"

#include <functional>

namespace sinter::apps {

Pipeline bilateral_grid(int cell, int bins, Scheduled how, const BilateralTile& tile, const std::string& name) {
  Input image("image", Float(32), 2);
  Var x("x"), y("y"), z("z"), c("c"), xo("xo"), yo("yo"), zo("zo"), xi("xi"), yi("yi"), zi("zi");
  Func extended = BoundaryConditions::repeat_edge(image), grid("grid"), blur_z("blur_z"), blur_x("blur_x"), blur_y("blur_y"), result("result");
  const auto brightness = [&](const Expr& px, const Expr& py) { return clamp(extended(px, py), 0.f, 1.f); };

  RDom r(0, cell, 0, cell, "r");
  const Expr v = brightness(x * cell + r.x - cell / 2, y * cell + r.y - cell / 2);
  grid(x, y, z, c) = 0.f;
  grid(x, y, clamp(i32(v * static_cast<float>(bins) + 0.5f), 0, bins), c) += select(c == 0, v, 1.f);
  grid.bound(z, 0, bins + 1).bound(c, 0, 2);

  // Cells beyond the range of brightness are empty.
  const auto five = [&](const std::function<Expr(int)>& f) { return f(-2) + 4.f * f(-1) + 6.f * f(0) + 4.f * f(1) + f(2); };
  blur_z(x, y, z, c) = five([&](int d) { return select(z + d >= 0 && z + d <= bins, grid(x, y, clamp(z + d, 0, bins), c), 0.f); });
  blur_x(x, y, z, c) = five([&](int d) { return blur_z(x + d, y, z, c); });
  blur_y(x, y, z, c) = five([&](int d) { return blur_x(x, y + d, z, c); });
  blur_y.bound(z, 0, bins + 1).bound(c, 0, 2);

  const Expr level = brightness(x, y) * static_cast<float>(bins), level_int = clamp(i32(level), 0, bins - 1), z_part = level - f32(level_int);
  const Expr x_part = f32(x % cell) / static_cast<float>(cell), y_part = f32(y % cell) / static_cast<float>(cell);
  const auto sliced = [&](int what) {
    const auto at = [&](int dx, int dy, int dz) { return blur_y(x / cell + dx, y / cell + dy, level_int + dz, what); };
    const auto along_x = [&](int dy, int dz) { return lerp(at(0, dy, dz), at(1, dy, dz), x_part); };
    const auto along_y = [&](int dz) { return lerp(along_x(0, dz), along_x(1, dz), y_part); };
    return lerp(along_y(0), along_y(1), z_part);
  };
  result(x, y) = sliced(0) / sliced(1);

  switch (how) {
    case Scheduled::ByDefault: break;
    case Scheduled::ForHost:
      extended.compute_inline();
      blur_z.compute_root().reorder(c, z, x, y).parallel(y);
      grid.compute_at(blur_z, y);
      blur_x.compute_root().reorder(x, y, z, c).parallel(z).vectorize(x, 8);
      blur_y.compute_root().reorder(x, y, z, c).parallel(z).vectorize(x, 8);
      result.parallel(y).vectorize(x, 8);
      break;
    case Scheduled::ForGpu:
      extended.compute_inline();
      // A block fills and smooths along z the columns of 16 x 8 cells, in shared memory; a thread fills a column.
      blur_z.compute_root().reorder(z, c, x, y).gpu_tile(x, y, xo, yo, xi, yi, 16, 8).threads(tile.threads);
      grid.compute_at_block(blur_z).store_in(MemoryType::Shared);
      grid.update().reorder(c, r.x, r.y, x, y);
      blur_x.compute_inline();
      blur_y.compute_root().gpu_tile(x, y, z, xo, yo, zo, xi, yi, zi, 32, 4, 1).threads(tile.threads);
      result.gpu_tile(x, y, xo, yo, xi, yi, 64, 8).threads(tile.threads);
      break;
  }
  return Pipeline(name, {image}, {result});
}

}  // namespace sinter::apps
