// Buffer on the host, and the 16-bit floats it stores.

#include "dsl/buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "codegen/runtime/sinter_runtime.h"

namespace sinter {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

template <class F>
void expect_error(F&& f, const char* words) {
  EXPECT_THAT(std::forward<F>(f), ThrowsMessage<BufferError>(HasSubstr(words)));
}

/// Elements 0, 1, 2, ... in memory order.
Buffer counting(std::vector<int64_t> extents) {
  Buffer b = Buffer::host<int32_t>(std::move(extents));
  std::iota(b.data<int32_t>(), b.data<int32_t>() + b.size(), 0);
  return b;
}

TEST(Buffer, HostMemoryIsCompactAlignedAndZero) {
  const Buffer b = Buffer::host<float>({5, 3});
  EXPECT_TRUE(b.defined() && b.on_host() && !b.on_device() && b.compact());
  EXPECT_EQ(b.rank(), 2);
  EXPECT_EQ(b.extent(0), 5);
  EXPECT_EQ(b.extent(1), 3);
  EXPECT_EQ(b.stride(0), 1);
  EXPECT_EQ(b.stride(1), 5);
  EXPECT_EQ(b.size(), 15);
  EXPECT_EQ(b.element_bytes(), 4);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b.raw_data()) % 64, 0u);
  for (int i = 0; i < 15; ++i) EXPECT_EQ(b.data<float>()[i], 0.f);
  const DLTensor* t = b.dltensor();
  EXPECT_EQ(t->ndim, 2);
  EXPECT_EQ(t->shape[0], 3);
  EXPECT_EQ(t->shape[1], 5);
  EXPECT_EQ(t->strides[0], 5);
  EXPECT_EQ(t->device.device_type, kDLCPU);
  EXPECT_EQ(t->byte_offset, 0u);
}

TEST(Buffer, RankZeroAndNoElements) {
  const Buffer scalar = Buffer::host<double>({});
  scalar.at<double>() = 2.5;
  EXPECT_EQ(scalar.size(), 1);
  EXPECT_EQ(scalar.data<double>()[0], 2.5);
  const Buffer empty = Buffer::host<double>({4, 0, 2});
  EXPECT_EQ(empty.size(), 0);
  EXPECT_EQ(empty.stride(2), 4);
  empty.fill(1.0);
  EXPECT_EQ(empty.copy_to_host().size(), 0);
}

TEST(Buffer, CoordinatesAreInFuncOrderAndChecked) {
  const Buffer b = counting({5, 3});
  EXPECT_EQ(b.at<int32_t>(4, 2), 14);
  EXPECT_EQ(b.at<int32_t>(1, 2), 11);
  b.at<int32_t>(0, 1) = -1;
  EXPECT_EQ(b.data<int32_t>()[5], -1);
  expect_error([&] { b.at<int32_t>(5, 0); }, "dimension 0: needed a coordinate below 5, given 5");
  expect_error([&] { b.at<int32_t>(0, -1); }, "dimension 1: needed a coordinate below 3, given -1");
  expect_error([&] { b.at<int32_t>(0); }, "needed 2 coordinates, given 1");
  expect_error([&] { b.extent(2); }, "needed a dimension below 2, given 2");
  expect_error([&] { b.stride(-1); }, "given -1");
}

TEST(Buffer, ElementTypesAreChecked) {
  const Buffer b = counting({4});
  expect_error([&] { b.data<float>(); }, "elements are int32, used as float32");
  expect_error([&] { b.at<uint32_t>(0); }, "used as uint32");
  expect_error([&] { b.fill(1.0f); }, "used as float32");
  expect_error([&] { Buffer::host<float16>({1}).data<bfloat16>(); }, "float16, used as bfloat16");
  expect_error([&] { Buffer::host<float8_e4m3>({1}).data<float8_e5m2>(); }, "float8_e4m3fn, used as float8_e5m2");
  EXPECT_NO_THROW(Buffer::host<bool>({1}).data<uint8_t>());
  EXPECT_NO_THROW(Buffer::host<uint8_t>({1}).data<bool>());
  expect_error([&] { Buffer::host({kDLFloat, 32, 4}, {2}).data<float>(); }, "float32 x 4 lanes");
}

TEST(Buffer, BadExtents) {
  expect_error([] { Buffer::host<float>({-1}); }, "given -1");
  expect_error([] { Buffer::host<float>({int64_t{1} << 31}); }, "given 2147483648");
  const int64_t many = SINTER_RT_MAX_EXTENT;
  expect_error([&] { Buffer::host<float>({many, many, many}); }, "64 bits");
  expect_error([&] { Buffer::host<float>({many, many}); }, "64 bits");
}

TEST(Buffer, NoBuffer) {
  const Buffer none;
  EXPECT_FALSE(none.defined());
  expect_error([&] { none.rank(); }, "no buffer");
  expect_error([&] { none.copy_to_host(); }, "no buffer");
  expect_error([&] { none.to_dlpack(); }, "no buffer");
  expect_error([] { Buffer::from_dlpack(nullptr); }, "NULL");
}

TEST(Buffer, HandlesAndViewsShareMemory) {
  Buffer part;
  {
    Buffer b = counting({5, 3});
    const Buffer same = b;
    same.at<int32_t>(0, 0) = 100;
    EXPECT_EQ(b.at<int32_t>(0, 0), 100);
    part = b.cropped(0, 1, 3).cropped(1, 1, 2);
  }
  EXPECT_EQ(part.extent(0), 3);
  EXPECT_EQ(part.extent(1), 2);
  EXPECT_EQ(part.stride(1), 5);
  EXPECT_FALSE(part.compact());
  EXPECT_EQ(part.at<int32_t>(0, 0), 6);
  EXPECT_EQ(part.at<int32_t>(2, 1), 13);
}

TEST(Buffer, Crops) {
  const Buffer b = counting({5, 3});
  EXPECT_EQ(b.cropped(1, 3, 0).size(), 0);
  EXPECT_TRUE(b.cropped(1, 1, 2).compact());
  expect_error([&] { b.cropped(0, 3, 3); }, "dimension 0: needed a part of its 5 coordinates");
  expect_error([&] { b.cropped(0, -1, 2); }, "given 2 from -1");
  expect_error([&] { b.cropped(0, 0, -1); }, "given -1 from 0");
  expect_error([&] { b.cropped(2, 0, 1); }, "needed a dimension below 2");
}

TEST(Buffer, FillAndCopyFollowStrides) {
  const Buffer b = counting({4, 3});
  b.cropped(0, 1, 2).cropped(1, 0, 2).fill<int32_t>(-1);
  const std::vector<int32_t> expected = {0, -1, -1, 3, 4, -1, -1, 7, 8, 9, 10, 11};
  EXPECT_EQ(std::vector<int32_t>(b.data<int32_t>(), b.data<int32_t>() + 12), expected);
  const Buffer copy = b.cropped(0, 2, 2).copy_to_host();
  EXPECT_TRUE(copy.compact());
  const std::vector<int32_t> part = {-1, 3, -1, 7, 10, 11};
  EXPECT_EQ(std::vector<int32_t>(copy.data<int32_t>(), copy.data<int32_t>() + 6), part);
  copy.fill<int32_t>(5);
  EXPECT_EQ(b.at<int32_t>(3, 0), 3) << "a copy is apart";
}

TEST(Buffer, ViewOfForeignMemory) {
  std::vector<float> memory(6, 1.f);
  const Buffer b = Buffer::view(memory.data(), {3, 2});
  b.at<float>(2, 1) = 7.f;
  EXPECT_EQ(memory[5], 7.f);
}

TEST(Buffer, WrapTakesNullStridesByteOffsetAndNegativeStrides) {
  std::vector<int32_t> memory(8);
  std::iota(memory.begin(), memory.end(), 0);
  int64_t shape[] = {2, 3}, strides[] = {-3, 1};
  DLTensor t{memory.data(), {kDLCPU, 0}, 2, {kDLInt, 32, 1}, shape, nullptr, 8};
  const Buffer compact = Buffer::wrap(t);
  EXPECT_EQ(compact.at<int32_t>(0, 1), 5);
  t.strides = strides;
  t.byte_offset = 20;
  const Buffer reversed = Buffer::wrap(t);
  shape[0] = 100;  // the description was copied
  EXPECT_EQ(reversed.extent(1), 2);
  EXPECT_EQ(reversed.at<int32_t>(1, 0), 6);
  EXPECT_EQ(reversed.at<int32_t>(1, 1), 3);
  EXPECT_EQ(reversed.copy_to_host().at<int32_t>(1, 1), 3);
  t.shape = nullptr;
  expect_error([&] { Buffer::wrap(t); }, "without a shape");
}

TEST(Buffer, RoundTripThroughDlpack) {
  DLManagedTensor* managed = nullptr;
  {
    const Buffer b = counting({4, 3});
    managed = b.cropped(0, 1, 3).to_dlpack();
  }  // the tensor alone keeps the memory
  EXPECT_EQ(managed->dl_tensor.shape[1], 3);
  EXPECT_EQ(managed->dl_tensor.strides[0], 4);
  Buffer back = Buffer::from_dlpack(managed);
  EXPECT_EQ(back.at<int32_t>(2, 2), 11);
  const Buffer part = back.cropped(1, 1, 1);
  back = Buffer();
  EXPECT_EQ(part.at<int32_t>(0, 0), 5) << "a view keeps it too";
}

TEST(Buffer, FromDlpackCallsTheDeleterOnce) {
  struct Foreign {
    DLManagedTensor managed{};
    int64_t shape[1] = {2};
    float data[2] = {1, 2};
    int deleted = 0;
  } foreign;
  auto lend = [&] {
    foreign.managed.dl_tensor = {foreign.data,  {kDLCPU, 0}, 1, {kDLFloat, 32, 1},
                                 foreign.shape, nullptr,     0};
    foreign.managed.manager_ctx = &foreign;
    foreign.managed.deleter = [](DLManagedTensor* t) {
      ++static_cast<Foreign*>(t->manager_ctx)->deleted;
    };
    return &foreign.managed;
  };
  {
    const Buffer b = Buffer::from_dlpack(lend());
    const Buffer other = b;
    EXPECT_EQ(other.at<float>(1), 2.f);
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
  foreign.shape[0] = -5;
  expect_error([&] { Buffer::from_dlpack(lend()); }, "given -5");
  EXPECT_EQ(foreign.deleted, 2) << "ownership passes, whatever happens";
  foreign.shape[0] = 2;
  lend()->deleter = nullptr;
  EXPECT_NO_THROW(Buffer::from_dlpack(&foreign.managed));
}

TEST(Buffer, DeviceNeedsADriver) {
  if (sinter_rt_have_gpu()) GTEST_SKIP() << "this machine has a GPU";
  expect_error([] { Buffer::device<float>({4}); }, "libcuda.so.1");
  expect_error([] { counting({4}).copy_to_device(); }, "libcuda.so.1");
}

TEST(Buffer, DeviceMemoryIsNotReachedFromTheHost) {
  int64_t shape[] = {4};
  const DLTensor t{nullptr, {kDLCUDA, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  const Buffer b = Buffer::wrap(t);
  EXPECT_TRUE(b.on_device() && !b.on_host());
  expect_error([&] { b.at<float>(0); }, "copy_to_host");
}

// ---- 16-bit floats ---------------------------------------------------------------------------

/// The nearest of all finite values of a format, by search; ties go to the even code, and what is
/// at or beyond the middle of the largest value and the next power goes to infinity.
template <class Decode>
uint16_t nearest(float value, uint16_t largest, Decode decode) {
  const double magnitude = std::fabs(static_cast<double>(value));
  uint16_t low = 0, high = largest;  // decode is increasing
  while (low < high) {
    const uint16_t middle = low + (high - low + 1) / 2;
    if (decode(middle) <= magnitude)
      low = middle;
    else
      high = middle - 1;
  }
  const double below = decode(low);
  const double above = low == largest ? below + (below - decode(low - 1)) : decode(low + 1);
  const double middle = below + (above - below) / 2;
  if (magnitude > middle || (magnitude == middle && (low & 1))) ++low;
  return low | (std::signbit(value) ? 0x8000 : 0);
}

TEST(Half, EveryCodeRoundTrips) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    const auto bits = static_cast<uint16_t>(code);
    const float b = bf16_bits_to_float(bits), h = f16_bits_to_float(bits);
    if (std::isnan(b)) {
      EXPECT_TRUE((bits & 0x7fff) > 0x7f80 &&
                  std::isnan(bf16_bits_to_float(float_to_bf16_bits(b))));
    } else {
      EXPECT_EQ(float_to_bf16_bits(b), bits);
    }
    if (std::isnan(h)) {
      EXPECT_TRUE((bits & 0x7fff) > 0x7c00 && std::isnan(f16_bits_to_float(float_to_f16_bits(h))));
    } else {
      EXPECT_EQ(float_to_f16_bits(h), bits);
    }
  }
}

TEST(Half, RoundsToNearestEven) {
  auto check = [](float value) {
    ASSERT_EQ(float_to_bf16_bits(value),
              nearest(value, 0x7f7f,
                      [](uint16_t c) { return static_cast<double>(bf16_bits_to_float(c)); }))
        << value;
    ASSERT_EQ(float_to_f16_bits(value),
              nearest(value, 0x7bff,
                      [](uint16_t c) { return static_cast<double>(f16_bits_to_float(c)); }))
        << value;
  };
  // Around every value of either format: itself, the ties on both sides, and their neighbours.
  for (uint32_t code = 0; code < 0x10000; ++code) {
    const float centers[] = {bf16_bits_to_float(static_cast<uint16_t>(code)),
                             f16_bits_to_float(static_cast<uint16_t>(code))};
    const int shifts[] = {15, 12};
    for (int f = 0; f < 2; ++f) {
      if (!std::isfinite(centers[f])) continue;
      const auto bits = std::bit_cast<uint32_t>(centers[f]);
      for (int64_t delta : {-1, 0, 1}) {
        for (uint32_t half : {0u, 1u << shifts[f]}) {
          const float value = std::bit_cast<float>(static_cast<uint32_t>(bits + half + delta));
          if (std::isfinite(value)) check(value);
        }
      }
    }
  }
  for (float value = 0x1p-27f; value < 0x1p-13f; value *= 1.0007f) check(value);  // f16 subnormals
}

TEST(Half, Landmarks) {
  EXPECT_EQ(float_to_f16_bits(1.0f), 0x3c00);
  EXPECT_EQ(float_to_f16_bits(65504.0f), 0x7bff);
  EXPECT_EQ(float_to_f16_bits(65519.996f), 0x7bff);
  EXPECT_EQ(float_to_f16_bits(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_f16_bits(0x1p-24f), 0x0001);
  EXPECT_EQ(float_to_f16_bits(0x1p-25f), 0x0000) << "a tie to even";
  EXPECT_EQ(float_to_f16_bits(-0.0f), 0x8000);
  EXPECT_EQ(float_to_bf16_bits(1.0f), 0x3f80);
  EXPECT_EQ(float_to_bf16_bits(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(float_to_bf16_bits(-std::numeric_limits<float>::infinity()), 0xff80);
  // A NaN whose payload is all in the bits that go.
  EXPECT_TRUE(
      std::isnan(bf16_bits_to_float(float_to_bf16_bits(std::bit_cast<float>(0x7f800001u)))));
  EXPECT_TRUE(std::isnan(f16_bits_to_float(float_to_f16_bits(std::bit_cast<float>(0xff800001u)))));
  static_assert(float(bfloat16(3.0f)) == 3.0f && float(float16(0.5f)) == 0.5f);
}

}  // namespace
}  // namespace sinter
