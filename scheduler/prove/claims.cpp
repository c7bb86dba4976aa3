#include "scheduler/prove/claims.h"

#include <algorithm>
#include <chrono>

#include "ir/analysis/visit.h"
#include "ir/eval/flat.h"
#include "ir/text/print.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The difference that must be at most 0 for a comparison to hold; undefined where it is none of integers that trap on overflow.
Expr excess(const Expr& c) {
  if (c->args.size() != 2 || !c->args[0].type().traps_on_overflow() || !c->args[0].type().is_scalar()) return {};
  const Expr &a = c->args[0], &b = c->args[1];
  switch (c->op) {
    case Op::LT: return a - b + 1;
    case Op::LE: return a - b;
    case Op::GT: return b - a + 1;
    case Op::GE: return b - a;
    default: return {};
  }
}

bool shares_variable(const std::unordered_set<const VarNode*>& vars, const Expr& e) { return uses_any(e, vars); }

}  // namespace

Expr Claims::abstract_data(const Expr& e, std::vector<Expr>& facts) {
  return rewrite(e, [&](const Expr& n) {
    const bool data = n->op == Op::Call || n->op == Op::Load || n->op == Op::Shuffle || n->op == Op::Lane || n->op == Op::Reinterpret ||
                      (n->op == Op::Cast && n->args[0].type().is_float());
    if (!data || n.type().is_float()) return n;
    const Expr key = intern_(n);
    Expr& var = data_[key.get()];
    if (!var.defined()) {
      keep_.push_back(key);
      var = make_var(make_sym(n->op == Op::Call ? "value" : "data", n.type()));
    }
    const Type t = n.type();
    if (t.is_integer() && t.bits < 32) {
      facts.push_back(var >= make_int(t, t.is_uint() ? 0 : -(int64_t{1} << (t.bits - 1))));
      facts.push_back(var <= make_int(t, (int64_t{1} << (t.is_uint() ? t.bits : t.bits - 1)) - 1));
    }
    return var;
  });
}

Answer Claims::decide(const Path& path, const Expr& claim) {
  const Expr need = excess(claim);
  if (need.defined()) {
    std::unordered_set<const VarNode*> vars;
    for (const Sym& s : free_vars(need)) vars.insert(s.get());
    for (const Expr& f : path.facts()) {
      const Expr given = excess(f);
      if (!given.defined() || given.type() != need.type() || !shares_variable(vars, given)) continue;
      if (const auto rest = constant_upper_bound(need - given, path.scope()); rest && *rest <= 0) return {Verdict::Proved, {}};
    }
  }
  std::vector<Expr> facts;
  const Expr stated = abstract_data(claim, facts);
  // Facts about what the claim names, about what those name, and so on.
  std::unordered_set<const VarNode*> relevant;
  for (const Sym& s : free_vars(stated)) relevant.insert(s.get());
  std::vector<Expr> rest;
  for (const Expr& f : path.facts()) rest.push_back(abstract_data(f, facts));
  rest.insert(rest.end(), entry_facts_.begin(), entry_facts_.end());
  for (bool grew = true; grew;) {
    grew = false;
    for (Expr& f : rest) {
      if (!f.defined() || !uses_any(f, relevant)) continue;
      for (const Sym& s : free_vars(f)) relevant.insert(s.get());
      facts.push_back(f);
      f = Expr();
      grew = true;
    }
  }
  return prover_.prove(facts, stated);
}

Answer Claims::prove(const Path& path, const Expr& stated) {
  const Expr claim = stated.defined() ? path.in_digits(stated) : stated;
  if (!claim.defined() || is_true(claim)) return {Verdict::Proved, {}};
  if (claim->op == Op::And) {
    Answer a = prove(path, claim->args[0]);
    return a.verdict == Verdict::Proved ? prove(path, claim->args[1]) : a;
  }
  if (can_prove(claim, path.scope())) return {Verdict::Proved, {}};
  // Below a minimum is below both, and below a quotient is a multiple below the dividend: each may follow from a fact of its own.
  if (const Expr need = excess(claim); need.defined()) {
    const Linear l = linear_form(need);
    for (size_t i = 0; i < l.terms.size(); ++i) {
      const auto& [term, c] = l.terms[i];
      Linear rest = l;
      rest.terms.erase(rest.terms.begin() + static_cast<int64_t>(i));
      const Expr other = from_linear(rest, need.type()), zero = make_int(need.type(), 0);
      if ((term->op == Op::Min && c < 0) || (term->op == Op::Max && c > 0)) {
        if (term.type() != need.type()) continue;
        const Answer a = prove(path, other + term->args[0] * c <= zero);
        return a.verdict == Verdict::Proved ? prove(path, other + term->args[1] * c <= zero) : a;
      }
      const int64_t* by = term->op == Op::Div ? as_int(term->args[1]) : nullptr;
      if (by && *by > 0 && c == -1 && term.type() == need.type()) return prove(path, other * *by - term->args[0] <= zero);
    }
  }
  return decide(path, claim);
}

void Claims::require_at_entry(const Expr& value) {
  const Expr limit = make_int(Int(64), INT32_MAX), fact = value <= limit;
  for (const Expr& f : entry_facts_)
    if (equal_structure(f, fact)) return;
  entry_facts_.push_back(fact);
  report_.checks.push_back(std::make_shared<CheckStmt>("product of sizes " + to_string(value), limit, value, CheckStmt::AtLeast));
}

void Claims::restart_clock() { started_ = now_ms(); }

void Claims::record(const std::string& kind, const std::string& subject, Verdict verdict, const std::string& note) {
  const double t = now_ms();
  const double spent = started_ < 0 ? 0 : t - started_;
  started_ = t;
  const auto [it, first] = lines_.try_emplace({kind, subject}, report_.obligations.size());
  bool fresh = first;
  for (size_t i = 0; first && i < report_.obligations.size(); ++i)  // of another version of the same kernel
    if (report_.obligations[i].kind == kind && report_.obligations[i].claim == subject) it->second = i, fresh = false;
  if (fresh) report_.obligations.push_back({kind, subject, verdict, 0, note});
  Obligation& o = report_.obligations[it->second];
  o.milliseconds += spent;
  report_.milliseconds += spent;
  const auto badness = [](Verdict v) { return v == Verdict::Proved ? 0 : v == Verdict::Unknown ? 1 : 2; };
  if (badness(verdict) > badness(o.verdict)) o.verdict = verdict;
  if (!note.empty() && o.note.find(note) == std::string::npos) o.note += (o.note.empty() ? "" : "; ") + note;
}

bool digits_agree(const IntervalScope& scope, std::vector<std::pair<Expr, Expr>> equal, std::vector<std::pair<Sym, Sym>> pairs) {
  const auto settled = [&](const Sym& v, const Sym& w) {
    for (const auto& [x, y] : equal) {
      const Linear l = linear_form(x - y);
      int64_t s = 0, t = 0;
      Linear rest;
      rest.constant = l.constant;
      for (const auto& [term, c] : l.terms) {
        if (term->op == Op::Var && term->var == v) s = c;
        else if (term->op == Op::Var && term->var == w) t = c;
        else rest.terms.emplace_back(term, c);
      }
      if (s == 0 || s != -t) continue;
      if (s < 0) s = -s;
      const Expr other = from_linear(rest);
      if (uses_any(other, {v.get(), w.get()})) continue;
      const auto hi = constant_upper_bound(other, scope), lo = constant_lower_bound(other, scope);
      if (hi && lo && *hi < s && *lo > -s) return true;
    }
    return can_prove(ir::equal(make_var(v), make_var(w)), scope);
  };
  for (bool progress = true; progress && !pairs.empty();) {
    progress = false;
    for (size_t i = 0; i < pairs.size(); ++i) {
      const auto [v, w] = pairs[i];
      if (!settled(v, w)) continue;
      for (auto& [x, y] : equal) {
        x = substitute(x, w, make_var(v));
        y = substitute(y, w, make_var(v));
      }
      pairs.erase(pairs.begin() + static_cast<int64_t>(i));
      progress = true;
      break;
    }
  }
  return pairs.empty();
}

std::optional<int64_t> value_in(const Expr& e, const Answer& answer) {
  SymMap<Scalar> values;
  for (const auto& [s, v] : answer.model) values[s.get()] = Scalar::of_int(s->type, v);
  for (const Sym& s : free_vars(e))
    if (!values.count(s.get())) {
      if (s->type.is_float()) return std::nullopt;
      values[s.get()] = Scalar::of_int(s->type, 0);
    }
  bool pure = true;
  walk(e, [&](const Expr& n) { pure = pure && n->op != Op::Call && n->op != Op::Load && n->op != Op::Shuffle; });
  if (!pure) return std::nullopt;
  try {
    return evaluate(e, values).as_int();
  } catch (const Error&) {
    return std::nullopt;  // a model over the integers may leave the machine's types
  }
}

std::string model_text(const Answer& answer, const std::vector<Sym>& vars) {
  std::string out;
  const auto add = [&](const Sym& s, int64_t v) { out += (out.empty() ? "" : ", ") + s->name + " = " + std::to_string(v); };
  for (const Sym& s : vars)
    for (const auto& [m, v] : answer.model)
      if (m == s) add(s, v);
  for (const auto& [m, v] : answer.model)
    if (std::find(vars.begin(), vars.end(), m) == vars.end()) add(m, v);
  return out;
}

std::string access_text(const Program& program, FuncId f, const std::vector<Expr>& index) {
  std::string out = (f < static_cast<int>(program.funcs.size()) ? program.funcs[f].name : "?") + "(";
  for (size_t d = 0; d < index.size(); ++d) out += (d ? ", " : "") + print(index[d], program);
  return out + ")";
}

std::string point_text(const std::vector<int64_t>& point) {
  std::string out = "(";
  for (size_t d = 0; d < point.size(); ++d) out += (d ? ", " : "") + std::to_string(point[d]);
  return out + ")";
}

std::string at_loc(const Loc& loc) { return loc.known() ? " (" + to_string(loc) + ")" : std::string(); }

}  // namespace sinter::scheduler
