// Boundary conditions: Funcs that extend an Input (or a Func whose bounds are given) to all coordinates.
#pragma once

#include <utility>
#include <vector>

#include "dsl/func.h"

namespace sinter::BoundaryConditions {

using Bounds = std::vector<std::pair<Expr, Expr>>;  // (min, extent) of the leading dimensions

// `value` outside.
Func constant_exterior(const Input& source, const Operand& value, Loc loc = Loc::here());
Func constant_exterior(const Func& source, const Operand& value, const Bounds& bounds, Loc loc = Loc::here());
// The nearest element inside.
Func repeat_edge(const Input& source, Loc loc = Loc::here());
Func repeat_edge(const Func& source, const Bounds& bounds, Loc loc = Loc::here());

}  // namespace sinter::BoundaryConditions
