// An evaluator and a generator of integer expressions, written independently of the simplifier and of ir/eval.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "ir/analysis/visit.h"
#include "ir/expr.h"

namespace sinter::testing {

using Env = ir::SymMap<int64_t>;
using Lanes = std::vector<int64_t>;

inline int64_t wrap(ir::Type t, int64_t v) {
  if (t.is_bool()) return v != 0;
  if (t.bits == 64) return v;
  const uint64_t mask = (uint64_t{1} << t.bits) - 1, low = static_cast<uint64_t>(v) & mask;
  return t.is_int() && (low >> (t.bits - 1)) ? static_cast<int64_t>(low | ~mask) : static_cast<int64_t>(low);
}

// Values of all lanes; nullopt where i32 or i64 arithmetic overflows on the way.
class Evaluator {
 public:
  explicit Evaluator(Env env) : env_(std::move(env)) {}

  std::optional<Lanes> operator()(const ir::Expr& e) {
    if (const auto it = memo_.find(e.get()); it != memo_.end()) return it->second;
    return memo_[e.get()] = compute(e);
  }
  std::optional<int64_t> scalar(const ir::Expr& e) {
    const auto v = (*this)(e);
    return v ? std::optional<int64_t>((*v)[0]) : std::nullopt;
  }

 private:
  static std::optional<int64_t> checked(ir::Type t, __int128 v) {
    const int64_t w = wrap(t, static_cast<int64_t>(v));
    if (t.traps_on_overflow() && w != v) return std::nullopt;
    return w;
  }

  static std::optional<int64_t> binary(ir::Op op, ir::Type t, int64_t a, int64_t b) {
    using ir::Op;
    const auto floor_mod = [](int64_t x, int64_t y) {
      if (y == 0) return int64_t{0};
      const int64_t m = y < 0 ? -y : y, r = x % m;
      return r < 0 ? r + m : r;
    };
    switch (op) {
      case Op::Add: return checked(t, static_cast<__int128>(a) + b);
      case Op::Sub: return checked(t, static_cast<__int128>(a) - b);
      case Op::Mul: return checked(t, static_cast<__int128>(a) * b);
      case Op::Mod: return floor_mod(a, b);
      case Op::Div: return b == 0 ? 0 : checked(t, (static_cast<__int128>(a) - floor_mod(a, b)) / b);
      case Op::Min: return a < b ? a : b;
      case Op::Max: return a < b ? b : a;
      case Op::EQ: return a == b;
      case Op::NE: return a != b;
      case Op::LT: return a < b;
      case Op::LE: return a <= b;
      case Op::GT: return a > b;
      case Op::GE: return a >= b;
      case Op::And: case Op::BitAnd: return a & b;
      case Op::Or: case Op::BitOr: return a | b;
      case Op::BitXor: return a ^ b;
      default: throw std::logic_error("no such operator here");
    }
  }

  std::optional<Lanes> compute(const ir::Expr& e) {
    using ir::Op;
    std::vector<Lanes> args;
    const ir::Type t = e.type(), scalar = t.element();
    if (e->op == Op::IntImm) return Lanes{e->i};
    if (e->op == Op::Var) return Lanes{env_.at(e->var.get())};
    if (e->op == Op::Let) {
      const auto value = (*this)(e->args[0]);
      if (!value) return std::nullopt;
      env_[e->var.get()] = (*value)[0];
      return (*this)(e->args[1]);
    }
    for (const ir::Expr& a : e->args) {
      const auto v = (*this)(a);
      if (!v) return std::nullopt;
      args.push_back(*v);
    }
    Lanes out;
    for (int lane = 0; lane < t.lanes; ++lane) {
      std::optional<int64_t> v;
      const auto at = [&](size_t i) { return args[i][args[i].size() == 1 ? 0 : static_cast<size_t>(lane)]; };
      switch (e->op) {
        case Op::Cast: v = wrap(scalar, at(0)); break;
        case Op::Neg: v = checked(scalar, -static_cast<__int128>(at(0))); break;
        case Op::Abs: v = checked(scalar, at(0) < 0 ? -static_cast<__int128>(at(0)) : at(0)); break;
        case Op::BitNot: v = wrap(scalar, ~at(0)); break;
        case Op::Not: v = !at(0); break;
        case Op::Select: v = at(0) ? at(1) : at(2); break;
        case Op::Ramp: v = checked(scalar, at(0) + static_cast<__int128>(lane) * at(1)); break;
        case Op::Broadcast: v = at(0); break;
        case Op::Lane: v = args[0][static_cast<size_t>(e->i)]; break;
        case Op::Concat: v = args[static_cast<size_t>(lane)][0]; break;
        // Data: some fixed function of the index.
        case Op::Load: v = wrap(scalar, at(0) * 37 + 11); break;
        default: v = binary(e->op, e->args[0].type().element(), at(0), at(1)); break;
      }
      if (!v) return std::nullopt;
      out.push_back(*v);
    }
    return out;
  }

  Env env_;
  std::unordered_map<const ir::ExprNode*, std::optional<Lanes>> memo_;
};

// All assignments of variables from their boxes.
struct Box {
  ir::Sym var;
  int64_t lo, hi;
};
// Every `stride`-th only, where all would take long: a stride prime to the extents still meets every value of each variable.
inline void for_each_point(const std::vector<Box>& boxes, const std::function<void(const Env&)>& f, int64_t stride = 1) {
  Env env;
  int64_t count = 0;
  const std::function<void(size_t)> go = [&](size_t i) {
    if (i == boxes.size()) {
      if (count++ % stride == 0) f(env);
      return;
    }
    for (int64_t v = boxes[i].lo; v <= boxes[i].hi; ++v) {
      env[boxes[i].var.get()] = v;
      go(i + 1);
    }
  };
  go(0);
}

class Generator {
 public:
  Generator(uint64_t seed, std::vector<Box> vars, ir::Type t) : rng_(seed), vars_(std::move(vars)), type_(t) {}

  int64_t pick(int64_t lo, int64_t hi) { return lo + static_cast<int64_t>(rng_() % static_cast<uint64_t>(hi - lo + 1)); }
  int64_t literal() {
    static constexpr int64_t kInteresting[] = {-64, -8, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 63, 64};
    return kInteresting[pick(0, std::size(kInteresting) - 1)];
  }

  ir::Expr number(int depth) {
    using ir::Op;
    if (depth <= 0 || pick(0, 9) == 0) return pick(0, 3) ? ir::make_var(vars_[pick(0, vars_.size() - 1)].var) : constant();
    switch (pick(0, data_ ? 19 : 18)) {
      case 0: case 1: case 2: return ir::make_binary(Op::Add, number(depth - 1), number(depth - 1));
      case 3: case 4: return ir::make_binary(Op::Sub, number(depth - 1), number(depth - 1));
      case 5: case 6: return ir::make_binary(Op::Mul, number(depth - 1), pick(0, 5) ? constant() : number(depth - 1));
      case 7: return ir::make_binary(Op::Div, number(depth - 1), pick(0, 7) ? constant() : number(depth - 1));
      case 8: return ir::make_binary(Op::Mod, number(depth - 1), pick(0, 7) ? constant() : number(depth - 1));
      case 9: return ir::make_binary(Op::Min, number(depth - 1), number(depth - 1));
      case 10: return ir::make_binary(Op::Max, number(depth - 1), number(depth - 1));
      case 11: return ir::make_unary(pick(0, 2) ? Op::Neg : Op::Abs, number(depth - 1));
      case 12: return ir::make_select(boolean(depth - 1), number(depth - 1), number(depth - 1));
      case 13: case 14: return reuse(depth);
      case 15: case 16: return ir::make_binary(pick(0, 1) ? Op::Div : Op::Mod, affine(), ir::make_int(type_, int64_t{1} << pick(1, 4)));
      case 17: case 18: return rejoined(depth);
      default: return ir::make_load(7, type_, number(depth - 1));
    }
  }

  ir::Expr boolean(int depth) {
    using ir::Op;
    static constexpr Op kCompare[] = {Op::EQ, Op::NE, Op::LT, Op::LE, Op::GT, Op::GE};
    switch (depth <= 0 ? 0 : pick(0, 5)) {
      case 3: return ir::make_binary(Op::And, boolean(depth - 1), boolean(depth - 1));
      case 4: return ir::make_binary(Op::Or, boolean(depth - 1), boolean(depth - 1));
      case 5: return ir::make_unary(Op::Not, boolean(depth - 1));
      default: return ir::make_binary(kCompare[pick(0, 5)], number(depth - 1), pick(0, 2) ? number(depth - 1) : constant());
    }
  }

  void allow_data() { data_ = true; }

 private:
  ir::Expr constant() { return ir::make_int(type_, literal()); }
  // Shapes that random trees hardly ever have: sums whose coefficients share divisors ...
  ir::Expr affine() {
    using ir::Op;
    ir::Expr sum = ir::make_int(type_, pick(-40, 40));
    for (int64_t i = pick(1, 3); i > 0; --i)
      sum = ir::make_binary(Op::Add, ir::make_binary(Op::Mul, number(0), ir::make_int(type_, pick(-3, 4) << pick(0, 4))), sum);
    return sum;
  }
  // ... and quotients next to their remainders.
  ir::Expr rejoined(int depth) {
    using ir::Op;
    const ir::Expr x = number(depth - 2), c = ir::make_int(type_, pick(1, 9));
    const ir::Expr parts[] = {x, ir::make_binary(Op::Mul, ir::make_binary(Op::Div, x, c), c), ir::make_binary(Op::Mod, x, c), number(0)};
    ir::Expr sum = parts[pick(0, 3)];
    for (int64_t i = pick(1, 3); i > 0; --i) sum = ir::make_binary(pick(0, 1) ? Op::Add : Op::Sub, sum, parts[pick(0, 3)]);
    return sum;
  }
  // The same sub-expression in several places is where cancelling rules apply.
  ir::Expr reuse(int depth) {
    if (!seen_.empty() && pick(0, 1)) return seen_[pick(0, seen_.size() - 1)];
    seen_.push_back(number(depth - 1));
    if (seen_.size() > 4) seen_.erase(seen_.begin());
    return seen_.back();
  }

  std::mt19937_64 rng_;
  std::vector<Box> vars_;
  ir::Type type_;
  bool data_ = false;
  std::vector<ir::Expr> seen_;
};

}  // namespace sinter::testing
