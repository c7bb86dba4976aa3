// Memoised walks and rewrites over expression DAGs and statements: the base of every pass.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/expr.h"
#include "ir/stmt.h"

namespace sinter::ir {

// Values of variables, by identity. Never iterate over it where the order could reach the output.
template <class T>
using SymMap = std::unordered_map<const VarNode*, T>;
using Substitution = SymMap<Expr>;

// Calls `f` once per distinct node, operands first.
void walk(const Expr& e, const std::function<void(const Expr&)>& f);
// Calls `f` once per distinct node, parents first; where `f` returns false, the operands are not visited.
void walk_down(const Expr& e, const std::function<bool(const Expr&)>& f);

// Rebuilds bottom-up, sharing kept: `f` gets each node with its operands already rewritten and returns its replacement (or the
// node itself). One memo per call; use Rewriter to share it between expressions.
Expr rewrite(const Expr& e, const std::function<Expr(const Expr&)>& f);

class Rewriter {
 public:
  explicit Rewriter(std::function<Expr(const Expr&)> f) : f_(std::move(f)) {}
  Expr operator()(const Expr& e);

 private:
  std::function<Expr(const Expr&)> f_;
  std::unordered_map<const ExprNode*, Expr> memo_;
  std::vector<Expr> keep_;  // the memo's keys stay alive
};

// Replaces free variables. Let-bound variables are never captured, since a Sym is bound once.
Expr substitute(const Expr& e, const Substitution& values);
Expr substitute(const Expr& e, const Sym& var, const Expr& value);
Stmt substitute(const Stmt& s, const Substitution& values);

bool uses_var(const Expr& e, const VarNode* v);
bool uses_any(const Expr& e, const std::unordered_set<const VarNode*>& vars);
// Free variables in order of first appearance (deterministic).
std::vector<Sym> free_vars(const Expr& e);
std::vector<Sym> free_vars(const Stmt& s);

// ---- statements ----
// Calls `f` for every statement, parents first, in program order; where it returns false, the children are not visited.
void walk_stmts(const Stmt& s, const std::function<bool(const Stmt&)>& f);
// Calls `f` for every expression that a statement holds directly (not those of nested statements).
void each_expr(const Stmt& s, const std::function<void(const Expr&)>& f);
// Calls `f` for every expression of `s` and its nested statements, in program order.
void walk_exprs(const Stmt& s, const std::function<void(const Expr&)>& f);

// The same statement with its direct expressions mapped by `fe` and its child statements by `fs` (either may be null = keep).
// Returns `s` itself where nothing changed.
Stmt map_children(const Stmt& s, const std::function<Stmt(const Stmt&)>& fs, const std::function<Expr(const Expr&)>& fe);
// Bottom-up rewrite of a statement tree: expressions by `fe`, then each statement by `fs` (either may be null).
Stmt rewrite_stmt(const Stmt& s, const std::function<Stmt(const Stmt&)>& fs, const std::function<Expr(const Expr&)>& fe);

}  // namespace sinter::ir
