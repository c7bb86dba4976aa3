#include "apps/interpolate/interpolate.h"

#include <vector>

namespace sinter::apps {

Pipeline interpolate(int levels, Scheduled how, const InterpolateTile& tile, const std::string& name) {
  Input image("image", Float(32), 3);
  image.dim(2).set_extent(4);
  Var x("x"), y("y"), c("c"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  const auto named = [](const char* what, int level) { return Func(what + std::to_string(level)); };
  Func extended = BoundaryConditions::repeat_edge(image);
  std::vector<Func> down, down_x{Func("none")}, up, filled;
  for (int l = 0; l < levels; ++l) {
    down.push_back(named("down", l));
    filled.push_back(named("filled", l));
  }
  down[0](x, y, c) = select(c < 3, extended(x, y, c), 1.f) * extended(x, y, 3);
  for (int l = 1; l < levels; ++l) {
    const Func& f = down[l - 1];
    down_x.push_back(named("down_x", l));
    Func& h = down_x.back();
    h(x, y, c) = 0.25f * (f(2 * x - 1, y, c) + 2.f * f(2 * x, y, c) + f(2 * x + 1, y, c));
    down[l](x, y, c) = 0.25f * (h(x, 2 * y - 1, c) + 2.f * h(x, 2 * y, c) + h(x, 2 * y + 1, c));
  }
  filled[levels - 1](x, y, c) = down[levels - 1](x, y, c);
  for (int l = levels - 2; l >= 0; --l) {
    const Func& f = filled[l + 1];
    Func across = named("up_x", l), both = named("up", l);
    across(x, y, c) = 0.5f * (f(x / 2, y, c) + f((x + 1) / 2, y, c));
    both(x, y, c) = 0.5f * (across(x, y / 2, c) + across(x, (y + 1) / 2, c));
    filled[l](x, y, c) = down[l](x, y, c) + (1.f - down[l](x, y, 3)) * both(x, y, c);
    up.insert(up.end(), {across, both});
  }
  Func result("result");
  result(x, y, c) = filled[0](x, y, c) / filled[0](x, y, 3);
  result.bound(c, 0, 3);

  if (how != Scheduled::ByDefault) {
    // A level is stored on the way down and on the way up; filters and the finest level are computed where they are read.
    std::vector<Func> inlined = up;
    inlined.insert(inlined.end(), {extended, down[0], filled[0], filled[levels - 1]});
    if (how == Scheduled::ForGpu) inlined.insert(inlined.end(), down_x.begin() + 1, down_x.end());
    for (Func& f : inlined) f.compute_inline();
    std::vector<Func> stored{result};
    for (int l = 1; l < levels; ++l) stored.push_back(down[l]);
    for (int l = 1; l + 1 < levels; ++l) stored.push_back(filled[l]);
    for (size_t i = 0; i < stored.size(); ++i) {
      if (i > 0) stored[i].compute_root().bound(c, 0, 4);
      if (how == Scheduled::ForHost) stored[i].parallel(y).vectorize(x, 8);
      if (how == Scheduled::ForGpu) stored[i].reorder(c, x, y).gpu_tile(x, y, xo, yo, xi, yi, tile.width, tile.height).unroll(c).threads(tile.threads);
    }
    // A tile of the image is read once, in whole lines, for the first level's filter.
    if (how == Scheduled::ForGpu && levels > 1) down[0].in(down_x[1]).compute_at_block(down[1]).store_in(MemoryType::Shared);
    if (how == Scheduled::ForHost)
      for (int l = 1; l < levels; ++l) down_x[l].compute_at(down[l], y).vectorize(x, 8);
  }
  return Pipeline(name, {image}, {result});
}

}  // namespace sinter::apps
