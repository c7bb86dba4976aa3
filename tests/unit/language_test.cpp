// What the wider language means, against formulas of its own: integer arithmetic in 128 bits, boundaries by stepping along the axis.
// (The differential tests compare ways to run with the oracle, which runs the same expressions.)
#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace sinter {
namespace {

using Int128 = __int128;

template <class T>
struct Limits {
  static constexpr Int128 low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
};
template <class T>
Int128 saturated(Int128 v) {
  return std::clamp<Int128>(v, Limits<T>::low, Limits<T>::high);
}
Int128 floor_shift(Int128 v, int by) { return v >> by; }  // arithmetic

// All pairs of 8-bit values; the ends, powers of two and their neighbours of wider types.
template <class T>
std::vector<T> interesting() {
  std::vector<T> out;
  if constexpr (sizeof(T) == 1) {
    for (int v = std::numeric_limits<T>::min(); v <= std::numeric_limits<T>::max(); ++v) out.push_back(static_cast<T>(v));
  } else {
    for (unsigned bit = 0; bit < 8 * sizeof(T); bit += 3)
      for (int around : {-1, 0, 1}) {
        const auto v = static_cast<T>((T(1) << bit) + static_cast<T>(around));
        out.push_back(v);
        out.push_back(static_cast<T>(~v));
      }
    out.push_back(std::numeric_limits<T>::min());
    out.push_back(std::numeric_limits<T>::max());
  }
  return out;
}

// One operator on all pairs, through the oracle; `expected` gives the value modulo 2^64.
template <class T>
void check(const char* what, const std::function<Expr(Expr, Expr)>& op, const std::function<Int128(Int128, Int128)>& expected) {
  SCOPED_TRACE(what);
  const std::vector<T> values = interesting<T>();
  const auto n = static_cast<int64_t>(values.size());
  Input a("a", type_of<T>(), 1), b("b", type_of<T>(), 1);
  Var i("i"), j("j");
  Func f("f");
  f(i, j) = u64(op(a(i), b(j)));
  Buffer in = Buffer::host(dtype_of<T>(), {n}), out = Buffer::host(dtype_of<uint64_t>(), {n, n});
  std::copy(values.begin(), values.end(), static_cast<T*>(in.raw_data()));
  Pipeline("p", {a, b}, {f}).interpret({in, in, out});
  int wrong = 0;
  for (int64_t y = 0; y < n && wrong < 5; ++y)
    for (int64_t x = 0; x < n && wrong < 5; ++x) {
      const auto want = static_cast<uint64_t>(expected(values[static_cast<size_t>(x)], values[static_cast<size_t>(y)]));
      const uint64_t got = static_cast<const uint64_t*>(out.raw_data())[y * n + x];
      if (want == got) continue;
      ++wrong;
      ADD_FAILURE() << +values[static_cast<size_t>(x)] << ", " << +values[static_cast<size_t>(y)] << ": expected " << static_cast<int64_t>(want) << ", got "
                    << static_cast<int64_t>(got);
    }
}

template <class T>
class IntegerMath : public testing::Test {};
using Integers = testing::Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(IntegerMath, Integers);

TYPED_TEST(IntegerMath, IsExactBeforeItSaturatesOrRounds) {
  using T = TypeParam;
  constexpr int width = 8 * sizeof(T);
  const auto wrapped = [](Int128 v) -> Int128 { return static_cast<T>(v); };
  check<T>("saturating_add", [](Expr a, Expr b) { return saturating_add(a, b); }, [](Int128 a, Int128 b) { return saturated<T>(a + b); });
  check<T>("saturating_sub", [](Expr a, Expr b) { return saturating_sub(a, b); }, [](Int128 a, Int128 b) { return saturated<T>(a - b); });
  check<T>("halving_add", [](Expr a, Expr b) { return halving_add(a, b); }, [](Int128 a, Int128 b) { return floor_shift(a + b, 1); });
  check<T>("rounding_halving_add", [](Expr a, Expr b) { return rounding_halving_add(a, b); }, [](Int128 a, Int128 b) { return floor_shift(a + b + 1, 1); });
  check<T>("halving_sub", [](Expr a, Expr b) { return halving_sub(a, b); }, [&](Int128 a, Int128 b) { return wrapped(floor_shift(a - b, 1)); });
  check<T>("absd", [](Expr a, Expr b) { return absd(a, b); }, [](Int128 a, Int128 b) { return a < b ? b - a : a - b; });
  const auto right = [&](Int128 a, int by) { return wrapped(floor_shift(a + (by ? Int128(1) << (by - 1) : 0), by)); };
  const auto left = [&](Int128 a, int by) { return wrapped(static_cast<Int128>(static_cast<unsigned __int128>(a) << by)); };
  const auto amount = [&](Int128 b) { return static_cast<int>((b < 0 ? -b : b) % width); };
  check<T>("rounding_shift_right", [](Expr a, Expr b) { return rounding_shift_right(a, b); },
           [&](Int128 a, Int128 b) { return b < 0 ? left(a, amount(b)) : right(a, amount(b)); });
  check<T>("rounding_shift_left", [](Expr a, Expr b) { return rounding_shift_left(a, b); },
           [&](Int128 a, Int128 b) { return b < 0 ? right(a, amount(b)) : left(a, amount(b)); });
  check<T>("saturating_cast i8", [](Expr a, Expr) { return saturating_cast<int8_t>(a); }, [](Int128 a, Int128) { return saturated<int8_t>(a); });
  check<T>("saturating_cast u16", [](Expr a, Expr) { return saturating_cast<uint16_t>(a); }, [](Int128 a, Int128) { return saturated<uint16_t>(a); });
  check<T>("saturating_cast i32", [](Expr a, Expr) { return saturating_cast<int32_t>(a); }, [](Int128 a, Int128) { return saturated<int32_t>(a); });
  check<T>("saturating_cast i64", [](Expr a, Expr) { return saturating_cast<int64_t>(a); }, [](Int128 a, Int128) { return saturated<int64_t>(a); });
  check<T>("saturating_cast u64", [](Expr a, Expr) { return saturating_cast<uint64_t>(a); }, [](Int128 a, Int128) { return saturated<uint64_t>(a); });
  if constexpr (sizeof(T) < 8) {
    check<T>("widening_add", [](Expr a, Expr b) { return widening_add(a, b); }, [](Int128 a, Int128 b) { return a + b; });
    check<T>("widening_sub", [](Expr a, Expr b) { return widening_sub(a, b); }, [](Int128 a, Int128 b) { return a - b; });
    check<T>("widening_mul", [](Expr a, Expr b) { return widening_mul(a, b); }, [](Int128 a, Int128 b) { return a * b; });
    check<T>("mul_shift_right", [](Expr a, Expr b) { return mul_shift_right(a, b, 5); }, [](Int128 a, Int128 b) { return saturated<T>(floor_shift(a * b, 5)); });
    // The wide product of two minima is the largest power of two of the wide type; what rounding adds comes after the shift.
    check<T>("rounding_mul_shift_right", [](Expr a, Expr b) { return rounding_mul_shift_right(a, b, 3); },
             [](Int128 a, Int128 b) { return saturated<T>(floor_shift(a * b + 4, 3)); });
  }
}

TEST(WidenedTypes, AreTwiceAsWide) {
  Input s("s", Int(8), 1), u("u", UInt(8), 1), h("h", Float(16), 1), f("f", Float(32), 1);
  EXPECT_EQ(widening_add(u(0), u(0)).type(), UInt(16));
  EXPECT_EQ(widening_sub(u(0), u(0)).type(), Int(16));
  EXPECT_EQ(widening_mul(s(0), u(0)).type(), Int(16));
  EXPECT_EQ(widening_mul(h(0), h(0)).type(), Float(32));
  EXPECT_EQ(widening_add(f(0), f(0)).type(), Float(64));
  EXPECT_EQ(absd(s(0), s(0)).type(), UInt(8));
  EXPECT_EQ(saturating_add(u(0), 200).type(), UInt(8));
}

// The index that stands for x, found by walking from 0 and turning or jumping at the edges.
int64_t walk_to(const std::string& how, int64_t x, int64_t n) {
  if (n == 1) return 0;
  int64_t at = 0, step = 1;
  const int64_t distance = x < 0 ? -x : x;
  if (x < 0) step = -1;
  for (int64_t i = 0; i < distance; ++i) {
    const int64_t next = at + step;
    if (next >= 0 && next < n) at = next;
    else if (how == "repeat_image") at = next < 0 ? n - 1 : 0;
    else if (how == "mirror_image") step = -step;  // the edge once more
    else step = -step, at += step;
  }
  return at;
}

TEST(Boundary, ReadsTheElementThatAWalkAlongTheAxisFinds) {
  for (const std::string how : {"repeat_image", "mirror_image", "mirror_interior"})
    for (int64_t n : {1, 2, 3, 7}) {
      Input in("in", Int(32), 1);
      Var x("x");
      Func e = how == "repeat_image" ? BoundaryConditions::repeat_image(in) : how == "mirror_image" ? BoundaryConditions::mirror_image(in) : BoundaryConditions::mirror_interior(in);
      Func f("f");
      f(x) = e(x - 30);
      Buffer data = Buffer::host(dtype_of<int32_t>(), {n}), out = Buffer::host(dtype_of<int32_t>(), {61});
      for (int64_t i = 0; i < n; ++i) static_cast<int32_t*>(data.raw_data())[i] = static_cast<int32_t>(i);
      Pipeline("p", {in}, {f}).interpret({data, out});
      for (int64_t i = 0; i < 61; ++i) EXPECT_EQ(static_cast<const int32_t*>(out.raw_data())[i], walk_to(how, i - 30, n)) << how << " of " << n << " at " << i - 30;
    }
}

// Against a plain loop: the first of equal values in the order of the domain, NaN before all.
TEST(Language, ArgmaxAndArgminFindTheFirst) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::vector<float>> rows = {{3, 1, 3, 0, 0, 2},         {-inf, -inf, -inf, -inf, -inf, -inf}, {1, nan, 5, nan, -2, 0},
                                                {-0.f, 0, -0.f, 0, -1, -1}, {inf, 2, inf, -inf, -inf, 4},          {nan, nan, nan, nan, nan, nan}};
  const auto n = static_cast<int64_t>(rows.size());
  Buffer in = Buffer::host<float>({3, 2, n}), out = Buffer::host<float>({n, 6}), line = Buffer::host<float>({n, 4});
  for (int64_t m = 0; m < n; ++m) std::copy(rows[m].begin(), rows[m].end(), static_cast<float*>(in.raw_data()) + 6 * m);
  Input a("a", Float(32), 3);
  Var m("m"), c("c");
  Func f("f"), g("g");
  RDom all(0, 3, 0, 2, "all"), first(1, 2, "first");
  const Tuple most = argmax(all, a(all.x, all.y, m)), least = argmin(all, a(all.x, all.y, m));
  ASSERT_EQ(most.size(), 3u);
  f(m, c) = mux(c, {f32(most[0]), f32(most[1]), most[2], f32(least[0]), f32(least[1]), least[2]});
  const Tuple right = argmax(first, a(first, 1, m)), left = argmin(first, a(first, 1, m));
  ASSERT_EQ(right.size(), 2u);
  g(m, c) = mux(c, {f32(right[0]), right[1], f32(left[0]), left[1]});
  Pipeline("p", {a}, {f, g}).interpret({in, out, line});
  const auto extreme = [&](const std::vector<float>& v, size_t from, bool largest) {
    size_t best = from;
    for (size_t i = from; i < v.size(); ++i)
      if (!std::isnan(v[best]) && (std::isnan(v[i]) || (largest ? v[i] > v[best] : v[i] < v[best]))) best = i;
    return best;
  };
  const auto same = [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  for (int64_t r = 0; r < n; ++r) {
    SCOPED_TRACE(r);
    const std::vector<float>& v = rows[static_cast<size_t>(r)];
    for (const bool largest : {true, false}) {
      const size_t at = extreme(v, 0, largest), tail = extreme(v, 4, largest);
      const int64_t k = largest ? 0 : 3, l = largest ? 0 : 2;
      EXPECT_EQ(out.at<float>(r, k), static_cast<float>(at % 3));
      EXPECT_EQ(out.at<float>(r, k + 1), static_cast<float>(at / 3));
      EXPECT_TRUE(same(out.at<float>(r, k + 2), v[at]));
      EXPECT_EQ(line.at<float>(r, l), static_cast<float>(tail - 3));
      EXPECT_TRUE(same(line.at<float>(r, l + 1), v[tail]));
    }
  }
}

TEST(Language, ArgmaxOverNothingIsTheLargestIndex) {
  Input a("a", Int(16), 2);
  Var m("m"), c("c");
  Func f("f");
  RDom k(0, 4, "k"), box(0, 4, 0, 2, "box");
  k.where(k > m + 10);
  box.where(box.x > m + 10);
  const Tuple one = argmax(k, a(k, m)), two = argmin(box, a(box.x, box.y));
  f(m, c) = mux(c, {one[0], i32(one[1]), two[0], two[1], i32(two[2])});
  Buffer in = Buffer::host<int16_t>({4, 2}), out = Buffer::host<int32_t>({1, 5});
  Pipeline("p", {a}, {f}).interpret({in, out});
  const int32_t none = std::numeric_limits<int32_t>::max();
  const std::vector<int32_t> want = {none, -32768, none, none, 32767};
  for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(out.at<int32_t>(0, i), want[static_cast<size_t>(i)]) << i;
}

}  // namespace
}  // namespace sinter
