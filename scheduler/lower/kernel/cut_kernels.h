// cut-kernels: each maximal nest of Block loops becomes a kernel and a Launch.
//
// requires: a Nest for a GPU target: every Provide is inside a Block loop; Block loops of a nest are perfectly nested but for Lets.
// ensures: `entry` holds host code only (Lets, Ifs, serial loops, Checks, Launches of drafts by index); extents of block loops are
//          constants or host variables; a Launch is reached only where its grid has blocks. Root Allocs are scratch, with the
//          launches during which each is live; mins, extents and strides of scratch are constants or host variables.
// why here: first: what follows works on one kernel at a time.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

// A root Func's buffer in the workspace.
struct Scratch {
  ir::FuncId func = -1;
  ir::Type type;
  std::vector<ir::Expr> min, extent, stride;  // in terms of host variables in scope
  ir::Expr bytes;                             // i64, of arguments only
  int first_launch = -1, last_launch = -1;
};

struct Cut {
  ir::Stmt entry;
  std::vector<KernelDraft> kernels;
  std::vector<Scratch> scratch;
};

Cut cut_kernels(const ir::Program& program, const ir::Stmt& nest);

}  // namespace sinter::scheduler
