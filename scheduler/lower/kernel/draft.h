// What the passes of this folder share: the draft of a kernel, and what it accesses.
#pragma once

#include <vector>

#include "ir/analysis/visit.h"
#include "ir/kernel_draft.h"

namespace sinter::scheduler {

using ir::BlockLoop;
using ir::DraftStage;
using ir::KernelDraft;
using ir::KernelStorage;
using ir::NarrowStride;

// The name of what is stored, for messages.
std::string storage_name(const ir::Program& program, const KernelDraft& draft, ir::FuncId f);

// An access of a statement: a Call, or (write) a Provide.
struct Access {
  ir::FuncId func = -1;
  std::vector<ir::Expr> index;
  bool write = false;
  ir::Type type;
  ir::Loc loc;
};
std::vector<Access> accesses(const ir::Stmt& s);

// `e` with the kernel's Lets replaced by their values and simplified: for comparing coordinates.
ir::Expr resolved(const KernelDraft& draft, const ir::Expr& e);

// The tile statements of the body in program order.
std::vector<const ir::TileStmt*> tiles(const ir::Stmt& body);
// The body with each tile statement replaced, in program order.
ir::Stmt map_tiles(const ir::Stmt& body, const std::function<ir::Stmt(const ir::TileStmt&)>& f);

// The largest access in bytes (16, 8, 4 ..) that rows of an argument are known, or hoped, to allow: from declared strides, or from
// declared extents where strides are free (then compact is assumed; the entry predicate has the last word).
int64_t row_width(const ir::Program& program, ir::FuncId f);

}  // namespace sinter::scheduler
