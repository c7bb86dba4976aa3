// flatten: multi-dimensional accesses become flat ones.
//
// requires: Call and Provide with absolute indices; `place` knows every Func that is accessed.
// ensures: no Call and no Provide of a Func that `place` knows; each became a Load or Store whose index is relative to the buffer, in
//          elements: sum((index_d - min_d) * stride_d), of type `index_type`. Index arguments are in affine normal form first, so
//          that equal addresses are equal expressions.
// why here: after tiles and loops are decided in coordinates, before vectors, which need to see the distance of lanes.
#pragma once

#include <functional>
#include <vector>

#include "ir/expr.h"
#include "ir/stmt.h"

namespace sinter::scheduler {

// Where the elements of a Func lie: buffer id, first coordinate and stride (elements) per dimension.
struct Place {
  int buffer = -1;
  std::vector<ir::Expr> min;     // i32; undefined = 0
  std::vector<ir::Expr> stride;  // of the index type of the code that uses it
  bool index_i32 = false;        // indices stay i32 whatever `index_type` (shared memory, registers)
};
using PlaceOf = std::function<const Place*(ir::FuncId)>;  // nullptr: leave the access alone

ir::Expr flat_index(const Place& place, const std::vector<ir::Expr>& index, ir::Type index_type);
ir::Stmt flatten(const ir::Stmt& s, const PlaceOf& place, ir::Type index_type);

// Strides of a compact box: 1, e0, e0*e1 ...; with `order`, of the dimensions in that order, innermost first.
std::vector<ir::Expr> compact_strides(const std::vector<ir::Expr>& extent, ir::Type t, const std::vector<int>& order = {});

}  // namespace sinter::scheduler
