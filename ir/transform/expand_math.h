// expand_math: maths functions that the back end has no instruction for become arithmetic: range reduction and polynomials of ours.
//
// Requires: any expression or statement. Ensures: remaining Math nodes are native for the target:
//   every back end         Sqrt Floor Ceil Round Trunc Fma IsNan, of f32 and f64
//   cuda, outside Strict   also Exp2, Rsqrt and Tanh of f32 (approximate instructions; Exp2 gives 0 for a result that is not normal)
// Floats narrower than 32 bits are computed in f32 and rounded once. Mod of floats becomes x - y * floor(x / y).
//
// Each function has a fast form, and a strict one that is used below Strict nodes and where target.strict_float is set: no approximate
// instruction, f32 computed in f64. docs/numbers.md states the error of each, as measured by tests/unit/expand_math_test.cpp.
// Infinities, NaN, signed zeros and denormals are those of C's functions, with one limit: sin and cos of |x| > 2^48 are NaN, since
// no reduction of ours is right there.
//
// Why here: after scheduling and simplification, which know log(x) but not its polynomial, and before code generation.
#pragma once

#include "ir/expr.h"
#include "ir/stmt.h"
#include "ir/target/target.h"

namespace sinter::ir {

Expr expand_math(const Expr& e, const Target& target);
Stmt expand_math(const Stmt& s, const Target& target);

}  // namespace sinter::ir
