#include "ir/eval/scalar.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "ir/eval/scalar_ops.h"

namespace sinter::ir {

// ---- narrow floats ------------------------------------------------------------------------------------------------

namespace {

// Rounds to nearest even at `mantissa` explicit bits with smallest normal exponent `min_exp` and largest `max_exp`.
uint16_t encode_narrow(double v, int mantissa, int min_exp, int max_exp) {
  const uint64_t raw = std::bit_cast<uint64_t>(v);
  const uint16_t sign = static_cast<uint16_t>(raw >> 63 << 15);
  const uint16_t infinity = static_cast<uint16_t>((max_exp - min_exp + 2) << mantissa);
  if (std::isnan(v)) return static_cast<uint16_t>(sign | infinity | 1u << (mantissa - 1));
  if (std::isinf(v)) return sign | infinity;
  const int e = static_cast<int>(raw >> 52 & 0x7ff) - 1023;
  if (e < min_exp - mantissa - 1) return sign;  // below half the smallest denormal (double's own denormals too)
  uint64_t m = (raw & 0xfffffffffffffull) | 1ull << 52;
  // Drop bits so that one unit of what is kept is the target's last place.
  const int drop = 52 - mantissa + (e < min_exp ? min_exp - e : 0);
  const uint64_t half = 1ull << (drop - 1), rest = m & ((half << 1) - 1);
  m >>= drop;
  if (rest > half || (rest == half && (m & 1))) ++m;
  // A carry out of the mantissa lands in the exponent field, which is what it means.
  const uint64_t field = e < min_exp ? m : m + (static_cast<uint64_t>(e - min_exp) << mantissa);
  return static_cast<uint16_t>(sign | (field >= infinity ? infinity : field));
}

double decode_narrow(uint16_t v, int mantissa, int min_exp) {
  const int exponent_mask = (1 << (15 - mantissa)) - 1;
  const int e = v >> mantissa & exponent_mask, m = v & ((1 << mantissa) - 1);
  double r;
  if (e == exponent_mask) {
    r = m ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL;
  } else {
    r = e == 0 ? std::ldexp(m, min_exp - mantissa) : std::ldexp(m + (1 << mantissa), e - 1 + min_exp - mantissa);
  }
  return v & 0x8000 ? -r : r;
}

}  // namespace

F8Format f8_format(Type t) { return t.code == TypeCode::E4M3 ? F8Format{3, -6, false, 0x7e} : F8Format{2, -14, true, 0x7b}; }

uint8_t encode_f8(Type t, double v) {
  const F8Format f = f8_format(t);
  if (std::isnan(v)) return 0x7f;
  const auto sign = static_cast<uint8_t>(std::signbit(v) ? 0x80 : 0);
  const double a = std::fabs(v);
  if (a >= largest_finite(t)) return static_cast<uint8_t>(sign | f.largest);
  if (a == 0) return sign;
  const int e = std::max(std::ilogb(a), f.min_exp);
  // The bit above the mantissa is the exponent field's 1 of the smallest normals, and a carry lands where it means itself.
  const int significand = static_cast<int>(std::nearbyint(std::ldexp(a, f.mantissa - e)));
  return static_cast<uint8_t>(sign | (significand + ((e - f.min_exp) << f.mantissa)));
}

double decode_f8(Type t, uint8_t v) {
  const F8Format f = f8_format(t);
  const int magnitude = v & 0x7f, e = magnitude >> f.mantissa, m = magnitude & ((1 << f.mantissa) - 1);
  double r;
  if (magnitude > f.largest) r = f.has_infinity && m == 0 ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
  else r = e == 0 ? std::ldexp(m, f.min_exp - f.mantissa) : std::ldexp(m + (1 << f.mantissa), e - 1 + f.min_exp - f.mantissa);
  return v & 0x80 ? -r : r;
}

uint16_t encode_f16(double v) { return encode_narrow(v, 10, -14, 15); }
uint16_t encode_bf16(double v) { return encode_narrow(v, 7, -126, 127); }
double decode_f16(uint16_t v) { return decode_narrow(v, 10, -14); }
double decode_bf16(uint16_t v) { return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(v) << 16)); }

// ---- values -------------------------------------------------------------------------------------------------------

Scalar Scalar::of_int(Type t, int64_t v) {
  internal_check(!t.is_float(), "Scalar::of_int of a float type");
  if (t.is_bool()) return {t, v != 0 ? 1u : 0u};
  const int shift = 64 - t.bits;
  const uint64_t up = static_cast<uint64_t>(v) << shift;
  return {t, t.is_int() ? static_cast<uint64_t>(static_cast<int64_t>(up) >> shift) : up >> shift};
}

Scalar Scalar::of_float(Type t, double v) {
  internal_check(t.is_float(), "Scalar::of_float of an integer type");
  if (t == F8E5M2() && std::isinf(v)) return {t, v < 0 ? 0xfcu : 0x7cu};  // a literal, not a conversion
  if (t.is_f8()) return {t, encode_f8(t, v)};
  if (t.code == TypeCode::BFloat) return {t, encode_bf16(v)};
  if (t.bits == 16) return {t, encode_f16(v)};
  if (t.bits == 32) return {t, std::bit_cast<uint32_t>(static_cast<float>(v))};
  return {t, std::bit_cast<uint64_t>(v)};
}

int64_t Scalar::as_int() const { return static_cast<int64_t>(bits); }

double Scalar::as_double() const {
  if (type.is_f8()) return decode_f8(type, static_cast<uint8_t>(bits));
  if (type.code == TypeCode::BFloat) return decode_bf16(static_cast<uint16_t>(bits));
  if (type.code == TypeCode::Float) {
    if (type.bits == 16) return decode_f16(static_cast<uint16_t>(bits));
    if (type.bits == 32) return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    return std::bit_cast<double>(bits);
  }
  return type.is_int() ? static_cast<double>(static_cast<int64_t>(bits)) : static_cast<double>(bits);
}

std::string to_string(const Scalar& s) {
  if (s.type.is_bool()) return s.bits ? "true" : "false";
  char text[40];
  if (s.type.is_float())
    std::snprintf(text, sizeof text, "%.*g", s.type.bits == 64 ? 17 : s.type.bits == 32 ? 9 : 5, s.as_double());
  else if (s.type.is_int())
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(s.bits));
  else
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(s.bits));
  return text;
}

std::optional<Scalar> scalar_of(const Expr& e) {
  if (!e.defined()) return std::nullopt;
  if (e->op == Op::IntImm) return Scalar::of_int(e->type, e->i);
  if (e->op == Op::FloatImm) return Scalar::of_float(e->type, e->f);
  return std::nullopt;
}

Expr literal_of(const Scalar& s) {
  return s.type.is_float() ? make_float(s.type, s.as_double()) : make_int(s.type, s.as_int());
}

uint64_t load_bits(Type t, const void* from) {
  switch (t.bytes()) {
    case 1: {
      uint8_t v;
      std::memcpy(&v, from, 1);
      if (t.is_bool()) return v != 0;
      return t.is_int() ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(v))) : v;
    }
    case 2: {
      uint16_t v;
      std::memcpy(&v, from, 2);
      return t.is_int() ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int16_t>(v))) : v;
    }
    case 4: {
      uint32_t v;
      std::memcpy(&v, from, 4);
      return t.is_int() ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(v))) : v;
    }
    default: {
      uint64_t v;
      std::memcpy(&v, from, 8);
      return v;
    }
  }
}

void store_bits(Type t, uint64_t bits, void* to) { std::memcpy(to, &bits, static_cast<size_t>(t.bytes())); }

// ---- operators ----------------------------------------------------------------------------------------------------

static std::string trap_text(const ArithmeticTrap& t) {
  const Scalar a{t.type, t.a}, b{t.type, t.b};
  const bool unary = t.op == Op::Neg || t.op == Op::Abs;
  std::string values = to_string(a);
  if (!unary) values += " and " + to_string(b);
  return std::string(op_name(t.op)) + " of " + values + " overflows " + to_string(t.type);
}

EvalError::EvalError(const std::string& text, Loc loc)
    : RuntimeError(eval_status, (loc.known() ? to_string(loc) + ": " : std::string()) + text), loc_(loc) {}
EvalError::EvalError(const ArithmeticTrap& trap, Loc loc) : EvalError(trap_text(trap), loc) {}

namespace {

Scalar run(const ExprNode& n, ScalarFn fn, std::span<const Scalar> v) {
  // A Select's condition comes first, as in the node.
  const uint64_t a = v[0].bits, b = v.size() > 1 ? v[1].bits : 0, c = v.size() > 2 ? v[2].bits : 0;
  return {n.type, fn(a, b, c)};
}

ScalarFn fn_of(const ExprNode& n, std::span<const Scalar> v) {
  if (v.empty()) return nullptr;
  return scalar_fn(n.op, n.fn, v[n.op == Op::Select ? 1 : 0].type, n.type);
}

}  // namespace

Scalar eval_op(const ExprNode& n, std::span<const Scalar> v) {
  if (n.op == Op::Strict) return v[0];
  const ScalarFn fn = fn_of(n, v);
  if (!fn) throw InternalError(std::string("eval_op: no scalar operator ") + op_name(n.op) + " on " + to_string(n.type));
  try {
    return run(n, fn, v);
  } catch (const ArithmeticTrap& trap) {
    throw EvalError(trap, n.loc);
  }
}

std::optional<Scalar> try_eval_op(const ExprNode& n, std::span<const Scalar> v) {
  if (n.op == Op::Strict) return v[0];
  const ScalarFn fn = n.type.is_scalar() ? fn_of(n, v) : nullptr;
  if (!fn) return std::nullopt;
  try {
    return run(n, fn, v);
  } catch (const ArithmeticTrap&) {
    return std::nullopt;
  }
}

}  // namespace sinter::ir
