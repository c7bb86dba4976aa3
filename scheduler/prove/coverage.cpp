#include "scheduler/prove/coverage.h"

#include <algorithm>

#include "ir/analysis/visit.h"
#include "ir/transform/simplify.h"
#include "scheduler/prove/invert_map.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

class Coverage {
 public:
  Coverage(Claims& claims, const Program& program, const StageInstance& in, const CoverageDomain& domain)
      : claims_(claims), program_(program), in_(in), func_(program.funcs[in.provide->func]), def_(func_.stages[in.provide->stage]), domain_(domain) {}

  void run() {
    name_ = "`" + func_.name + "`" + (in_.provide->stage ? " update " + std::to_string(in_.provide->stage - 1) : std::string());
    subject_ = name_ + ": every point of its domain once";
    collect_dims();
    make_paths();
    every_point();
    once();
    inside();
    claims_.record("coverage", subject_, Verdict::Proved, twice_ ? "some points twice, by the same pure definition" : "");
  }

 private:
  // The coordinates that an instance is known by: pure dimensions and RDom variables.
  void collect_dims() {
    for (int d = 0; d < func_.rank(); ++d) {
      const bool pure = def_.args[d]->op == Op::Var && def_.args[d]->var == func_.dims[d];
      if (!pure) continue;
      names_.push_back(func_.dims[d]->name);
      pure_dim_.push_back(d);
      coord_.push_back(simplify(in_.outer.resolve(in_.provide->index[d])));
      first_.push_back(domain_.min[d]);
      last_.push_back(domain_.max[d]);
    }
    pure_ = coord_.size();
    if (def_.rdom.vars.empty()) return;
    std::vector<Expr> r = match_rdom(func_, in_.provide->stage, *in_.provide, in_.outer);
    leftover(r);
    for (size_t k = 0; k < r.size(); ++k) {
      const RVarDef& v = def_.rdom.vars[k];
      names_.push_back(v.var->name);
      coord_.push_back(simplify(r[k]));
      first_.push_back(in_.outer.resolve(v.min));
      last_.push_back(simplify(in_.outer.resolve(v.min + v.extent) - 1));
    }
  }

  // A variable whose value is used nowhere counts repetitions: the loops that nothing else uses run it, the inner ones faster.
  void leftover(std::vector<Expr>& r) {
    std::vector<size_t> open;
    for (size_t k = 0; k < r.size(); ++k)
      if (!r[k].defined()) open.push_back(k);
    if (open.empty()) return;
    std::vector<const ForStmt*> idle;
    for (const ForStmt* l : in_.loops) {
      bool used = false;
      for (const Expr& c : coord_) used = used || uses_var(c, l->var.get());
      for (const Expr& c : r) used = used || (c.defined() && uses_var(c, l->var.get()));
      if (!used) idle.push_back(l);
    }
    if (open.size() == 1) {
      Expr value = in_.outer.resolve(def_.rdom.vars[open[0]].min);
      int64_t stride = 1;
      for (size_t i = idle.size(); i-- > 0;) {
        value = value + make_var(idle[i]->var) * stride;
        const int64_t* n = as_int(simplify(in_.outer.resolve(idle[i]->extent)));
        if (!n && i > 0) unproved("the loops of `" + def_.rdom.vars[open[0]].var->name + "` are not recognised");
        if (n) stride *= *n;
      }
      r[open[0]] = simplify(value);
      return;
    }
    if (idle.size() != open.size()) unproved("the loops of its reduction are not recognised");
    for (size_t i = 0; i < open.size(); ++i) {  // the first RDom variable is the innermost loop
      r[open[i]] = simplify(in_.outer.resolve(def_.rdom.vars[open[i]].min) + make_var(idle[idle.size() - 1 - i]->var));
    }
  }

  [[noreturn]] void unproved(const std::string& why) {
    claims_.record("coverage", subject_, Verdict::Unknown, why);
    user_error(ErrorCode::Unproved, in_.provide->loc, "not proved: " + name_ + " computes every point of its domain once: " + why,
               "a simpler order of split and fuse", excerpt());
  }

  std::vector<std::string> excerpt() const {
    std::vector<std::string> out;
    std::string indent;
    for (const ForStmt* l : in_.loops) {
      out.push_back(indent + loop_kind_name(l->loop) + " " + l->var->name + " in [" + to_string(l->min) + ", " + to_string(simplify(l->min + l->extent)) + ")" +
                    (l->live.defined() ? " live " + to_string(l->live) : ""));
      indent += "  ";
    }
    for (const Expr& g : in_.guards) out.push_back(indent + "if " + to_string(g));
    out.push_back(indent + access_text(program_, in_.provide->func, in_.provide->index));
    return out;
  }

  void make_paths() {
    point_path_ = full_ = in_.outer;
    for (size_t k = 0; k < coord_.size(); ++k) {
      point_.push_back(make_sym(names_[k]));
      at_.push_back(make_var(point_[k]));
      point_path_.set_range(point_[k], in_.outer.in_digits(first_[k]), in_.outer.in_digits(last_[k]));
    }
    if (def_.rdom.where.defined()) point_path_.assume(where(at_));
    for (const ForStmt* l : in_.loops) full_.enter_loop(*l);
    for (const Expr& g : in_.guards) full_.assume(g);
  }

  Expr where(const std::vector<Expr>& at) const {
    Substitution values;
    for (size_t k = 0; k < coord_.size(); ++k) values[(k < pure_ ? func_.dims[pure_dim_[k]] : def_.rdom.vars[k - pure_].var).get()] = at[k];
    return substitute(in_.outer.resolve(def_.rdom.where), values);
  }

  // The iteration that is to compute the point is in the loops' ranges, passes the guards and has the point's coordinates.
  void every_point() {
    const auto must = [&](const Expr& claim) { require(claim); };
    const auto can = [&](const Expr& claim) { return claims_.prove(point_path_, claim).verdict == Verdict::Proved; };
    std::string reason;
    const std::optional<LoopValues> found = MapInverter(point_path_, in_.outer, in_.loops, must, can).invert(coord_, at_, reason);
    if (!found) unproved(reason);
    apart_ = found->apart;
    sums_ = found->sums;
    std::vector<std::pair<Expr, Expr>> known;
    const auto there = [&](const Expr& e) {
      const Expr in_terms = known.empty() ? e : rewrite(e, [&](const Expr& n) {
        for (const auto& [term, value] : known)
          if (n->op == term->op && equal_structure(n, term)) return value;
        return n;
      });
      return simplify(substitute(in_terms, found->value));
    };
    // The larger parts first: what stands in them may be taken as known then.
    for (size_t i = found->known.size(); i-- > 0;) {
      const auto& [term, value] = found->known[i];
      require(equal(there(term), value));
      if (term->op != Op::Var) known.emplace_back(term, value);
    }
    for (const ForStmt* l : in_.loops) {
      const Expr &v = found->value.at(l->var.get()), min = there(in_.outer.resolve(l->min));
      require(min <= v);
      require(v < simplify(min + there(simplify(in_.outer.resolve(l->extent)))));
      if (l->live.defined()) require(v < simplify(min + there(simplify(in_.outer.resolve(l->live)))));
    }
    for (const Expr& g : in_.guards) require(there(simplify(in_.outer.resolve(g))));
    for (size_t k = 0; k < coord_.size(); ++k) require(equal(there(coord_[k]), at_[k]), k);
  }

  void require(const Expr& claim, std::optional<size_t> dimension = {}) {
    Answer a = claims_.prove(point_path_, claim);
    if (a.verdict == Verdict::Proved) return;
    Path exact = point_path_;
    if (!sums_.empty()) {
      for (const Expr& s : sums_) exact.assume(s);
      a = claims_.prove(exact, claim);
      if (a.verdict == Verdict::Proved) return;
    }
    size_t k = dimension.value_or(0);
    for (size_t d = 0; d < coord_.size() && !dimension; ++d)
      if (uses_var(claim, point_[d].get())) k = d;
    left_out(k, exact, claim, a);
  }

  // Where the iteration that was read off the indices is not there, another one may be: the point is left out if none is.
  [[noreturn]] void left_out(size_t k, const Path& path, const Expr& claim, Answer a) {
    const std::string what = "dimension `" + names_[k] + "`";
    if (a.verdict == Verdict::Refuted) a = least(path, claim, std::move(a));
    if (a.verdict == Verdict::Unknown || !nobody_computes(a)) unproved("some points of " + what + " may be left out");
    claims_.record("coverage", subject_, a.verdict);
    Answer others;
    for (const auto& [s, v] : a.model)
      if (s != point_[k] && !is_sum(s)) others.model.emplace_back(s, v);
    const std::string rest = model_text(others, point_);
    user_error(ErrorCode::NotCovered, in_.provide->loc, name_ + " leaves points of its domain out, in " + what,
               "check the extents, guards and tails of its loops", excerpt(),
               names_[k] + " = " + std::to_string(coordinate(k, a)) + " is not computed" + (rest.empty() ? "" : ", with " + rest));
  }

  bool is_sum(const Sym& s) const {
    return std::any_of(sums_.begin(), sums_.end(), [&](const Expr& e) { return e->args[0]->op == Op::Var && e->args[0]->var == s; });
  }

  // Of a point that the claim says nothing of, the first coordinate.
  int64_t coordinate(size_t k, const Answer& a) const {
    for (const auto& [s, v] : a.model)
      if (s == point_[k]) return v;
    return value_in(first_[k], a).value_or(0);
  }

  // A counterexample with small numbers reads best: the point's coordinates first, then sizes.
  Answer least(Path path, const Expr& claim, Answer a) {
    std::vector<Sym> vars = point_;
    for (const auto& [s, v] : a.model)
      if (std::find(vars.begin(), vars.end(), s) == vars.end() && path.scope().count(s.get()) && !is_sum(s)) vars.push_back(s);
    for (const Sym& s : vars) {
      const auto value = [&] {
        const auto it = std::find_if(a.model.begin(), a.model.end(), [&](const auto& m) { return m.first == s; });
        return it == a.model.end() ? std::optional<int64_t>() : it->second;
      };
      if (!value() || *value() <= 0) continue;
      for (int64_t low = 0; low < *value();) {
        const int64_t middle = low + (*value() - low) / 2;
        Path smaller = path;
        smaller.assume(make_var(s) <= i32(middle));
        Answer b = claims_.prove(smaller, claim);
        if (b.verdict == Verdict::Refuted) a = std::move(b);
        else low = middle + 1;
        if (!value()) break;
      }
      if (value()) path.assume(make_var(s) <= i32(*value()));
    }
    return a;
  }

  bool nobody_computes(const Answer& a) {
    Substitution sizes;
    for (const auto& [s, v] : a.model)
      if (std::find(point_.begin(), point_.end(), s) == point_.end() && s->type == Int(32)) sizes[s.get()] = i32(v);
    const auto here = [&](const Expr& e) { return simplify(substitute(in_.outer.resolve(e), sizes)); };
    Path p = in_.outer;
    for (const auto& [s, v] : a.model)
      if (sizes.count(s.get())) p.assume(equal(make_var(s), i32(v)));
    for (const ForStmt* l : in_.loops) {
      const Expr extent = here(l->extent);
      if (const int64_t* n = as_int(extent); n && *n <= 0) return true;
      p.enter_loop(l->var, here(l->min), extent, l->live.defined() ? here(l->live) : Expr());
    }
    for (const Expr& g : in_.guards) p.assume(here(g));
    Expr other;
    for (size_t k = 0; k < coord_.size(); ++k) {
      const Expr differs = !equal(here(coord_[k]), i32(coordinate(k, a)));
      other = other.defined() ? other || differs : differs;
    }
    return claims_.prove(p, other.defined() ? other : make_bool(false)).verdict == Verdict::Proved;
  }

  // No point twice: of an update each would be applied again.
  void once() {
    const bool update = in_.provide->stage > 0;
    for (const ForStmt* l : in_.loops) {
      if (std::any_of(coord_.begin(), coord_.end(), [&](const Expr& c) { return uses_var(c, l->var.get()); })) continue;
      const Answer a = claims_.prove(full_, in_.outer.resolve(l->extent) <= i32(1));
      if (a.verdict == Verdict::Proved) continue;
      twice_ = true;
      if (!update) continue;
      if (a.verdict == Verdict::Unknown) unproved("`" + l->var->name + "` may repeat its points");
      claims_.record("coverage", subject_, a.verdict);
      user_error(ErrorCode::NotCovered, in_.provide->loc, name_ + " computes each point once for every iteration of `" + l->var->name + "`",
                 "an update must run once for each point", excerpt(), l->var->name + " = 0 and " + l->var->name + " = 1 compute the same points");
    }
    const bool apart = apart_ && std::all_of(apart_->begin(), apart_->end(), [&](const Expr& c) { return claims_.prove(full_, c).verdict == Verdict::Proved; });
    if (apart) return;
    twice_ = true;
    if (update) overlaps();
  }

  // Two instances of an update with one point: asked for directly, with two copies of the loops.
  void overlaps() {
    Substitution copy;
    std::vector<Sym> second;
    Path both = full_;
    const auto other = [&](const Expr& e) { return e.defined() ? substitute(in_.outer.resolve(e), copy) : e; };
    for (const ForStmt* l : in_.loops) {
      second.push_back(make_sym(l->var->name + "'"));
      both.enter_loop(second.back(), other(l->min), other(l->extent), other(l->live));
      copy[l->var.get()] = make_var(second.back());
    }
    for (const Expr& g : in_.guards) both.assume(other(g));
    Expr same;
    for (const Expr& c : coord_) both.assume(equal(c, other(c)));
    for (size_t i = 0; i < in_.loops.size(); ++i) same = same && equal(make_var(in_.loops[i]->var), make_var(second[i]));
    const Answer a = claims_.prove(both, same);
    if (a.verdict == Verdict::Proved) {
      twice_ = false;
      return;
    }
    if (a.verdict == Verdict::Unknown) unproved("two instances may compute one point");
    claims_.record("coverage", subject_, a.verdict);
    const auto value = [&](const Sym& s) { return value_in(make_var(s), a).value_or(0); };
    size_t k = 0;  // a coordinate in which the two differ in their loops
    for (size_t d = 0; d < coord_.size(); ++d)
      for (size_t i = 0; i < second.size(); ++i)
        if (uses_var(coord_[d], in_.loops[i]->var.get()) && value(in_.loops[i]->var) != value(second[i])) k = d;
    std::string one, two;
    for (size_t i = 0; i < second.size(); ++i) {
      const std::string name = (i ? ", " : "") + in_.loops[i]->var->name + " = ";
      one += name + std::to_string(value(in_.loops[i]->var));
      two += name + std::to_string(value(second[i]));
    }
    std::string witness;
    if (const auto v = value_in(coord_[k], a)) witness = names_[k] + " = " + std::to_string(*v) + " is computed by ";
    user_error(ErrorCode::NotCovered, in_.provide->loc, name_ + " computes points of its domain twice, in dimension `" + names_[k] + "`",
               "an update must run once for each point: TailStrategy::GuardWithIf, and tiles that do not overlap", excerpt(),
               witness + "(" + one + ") and by (" + two + ")");
  }

  // Instances outside of the reduction domain. (Stores outside of the Func's storage are `bounds`.)
  void inside() {
    std::vector<Sym> loops;
    for (const ForStmt* l : in_.loops) loops.push_back(l->var);
    const auto outside = [&](const Answer& a, const std::string& what, const Expr& point, size_t k) {
      if (a.verdict == Verdict::Unknown) unproved(what + " may be left");
      claims_.record("coverage", subject_, a.verdict);
      std::string witness = model_text(a, loops);
      if (const auto v = value_in(point, a)) witness = names_[k] + " = " + std::to_string(*v) + (witness.empty() ? "" : ", with " + witness);
      user_error(ErrorCode::NotCovered, in_.provide->loc, name_ + " runs outside of " + what, "check the guards and tails of its loops", excerpt(), witness);
    };
    for (size_t k = pure_; k < coord_.size(); ++k) {
      const Answer a = claims_.prove(full_, coord_[k] <= last_[k] && first_[k] <= coord_[k]);
      if (a.verdict != Verdict::Proved) outside(a, "its reduction domain, `" + names_[k] + "`", coord_[k], k);
    }
    if (def_.rdom.where.defined() && !coord_.empty()) {
      const Answer a = claims_.prove(full_, where(coord_));
      if (a.verdict != Verdict::Proved) outside(a, "where(" + to_string(def_.rdom.where) + ")", coord_.back(), coord_.size() - 1);
    }
  }

  Claims& claims_;
  const Program& program_;
  const StageInstance& in_;
  const FuncDef& func_;
  const Definition& def_;
  const CoverageDomain& domain_;
  std::string name_, subject_;
  std::vector<std::string> names_;
  std::vector<int> pure_dim_;
  std::vector<Expr> coord_, first_, last_;
  size_t pure_ = 0;
  std::vector<Sym> point_;  // a point of the domain, and
  std::vector<Expr> at_;    // the same as expressions
  std::vector<Expr> sums_;  // equations of variables in point_path_
  std::optional<std::vector<Expr>> apart_;
  Path point_path_, full_;
  bool twice_ = false;
};

}  // namespace

void prove_coverage(Claims& claims, const Program& program, const StageInstance& instance, const CoverageDomain& domain) {
  Coverage(claims, program, instance, domain).run();
}

}  // namespace sinter::scheduler
