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
// Copies of the whole side by side: the element at extent is that at 0.
Func repeat_image(const Input& source, Loc loc = Loc::here());
Func repeat_image(const Func& source, const Bounds& bounds, Loc loc = Loc::here());
// Copies that are mirrored in turn; an edge appears twice: the element at extent is that at extent - 1.
Func mirror_image(const Input& source, Loc loc = Loc::here());
Func mirror_image(const Func& source, const Bounds& bounds, Loc loc = Loc::here());
// Mirrored at the centre of the edge element, which appears once: the element at extent is that at extent - 2.
Func mirror_interior(const Input& source, Loc loc = Loc::here());
Func mirror_interior(const Func& source, const Bounds& bounds, Loc loc = Loc::here());

}  // namespace sinter::BoundaryConditions
