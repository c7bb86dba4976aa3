// Kernels, and the Module that a pipeline lowers to: kernels plus the entry code that checks, sizes and launches.
#pragma once

#include <string>
#include <vector>

#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/target/target.h"

namespace sinter::ir {

// A set of warps with its own statement list. Most kernels have one role, of all warps.
struct Role {
  std::string name = "all";
  int first_warp = 0, warps = 0;
  int registers = 0;  // setmaxnreg; 0 = as launched
  Stmt body;
};

// A block-level allocation after lifetimes are packed: bytes [offset, offset + bytes) of the block's shared memory, or a
// per-thread register array of `elements` (offset unused).
struct Allocation {
  int buffer = -1;
  Type type;
  Memory memory = Memory::Shared;
  int64_t offset = 0, elements = 0;
  int ring = 1, align = 16, swizzle = 0;
};

// One kernel. `block` and `thread` are its linear block index (i32) and thread index (i32, < threads). Free variables of the body
// other than these are `scalars`, passed by value; `buffers` are the global buffers it touches, passed as pointers.
struct Kernel {
  std::string name;
  Sym block, thread;
  int threads = 1;
  int min_blocks = 0;      // per multiprocessor (launch bound); 0 = unstated
  int cluster = 1;
  bool fast = false;       // 32-bit offsets and aligned accesses; chosen at entry
  bool read_only_inputs = true;
  std::vector<int> buffers;
  std::vector<int> written;  // the subset of `buffers` that it stores to
  std::vector<Sym> scalars;
  std::vector<Allocation> allocations;  // Shared and Register
  int64_t shared_bytes = 0;
  std::vector<Role> roles;
  Loc loc;
};

// A global buffer: an argument, or scratch in the workspace.
struct Buffer {
  FuncId func = -1;
  std::string name;
  Type type;
  Sym base;                   // its address (u64) in entry code
  std::vector<Expr> min;      // first coordinate per dimension (0 at the boundary)
  std::vector<Expr> extent;   // i32
  std::vector<Expr> stride;   // i64, elements
  bool is_argument = false, is_output = false;
  Expr workspace_offset;      // i64 bytes, scratch only
  Expr bytes;                 // i64, scratch only
};

// How the flat array of 64-bit values that the entry receives is laid out: one Sym per slot, in order (sinter_rt_unpack).
struct EntryArgs {
  std::vector<Sym> slots;  // an undefined (null) slot is not used by the entry
};

// What a pipeline lowers to for one target. `buffers[id]` is indexed by FuncId (inline and block-level Funcs have an entry with
// is_argument = false and no base). For Host targets `entry` contains the loops themselves and `kernels` is empty.
struct Module {
  Program program;
  Target target;
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;
  EntryArgs args;
  Expr workspace_bytes;  // i64, of the sizes in `args`; undefined = none
  Stmt entry;            // Let, If, For, Check, Launch, Memset; for Host also everything flat
};

}  // namespace sinter::ir
