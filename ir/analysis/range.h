// Constant ranges of integer expressions, and the best constant bound of a linear form.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/analysis/intern.h"
#include "ir/analysis/interval.h"

namespace sinter::ir {

// [lo, hi], both inclusive; the extreme values of int64_t stand for "unbounded".
struct Range {
  static constexpr int64_t kMin = INT64_MIN, kMax = INT64_MAX;
  int64_t lo = kMin, hi = kMax;

  static Range point(int64_t v) { return {v, v}; }
  bool has_lo() const { return lo != kMin; }
  bool has_hi() const { return hi != kMax; }
  bool is_point() const { return lo == hi && has_lo() && has_hi(); }
  friend bool operator==(const Range&, const Range&) = default;
};

Range type_range(Type t);  // unbounded for i32, i64, u64 and floats

// Ranges of nodes by one bottom-up rule per operator, memoised. Sound for every lane of a vector.
class Ranges {
 public:
  explicit Ranges(const IntervalScope& scope) : scope_(scope) {}

  Range of(const Expr& e);
  void bind(const Sym& s, const Range& r) { let_[s.get()] = r; }  // a Let around what follows

 private:
  Range compute(const Expr& e);
  Range variable(const Expr& e);

  const IntervalScope& scope_;
  SymMap<Range> let_;
  std::unordered_map<const ExprNode*, std::pair<Expr, Range>> memo_;
  std::unordered_set<const VarNode*> active_;  // variables whose interval is being looked at
};

// Upper bounds of linear forms: term by term, and by case analysis of min, max, select, / and variables with symbolic ends, so that
// what two terms share cancels. The search has a budget; running out of it only loses precision.
class LinearBounds {
 public:
  LinearBounds(const IntervalScope& scope, Interner& intern, Ranges& ranges) : scope_(scope), intern_(intern), ranges_(ranges) {}

  std::optional<int64_t> upper(const Linear& l, int budget = 200);
  std::optional<int64_t> lower(const Linear& l, int budget = 200);

 private:
  struct Key;
  int64_t search(const Linear& l, int depth);
  int64_t direct(const Linear& l);
  std::optional<Linear> replace(const Linear& l, size_t term, const Expr& value, int64_t scale = 1);

  const IntervalScope& scope_;
  Interner& intern_;
  Ranges& ranges_;
  std::unordered_map<uint64_t, std::vector<std::pair<Linear, int64_t>>> memo_;
  int budget_ = 0;
};

}  // namespace sinter::ir
