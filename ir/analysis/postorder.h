// Post-order over an expression DAG with an explicit stack: a chain of 10^5 nodes must not overflow the call stack.
#pragma once

#include <utility>
#include <vector>

#include "ir/expr.h"

namespace sinter::ir {

// Calls visit(e) for every node below and including `root` for which done(e) is false, operands first and in order. `visit` must make
// done(e) true. `before(e, i)` runs just before operand i of e is entered: a Let binds its variable there.
template <class Done, class Visit, class Before>
void post_order(const Expr& root, Done&& done, Visit&& visit, Before&& before) {
  if (done(root)) return;
  std::vector<std::pair<Expr, size_t>> stack{{root, 0}};
  while (!stack.empty()) {
    const Expr e = stack.back().first;
    size_t& next = stack.back().second;
    bool entered = false;
    while (next < e->args.size() && !entered) {
      const size_t i = next++;
      before(e, i);
      if (!done(e->args[i])) {
        stack.emplace_back(e->args[i], 0);  // `next` dangles from here on
        entered = true;
        break;
      }
    }
    if (entered) continue;
    stack.pop_back();
    if (!done(e)) visit(e);
  }
}

template <class Done, class Visit>
void post_order(const Expr& root, Done&& done, Visit&& visit) {
  post_order(root, done, visit, [](const Expr&, size_t) {});
}

}  // namespace sinter::ir
