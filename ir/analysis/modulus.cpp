#include <numeric>

#include "ir/analysis/interval.h"
#include "ir/analysis/postorder.h"
#include "ir/transform/fold.h"

namespace sinter::ir {

namespace {

int64_t compute(const Expr& e, const SymMap<int64_t>& multiples, const std::unordered_map<const ExprNode*, int64_t>& memo) {
  const Type t = e.type();
  // A wrapped product of a multiple of 3 is no multiple of 3; literals and variables are what they are.
  if (e->op == Op::IntImm) return e->i == INT64_MIN ? 1 : std::abs(e->i);
  if (e->op == Op::Var) {
    const auto it = multiples.find(e->var.get());
    return it == multiples.end() ? 1 : it->second;
  }
  if (!t.traps_on_overflow()) return 1;
  const auto arg = [&](size_t i) { return memo.at(e->args[i].get()); };
  switch (e->op) {
    case Op::Neg: case Op::Abs: case Op::Broadcast: case Op::Lane: return arg(0);
    case Op::Add: case Op::Sub: case Op::Min: case Op::Max: return std::gcd(arg(0), arg(1));
    case Op::Mul: {
      int64_t m = 0;
      return __builtin_mul_overflow(arg(0), arg(1), &m) ? std::max(arg(0), arg(1)) : m;
    }
    case Op::Mod: {
      // x - q * c, and 0 where c is 0.
      return std::gcd(arg(0), arg(1));
    }
    case Op::Div: {
      const int64_t* c = as_int(e->args[1]);
      if (arg(0) == 0) return 0;
      return c && *c != 0 && *c != INT64_MIN && arg(0) % *c == 0 ? arg(0) / std::abs(*c) : 1;
    }
    case Op::Select: return std::gcd(arg(1), arg(2));
    case Op::Let: return arg(1);
    case Op::Ramp: return std::gcd(arg(0), arg(1));
    case Op::Cast: {
      const Type from = e->args[0].type();
      // Widening keeps the value; a multiple of 2^k stays one through any integer cast, but that is not needed here.
      return from.is_integer() && (from.bits < t.bits || (from.is_int() && from.bits == t.bits)) ? arg(0) : 1;
    }
    case Op::Concat: {
      int64_t m = arg(0);
      for (size_t i = 1; i < e->args.size(); ++i) m = std::gcd(m, arg(i));
      return m;
    }
    default: return 1;
  }
}

}  // namespace

int64_t known_multiple(const Expr& root, const SymMap<int64_t>& multiples) {
  std::unordered_map<const ExprNode*, int64_t> memo;
  SymMap<int64_t> known = multiples;
  post_order(
      root, [&](const Expr& e) { return memo.count(e.get()) != 0; },
      [&](const Expr& e) { memo[e.get()] = compute(e, known, memo); },
      [&](const Expr& e, size_t operand) {
        if (e->op == Op::Let && operand == 1) known[e->var.get()] = memo.at(e->args[0].get());
      });
  return memo.at(root.get());
}

}  // namespace sinter::ir
