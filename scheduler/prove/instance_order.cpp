#include "scheduler/prove/instance_order.h"

#include <algorithm>

#include "ir/analysis/reduction.h"
#include "ir/analysis/visit.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

bool in_any_order(LoopKind k) { return k != LoopKind::Serial && k != LoopKind::Unrolled; }

std::vector<std::vector<Expr>> own_reads(const StageInstance& in) {
  std::vector<std::vector<Expr>> out;
  const auto look = [&](const Expr& e) {
    walk(in.outer.resolve(e), [&](const Expr& n) {
      if (n->op == Op::Call && n->id == in.provide->func) out.push_back(n->args);
    });
  };
  look(in.provide->value);
  for (const Expr& e : in.provide->index) look(e);
  for (const Expr& g : in.guards) look(g);
  return out;
}

}  // namespace

void prove_instance_order(Claims& claims, const Program& program, const StageInstance& in) {
  const FuncDef& func = program.funcs[in.provide->func];
  const std::vector<std::vector<Expr>> reads = own_reads(in);
  if (in.provide->stage == 0) {
    if (!reads.empty())
      user_error(ErrorCode::AliasBroken, in.provide->loc, "the pure definition of `" + func.name + "` reads `" + func.name + "` itself", "read another Func, or make it an update", {}, access_text(program, in.provide->func, reads[0]));
    return;
  }
  std::vector<const ForStmt*> free_loops;
  for (const ForStmt* f : in.loops)
    if (in_any_order(f->loop)) free_loops.push_back(f);
  // Iterations of a cooperative loop that fold values into one point are combined by the block, in whatever order.
  if (const auto reduction = as_reduction(in.provide->func, in.provide->index, in.provide->value)) {
    const auto shared = [&](const ForStmt* f) {
      return f->loop == LoopKind::Cooperative && std::none_of(in.provide->index.begin(), in.provide->index.end(), [&](const Expr& e) { return uses_var(in.outer.resolve(e), f->var.get()); });
    };
    const size_t before = free_loops.size();
    std::erase_if(free_loops, shared);
    if (free_loops.size() < before)
      claims.record("algebra", "`" + func.name + "` update " + std::to_string(in.provide->stage - 1) + ": " + reduction_name(reduction->op) + " over " + to_string(func.type) + " in any order", Verdict::Proved);
  }
  if (free_loops.empty()) return;
  const std::string subject = "`" + func.name + "` update " + std::to_string(in.provide->stage - 1) + ": iterations of " + "its parallel loops do not meet";

  // Two instances: all loops of the stage in two copies, in different iterations of those that run in any order.
  Path both = in.outer;
  Substitution copy;
  for (const ForStmt* f : in.loops) copy[f->var.get()] = make_var(make_sym(f->var->name + "'"));
  const auto second = [&](const Expr& e) { return e.defined() ? substitute(in.outer.resolve(e), copy) : e; };
  Expr same;
  for (const ForStmt* f : in.loops) {
    both.enter_loop(f->var, f->min, f->extent, f->live);
    both.enter_loop(copy.at(f->var.get())->var, second(f->min), second(f->extent), second(f->live));
    if (std::find(free_loops.begin(), free_loops.end(), f) != free_loops.end()) same = same && equal(make_var(f->var), copy.at(f->var.get()));
  }
  for (const Expr& g : in.guards) {
    both.assume(g);
    both.assume(second(g));
  }
  std::vector<Expr> stored;
  for (const Expr& e : in.provide->index) stored.push_back(in.outer.resolve(e));
  const auto apart = [&](const std::vector<Expr>& touched, const std::string& how) {
    std::vector<std::pair<Expr, Expr>> met;
    for (size_t d = 0; d < stored.size(); ++d) met.emplace_back(stored[d], second(touched[d]));
    std::vector<std::pair<Sym, Sym>> pairs;
    for (const ForStmt* f : free_loops) pairs.emplace_back(f->var, copy.at(f->var.get())->var);
    if (digits_agree(both.scope(), met, pairs)) return claims.record("race", subject, Verdict::Proved);
    Path p = both;
    for (size_t d = 0; d < stored.size(); ++d) p.assume(equal(stored[d], second(touched[d])));
    const Answer a = claims.prove(p, same);
    claims.record("race", subject, a.verdict);
    if (a.verdict == Verdict::Proved) return;
    std::string loops = free_loops.front()->var->name;
    for (const ForStmt* f : free_loops)  // the one in which the two differ
      if (a.verdict == Verdict::Refuted && value_in(make_var(f->var), a) != value_in(copy.at(f->var.get()), a)) loops = f->var->name;
    if (a.verdict == Verdict::Unknown)
      user_error(ErrorCode::Unproved, in.provide->loc, "not proved: iterations of `" + loops + "` of `" + func.name + "` do not touch each other's points",
                 "make `" + loops + "` serial", {access_text(program, in.provide->func, in.provide->index) + "     stored here", access_text(program, in.provide->func, touched) + "     " + how + " here"});
    std::string one, two;
    for (const ForStmt* f : in.loops) {
      const auto v = value_in(make_var(f->var), a), w = value_in(copy.at(f->var.get()), a);
      one += (one.empty() ? "" : ", ") + f->var->name + " = " + std::to_string(v.value_or(0));
      two += (two.empty() ? "" : ", ") + f->var->name + " = " + std::to_string(w.value_or(0));
    }
    std::vector<int64_t> point;
    for (const Expr& e : stored) point.push_back(value_in(e, a).value_or(0));
    user_error(ErrorCode::Race, in.provide->loc, "two iterations of `" + loops + "` meet at one point of `" + func.name + "`, in no order",
               "make `" + loops + "` serial", {access_text(program, in.provide->func, in.provide->index) + "     stored here" + at_loc(in.provide->loc),
               access_text(program, in.provide->func, touched) + "     " + how + " here" + at_loc(in.provide->loc)},
               "(" + one + ") stores `" + func.name + point_text(point) + "`, which (" + two + ") " + (how == "stored" ? "stores too" : "reads"));
  };
  apart(stored, "stored");
  for (const std::vector<Expr>& r : reads) {
    bool own = r.size() == stored.size();
    for (size_t d = 0; own && d < r.size(); ++d) own = is_const_int(simplify(r[d] - stored[d]), 0);
    if (!own) apart(r, "read");
  }
}

}  // namespace sinter::scheduler
