#include "apps/quickstart/unsharp.h"

#include <array>

namespace sinter::apps {

Pipeline unsharp_mask(Form form) {
  Input image("image", Float(32), 3);
  Param<float> amount("amount");
  Var x("x"), y("y"), c("c"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func luma("luma"), blur_y("blur_y"), blur_x("blur_x"), ratio("ratio"), result("result");

  // sigma = 1.5, five taps, normalised
  const std::array<float, 3> k = {0.29208f, 0.23388f, 0.12008f};
  Func edge = BoundaryConditions::repeat_edge(image);
  luma(x, y) = 0.299f * edge(x, y, 0) + 0.587f * edge(x, y, 1) + 0.114f * edge(x, y, 2);
  blur_y(x, y) = k[0] * luma(x, y) + k[1] * (luma(x, y - 1) + luma(x, y + 1)) + k[2] * (luma(x, y - 2) + luma(x, y + 2));
  blur_x(x, y) = k[0] * blur_y(x, y) + k[1] * (blur_y(x - 1, y) + blur_y(x + 1, y)) + k[2] * (blur_y(x - 2, y) + blur_y(x + 2, y));
  ratio(x, y) = (luma(x, y) + amount * (luma(x, y) - blur_x(x, y))) / max(luma(x, y), 1e-4f);
  result(x, y, c) = clamp(ratio(x, y) * image(x, y, c), 0.f, 1.f);

  result.bound(c, 0, 3);
  if (form == Form::Unfused) {
    for (Func* f : {&luma, &blur_y, &blur_x, &ratio}) f->compute_root();
  } else {
    // One kernel: a block computes 64 x 16 pixels of all three channels; luma and the vertical blur live in its shared memory.
    result.reorder(c, x, y).unroll(c).gpu_tile(x, y, xo, yo, xi, yi, 64, 16);
    luma.compute_at_block(result).store_in(MemoryType::Shared);
    blur_y.compute_at_block(result).store_in(MemoryType::Shared);
  }
  return Pipeline(form == Form::Fused ? "unsharp_fused" : "unsharp_unfused", {image, amount}, {result});
}

}  // namespace sinter::apps
