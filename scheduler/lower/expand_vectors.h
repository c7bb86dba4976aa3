// expand-vectors: Vectorized loops become vector expressions.
//
// requires: flat accesses (Load/Store); a Vectorized loop has a constant extent; its iterations are independent.
// ensures: no Vectorized loop. Each lane computes what its iteration would have: elementwise expressions are widened, a Load or Store
//          whose index steps by 1 gets a dense Ramp, any other becomes one scalar access per lane (Concat, or scalar Stores in lane
//          order). Statements that depend on the lane in their control flow, and those with allocations, are copied per lane. At
//          most 16 lanes: wider loops become several vectors.
#pragma once

#include "ir/stmt.h"

namespace sinter::scheduler {

constexpr int kMaxLanes = 16;

ir::Stmt expand_vectors(const ir::Stmt& s);

}  // namespace sinter::scheduler
