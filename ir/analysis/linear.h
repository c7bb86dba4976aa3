// Linear forms over interned nodes: what linear_form, the simplifier and the constant bounds share.
#pragma once

#include <optional>
#include <unordered_map>

#include "ir/analysis/intern.h"
#include "ir/analysis/interval.h"

namespace sinter::ir {

// Accumulates coefficient * expression, taking sums apart as long as that is exact under the no-overflow rule of i32 and i64.
// Very long sums keep a remainder as one opaque term, so that work per node stays bounded.
class LinearBuilder {
 public:
  // `through_casts`: i64(a + b) counts as i64(a) + i64(b). Right for reasoning; the simplifier keeps 32-bit sums together.
  explicit LinearBuilder(Interner& intern, bool through_casts = true) : intern_(intern), through_casts_(through_casts) {}

  void add(const Expr& interned, int64_t coefficient);
  void add_constant(int64_t c);
  void add(const Linear& l, int64_t coefficient);
  // The sum, without zero coefficients; nullopt where a coefficient left 64 bits.
  std::optional<Linear> take();

 private:
  void add_term(const Expr& e, int64_t coefficient);

  Interner& intern_;
  bool through_casts_;
  bool overflow_ = false;
  int budget_ = 64;
  Linear out_;
  std::unordered_map<const ExprNode*, size_t> where_;
};

// The sum as an expression whose nodes are interned: terms in order, the first positive one in front, the constant last (in front
// where no term is positive). nullopt where a literal does not fit `t`.
std::optional<Expr> build_linear(Interner& intern, const Linear& l, Type t);

}  // namespace sinter::ir
