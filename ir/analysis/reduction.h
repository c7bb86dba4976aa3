// Updates that fold values into their Func: which operator, what is folded, and what leaves the operator's other operand as it is.
#pragma once

#include <optional>
#include <vector>

#include "ir/program.h"

namespace sinter::ir {

// f(args) = f(args) `op` value, where `op` is associative and commutative and neither `args` nor `value` reads `f`: the order in which
// iterations run changes at most the rounding. Floating-point + and * are taken as associative, as in every inline reduction;
// strict_float keeps an update out.
struct Reduction {
  Op op{};     // Add, Mul, Min, Max, And, Or, BitAnd, BitOr, BitXor
  Expr value;  // of the Func's type
};

// nullopt: the update is not of this form.
std::optional<Reduction> as_reduction(FuncId f, const std::vector<Expr>& args, const Expr& value);

// The same of a stage; nullopt also where its RDom's predicate reads the Func.
std::optional<Reduction> stage_reduction(const Program& program, FuncId f, int stage);

// a `op` b.
Expr combined(Op op, const Expr& a, const Expr& b);
// x `op` identity == x for every x, the signs of zeros and NaNs included.
Expr identity(Op op, Type type);
// "+", "max" ...: as in messages.
const char* reduction_name(Op op);

}  // namespace sinter::ir
