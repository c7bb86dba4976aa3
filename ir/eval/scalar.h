// The one definition of scalar arithmetic: what every operator of the IR computes, for every type.
//
// Used by constant folding, by the oracle and by the emulator, and what tests of the back ends compare with. The rules are those on
// top of ir/expr.h and of language.md, Numbers:
//  - f32 arithmetic is done in float, each operation rounded; maths functions by std:: in double, then rounded to the type.
//  - Overflow of i32 and i64 (Add, Sub, Mul, Neg, Abs, and MIN / -1) throws ArithmeticTrap; all other integers wrap. Shl never traps.
//  - Min and Max are IEEE 754-2019 minimum and maximum: NaN wins, -0 < +0. The NaN that an operation makes is the quiet one.
//  - Mod of floats is x - y * floor(x / y), each operation rounded.
//
// A value is 64 bits in canonical form: integers sign- or zero-extended, Bool 0 or 1, floats their own pattern, zero-extended.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ir/diagnostic.h"
#include "ir/expr.h"

namespace sinter::ir {

struct Scalar {
  Type type;
  uint64_t bits = 0;

  static Scalar of_int(Type t, int64_t v);     // Int, UInt, Bool: wraps to the type
  static Scalar of_float(Type t, double v);    // rounds to the type
  static Scalar of_bool(bool v) { return {Bool(), v ? 1u : 0u}; }
  int64_t as_int() const;    // of an integer or Bool
  double as_double() const;  // of any type: exact for floats and integers up to 2^53
  bool as_bool() const { return bits != 0; }
  friend bool operator==(const Scalar&, const Scalar&) = default;  // same bits
};
std::string to_string(const Scalar& s);  // "-3", "0.25", "true"; floats so that they read back the same

// Thrown by a ScalarFn: it does not know where in the user's source it is.
struct ArithmeticTrap {
  Op op;
  Type type;
  uint64_t a, b;
};

// An operation that the language forbids met its operands: overflow of a trapping type.
class EvalError : public RuntimeError {
 public:
  EvalError(const std::string& text, Loc loc);
  explicit EvalError(const ArithmeticTrap& trap, Loc loc);
  Loc loc() const { return loc_; }

 private:
  Loc loc_;
};

// What one operator does to canonical values. Unused operands are ignored.
using ScalarFn = uint64_t (*)(uint64_t a, uint64_t b, uint64_t c);

// The function of an operator on scalar operands of type `operand` (for Select: of its values) and of a result of type `result`.
// Covers Cast, Reinterpret, all unary and binary operators, Select and Math; nullptr for anything else.
ScalarFn scalar_fn(Op op, MathFn fn, Type operand, Type result);

// The value of a scalar node, given its operands' values in order. Covers the operators of scalar_fn, and Strict. Throws EvalError
// with the node's loc.
Scalar eval_op(const ExprNode& node, std::span<const Scalar> operands);
// The same, nullopt where it would trap or where the node is none that scalar_fn covers: for constant folding.
std::optional<Scalar> try_eval_op(const ExprNode& node, std::span<const Scalar> operands);

// Literals both ways. scalar_of: IntImm or FloatImm only.
std::optional<Scalar> scalar_of(const Expr& literal);
Expr literal_of(const Scalar& s);

// Memory: `t.bytes()` bytes, little endian; Bool is one byte, any nonzero byte reads as true.
uint64_t load_bits(Type t, const void* from);
void store_bits(Type t, uint64_t bits, void* to);

struct F8Format {
  int mantissa, min_exp;  // bits of mantissa; exponent of the smallest normal number
  bool has_infinity;
  uint8_t largest;  // bits of the largest finite value
};
F8Format f8_format(Type t);
// Conversions of 8-bit floats, to nearest even, denormals kept. Beyond the largest finite value, infinity included: that value with its
// sign. NaN: 0x7f. This is what the GPU's instructions do.
uint8_t encode_f8(Type t, double v);
double decode_f8(Type t, uint8_t v);
// Conversions of the narrow floats, to nearest even, denormals kept, overflow to infinity.
uint16_t encode_f16(double v);
uint16_t encode_bf16(double v);
double decode_f16(uint16_t v);
double decode_bf16(uint16_t v);

}  // namespace sinter::ir
