#include "scheduler/prove/coverage.h"

#include <algorithm>

#include "ir/analysis/visit.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

// A loop, or a piece of a fused one: (loop / low) % extent.
struct Piece {
  Expr term;            // as it occurs in coordinates
  const ForStmt* loop;
  Expr low;             // undefined: the whole loop, or its lowest piece
  bool top = true;      // no % : up to the end of the loop
  Expr extent;
  Sym digit;            // stands for the piece in claims
  bool used = false;
};

struct DimForm {
  Expr offset;                             // what is left when all digits are 0, minus the domain's first point
  std::vector<std::pair<int, int64_t>> digits;  // (piece, stride), strides ascending
  bool shifted = false;
  Expr clip;                               // a shifted tail starts at most here
  Expr start;                              // and would start here
  Expr beside;                             // what is added to either besides digits
  int64_t shift_stride = 0;                // the least stride of `start`
};

class Coverage {
 public:
  Coverage(Claims& claims, const Program& program, const StageInstance& in, const CoverageDomain& domain)
      : claims_(claims), program_(program), in_(in), func_(program.funcs[in.provide->func]), def_(func_.stages[in.provide->stage]), domain_(domain) {}

  void run() {
    name_ = "`" + func_.name + "`" + (in_.provide->stage ? " update " + std::to_string(in_.provide->stage - 1) : std::string());
    subject_ = name_ + ": every point of its domain once";
    collect_dims();
    for (size_t k = 0; k < coord_.size(); ++k) forms_.push_back(analyse(k));
    finish_pieces();
    make_paths();
    for (size_t k = 0; k < coord_.size(); ++k) reach(k);
    for (size_t k = 0; k < coord_.size(); ++k) unique(k);
    idle_loops();
    alive();
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
      coord_.push_back(in_.outer.resolve(in_.provide->index[d]));
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
      coord_.push_back(r[k]);
      first_.push_back(in_.outer.resolve(v.min));
      last_.push_back(simplify(in_.outer.resolve(v.min + v.extent) - 1));
      rdom_value_[v.var.get()] = r[k];
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

  const ForStmt* loop_of(const Expr& e) const {
    if (e->op != Op::Var) return nullptr;
    for (const ForStmt* l : in_.loops)
      if (l->var == e->var) return l;
    return nullptr;
  }

  bool uses_loops(const Expr& e) const {
    std::unordered_set<const VarNode*> vars;
    for (const ForStmt* l : in_.loops) vars.insert(l->var.get());
    return uses_any(e, vars);
  }

  // The piece that `e` is, or -1.
  int piece(const Expr& e) {
    for (size_t i = 0; i < pieces_.size(); ++i)
      if (equal_structure(pieces_[i].term, e)) return static_cast<int>(i);
    Piece p{e, nullptr, {}, true, {}, nullptr, false};
    Expr base = e;
    Expr modulus;
    if (base->op == Op::Mod && !uses_loops(base->args[1])) {
      modulus = base->args[1];
      base = base->args[0];
    }
    while (base->op == Op::Div && !uses_loops(base->args[1])) {
      p.low = p.low.defined() ? simplify(p.low * base->args[1]) : base->args[1];
      base = base->args[0];
    }
    if (p.low.defined() && !modulus.defined() && base->op == Op::Mod && as_int(p.low) && as_int(base->args[1]) && *as_int(base->args[1]) % *as_int(p.low) == 0) {
      modulus = i32(*as_int(base->args[1]) / *as_int(p.low));  // (v % ab) / a
      base = base->args[0];
    }
    p.loop = loop_of(base);
    if (!p.loop) return -1;
    const Expr whole = static_extent(*p.loop);
    p.top = !modulus.defined();
    p.extent = modulus;
    if (p.top) p.extent = p.low.defined() ? quotient(whole, p.low) : whole;
    p.digit = make_sym(e->op == Op::Var ? e->var->name : to_string(e));
    pieces_.push_back(std::move(p));
    return static_cast<int>(pieces_.size()) - 1;
  }

  // A loop that ends early in its last part, `extent min(8, n - 8*o)`: the part that depends on other loops is a guard, the other one
  // the extent.
  Expr static_extent(const ForStmt& loop) {
    std::vector<Expr> parts{simplify(in_.outer.resolve(loop.extent))}, still, moving;
    while (!parts.empty()) {
      const Expr e = parts.back();
      parts.pop_back();
      if (!uses_loops(e)) still.push_back(e);
      else if (e->op == Op::Min) parts.insert(parts.end(), e->args.begin(), e->args.end());
      else moving.push_back(e);
    }
    if (still.empty()) return simplify(in_.outer.resolve(loop.extent));
    Expr out = still[0];
    for (size_t i = 1; i < still.size(); ++i) out = min(out, still[i]);
    if (clipped_.insert(&loop).second)
      for (const Expr& e : moving) limits_.push_back(make_var(loop.var) < in_.outer.resolve(loop.min) + e);
    return out;
  }

  // How many values v / low takes for v below `whole`.
  static Expr quotient(const Expr& whole, const Expr& low) {
    if (whole->op == Op::Mul)
      for (int i = 0; i < 2; ++i)
        if (equal_structure(whole->args[i], low)) return whole->args[1 - i];
    return simplify((whole + low - 1) / low);
  }

  // The coordinate as offset + sum of strides times pieces.
  DimForm analyse(size_t k) {
    DimForm form;
    const Linear l = linear_form(simplify(coord_[k] - first_[k]));
    Linear offset;
    offset.constant = l.constant;
    int64_t start_constant = 0;
    std::vector<std::pair<int, int64_t>>& digits = form.digits;
    for (const auto& [term, c] : l.terms) {
      if (!uses_loops(term)) {
        offset.terms.emplace_back(term, c);
        continue;
      }
      if (term->op == Op::Min && c == 1 && !form.shifted && clip(term, form)) {
        const Linear start = linear_form(form.start);
        for (const auto& [t, ct] : start.terms) {
          const int p = uses_loops(t) ? piece(t) : -1;
          if (p < 0) unproved("`" + to_string(coord_[k]) + "` is not recognised as a split of its loops");
          digits.emplace_back(p, ct);
          form.shift_stride = form.shift_stride ? std::min(form.shift_stride, ct) : ct;
        }
        start_constant = start.constant;
        continue;
      }
      const int p = piece(term);
      if (p < 0) unproved("`" + to_string(coord_[k]) + "` is not recognised as a split of its loops");
      digits.emplace_back(p, c);
    }
    for (const auto& [p, stride] : digits) {
      if (stride <= 0) unproved("`" + to_string(coord_[k]) + "` runs backwards");
      if (pieces_[p].used) unproved("loop `" + pieces_[p].loop->var->name + "` is in two coordinates");
      pieces_[p].used = true;
      if (!is_const_int(pieces_[p].loop->min, 0) && pieces_[p].term->op != Op::Var) unproved("loop `" + pieces_[p].loop->var->name + "` is fused and does not start at 0");
      if (!is_const_int(pieces_[p].loop->min, 0)) offset.terms.emplace_back(in_.outer.resolve(pieces_[p].loop->min), stride);
    }
    std::sort(digits.begin(), digits.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    form.beside = simplify(from_linear(offset));
    offset.constant += start_constant;
    form.offset = simplify(from_linear(offset));
    return form;
  }

  bool clip(const Expr& term, DimForm& form) {
    for (int i = 0; i < 2; ++i)
      if (!uses_loops(term->args[1 - i]) && uses_loops(term->args[i])) {
        form.start = term->args[i];
        form.clip = term->args[1 - i];
        form.shifted = true;
        return true;
      }
    return false;
  }

  // The pieces of a loop must make up the whole of it.
  void finish_pieces() {
    for (const ForStmt* l : in_.loops) {
      std::vector<Piece*> mine;
      for (Piece& p : pieces_)
        if (p.loop == l && p.used) mine.push_back(&p);
      if (mine.size() <= 1 && (mine.empty() || (mine[0]->top && !mine[0]->low.defined()))) continue;
      Expr low;
      size_t placed = 0;
      for (bool top = false; !top;) {
        const auto next = std::find_if(mine.begin(), mine.end(), [&](const Piece* p) {
          return low.defined() ? p->low.defined() && equal_structure(simplify(p->low), simplify(low)) : !p->low.defined();
        });
        if (next == mine.end()) unproved("loop `" + l->var->name + "` is used only in part");
        ++placed;
        top = (*next)->top;
        low = low.defined() ? simplify(low * (*next)->extent) : (*next)->extent;
      }
      if (placed != mine.size()) unproved("parts of loop `" + l->var->name + "` overlap");
    }
  }

  // In claims, pieces are variables of their own.
  Expr in_digits(const Expr& e) const {
    return rewrite(e, [&](const Expr& n) {
      for (const Piece& p : pieces_)
        if (p.digit && equal_structure(n, p.term)) return make_var(p.digit) + in_.outer.resolve(p.loop->min);
      return n;
    });
  }
  Expr state(const Expr& e) const {
    // Terms first (v % a), then what is left of fused loops (v itself).
    Expr out = in_digits(in_.outer.resolve(e));
    Substitution whole;
    for (const ForStmt* l : in_.loops) {
      Expr v;
      for (const Piece& p : pieces_)
        if (p.loop == l && p.used) {
          const Expr part = p.low.defined() ? make_var(p.digit) * p.low : make_var(p.digit);
          v = v.defined() ? v + part : part;
        }
      if (v.defined() && !is_const_int(l->min, 0)) v = v + in_.outer.resolve(l->min);
      if (v.defined()) whole[l->var.get()] = v;
    }
    return substitute(out, whole);
  }

  Expr partial_sum(const DimForm& f, size_t count) const {
    Expr s = i32(0);
    for (size_t i = 0; i < count; ++i) s = s + make_var(pieces_[f.digits[i].first].digit) * f.digits[i].second;
    return s;
  }

  void make_paths() {
    raw_ = in_.outer;
    for (const Piece& p : pieces_)
      if (p.used) raw_.set_range(p.digit, i32(0), simplify(state(p.extent) - 1));
    for (const ForStmt* l : in_.loops) {
      if (is_idle(l)) raw_.enter_loop(*l);
      if (l->live.defined()) limits_.push_back(make_var(l->var) < in_.outer.resolve(l->min) + in_.outer.resolve(l->live));
    }
    full_ = raw_;
    for (const Expr& c : limits_) full_.assume(state(c));
    for (const Expr& g : in_.guards) full_.assume(state(g));
  }

  bool is_idle(const ForStmt* l) const {
    return std::none_of(pieces_.begin(), pieces_.end(), [&](const Piece& p) { return p.loop == l && p.used; });
  }

  std::vector<Sym> digit_syms() const {
    std::vector<Sym> out;
    for (const Piece& p : pieces_)
      if (p.used) out.push_back(p.digit);
    return out;
  }

  [[noreturn]] void left_out(size_t k, const Answer& a, const Expr& point) {
    claims_.record("coverage", subject_, a.verdict);
    const std::string what = "dimension `" + names_[k] + "`";
    if (a.verdict == Verdict::Unknown) unproved("some points of " + what + " may be left out");
    std::string witness = model_text(a, digit_syms());
    if (const auto v = value_in(point, a)) witness = names_[k] + " = " + std::to_string(*v) + " is not computed" + (witness.empty() ? "" : ", with " + witness);
    user_error(ErrorCode::NotCovered, in_.provide->loc, name_ + " leaves points of its domain out, in " + what,
               "check the extents, guards and tails of its loops", excerpt(), witness);
  }

  // The digits below `i` of a partial tile need to reach its end only: the end of the tile around it, or of the domain (where no tail
  // is shifted), counted from where the digits from `i` up stand.
  Expr reaches_part(size_t k, size_t i, const Expr& reached) const {
    const DimForm& f = forms_[k];
    Expr at = i32(0), any;
    for (size_t j = i; j < f.digits.size(); ++j) {
      at = at + make_var(pieces_[f.digits[j].first].digit) * f.digits[j].second;
      const bool top = j + 1 == f.digits.size();
      if (top && f.shifted) break;
      const Expr end = top ? state(last_[k] - first_[k]) + 1 : i32(f.digits[j + 1].second);
      const Expr claim = end - at <= reached;
      any = any.defined() ? any || claim : claim;
    }
    return any.defined() ? any : make_bool(false);
  }

  void reach(size_t k) {
    const DimForm& f = forms_[k];
    const Answer at_start = claims_.prove(in_.outer, equal(f.offset, i32(0)));
    if (at_start.verdict != Verdict::Proved) left_out(k, at_start, value_in(f.offset, at_start).value_or(1) > 0 ? first_[k] : last_[k]);
    Expr reached = i32(1);
    for (size_t i = 0; i <= f.digits.size(); ++i) {
      const bool end = i == f.digits.size();
      const Expr needed = end ? simplify(state(last_[k] - first_[k]) + 1) : i32(f.digits[i].second);
      if (!end && is_const_int(pieces_[f.digits[i].first].extent, 1)) continue;
      Answer a = claims_.prove(raw_, needed <= reached);
      if (a.verdict != Verdict::Proved && !end) a = claims_.prove(raw_, needed <= reached || reaches_part(k, i, reached));
      if (a.verdict != Verdict::Proved) left_out(k, a, simplify(first_[k] + reached));
      if (!end) reached = simplify(state(pieces_[f.digits[i].first].extent) * f.digits[i].second);
    }
    if (f.shifted) {
      // Where the start is clipped, the part from there still reaches the end.
      Path clipped = raw_;
      clipped.assume(state(f.start) > state(f.clip));
      const Expr end = state(f.clip) + f.beside + f.shift_stride;
      const Answer a = claims_.prove(clipped, state(last_[k] - first_[k]) < end);
      if (a.verdict != Verdict::Proved) left_out(k, a, last_[k]);
      twice_ = true;
      if (in_.provide->stage > 0) overlaps(k);
    }
  }

  void unique(size_t k) {
    const DimForm& f = forms_[k];
    for (size_t i = 0; i + 1 < f.digits.size(); ++i) {
      const Expr claim = partial_sum(f, i + 1) < i32(f.digits[i + 1].second);
      if (claims_.prove(full_, claim).verdict == Verdict::Proved) continue;
      if (in_.provide->stage == 0) twice_ = true;
      else overlaps(k);
    }
  }

  // Two instances of an update with one coordinate: asked for directly, with two copies of the loops.
  void overlaps(size_t k) {
    Substitution copy;
    std::vector<Sym> first, second;
    Path both = full_;
    for (const Piece& p : pieces_) {
      if (!p.used) continue;
      const Sym other = make_sym(p.digit->name + "'");
      copy[p.digit.get()] = make_var(other);
      first.push_back(p.digit);
      second.push_back(other);
    }
    for (size_t i = 0, j = 0; i < pieces_.size(); ++i)
      if (pieces_[i].used) both.set_range(second[j++], i32(0), simplify(substitute(state(pieces_[i].extent), copy) - 1));
    for (const Expr& c : limits_) both.assume(substitute(state(c), copy));
    for (const Expr& g : in_.guards) both.assume(substitute(state(g), copy));
    Expr same;
    for (size_t d = 0; d < coord_.size(); ++d) both.assume(equal(state(coord_[d]), substitute(state(coord_[d]), copy)));
    for (size_t i = 0; i < first.size(); ++i) same = same && equal(make_var(first[i]), make_var(second[i]));
    const Answer a = claims_.prove(both, same);
    if (a.verdict == Verdict::Proved) return;
    claims_.record("coverage", subject_, a.verdict);
    if (a.verdict == Verdict::Unknown) unproved("two instances may compute one point of dimension `" + names_[k] + "`");
    std::string witness;
    if (const auto v = value_in(state(coord_[k]), a)) witness = names_[k] + " = " + std::to_string(*v) + " is computed by ";
    const auto instance = [&](const std::vector<Sym>& syms) {
      std::string s = "(";
      for (size_t i = 0; i < syms.size(); ++i)
        s += (i ? ", " : "") + first[i]->name + " = " + std::to_string(value_in(make_var(syms[i]), a).value_or(0));
      return s + ")";
    };
    user_error(ErrorCode::NotCovered, in_.provide->loc, name_ + " computes points of its domain twice, in dimension `" + names_[k] + "`",
               "an update must run once for each point: TailStrategy::GuardWithIf, and tiles that do not overlap", excerpt(),
               witness + instance(first) + " and by " + instance(second));
  }

  // A loop that no coordinate uses repeats every point.
  void idle_loops() {
    for (const ForStmt* l : in_.loops) {
      if (!is_idle(l)) continue;
      const Answer a = claims_.prove(in_.outer, in_.outer.resolve(l->extent) <= i32(1));
      if (a.verdict == Verdict::Proved) continue;
      if (in_.provide->stage == 0) {
        twice_ = true;
        continue;
      }
      claims_.record("coverage", subject_, a.verdict);
      user_error(ErrorCode::NotCovered, in_.provide->loc, name_ + " computes each point once for every iteration of `" + l->var->name + "`",
                 "an update must run once for each point", excerpt(), l->var->name + " = 0 and " + l->var->name + " = 1 compute the same points");
    }
  }

  void alive() {
    Path p = raw_;
    for (size_t k = 0; k < coord_.size(); ++k) {
      const DimForm& f = forms_[k];
      for (size_t i = 0; i + 1 < f.digits.size(); ++i) p.assume(partial_sum(f, i + 1) < i32(f.digits[i + 1].second));
      // A digit sum in the domain; where a tail is clipped, the point that the unclipped digits spell.
      p.assume(partial_sum(f, f.digits.size()) <= state(last_[k] - first_[k]));
    }
    if (def_.rdom.where.defined()) p.assume(where());
    std::vector<Expr> all = limits_;
    all.insert(all.end(), in_.guards.begin(), in_.guards.end());
    for (const Expr& g : all) {
      const Answer a = claims_.prove(p, state(g));
      if (a.verdict == Verdict::Proved) continue;
      size_t k = 0;
      for (size_t d = 0; d < coord_.size(); ++d)
        for (const auto& [piece, stride] : forms_[d].digits)
          if (uses_var(state(g), pieces_[piece].digit.get())) k = d;
      left_out(k, a, state(coord_[k]));
    }
  }

  Expr where() const {
    Substitution values = rdom_value_;
    for (size_t k = 0; k < pure_; ++k) values[func_.dims[pure_dim_[k]].get()] = coord_[k];
    return state(substitute(in_.outer.resolve(def_.rdom.where), values));
  }

  // Instances outside of the reduction domain. (Stores outside of the Func's storage are `bounds`.)
  void inside() {
    const auto outside = [&](const Answer& a, const std::string& what, const Expr& point, size_t k) {
      claims_.record("coverage", subject_, a.verdict);
      if (a.verdict == Verdict::Unknown) unproved(what + " may be left");
      std::string witness = model_text(a, digit_syms());
      if (const auto v = value_in(point, a)) witness = names_[k] + " = " + std::to_string(*v) + (witness.empty() ? "" : ", with " + witness);
      user_error(ErrorCode::NotCovered, in_.provide->loc, name_ + " runs outside of " + what, "check the guards and tails of its loops", excerpt(), witness);
    };
    for (size_t k = pure_; k < coord_.size(); ++k) {
      const Answer a = claims_.prove(full_, state(coord_[k]) <= state(last_[k]) && state(first_[k]) <= state(coord_[k]));
      if (a.verdict != Verdict::Proved) outside(a, "its reduction domain, `" + names_[k] + "`", state(coord_[k]), k);
    }
    if (def_.rdom.where.defined() && !coord_.empty()) {
      const Answer a = claims_.prove(full_, where());
      if (a.verdict != Verdict::Proved) outside(a, "where(" + to_string(def_.rdom.where) + ")", state(coord_.back()), coord_.size() - 1);
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
  Substitution rdom_value_;
  std::vector<Piece> pieces_;
  std::vector<DimForm> forms_;
  std::vector<Expr> limits_;  // live limits of loops
  std::unordered_set<const ForStmt*> clipped_;
  Path raw_, full_;
  bool twice_ = false;
};

}  // namespace

void prove_coverage(Claims& claims, const Program& program, const StageInstance& instance, const CoverageDomain& domain) {
  Coverage(claims, program, instance, domain).run();
}

}  // namespace sinter::scheduler
