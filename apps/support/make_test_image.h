// A picture to try image kernels on: a drawn landscape with smooth gradients (sky, haze), hard edges
// (ridges, a tower, text-like marks), fine detail (rings and a star of spokes, which show aliasing) and
// a dark and a bright end. Drawn by arithmetic alone, so it is nobody's photograph.
#pragma once

#include "apps/support/image.h"

namespace sinter::apps {

// The same picture at any size: 8-bit RGB. Equal sizes give equal images, up to the last bit of the
// machine's sin and exp.
Image make_test_image(int width = 768, int height = 512);

}  // namespace sinter::apps
