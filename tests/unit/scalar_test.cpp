// Scalar arithmetic against independent definitions: wide integers, the compiler's conversions, exhaustive narrow floats.
#include "ir/eval/scalar.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "dsl/half.h"
#include "ir/eval/flat.h"

namespace sinter::ir {
namespace {

Scalar binary(Op op, Scalar a, Scalar b) {
  const Expr e = make_binary(op, literal_of(a), literal_of(b));
  const Scalar v[] = {a, b};
  return eval_op(*e, v);
}
Scalar cast(Type to, Scalar a) {
  Sym x = make_sym("x", a.type);
  const Expr e = make_cast(to, make_var(x));
  return a.type == to ? a : eval_op(*e, std::span(&a, 1));
}

std::vector<int64_t> samples(Type t, std::mt19937_64& rng) {
  std::vector<int64_t> v = {0, 1, -1, 2, 3, -3, 7, 127, -128, 255, 32767, -32768, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
  for (int i = 0; i < 40; ++i) v.push_back(static_cast<int64_t>(rng()) >> (rng() % 64));
  for (int64_t& x : v) x = Scalar::of_int(t, x).as_int();
  return v;
}

const Type int_types[] = {Int(8), Int(16), Int(32), Int(64), UInt(8), UInt(16), UInt(32), UInt(64)};

__int128 wide(Type t, int64_t v) { return t.is_uint() ? static_cast<__int128>(static_cast<uint64_t>(v)) : v; }

TEST(Scalar, IntegersAgreeWithWideArithmetic) {
  std::mt19937_64 rng(1);
  for (Type t : int_types) {
    const __int128 low = t.is_int() ? -(static_cast<__int128>(1) << (t.bits - 1)) : 0;
    const __int128 high = low + (static_cast<__int128>(1) << t.bits) - 1;
    for (int64_t x : samples(t, rng))
      for (int64_t y : samples(t, rng)) {
        const __int128 a = wide(t, x), b = wide(t, y);
        for (Op op : {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Mod, Op::Min, Op::Max}) {
          __int128 r = 0;
          switch (op) {
            case Op::Add: r = a + b; break;
            case Op::Sub: r = a - b; break;
            case Op::Mul: r = static_cast<__int128>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)); break;
            case Op::Min: r = a < b ? a : b; break;
            case Op::Max: r = a < b ? b : a; break;
            default:
              if (b != 0) {
                __int128 m = a % b;
                if (m < 0) m += b < 0 ? -b : b;
                r = op == Op::Mod ? m : (a - m) / b;
              }
          }
          const Scalar sa = Scalar::of_int(t, x), sb = Scalar::of_int(t, y);
          // u64 * u64 may leave 127 bits, but is exact modulo 2^64 all the same.
          const bool fits = r >= low && r <= high;
          if (!fits && t.traps_on_overflow()) {
            EXPECT_THROW(binary(op, sa, sb), EvalError) << op_name(op) << ' ' << x << ' ' << y;
          } else {
            EXPECT_EQ(binary(op, sa, sb), Scalar::of_int(t, static_cast<int64_t>(static_cast<unsigned __int128>(r))))
                << op_name(op) << ' ' << to_string(t) << ' ' << x << ' ' << y;
          }
        }
      }
  }
}

TEST(Scalar, DivisionIsEuclideanAndByZeroIsZero) {
  EXPECT_EQ(binary(Op::Div, Scalar::of_int(Int(32), -7), Scalar::of_int(Int(32), 2)).as_int(), -4);
  EXPECT_EQ(binary(Op::Mod, Scalar::of_int(Int(32), -7), Scalar::of_int(Int(32), -2)).as_int(), 1);
  EXPECT_EQ(binary(Op::Div, Scalar::of_int(Int(32), 5), Scalar::of_int(Int(32), 0)).as_int(), 0);
  EXPECT_EQ(binary(Op::Mod, Scalar::of_int(UInt(8), 5), Scalar::of_int(UInt(8), 0)).as_int(), 0);
}

TEST(Scalar, OverflowNamesValuesAndLine) {
  const Expr a = make_int(Int(32), INT32_MAX);
  const Expr e = make_binary(Op::Add, a, make_int(Int(32), 1), Loc{"dir/user.cpp", 12});
  const Scalar v[] = {*scalar_of(a), Scalar::of_int(Int(32), 1)};
  try {
    eval_op(*e, v);
    FAIL() << "no trap";
  } catch (const EvalError& error) {
    EXPECT_STREQ(error.what(), "user.cpp:12: Add of 2147483647 and 1 overflows i32");
  }
  EXPECT_EQ(try_eval_op(*e, v), std::nullopt);
}

TEST(Scalar, ShiftsTakeTheAmountModuloTheWidth) {
  EXPECT_EQ(binary(Op::Shl, Scalar::of_int(Int(32), 1), Scalar::of_int(Int(32), 33)).as_int(), 2);
  EXPECT_EQ(binary(Op::Shl, Scalar::of_int(Int(32), 1), Scalar::of_int(Int(32), 31)).as_int(), INT32_MIN);
  EXPECT_EQ(binary(Op::Shr, Scalar::of_int(Int(8), -128), Scalar::of_int(Int(8), 15)).as_int(), -1);
  EXPECT_EQ(binary(Op::Shr, Scalar::of_int(UInt(8), 128), Scalar::of_int(UInt(8), 7)).as_int(), 1);
}

TEST(Scalar, NarrowFloatsRoundTripExhaustively) {
  for (Type t : {Float(16), BFloat()})
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const Scalar s{t, bits};
      const double v = s.as_double();
      if (std::isnan(v)) continue;
      ASSERT_EQ(Scalar::of_float(t, v), s) << bits;
      ASSERT_EQ(make_float(t, v)->f, v) << bits;  // the constructor's rounding is the same one
    }
}

// Halfway between neighbours goes to even, anything past it goes up; checked between all neighbours.
TEST(Scalar, NarrowFloatsRoundToNearestEven) {
  for (Type t : {Float(16), BFloat()})
    for (uint32_t bits = 0; bits < 0x7f00; ++bits) {
      const double a = Scalar{t, bits}.as_double(), b = Scalar{t, bits + 1}.as_double();
      if (!std::isfinite(b)) break;
      const double half = a + (b - a) / 2;
      ASSERT_EQ(Scalar::of_float(t, half).bits, bits + (bits & 1)) << bits;
      ASSERT_EQ(Scalar::of_float(t, std::nextafter(half, HUGE_VAL)).bits, bits + 1);
      ASSERT_EQ(Scalar::of_float(t, std::nextafter(half, -HUGE_VAL)).bits, bits);
      ASSERT_EQ(Scalar::of_float(t, -half).bits, (bits + (bits & 1)) | 0x8000);
    }
  EXPECT_EQ(encode_f16(65519.9), 0x7bff);
  EXPECT_EQ(encode_f16(65520), 0x7c00);
  EXPECT_EQ(encode_f16(std::ldexp(1, -25)), 0);
  EXPECT_EQ(encode_f16(std::nextafter(std::ldexp(1, -25), 1)), 1);
  EXPECT_EQ(encode_bf16(std::numeric_limits<double>::max()), 0x7f80);
}

// Every value against what it means, and what lies between two of them against the rule.
TEST(Scalar, EightBitFloatsRoundToNearestEvenAndSaturate) {
  for (Type t : {F8E4M3(), F8E5M2()}) {
    const auto largest = static_cast<uint64_t>(t == F8E4M3() ? 0x7e : 0x7b);
    EXPECT_EQ(Scalar({t, largest}).as_double(), largest_finite(t));
    for (uint64_t bits = 0; bits < 256; ++bits) {
      const Scalar s{t, bits};
      const double v = s.as_double();
      EXPECT_EQ(std::isnan(v), (bits & 0x7f) > largest + (t == F8E5M2())) << bits;
      if (std::isnan(v)) continue;
      EXPECT_EQ(Scalar::of_float(t, v), s) << bits;
      EXPECT_EQ(make_float(t, v)->f, v) << bits;
      if (std::isinf(v)) continue;
      EXPECT_EQ(cast(t, Scalar::of_float(Float(64), v)), s) << bits;
      const float f = t == F8E4M3() ? std::bit_cast<float8_e4m3>(static_cast<uint8_t>(bits)) : std::bit_cast<float8_e5m2>(static_cast<uint8_t>(bits));
      EXPECT_EQ(f, v) << bits;
    }
    const auto stored = [&](double v) -> uint64_t { return t == F8E4M3() ? float8_e4m3(static_cast<float>(v)).bits : float8_e5m2(static_cast<float>(v)).bits; };
    for (uint64_t bits = 0; bits < largest; ++bits) {
      const double a = Scalar{t, bits}.as_double(), b = Scalar{t, bits + 1}.as_double(), half = a + (b - a) / 2;
      const auto past = static_cast<double>(std::nextafterf(static_cast<float>(half), HUGE_VALF)), before = static_cast<double>(std::nextafterf(static_cast<float>(half), 0));
      for (const auto& [v, want] : {std::pair{half, bits + (bits & 1)}, {past, bits + 1}, {before, bits}}) {
        EXPECT_EQ(encode_f8(t, v), want) << v;
        EXPECT_EQ(encode_f8(t, -v), want | 0x80) << v;
        EXPECT_EQ(stored(v), want) << v;
        EXPECT_EQ(stored(-v), want | 0x80) << v;
        EXPECT_EQ(make_float(t, v)->f, Scalar({t, want}).as_double()) << v;
      }
    }
    for (const double v : {largest_finite(t) * 1.01, 1e30, HUGE_VAL}) {
      EXPECT_EQ(encode_f8(t, v), largest);
      EXPECT_EQ(encode_f8(t, -v), largest | 0x80);
      EXPECT_EQ(stored(v), largest);
    }
    EXPECT_EQ(encode_f8(t, std::ldexp(1, -60)), 0);
    EXPECT_EQ(encode_f8(t, 5e-324), 0);
    EXPECT_EQ(encode_f8(t, NAN), 0x7f);
    EXPECT_EQ(stored(-NAN), 0x7f);
  }
}

TEST(Scalar, CastsFromFloatTruncateAndSaturate) {
  const double values[] = {0, -0.9, 0.9, 2.5, -2.5, 127.9, 128, 255.9, 256, -129, 1e10, -1e10, 9.3e18, 1.9e19, -1e30, HUGE_VAL, -HUGE_VAL, NAN};
  for (Type from : {Float(32), Float(64), BFloat()})
    for (Type to : int_types)
      for (double v : values) {
        const Scalar s = Scalar::of_float(from, v);
        const long double low = to.is_int() ? -std::ldexp(1.0L, to.bits - 1) : 0, high = std::ldexp(1.0L, to.bits - to.is_int()) - 1;
        const long double x = s.as_double();
        const long double r = std::isnan(x) ? 0 : std::fmin(std::fmax(std::trunc(x), low), high);
        const int64_t want = r < 0 ? static_cast<int64_t>(r) : static_cast<int64_t>(static_cast<uint64_t>(r));
        EXPECT_EQ(cast(to, s).as_int(), want) << to_string(from) << ' ' << to_string(to) << ' ' << v;
      }
}

TEST(Scalar, CastsFromIntegersRoundOnce) {
  // In two roundings (through a double) this would be a tie, and go down to even.
  const int64_t tie_plus_one = (int64_t(1) << 60) + (int64_t(1) << 52) + 1;
  EXPECT_EQ(cast(BFloat(), Scalar::of_int(Int(64), tie_plus_one)).as_double(), std::ldexp(129, 53));
  EXPECT_EQ(cast(BFloat(), Scalar::of_int(Int(64), -tie_plus_one)).as_double(), -std::ldexp(129, 53));
  EXPECT_EQ(cast(Float(32), Scalar::of_int(Int(32), 16777219)).as_double(), 16777220.0);
  EXPECT_EQ(cast(Int(8), Scalar::of_int(Int(32), 300)).as_int(), 44);
  EXPECT_EQ(cast(Bool(), Scalar::of_float(Float(32), 0.25)), Scalar::of_bool(true));
}

TEST(Scalar, MinAndMaxPropagateNanAndOrderZeros) {
  for (Type t : {Float(32), Float(64)}) {
    const Scalar nan = Scalar::of_float(t, NAN), one = Scalar::of_float(t, 1), zero = Scalar::of_float(t, 0), minus = Scalar::of_float(t, -0.0);
    for (Op op : {Op::Min, Op::Max}) {
      EXPECT_TRUE(std::isnan(binary(op, nan, one).as_double()));
      EXPECT_TRUE(std::isnan(binary(op, one, nan).as_double()));
    }
    EXPECT_EQ(binary(Op::Min, zero, minus), minus);
    EXPECT_EQ(binary(Op::Max, minus, zero), zero);
    EXPECT_FALSE(binary(Op::LT, nan, one).as_bool());
    EXPECT_TRUE(binary(Op::NE, nan, nan).as_bool());
  }
}

TEST(Scalar, FloatArithmeticRoundsEachOperationInItsType) {
  const Scalar third = Scalar::of_float(Float(32), 1.0f / 3);
  EXPECT_EQ(binary(Op::Mul, third, third).as_double(), static_cast<double>((1.0f / 3) * (1.0f / 3)));
  EXPECT_EQ(binary(Op::Mod, Scalar::of_float(Float(32), -1.5), Scalar::of_float(Float(32), 1)).as_double(), 0.5);
}

TEST(Scalar, MemoryRoundTrips) {
  std::mt19937_64 rng(2);
  for (Type t : {Bool(), Int(8), Int(16), Int(32), Int(64), UInt(8), UInt(16), UInt(32), UInt(64), Float(16), BFloat(), F8E4M3(), F8E5M2(), Float(32), Float(64)})
    for (int i = 0; i < 100; ++i) {
      const Scalar s = t.is_float() ? Scalar::of_float(t, std::ldexp(static_cast<double>(rng()), -60)) : Scalar::of_int(t, static_cast<int64_t>(rng()));
      unsigned char memory[8];
      store_bits(t, s.bits, memory);
      EXPECT_EQ(load_bits(t, memory), s.bits) << to_string(t);
    }
}

TEST(Flat, SharedNodesLetsAndVectors) {
  const Sym x = make_sym("x", Int(64)), y = make_sym("y", Int(64));
  Expr e = make_var(x);
  for (int i = 0; i < 40; ++i) e = make_binary(Op::BitXor, e, make_binary(Op::Shr, e, make_int(Int(64), 1)));  // 2^40 paths
  uint64_t want = 0x123456789;
  for (int i = 0; i < 40; ++i) want ^= want >> 1;
  EXPECT_EQ(evaluate(e, {{x.get(), Scalar::of_int(Int(64), 0x123456789)}}).bits, want);

  const Expr ramp = make_ramp(make_var(x), make_int(Int(64), 3), 4);
  const Expr squares = make_binary(Op::Mul, ramp, ramp);
  const Expr let = make_let(y, make_lane(squares, 2), make_binary(Op::Add, make_var(y), make_var(y)));
  EXPECT_EQ(evaluate(let, {{x.get(), Scalar::of_int(Int(64), 5)}}).as_int(), 2 * 11 * 11);

  Expr chain = make_var(x);
  for (int i = 0; i < 100000; ++i) chain = make_binary(Op::Add, chain, make_int(Int(64), 1));
  EXPECT_EQ(evaluate(chain, {{x.get(), Scalar::of_int(Int(64), 0)}}).as_int(), 100000);
  EXPECT_THROW(evaluate(make_var(x)), InternalError);
}

}  // namespace
}  // namespace sinter::ir
