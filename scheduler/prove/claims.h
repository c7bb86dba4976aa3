// Claims at places of a form, discharged cheapest first: intervals and affine cancellation, one fact taken with the claim, then the
// prover. Results are kept by structure, obligations are grouped by kind and Func in a report.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/analysis/intern.h"
#include "ir/diagnostic.h"
#include "scheduler/prove/obligations.h"
#include "scheduler/prove/path.h"

namespace sinter::scheduler {

class Claims {
 public:
  Claims(ir::Prover& prover, ProofReport& report) : prover_(prover), report_(report) {}

  // Refuted answers have a model. What a claim reads from memory stands for any value of its type.
  ir::Answer prove(const Path& path, const ir::Expr& claim);

  // `value` (i64, of sizes) is at most 2^31 - 1 from here on, since the entry checks it.
  void require_at_entry(const ir::Expr& value);

  // Notes one claim of `kind` about `subject` ("`blur`: every read ..."): one line of the report for all with the same two texts.
  void record(const std::string& kind, const std::string& subject, ir::Verdict verdict, const std::string& note = {});

  // Wall time since the last record() goes to the next one.
  void restart_clock();

  ProofReport& report() { return report_; }

 private:
  ir::Answer decide(const Path& path, const ir::Expr& claim);
  ir::Expr abstract_data(const ir::Expr& e, std::vector<ir::Expr>& facts);

  ir::Prover& prover_;
  ProofReport& report_;
  std::map<std::pair<std::string, std::string>, size_t> lines_;
  ir::Interner intern_;
  std::unordered_map<const ir::ExprNode*, ir::Expr> data_;  // interned node that reads memory → the variable it stands as
  std::vector<ir::Expr> keep_;
  std::vector<ir::Expr> entry_facts_;
  double started_ = -1;
};

// From equal coordinates to equal digits, without a solver: where v * s + a = v' * s + b and |a - b| < s, v is v'. True if all pairs of
// variables are found equal so, one after the other.
bool digits_agree(const ir::IntervalScope& scope, std::vector<std::pair<ir::Expr, ir::Expr>> equal, std::vector<std::pair<ir::Sym, ir::Sym>> pairs);

// ---- witnesses ----
// The value of an integer or Bool expression in a model; nullopt where it reads memory or does not evaluate. Variables that the model
// leaves out are 0.
std::optional<int64_t> value_in(const ir::Expr& e, const ir::Answer& answer);
// "x = 3, y = 0": the model's values of `vars`, in that order; the rest of the model (sizes, Params) behind. Empty model: "".
std::string model_text(const ir::Answer& answer, const std::vector<ir::Sym>& vars);
// "f(x + 1, y)"
std::string access_text(const ir::Program& program, ir::FuncId f, const std::vector<ir::Expr>& index);
std::string point_text(const std::vector<int64_t>& point);  // "(3, 4)"
std::string at_loc(const ir::Loc& loc);                    // " (file.cpp:3)" or ""

}  // namespace sinter::scheduler
