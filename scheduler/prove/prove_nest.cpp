// Walks a Nest with what is known at each place, and states what has to hold there.
#include <algorithm>
#include <set>

#include "ir/analysis/visit.h"
#include "ir/transform/simplify.h"
#include "scheduler/prove/coverage.h"
#include "scheduler/prove/instance_order.h"
#include "scheduler/prove/prove_bounds.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

class NestProver {
 public:
  NestProver(const Program& program, Claims& claims) : program_(program), claims_(claims) {
    for (size_t f = 0; f < program.funcs.size(); ++f) {
      const FuncDef& def = program.funcs[f];
      if (def.is_input() || program.is_output(static_cast<FuncId>(f))) storage_[static_cast<FuncId>(f)] = argument_storage(program, static_cast<FuncId>(f));
    }
  }

  void visit(const Stmt& s, Path path) {
    if (!s) return;
    switch (s->kind) {
      case StmtKind::Seq: return sequence(*as<SeqStmt>(s), std::move(path));
      case StmtKind::For: {
        const auto* f = as<ForStmt>(s);
        for (const Expr* e : {&f->min, &f->extent, &f->live}) bound(*e, path, f->loc);
        loops_.push_back(f);
        path.enter_loop(*f);
        visit(f->body, std::move(path));
        loops_.pop_back();
        return;
      }
      case StmtKind::If: {
        const auto* i = as<IfStmt>(s);
        expression(i->cond, path, i->loc);
        Path yes = path;
        yes.assume(i->cond);
        const std::set<FuncId> available = available_;
        conditions_.push_back(i->cond);
        visit(i->then_body, std::move(yes));
        conditions_.pop_back();
        available_ = available;
        if (!i->else_body) return;
        path.assume_not(i->cond);
        conditions_.push_back(negated(i->cond));
        visit(i->else_body, std::move(path));
        conditions_.pop_back();
        available_ = available;
        return;
      }
      case StmtKind::Let: {
        const auto* l = as<LetStmt>(s);
        expression(l->value, path, l->loc);
        path.bind(l->var, l->value);
        return visit(l->body, std::move(path));
      }
      case StmtKind::Alloc: return alloc(*as<AllocStmt>(s), std::move(path));
      case StmtKind::Produce: return produce(*as<ProduceStmt>(s), std::move(path));
      case StmtKind::Consume: return visit(as<ConsumeStmt>(s)->body, std::move(path));
      case StmtKind::Provide: return provide(*as<ProvideStmt>(s), path);
      default: return;
    }
  }

 private:
  struct Found {
    const ProvideStmt* provide;
    Expr when;  // what has to hold for it to run, apart from conditions on its loops; undefined: nothing
    Path path;
  };
  struct Producing {
    FuncId func;
    size_t loops, conditions;
    Path path;
    std::vector<Found> found;
  };

  void sequence(const SeqStmt& q, Path path) {
    const StorageOf computed = computed_;
    const std::set<FuncId> available = available_;
    for (const Stmt& c : q.stmts) {
      visit(c, path);
      assume_checks(c, path);
    }
    computed_ = computed;
    available_ = available;
  }

  std::vector<Sym> loop_syms() const {
    std::vector<Sym> out;
    for (const ForStmt* f : loops_) out.push_back(f->var);
    return out;
  }

  void expression(const Expr& e, const Path& path, Loc loc) {
    if (!e.defined()) return;
    walk(e, [&](const Expr& n) {
      if (n->op != Op::Call) return;
      access({n->id, n->args, n->loc.known() ? n->loc : loc, false, loop_syms()}, path);
    });
  }

  // Of a loop or a region: arithmetic of ours.
  void bound(const Expr& e, const Path& path, Loc loc) {
    expression(e, path, loc);
    prove_no_overflow(claims_, path, e, loc);
  }

  void access(const AccessPlace& a, const Path& path) {
    const auto it = storage_.find(a.func);
    if (it == storage_.end()) throw InternalError("prove_nest: an access to `" + program_.funcs[a.func].name + "`, which has no storage here");
    const bool own = std::any_of(producing_.begin(), producing_.end(), [&](const Producing& p) { return p.func == a.func; });
    if (!a.write && !program_.funcs[a.func].is_input() && !own && !available_.count(a.func)) {
      claims_.record("coverage", "`" + program_.funcs[a.func].name + "`: computed before it is read", Verdict::Refuted);
      user_error(ErrorCode::NotCovered, a.loc, "`" + program_.funcs[a.func].name + "` is read where it has not been computed", {}, {access_text(program_, a.func, a.index)}, "every point");
    }
    const bool argument = program_.funcs[a.func].is_input() || program_.is_output(a.func);
    prove_in_bounds(claims_, program_, path, a, it->second, argument ? "its extents" : "its storage");
    for (const Expr& e : a.index) prove_no_overflow(claims_, path, e, a.loc);
    if (const auto c = computed_.find(a.func); c != computed_.end() && !a.write)
      prove_in_bounds(claims_, program_, path, a, c->second, "what is computed of it here");
  }

  void provide(const ProvideStmt& p, const Path& path) {
    access({p.func, p.index, p.loc, true, loop_syms()}, path);
    for (const Expr& e : p.index) expression(e, path, p.loc);
    expression(p.value, path, p.loc);
    if (producing_.empty() || producing_.back().func != p.func) return;
    const Expr when = stage_instance(p, path);
    producing_.back().found.push_back({&p, when, path});
  }

  void alloc(const AllocStmt& a, Path path) {
    bool in_block = false;
    for (const ForStmt* f : loops_) in_block = in_block || f->loop == LoopKind::Block;
    prove_allocation(claims_, program_, path, a, in_block);
    Storage s;
    s.loc = a.loc;
    for (const Region& r : a.region) {
      for (const Expr* e : {&r.min, &r.max, &r.extent}) bound(*e, path, a.loc);
      s.min.push_back(path.resolve(r.min));
      s.max.push_back(path.resolve(r.max));
      s.extent.push_back(path.resolve(r.extent));
    }
    const auto outer = storage_.find(a.func);
    internal_check(outer == storage_.end(), "prove_nest: nested allocations of one Func");
    storage_[a.func] = std::move(s);
    alloc_loops_[a.func] = loops_.size();
    available_.erase(a.func);
    visit(a.body, std::move(path));
    storage_.erase(a.func);
    computed_.erase(a.func);
  }

  void produce(const ProduceStmt& p, Path path) {
    producing_.push_back({p.func, loops_.size(), conditions_.size(), path, {}});
    // What is stored outside of the loops where it is computed holds only this part of it.
    const auto at = alloc_loops_.find(p.func);
    const bool part = at != alloc_loops_.end() && at->second != loops_.size();
    visit(p.body, path);
    const Producing done = std::move(producing_.back());
    producing_.pop_back();
    alternatives(done);
    available_.insert(p.func);
    if (part) computed_[p.func] = computed_box(done);
  }

  // Instances of a stage under conditions that its loops have no part in: in every case one of them runs.
  void alternatives(const Producing& p) {
    const FuncDef& def = program_.funcs[p.func];
    for (size_t s = 0; s < def.stages.size(); ++s) {
      Expr any;
      bool always = false;
      for (const Found& f : p.found) {
        if (f.provide->stage != static_cast<int>(s)) continue;
        if (!f.when.defined() || (any.defined() && equal_structure(negated(any), f.when))) always = true;
        any = any.defined() && f.when.defined() ? any || f.when : f.when;
      }
      if (always) continue;
      const Answer a = any.defined() ? claims_.prove(p.path, any) : Answer{Verdict::Refuted, {}};
      if (a.verdict == Verdict::Proved) continue;
      claims_.record("coverage", "`" + def.name + "`: every point of its domain once", a.verdict);
      user_error(a.verdict == Verdict::Unknown ? ErrorCode::Unproved : ErrorCode::NotCovered, def.stages[s].loc,
                 "stage " + std::to_string(s) + " of `" + def.name + "` is " + (any.defined() ? "computed only if " + to_string(any) : "never computed"), {}, {},
                 any.defined() ? model_text(a, {}) : "every point");
    }
  }

  // The box that the pure definition computes here, by the intervals of its loops.
  Storage computed_box(const Producing& p) const {
    const FuncDef& def = program_.funcs[p.func];
    Storage s;
    for (const Found& f : p.found) {
      if (f.provide->stage != 0) continue;
      IntervalScope inner;
      for (const auto& [v, i] : f.path.scope())
        if (!p.path.scope().count(v)) inner[v] = i;
      for (int d = 0; d < def.rank(); ++d) {
        const Interval i = bounds_of(f.path.resolve(f.provide->index[d]), inner);
        internal_check(i.min.defined() && i.max.defined(), "prove_nest: a stage without a bounded box");
        if (static_cast<int>(s.min.size()) == d) {
          s.min.push_back(i.min);
          s.max.push_back(i.max);
          s.extent.emplace_back();
        }
      }
      break;
    }
    return s;
  }

  // Returns the conditions of this instance that use none of its loops.
  Expr stage_instance(const ProvideStmt& p, const Path& path) {
    const Producing& in = producing_.back();
    StageInstance s;
    s.provide = &p;
    s.loops.assign(loops_.begin() + static_cast<int64_t>(in.loops), loops_.end());
    std::unordered_set<const VarNode*> inside;
    for (const ForStmt* f : s.loops) inside.insert(f->var.get());
    s.outer = in.path;
    s.outer.adopt_lets(path);
    Expr when;
    for (size_t i = in.conditions; i < conditions_.size(); ++i) {
      const Expr c = path.resolve(conditions_[i]);
      if (uses_any(c, inside)) s.guards.push_back(c);
      else when = when && c;
    }
    s.outer.assume(when);
    CoverageDomain domain;
    const Storage& box = domain_of(p.func);
    domain.min = box.min;
    domain.max = box.max;
    // A part of what is stored: the image is its own domain, and readers are held to it.
    const auto at = alloc_loops_.find(p.func);
    if (at != alloc_loops_.end() && at->second != in.loops) {
      IntervalScope inner;
      for (const auto& [v, i] : path.scope())
        if (!in.path.scope().count(v)) inner[v] = i;
      for (size_t d = 0; d < domain.min.size(); ++d) {
        const Interval i = bounds_of(path.resolve(p.index[d]), inner);
        if (i.min.defined()) domain.min[d] = i.min;
        if (i.max.defined()) domain.max[d] = i.max;
      }
    }
    prove_coverage(claims_, program_, s, domain);
    prove_instance_order(claims_, program_, s);
    return when;
  }

  const Storage& domain_of(FuncId f) const { return storage_.at(f); }

  const Program& program_;
  Claims& claims_;
  StorageOf storage_, computed_;
  std::set<FuncId> available_;  // computed before what is visited, on every way to it
  std::map<FuncId, size_t> alloc_loops_;
  std::vector<const ForStmt*> loops_;
  std::vector<Expr> conditions_;
  std::vector<Producing> producing_;
};

// An output without a Produce covers nothing.
void outputs_present(const Program& program, const Stmt& nest) {
  std::unordered_set<FuncId> produced;
  walk_stmts(nest, [&](const Stmt& s) {
    if (const auto* p = as<ProduceStmt>(s)) produced.insert(p->func);
    return true;
  });
  for (const Argument& a : program.args)
    if (a.kind == Argument::Kind::Output && !produced.count(a.id))
      user_error(ErrorCode::NotCovered, program.funcs[a.id].loc, "output `" + program.funcs[a.id].name + "` is never computed", {}, {}, "every point");
}

}  // namespace

void prove_nest(const Program& program, const Stmt& nest, Prover& prover, ProofReport& report) {
  outputs_present(program, nest);
  Claims claims(prover, report);
  claims.restart_clock();
  NestProver(program, claims).visit(nest, Path::of_arguments(program));
}

}  // namespace sinter::scheduler
