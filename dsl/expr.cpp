#include "dsl/expr.h"

#include "dsl/match.h"

namespace sinter {

using detail::Matching;
using ir::Op;

Expr Expr::int_literal(Type t, int64_t v) {
  Expr e(ir::make_int(t, v));
  e.literal_ = true;
  return e;
}

Expr Expr::float_literal(Type t, double v) {
  Expr e(ir::make_float(t.bits > 64 ? Float(64) : t, v));
  e.literal_ = true;
  return e;
}

Type Expr::type() const {
  if (!defined())
    ir::user_error(ErrorCode::BadArgument, {}, "the type of an undefined Expr", "give the Expr a value first");
  return node_.type();
}

namespace {

Loc place(const Operand& a, const Operand& b) { return a.loc.known() ? a.loc : b.loc; }

Expr arithmetic(Op op, const Operand& a, const Operand& b, const char* what) {
  auto [x, y] = detail::match(a, b, Matching::Arithmetic, what);
  if (x.type().is_bool())
    detail::type_error(a, std::string("`") + what + "` of bool", "use && and ||, or convert: select(condition, 1, 0)");
  return Expr(ir::make_binary(op, std::move(x), std::move(y), place(a, b)));
}

Expr comparison(Op op, const Operand& a, const Operand& b, const char* what) {
  auto [x, y] = detail::match(a, b, Matching::Arithmetic, what);
  if (x.type().is_bool() && op != Op::EQ && op != Op::NE)
    detail::type_error(a, std::string("`") + what + "` of bool", "use &&, || and !");
  return Expr(ir::make_binary(op, std::move(x), std::move(y), place(a, b)));
}

Expr logical(Op op, const Operand& a, const Operand& b, const char* what) {
  for (const Operand* o : {&a, &b})
    if (!detail::checked(*o, what).type().is_bool())
      detail::type_error(*o, std::string("`") + what + "` of " + ir::to_string(o->expr.type()),
                         "compare first: e != 0");
  return Expr(ir::make_binary(op, a.expr.node(), b.expr.node(), place(a, b)));
}

void need_integer(const Operand& a, const char* what) {
  const Type t = detail::checked(a, what).type();
  if (t.is_integer()) return;
  detail::type_error(
      a, std::string("`") + what + "` of " + ir::to_string(t),
      t.is_bool() ? "use && and || for conditions" : "bit operations need integers: i32(e) converts the value");
}

Expr bitwise(Op op, const Operand& a, const Operand& b, const char* what) {
  need_integer(a, what);
  need_integer(b, what);
  auto [x, y] = detail::match(a, b, Matching::Arithmetic, what);
  return Expr(ir::make_binary(op, std::move(x), std::move(y), place(a, b)));
}

Expr shift(Op op, const Operand& a, const Operand& b, const char* what) {
  need_integer(a, what);
  need_integer(b, what);
  const bool adapt = a.expr.is_literal() && !b.expr.is_literal();
  const Type t = adapt ? b.expr.type() : a.expr.type();
  return Expr(ir::make_binary(op, detail::convert(a, t), detail::convert(b, t), place(a, b)));
}

}  // namespace

Expr operator+(const Operand& a, const Operand& b) { return arithmetic(Op::Add, a, b, "+"); }
Expr operator-(const Operand& a, const Operand& b) { return arithmetic(Op::Sub, a, b, "-"); }
Expr operator*(const Operand& a, const Operand& b) { return arithmetic(Op::Mul, a, b, "*"); }
Expr operator/(const Operand& a, const Operand& b) { return arithmetic(Op::Div, a, b, "/"); }

Expr operator%(const Operand& a, const Operand& b) {
  for (const Operand* o : {&a, &b})
    if (detail::checked(*o, "%").type().is_float())
      detail::type_error(*o, "`%` of " + ir::to_string(o->expr.type()), "for floats write a - b * floor(a / b)");
  return arithmetic(Op::Mod, a, b, "%");
}

Expr operator+(const Operand& a) {
  detail::checked(a, "+");
  return a.expr;
}

Expr operator-(const Operand& a) {
  const Type t = detail::checked(a, "-").type();
  if (t.is_bool()) detail::type_error(a, "`-` of bool", "use ! to negate a condition");
  return Expr(ir::make_unary(Op::Neg, detail::convert(a, t.is_narrow_float() ? Float(32) : t), a.loc));
}

Expr operator==(const Operand& a, const Operand& b) { return comparison(Op::EQ, a, b, "=="); }
Expr operator!=(const Operand& a, const Operand& b) { return comparison(Op::NE, a, b, "!="); }
Expr operator<(const Operand& a, const Operand& b) { return comparison(Op::LT, a, b, "<"); }
Expr operator<=(const Operand& a, const Operand& b) { return comparison(Op::LE, a, b, "<="); }
Expr operator>(const Operand& a, const Operand& b) { return comparison(Op::GT, a, b, ">"); }
Expr operator>=(const Operand& a, const Operand& b) { return comparison(Op::GE, a, b, ">="); }

Expr operator&&(const Operand& a, const Operand& b) { return logical(Op::And, a, b, "&&"); }
Expr operator||(const Operand& a, const Operand& b) { return logical(Op::Or, a, b, "||"); }
Expr operator!(const Operand& a) {
  if (!detail::checked(a, "!").type().is_bool())
    detail::type_error(a, "`!` of " + ir::to_string(a.expr.type()), "compare first: e == 0");
  return Expr(ir::make_unary(Op::Not, a.expr.node(), a.loc));
}

Expr operator&(const Operand& a, const Operand& b) { return bitwise(Op::BitAnd, a, b, "&"); }
Expr operator|(const Operand& a, const Operand& b) { return bitwise(Op::BitOr, a, b, "|"); }
Expr operator^(const Operand& a, const Operand& b) { return bitwise(Op::BitXor, a, b, "^"); }
Expr operator~(const Operand& a) {
  need_integer(a, "~");
  return Expr(ir::make_unary(Op::BitNot, a.expr.node(), a.loc));
}
Expr operator<<(const Operand& a, const Operand& b) { return shift(Op::Shl, a, b, "<<"); }
Expr operator>>(const Operand& a, const Operand& b) { return shift(Op::Shr, a, b, ">>"); }

Expr& operator+=(Expr& a, const Operand& b) { return a = Operand(a, b.loc) + b; }
Expr& operator-=(Expr& a, const Operand& b) { return a = Operand(a, b.loc) - b; }
Expr& operator*=(Expr& a, const Operand& b) { return a = Operand(a, b.loc) * b; }
Expr& operator/=(Expr& a, const Operand& b) { return a = Operand(a, b.loc) / b; }

}  // namespace sinter
