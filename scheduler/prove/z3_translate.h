// Expressions as Z3 terms over integers and Bools. Private to scheduler/prove: includes Z3.
#pragma once

#include <z3++.h>

#include <unordered_map>
#include <vector>

#include "ir/analysis/intern.h"
#include "ir/expr.h"

namespace sinter::scheduler {

class Z3Translator {
 public:
  explicit Z3Translator(z3::context& c) : c_(c) {}

  // The term of a scalar Bool or integer expression. Keeps its memo: one object serves a whole compile.
  z3::expr operator()(const ir::Expr& e);

  // Facts that hold for the translated terms by construction (ranges of opaque terms), below this expression.
  void side_conditions(const ir::Expr& e, z3::solver& s);
  // The constant that stands for a variable, if it has been met.
  const z3::expr* variable(const ir::Sym& v) const;

 private:
  z3::expr compute(const ir::Expr& e);
  z3::expr opaque(const ir::Expr& e);
  z3::expr wrapped(ir::Type t, const z3::expr& v);
  z3::expr divide(const z3::expr& a, const z3::expr& b, bool remainder);
  z3::expr arg(const ir::Expr& e, size_t i) { return memo_.at(e->args[i].get()).second; }
  void bound(const ir::Expr& e, const z3::expr& v);

  z3::context& c_;
  ir::Interner intern_;
  std::unordered_map<const ir::ExprNode*, std::pair<ir::Expr, z3::expr>> memo_;
  std::unordered_map<const ir::VarNode*, std::pair<ir::Sym, z3::expr>> vars_;
  std::unordered_map<const ir::ExprNode*, z3::expr> side_;
};

}  // namespace sinter::scheduler
