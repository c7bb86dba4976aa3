// The simplifier: a table of rewrite rules (transform/rules/), each proved by Z3 in tests/rules, over a normal form for affine
// integer arithmetic.
#pragma once

#include "ir/analysis/interval.h"
#include "ir/expr.h"
#include "ir/stmt.h"

namespace sinter::ir {

// An equal expression, cheaper and closer to normal form. Never changes a float value (no reassociation, no removal of casts). i32 and
// i64 sums without data in them count as indices: their terms are collected and reordered, under the overflow obligation of what
// comes out. Elsewhere a step never introduces an overflow that was not there. `scope` gives ranges of variables (undefined ends are
// unknown). Idempotent. Linear-time in the DAG for typical inputs.
Expr simplify(const Expr& e, const IntervalScope& scope = {});

// The same for what a Func stores. Nothing proves that reordered partial sums of variables and parameters stay in range there, so only
// steps that never introduce an overflow are taken; the indices of calls and loads in it are simplified as above.
Expr simplify_value(const Expr& e, const IntervalScope& scope = {});

// Simplifies every expression of a statement with the ranges of its loops; removes Ifs with constant conditions, loops of extent
// <= 0, and empty Seqs; a loop of extent 1 becomes a substitution (not Block or Cooperative loops).
Stmt simplify(const Stmt& s);

// True where interval and affine reasoning proves `cond` (cheap; no solver).
bool can_prove(const Expr& cond, const IntervalScope& scope = {});

}  // namespace sinter::ir
