#include "apps/support/image.h"

#include <png.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace sinter::apps {
namespace {

// Larger files are taken for damaged ones; 2^28 samples are a gibibyte as floats.
constexpr std::size_t max_samples = std::size_t{1} << 28;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw std::runtime_error(path + ": " + reason);
}

File open_file(const std::string& path, const char* mode) {
  File file(std::fopen(path.c_str(), mode));
  if (!file) fail(path, std::strerror(errno));
  return file;
}

// libpng reports an error through a callback that must not return. It can't be an exception, which
// would have to pass through libpng's C frames; so it is a longjmp into the functions below named
// run_*. Those hold no object with a destructor, so that nothing is skipped by the jump: whatever
// owns memory lives in their callers.
struct ErrorText {
  char text[160] = "";
};

void on_error(png_structp png, png_const_charp text) {
  auto* error = static_cast<ErrorText*>(png_get_error_ptr(png));
  std::snprintf(error->text, sizeof(error->text), "%s", text);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}  // a readable file with odd metadata is readable

struct Reader {
  ErrorText error;
  png_structp png = nullptr;
  png_infop info = nullptr;

  Reader() {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &error, on_error, on_warning);
    info = png ? png_create_info_struct(png) : nullptr;
    if (!info) {
      png_destroy_read_struct(&png, nullptr, nullptr);
      throw std::bad_alloc();
    }
  }
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
};

struct Writer {
  ErrorText error;
  png_structp png = nullptr;
  png_infop info = nullptr;

  Writer() {
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &error, on_error, on_warning);
    info = png ? png_create_info_struct(png) : nullptr;
    if (!info) {
      png_destroy_write_struct(&png, nullptr);
      throw std::bad_alloc();
    }
  }
  ~Writer() { png_destroy_write_struct(&png, &info); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
};

bool run_read_header(Reader& reader, std::FILE* file) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_init_io(reader.png, file);
  png_set_sig_bytes(reader.png, 8);
  png_read_info(reader.png, reader.info);
  png_set_expand(reader.png);  // palettes to RGB, small gray to 8 bits, transparency to alpha
  if (std::endian::native == std::endian::little &&
      png_get_bit_depth(reader.png, reader.info) == 16) {
    png_set_swap(reader.png);
  }
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  return true;
}

bool run_read_rows(Reader& reader, png_bytepp rows) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_read_image(reader.png, rows);
  png_read_end(reader.png, nullptr);
  return true;
}

bool run_write(Writer& writer, std::FILE* file, const Image& image, int color, png_bytepp rows) {
  if (setjmp(png_jmpbuf(writer.png))) return false;
  png_init_io(writer.png, file);
  png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), image.bits, color, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(writer.png, writer.info);
  if (std::endian::native == std::endian::little && image.bits == 16) png_set_swap(writer.png);
  png_write_image(writer.png, rows);
  png_write_end(writer.png, nullptr);
  return true;
}

std::vector<png_bytep> row_pointers(std::byte* data, std::size_t row_bytes, int height) {
  std::vector<png_bytep> rows(static_cast<std::size_t>(height));
  for (std::size_t y = 0; y < rows.size(); ++y) {
    rows[y] = reinterpret_cast<png_bytep>(data) + y * row_bytes;
  }
  return rows;
}

std::string sizes(const Image& image) {
  return std::to_string(image.width) + " x " + std::to_string(image.height) + " x " +
         std::to_string(image.channels) + " samples of " + std::to_string(image.bits) + " bits";
}

// Empty where the image is well formed.
std::string what_is_wrong(const Image& image) {
  if (image.width < 1 || image.height < 1) return "an image needs at least one pixel";
  if (image.channels < 1 || image.channels > 4) return "an image has 1 to 4 channels";
  if (image.bits != 8 && image.bits != 16) return "an image has 8 or 16 bits a sample";
  std::size_t pixels = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  if (pixels > max_samples / static_cast<std::size_t>(image.channels)) return "too large";
  std::size_t bytes = image.samples() * static_cast<std::size_t>(image.bits / 8);
  if (image.data.size() != bytes) {
    return "needs " + std::to_string(bytes) + " bytes of data, has " +
           std::to_string(image.data.size());
  }
  return "";
}

void require_valid(const Image& image) {
  std::string wrong = what_is_wrong(image);
  if (!wrong.empty()) throw std::invalid_argument(sizes(image) + ": " + wrong);
}

std::uint16_t sample16(const Image& image, std::size_t index) {
  std::uint16_t value;
  std::memcpy(&value, image.data.data() + index * 2, 2);
  return value;
}

// Calls f(index in the image, index in an array of the given order) for every sample.
template <typename F>
void for_each_sample(const Image& image, SampleOrder order, F f) {
  std::size_t pixels = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  std::size_t channels = static_cast<std::size_t>(image.channels);
  for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
    for (std::size_t c = 0; c < channels; ++c) {
      std::size_t at = pixel * channels + c;
      f(at, order == SampleOrder::Interleaved ? at : c * pixels + pixel);
    }
  }
}

Image blank(int width, int height, int channels, int bits, std::size_t given) {
  Image image{width, height, channels, bits, {}};
  bool sane = width > 0 && height > 0 && channels > 0;
  if (sane && given == image.samples() && given <= max_samples) {
    image.data.resize(given * static_cast<std::size_t>(bits / 8));
  } else if (sane) {
    throw std::invalid_argument(sizes(image) + " can't be made of " + std::to_string(given));
  }
  require_valid(image);
  return image;
}

}  // namespace

Image read_png(const std::string& path) {
  File file = open_file(path, "rb");
  unsigned char signature[8];
  if (std::fread(signature, 1, 8, file.get()) != 8 || png_sig_cmp(signature, 0, 8) != 0) {
    fail(path, "not a PNG file");
  }
  Reader reader;
  if (!run_read_header(reader, file.get())) fail(path, reader.error.text);

  Image image;
  png_uint_32 width = png_get_image_width(reader.png, reader.info);
  png_uint_32 height = png_get_image_height(reader.png, reader.info);
  image.channels = png_get_channels(reader.png, reader.info);
  image.bits = png_get_bit_depth(reader.png, reader.info);
  // A header can claim any size; don't allocate for it before the claim is plausible.
  if (std::size_t{width} * height > max_samples / static_cast<std::size_t>(image.channels)) {
    fail(path, "too large: " + std::to_string(width) + " x " + std::to_string(height));
  }
  image.width = static_cast<int>(width);
  image.height = static_cast<int>(height);
  std::size_t row_bytes = png_get_rowbytes(reader.png, reader.info);
  image.data.resize(row_bytes * height);
  std::vector<png_bytep> rows = row_pointers(image.data.data(), row_bytes, image.height);
  if (!run_read_rows(reader, rows.data())) fail(path, reader.error.text);
  return image;
}

void write_png(const std::string& path, const Image& image) {
  std::string wrong = what_is_wrong(image);
  if (!wrong.empty()) fail(path, sizes(image) + ": " + wrong);
  static constexpr int colors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                   PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  File file = open_file(path, "wb");
  Writer writer;
  // libpng's interface predates const; it only reads these rows.
  auto* data = const_cast<std::byte*>(image.data.data());
  std::size_t row_bytes = image.data.size() / static_cast<std::size_t>(image.height);
  std::vector<png_bytep> rows = row_pointers(data, row_bytes, image.height);
  if (!run_write(writer, file.get(), image, colors[image.channels - 1], rows.data())) {
    fail(path, writer.error.text);
  }
  // The last bytes reach the disk only here; a full one is an error of this call.
  if (std::fflush(file.get()) != 0) fail(path, std::strerror(errno));
}

std::vector<float> to_float(const Image& image, SampleOrder order) {
  require_valid(image);
  std::vector<float> result(image.samples());
  for_each_sample(image, order, [&](std::size_t from, std::size_t to) {
    result[to] = image.bits == 8 ? static_cast<float>(image.data[from]) / 255.0f
                                 : static_cast<float>(sample16(image, from)) / 65535.0f;
  });
  return result;
}

std::vector<std::uint8_t> to_u8(const Image& image, SampleOrder order) {
  require_valid(image);
  std::vector<std::uint8_t> result(image.samples());
  for_each_sample(image, order, [&](std::size_t from, std::size_t to) {
    // 65535 = 255 * 257, so this rounds to nearest without a division by a power of two's error.
    result[to] = image.bits == 8 ? static_cast<std::uint8_t>(image.data[from])
                                 : static_cast<std::uint8_t>((sample16(image, from) + 128) / 257);
  });
  return result;
}

Image from_float(const std::vector<float>& samples, int width, int height, int channels,
                 SampleOrder order, int bits) {
  Image image = blank(width, height, channels, bits, samples.size());
  float scale = bits == 8 ? 255.0f : 65535.0f;
  for_each_sample(image, order, [&](std::size_t to, std::size_t from) {
    float value = samples[from];
    value = value > 0.0f ? std::fmin(value, 1.0f) : 0.0f;  // NaN compares false
    auto rounded = static_cast<std::uint16_t>(std::lround(value * scale));
    if (bits == 8) {
      image.data[to] = static_cast<std::byte>(rounded);
    } else {
      std::memcpy(image.data.data() + to * 2, &rounded, 2);
    }
  });
  return image;
}

Image from_u8(const std::vector<std::uint8_t>& samples, int width, int height, int channels,
              SampleOrder order) {
  Image image = blank(width, height, channels, 8, samples.size());
  for_each_sample(image, order, [&](std::size_t to, std::size_t from) {
    image.data[to] = static_cast<std::byte>(samples[from]);
  });
  return image;
}

}  // namespace sinter::apps
