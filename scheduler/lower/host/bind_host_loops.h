// bind-host-loops: the loops of a Nest become what a CPU runs.
//
// requires: a Nest.
// ensures: loops are Serial, Parallel, Vectorized or Unrolled. The outermost Block or Parallel loop of a nest is Parallel, those inside
//          it Serial; Cooperative and Thread loops run over their live part, the innermost as a loop of vectors and a scalar tail where
//          its body is free of control flow that depends on it. Produce and Consume are gone.
// why here: first on the host: what follows knows only plain loops.
#pragma once

#include "ir/stmt.h"

namespace sinter::scheduler {

ir::Stmt bind_host_loops(const ir::Stmt& nest);

}  // namespace sinter::scheduler
