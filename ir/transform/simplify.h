// The simplifier: a table of rewrite rules (transform/rules/), each proved by Z3 in tests/rules, over a normal form for affine
// integer arithmetic.
#pragma once

#include "ir/analysis/interval.h"
#include "ir/expr.h"
#include "ir/stmt.h"

namespace sinter::ir {

// An equal expression, cheaper and closer to normal form. Never changes a float value (no reassociation, no removal of casts);
// i32/i64 rules assume the no-overflow rule of the language and never introduce an overflow that was not there. `scope` gives ranges
// of variables (undefined ends are unknown). Idempotent. Linear-time in the DAG for typical inputs.
Expr simplify(const Expr& e, const IntervalScope& scope = {});

// Simplifies every expression of a statement with the ranges of its loops; removes Ifs with constant conditions, loops of extent
// <= 0, and empty Seqs; a loop of extent 1 becomes a substitution (not Block or Cooperative loops).
Stmt simplify(const Stmt& s);

// True where interval and affine reasoning proves `cond` (cheap; no solver).
bool can_prove(const Expr& cond, const IntervalScope& scope = {});

}  // namespace sinter::ir
