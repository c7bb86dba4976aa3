// What holds at a place of a form: ranges of the loops around it, conditions, values of Lets, sizes of arguments.
#pragma once

#include <unordered_set>
#include <vector>

#include "ir/analysis/interval.h"
#include "ir/program.h"
#include "ir/stmt.h"

namespace sinter::scheduler {

class Path {
 public:
  Path() = default;
  // The sizes of a pipeline's arguments: extents in [1, kMaxExtent], declared ones as declared.
  static Path of_arguments(const ir::Program& program);

  void enter_loop(const ir::Sym& var, const ir::Expr& min, const ir::Expr& extent, const ir::Expr& live);
  void enter_loop(const ir::ForStmt& loop) { enter_loop(loop.var, loop.min, loop.extent, loop.live); }
  void assume(const ir::Expr& condition);         // Bool; conjunctions are taken apart
  void assume_not(const ir::Expr& condition);
  void bind(const ir::Sym& var, const ir::Expr& value);  // a Let: later expressions see the value
  void adopt_lets(const Path& inner) { lets_ = inner.lets_; }
  void set_range(const ir::Sym& var, const ir::Expr& min, const ir::Expr& max);  // inclusive; an undefined end is open

  bool is_loop(const ir::Sym& var) const { return loops_.count(var.get()) != 0; }
  // `e` with the values of Lets in their place.
  ir::Expr resolve(const ir::Expr& e) const;
  // v / a and v % a of a fused loop, v < a * b, as variables of their own: that they are below b and a is the lemma of fuse, and no
  // solver has to divide by a run-time size.
  ir::Expr in_digits(const ir::Expr& e) const;
  // var / by is `quotient` and var % by is `remainder` (undefined: nothing known of it) from here on.
  void add_fused(const ir::Sym& var, const ir::Expr& by, const ir::Expr& quotient, const ir::Expr& remainder) { fused_.push_back({var, by, quotient, remainder}); }
  const std::vector<ir::Expr>& facts() const { return facts_; }
  const ir::IntervalScope& scope() const { return scope_; }

 private:
  void refine(const ir::Expr& fact);
  void add_digits(const ir::Sym& var, const ir::Expr& extent);

  std::vector<ir::Expr> facts_;
  ir::IntervalScope scope_;
  ir::SymMap<size_t> age_;  // of the variables in scope_, in order of entry
  struct Fused {
    ir::Sym var;
    ir::Expr inner;  // a
    ir::Expr quotient, remainder;
  };
  std::vector<Fused> fused_;
  std::unordered_set<const ir::VarNode*> loops_;
  ir::Substitution lets_;
};

// The facts that Checks of `s` leave behind: what follows `s` runs only where they held. Checks under conditions that `path` does not
// imply are skipped.
void assume_checks(const ir::Stmt& s, Path& path);

// What must hold for the negation to be false: !(a < b) is a >= b.
ir::Expr negated(const ir::Expr& condition);

}  // namespace sinter::scheduler
