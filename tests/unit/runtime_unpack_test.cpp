// sinter_rt_unpack: every way to be wrong by code and words, and the two set properties (no output
// element twice, no byte shared) against brute force.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "codegen/runtime/sinter_runtime.h"

namespace {

using testing::AssertionFailure;
using testing::AssertionResult;
using testing::AssertionSuccess;

constexpr DLDataType f32{kDLFloat, 32, 1};

/// A tensor in Func order. It owns its shape; its data is whatever the test says.
struct Tensor {
  std::vector<int64_t> shape, strides;
  DLTensor t{};

  Tensor(void* data, std::vector<int64_t> extents, std::vector<int64_t> func_strides = {},
         DLDataType type = f32)
      : shape(extents.rbegin(), extents.rend()),
        strides(func_strides.rbegin(), func_strides.rend()) {
    t = DLTensor{data, DLDevice{kDLCPU, 0}, static_cast<int>(shape.size()),
                 type, shape.data(),        strides.empty() ? nullptr : strides.data(),
                 0};
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
};

/// A call of a pipeline named "pipe".
struct Call {
  std::vector<sinter_rt_arg> args;
  std::vector<const DLTensor*> tensors;
  std::vector<int64_t> scalars;
  std::vector<int64_t> values = std::vector<int64_t>(1000, -77);

  Call& input(const char* name, const DLTensor* t, int rank, DLDataType type = f32) {
    return add(name, SINTER_RT_INPUT, t, rank, type);
  }
  Call& output(const char* name, const DLTensor* t, int rank, DLDataType type = f32) {
    return add(name, SINTER_RT_OUTPUT, t, rank, type);
  }
  Call& scalar(const char* name, int64_t value) {
    args.push_back({name, kDLInt, 32, SINTER_RT_SCALAR, 0, 0, 0});
    tensors.push_back(nullptr);
    scalars.push_back(value);
    return *this;
  }
  Call& add(const char* name, uint8_t kind, const DLTensor* t, int rank, DLDataType type) {
    args.push_back({name, type.code, type.bits, kind, static_cast<int8_t>(rank), 0, 0});
    tensors.push_back(t);
    scalars.push_back(0);
    return *this;
  }
  int run(int device = kDLCPU) {
    return sinter_rt_unpack("pipe", args.data(), static_cast<int>(args.size()), tensors.data(),
                            scalars.data(), device, values.data());
  }
  AssertionResult fails(int code, std::vector<std::string> words, int device = kDLCPU) {
    const int given = run(device);
    const std::string text = sinter_last_error();
    if (given != code) return AssertionFailure() << "code " << given << ": " << text;
    words.push_back("pipe: ");
    for (const std::string& word : words) {
      if (text.find(word) == text.npos)
        return AssertionFailure() << "no `" << word << "`: " << text;
    }
    return AssertionSuccess();
  }
  AssertionResult passes(int device = kDLCPU) {
    const int given = run(device);
    if (given == 0) return AssertionSuccess();
    return AssertionFailure() << "code " << given << ": " << sinter_last_error();
  }
};

alignas(64) std::array<float, 4096> memory;

TEST(Unpack, LaysOutPointersExtentsStridesAndScalars) {
  Tensor x(memory.data(), {5, 3}, {1, 8}), y(memory.data() + 100, {4}), s(memory.data() + 200, {});
  x.t.byte_offset = 16;
  Call call;
  call.input("x", &x.t, 2).scalar("n", -9).output("y", &y.t, 1).output("s", &s.t, 0);
  ASSERT_TRUE(call.passes());
  auto address = [](const void* p) { return static_cast<int64_t>(reinterpret_cast<uintptr_t>(p)); };
  const std::vector<int64_t> expected = {
      address(memory.data() + 4),   5,  3, 1, 8, -9, address(memory.data() + 100), 4, 1,
      address(memory.data() + 200), -77};
  EXPECT_EQ(std::vector<int64_t>(call.values.begin(), call.values.begin() + 11), expected);
}

TEST(Unpack, NormalisesStridesThatDoNotMatter) {
  Tensor null_strides(memory.data(), {4, 3, 2});
  Tensor ones(memory.data(), {1, 4, 1}, {7, 1, -3});
  Tensor empty(nullptr, {3, 0, 2}, {5, -1, 0});
  Call call;
  call.input("a", &null_strides.t, 3).input("b", &ones.t, 3).output("c", &empty.t, 3);
  ASSERT_TRUE(call.passes());
  auto strides = [&](int argument) {
    const auto first = call.values.begin() + argument * 7 + 4;
    return std::vector<int64_t>(first, first + 3);
  };
  EXPECT_EQ(strides(0), (std::vector<int64_t>{1, 4, 12}));
  EXPECT_EQ(strides(1), (std::vector<int64_t>{1, 1, 4}));
  EXPECT_EQ(strides(2), (std::vector<int64_t>{1, 3, 3}));
}

TEST(Unpack, NullTensorShapeDataAndScalars) {
  EXPECT_TRUE(Call().input("x", nullptr, 1).fails(SINTER_ERR_NULL, {"input `x`", "given NULL"}));
  Tensor t(nullptr, {4});
  EXPECT_TRUE(Call().output("y", &t.t, 1).fails(SINTER_ERR_NULL, {"output `y`", "data", "NULL"}));
  Tensor offset(nullptr, {4});
  offset.t.byte_offset = 64;
  EXPECT_TRUE(Call().input("x", &offset.t, 1).fails(SINTER_ERR_NULL, {"data"}));
  t.t.shape = nullptr;
  EXPECT_TRUE(Call().input("x", &t.t, 1).fails(SINTER_ERR_NULL, {"needed a shape"}));
  const sinter_rt_arg scalar{"n", kDLInt, 32, SINTER_RT_SCALAR, 0, 0, 0};
  int64_t value = 0;
  EXPECT_EQ(sinter_rt_unpack("pipe", &scalar, 1, nullptr, nullptr, kDLCPU, &value),
            SINTER_ERR_NULL);
  const sinter_rt_arg tensor{"x", kDLFloat, 32, SINTER_RT_INPUT, 0, 0, 0};
  EXPECT_EQ(sinter_rt_unpack("pipe", &tensor, 1, nullptr, nullptr, kDLCPU, &value),
            SINTER_ERR_NULL);
}

TEST(Unpack, Device) {
  Tensor x(memory.data(), {4}), y(memory.data() + 16, {4});
  EXPECT_TRUE(Call()
                  .input("x", &x.t, 1)
                  .fails(SINTER_ERR_DEVICE, {"`x`", "needed cuda", "given cpu"}, kDLCUDA));
  x.t.device = {kDLCUDA, 0};
  EXPECT_TRUE(Call().input("x", &x.t, 1).fails(SINTER_ERR_DEVICE, {"needed cpu", "given cuda"}));
  EXPECT_TRUE(Call().input("x", &x.t, 1).passes(kDLCUDA));
  y.t.device = {kDLCUDA, 1};
  EXPECT_TRUE(Call()
                  .input("x", &x.t, 1)
                  .output("y", &y.t, 1)
                  .fails(SINTER_ERR_DEVICE,
                         {"`y`", "needed cuda device 0", "`x`", "given device 1"}, kDLCUDA));
  x.t.device = {kDLCUDAHost, 0};
  EXPECT_TRUE(Call().input("x", &x.t, 1).passes(kDLCPU));
  EXPECT_TRUE(Call().input("x", &x.t, 1).fails(SINTER_ERR_DEVICE, {"pinned"}, kDLCUDA));
  x.t.device = {kDLCUDAManaged, 0};
  EXPECT_TRUE(Call().input("x", &x.t, 1).passes(kDLCPU));
  EXPECT_TRUE(Call().input("x", &x.t, 1).output("y", &y.t, 1).passes(kDLCUDA));
}

TEST(Unpack, ElementType) {
  Tensor i16(memory.data(), {4}, {}, {kDLInt, 16, 1}),
      vec(memory.data(), {4}, {}, {kDLFloat, 32, 4}), u8(memory.data(), {4}, {}, {kDLUInt, 8, 1}),
      b8(memory.data(), {4}, {}, {6, 8, 1});
  EXPECT_TRUE(Call()
                  .input("x", &i16.t, 1)
                  .fails(SINTER_ERR_DTYPE, {"`x`", "needed element type float32", "given int16"}));
  EXPECT_TRUE(Call().input("x", &vec.t, 1).fails(SINTER_ERR_DTYPE, {"float32 x 4 lanes"}));
  EXPECT_TRUE(Call().input("x", &u8.t, 1, {6, 8, 1}).passes());
  EXPECT_TRUE(Call().input("x", &b8.t, 1, {6, 8, 1}).passes());
  EXPECT_TRUE(Call()
                  .input("x", &b8.t, 1, {kDLUInt, 8, 1})
                  .fails(SINTER_ERR_DTYPE, {"needed element type uint8, given bool"}));
  EXPECT_TRUE(
      Call().input("x", &b8.t, 1, {kDLBfloat, 16, 1}).fails(SINTER_ERR_DTYPE, {"bfloat16"}));
  EXPECT_TRUE(Call().input("x", &b8.t, 1, {10, 8, 1}).fails(SINTER_ERR_DTYPE, {"needed element type float8_e4m3fn, given bool"}));
  EXPECT_TRUE(Call().input("x", &b8.t, 1, {12, 8, 1}).fails(SINTER_ERR_DTYPE, {"float8_e5m2,"}));
}

TEST(Unpack, Rank) {
  Tensor x(memory.data(), {4, 2});
  EXPECT_TRUE(
      Call().input("x", &x.t, 3).fails(SINTER_ERR_RANK, {"`x`", "needed 3 dimensions, given 2"}));
  EXPECT_TRUE(Call().input("x", &x.t, 0).fails(SINTER_ERR_RANK, {"needed 0 dimensions, given 2"}));
}

TEST(Unpack, Extents) {
  Tensor negative(memory.data(), {4, -2}), large(memory.data(), {int64_t{1} << 31, 2});
  EXPECT_TRUE(Call()
                  .input("x", &negative.t, 2)
                  .fails(SINTER_ERR_SHAPE, {"`x`", "dimension 1", "2146435071", "given -2"}));
  EXPECT_TRUE(
      Call().input("x", &large.t, 2).fails(SINTER_ERR_SHAPE, {"dimension 0", "given 2147483648"}));
  const int64_t many = SINTER_RT_MAX_EXTENT;
  Tensor overflow(memory.data(), {many, many, many});
  EXPECT_TRUE(Call().input("x", &overflow.t, 3).fails(SINTER_ERR_SHAPE, {"dimension 2", "2^63"}));
}

TEST(Unpack, StrideOfDimension0) {
  Tensor x(memory.data(), {4, 3}, {2, 8});
  Call call;
  call.input("x", &x.t, 2);
  EXPECT_TRUE(call.fails(SINTER_ERR_STRIDE, {"`x`", "dimension 0", "needed stride 1, given 2"}));
  call.args[0].dim0_free_stride = 1;
  EXPECT_TRUE(call.passes());
  EXPECT_EQ(call.values[3], 2);
}

TEST(Unpack, SpanFitsTheAddressSpace) {
  const int64_t far = INT64_MAX / 2;
  for (int64_t stride : {far, -far, INT64_MIN}) {
    Tensor x(memory.data(), {2, 4}, {1, stride});
    EXPECT_TRUE(Call().input("x", &x.t, 2).fails(SINTER_ERR_STRIDE, {"dimension 1", "span"}))
        << stride;
  }
  Tensor bytes(memory.data(), {2, 2}, {1, INT64_MAX / 3});  // elements fit, bytes do not
  EXPECT_TRUE(Call().input("x", &bytes.t, 2).fails(SINTER_ERR_STRIDE, {"`x`", "span"}));
  Tensor out(memory.data(), {2, 4}, {1, far});
  EXPECT_TRUE(Call().output("y", &out.t, 2).fails(SINTER_ERR_STRIDE, {"dimension 1", "span"}));
  Tensor below(memory.data(), {2, 2}, {1, -(int64_t{1} << 60)});  // before address 0
  EXPECT_TRUE(Call().input("x", &below.t, 2).fails(SINTER_ERR_STRIDE, {"`x`", "span"}));
}

TEST(Unpack, OutputsDoNotOverlapThemselves) {
  Tensor broadcast(memory.data(), {4, 3}, {1, 0}), negative(memory.data() + 64, {4, 3}, {1, -8}),
      close(memory.data(), {4, 3}, {1, 3}), same(memory.data(), {2, 2}, {1, 1});
  EXPECT_TRUE(Call()
                  .input("x", &broadcast.t, 2)
                  .input("x", &negative.t, 2)
                  .input("x", &close.t, 2)
                  .passes());
  EXPECT_TRUE(
      Call()
          .output("y", &broadcast.t, 2)
          .fails(SINTER_ERR_STRIDE, {"output `y`", "dimension 1", "positive stride", "given 0"}));
  EXPECT_TRUE(
      Call().output("y", &negative.t, 2).fails(SINTER_ERR_STRIDE, {"dimension 1", "given -8"}));
  EXPECT_TRUE(Call()
                  .output("y", &close.t, 2)
                  .fails(SINTER_ERR_STRIDE, {"dimension 1", "at least 4", "given 3"}));
  EXPECT_TRUE(
      Call().output("y", &same.t, 2).fails(SINTER_ERR_STRIDE, {"dimension 1", "at least 2"}));
}

TEST(Unpack, Alignment) {
  auto* bytes = reinterpret_cast<std::byte*>(memory.data());
  Tensor x(bytes + 2, {4});
  EXPECT_TRUE(Call()
                  .input("x", &x.t, 1)
                  .fails(SINTER_ERR_ALIGN, {"`x`", "aligned to 4 bytes", "2 bytes past"}));
  x.t.byte_offset = 2;
  EXPECT_TRUE(Call().input("x", &x.t, 1).passes());
  Tensor half(bytes + 2, {4}, {}, {kDLFloat, 16, 1});
  EXPECT_TRUE(Call().input("x", &half.t, 1, {kDLFloat, 16, 1}).passes());
}

TEST(Unpack, Aliases) {
  Tensor x(memory.data(), {8}), y(memory.data() + 7, {8}), z(memory.data() + 8, {8});
  EXPECT_TRUE(Call()
                  .input("x", &x.t, 1)
                  .input("y", &y.t, 1)
                  .output("z", nullptr, 1)
                  .fails(SINTER_ERR_NULL, {}));
  EXPECT_TRUE(Call().input("x", &x.t, 1).input("y", &y.t, 1).passes()) << "inputs may overlap";
  EXPECT_TRUE(Call().input("x", &x.t, 1).output("z", &z.t, 1).passes()) << "side by side";
  EXPECT_TRUE(Call()
                  .input("x", &x.t, 1)
                  .output("y", &y.t, 1)
                  .fails(SINTER_ERR_ALIAS, {"output `y`", "input `x`", "given 4 bytes in common"}));
  EXPECT_TRUE(Call()
                  .output("x", &x.t, 1)
                  .scalar("n", 1)
                  .output("y", &y.t, 1)
                  .fails(SINTER_ERR_ALIAS, {"output `x`", "output `y`"}));
  Tensor empty(memory.data(), {0});
  EXPECT_TRUE(Call().output("x", &x.t, 1).output("e", &empty.t, 1).passes());
}

TEST(Unpack, DeclaredAliasesAreInPlaceOrApart) {
  Tensor x(memory.data(), {8}), y(memory.data(), {8}), shifted(memory.data() + 1, {8}),
      shorter(memory.data(), {7}), apart(memory.data() + 100, {8});
  auto in_place = [&](Tensor& out) {
    Call call;
    call.input("x", &x.t, 1).output("y", &out.t, 1);
    call.args[1].may_alias = 1;
    return call;
  };
  EXPECT_TRUE(in_place(y).passes());
  EXPECT_TRUE(in_place(apart).passes());
  EXPECT_TRUE(in_place(shifted).fails(SINTER_ERR_ALIAS, {"`y`", "`x`", "same pointer"}));
  EXPECT_TRUE(in_place(shorter).fails(SINTER_ERR_ALIAS, {"extents"}));
}

TEST(Unpack, ManyArguments) {
  std::vector<std::unique_ptr<Tensor>> tensors;
  std::vector<std::string> names(100);
  Call call;
  for (int i = 0; i < 100; ++i) {
    names[i] = "t" + std::to_string(i);
    tensors.push_back(std::make_unique<Tensor>(memory.data() + 8 * i, std::vector<int64_t>{8}));
    call.output(names[i].c_str(), &tensors.back()->t, 1);
  }
  EXPECT_TRUE(call.passes());
  tensors[99]->t.data = memory.data() + 8 * 98 + 1;
  EXPECT_TRUE(call.fails(SINTER_ERR_ALIAS, {"`t98`", "`t99`"}));
}

// ---- Properties ------------------------------------------------------------------------------

/// Offsets of all elements, each as often as it occurs.
std::multiset<int64_t> offsets(const std::vector<int64_t>& extents,
                               const std::vector<int64_t>& strides, size_t d = 0, int64_t at = 0) {
  if (d == extents.size()) return {at};
  std::multiset<int64_t> all;
  for (int64_t i = 0; i < extents[d]; ++i) {
    all.merge(offsets(extents, strides, d + 1, at + i * strides[d]));
  }
  return all;
}

/// The strides each extend past all that smaller ones reach, in some order of the dimensions.
bool nested(const std::vector<int64_t>& extents, const std::vector<int64_t>& strides) {
  std::vector<int> order;
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] > 1) order.push_back(static_cast<int>(d));
  }
  std::sort(order.begin(), order.end());
  do {
    int64_t reach = 0;
    bool ok = true;
    for (int d : order) {
      ok = ok && strides[d] > reach;
      reach += strides[d] * (extents[d] - 1);
    }
    if (ok) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

TEST(UnpackProperty, AcceptedOutputsAreInjectiveAndNestedOnesAccepted) {
  int accepted = 0, rejected = 0, injective_rejected = 0;
  auto check = [&](const std::vector<int64_t>& extents, const std::vector<int64_t>& strides) {
    Tensor y(memory.data() + 2048, extents, strides);
    Call call;
    call.output("y", &y.t, static_cast<int>(extents.size()));
    call.args[0].dim0_free_stride = 1;
    const int code = call.run();
    const std::multiset<int64_t> all = offsets(extents, strides);
    const bool empty = all.empty();
    const bool injective = std::set<int64_t>(all.begin(), all.end()).size() == all.size();
    ASSERT_EQ(code == 0, empty || nested(extents, strides))
        << testing::PrintToString(extents) << testing::PrintToString(strides);
    if (code == 0) {
      ASSERT_TRUE(injective) << testing::PrintToString(extents) << testing::PrintToString(strides);
      ++accepted;
    } else {
      ASSERT_EQ(code, SINTER_ERR_STRIDE);
      ++rejected;
      injective_rejected += injective;
    }
  };
  for (int64_t e0 = 0; e0 <= 3; ++e0)
    for (int64_t e1 = 0; e1 <= 3; ++e1)
      for (int64_t e2 = 0; e2 <= 3; ++e2)
        for (int64_t s0 = -2; s0 <= 8; ++s0)
          for (int64_t s1 = -2; s1 <= 8; ++s1)
            for (int64_t s2 = -2; s2 <= 8; ++s2) check({e0, e1, e2}, {s0, s1, s2});
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(rejected, 1000);
  // Interleaved and negative strides can be injective too; no tensor library makes such an output.
  EXPECT_GT(injective_rejected, 0);
}

TEST(UnpackProperty, RangesHoldExactlyTheOverlaps) {
  std::mt19937 random(7);
  auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  int apart = 0, overlapping = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::vector<int64_t> in_extents = {pick(0, 3), pick(0, 3)};
    const std::vector<int64_t> in_strides = {pick(-4, 4), pick(-4, 4)};
    const std::vector<int64_t> out_extents = {pick(0, 3), pick(0, 3)};
    const std::vector<int64_t> out_strides = {1, pick(3, 5)};
    const int at = pick(-12, 12);
    Tensor x(memory.data() + 2048, in_extents, in_strides);
    Tensor y(memory.data() + 2048 + at, out_extents, out_strides);
    Call call;
    call.input("x", &x.t, 2).output("y", &y.t, 2);
    call.args[0].dim0_free_stride = 1;
    const int code = call.run();

    const auto in = offsets(in_extents, in_strides), out = offsets(out_extents, out_strides, 0, at);
    bool meet = false, share = false;  // as ranges, as sets
    if (!in.empty() && !out.empty()) {
      meet = *in.begin() <= *out.rbegin() && *out.begin() <= *in.rbegin();
      for (int64_t o : out) share = share || in.count(o) > 0;
    }
    ASSERT_EQ(code, meet ? SINTER_ERR_ALIAS : SINTER_OK) << sinter_last_error();
    ASSERT_TRUE(code != 0 || !share);
    (meet ? overlapping : apart)++;
  }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(overlapping, 1000);
}

}  // namespace
