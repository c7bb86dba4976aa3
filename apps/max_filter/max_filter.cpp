#include "apps/max_filter/max_filter.h"

#include <cmath>
#include <set>
#include <vector>

namespace sinter::apps {

static int floor_log2(int n) { return n < 2 ? 0 : 1 + floor_log2(n / 2); }

Pipeline max_filter(int radius, Scheduled how, const MaxFilterTile& tile, const std::string& name) {
  Input image("image", Float(32), 3);
  Var x("x"), y("y"), c("c"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  // longest[t](x, y, c): the maximum of the 2^t pixels from y on.
  std::vector<Func> longest{BoundaryConditions::repeat_edge(image)};
  for (int t = 1; t <= floor_log2(2 * radius + 1); ++t) {
    Func next("run" + std::to_string(1 << t));
    next(x, y, c) = max(longest.back()(x, y, c), longest.back()(x, y + (1 << (t - 1)), c));
    longest.push_back(next);
  }
  std::set<int> read;  // the runs that spans are made of
  Func result("result");
  Expr value;
  for (int dx = -radius; dx <= radius; ++dx) {
    const int half = static_cast<int>(std::sqrt(static_cast<double>(radius * radius - dx * dx)));
    const int t = floor_log2(2 * half + 1);
    read.insert(t);
    const Expr span = t == 0 ? Expr(longest[0](x + dx, y, c)) : max(longest[t](x + dx, y - half, c), longest[t](x + dx, y + half + 1 - (1 << t), c));
    value = value.defined() ? max(value, span) : span;
  }
  result(x, y, c) = value;

  switch (how) {
    case Scheduled::ByDefault: break;
    case Scheduled::ForHost:
      // Strips of rows are tasks; a strip's runs stay in the cache.
      result.split(y, yo, yi, 32).parallel(yo).vectorize(x, 8);
      for (size_t t = 1; t < longest.size(); ++t) longest[t].compute_at(result, yo).vectorize(x, 8);
      longest[0].compute_at(result, yo);
      break;
    case Scheduled::ForGpu:
      result.gpu_tile(x, y, xo, yo, xi, yi, tile.width, tile.height).threads(tile.threads);
      for (size_t t = 0; t < longest.size(); ++t) {
        if (read.count(static_cast<int>(t))) longest[t].compute_at_block(result).store_in(MemoryType::Shared);
        else longest[t].compute_inline();
      }
      break;
  }
  return Pipeline(name, {image}, {result});
}

}  // namespace sinter::apps
