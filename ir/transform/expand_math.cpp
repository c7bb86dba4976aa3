#include "ir/transform/expand_math.h"

#include <unordered_map>

#include "ir/analysis/visit.h"
#include "ir/diagnostic.h"
#include "ir/transform/math/ops.h"

namespace sinter::ir {

namespace {

using math::V;

bool exact_everywhere(MathFn fn) {
  switch (fn) {
    case MathFn::Sqrt:
    case MathFn::Floor:
    case MathFn::Ceil:
    case MathFn::Round:
    case MathFn::Trunc:
    case MathFn::Fma:
    case MathFn::IsNan: return true;
    default: return false;
  }
}

V by_arithmetic(MathFn fn, const V& x, const Expr& second) {
  switch (fn) {
    case MathFn::Exp: return math::exp(x);
    case MathFn::Exp2: return math::exp2(x);
    case MathFn::Log: return math::log(x);
    case MathFn::Log2: return math::log2(x);
    case MathFn::Tanh: return math::tanh(x);
    case MathFn::Erf: return math::erf(x);
    case MathFn::Rsqrt: return x.f(1) / math::sqrt(x);
    case MathFn::Pow: return math::pow(x, V{second});
    case MathFn::Sin: return math::sin(x);
    case MathFn::Cos: return math::cos(x);
    default: throw InternalError(std::string("no expansion of ") + math_name(fn));
  }
}

class Expander {
 public:
  explicit Expander(const Target& t) : target_(t) {}

  Expr operator()(const Expr& root) {
    Memo& memo = memo_[target_.strict_float];
    run(root, target_.strict_float);
    return memo.at(root.get());
  }

 private:
  using Memo = std::unordered_map<const ExprNode*, Expr>;

  // Post-order with an explicit stack; a node below a Strict and beside it is expanded in both ways.
  void run(const Expr& root, bool strict) {
    struct Entry {
      Expr e;
      bool strict, ready;
    };
    std::vector<Entry> stack{{root, strict, false}};
    while (!stack.empty()) {
      const Entry top = stack.back();
      stack.pop_back();
      Memo& memo = memo_[top.strict];
      if (memo.count(top.e.get())) continue;
      const bool below = top.strict || top.e->op == Op::Strict;
      if (top.ready) {
        memo[top.e.get()] = expand(top.e, top.strict, memo_[below]);
        keep_.push_back(top.e);
        continue;
      }
      stack.push_back({top.e, top.strict, true});
      for (const Expr& a : top.e->args)
        if (!memo_[below].count(a.get())) stack.push_back({a, below, false});
    }
  }

  Expr expand(const Expr& e, bool strict, const Memo& operands) {
    bool changed = false;
    std::vector<Expr> args;
    for (const Expr& a : e->args) {
      args.push_back(operands.at(a.get()));
      changed = changed || !args.back().same_as(a);
    }
    if (e->op == Op::Math) {
      const Expr r = call(e->fn, args, strict);
      if (r.defined()) return r;
    }
    if (e->op == Op::Mod && e->type.is_float()) {
      const Expr floor = make_math(MathFn::Floor, {make_binary(Op::Div, args[0], args[1])});
      return make_strict(make_binary(Op::Sub, args[0], make_binary(Op::Mul, args[1], floor)));
    }
    return changed ? with_args(e, std::move(args)) : e;
  }

  // Undefined: the node stays as it is.
  Expr call(MathFn fn, const std::vector<Expr>& args, bool strict) {
    const Type t = args[0].type();
    if (t.is_narrow_float()) {
      std::vector<Expr> wide;
      for (const Expr& a : args) wide.push_back(make_cast(Float(32, t.lanes), a));
      Expr r = call(fn, wide, strict);
      if (!r.defined()) r = make_math(fn, wide);
      return fn == MathFn::IsNan ? r : make_cast(t, r);
    }
    if (exact_everywhere(fn)) return {};
    const Expr second = args.size() > 1 ? args[1] : Expr();
    if (t.bits == 64) return strict ? make_strict(by_arithmetic(fn, {args[0]}, second).e) : by_arithmetic(fn, {args[0]}, second).e;
    if (strict) {
      const Type wide = Float(64, t.lanes);
      const V x{make_cast(wide, args[0])};
      const Expr y = second.defined() ? make_cast(wide, second) : Expr();
      return make_strict(make_cast(t, by_arithmetic(fn, x, y).e));
    }
    if (target_.backend == Backend::Cuda) {
      if (fn == MathFn::Rsqrt || fn == MathFn::Tanh) return {};
      if (fn == MathFn::Exp2) return math::exp2_by_native_exp2({args[0]}).e;
      if (fn == MathFn::Exp) return math::exp_by_native_exp2({args[0]}).e;
      if (fn == MathFn::Erf) return math::erf_by_native_exp2({args[0]}).e;
    }
    return by_arithmetic(fn, {args[0]}, second).e;
  }

  const Target& target_;
  Memo memo_[2];  // outside and inside of Strict
  std::vector<Expr> keep_;
};

}  // namespace

Expr expand_math(const Expr& e, const Target& target) { return e.defined() ? Expander(target)(e) : e; }

Stmt expand_math(const Stmt& s, const Target& target) {
  Expander expander(target);
  return rewrite_stmt(s, nullptr, [&](const Expr& e) { return e.defined() ? expander(e) : e; });
}

}  // namespace sinter::ir
