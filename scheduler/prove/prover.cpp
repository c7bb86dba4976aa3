#include "scheduler/prove/prover.h"

#include <chrono>

#include "ir/analysis/facts.h"
#include "ir/diagnostic.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using ir::Answer;
using ir::Expr;
using ir::Verdict;

namespace {

// A claim that implies `claim`, where a comparison has a division by something that is no constant on its left:
// a / w <= c follows from w >= 1 and a < (c + 1) w. Undefined where there is nothing to rewrite.
Expr without_division(const Expr& claim) {
  if (claim->op == ir::Op::And) {
    const Expr a = without_division(claim->args[0]), b = without_division(claim->args[1]);
    if (!a.defined() && !b.defined()) return {};
    return (a.defined() ? a : claim->args[0]) && (b.defined() ? b : claim->args[1]);
  }
  if (claim->op != ir::Op::LE && claim->op != ir::Op::LT) return {};
  const Expr &quotient = claim->args[0], &bound = claim->args[1];
  if (quotient->op != ir::Op::Div || ir::as_int(quotient->args[1])) return {};
  const Expr &a = quotient->args[0], &w = quotient->args[1];
  const Expr end = claim->op == ir::Op::LE ? ir::simplify(bound + 1) : bound;
  return w >= ir::make_int(w.type(), 1) && a < end * w;
}

}  // namespace

Answer CompositeProver::prove(const std::vector<Expr>& facts, const Expr& claim) {
  ir::internal_check(claim.defined() && claim.type() == ir::Bool(), "a claim is a scalar Bool");
  const auto start = std::chrono::steady_clock::now();
  uint64_t key = ir::structural_hash(claim);
  for (const Expr& fact : facts) key = (key ^ ir::structural_hash(fact)) * 0x9e3779b97f4a7c15ull;
  ++stats_.queries;

  const auto same = [&](const Entry& entry) {
    if (entry.facts.size() != facts.size() || !ir::equal_structure(entry.claim, claim))
      return false;
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
  stats_.milliseconds +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return answer;
}

Answer CompositeProver::decide(const std::vector<Expr>& facts, const Expr& claim) {
  if (ir::can_prove(claim, ir::scope_of_facts(facts))) {
    ++stats_.by_intervals;
    return {Verdict::Proved, {}};
  }
  ++stats_.by_z3;
  if (!z3_) z3_ = std::make_unique<Z3Prover>(rlimit_);
  Answer answer = z3_->prove(facts, claim);
  if (answer.verdict == Verdict::Proved) return answer;
  // The coordinates of a fused loop: the solver is weak where it divides by an unknown extent.
  if (const Expr stronger = without_division(claim); stronger.defined() && z3_->prove(facts, stronger).verdict == Verdict::Proved)
    return {Verdict::Proved, {}};
  return answer;
}

std::unique_ptr<ir::Prover> make_prover() { return std::make_unique<CompositeProver>(); }

}  // namespace sinter::scheduler
