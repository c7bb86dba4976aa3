#include "ir/analysis/copies.h"

#include <algorithm>

#include "ir/analysis/visit.h"

namespace sinter::ir {

static std::vector<FuncId> callees(const FuncDef& f) {
  std::vector<FuncId> out;
  const auto calls = [&out](const Expr& e) {
    if (e.defined())
      walk(e, [&out](const Expr& n) {
        if (n->op == Op::Call) out.push_back(n->id);
      });
  };
  for (const Definition& d : f.stages) {
    for (const Expr& a : d.args) calls(a);
    calls(d.value);
    calls(d.rdom.where);
  }
  return out;
}

std::vector<FuncCopy> copies_of(const Program& program) {
  const int n = static_cast<int>(program.funcs.size());
  std::vector<std::vector<FuncId>> readers(program.funcs.size());
  for (FuncId f = 0; f < n; ++f)
    for (FuncId callee : callees(program.funcs[static_cast<size_t>(f)])) {
      std::vector<FuncId>& list = readers[static_cast<size_t>(callee)];
      if (callee != f && std::find(list.begin(), list.end(), f) == list.end()) list.push_back(f);
    }
  const auto read_by_copies_only = [&](FuncId of) {
    const std::vector<FuncId>& list = readers[static_cast<size_t>(of)];
    return std::all_of(list.begin(), list.end(), [&](FuncId r) { return program.funcs[static_cast<size_t>(r)].is_wrapper; });
  };
  std::vector<bool> all(program.funcs.size());
  for (FuncId f = 0; f < n; ++f) all[static_cast<size_t>(f)] = read_by_copies_only(f);
  // Readers come later in the Program, so that their lists are complete when they are looked at backwards.
  std::vector<FuncCopy> out;
  for (FuncId f = n - 1; f >= 0; --f) {
    const FuncDef& def = program.funcs[static_cast<size_t>(f)];
    if (!def.is_wrapper) continue;
    std::vector<FuncId>& list = readers[static_cast<size_t>(f)];
    std::vector<FuncId> named;
    for (FuncId r : list) {
      const bool chained = program.funcs[static_cast<size_t>(r)].is_wrapper;
      const std::vector<FuncId> through = chained ? readers[static_cast<size_t>(r)] : std::vector{r};
      for (FuncId t : through)
        if (std::find(named.begin(), named.end(), t) == named.end()) named.push_back(t);
    }
    list = named;
    const FuncId of = callees(def).front();
    out.push_back({f, of, all[static_cast<size_t>(of)], std::move(named)});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace sinter::ir
