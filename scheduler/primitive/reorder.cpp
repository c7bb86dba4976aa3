#include <algorithm>

#include "ir/analysis/visit.h"
#include "ir/diagnostic.h"
#include "scheduler/primitive/primitive.h"

namespace sinter::scheduler {

using namespace ir;

bool rvar_is_parallel(const Program& program, const StageLoops& loops, int position) {
  const Definition& def = program.funcs[loops.func].stages[loops.stage];
  // The dimension that the loop came from, through the relations.
  int node = loops.order[position];
  for (auto r = loops.relations.rbegin(); r != loops.relations.rend(); ++r) {
    if (r->kind == LoopRelation::Kind::Split && (r->outer == node || r->inner == node)) node = r->whole;
    if (r->kind == LoopRelation::Kind::Fuse && r->whole == node) return false;
  }
  if (loops.dim_of_node[node] < 0) return false;
  const Sym& var = def.rdom.vars[loops.dim_of_node[node]].var;
  const auto is_var = [&](const Expr& e) { return e->op == Op::Var && e->var == var; };
  // A dimension whose coordinate is the RVar, wherever the stage writes or reads its own Func: no iteration sees another's points.
  for (size_t d = 0; d < def.args.size(); ++d) {
    bool own = is_var(def.args[d]);
    const auto visit = [&](const Expr& root) {
      walk(root, [&](const Expr& e) {
        if (e->op == Op::Call && e->id == loops.func) own = own && is_var(e->args[d]);
      });
    };
    for (const Expr& a : def.args) visit(a);
    visit(def.value);
    visit(def.rdom.where);
    if (own) return true;
  }
  return false;
}

// reorder(innermost, ..., outermost): the named loops take the places they hold together, in the order given.
void apply_reorder(const Program& program, StageLoops& loops, const Directive& d) {
  std::vector<int> places, wanted;
  for (const Sym& s : d.loops) {
    const int at = require_loop(program, loops, s, d);
    if (std::find(places.begin(), places.end(), at) != places.end())
      user_error(ErrorCode::BadReorder, d.loc, "reorder: `" + s->name + "` is named twice", "name each loop once");
    places.push_back(at);
    wanted.push_back(loops.order[at]);
  }
  std::vector<int> order = loops.order;
  std::sort(places.begin(), places.end());
  for (size_t i = 0; i < places.size(); ++i) order[places[i]] = wanted[i];

  // RVars of an update are ordered among themselves, unless they index different points.
  std::vector<int> before, after;
  for (int i = 0; i < static_cast<int>(loops.order.size()); ++i)
    if (loops.loop(i).is_rvar && !rvar_is_parallel(program, loops, i)) before.push_back(loops.order[i]);
  for (int n : order)
    if (std::find(before.begin(), before.end(), n) != before.end()) after.push_back(n);
  if (before != after)
    user_error(ErrorCode::BadReorder, d.loc,
               "reorder: this changes the order of RVars that update the same points of `" + program.funcs[loops.func].name + "`",
               "keep the RVars in the order of their RDom", nest_excerpt(program, loops));
  loops.order = std::move(order);
  loops.touched = true;
}

}  // namespace sinter::scheduler
