// The local type rules of expression nodes (ir/expr.h).
#pragma once

#include <string>

#include "ir/expr.h"

namespace sinter::ir {

// What is wrong with this node, given that its operands are right; empty = nothing. Ids are not looked at.
std::string type_problem(const Expr& e);

}  // namespace sinter::ir
