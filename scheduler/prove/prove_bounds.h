// bounds: every access lies in what its Func has: a computed Func in its storage and in what was computed of it, an argument in its
// extents.
#pragma once

#include <map>
#include <vector>

#include "scheduler/prove/claims.h"

namespace sinter::scheduler {

// The box that accesses to a Func must stay in, per dimension, in terms of variables in scope. `extent`, where it is defined, is the
// allocation's: index - min < extent.
struct Storage {
  std::vector<ir::Expr> min, max, extent;
  ir::Loc loc;
};
using StorageOf = std::map<ir::FuncId, Storage>;

// The caller's buffer of an Input or output.
Storage argument_storage(const ir::Program& program, ir::FuncId f);

struct AccessPlace {
  ir::FuncId func;
  std::vector<ir::Expr> index;
  ir::Loc loc;
  bool write = false;
  std::vector<ir::Sym> loops;  // around it, outermost first: for the counterexample
};

// Throws E0300 (or E0306). `what`: "its storage", "what is computed of it", "its extents".
void prove_in_bounds(Claims& claims, const ir::Program& program, const Path& path, const AccessPlace& access, const Storage& box,
                     const std::string& what);

// allocation: what is live of a Func fits its constant extents.
void prove_allocation(Claims& claims, const ir::Program& program, const Path& path, const ir::AllocStmt& alloc, bool in_block);

// overflow: index arithmetic of `e` stays within 32 bits, given the sizes of arguments. Arithmetic on data and Params is the
// algorithm's own. Throws E0305.
void prove_no_overflow(Claims& claims, const Path& path, const ir::Expr& e, ir::Loc loc);

}  // namespace sinter::scheduler
