// Type matching of operands: the rules of dsl/expr.h in one place.
#pragma once

#include <vector>

#include "dsl/expr.h"

namespace sinter::detail {

// The operand's expression, or E0013 where it is undefined; `what` names the operator for the text.
const ir::Expr& checked(const Operand& a, const char* what);

// A literal takes type `t` (E0010 where its value does not fit); anything else is cast. Matching never narrows.
ir::Expr convert(const Operand& a, Type t);

// Both in their common type. `Arithmetic` computes narrow floats in f32; `Selection` moves values and keeps them
// narrow.
enum class Matching { Arithmetic, Selection };
Type common_type(const Operand& a, const Operand& b, Matching m, const char* what);
std::pair<ir::Expr, ir::Expr> match(const Operand& a, const Operand& b, Matching m, const char* what);

// Operands of a float function in their common float type: integers become f32, narrow floats f32.
std::vector<ir::Expr> match_floats(const std::vector<const Operand*>& operands, const char* what);

[[noreturn]] void type_error(const Operand& at, std::string message, std::string help);

}  // namespace sinter::detail
