// Which values the RDom variables have in an instance: its definition is laid beside it, and where an integer of the definition is
// affine in one unknown variable, the integer in the same place of the instance gives its value.
#include <set>

#include "ir/analysis/visit.h"
#include "ir/transform/simplify.h"
#include "scheduler/prove/coverage.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

class Matcher {
 public:
  explicit Matcher(const Definition& def) : def_(def), found_(def.rdom.vars.size()) {}

  void know(const Sym& var, const Expr& value) { values_[var.get()] = value; }

  bool match(const Expr& wanted, const Expr& given) {
    if (!seen_.insert({wanted.get(), given.get()}).second) return false;
    bool progress = false;
    if (wanted.type().traps_on_overflow() && given.type() == wanted.type()) progress = solve(wanted, given);
    if (wanted->op != given->op || wanted->args.size() != given->args.size() || wanted->id != given->id) return progress;
    for (size_t i = 0; i < wanted->args.size(); ++i) progress |= match(wanted->args[i], given->args[i]);
    const bool swaps = wanted->args.size() == 2 && wanted->op != Op::Call;
    if (swaps) progress |= match(wanted->args[0], given->args[1]) || match(wanted->args[1], given->args[0]);
    return progress;
  }
  void again() { seen_.clear(); }
  const std::vector<Expr>& found() const { return found_; }

 private:
  bool solve(const Expr& wanted, const Expr& given) {
    const Linear l = linear_form(wanted);
    int which = -1;
    int64_t factor = 0;
    for (const auto& [term, c] : l.terms)
      for (size_t r = 0; r < found_.size(); ++r)
        if (uses_var(term, def_.rdom.vars[r].var.get()) && !found_[r].defined()) {
          if (which >= 0 || term->op != Op::Var) return false;
          which = static_cast<int>(r);
          factor = c;
        }
    if (which < 0) return false;
    Substitution values = values_;
    for (size_t r = 0; r < found_.size(); ++r)
      if (found_[r].defined()) values[def_.rdom.vars[r].var.get()] = found_[r];
    values[def_.rdom.vars[which].var.get()] = make_int(def_.rdom.vars[which].var->type, 0);
    Linear rest = linear_form(simplify(given - substitute(wanted, values)));
    for (auto& [term, c] : rest.terms) {
      if (c % factor != 0) return false;
      c /= factor;
    }
    if (rest.constant % factor != 0) return false;
    rest.constant /= factor;
    found_[which] = simplify(from_linear(rest));
    return true;
  }

  const Definition& def_;
  std::vector<Expr> found_;
  Substitution values_;
  std::set<std::pair<const ExprNode*, const ExprNode*>> seen_;
};

}  // namespace

std::vector<Expr> match_rdom(const FuncDef& func, int stage, const ProvideStmt& provide, const Path& path) {
  const Definition& def = func.stages[stage];
  Matcher m(def);
  const Expr value = path.resolve(provide.value), wanted = simplify(def.value);
  std::vector<Expr> index;
  for (const Expr& e : provide.index) index.push_back(path.resolve(e));
  for (size_t d = 0; d < def.args.size(); ++d)
    if (def.args[d]->op == Op::Var && def.args[d]->var == func.dims[d]) m.know(func.dims[d], index[d]);
  for (bool progress = true; progress; m.again()) {
    progress = false;
    for (size_t d = 0; d < def.args.size(); ++d) progress |= m.match(simplify(def.args[d]), index[d]);
    progress |= m.match(wanted, value);
  }
  return m.found();
}

}  // namespace sinter::scheduler
