// Which iteration computes a given point: a value for each loop, read off the index expressions as a function of the point.
//
// A coordinate is a sum of strides times terms, a term is a loop, a part of a fused loop (v / a, v % a) or a start that is clipped by
// `min`. From the largest stride down each term takes its quotient and leaves the remainder; the parts of a fused loop are put
// together as soon as all of them have values. What comes out is a guess: whoever uses it proves that it is in the loops' ranges and
// gives the point.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/analysis/visit.h"
#include "ir/stmt.h"
#include "scheduler/prove/path.h"

namespace sinter::scheduler {

struct LoopValues {
  ir::Substitution value;  // of every loop, in terms of the point
  // Expressions over the loops and what each is at the point: the inner part of a split fused loop, for instance. Where they hold,
  // they may be put for the expression.
  std::vector<std::pair<ir::Expr, ir::Expr>> known;
  std::vector<ir::Expr> sums;  // equations that define the new variables of the point's path
  // What must hold over the loops for no other iteration to give the point; nullopt where no such claims are known.
  std::optional<std::vector<ir::Expr>> apart = std::vector<ir::Expr>{};
};

class MapInverter {
 public:
  // `point`: what holds of the point; variables that stand for run-time sums of its coordinates are added to it. `outer`: at the Produce.
  // `must(claim)` proves a claim at `point` that the guess rests on and does not return where it is not proved; `can` only asks.
  MapInverter(Path& point, const Path& outer, std::vector<const ir::ForStmt*> nest, std::function<void(const ir::Expr&)> must,
              std::function<bool(const ir::Expr&)> can)
      : point_(point), outer_(outer), nest_(std::move(nest)), must_(std::move(must)), can_(std::move(can)) {}

  // The coordinates, let-free, and the point. `reason` says what was not recognised where there is no answer.
  std::optional<LoopValues> invert(const std::vector<ir::Expr>& coord, const std::vector<ir::Expr>& at, std::string& reason);

 private:
  struct Part {  // (base / low) % modulus
    ir::Expr base, low, modulus;  // modulus undefined: all that is above
    ir::Expr value;
  };
  struct Fused {
    ir::Expr base;
    std::vector<Part> parts;
  };

  bool equation(const ir::Expr& e, const ir::Expr& value);
  bool term(const ir::Expr& e, const ir::Expr& value);
  bool put_together(Fused fused);
  ir::Expr joined(const std::vector<Part>& parts);
  ir::Expr evaluate(const ir::Expr& e) const;  // with the values found so far
  bool found(const ir::Expr& e) const;
  bool uses_loops(const ir::Expr& e) const;
  const ir::ForStmt* loop_of(const ir::Expr& e) const;
  Part part(const ir::Expr& e) const;
  bool fail(const std::string& why);

  Path& point_;
  const Path& outer_;
  std::vector<const ir::ForStmt*> nest_;
  std::function<void(const ir::Expr&)> must_;
  std::function<bool(const ir::Expr&)> can_;
  LoopValues out_;
  ir::IntervalScope ranges_;  // of the point's variables alone
  std::vector<Fused> fused_;
  std::string reason_;
};

}  // namespace sinter::scheduler
