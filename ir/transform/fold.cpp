#include "ir/transform/fold.h"

#include <algorithm>

namespace sinter::ir {

int64_t euclid_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  const int64_t q = a / b;
  return a % b < 0 ? (b > 0 ? q - 1 : q + 1) : q;
}

int64_t euclid_mod(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  const int64_t r = a % b;
  return r < 0 ? (b > 0 ? r + b : r - b) : r;
}

bool fits(Type t, int64_t v) { return make_int(t.element(), v)->i == v; }

std::optional<int64_t> fold_unary(Op op, Type t, int64_t a) {
  if (t.is_bool()) return op == Op::Not ? std::optional<int64_t>(a == 0) : std::nullopt;
  int64_t v = 0;
  switch (op) {
    case Op::Neg: v = static_cast<int64_t>(0 - static_cast<uint64_t>(a)); break;
    case Op::Abs: v = t.is_int() && a < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a; break;
    case Op::BitNot: v = ~a; break;
    default: return std::nullopt;
  }
  if (t.traps_on_overflow()) {
    if ((op == Op::Neg || op == Op::Abs) && a == INT64_MIN) return std::nullopt;
    return fits(t, v) ? std::optional<int64_t>(v) : std::nullopt;
  }
  return make_int(t.element(), v)->i;
}

std::optional<int64_t> fold_binary(Op op, Type t, int64_t a, int64_t b) {
  const bool big = t.is_uint() && t.bits == 64;  // an IntImm holds the bit pattern
  const auto less = [&](int64_t x, int64_t y) { return big ? static_cast<uint64_t>(x) < static_cast<uint64_t>(y) : x < y; };
  switch (op) {
    case Op::EQ: return a == b;
    case Op::NE: return a != b;
    case Op::LT: return less(a, b);
    case Op::LE: return !less(b, a);
    case Op::GT: return less(b, a);
    case Op::GE: return !less(a, b);
    case Op::And: return t.is_bool() ? std::optional<int64_t>(a & b) : std::nullopt;
    case Op::Or: return t.is_bool() ? std::optional<int64_t>(a | b) : std::nullopt;
    case Op::Min: return less(a, b) ? a : b;
    case Op::Max: return less(a, b) ? b : a;
    default: break;
  }
  if (t.is_bool()) return std::nullopt;
  int64_t v = 0;
  switch (op) {
    case Op::Add: if (__builtin_add_overflow(a, b, &v) && t.traps_on_overflow()) return std::nullopt; break;
    case Op::Sub: if (__builtin_sub_overflow(a, b, &v) && t.traps_on_overflow()) return std::nullopt; break;
    case Op::Mul: if (__builtin_mul_overflow(a, b, &v) && t.traps_on_overflow()) return std::nullopt; break;
    case Op::Div:
      if (t.traps_on_overflow() && a == INT64_MIN && b == -1) return std::nullopt;
      v = big ? (b == 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b))) : euclid_div(a, b);
      break;
    case Op::Mod:
      v = big ? (b == 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) % static_cast<uint64_t>(b))) : euclid_mod(a, b);
      break;
    case Op::BitAnd: v = a & b; break;
    case Op::BitOr: v = a | b; break;
    case Op::BitXor: v = a ^ b; break;
    default: return std::nullopt;
  }
  if (t.traps_on_overflow()) return fits(t, v) ? std::optional<int64_t>(v) : std::nullopt;
  return make_int(t.element(), v)->i;
}

}  // namespace sinter::ir
