// Which integer expressions are never negative: divisions and shifts of those are cheap.
#pragma once

#include <unordered_map>

#include "ir/analysis/visit.h"
#include "ir/expr.h"
#include "ir/kernel.h"

namespace sinter::codegen {

// Conservative, and shallow on purpose: false where it does not see it. Overflow of i32 and i64 is an error, so that sums and products
// of what is not negative are not negative either.
class SignAnalysis {
 public:
  bool nonneg(const ir::Expr& e) { return nonneg(e, 0); }
  void note(const ir::Sym& s, bool yes);
  bool knows(const ir::Sym& s) const;

  // The sizes of buffers, then what the entry's Lets and loops make of them: what a kernel's scalars may be.
  void note_entry(const ir::Module& m);

 private:
  bool nonneg(const ir::Expr& e, int depth);
  std::unordered_map<const ir::ExprNode*, bool> memo_;
  ir::SymMap<bool> vars_;
};

}  // namespace sinter::codegen
