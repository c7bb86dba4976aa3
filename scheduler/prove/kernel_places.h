// What is known at the places of a kernel between its tile statements, and what is the same for all threads there.
#pragma once

#include <unordered_set>

#include "scheduler/lower/kernel/draft.h"
#include "scheduler/prove/path.h"

namespace sinter::scheduler {

// The coordinates of the block: Lets that decode its index. In claims they are variables of their own: that the decoding is a
// bijection is known by construction, and no solver has to divide by run-time sizes.
struct BlockCoordinates {
  std::vector<ir::Sym> all;      // outermost loop first
  std::unordered_set<const ir::VarNode*> opaque;  // these, and what is between them and the index
  ir::SymMap<std::pair<ir::Expr, ir::Expr>> range;
};
BlockCoordinates block_coordinates(const KernelDraft& kernel);

// Tells values that are the same in all threads of a block from others.
class Uniform {
 public:
  explicit Uniform(const KernelDraft& kernel);
  bool operator()(const ir::Expr& e) const;
  void vary(const ir::Sym& s) { varying_.insert(s.get()); }

 private:
  const KernelDraft& kernel_;
  std::unordered_set<const ir::VarNode*> varying_;
  std::unordered_set<ir::FuncId> stored_;  // Funcs that the kernel itself stores to
};

}  // namespace sinter::scheduler
