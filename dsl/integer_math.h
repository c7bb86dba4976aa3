// Integer arithmetic that widens, halves, rounds or saturates, under Halide's names. Operands match as for `+`; 64-bit integers have no
// wider type, so what is computed in one (the widening and the mul_shift forms) is an error there (E0004).
#pragma once

#include "dsl/expr.h"

namespace sinter {

// Exact, in a type of twice the width. Floats: f16 and bf16 give f32, f32 gives f64. widening_sub of integers is signed; widening_mul
// takes operands of different sign, its result is then signed.
Expr widening_add(const Operand& a, const Operand& b);
Expr widening_sub(const Operand& a, const Operand& b);
Expr widening_mul(const Operand& a, const Operand& b);
// a << b and a >> b in the wide type.
Expr widening_shift_left(const Operand& a, const Operand& b);
Expr widening_shift_right(const Operand& a, const Operand& b);

// The exact result, or the nearest value of the type.
Expr saturating_add(const Operand& a, const Operand& b);
Expr saturating_sub(const Operand& a, const Operand& b);
// The value, or the nearest of type `t`; NaN gives 0 in an integer and stays in a float, infinities become the largest finite value.
Expr saturating_cast(Type t, const Operand& e);
template <class T>
Expr saturating_cast(const Operand& e) {
  return saturating_cast(type_of<T>(), e);
}

// (a + b) / 2, (a + b + 1) / 2 and (a - b) / 2 of the exact sums, rounded down; in the type of the operands.
Expr halving_add(const Operand& a, const Operand& b);
Expr rounding_halving_add(const Operand& a, const Operand& b);
Expr halving_sub(const Operand& a, const Operand& b);

// a / 2^b to the nearest, halves up; a * 2^b. A negative amount shifts the other way. The size of an amount is taken modulo the width,
// as for >> and <<.
Expr rounding_shift_right(const Operand& a, const Operand& b);
Expr rounding_shift_left(const Operand& a, const Operand& b);

// The exact product shifted right by `shift` (at least 0), rounded down or to the nearest, saturated to the type of the operands.
Expr mul_shift_right(const Operand& a, const Operand& b, const Operand& shift);
Expr rounding_mul_shift_right(const Operand& a, const Operand& b, const Operand& shift);

// |a - b|, exact: unsigned for integers.
Expr absd(const Operand& a, const Operand& b);

}  // namespace sinter
