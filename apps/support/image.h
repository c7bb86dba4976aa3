// PNG files as plain arrays.
//
// Samples are 8 or 16 bits; 1 (gray), 2 (gray + alpha), 3 (RGB) or 4 (RGBA) channels. Palettes and
// 1-, 2- and 4-bit gray are widened to 8 bits on reading. Values are as stored in the file (sRGB,
// usually); nothing here applies gamma.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter::apps {

// Interleaved, rows from the top: sample (x, y, c) is at index (y * width + x) * channels + c.
// 16-bit samples are in the machine's byte order.
struct Image {
  int width = 0;
  int height = 0;
  int channels = 0;
  int bits = 8;  // of a sample: 8 or 16
  std::vector<std::byte> data;

  std::size_t samples() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
           static_cast<std::size_t>(channels);
  }
};

// Throw std::runtime_error with the file's name and the reason.
Image read_png(const std::string& path);
void write_png(const std::string& path, const Image& image);

// Where sample (x, y, c) lies in an array.
enum class SampleOrder {
  Interleaved,  // (y * width + x) * channels + c
  Planar,       // (c * height + y) * width + x
};

// Samples scaled to [0, 1], or as 8 bits (16-bit ones rounded).
std::vector<float> to_float(const Image& image, SampleOrder order);
std::vector<std::uint8_t> to_u8(const Image& image, SampleOrder order);

// The way back. Floats are clamped to [0, 1] (NaN becomes 0) and rounded to nearest. Throw
// std::invalid_argument where the array's size is not that of the image.
Image from_float(const std::vector<float>& samples, int width, int height, int channels,
                 SampleOrder order, int bits = 8);
Image from_u8(const std::vector<std::uint8_t>& samples, int width, int height, int channels,
              SampleOrder order);

}  // namespace sinter::apps
