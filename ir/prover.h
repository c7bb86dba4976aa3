// The prover, as the rest of the compiler sees it (proofs.md). Implementations: scheduler/prove.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/expr.h"

namespace sinter::ir {

enum class Verdict : uint8_t { Proved, Refuted, Unknown };
const char* verdict_name(Verdict v);

struct Answer {
  Verdict verdict = Verdict::Unknown;
  std::vector<std::pair<Sym, int64_t>> model;  // Refuted: values of the free variables that break the claim
  std::string model_text() const;              // "k = 31, x = 4"
};

// Is `claim` true for all integer values of its variables that satisfy every fact? Facts and claim are Bool expressions over
// integers with + - * (one side constant, or products the solver copes with), Euclidean / and % by constants (or positive
// expressions), min, max, select, comparisons and logic. Machine overflow is not modelled: it has its own obligation.
class Prover {
 public:
  virtual ~Prover() = default;
  virtual Answer prove(const std::vector<Expr>& facts, const Expr& claim) = 0;
};

// A record of one obligation, for explain() and JSON.
struct Obligation {
  std::string kind;   // "bounds", "coverage", "race", ...
  std::string claim;  // readable
  Verdict verdict = Verdict::Unknown;
  double milliseconds = 0;
  std::string note;   // "checked at run time", the counterexample ...
};

}  // namespace sinter::ir
