#include "scheduler/prove/z3_prover.h"

#include <z3++.h>

#include <algorithm>
#include <optional>

#include "ir/analysis/visit.h"
#include "ir/diagnostic.h"
#include "scheduler/prove/z3_translate.h"

namespace sinter::scheduler {

using ir::Answer;
using ir::Expr;
using ir::Verdict;

struct Z3Prover::Context {
  z3::context c;
  Z3Translator translate{c};
};

Z3Prover::Z3Prover(unsigned rlimit) : context_(std::make_unique<Context>()), rlimit_(rlimit) {}
Z3Prover::~Z3Prover() = default;

namespace {

// What a variable is in the model; a variable that the proof did not need gets 0.
int64_t model_value(const z3::model& m, const z3::expr& v) {
  const z3::expr value = m.eval(v, true);
  if (value.is_bool()) return value.is_true();
  int64_t i = 0;
  return value.is_numeral_i64(i) ? i : 0;
}

}  // namespace

Answer Z3Prover::prove(const std::vector<Expr>& facts, const Expr& claim) {
  ir::internal_check(claim.type() == ir::Bool(), "a claim is a scalar Bool");
  Answer answer;
  try {
    z3::context& c = context_->c;
    const z3::expr goal = context_->translate(claim);
    const auto ask = [&](z3::solver& solver, z3::params params, unsigned rlimit) {
      params.set("rlimit", rlimit);
      solver.set(params);
      for (const Expr& fact : facts) {
        solver.add(context_->translate(fact));
        context_->translate.side_conditions(fact, solver);
      }
      context_->translate.side_conditions(claim, solver);
      solver.add(!goal);
      return solver.check();
    };
    // The plain solver starts in a millisecond; Z3 4.8's newer arithmetic would not count some work on products against the
    // limit. Only the other solver, with its preprocessing, can do such products.
    z3::solver plain(c, z3::solver::simple());
    z3::params older(c);
    older.set("arith.solver", 2u);
    z3::check_result result = ask(plain, older, rlimit_);
    std::optional<z3::solver> thorough;
    if (result == z3::unknown) result = ask(thorough.emplace(c), z3::params(c), rlimit_ / 2);
    if (result == z3::unsat) answer.verdict = Verdict::Proved;
    if (result != z3::sat) return answer;
    answer.verdict = Verdict::Refuted;
    const z3::model model = (thorough ? *thorough : plain).get_model();
    // Variables in order of first appearance, the claim's first.
    std::vector<ir::Sym> vars = ir::free_vars(claim);
    for (const Expr& fact : facts)
      for (const ir::Sym& v : ir::free_vars(fact))
        if (std::find(vars.begin(), vars.end(), v) == vars.end()) vars.push_back(v);
    for (const ir::Sym& v : vars)
      if (const z3::expr* term = context_->translate.variable(v)) answer.model.emplace_back(v, model_value(model, *term));
  } catch (const z3::exception&) {
    // Out of resources, or a sort Z3 refuses: not an answer.
    answer = Answer{};
  }
  return answer;
}

}  // namespace sinter::scheduler
