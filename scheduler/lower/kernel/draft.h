// A kernel on its way from the Nest to per-thread code: what the passes of this folder hand on.
#pragma once

#include <map>
#include <vector>

#include "ir/analysis/visit.h"
#include "ir/kernel.h"

namespace sinter::scheduler {

// Storage of a Func inside a kernel: of the block (shared memory, registers distributed by a layout), or of one thread.
struct KernelStorage {
  ir::FuncId func = -1;
  ir::Type type;
  ir::Memory memory = ir::Memory::Auto;
  std::vector<ir::Region> region;
  std::vector<int64_t> pad;
  std::vector<int> order;                   // of the dimensions in memory, as in AllocStmt
  int align = 16;
  ir::Loc loc;
  bool in_thread = false;                   // allocated inside a tile statement
  std::vector<const ir::VarNode*> loops;    // serial loops of the kernel around the allocation
  ir::Layout layout;                        // block-level registers: who holds what
  int64_t offset = 0;                       // shared: bytes, after packing

  std::vector<int64_t> extents() const;     // allocated, padding included; constants
  int64_t elements() const;                 // per block, or per thread where in_thread
};

struct BlockLoop {
  ir::Sym var;
  ir::Expr min, extent;  // extent: a constant or a host variable
};

struct KernelDraft {
  std::string name;
  ir::Loc loc;
  std::vector<BlockLoop> block_loops;  // outermost first
  ir::Expr grid;                       // i64: a constant or a host variable
  // General version, for grids of more blocks than one launch has: where this launch starts, per block loop; host variables. Empty:
  // one launch always suffices.
  std::vector<ir::Sym> start;
  int64_t threads_hint = 0;
  ir::Stmt body;

  // From here on per version.
  bool fast = true;
  int threads = 0;
  ir::Sym block, thread, lane, warp;
  std::map<ir::FuncId, KernelStorage> storage;
  ir::SymMap<ir::LoopHints> hints;     // of tile variables
  ir::SymMap<ir::Expr> lets;           // values of the body's Lets, for analysis

  ir::Type index_type() const { return ir::Int(fast ? 32 : 64); }
  const KernelStorage* stored(ir::FuncId f) const {
    const auto it = storage.find(f);
    return it == storage.end() ? nullptr : &it->second;
  }
  bool in_registers(ir::FuncId f) const {
    const KernelStorage* s = stored(f);
    return s && s->memory == ir::Memory::Register;
  }
};

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
