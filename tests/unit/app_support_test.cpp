// Images and tensors in files: what is written comes back, and what is damaged says how.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "apps/support/image.h"
#include "apps/support/make_test_image.h"
#include "apps/support/npy.h"

namespace sinter::apps {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

// A folder of the test's own: tests of one executable run at the same time.
class AppSupport : public ::testing::Test {
 protected:
  AppSupport() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("sinter_app_support_" + std::string(test->name()) + "_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  ~AppSupport() override { fs::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  std::string store(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }

  // A version 1.0 file with this header text and data.
  std::string store_npy(const std::string& header, const std::string& data) const {
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() & 0xff);
    bytes += static_cast<char>(header.size() >> 8);
    return store("t.npy", bytes + header + data);
  }

 private:
  fs::path folder_;
};

std::string load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <typename F>
std::string error_of(F f) {
  try {
    f();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::string npy_error(const std::string& path) {
  return error_of([&] { read_npy(path); });
}
std::string png_error(const std::string& path) {
  return error_of([&] { read_png(path); });
}

std::string dict(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

Image pattern(int channels, int bits) {
  Image image{5, 3, channels, bits, {}};
  image.data.resize(image.samples() * static_cast<std::size_t>(bits / 8));
  for (std::size_t i = 0; i < image.data.size(); ++i) {
    image.data[i] = static_cast<std::byte>(i * 37 + 11);
  }
  return image;
}

TEST_F(AppSupport, PngRoundTrip) {
  for (int channels = 1; channels <= 4; ++channels) {
    for (int bits : {8, 16}) {
      Image image = pattern(channels, bits);
      write_png(file("a.png"), image);
      Image back = read_png(file("a.png"));
      EXPECT_EQ(back.width, 5);
      EXPECT_EQ(back.height, 3);
      EXPECT_EQ(back.channels, channels);
      EXPECT_EQ(back.bits, bits);
      EXPECT_EQ(back.data, image.data) << channels << " channels, " << bits << " bits";
    }
  }
}

TEST_F(AppSupport, PngSixteenBitsAreNumbersNotBytes) {
  Image image = from_float({0.25f}, 1, 1, 1, SampleOrder::Interleaved, 16);
  write_png(file("a.png"), image);
  EXPECT_NEAR(to_float(read_png(file("a.png")), SampleOrder::Planar)[0], 0.25f, 1e-5f);
}

TEST_F(AppSupport, SampleOrders) {
  // 2 x 1 pixels of 3 channels.
  std::vector<std::uint8_t> interleaved = {1, 2, 3, 4, 5, 6};
  Image image = from_u8(interleaved, 2, 1, 3, SampleOrder::Interleaved);
  EXPECT_EQ(to_u8(image, SampleOrder::Interleaved), interleaved);
  std::vector<std::uint8_t> planar = {1, 4, 2, 5, 3, 6};
  EXPECT_EQ(to_u8(image, SampleOrder::Planar), planar);
  EXPECT_EQ(from_u8(planar, 2, 1, 3, SampleOrder::Planar).data, image.data);
}

TEST_F(AppSupport, FloatsAreClampedAndRounded) {
  std::vector<float> samples = {-1.0f, 0.5f, 2.0f, std::nanf("")};
  Image image = from_float(samples, 4, 1, 1, SampleOrder::Planar);
  EXPECT_EQ(to_u8(image, SampleOrder::Planar), (std::vector<std::uint8_t>{0, 128, 255, 0}));
  image = from_float(samples, 4, 1, 1, SampleOrder::Planar, 16);
  EXPECT_EQ(to_u8(image, SampleOrder::Planar), (std::vector<std::uint8_t>{0, 128, 255, 0}));
  for (int value = 0; value < 256; ++value) {
    auto sample = static_cast<std::uint8_t>(value);
    Image one = from_u8({sample}, 1, 1, 1, SampleOrder::Planar);
    EXPECT_EQ(from_float(to_float(one, SampleOrder::Planar), 1, 1, 1, SampleOrder::Planar).data,
              one.data);
  }
}

TEST_F(AppSupport, ArrayOfWrongSizeIsRejected) {
  EXPECT_THROW(from_u8({1, 2, 3}, 2, 2, 1, SampleOrder::Planar), std::invalid_argument);
  EXPECT_THROW(from_float({1.0f}, 1, 1, 1, SampleOrder::Planar, 12), std::invalid_argument);
  EXPECT_THROW(from_u8({}, -1, 0, 1, SampleOrder::Planar), std::invalid_argument);
}

TEST_F(AppSupport, PngErrorsNameFileAndReason) {
  EXPECT_THAT(png_error(file("none.png")), HasSubstr("none.png: No such file"));
  EXPECT_THAT(png_error(store("text.png", "hello, this is text")), HasSubstr("not a PNG file"));
  EXPECT_THAT(png_error(store("empty.png", "")), HasSubstr("empty.png: not a PNG file"));
  EXPECT_THAT(error_of([&] { write_png(file("no/such/folder.png"), pattern(3, 8)); }),
              HasSubstr("folder.png: No such file"));
  Image image = pattern(3, 8);
  image.data.pop_back();
  EXPECT_THAT(error_of([&] { write_png(file("a.png"), image); }),
              HasSubstr("needs 45 bytes of data, has 44"));
}

// Every prefix and every damaged byte of a small file: an error or an image, never a crash.
TEST_F(AppSupport, DamagedPngNeverCrashes) {
  write_png(file("good.png"), pattern(4, 16));
  std::string good = load(file("good.png"));
  for (std::size_t size = 0; size + 12 < good.size(); ++size) {
    EXPECT_THAT(png_error(store("cut.png", good.substr(0, size))), HasSubstr("cut.png: "));
  }
  int rejected = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x55);
    rejected += png_error(store("bad.png", bad)) != "nothing was thrown";
  }
  EXPECT_GT(rejected, static_cast<int>(good.size()) / 2);
}

TEST_F(AppSupport, TestImageIsTheBundledOne) {
  std::string path = std::string(SINTER_SOURCE_DIR) + "/apps/quickstart/data/photo.png";
  Image bundled = read_png(path), made = make_test_image();
  ASSERT_EQ(bundled.width, made.width);
  ASSERT_EQ(bundled.height, made.height);
  ASSERT_EQ(bundled.data.size(), made.data.size());
  // The maths library of another machine may round a few samples differently.
  std::size_t different = 0;
  for (std::size_t i = 0; i < made.data.size(); ++i) different += made.data[i] != bundled.data[i];
  EXPECT_LT(different, made.data.size() / 1000);
  EXPECT_LT(fs::file_size(path), 400u * 1024);
}

TEST_F(AppSupport, NpyRoundTrip) {
  for (const char* dtype : {"u1", "i1", "b1", "u2", "i2", "f2", "bf16", "u4", "i4", "f4", "u8",
                            "i8", "f8"}) {
    for (const std::vector<std::int64_t>& shape : std::vector<std::vector<std::int64_t>>{
             {}, {1}, {7}, {2, 3}, {4, 1, 3, 2}, {0}, {3, 0, std::int64_t{1} << 62}}) {
      Npy array{dtype, shape, {}};
      array.data.resize(array.elements() * dtype_bytes(dtype));
      for (std::size_t i = 0; i < array.data.size(); ++i) {
        array.data[i] = static_cast<std::byte>(i * 3 + 1);
      }
      write_npy(file("a.npy"), array);
      Npy back = read_npy(file("a.npy"));
      EXPECT_EQ(back.dtype, dtype);
      EXPECT_EQ(back.shape, shape);
      EXPECT_EQ(back.data, array.data);
      EXPECT_EQ((load(file("a.npy")).size() - back.data.size()) % 64, 0u) << "data is aligned";
    }
  }
}

TEST_F(AppSupport, NpyAsNumPyWritesIt) {
  // numpy.save of numpy.array([[1, 2, 3]], dtype='<i2'): 128 bytes, padded with blanks.
  std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 3), }";
  header.resize(117, ' ');
  Npy array = read_npy(store_npy(header + "\n", std::string("\1\0\2\0\3\0", 6)));
  EXPECT_EQ(array.dtype, "i2");
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{1, 3}));
  // Other spellings that occur: double quotes, another order of keys, Python 2's long integers.
  array = read_npy(store_npy("{\"shape\":(2L,),\"fortran_order\":True,\"descr\":\"|b1\"}", "ab"));
  EXPECT_EQ(array.dtype, "b1");
}

TEST_F(AppSupport, NpyFormat2) {
  std::string header = dict("<f4", "(1,)");
  std::string bytes("\x93NUMPY\x02\x00", 8);
  bytes += static_cast<char>(header.size());
  bytes += std::string(3, '\0');
  EXPECT_EQ(read_npy(store("t.npy", bytes + header + "abcd")).dtype, "f4");
}

TEST_F(AppSupport, NpyBfloat16) {
  std::string path = store_npy(dict("|V2", "(1,)"), "ab");
  EXPECT_EQ(read_npy(path).dtype, "bf16");
  path = store_npy(dict("<u2", "(1,)"), "ab");
  EXPECT_EQ(read_npy(path).dtype, "u2");
  EXPECT_EQ(read_npy(path, U2Means::Bf16).dtype, "bf16");
}

TEST_F(AppSupport, NpyErrorsSayExpectedAndFound) {
  EXPECT_THAT(npy_error(file("none.npy")), HasSubstr("none.npy: No such file"));
  EXPECT_THAT(npy_error(store("t.npy", "x")), HasSubstr("truncated: the start of the file has 1"));
  EXPECT_THAT(npy_error(store("t.npy", "PK\3\4 a zip file")), HasSubstr("not a .npy file"));
  EXPECT_THAT(npy_error(store("t.npy", std::string("\x93NUMPY\x03\x00\1\0\0\0", 12))),
              HasSubstr(".npy format 3.0; expected 1.0 or 2.0"));
  EXPECT_THAT(npy_error(store("t.npy", std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12))),
              HasSubstr("4294967295 bytes; not plausible"));
  EXPECT_THAT(npy_error(store_npy(dict("<f4", "(2, 2)"), "abcd")),
              HasSubstr("truncated: shape (2, 2) of f4 needs 16 bytes of data, found 4"));
  EXPECT_THAT(npy_error(store_npy(dict("<f4", "(1,)"), "abcdefgh")),
              HasSubstr("bytes left over: shape (1,) of f4 needs 4 bytes of data, found 8"));
  EXPECT_THAT(npy_error(store_npy(dict("<f4", "(-1,)"), "")), HasSubstr("a negative one"));
  EXPECT_THAT(npy_error(store_npy(dict("<f8", "(4294967296, 4294967296)"), "")),
              HasSubstr("shape (4294967296, 4294967296) is larger than memory can be"));
  EXPECT_THAT(npy_error(store_npy(dict("<f8", "(99999999999999999999,)"), "")),
              HasSubstr("does not fit 64 bits"));
  EXPECT_THAT(npy_error(store_npy(dict("<f4", "(1000000, 1000000)"), "abcd")),
              HasSubstr("needs 4000000000000 bytes of data, found 4"));
  EXPECT_THAT(
      npy_error(store_npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", "abcd")),
      HasSubstr("Fortran order; expected C order"));
  EXPECT_THAT(npy_error(store_npy(dict(">f4", "(1,)"), "abcd")), HasSubstr("big endian"));
  EXPECT_THAT(npy_error(store_npy(dict("<c8", "(1,)"), "")), HasSubstr("'<c8' is not supported"));
  EXPECT_THAT(npy_error(store_npy("{'descr': [('a', '<f4')], }", "")), HasSubstr("structured"));
  EXPECT_THAT(npy_error(store_npy("{'descr': '<f4', 'shape': (1,), }", "abcd")),
              HasSubstr("'fortran_order' is missing"));
  EXPECT_THAT(npy_error(store_npy("{'descr': '<f4", "")), HasSubstr("does not end"));
  EXPECT_THAT(npy_error(store_npy("import os", "")), HasSubstr("expected '{', found 'i'"));
  EXPECT_THAT(npy_error(store_npy(dict("<f4", "(1,)") + "x", "abcd")),
              HasSubstr("expected the end, found 'x'"));
}

TEST_F(AppSupport, DamagedNpyNeverCrashes) {
  std::string good = load(store_npy(dict("<f4", "(2, 3)"), std::string(24, 'x')));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THAT(npy_error(store("cut.npy", good.substr(0, size))), HasSubstr("cut.npy: "));
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (int flip : {1, 0x20, 0x80}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      npy_error(store("bad.npy", bad));
    }
  }
}

TEST_F(AppSupport, NpyWriterChecksItsArgument) {
  auto write = [&](Npy array) { return error_of([&] { write_npy(file("a.npy"), array); }); };
  EXPECT_THAT(write({"f3", {1}, {}}), HasSubstr("unknown dtype 'f3'"));
  EXPECT_THAT(write({"f4", {2}, {}}), HasSubstr("shape (2,) of f4 does not fit 0 bytes of data"));
  EXPECT_THAT(write({"f4", {-2}, {}}), HasSubstr("negative extent in shape (-2,)"));
}

}  // namespace
}  // namespace sinter::apps
