// Arithmetic on integer literals for the simplifier and the analyses.
#pragma once

#include <optional>

#include "ir/expr.h"

namespace sinter::ir {

// Euclidean: remainder in [0, |b|), x / 0 = 0, x % 0 = 0. INT64_MIN / -1 wraps.
int64_t euclid_div(int64_t a, int64_t b);
int64_t euclid_mod(int64_t a, int64_t b);

// The value of an integer or Bool operation on literals of type `t`: wrapped to a wrapping type; nullopt where i32 or i64 would
// overflow (that is for the program's run to report) and for operations it does not know.
std::optional<int64_t> fold_unary(Op op, Type t, int64_t a);
std::optional<int64_t> fold_binary(Op op, Type t, int64_t a, int64_t b);

// `v` is a value of `t`, as an IntImm holds it.
bool fits(Type t, int64_t v);

}  // namespace sinter::ir
