#include "dsl/match.h"

#include <cmath>

namespace sinter::detail {

using ir::Op;
using ir::to_string;
using ir::user_error;

void check_type(Type t, Loc loc) {
  const bool widths = t.is_bool()                      ? t.bits == 1
                      : t.code == ir::TypeCode::BFloat ? t.bits == 16
                      : t.is_f8()                      ? t.bits == 8
                      : t.is_float()                   ? t.bits == 16 || t.bits == 32 || t.bits == 64
                                                       : t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64;
  if (widths && t.is_scalar()) return;
  user_error(ErrorCode::BadTypeWidth, loc, "there is no type `" + to_string(t) + "`",
             "the types are Bool(), Int and UInt of 8, 16, 32, 64 bits, Float of 16, 32, 64 bits, BFloat(16), F8E4M3() and F8E5M2(); "
             "vectors come from the schedule: f.vectorize(x)");
}

void type_error(const Operand& at, std::string message, std::string help) {
  user_error(ErrorCode::TypeMismatch, at.loc, std::move(message), std::move(help));
}

const ir::Expr& checked(const Operand& a, const char* what) {
  if (!a.expr.defined())
    user_error(ErrorCode::BadArgument, a.loc, std::string("an operand of `") + what + "` is an undefined Expr",
               "give the Expr a value before it is used");
  return a.expr.node();
}

static bool fits(const ir::ExprNode& literal, Type t) {
  if (literal.op == Op::FloatImm && t.is_f8())  // saturates
    return std::isnan(literal.f) || std::fabs(literal.f) <= ir::largest_finite(t) || (std::isinf(literal.f) && t == F8E5M2());
  if (literal.op == Op::FloatImm) return !std::isfinite(literal.f) || std::isfinite(ir::make_float(t, literal.f)->f);
  // An unsigned 64-bit literal above the largest i64 is stored as a negative value.
  const bool huge = literal.type == UInt(64) && literal.i < 0;
  if (t.is_float()) {
    const double exact = huge ? static_cast<double>(static_cast<uint64_t>(literal.i)) : static_cast<double>(literal.i);
    const double rounded = ir::make_float(t, exact)->f;
    if (!std::isfinite(rounded)) return false;
    return huge ? rounded < 0x1p64 && static_cast<uint64_t>(rounded) == static_cast<uint64_t>(literal.i)
                : rounded < 0x1p63 && static_cast<int64_t>(rounded) == literal.i;
  }
  if (t == UInt(64)) return huge || literal.i >= 0;
  return !huge && ir::make_int(t, literal.i)->i == literal.i;
}

ir::Expr convert(const Operand& a, Type t) {
  const ir::Expr& e = a.expr.node();
  if (e.type() == t) return e;
  if (!a.expr.is_literal()) return ir::make_cast(t, e);
  if (!fits(*e, t)) {
    const std::string value = e->op == Op::FloatImm  ? std::to_string(e->f)
                              : e.type() == UInt(64) ? std::to_string(static_cast<uint64_t>(e->i))
                                                     : std::to_string(e->i);
    user_error(ErrorCode::BadConstant, a.loc,
               "the literal " + value + " is not a value of " + to_string(t) + ", the type of the other side",
               "cast the other side to a type that holds it, for example i32(...) or f32(...)");
  }
  if (e->op == Op::FloatImm) return ir::make_float(t, e->f);
  if (!t.is_float()) return ir::make_int(t, e->i);
  return ir::make_float(
      t, e.type() == UInt(64) ? static_cast<double>(static_cast<uint64_t>(e->i)) : static_cast<double>(e->i));
}

static Type computed_in(Type t, Matching m) { return m == Matching::Arithmetic && t.is_narrow_float() ? Float(32) : t; }

Type common_type(const Operand& a, const Operand& b, Matching m, const char* what) {
  const Type s = checked(a, what).type(), t = checked(b, what).type();
  if (s.is_bool() != t.is_bool())
    type_error(a, std::string("`") + what + "` of " + to_string(s) + " and " + to_string(t),
               "convert the bool first: select(condition, 1, 0)");
  if (s == t) return computed_in(s, m);
  // A literal adapts to a type of its kind, and an integer literal to any.
  if (a.expr.is_literal() != b.expr.is_literal()) {
    const Type literal = a.expr.is_literal() ? s : t, other = a.expr.is_literal() ? t : s;
    if (other.is_float() || !literal.is_float()) return computed_in(other, m);
  }
  if (s.is_float() != t.is_float()) return computed_in(s.is_float() ? s : t, Matching::Arithmetic);
  if (s.is_float()) {
    if (s.is_narrow_float() && t.is_narrow_float()) return Float(32);  // f16 and bf16: neither holds the other
    return s.bits > t.bits ? s : t;
  }
  const int bits = s.bits > t.bits ? s.bits : t.bits;
  return s.is_uint() && t.is_uint() ? UInt(bits) : Int(bits);
}

std::pair<ir::Expr, ir::Expr> match(const Operand& a, const Operand& b, Matching m, const char* what) {
  const Type t = common_type(a, b, m, what);
  ir::Expr left = convert(a, t);
  return {std::move(left), convert(b, t)};
}

std::vector<ir::Expr> match_floats(const std::vector<const Operand*>& operands, const char* what) {
  Type common = Type{};
  bool typed = false;  // some operand is not a literal
  for (const Operand* o : operands) {
    const Type t = checked(*o, what).type();
    if (t.is_bool())
      type_error(*o, std::string("`") + what + "` of bool", "convert it first: select(condition, 1.f, 0.f)");
    const Type as_float = t.is_float() && !t.is_narrow_float() ? t : Float(32);
    const bool literal = o->expr.is_literal();
    if (common.is_none() || (!literal && !typed) || (literal == !typed && as_float.bits > common.bits))
      common = as_float;
    typed = typed || !literal;
  }
  std::vector<ir::Expr> out;
  for (const Operand* o : operands) out.push_back(convert(*o, common));
  return out;
}

}  // namespace sinter::detail
