// unroll-loops: Unrolled loops become copies of their bodies.
//
// requires: Unrolled loops have constant extents (a directive on a loop without one is rejected before).
// ensures: no Unrolled loop; copies bind fresh variables.
// why here: after flattening, so that register indices become literals in one place.
#pragma once

#include "ir/stmt.h"

namespace sinter::scheduler {

ir::Stmt unroll_loops(const ir::Stmt& s);

}  // namespace sinter::scheduler
