// Copies of statements. A Sym is bound once in a Module, so whoever duplicates code renames what it binds.
#pragma once

#include <optional>

#include "ir/analysis/visit.h"

namespace sinter::scheduler {

// `s` with free variables replaced by `values` and every variable that `s` binds (Let, For, Tile) replaced by a fresh one.
ir::Stmt instantiate(const ir::Stmt& s, const ir::Substitution& values);

// Expression-level Lets are replaced by their values: the DAG keeps the sharing, and copies bind nothing.
ir::Expr inline_lets(const ir::Expr& e);
ir::Stmt inline_lets(const ir::Stmt& s);

// LetStmts whose values read no memory are replaced by those: addresses that differ by a literal can then be seen to.
ir::Stmt inline_pure_lets(const ir::Stmt& s);

// e == e[var := 0] + var * c over i32/i64 arithmetic, for a constant c: that c (0 where `e` does not use `var`). nullopt: not affine,
// or a coefficient that is not constant.
std::optional<int64_t> coefficient(const ir::Expr& e, const ir::VarNode* var);
// The same with a memo for one `var` that the caller keeps, along with the expressions in it.
using CoefficientMemo = std::unordered_map<const ir::ExprNode*, std::optional<int64_t>>;
std::optional<int64_t> coefficient(const ir::Expr& e, const ir::VarNode* var, CoefficientMemo& memo);

// True where some expression of `s` uses `var`.
bool uses_var(const ir::Stmt& s, const ir::VarNode* var);

}  // namespace sinter::scheduler
