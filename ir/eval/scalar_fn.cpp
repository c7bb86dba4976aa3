// The table of operators: scalar_fn. One small function for each operator and type.
#include <cmath>

#include "ir/eval/scalar_ops.h"

namespace sinter::ir {

namespace {

// ---- integers -----------------------------------------------------------------------------------------------------

template <class T>
constexpr bool traps = std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>;

template <class T>
[[noreturn]] void trap(Op op, T a, T b) {
  throw ArithmeticTrap{op, Int(8 * static_cast<int>(sizeof(T))), Rep<T>::pack(a), Rep<T>::pack(b)};
}

template <class T, Op op>
T integer(T a, T b) {
  T r{};
  if constexpr (op == Op::Add) {
    if (__builtin_add_overflow(a, b, &r) && traps<T>) trap(op, a, b);
  } else if constexpr (op == Op::Sub) {
    if (__builtin_sub_overflow(a, b, &r) && traps<T>) trap(op, a, b);
  } else if constexpr (op == Op::Mul) {
    if (__builtin_mul_overflow(a, b, &r) && traps<T>) trap(op, a, b);
  } else if constexpr (op == Op::Neg) {
    if (__builtin_sub_overflow(T(0), a, &r) && traps<T>) trap(op, a, a);
  } else if constexpr (op == Op::Abs) {
    if constexpr (std::is_signed_v<T>) {
      r = a;
      if (a < 0 && __builtin_sub_overflow(T(0), a, &r) && traps<T>) trap(op, a, a);
    } else {
      r = a;
    }
  } else if constexpr (op == Op::Div || op == Op::Mod) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) {  // MIN / -1 does not fit, and the machine's remainder would fault
        if (op == Op::Mod) return 0;
        if (__builtin_sub_overflow(T(0), a, &r) && traps<T>) trap(op, a, b);
        return r;
      }
      T q = static_cast<T>(a / b), m = static_cast<T>(a % b);
      if (m < 0) {
        q = static_cast<T>(b > 0 ? q - 1 : q + 1);
        m = static_cast<T>(b > 0 ? m + b : m - b);
      }
      r = op == Op::Div ? q : m;
    } else {
      r = static_cast<T>(op == Op::Div ? a / b : a % b);
    }
  } else if constexpr (op == Op::Min) {
    r = a < b ? a : b;
  } else if constexpr (op == Op::Max) {
    r = a > b ? a : b;
  } else if constexpr (op == Op::BitAnd) {
    r = static_cast<T>(a & b);
  } else if constexpr (op == Op::BitOr) {
    r = static_cast<T>(a | b);
  } else if constexpr (op == Op::BitXor) {
    r = static_cast<T>(a ^ b);
  } else if constexpr (op == Op::BitNot) {
    r = static_cast<T>(~a);
  } else {
    constexpr unsigned width = 8 * sizeof(T);
    const unsigned by = static_cast<unsigned>(static_cast<std::make_unsigned_t<T>>(b)) & (width - 1);
    if constexpr (op == Op::Shl) r = static_cast<T>(static_cast<uint64_t>(a) << by);
    if constexpr (op == Op::Shr) r = static_cast<T>(a >> by);
  }
  return r;
}

// ---- floats -------------------------------------------------------------------------------------------------------

template <class W>
W minimum(W a, W b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<W>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class W>
W maximum(W a, W b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<W>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <class W, Op op>
W floating(W a, W b) {
  if constexpr (op == Op::Add) return a + b;
  if constexpr (op == Op::Sub) return a - b;
  if constexpr (op == Op::Mul) return a * b;
  if constexpr (op == Op::Div) return a / b;
  if constexpr (op == Op::Mod) {
    volatile W product = b * std::floor(a / b);  // volatile: no contraction on machines that would
    return a - product;
  }
  if constexpr (op == Op::Neg) return -a;
  if constexpr (op == Op::Abs) return std::fabs(a);
  if constexpr (op == Op::Min) return minimum(a, b);
  if constexpr (op == Op::Max) return maximum(a, b);
}

constexpr bool has_float(Op op) {
  return op == Op::Neg || op == Op::Abs || op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div || op == Op::Mod ||
         op == Op::Min || op == Op::Max;
}
constexpr bool has_bool(Op op) {  // the lattice of false < true
  return op == Op::Min || op == Op::Max || op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor;
}

template <class T, Op op>
uint64_t arithmetic(uint64_t a, uint64_t b, uint64_t) {
  using R = Rep<T>;
  if constexpr (R::is_float) return R::pack(floating<typename R::Work, op>(R::unpack(a), R::unpack(b)));
  else if constexpr (std::is_same_v<T, bool>) return integer<uint8_t, op>(static_cast<uint8_t>(a), static_cast<uint8_t>(b));
  else return R::pack(integer<T, op>(R::unpack(a), R::unpack(b)));
}

template <Op op>
ScalarFn arithmetic_fn(Type t) {
  return with_cpp_type(t, []<class T>() -> ScalarFn {
    if constexpr (std::is_same_v<T, bool> ? has_bool(op) : !Rep<T>::is_float || has_float(op)) return &arithmetic<T, op>;
    else return nullptr;
  });
}

template <class T, Op op>
uint64_t comparison(uint64_t x, uint64_t y, uint64_t) {
  const auto a = Rep<T>::unpack(x), b = Rep<T>::unpack(y);
  if constexpr (op == Op::EQ) return a == b;
  if constexpr (op == Op::NE) return a != b;
  if constexpr (op == Op::LT) return a < b;
  if constexpr (op == Op::LE) return a <= b;
  if constexpr (op == Op::GT) return a > b;
  if constexpr (op == Op::GE) return a >= b;
}
template <Op op>
ScalarFn comparison_fn(Type t) {
  return with_cpp_type(t, []<class T>() -> ScalarFn { return &comparison<T, op>; });
}

// ---- conversions --------------------------------------------------------------------------------------------------

// An integer as a double that rounds to any narrower format as the integer itself would: bits that do not fit are kept as one
// sticky bit (round to odd).
template <class T>
double sticky_double(T v) {
  if constexpr (sizeof(T) < 8) {
    return static_cast<double>(v);
  } else {
    const bool negative = v < 0;
    uint64_t m = negative ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
    if (m >> 53) m = (m & ~0x7ffull) | ((m & 0x7ff) ? 0x800 : 0);
    const double d = static_cast<double>(m);
    return negative ? -d : d;
  }
}

template <class From, class To>
uint64_t convert(uint64_t x, uint64_t, uint64_t) {
  if constexpr (std::is_same_v<From, To>) return x;  // the infinity of an 8-bit float too
  const auto v = Rep<From>::unpack(x);
  if constexpr (std::is_same_v<To, bool>) {
    return v != 0;
  } else if constexpr (Rep<To>::is_float) {
    if constexpr (std::is_same_v<To, F16> || std::is_same_v<To, BF16> || is_f8<To>) {
      if constexpr (Rep<From>::is_float) return Rep<To>::pack(static_cast<double>(v));
      else return Rep<To>::pack(sticky_double(v));
    } else {
      return Rep<To>::pack(static_cast<To>(v));
    }
  } else if constexpr (Rep<From>::is_float) {
    if (std::isnan(v)) return 0;
    const double d = std::trunc(static_cast<double>(v));
    // The limits as doubles: 2^63 and 2^64 are exact, so that >= is right where max() itself is not representable.
    const double low = static_cast<double>(std::numeric_limits<To>::min());
    const double high = std::ldexp(1.0, std::numeric_limits<To>::digits);
    if (d < low) return Rep<To>::pack(std::numeric_limits<To>::min());
    if (d >= high) return Rep<To>::pack(std::numeric_limits<To>::max());
    return Rep<To>::pack(static_cast<To>(d));
  } else {
    return Rep<To>::pack(static_cast<To>(v));
  }
}

ScalarFn cast_fn(Type from, Type to) {
  return with_cpp_type(from, [&]<class From>() -> ScalarFn {
    return with_cpp_type(to, []<class To>() -> ScalarFn { return &convert<From, To>; });
  });
}

template <class To>
uint64_t reinterpret(uint64_t x, uint64_t, uint64_t) {
  if constexpr (std::is_same_v<To, bool> || std::is_same_v<To, uint8_t> || is_f8<To>) return x & 0xff;
  else if constexpr (std::is_same_v<To, F16> || std::is_same_v<To, BF16> || std::is_same_v<To, uint16_t>) return x & 0xffff;
  else if constexpr (std::is_same_v<To, float> || std::is_same_v<To, uint32_t>) return x & 0xffffffff;
  else if constexpr (std::is_same_v<To, double>) return x;
  else return Rep<To>::pack(static_cast<To>(x));
}

// ---- maths --------------------------------------------------------------------------------------------------------

template <MathFn fn>
double in_double(double x, double y) {
  if constexpr (fn == MathFn::Exp) return std::exp(x);
  if constexpr (fn == MathFn::Exp2) return std::exp2(x);
  if constexpr (fn == MathFn::Log) return std::log(x);
  if constexpr (fn == MathFn::Log2) return std::log2(x);
  if constexpr (fn == MathFn::Tanh) return std::tanh(x);
  if constexpr (fn == MathFn::Erf) return std::erf(x);
  if constexpr (fn == MathFn::Sqrt) return std::sqrt(x);  // correctly rounded for f32 too: 53 >= 2 * 24 + 2
  if constexpr (fn == MathFn::Rsqrt) return 1.0 / std::sqrt(x);
  if constexpr (fn == MathFn::Pow) return std::pow(x, y);
  if constexpr (fn == MathFn::Sin) return std::sin(x);
  if constexpr (fn == MathFn::Cos) return std::cos(x);
  if constexpr (fn == MathFn::Floor) return std::floor(x);
  if constexpr (fn == MathFn::Ceil) return std::ceil(x);
  if constexpr (fn == MathFn::Round) return std::nearbyint(x);
  if constexpr (fn == MathFn::Trunc) return std::trunc(x);
}

template <class T, MathFn fn>
uint64_t math(uint64_t a, uint64_t b, uint64_t c) {
  using R = Rep<T>;
  if constexpr (fn == MathFn::IsNan) return std::isnan(R::unpack(a));
  else if constexpr (fn == MathFn::Fma) return R::pack(std::fma(R::unpack(a), R::unpack(b), R::unpack(c)));
  else return R::pack(static_cast<std::conditional_t<std::is_same_v<T, float>, float, double>>(in_double<fn>(R::unpack(a), R::unpack(b))));
}

template <MathFn fn>
ScalarFn math_of(Type t) {
  return with_cpp_type(t, []<class T>() -> ScalarFn {
    if constexpr (Rep<T>::is_float) return &math<T, fn>;
    else return nullptr;
  });
}

ScalarFn math_fn(MathFn fn, Type t) {
  switch (fn) {
    case MathFn::Exp: return math_of<MathFn::Exp>(t);
    case MathFn::Exp2: return math_of<MathFn::Exp2>(t);
    case MathFn::Log: return math_of<MathFn::Log>(t);
    case MathFn::Log2: return math_of<MathFn::Log2>(t);
    case MathFn::Tanh: return math_of<MathFn::Tanh>(t);
    case MathFn::Erf: return math_of<MathFn::Erf>(t);
    case MathFn::Sqrt: return math_of<MathFn::Sqrt>(t);
    case MathFn::Rsqrt: return math_of<MathFn::Rsqrt>(t);
    case MathFn::Pow: return math_of<MathFn::Pow>(t);
    case MathFn::Sin: return math_of<MathFn::Sin>(t);
    case MathFn::Cos: return math_of<MathFn::Cos>(t);
    case MathFn::Floor: return math_of<MathFn::Floor>(t);
    case MathFn::Ceil: return math_of<MathFn::Ceil>(t);
    case MathFn::Round: return math_of<MathFn::Round>(t);
    case MathFn::Trunc: return math_of<MathFn::Trunc>(t);
    case MathFn::Fma: return math_of<MathFn::Fma>(t);
    case MathFn::IsNan: return math_of<MathFn::IsNan>(t);
  }
  return nullptr;
}

}  // namespace

ScalarFn scalar_fn(Op op, MathFn fn, Type operand, Type result) {
  const Type t = operand.element();
  switch (op) {
    case Op::Cast: return cast_fn(t, result.element());
    case Op::Reinterpret:
      if (t.bytes() != result.bytes()) return nullptr;
      return with_cpp_type(result, []<class To>() -> ScalarFn { return &reinterpret<To>; });
    case Op::Neg: return arithmetic_fn<Op::Neg>(t);
    case Op::Abs: return arithmetic_fn<Op::Abs>(t);
    case Op::Add: return arithmetic_fn<Op::Add>(t);
    case Op::Sub: return arithmetic_fn<Op::Sub>(t);
    case Op::Mul: return arithmetic_fn<Op::Mul>(t);
    case Op::Div: return arithmetic_fn<Op::Div>(t);
    case Op::Mod: return arithmetic_fn<Op::Mod>(t);
    case Op::Min: return arithmetic_fn<Op::Min>(t);
    case Op::Max: return arithmetic_fn<Op::Max>(t);
    case Op::BitAnd: return arithmetic_fn<Op::BitAnd>(t);
    case Op::BitOr: return arithmetic_fn<Op::BitOr>(t);
    case Op::BitXor: return arithmetic_fn<Op::BitXor>(t);
    case Op::BitNot: return arithmetic_fn<Op::BitNot>(t);
    case Op::Shl: return arithmetic_fn<Op::Shl>(t);
    case Op::Shr: return arithmetic_fn<Op::Shr>(t);
    case Op::EQ: return comparison_fn<Op::EQ>(t);
    case Op::NE: return comparison_fn<Op::NE>(t);
    case Op::LT: return comparison_fn<Op::LT>(t);
    case Op::LE: return comparison_fn<Op::LE>(t);
    case Op::GT: return comparison_fn<Op::GT>(t);
    case Op::GE: return comparison_fn<Op::GE>(t);
    case Op::And: return +[](uint64_t a, uint64_t b, uint64_t) -> uint64_t { return a & b; };
    case Op::Or: return +[](uint64_t a, uint64_t b, uint64_t) -> uint64_t { return a | b; };
    case Op::Not: return +[](uint64_t a, uint64_t, uint64_t) -> uint64_t { return a ^ 1; };
    case Op::Select: return +[](uint64_t c, uint64_t a, uint64_t b) -> uint64_t { return c ? a : b; };
    case Op::Math: return math_fn(fn, t);
    default: return nullptr;
  }
}

}  // namespace sinter::ir
