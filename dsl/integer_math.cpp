#include "dsl/integer_math.h"

#include <limits>

#include "dsl/match.h"
#include "dsl/math.h"

namespace sinter {

using detail::checked;
using detail::Matching;
using ir::Op;

namespace {

// Node arithmetic in one type, with the user's line.
struct Nodes {
  Loc loc;
  ir::Expr op(Op o, ir::Expr a, ir::Expr b) const { return ir::make_binary(o, std::move(a), std::move(b), loc); }
  ir::Expr select(ir::Expr c, ir::Expr a, ir::Expr b) const {
    return ir::make_select(std::move(c), std::move(a), std::move(b), loc);
  }
};

int64_t lowest(Type t) { return t.is_uint() ? 0 : std::numeric_limits<int64_t>::min() >> (64 - t.bits); }
// Of u64: -1, whose bits are those of the largest.
int64_t highest(Type t) {
  if (t.is_uint()) return t.bits == 64 ? -1 : (int64_t{1} << t.bits) - 1;
  return std::numeric_limits<int64_t>::max() >> (64 - t.bits);
}

void need_integers(const Operand& a, const Operand& b, const char* what) {
  for (const Operand* o : {&a, &b})
    if (!checked(*o, what).type().is_integer())
      detail::type_error(*o, std::string("`") + what + "` of " + ir::to_string(o->expr.type()),
                         "it is for integers; floats have +, -, * and clamp");
}

Type wide(Type t, const Operand& at, const char* what) {
  if (t.bits == 64)
    detail::type_error(at, std::string("`") + what + "` of " + ir::to_string(t) + ": there is no wider type",
                       "64 bits are the most; cast to a narrower type first");
  Type w = t;
  w.bits = static_cast<uint8_t>(2 * t.bits);
  return w;
}

// Narrow floats are computed with as f32, which is the wide type already.
struct Wide {
  ir::Expr a, b;
  Nodes n;
};
Wide widened(const Operand& a, const Operand& b, const char* what, bool is_signed = false) {
  const Type s = checked(a, what).type(), t = checked(b, what).type();
  for (const Operand* o : {&a, &b})
    if (o->expr.type().is_bool())
      detail::type_error(*o, std::string("`") + what + "` of bool", "convert first: select(condition, 1, 0)");
  const bool narrow = s.is_narrow_float() && t.is_narrow_float();
  const Type common = detail::common_type(a, b, Matching::Arithmetic, what);
  Type w = narrow ? Float(32) : wide(common, a, what);
  if (is_signed && w.is_uint()) w = Int(w.bits);
  return {ir::make_cast(w, detail::convert(a, common)), ir::make_cast(w, detail::convert(b, common)), {a.loc}};
}

Operand operand(const ir::Expr& e, Loc loc) { return {Expr(e), loc}; }

// `e` of an integer type as the nearest value of `t`.
ir::Expr saturated(Type t, ir::Expr e) {
  const Type from = e.type();
  const auto low = [](Type x) { return static_cast<__int128>(lowest(x)); };
  const auto high = [](Type x) { return x == UInt(64) ? static_cast<__int128>(~uint64_t{0}) : static_cast<__int128>(highest(x)); };
  if (low(from) < low(t)) e = ir::make_binary(Op::Max, e, ir::make_int(from, lowest(t)));
  if (high(from) > high(t)) e = ir::make_binary(Op::Min, e, ir::make_int(from, highest(t)));
  return ir::make_cast(t, e);
}

// Sum or difference of 64 bits: in unsigned arithmetic, which wraps, with the signs telling whether it left the type.
ir::Expr saturating_64(Op op, const ir::Expr& a, const ir::Expr& b, const Nodes& n) {
  const Type t = a.type(), u = UInt(64);
  const ir::Expr ua = ir::make_cast(u, a), ub = ir::make_cast(u, b), r = n.op(op, ua, ub);
  if (t.is_uint())
    return op == Op::Add ? n.select(n.op(Op::LT, r, ua), ir::make_int(u, -1), r) : n.select(n.op(Op::LT, ua, ub), ir::make_int(u, 0), r);
  const ir::Expr s = ir::make_cast(t, r), zero = ir::make_int(t, 0);
  // A sum overflows where both operands have the other sign than it; a difference where b has its sign and a has not.
  const ir::Expr first = n.op(Op::BitXor, a, s), second = op == Op::Add ? n.op(Op::BitXor, b, s) : n.op(Op::BitXor, a, b);
  const ir::Expr overflow = n.op(Op::LT, n.op(Op::BitAnd, first, second), zero);
  const ir::Expr end = n.select(n.op(Op::LT, a, zero), ir::make_int(t, lowest(t)), ir::make_int(t, highest(t)));
  return n.select(overflow, end, s);
}

Expr saturating(Op op, const Operand& a, const Operand& b, const char* what) {
  need_integers(a, b, what);
  auto [x, y] = detail::match(a, b, Matching::Arithmetic, what);
  const Nodes n{a.loc};
  const Type t = x.type();
  if (t.bits == 64) return Expr(saturating_64(op, x, y, n));
  const Type w = Int(2 * t.bits);
  return Expr(saturated(t, n.op(op, ir::make_cast(w, x), ir::make_cast(w, y))));
}

// Amounts as the type of the left side, taken modulo its width.
ir::Expr amount_of(const Operand& b, Type t, const Nodes& n) {
  return n.op(Op::BitAnd, detail::convert(b, t), ir::make_int(t, t.bits - 1));
}

// a >> k to the nearest, k in [0, width).
ir::Expr round_right(const ir::Expr& a, const ir::Expr& k, const Nodes& n) {
  const Type t = a.type();
  const ir::Expr zero = ir::make_int(t, 0), one = ir::make_int(t, 1);
  const ir::Expr before = n.op(Op::Sub, n.op(Op::Max, k, one), one);
  const ir::Expr half = n.op(Op::BitAnd, n.op(Op::Shr, a, before), one);
  return n.op(Op::Add, n.op(Op::Shr, a, k), n.select(n.op(Op::EQ, k, zero), zero, half));
}

Expr rounding_shift(const Operand& a, const Operand& b, bool left, const char* what) {
  need_integers(a, b, what);
  const Nodes n{a.loc};
  const Type t = a.expr.is_literal() && !b.expr.is_literal() ? b.expr.type() : a.expr.type();
  const ir::Expr x = detail::convert(a, t), k = amount_of(b, t, n);
  const ir::Expr forth = left ? n.op(Op::Shl, x, k) : round_right(x, k, n);
  if (b.expr.type().is_uint()) return Expr(forth);
  const ir::Expr width = ir::make_int(t, t.bits - 1);
  const ir::Expr other = n.op(Op::BitAnd, n.op(Op::Sub, ir::make_int(t, 0), k), width);
  const ir::Expr back = left ? round_right(x, other, n) : n.op(Op::Shl, x, other);
  const ir::Expr& amount = b.expr.node();
  return Expr(n.select(n.op(Op::LT, amount, ir::make_int(amount.type(), 0)), back, forth));
}

Expr widening_shift(const Operand& a, const Operand& b, Op op, const char* what) {
  need_integers(a, b, what);
  const Type w = wide(a.expr.type(), a, what);
  const Nodes n{a.loc};
  return Expr(n.op(op, ir::make_cast(w, a.expr.node()), ir::make_cast(w, b.expr.node())));
}

Expr shifted_product(const Operand& a, const Operand& b, const Operand& shift, bool rounding, const char* what) {
  need_integers(a, b, what);
  need_integers(a, shift, what);
  auto [x, y] = detail::match(a, b, Matching::Arithmetic, what);
  const Type t = x.type(), w = wide(t, a, what);
  const Nodes n{a.loc};
  const ir::Expr product = n.op(Op::Mul, ir::make_cast(w, x), ir::make_cast(w, y)), k = amount_of(shift, w, n);
  return Expr(saturated(t, rounding ? round_right(product, k, n) : n.op(Op::Shr, product, k)));
}

}  // namespace

Expr widening_add(const Operand& a, const Operand& b) {
  const Wide w = widened(a, b, "widening_add");
  return Expr(w.n.op(Op::Add, w.a, w.b));
}
Expr widening_sub(const Operand& a, const Operand& b) {
  const Wide w = widened(a, b, "widening_sub", true);
  return Expr(w.n.op(Op::Sub, w.a, w.b));
}
Expr widening_mul(const Operand& a, const Operand& b) {
  const Type s = checked(a, "widening_mul").type(), t = checked(b, "widening_mul").type();
  // The common type of i8 and u8 would wrap the unsigned side: here each is widened from its own.
  if (s.is_integer() && t.is_integer() && s.is_int() != t.is_int() && !a.expr.is_literal() && !b.expr.is_literal()) {
    const Type w = wide(Int(std::max(s.bits, t.bits)), a, "widening_mul");
    return Expr(Nodes{a.loc}.op(Op::Mul, ir::make_cast(w, a.expr.node()), ir::make_cast(w, b.expr.node())));
  }
  const Wide w = widened(a, b, "widening_mul");
  return Expr(w.n.op(Op::Mul, w.a, w.b));
}
Expr widening_shift_left(const Operand& a, const Operand& b) {
  return widening_shift(a, b, Op::Shl, "widening_shift_left");
}
Expr widening_shift_right(const Operand& a, const Operand& b) {
  return widening_shift(a, b, Op::Shr, "widening_shift_right");
}

Expr saturating_add(const Operand& a, const Operand& b) { return saturating(Op::Add, a, b, "saturating_add"); }
Expr saturating_sub(const Operand& a, const Operand& b) { return saturating(Op::Sub, a, b, "saturating_sub"); }

Expr saturating_cast(Type t, const Operand& a) {
  detail::check_type(t, a.loc);
  const ir::Expr& e = checked(a, "saturating_cast");
  const Type from = e.type();
  if (from == t) return Expr(e);
  if (t.is_bool() || from.is_bool() || (from.is_float() && t.is_integer())) return cast(t, a);  // saturates already
  if (from.is_integer() && t.is_integer()) return Expr(saturated(t, e));
  // To a float: the finite range of the narrower of the two.
  const double end = t.is_float() && from.is_float() && from.bits < t.bits ? ir::largest_finite(from) : ir::largest_finite(t);
  if (from.is_integer() && t != Float(16)) return cast(t, a);  // every integer is in the range of the others
  const Type compute = from.is_float() ? (from.bits < 32 ? Float(32) : from) : Float(from.bits == 64 ? 64 : 32);
  const Operand low = operand(ir::make_float(compute, -end), a.loc), high = operand(ir::make_float(compute, end), a.loc);
  return cast(t, Operand(clamp(Operand(cast(compute, a), a.loc), low, high), a.loc));
}

Expr halving_add(const Operand& a, const Operand& b) {
  need_integers(a, b, "halving_add");
  auto [x, y] = detail::match(a, b, Matching::Arithmetic, "halving_add");
  const Nodes n{a.loc};
  return Expr(n.op(Op::Add, n.op(Op::BitAnd, x, y), n.op(Op::Shr, n.op(Op::BitXor, x, y), ir::make_int(x.type(), 1))));
}
Expr rounding_halving_add(const Operand& a, const Operand& b) {
  need_integers(a, b, "rounding_halving_add");
  auto [x, y] = detail::match(a, b, Matching::Arithmetic, "rounding_halving_add");
  const Nodes n{a.loc};
  return Expr(n.op(Op::Sub, n.op(Op::BitOr, x, y), n.op(Op::Shr, n.op(Op::BitXor, x, y), ir::make_int(x.type(), 1))));
}
Expr halving_sub(const Operand& a, const Operand& b) {
  need_integers(a, b, "halving_sub");
  auto [x, y] = detail::match(a, b, Matching::Arithmetic, "halving_sub");
  const Nodes n{a.loc};
  const ir::Expr one = ir::make_int(x.type(), 1);
  const ir::Expr borrow = n.op(Op::BitAnd, n.op(Op::BitAnd, ir::make_unary(Op::BitNot, x, a.loc), y), one);
  return Expr(n.op(Op::Sub, n.op(Op::Sub, n.op(Op::Shr, x, one), n.op(Op::Shr, y, one)), borrow));
}

Expr rounding_shift_right(const Operand& a, const Operand& b) { return rounding_shift(a, b, false, "rounding_shift_right"); }
Expr rounding_shift_left(const Operand& a, const Operand& b) { return rounding_shift(a, b, true, "rounding_shift_left"); }

Expr mul_shift_right(const Operand& a, const Operand& b, const Operand& shift) {
  return shifted_product(a, b, shift, false, "mul_shift_right");
}
Expr rounding_mul_shift_right(const Operand& a, const Operand& b, const Operand& shift) {
  return shifted_product(a, b, shift, true, "rounding_mul_shift_right");
}

Expr absd(const Operand& a, const Operand& b) {
  auto [x, y] = detail::match(a, b, Matching::Arithmetic, "absd");
  const Type t = x.type();
  const Nodes n{a.loc};
  if (t.is_bool()) detail::type_error(a, "`absd` of bool", "use !=");
  if (t.is_float()) return abs(operand(n.op(Op::Sub, x, y), a.loc));
  const Type u = UInt(t.bits);
  const ir::Expr ux = ir::make_cast(u, x), uy = ir::make_cast(u, y);
  return Expr(n.select(n.op(Op::LT, x, y), n.op(Op::Sub, uy, ux), n.op(Op::Sub, ux, uy)));
}

}  // namespace sinter
