// sinter_make_test_image OUT.png [WIDTH HEIGHT]
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "apps/support/make_test_image.h"

int main(int argc, char** argv) {
  if (argc != 2 && argc != 4) {
    std::fprintf(stderr, "usage: %s OUT.png [WIDTH HEIGHT]\n", argv[0]);
    return 2;
  }
  int width = argc == 4 ? std::atoi(argv[2]) : 768;
  int height = argc == 4 ? std::atoi(argv[3]) : 512;
  if (width < 1 || height < 1 || width > 16384 || height > 16384) {
    std::fprintf(stderr, "width and height are 1 to 16384\n");
    return 2;
  }
  try {
    sinter::apps::write_png(argv[1], sinter::apps::make_test_image(width, height));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
