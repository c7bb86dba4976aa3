#include "ir/analysis/reduction.h"

#include <limits>

#include "ir/analysis/visit.h"
#include "ir/diagnostic.h"

namespace sinter::ir {

namespace {

bool folds(Op op) {
  switch (op) {
    case Op::Add: case Op::Mul: case Op::Min: case Op::Max: case Op::And: case Op::Or: case Op::BitAnd: case Op::BitOr: case Op::BitXor: return true;
    default: return false;
  }
}

bool reads_func(const Expr& e, FuncId f) {
  bool found = false;
  walk(e, [&](const Expr& n) { found = found || (n->op == Op::Call && n->id == f); });
  return found;
}

bool is_self(const Expr& e, FuncId f, const std::vector<Expr>& args) {
  if (e->op != Op::Call || e->id != f || e->args.size() != args.size()) return false;
  for (size_t i = 0; i < args.size(); ++i)
    if (!equal_structure(e->args[i], args[i])) return false;
  return true;
}

// The operands of a chain of `op` other than the Func itself, which must be one of them, once. a - b counts as a + (-b).
bool collect(const Expr& e, Op op, FuncId f, const std::vector<Expr>& args, bool negative, bool& found, std::vector<Expr>& others) {
  if (is_self(e, f, args)) {
    if (found || negative) return false;
    found = true;
    return true;
  }
  if (!reads_func(e, f)) {
    others.push_back(negative ? make_unary(Op::Neg, e) : e);
    return true;
  }
  if (e->op == op) return collect(e->args[0], op, f, args, negative, found, others) && collect(e->args[1], op, f, args, negative, found, others);
  if (op == Op::Add && e->op == Op::Sub)
    return collect(e->args[0], op, f, args, negative, found, others) && collect(e->args[1], op, f, args, !negative, found, others);
  return false;
}

}  // namespace

std::optional<Reduction> as_reduction(FuncId f, const std::vector<Expr>& args, const Expr& value) {
  for (const Expr& a : args)
    if (reads_func(a, f)) return std::nullopt;
  if (!value.type().is_scalar()) return std::nullopt;
  const Op op = value->op == Op::Sub ? Op::Add : value->op;
  if (!folds(op)) return std::nullopt;
  bool found = false;
  std::vector<Expr> others;
  if (!collect(value, op, f, args, false, found, others) || !found || others.empty()) return std::nullopt;
  Expr folded = others[0];
  for (size_t i = 1; i < others.size(); ++i) folded = make_binary(op, folded, others[i]);
  return Reduction{op, folded};
}

std::optional<Reduction> stage_reduction(const Program& program, FuncId f, int stage) {
  if (stage == 0) return std::nullopt;
  const Definition& def = program.funcs[f].stages[stage];
  if (def.rdom.where.defined() && reads_func(def.rdom.where, f)) return std::nullopt;
  return as_reduction(f, def.args, def.value);
}

Expr combined(Op op, const Expr& a, const Expr& b) { return make_binary(op, a, b); }

Expr identity(Op op, Type t) {
  const double inf = std::numeric_limits<double>::infinity();
  const bool wide = t.is_float();
  const int64_t low = t.is_uint() || t.is_bool() ? 0 : t.bits == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (t.bits - 1));
  const int64_t high = t.is_bool() ? 1 : t.bits == 64 ? (t.is_uint() ? -1 : std::numeric_limits<int64_t>::max()) : t.is_uint() ? (int64_t{1} << t.bits) - 1 : -(low + 1);
  switch (op) {
    case Op::Add: return wide ? make_float(t, -0.0) : make_int(t, 0);  // 0 + -0 would lose the sign
    case Op::Mul: return wide ? make_float(t, 1) : make_int(t, 1);
    case Op::Min: return wide ? make_float(t, inf) : make_int(t, high);
    case Op::Max: return wide ? make_float(t, -inf) : make_int(t, low);
    case Op::And: return make_bool(true);
    case Op::Or: return make_bool(false);
    case Op::BitAnd: return make_int(t, -1);
    case Op::BitOr: case Op::BitXor: return make_int(t, 0);
    default: throw InternalError(std::string("no identity of ") + op_name(op));
  }
}

const char* reduction_name(Op op) {
  switch (op) {
    case Op::Add: return "+";
    case Op::Mul: return "*";
    case Op::Min: return "min";
    case Op::Max: return "max";
    case Op::And: return "&&";
    case Op::Or: return "||";
    case Op::BitAnd: return "&";
    case Op::BitOr: return "|";
    case Op::BitXor: return "^";
    default: return op_name(op);
  }
}

}  // namespace sinter::ir
