#include "ir/verify/type_rules.h"

#include <cmath>
#include <cstring>

namespace sinter::ir {

namespace {

std::string operands_text(const Expr& e) {
  std::string s = std::string(op_name(e->op)) + " of";
  for (const Expr& a : e->args) s += " " + to_string(a.type());
  return s + " gives " + to_string(e.type());
}

size_t arity(const Expr& e) {
  switch (e->op) {
    case Op::IntImm: case Op::FloatImm: case Op::Var: return 0;
    case Op::Cast: case Op::Reinterpret: case Op::Neg: case Op::Abs: case Op::Not: case Op::BitNot: case Op::Strict: case Op::Broadcast: case Op::Lane:
      return 1;
    case Op::Select: return 3;
    case Op::Math: return e->fn == MathFn::Fma ? 3 : e->fn == MathFn::Pow ? 2 : 1;
    case Op::Call: case Op::Concat: return e->args.size();
    case Op::Load: return e->args.size() == 2 ? 2 : 1;
    default: return 2;
  }
}

bool literal_fits(const Expr& e) {
  const Type t = e.type();
  if (e->op == Op::IntImm) return (t.is_integer() || t.is_bool()) && t.is_scalar() && make_int(t, e->i)->i == e->i;
  if (!t.is_float() || !t.is_scalar()) return false;
  if (std::isnan(e->f)) return true;
  const double rounded = make_float(t, e->f)->f;
  return std::memcmp(&rounded, &e->f, sizeof rounded) == 0;
}

bool well_typed(const Expr& e) {
  const Type t = e.type();
  const auto arg = [&e](size_t i) { return e->args[i].type(); };
  const bool narrow = t.is_narrow_float();
  switch (e->op) {
    case Op::IntImm: case Op::FloatImm: return literal_fits(e);
    case Op::Var: return e->var && e->var->type == t;
    case Op::Let: return e->var && e->var->type == arg(0) && t == arg(1);
    case Op::Cast: return t.lanes == arg(0).lanes;
    case Op::Reinterpret: return !t.is_bool() && !arg(0).is_bool() && t.bits * t.lanes == arg(0).bits * arg(0).lanes;
    case Op::Neg: case Op::Abs: return t == arg(0) && !t.is_bool();
    case Op::Add: case Op::Sub: case Op::Mul: case Op::Div: case Op::Mod: return t == arg(0) && t == arg(1) && !t.is_bool() && !narrow;
    case Op::Min: case Op::Max: return t == arg(0) && t == arg(1);
    case Op::EQ: case Op::NE: case Op::LT: case Op::LE: case Op::GT: case Op::GE: return arg(0) == arg(1) && t == Bool(arg(0).lanes);
    case Op::And: case Op::Or: return t == arg(0) && t == arg(1) && t.is_bool();
    case Op::Not: return t == arg(0) && t.is_bool();
    case Op::BitAnd: case Op::BitOr: case Op::BitXor: return t == arg(0) && t == arg(1) && !t.is_float();
    case Op::BitNot: return t == arg(0) && !t.is_float();
    case Op::Shl: case Op::Shr: return t == arg(0) && t == arg(1) && t.is_integer();
    case Op::Select: return arg(0) == Bool(t.lanes) && t == arg(1) && t == arg(2);
    case Op::Math:
      for (size_t i = 1; i < e->args.size(); ++i)
        if (arg(i) != arg(0)) return false;
      if (e->fn == MathFn::IsNan) return arg(0).is_float() && t == Bool(arg(0).lanes);
      return t == arg(0) && t.is_float() && !narrow;
    case Op::Strict: return t == arg(0);
    case Op::Call:
      for (size_t i = 0; i < e->args.size(); ++i)
        if (!arg(i).is_int() || arg(i).bits < 32 || (arg(i).lanes != 1 && arg(i).lanes != t.lanes)) return false;
      return true;
    case Op::Load: return arg(0).is_int() && arg(0).bits >= 32 && arg(0).lanes == t.lanes && (e->args.size() < 2 || arg(1) == Bool(t.lanes)) && e->i >= 0;
    case Op::Ramp: return arg(0) == arg(1) && arg(0).is_scalar() && arg(0).is_integer() && t.element() == arg(0) && t.lanes > 1;
    case Op::Broadcast: return arg(0).is_scalar() && t.element() == arg(0) && t.lanes > 1;
    case Op::Lane: return t == arg(0).element() && e->i >= 0 && e->i < arg(0).lanes;
    case Op::Concat:
      for (size_t i = 0; i < e->args.size(); ++i)
        if (arg(i) != t.element()) return false;
      return t.lanes == e->args.size();
    case Op::Shuffle: return t == arg(0) && arg(1) == Int(32).with_lanes(t.lanes);
  }
  return false;
}

}  // namespace

std::string type_problem(const Expr& e) {
  if (e.type().is_none()) return std::string(op_name(e->op)) + " without a type";
  for (const Expr& a : e->args)
    if (!a.defined()) return std::string(op_name(e->op)) + " lacks an operand";
  if (e->args.size() != arity(e)) return std::string(op_name(e->op)) + " has " + std::to_string(e->args.size()) + " operands";
  if (well_typed(e)) return "";
  if (e->op == Op::IntImm || e->op == Op::FloatImm) return "a literal that is no value of " + to_string(e.type());
  if (e->op == Op::Var && !e->var) return "a Var without a variable";
  return operands_text(e);
}

}  // namespace sinter::ir
