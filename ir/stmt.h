// Statements of the Nest and Kernel forms. Immutable and shared, like expressions.
//
// Nest form: loops around Provide with absolute multi-dimensional indices; allocations at their place; Produce/Consume.
// Kernel form: first Tile statements with a layout, then per-thread code (Load/Store, Barrier ...). The invariants of each
// form are listed on top of ir/verify/verify.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/expr.h"
#include "ir/layout.h"

namespace sinter::ir {

struct StmtNode;
using Stmt = std::shared_ptr<const StmtNode>;

enum class StmtKind : uint8_t {
  Seq, For, If, Let, Provide, Alloc, Produce, Consume,  // Nest
  Tile, Store, Sync, AsyncCopy, Matrix,                 // Kernel
  Launch, Check, Memset,                                // entry code, on the host
};

enum class LoopKind : uint8_t {
  Serial,
  Parallel,     // iterations in any order, by CPU workers
  Block,        // a block loop of a grid; all block loops of a kernel are one perfect nest, outermost first
  Thread,       // explicit style: bound to threads of the block
  Cooperative,  // the block together computes the box; only `live` iterations count
  Vectorized,   // constant extent; the body is computed for all iterations at once
  Unrolled,     // constant extent
};

enum class Memory : uint8_t { Auto, Register, Shared, Global /* device workspace */, Host /* heap or arena */ };

struct StmtNode {
  const StmtKind kind;
  Loc loc;
  virtual ~StmtNode() = default;

 protected:
  explicit StmtNode(StmtKind k, Loc l = {}) : kind(k), loc(l) {}
};

// In order.
struct SeqStmt : StmtNode {
  std::vector<Stmt> stmts;
  explicit SeqStmt(std::vector<Stmt> s) : StmtNode(StmtKind::Seq), stmts(std::move(s)) {}
};

// for var in [min, min + extent). Extent <= 0 runs nothing. For Cooperative (and Thread) loops `extent` is a constant and
// `live` (undefined = extent) bounds the iterations that have a meaning: executions iterate over min(live, extent).
struct LoopHints {
  int64_t vector = 0;   // Cooperative: innermost register digit along this dimension, fixed by vectorize(v, n); 0 = by the width rule
  int64_t unroll = 0;   // Cooperative: register digit placed before the thread digits, fixed by unroll(v, n); 0 = none
  int64_t threads = 0;  // outermost Block loop: block size fixed by .threads(n); 0 = chosen
  // Block: place in the order in which a grid's blocks are numbered, 1 the fastest (0 = not given: the innermost loop is the fastest);
  // and how many consecutive ones are done for each iteration of the next loop in that order (0 = all).
  int64_t order = 0, group = 0;
  friend bool operator==(const LoopHints&, const LoopHints&) = default;
};
struct ForStmt : StmtNode {
  Sym var;
  Expr min, extent, live;
  LoopKind loop;
  LoopHints hints;
  Stmt body;
  ForStmt(Sym v, Expr mn, Expr ext, Expr lv, LoopKind k, Stmt b, Loc l = {}, LoopHints h = {})
      : StmtNode(StmtKind::For, l), var(std::move(v)), min(std::move(mn)), extent(std::move(ext)), live(std::move(lv)),
        loop(k), hints(h), body(std::move(b)) {}
};

struct IfStmt : StmtNode {
  Expr cond;
  Stmt then_body, else_body;  // else_body may be null
  IfStmt(Expr c, Stmt t, Stmt e = nullptr) : StmtNode(StmtKind::If), cond(std::move(c)), then_body(std::move(t)), else_body(std::move(e)) {}
};

struct LetStmt : StmtNode {
  Sym var;
  Expr value;
  Stmt body;
  LetStmt(Sym v, Expr e, Stmt b) : StmtNode(StmtKind::Let), var(std::move(v)), value(std::move(e)), body(std::move(b)) {}
};

// func(index...) = value, in Nest form. `stage` is 0 for the pure definition, 1.. for updates.
struct ProvideStmt : StmtNode {
  FuncId func;
  int stage;
  std::vector<Expr> index;
  Expr value;
  ProvideStmt(FuncId f, int st, std::vector<Expr> ix, Expr v, Loc l = {})
      : StmtNode(StmtKind::Provide, l), func(f), stage(st), index(std::move(ix)), value(std::move(v)) {}
};

// Storage of a Func for the duration of `body`. Element (i0, i1, ...) lives at offset sum((i_d - min_d) * stride_d) with
// strides compact over `extent`, in the order of `order`, or dimension 0 innermost. `extent` is a constant inside blocks (a proved upper bound of the
// dynamic extent); for Global and Host an expression of sizes.
struct Region {
  Expr min;     // first live coordinate
  Expr max;     // last live coordinate (max < min: empty)
  Expr extent;  // allocated
};
struct AllocStmt : StmtNode {
  FuncId func;
  Type type;
  Memory memory;
  std::vector<Region> region;
  int ring = 1;        // slots of a ring_buffer
  int align = 16;      // bytes
  int swizzle = 0;     // 0 none, else bytes of the swizzle atom's row (32, 64, 128)
  std::vector<int64_t> pad;  // extra elements per dimension (bank conflicts); empty = none
  std::vector<int> order;    // dimensions, innermost in memory first; empty = 0, 1, ...
  Stmt body;
  AllocStmt(FuncId f, Type t, Memory m, std::vector<Region> r, Stmt b, Loc l = {})
      : StmtNode(StmtKind::Alloc, l), func(f), type(t), memory(m), region(std::move(r)), body(std::move(b)) {}
};

// Marks: the statements that compute a Func, and those that read it.
struct ProduceStmt : StmtNode {
  FuncId func;
  Stmt body;
  ProduceStmt(FuncId f, Stmt b) : StmtNode(StmtKind::Produce), func(f), body(std::move(b)) {}
};
struct ConsumeStmt : StmtNode {
  FuncId func;
  Stmt body;
  ConsumeStmt(FuncId f, Stmt b) : StmtNode(StmtKind::Consume), func(f), body(std::move(b)) {}
};

// ---- Kernel form ------------------------------------------------------------------------------------------------

// What a tile statement does: kept until layouts are chosen.
enum class TileOp : uint8_t { Map, Reduce, Matrix, Copy };

// The whole block (or role) together runs `body` once for each point of the box [0,extent0) x [0,extent1) x ... that lies in
// live; `vars[d]` are the tile coordinates. `layout` says which thread runs which point, in which register step.
struct TileStmt : StmtNode {
  TileOp op;
  FuncId func;  // what it computes
  int stage;
  std::vector<Sym> vars;
  std::vector<int64_t> extent;
  std::vector<Expr> live;  // undefined = extent
  Layout layout;
  Stmt body;  // Provide / Store, serial loops, Ifs, Register Allocs of inner Funcs; no barriers
  TileStmt(TileOp o, FuncId f, int st, std::vector<Sym> v, std::vector<int64_t> e, std::vector<Expr> lv, Layout lay, Stmt b, Loc l = {})
      : StmtNode(StmtKind::Tile, l), op(o), func(f), stage(st), vars(std::move(v)), extent(std::move(e)), live(std::move(lv)),
        layout(std::move(lay)), body(std::move(b)) {}
};

// buffer[index] = value; a vector index (dense Ramp) stores a vector. `mask` (optional, Bool) per lane.
struct StoreStmt : StmtNode {
  int buffer;
  Expr index, value, mask;
  int64_t align = 0;  // the index is known to be a multiple of this many elements (0 = unknown)
  CachePolicy cache{};
  StoreStmt(int b, Expr ix, Expr v, Expr m = {}, int64_t a = 0, CachePolicy c = {}, Loc l = {})
      : StmtNode(StmtKind::Store, l), buffer(b), index(std::move(ix)), value(std::move(v)), mask(std::move(m)), align(a), cache(c) {}
};

enum class SyncKind : uint8_t {
  Barrier,         // all threads of the block (args: none) or named: args = {id, threads}
  WarpSync,
  ClusterArrive, ClusterWait,
  MbarrierInit,    // args = {barrier, count}
  MbarrierArrive,  // args = {barrier}
  ExpectBytes,     // args = {barrier, bytes}: an arrival that also raises the pending byte count
  MbarrierWait,    // args = {barrier, phase parity}
  FenceProxyAsync, // generic writes to shared memory become visible to the async proxy
  CopyCommit, CopyWait,      // cp.async groups; CopyWait args = {groups that may stay in flight}
  MatrixCommit, MatrixWait,  // wgmma groups; MatrixWait args = {groups that may stay in flight}
  GridDependencyWait, GridDependencyLaunch,
  SetMaxRegisters, // args = {registers}
};

struct SyncStmt : StmtNode {
  SyncKind sync;
  std::vector<Expr> args;
  explicit SyncStmt(SyncKind k, std::vector<Expr> a = {}, Loc l = {}) : StmtNode(StmtKind::Sync, l), sync(k), args(std::move(a)) {}
};

// An asynchronous copy of a box between a global Func and a shared allocation, completing on a barrier (bulk, tensor) or a
// commit group (CpAsync).
enum class CopyKind : uint8_t { CpAsync, Bulk, Tensor };
struct AsyncCopyStmt : StmtNode {
  CopyKind copy;
  int dst, src;                       // buffers
  std::vector<Expr> dst_min, src_min; // element coordinates of the boxes
  std::vector<int64_t> box;
  Expr slot;      // ring slot of the shared side
  Expr barrier;   // undefined for CpAsync
  AsyncCopyStmt(CopyKind k, int d, int s, std::vector<Expr> dm, std::vector<Expr> sm, std::vector<int64_t> b, Expr sl, Expr bar, Loc l = {})
      : StmtNode(StmtKind::AsyncCopy, l), copy(k), dst(d), src(s), dst_min(std::move(dm)), src_min(std::move(sm)), box(std::move(b)),
        slot(std::move(sl)), barrier(std::move(bar)) {}
};

// acc += a * b on fragments; shape names an entry of ir/target's table of matrix instructions.
struct MatrixStmt : StmtNode {
  std::string instruction;  // "wgmma.m64n256k16.f32.bf16", "mma.m16n8k16.f32.bf16"
  int acc, a, b;            // buffers: accumulators in Register; operands in Shared or Register
  std::vector<Expr> args;   // slot and k step of each operand
  MatrixStmt(std::string ins, int acc_, int a_, int b_, std::vector<Expr> ar, Loc l = {})
      : StmtNode(StmtKind::Matrix, l), instruction(std::move(ins)), acc(acc_), a(a_), b(b_), args(std::move(ar)) {}
};

// ---- entry code -------------------------------------------------------------------------------------------------

// Enqueue kernel `kernel` (index into Module::kernels) over `grid` blocks. Its scalars and buffers are those in scope.
struct LaunchStmt : StmtNode {
  int kernel;
  Expr grid;  // i64
  explicit LaunchStmt(int k, Expr g, Loc l = {}) : StmtNode(StmtKind::Launch, l), kernel(k), grid(std::move(g)) {}
};

// A requirement on the caller's arguments: given >= needed, else the call fails with a text that names `what`.
struct CheckStmt : StmtNode {
  std::string what;  // "input `x`, dimension 0: extent"
  Expr given, needed;
  enum Relation : uint8_t { AtLeast, Equal, MultipleOf } relation;
  CheckStmt(std::string w, Expr g, Expr n, Relation r, Loc l = {})
      : StmtNode(StmtKind::Check, l), what(std::move(w)), given(std::move(g)), needed(std::move(n)), relation(r) {}
};

struct MemsetStmt : StmtNode {
  int buffer;
  explicit MemsetStmt(int b) : StmtNode(StmtKind::Memset), buffer(b) {}
};

// ---- helpers ----------------------------------------------------------------------------------------------------
template <class T>
const T* as(const Stmt& s);  // the node as T, or nullptr; null s gives nullptr

Stmt make_seq(std::vector<Stmt> stmts);  // flattens nested Seqs, drops nulls; one statement stays itself; none gives an empty Seq
Stmt make_for(Sym v, Expr min, Expr extent, LoopKind k, Stmt body, Loc l = {}, Expr live = {}, LoopHints hints = {});
Stmt make_if(Expr cond, Stmt then_body, Stmt else_body = nullptr);  // undefined or true condition: then_body
Stmt make_let(Sym v, Expr value, Stmt body);

const char* loop_kind_name(LoopKind k);  // "serial", "parallel", "block", "thread", "coop", "vectorized", "unrolled"
const char* memory_name(Memory m);       // "auto", "register", "shared", "global", "host"
const char* sync_name(SyncKind k);       // "barrier", "mbarrier.wait", ...
const char* tile_op_name(TileOp o);      // "map", ...

#define SINTER_STMT_AS(T, K) \
  template <>                \
  inline const T* as<T>(const Stmt& s) { return s && s->kind == StmtKind::K ? static_cast<const T*>(s.get()) : nullptr; }
SINTER_STMT_AS(SeqStmt, Seq)
SINTER_STMT_AS(ForStmt, For)
SINTER_STMT_AS(IfStmt, If)
SINTER_STMT_AS(LetStmt, Let)
SINTER_STMT_AS(ProvideStmt, Provide)
SINTER_STMT_AS(AllocStmt, Alloc)
SINTER_STMT_AS(ProduceStmt, Produce)
SINTER_STMT_AS(ConsumeStmt, Consume)
SINTER_STMT_AS(TileStmt, Tile)
SINTER_STMT_AS(StoreStmt, Store)
SINTER_STMT_AS(SyncStmt, Sync)
SINTER_STMT_AS(AsyncCopyStmt, AsyncCopy)
SINTER_STMT_AS(MatrixStmt, Matrix)
SINTER_STMT_AS(LaunchStmt, Launch)
SINTER_STMT_AS(CheckStmt, Check)
SINTER_STMT_AS(MemsetStmt, Memset)
#undef SINTER_STMT_AS

}  // namespace sinter::ir
