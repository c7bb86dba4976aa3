// A kernel on its way from the Nest to per-thread code: what the passes of scheduler/lower/kernel hand on. It has a text form
// (text/print.h), and a verifier that knows what each stage has to keep (verify/verify.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/analysis/visit.h"
#include "ir/kernel.h"

namespace sinter::ir {

// How far a draft has come: what of it is decided, and which statements its body may have.
enum class DraftStage : uint8_t {
  Cut,        // the body of a block in Nest form, in terms of its block loops
  Decoded,    // block loops are Lets of the block's index; `block`, `thread`, `lane` and `warp` exist
  Tiled,      // tile statements without layouts; allocations are in `storage`
  Sized,      // `threads` is known
  LaidOut,    // every tile has its layout, every Func in the block its memory
  Packed,     // Funcs in shared memory have their bytes
  Ordered,    // barriers are in
  Expanded,   // code of one thread; coordinates, loops over vectors and unrolled ones
  Flat,       // code of one thread with flat accesses
};
const char* draft_stage_name(DraftStage s);  // "cut", "laid_out" ...

// Storage of a Func inside a kernel: of the block (shared memory, registers distributed by a layout), or of one thread.
struct KernelStorage {
  FuncId func = -1;
  Type type;
  Memory memory = Memory::Auto;
  std::vector<Region> region;   // `max` until tiles are expanded, `min` until accesses are flat
  std::vector<int64_t> pad;
  std::vector<int> order;       // of the dimensions in memory, as in AllocStmt
  int align = 16;
  Loc loc;
  bool in_thread = false;       // allocated inside a tile statement
  std::vector<Sym> loops;       // serial loops of the kernel around the allocation
  Layout layout;                // block-level registers: who holds what
  int64_t offset = 0;           // shared: bytes, after packing
  std::string name;             // of storage that belongs to no Func: what threads have of a reduction
  bool padded = false;          // registers: the extents are what the layout covers, which may be more than a reader's box

  std::vector<int64_t> extents() const;  // allocated, padding included; constants
  int64_t elements() const;              // per block, or per thread where in_thread
  int64_t array_elements() const;        // of the array that the kernel allocates: in registers, one thread's part
};

struct BlockLoop {
  Sym var;
  Expr min, extent;  // extent: a constant or a host variable
  int64_t order = 0, group = 0;  // as in LoopHints
};

// A kernel scalar that the host computes: an i32 form of a stride.
struct NarrowStride {
  Sym var;
  Expr value;                  // i32, of host variables
  int64_t multiple_bytes = 1;  // bytes that it is a multiple of in the fast version
  int64_t element_bytes = 1;
};

struct KernelDraft {
  std::string name;
  Loc loc;
  DraftStage stage = DraftStage::Cut;
  std::vector<Sym> host;               // variables of the host that the kernel, its block loops and its grid use
  std::vector<BlockLoop> block_loops;  // outermost first
  Expr grid;                           // i64: a constant or a host variable
  // General version, for grids of more blocks than one launch has: where this launch starts, a digit of its index for each block loop (block_order.h); host variables. Empty:
  // one launch always suffices.
  std::vector<Sym> start;
  int64_t threads_hint = 0;
  Stmt body;

  // From here on per version.
  bool fast = true;
  int threads = 0;
  Sym block, thread, lane, warp;
  std::vector<Sym> coordinates;  // of the block: the Lets that decode its index, one for each of block_loops; until tiles are expanded
  std::map<FuncId, KernelStorage> storage;
  SymMap<LoopHints> hints;     // of tile variables; until tiles are expanded
  SymMap<Expr> lets;           // values of the body's Lets, for analysis; until tiles are expanded
  int64_t shared_bytes = 0;    // of the block
  std::vector<NarrowStride> strides;
  std::map<int, int64_t> access_bytes;  // per buffer: the widest aligned access that is used

  Type index_type() const { return Int(fast ? 32 : 64); }
  const KernelStorage* stored(FuncId f) const {
    const auto it = storage.find(f);
    return it == storage.end() ? nullptr : &it->second;
  }
  bool in_registers(FuncId f) const {
    const KernelStorage* s = stored(f);
    return s && s->memory == Memory::Register;
  }
};

// The values of all Lets of `body`: what `lets` holds.
SymMap<Expr> let_values(const Stmt& body);

}  // namespace sinter::ir
