// Matching of rule patterns.
#pragma once

#include <array>
#include <functional>

#include "ir/transform/rules/rule.h"

namespace sinter::ir {

// What the wildcards of a rule stand for at one place. Points into the rule and the expression.
struct Match {
  static constexpr size_t kMaxValues = 8;
  std::array<std::pair<const VarNode*, const Expr*>, kMaxValues> values;
  size_t count = 0;
  Type number{};  // the scalar type that numbers in the rule mean; none where the rule has Bools only
  int lanes = 1;  // of the matched expression
  bool lifted = false;  // a scalar pattern on vectors: literals of the rule become vectors too

  const Expr* find(const VarNode* v) const {
    for (size_t i = 0; i < count; ++i)
      if (values[i].first == v) return values[i].second;
    return nullptr;
  }
};

// All operands of `e` are interned (equal structure, equal address). Tries commutative operands in both orders, and calls `accept`
// for each way to match until it returns true.
bool match_rule(const Rule& rule, const Expr& e, const std::function<bool(const Match&)>& accept);

}  // namespace sinter::ir
