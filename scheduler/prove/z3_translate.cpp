#include "scheduler/prove/z3_translate.h"

#include <unordered_set>

#include "ir/analysis/postorder.h"
#include "ir/analysis/range.h"

namespace sinter::scheduler {

using ir::Expr;
using ir::Op;
using ir::Type;

namespace {

bool is_scalar_value(Type t) { return t.is_scalar() && (t.is_bool() || t.is_integer()); }

// Nodes whose operands mean nothing to Z3.
bool is_opaque(const Expr& e) {
  if (!is_scalar_value(e.type())) return true;
  switch (e->op) {
    case Op::Reinterpret: case Op::Call: case Op::Load: case Op::Lane: case Op::Shuffle: case Op::Math: case Op::BitAnd:
    case Op::BitOr: case Op::BitXor: case Op::BitNot: return true;
    case Op::Shl: case Op::Shr: {
      const int64_t* amount = ir::as_int(e->args[1]);
      return !amount || *amount < 0 || *amount >= e.type().bits || *amount > 62;
    }
    default: break;
  }
  return !e->args.empty() && !is_scalar_value(e->args.back().type());
}

}  // namespace

z3::expr Z3Translator::operator()(const Expr& root) {
  const Expr e = intern_(root);
  ir::post_order(
      e, [&](const Expr& n) { return memo_.count(n.get()) != 0; },
      [&](const Expr& n) {
        z3::expr v = is_opaque(n) ? opaque(n) : compute(n);
        memo_.insert_or_assign(n.get(), std::make_pair(n, v));
      },
      [&](const Expr& n, size_t operand) {
        if (n->op != Op::Let || operand != 1 || !is_scalar_value(n->args[0].type())) return;
        // A Sym is bound once, so its value can stand in for it everywhere; unless a claim without the Let came first.
        const z3::expr& value = memo_.at(n->args[0].get()).second;
        const auto [it, fresh] = vars_.try_emplace(n->var.get(), n->var, value);
        if (!fresh && !z3::eq(it->second.second, value)) side_.insert_or_assign(n.get(), it->second.second == value);
      });
  return memo_.at(e.get()).second;
}

const z3::expr* Z3Translator::variable(const ir::Sym& v) const {
  const auto it = vars_.find(v.get());
  return it == vars_.end() ? nullptr : &it->second.second;
}

void Z3Translator::bound(const Expr& e, const z3::expr& v) {
  const Type t = e.type();
  if (!t.is_integer() || t.traps_on_overflow()) return;
  const ir::Range r = ir::type_range(t);
  z3::expr condition = t.is_uint() ? v >= 0 : v >= c_.int_val(static_cast<int64_t>(r.lo));
  if (r.has_hi()) {
    condition = condition && v <= c_.int_val(static_cast<int64_t>(r.hi));
  } else {
    condition = condition && v <= c_.int_val("18446744073709551615");
  }
  side_.insert_or_assign(e.get(), condition);
}

z3::expr Z3Translator::opaque(const Expr& e) {
  const std::string name = "t!" + std::to_string(memo_.size());
  const Type t = e.type();
  z3::expr v = t.is_bool() ? c_.bool_const(name.c_str()) : c_.int_const(name.c_str());
  if (t.is_scalar()) bound(e, v);
  return v;
}

// Euclidean with x / 0 = x % 0 = 0. SMT-LIB's div and mod are Euclidean for both signs of the divisor.
z3::expr Z3Translator::divide(const z3::expr& a, const z3::expr& b, bool remainder) {
  const z3::expr q = remainder ? z3::mod(a, b) : a / b;
  if (b.is_numeral()) {
    int64_t v = 0;
    if (b.is_numeral_i64(v)) return v == 0 ? c_.int_val(0) : q;
  }
  return z3::ite(b == 0, c_.int_val(0), q);
}

z3::expr Z3Translator::wrapped(Type t, const z3::expr& v) {
  if (t.traps_on_overflow()) return v;
  const z3::expr size = t.bits == 64 ? c_.int_val("18446744073709551616") : c_.int_val(static_cast<int64_t>(int64_t{1} << t.bits));
  if (t.is_uint()) return z3::mod(v, size);
  const z3::expr half = c_.int_val(static_cast<int64_t>(int64_t{1} << (t.bits - 1)));
  return z3::mod(v + half, size) - half;
}

z3::expr Z3Translator::compute(const Expr& e) {
  const Type t = e.type();
  switch (e->op) {
    case Op::IntImm:
      if (t.is_bool()) return c_.bool_val(e->i != 0);
      if (t.is_uint() && e->i < 0) return c_.int_val(static_cast<uint64_t>(e->i));
      return c_.int_val(static_cast<int64_t>(e->i));
    case Op::Var: {
      const auto it = vars_.find(e->var.get());
      if (it != vars_.end()) return it->second.second;
      const std::string name = e->var->name + "!" + std::to_string(vars_.size());
      z3::expr v = t.is_bool() ? c_.bool_const(name.c_str()) : c_.int_const(name.c_str());
      vars_.insert_or_assign(e->var.get(), std::make_pair(e->var, v));
      bound(e, v);
      return v;
    }
    case Op::Let: return arg(e, 1);
    case Op::Strict: return arg(e, 0);
    case Op::Cast: {
      const Type from = e->args[0].type();
      const z3::expr v = from.is_bool() ? z3::ite(arg(e, 0), c_.int_val(1), c_.int_val(0)) : arg(e, 0);
      if (t.is_bool()) return v != 0;
      if (from.is_bool()) return v;
      const bool kept = t.traps_on_overflow() || (from.is_uint() && t.bits >= from.bits && t.is_uint()) ||
                        (from.is_uint() && t.bits > from.bits) || (from.is_int() && t.is_int() && t.bits >= from.bits);
      return kept ? v : wrapped(t, v);
    }
    case Op::Neg: return wrapped(t, -arg(e, 0));
    case Op::Abs: return wrapped(t, z3::ite(arg(e, 0) >= 0, arg(e, 0), -arg(e, 0)));
    case Op::Add: return wrapped(t, arg(e, 0) + arg(e, 1));
    case Op::Sub: return wrapped(t, arg(e, 0) - arg(e, 1));
    case Op::Mul: return wrapped(t, arg(e, 0) * arg(e, 1));
    case Op::Div: return wrapped(t, divide(arg(e, 0), arg(e, 1), false));
    case Op::Mod: return divide(arg(e, 0), arg(e, 1), true);
    case Op::Min: return z3::ite(arg(e, 0) <= arg(e, 1), arg(e, 0), arg(e, 1));
    case Op::Max: return z3::ite(arg(e, 0) <= arg(e, 1), arg(e, 1), arg(e, 0));
    case Op::EQ: return arg(e, 0) == arg(e, 1);
    case Op::NE: return arg(e, 0) != arg(e, 1);
    case Op::LT: return arg(e, 0) < arg(e, 1);
    case Op::LE: return arg(e, 0) <= arg(e, 1);
    case Op::GT: return arg(e, 0) > arg(e, 1);
    case Op::GE: return arg(e, 0) >= arg(e, 1);
    case Op::And: return arg(e, 0) && arg(e, 1);
    case Op::Or: return arg(e, 0) || arg(e, 1);
    case Op::Not: return !arg(e, 0);
    case Op::Shl: return wrapped(t, arg(e, 0) * c_.int_val(static_cast<int64_t>(int64_t{1} << e->args[1]->i)));
    case Op::Shr: return arg(e, 0) / c_.int_val(static_cast<int64_t>(int64_t{1} << e->args[1]->i));
    case Op::Select: return z3::ite(arg(e, 0), arg(e, 1), arg(e, 2));
    default: return opaque(e);
  }
}

void Z3Translator::side_conditions(const Expr& root, z3::solver& s) {
  std::unordered_set<const ir::ExprNode*> seen;
  ir::post_order(
      intern_(root), [&](const Expr& e) { return seen.count(e.get()) != 0; },
      [&](const Expr& e) {
        seen.insert(e.get());
        if (const auto it = side_.find(e.get()); it != side_.end()) s.add(it->second);
      });
}

}  // namespace sinter::scheduler
