// The compiler's prover: interval and affine reasoning, then Z3, answers cached by structure.
#pragma once

#include <memory>
#include <unordered_map>

#include "ir/prover.h"
#include "scheduler/prove/z3_prover.h"

namespace sinter::scheduler {

// One per compile. Facts that bound a variable feed the interval reasoning; all of them go to Z3.
class CompositeProver : public ir::Prover {
 public:
  explicit CompositeProver(unsigned rlimit = Z3Prover::kDefaultRlimit) : rlimit_(rlimit) {}

  ir::Answer prove(const std::vector<ir::Expr>& facts, const ir::Expr& claim) override;

  struct Stats {
    int queries = 0, by_intervals = 0, by_z3 = 0, cached = 0, refuted = 0, unknown = 0;
    double milliseconds = 0;  // in all of them
  };
  const Stats& stats() const { return stats_; }

 private:
  ir::Answer decide(const std::vector<ir::Expr>& facts, const ir::Expr& claim);

  struct Entry {
    std::vector<ir::Expr> facts;
    ir::Expr claim;
    ir::Answer answer;
  };
  unsigned rlimit_;
  std::unique_ptr<Z3Prover> z3_;  // created by the first query that needs it: an elementwise kernel needs none
  std::unordered_map<uint64_t, std::vector<Entry>> cache_;
  Stats stats_;
};

std::unique_ptr<ir::Prover> make_prover();

}  // namespace sinter::scheduler
