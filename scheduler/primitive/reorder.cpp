#include <algorithm>

#include "ir/analysis/reduction.h"
#include "ir/analysis/visit.h"
#include "ir/diagnostic.h"
#include "scheduler/primitive/primitive.h"

namespace sinter::scheduler {

using namespace ir;

// The dimensions that a loop came from, through the relations.
static std::vector<int> dimensions_of(const StageLoops& loops, int node) {
  std::vector<int> nodes{node};
  for (auto r = loops.relations.rbegin(); r != loops.relations.rend(); ++r) {
    const auto replace = [&](int from, std::vector<int> to) {
      const auto at = std::find(nodes.begin(), nodes.end(), from);
      if (at == nodes.end()) return;
      nodes.erase(at);
      nodes.insert(nodes.end(), to.begin(), to.end());
    };
    if (r->kind == LoopRelation::Kind::Fuse) replace(r->whole, {r->outer, r->inner});
    else replace(r->outer, {r->whole}), replace(r->inner, {r->whole});
  }
  return nodes;
}

bool rvar_is_reduced(const Program& program, const StageLoops& loops, int position) {
  if (!loops.loop(position).is_rvar || !stage_reduction(program, loops.func, loops.stage)) return false;
  const Definition& def = program.funcs[loops.func].stages[loops.stage];
  for (const int node : dimensions_of(loops, loops.order[position])) {
    if (node < loops.pure_dims || loops.dim_of_node[node] < 0) return false;
    for (const Expr& a : def.args)
      if (uses_var(a, def.rdom.vars[loops.dim_of_node[node]].var.get())) return false;
  }
  return true;
}

bool rvar_is_parallel(const Program& program, const StageLoops& loops, int position) {
  const Definition& def = program.funcs[loops.func].stages[loops.stage];
  const std::vector<int> nodes = dimensions_of(loops, loops.order[position]);
  if (nodes.size() != 1 || loops.dim_of_node[nodes[0]] < 0) return false;
  const Sym& var = def.rdom.vars[loops.dim_of_node[nodes[0]]].var;
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
