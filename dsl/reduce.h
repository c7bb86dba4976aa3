// Inline reductions: sum, product, maximum, minimum over an RDom, as values.
//
// Over narrow floats the value is f32 (arithmetic of f16 and bf16 is); otherwise it has the type of what is reduced.
// Where a Func's whole right-hand side is one reduction, the Func *is* it: an init and one update, scheduled through
// f.update(). "Whole" looks through strict_float and through casts that may be done before reducing instead of after,
// with the same or a more precise result:
//   maximum, minimum   casts between floats (rounding is monotone) and widening ones between integers
//   sum, product       casts to a wider float, and from i32 to i64
// A sum that is rounded afterwards (bf16(sum(k, ...))) would lose that rounding at each step, so it stays a reduction
// of its own, reachable as f.reduction(0), as does any reduction inside a larger expression.
#pragma once

#include "dsl/var.h"

namespace sinter {

Expr sum(const RDom& r, const Operand& e, Loc loc = Loc::here());      // 0 over nothing
Expr product(const RDom& r, const Operand& e, Loc loc = Loc::here());  // 1
Expr maximum(const RDom& r, const Operand& e, Loc loc = Loc::here());  // -inf, or the type's least value
Expr minimum(const RDom& r, const Operand& e, Loc loc = Loc::here());  // +inf, or the type's greatest value

namespace detail {

struct FuncContents;

// `e` under strict_float: its inline reductions are replaced by ones that keep their order and arithmetic.
ir::Expr strict_reductions(const ir::Expr& e);

// A right-hand side that is one reduction (see above): what to reduce, in the type of the right-hand side. Undefined
// where it isn't.
struct WholeReduction {
  FuncContents* func = nullptr;  // nullptr: no
  ir::Expr value;
};
WholeReduction whole_reduction(const ir::Expr& rhs);

// The identity of a reduction and its step `accumulator op value` in the type of `value`.
ir::Expr reduction_identity(const FuncContents& reduction, Type t);
ir::Expr reduction_step(const FuncContents& reduction, const ir::Expr& accumulator, const ir::Expr& value, Loc loc);

}  // namespace detail

}  // namespace sinter
