// Rewrite rules as data: pattern, result, condition. tests/rules hands each to Z3 (scheduler/prove/rule_checker.h).
//
// A pattern is an ordinary expression over wildcard variables. `x y z w` match anything, `p q r` any Bool, `c0 c1 c2` integer
// literals. All numeric wildcards of a rule stand for one type, its domain says which; i32 in the pattern means that type. A scalar
// pattern also matches vectors, lane by lane. Patterns with Ramp and Broadcast (written with kLanes lanes) match any number of lanes.
#pragma once

#include <string>
#include <vector>

#include "ir/expr.h"

namespace sinter::ir {

// Where a rule holds; the test proves it for each domain named.
enum RuleDomain : uint8_t {
  kSigned = 1,    // i32, i64: over the integers, and the result overflows only if the pattern does
  kWrapping = 2,  // integers that wrap, signed and unsigned
  kBool = 4,
  kFloat = 8,     // bit-exact, NaN and signed zeros included
  kInteger = kSigned | kWrapping,
  kAny = kSigned | kWrapping | kBool | kFloat,
};

struct Rule {
  std::string name;
  uint8_t domains;
  Expr lhs, rhs;
  Expr condition;  // undefined: always. Over the wildcards; must be proved from ranges, literals fold
  bool by_range = false;  // the condition is about more than literals
};

constexpr int kLanes = 4;

// Every rule, in the order in which they are tried.
const std::vector<Rule>& all_rules();
// The rules whose pattern has this operator on top.
const std::vector<const Rule*>& rules_for(Op op);

// Literal wildcards are told from the others by identity.
bool is_literal_wildcard(const VarNode* v);

}  // namespace sinter::ir
