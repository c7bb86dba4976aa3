#include "scheduler/prove/prover.h"

#include <chrono>

#include "ir/analysis/facts.h"
#include "ir/diagnostic.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using ir::Answer;
using ir::Expr;
using ir::Verdict;

Answer CompositeProver::prove(const std::vector<Expr>& facts, const Expr& claim) {
  ir::internal_check(claim.defined() && claim.type() == ir::Bool(), "a claim is a scalar Bool");
  const auto start = std::chrono::steady_clock::now();
  uint64_t key = ir::structural_hash(claim);
  for (const Expr& fact : facts) key = (key ^ ir::structural_hash(fact)) * 0x9e3779b97f4a7c15ull;
  ++stats_.queries;

  const auto same = [&](const Entry& entry) {
    if (entry.facts.size() != facts.size() || !ir::equal_structure(entry.claim, claim)) return false;
    for (size_t i = 0; i < facts.size(); ++i)
      if (!ir::equal_structure(entry.facts[i], facts[i])) return false;
    return true;
  };
  std::vector<Entry>& bucket = cache_[key];
  Answer answer;
  bool known = false;
  for (const Entry& entry : bucket)
    if (!known && same(entry)) {
      answer = entry.answer;
      known = true;
    }
  if (known) {
    ++stats_.cached;
  } else {
    answer = decide(facts, claim);
    bucket.push_back({facts, claim, answer});
  }
  if (answer.verdict == Verdict::Refuted) ++stats_.refuted;
  if (answer.verdict == Verdict::Unknown) ++stats_.unknown;
  stats_.milliseconds += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return answer;
}

Answer CompositeProver::decide(const std::vector<Expr>& facts, const Expr& claim) {
  if (ir::can_prove(claim, ir::scope_of_facts(facts))) {
    ++stats_.by_intervals;
    return {Verdict::Proved, {}};
  }
  ++stats_.by_z3;
  if (!z3_) z3_ = std::make_unique<Z3Prover>(rlimit_);
  return z3_->prove(facts, claim);
}

std::unique_ptr<ir::Prover> make_prover() { return std::make_unique<CompositeProver>(); }

}  // namespace sinter::scheduler
