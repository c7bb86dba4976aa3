// The loops of one stage while its directives are applied: an ordered list, and how each came from the stage's dimensions.
// primitive/ checks and edits this list only; the Nest is built from it once (lower/build_nest.h).
#pragma once

#include <string>
#include <vector>

#include "ir/loops.h"
#include "ir/program.h"
#include "ir/schedule.h"
#include "ir/stmt.h"

namespace sinter::scheduler {

// A loop, current or consumed by a split or fuse. Its index in StageLoops::nodes identifies it; `name` is the user's Var, by
// which directives find it (a name may be used again: split(x, x, xi, 8)).
struct LoopNode {
  ir::Sym name;
  ir::LoopKind kind = ir::LoopKind::Serial;
  bool is_rvar = false;
  bool kind_fixed = false;   // a directive chose the kind; defaults do not override it
  ir::LoopHints hints;
  ir::Loc loc;               // of the directive that made or bound it
};

// How a loop was made from others; indices into nodes.
struct LoopRelation {
  enum class Kind : uint8_t { Split, Fuse } kind;
  int whole, outer, inner;   // Split: whole = outer * factor + inner. Fuse: whole = outer * extent(inner) + inner
  int64_t factor = 1;
  ir::Tail tail = ir::Tail::Auto;
  ir::Loc loc;
};

struct OrderedBlock {
  int node;
  int64_t group;  // 1: all of it
};

struct StageLoops {
  ir::FuncId func = -1;
  int stage = 0;
  std::vector<LoopNode> nodes;          // the stage's dimensions first: pure dims, then RVars
  std::vector<int> order;               // current loops, innermost first
  std::vector<LoopRelation> relations;  // in the order they were made
  int pure_dims = 0;                    // nodes [0, pure_dims) are the Func's dims (an update has those that are pure in it)
  std::vector<int> dim_of_node;         // node → Func dimension (pure) or RDom variable index
  bool touched = false;                 // some directive concerned its loops
  bool cooperative_stage = false;       // f.cooperative()
  int64_t threads = 0;                  // .threads(n)
  ir::Loc loc;                          // of the definition
  std::vector<OrderedBlock> block_order;  // .block_order(...): the loops that it names, fastest first
  ir::Loc block_order_loc;

  int find(const ir::Sym& name) const;  // position in `order`, or -1
  const LoopNode& loop(int position) const { return nodes[order[position]]; }
  bool has_kind(ir::LoopKind kind) const;
};

// The stage's loops before any directive: RVars innermost (the first of the RDom innermost of all), then pure dims.
StageLoops initial_loops(const ir::Program& program, ir::FuncId func, int stage);

// The nest as text, outermost first, for error excerpts: "block yo", "  coop xi"; the loop at `mark` (or -1) is marked.
std::vector<std::string> nest_excerpt(const ir::Program& program, const StageLoops& loops, int mark = -1,
                                      const std::string& remark = "<-- here");

// Position of the loop `name`, or E0100 with the loops that exist.
int require_loop(const ir::Program& program, const StageLoops& loops, const ir::Sym& name, const ir::Directive& directive);
// E0102 where a loop called `name` exists, apart from the loop at position `except`.
void require_unused(const ir::Program& program, const StageLoops& loops, const ir::Sym& name, int except, const ir::Directive& directive);

}  // namespace sinter::scheduler
