// The schedule as data: directives in the order they were given, each with the user's line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/expr.h"
#include "ir/stmt.h"

namespace sinter::ir {

enum class Tail : uint8_t { Auto, RoundUp, GuardWithIf, ShiftInwards };
inline constexpr Tail kLastTail = Tail::ShiftInwards;
const char* tail_name(Tail t);

enum class DirectiveKind : uint8_t {
  // loops of one stage
  Split,         // loops = {old, outer, inner}; ints = {factor}; tail
  Fuse,          // loops = {inner, outer, fused}
  Rename,        // loops = {old, new}
  Reorder,       // loops innermost first
  Serial, Parallel, Cooperative,  // loops = {v}
  Unroll, Vectorize,              // loops = {v}; ints = {} or {n}: with n, split by n first (host) or fix a register digit (cooperative)
  GpuBlocks, GpuThreads,          // loops = {x} or {x, y} or {x, y, z}
  GpuTile,       // loops = {x, y, xo, yo, xi, yi} (or {x, xo, xi}); ints = tile sizes; tail
  Threads,       // ints = {n}: the block size
  BlockOrder,    // loops of blocks, fastest first; ints = {} or for each loop how many of it make a group (1: all of it)
  CooperativeStage,  // f.cooperative(): in explicit style, this block-level Func is computed cooperatively
  // the whole Func
  ComputeInline, ComputeRoot, StoreRoot,
  ComputeAt, StoreAt,            // target = consumer Func; loops = {loop}
  ComputeAtBlock, StoreAtBlock,  // target = consumer Func
  StoreIn,       // memory
  ReorderStorage,  // loops = dims, innermost in memory first; the others keep their places
  AlignStorage,    // loops = {dim}; ints = {elements}
  Bound,         // loops = {dim}; exprs = {min, extent}
  BoundExtent,   // loops = {dim}; exprs = {extent}
  AlignBounds,   // loops = {dim}; ints = {modulus, remainder}
  SetEstimate,   // loops = {dim}; ints = {min, extent}: what explain() takes where no size is given. Of Inputs too
};
inline constexpr DirectiveKind kLastDirective = DirectiveKind::SetEstimate;
// What there is to know of a directive besides what it does: its words, and which fields of a Directive it has. Printers, parsers, the
// verifier and the forms in which a schedule is stored read this table, so that a new row is all that they need.
struct DirectiveInfo {
  DirectiveKind kind;
  const char* name;    // "split": in messages and in every text form; distinct
  const char* method;  // of Func and Stage; arguments in the order target, loops, exprs, ints, memory, tail
  int min_loops, max_loops;
  int min_ints, max_ints;
  int exprs;
  bool tail, memory, target;
};
inline constexpr int kManyLoops = 1 << 20;
const DirectiveInfo& directive_info(DirectiveKind k);
const DirectiveInfo* find_directive(std::string_view name);  // null: there is none
// ints, where there are any, belong to the loops one by one.
inline bool orders_blocks(DirectiveKind k) { return k == DirectiveKind::BlockOrder; }
inline const char* directive_name(DirectiveKind k) { return directive_info(k).name; }
inline bool concerns_loops(DirectiveKind k) { return k < DirectiveKind::ComputeInline; }  // of one stage; else the whole Func

// A loop is named by the Var or RVar that the user wrote; the Sym is its identity.
struct Directive {
  DirectiveKind kind{};
  FuncId func = -1;
  int stage = 0;  // 0 pure, 1.. updates; -1: the whole Func
  std::vector<Sym> loops;
  std::vector<int64_t> ints;
  std::vector<Expr> exprs;
  Tail tail = Tail::Auto;
  Memory memory = Memory::Auto;
  FuncId target = -1;     // compute_at / store_at: the consumer
  int target_stage = -1;  // its stage; -1: whichever stage has the loop
  Loc loc;
};

struct Schedule {
  std::vector<Directive> directives;
};

}  // namespace sinter::ir
