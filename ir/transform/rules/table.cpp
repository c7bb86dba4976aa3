#include <array>

#include "ir/analysis/visit.h"
#include "ir/transform/rules/tables.h"

namespace sinter::ir {

namespace rules {

const Wildcards& wildcards() {
  const auto number = [](const char* name) { return Pat(make_var(make_sym(name))); };
  const auto boolean = [](const char* name) { return Pat(make_var(make_sym(name, Bool()))); };
  static const Wildcards all{number("x"),  number("y"),  number("z"),  number("w"),  boolean("p"),
                             boolean("q"), boolean("r"), number("c0"), number("c1"), number("c2")};
  return all;
}

// The name is the rule itself: unique, and what a failing test has to say.
void Table::push(uint8_t domains, const Pat& lhs, const Pat& rhs, const Expr& condition) {
  std::string name = group_ + ": " + to_string(lhs.e) + " → " + to_string(rhs.e);
  if (condition.defined()) name += " if " + to_string(condition);
  bool by_range = false;
  if (condition.defined())
    for (const Sym& v : free_vars(condition)) by_range = by_range || !is_literal_wildcard(v.get());
  out_.push_back({std::move(name), domains, lhs.e, rhs.e, condition, by_range});
}

}  // namespace rules

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> table = [] {
    std::vector<Rule> out;
    rules::arithmetic(out);
    rules::division(out);
    rules::min_max(out);
    rules::compare(out);
    rules::logic(out);
    rules::vector(out);
    return out;
  }();
  return table;
}

const std::vector<const Rule*>& rules_for(Op op) {
  static const auto index = [] {
    std::array<std::vector<const Rule*>, static_cast<size_t>(Op::Shuffle) + 1> by_op;
    for (const Rule& rule : all_rules()) by_op[static_cast<size_t>(rule.lhs->op)].push_back(&rule);
    return by_op;
  }();
  return index[static_cast<size_t>(op)];
}

bool is_literal_wildcard(const VarNode* v) {
  const rules::Wildcards& w = rules::wildcards();
  return v == w.c0.e->var.get() || v == w.c1.e->var.get() || v == w.c2.e->var.get();
}

}  // namespace sinter::ir
