// The accesses of a kernel's tile statements, and the threads that make them, as claims need them.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "scheduler/lower/kernel/draft.h"
#include "scheduler/prove/claims.h"

namespace sinter::scheduler {

// One access inside a tile statement, with what is around it there.
struct Touch {
  const ir::TileStmt* tile = nullptr;
  const ir::ProvideStmt* provide = nullptr;  // whose store it is, or whose value reads it (null: a condition or bound)
  ir::FuncId func = -1;
  std::vector<ir::Expr> index;               // Lets resolved
  bool write = false;
  ir::Loc loc;
  std::vector<const ir::ForStmt*> inner_loops;  // inside the tile statement
  std::vector<ir::Expr> conditions;             // inside the tile statement
  std::shared_ptr<const Path> path;             // at the tile statement
};

// All accesses of a tile statement.
std::vector<Touch> touches(const ir::TileStmt& tile, const std::shared_ptr<const Path>& path);

// One execution of a tile statement's body by one thread: fresh variables for the thread's digits, the point's coordinates in terms of
// them, and the thread's number.
struct ThreadCopy {
  ir::Substitution values;      // tile and inner loop variables of this copy
  ir::Expr thread;
  std::vector<ir::Expr> facts;
  std::vector<std::pair<ir::Sym, std::pair<ir::Expr, ir::Expr>>> ranges;
};

// How a flat layout runs: points outside of live are skipped one by one, in vectors of 1; whole boxes in the layout's vectors.
enum class FlatMode : uint8_t { Whole, Masked };
std::vector<FlatMode> flat_modes(const KernelDraft& kernel, const ir::TileStmt& tile);

// `renamed`: serial loops of which this copy is in another iteration.
ThreadCopy thread_copy(const KernelDraft& kernel, const Touch& touch, FlatMode mode, const ir::Substitution& renamed, const std::string& mark);
void add_to(Path& path, const ThreadCopy& copy);

// The index of a touch in a copy.
std::vector<ir::Expr> copied_index(const Touch& touch, const ThreadCopy& copy, const ir::Substitution& renamed);

// Points per thread step that one access covers in this mode.
int flat_vector(const ir::TileStmt& tile, FlatMode mode);
// True where a blocked layout gives no two owners one point (copies aside).
bool digits_are_injective(const ir::Layout& layout, int rank);

}  // namespace sinter::scheduler
