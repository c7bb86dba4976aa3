// Hash-consing within one analysis: equal structure becomes equal address, so that memo tables and term tables work
// on nodes and a comparison of expressions costs nothing.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ir/expr.h"

namespace sinter::ir {

class Interner {
 public:
  // The one node of this structure; its operands are such nodes too. Linear in the nodes not seen before.
  Expr operator()(const Expr& e);
  // The same where the operands of `e` are interned already.
  Expr unique(const Expr& e);
  // Whether an interned node depends on memory, other lanes or floating point: its values are data, not indices.
  bool is_data(const Expr& e) const { return data_.count(e.get()) != 0; }

 private:
  struct Hash {
    size_t operator()(const Expr& e) const;
  };
  struct Same {
    bool operator()(const Expr& a, const Expr& b) const;
  };
  std::unordered_set<Expr, Hash, Same> pool_;
  std::unordered_map<const ExprNode*, std::pair<Expr, Expr>> memo_;  // node → (itself, kept alive; its interned form)
  std::unordered_set<const ExprNode*> data_;
};

}  // namespace sinter::ir
