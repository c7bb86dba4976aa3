#include "dsl/math.h"

#include <cmath>

#include "dsl/match.h"
#include "dsl/reduce.h"

namespace sinter {

using detail::checked;
using detail::Matching;
using ir::MathFn;
using ir::Op;

Expr cast(Type t, const Operand& a) {
  detail::check_type(t, a.loc);
  const ir::Expr& e = checked(a, "cast");
  const Type from = e.type();
  if (from == t) return Expr(e);
  if (t.is_bool()) return Operand(Expr(e), a.loc) != Operand(0, a.loc);
  if (e->op == Op::FloatImm && t.is_float() && !(t.is_f8() && std::isinf(e->f))) return Expr(ir::make_float(t, e->f));
  if (a.expr.is_literal() && e->op == Op::IntImm && t.is_float() && !(from == UInt(64) && e->i < 0)) {
    // A double holds every integer that is worth writing as a float literal; the others convert at run time.
    if (e->i > -(int64_t{1} << 53) && e->i < (int64_t{1} << 53))
      return Expr(ir::make_float(t, static_cast<double>(e->i)));
  }
  return Expr(ir::make_cast(t, e));
}

Expr reinterpret(Type t, const Operand& a) {
  detail::check_type(t, a.loc);
  const ir::Expr& e = checked(a, "reinterpret");
  if (e.type() == t) return Expr(e);
  if (e.type().bits != t.bits || t.is_bool())
    detail::type_error(a, "reinterpret of " + ir::to_string(e.type()) + " as " + ir::to_string(t),
                       "the widths have to agree; cast converts values");
  auto node = std::make_shared<ir::ExprNode>();
  node->op = Op::Reinterpret;
  node->type = t;
  node->args = {e};
  node->loc = a.loc;
  return Expr(ir::Expr(node));
}

Expr select(const Operand& condition, const Operand& a, const Operand& b) {
  if (!checked(condition, "select").type().is_bool())
    detail::type_error(condition, "the condition of select has type " + ir::to_string(condition.expr.type()),
                       "compare first: e != 0");
  auto [x, y] = detail::match(a, b, Matching::Selection, "select");
  return Expr(ir::make_select(condition.expr.node(), std::move(x), std::move(y), condition.loc));
}

Expr mux(const Operand& id, const std::vector<Expr>& values, Loc loc) {
  const Type t = checked(id, "mux").type();
  if (!t.is_integer())
    detail::type_error({id.expr, loc}, "the index of mux has type " + ir::to_string(t), "an index is an integer: i32(e)");
  if (values.empty()) ir::user_error(ErrorCode::BadArgument, loc, "mux of no values", "give at least one value");
  Expr picked = values.back();
  checked(Operand(picked, loc), "mux");
  for (size_t i = values.size() - 1; i-- > 0;)
    picked = select(Operand(id == Operand(static_cast<int>(i), loc), loc), Operand(values[i], loc), Operand(picked, loc));
  return picked;
}

Expr likely(const Operand& e) {
  checked(e, "likely");
  return e.expr;
}
Expr likely_if_innermost(const Operand& e) {
  checked(e, "likely_if_innermost");
  return e.expr;
}

static Expr extremum(Op op, const Operand& a, const Operand& b, const char* what) {
  auto [x, y] = detail::match(a, b, Matching::Arithmetic, what);
  if (x.type().is_bool()) detail::type_error(a, std::string("`") + what + "` of bool", "use && and ||");
  return Expr(ir::make_binary(op, std::move(x), std::move(y), a.loc));
}

Expr min(const Operand& a, const Operand& b) { return extremum(Op::Min, a, b, "min"); }
Expr max(const Operand& a, const Operand& b) { return extremum(Op::Max, a, b, "max"); }
Expr clamp(const Operand& a, const Operand& low, const Operand& high) { return max(Operand(min(a, high), a.loc), low); }

Expr lerp(const Operand& a, const Operand& b, const Operand& weight) {
  for (const Operand* o : {&a, &b})
    if (checked(*o, "lerp").type().is_integer() && !o->expr.is_literal())
      detail::type_error(*o, "`lerp` of " + ir::to_string(o->expr.type()), "convert first: lerp(f32(a), f32(b), w)");
  const std::vector<ir::Expr> v = detail::match_floats({&a, &b, &weight}, "lerp");
  const ir::Expr rest = ir::make_binary(Op::Sub, ir::make_float(v[2].type(), 1), v[2], a.loc);
  return Expr(ir::make_binary(Op::Add, ir::make_binary(Op::Mul, v[0], rest, a.loc),
                              ir::make_binary(Op::Mul, v[1], v[2], a.loc), a.loc));
}

Expr abs(const Operand& a) {
  const Type t = checked(a, "abs").type();
  if (t.is_bool()) detail::type_error(a, "`abs` of bool", "convert first: select(condition, 1, 0)");
  if (t.is_uint()) return Expr(a.expr.node());
  return Expr(ir::make_unary(Op::Abs, detail::convert(a, t.is_narrow_float() ? Float(32) : t), a.loc));
}

static Expr math(MathFn fn, const std::vector<const Operand*>& operands) {
  return Expr(ir::make_math(fn, detail::match_floats(operands, ir::math_name(fn)), operands[0]->loc));
}

Expr exp(const Operand& a) { return math(MathFn::Exp, {&a}); }
Expr exp2(const Operand& a) { return math(MathFn::Exp2, {&a}); }
Expr log(const Operand& a) { return math(MathFn::Log, {&a}); }
Expr log2(const Operand& a) { return math(MathFn::Log2, {&a}); }
Expr tanh(const Operand& a) { return math(MathFn::Tanh, {&a}); }
Expr erf(const Operand& a) { return math(MathFn::Erf, {&a}); }
Expr sqrt(const Operand& a) { return math(MathFn::Sqrt, {&a}); }
Expr rsqrt(const Operand& a) { return math(MathFn::Rsqrt, {&a}); }
Expr sin(const Operand& a) { return math(MathFn::Sin, {&a}); }
Expr cos(const Operand& a) { return math(MathFn::Cos, {&a}); }
Expr floor(const Operand& a) { return math(MathFn::Floor, {&a}); }
Expr ceil(const Operand& a) { return math(MathFn::Ceil, {&a}); }
Expr round(const Operand& a) { return math(MathFn::Round, {&a}); }
Expr trunc(const Operand& a) { return math(MathFn::Trunc, {&a}); }
Expr pow(const Operand& a, const Operand& b) { return math(MathFn::Pow, {&a, &b}); }
Expr fma(const Operand& a, const Operand& b, const Operand& c) { return math(MathFn::Fma, {&a, &b, &c}); }

Expr is_nan(const Operand& a) {
  const Type t = checked(a, "is_nan").type();
  if (!t.is_float()) detail::type_error(a, "`is_nan` of " + ir::to_string(t), "only floats have a NaN");
  return math(MathFn::IsNan, {&a});
}

Expr relu(const Operand& a) { return max(a, Operand(0, a.loc)); }

// The operand as a float in which the function is computed, with the user's line for the nodes built on it.
static Operand as_float(const Operand& a, const char* what) {
  return {Expr(detail::match_floats({&a}, what)[0]), a.loc};
}
static Operand constant(double v, const Operand& like) { return {Expr(ir::make_float(like.expr.type(), v)), like.loc}; }

Expr sigmoid(const Operand& a) {
  const Operand x = as_float(a, "sigmoid"), one = constant(1, x);
  return one / Operand(one + Operand(exp(Operand(-x, a.loc)), a.loc), a.loc);
}

Expr silu(const Operand& a) {
  const Operand x = as_float(a, "silu"), one = constant(1, x);
  return x / Operand(one + Operand(exp(Operand(-x, a.loc)), a.loc), a.loc);
}

Expr gelu(const Operand& a) {
  const Operand x = as_float(a, "gelu");
  const auto at = [&](const Expr& e) { return Operand(e, a.loc); };
  const Operand cube = at(at(x * x) * x);
  const Operand inner = at(constant(0.7978845608028654, x) * at(x + at(constant(0.044715, x) * cube)));
  return at(constant(0.5, x) * x) * at(constant(1, x) + at(tanh(inner)));
}

Expr strict_float(const Operand& a) {
  return Expr(ir::make_strict(detail::strict_reductions(checked(a, "strict_float"))));
}

}  // namespace sinter
