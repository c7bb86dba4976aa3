#include "scheduler/primitive/stage_loops.h"

#include "ir/diagnostic.h"

namespace sinter::scheduler {

using namespace ir;

int StageLoops::find(const Sym& name) const {
  for (size_t i = 0; i < order.size(); ++i)
    if (nodes[order[i]].name == name) return static_cast<int>(i);
  return -1;
}

bool StageLoops::has_kind(LoopKind kind) const {
  for (int n : order)
    if (nodes[n].kind == kind) return true;
  return false;
}

StageLoops initial_loops(const Program& program, FuncId func, int stage) {
  const FuncDef& f = program.funcs[func];
  const Definition& def = f.stages[stage];
  StageLoops out;
  out.func = func;
  out.stage = stage;
  out.loc = def.loc;
  for (int d = 0; d < f.rank(); ++d) {
    const bool pure = def.args[d]->op == Op::Var && def.args[d]->var == f.dims[d];
    if (!pure) continue;
    out.nodes.push_back({f.dims[d], LoopKind::Serial, false, false, {}, def.loc});
    out.dim_of_node.push_back(d);
  }
  out.pure_dims = static_cast<int>(out.nodes.size());
  for (size_t r = 0; r < def.rdom.vars.size(); ++r) {
    out.nodes.push_back({def.rdom.vars[r].var, LoopKind::Serial, true, false, {}, def.loc});
    out.dim_of_node.push_back(static_cast<int>(r));
  }
  for (int i = out.pure_dims; i < static_cast<int>(out.nodes.size()); ++i) out.order.push_back(i);
  for (int i = 0; i < out.pure_dims; ++i) out.order.push_back(i);
  return out;
}

std::vector<std::string> nest_excerpt(const Program& program, const StageLoops& loops, int mark, const std::string& remark) {
  std::vector<std::string> out;
  std::string indent;
  for (int i = static_cast<int>(loops.order.size()) - 1; i >= 0; --i) {
    const LoopNode& n = loops.loop(i);
    std::string line = indent + loop_kind_name(n.kind) + " " + n.name->name;
    if (i == mark) line += "   " + remark;
    out.push_back(std::move(line));
    indent += "  ";
  }
  out.push_back(indent + program.funcs[loops.func].name + "(...) = ...");
  return out;
}

int require_loop(const Program& program, const StageLoops& loops, const Sym& name, const Directive& directive) {
  const int at = loops.find(name);
  if (at >= 0) return at;
  std::string known;
  for (int i = static_cast<int>(loops.order.size()) - 1; i >= 0; --i) known += (known.empty() ? "" : ", ") + loops.loop(i).name->name;
  user_error(ErrorCode::NoSuchLoop, directive.loc,
             std::string(directive_name(directive.kind)) + ": `" + program.funcs[loops.func].name + "` has no loop `" + name->name + "`",
             known.empty() ? "the stage has no loops" : "its loops are, outermost first: " + known, nest_excerpt(program, loops));
}

void require_unused(const Program& program, const StageLoops& loops, const Sym& name, int except, const Directive& directive) {
  const int at = loops.find(name);
  if (at < 0 || at == except) return;
  user_error(ErrorCode::DuplicateLoop, directive.loc,
             std::string(directive_name(directive.kind)) + ": `" + program.funcs[loops.func].name + "` already has a loop `" + name->name + "`",
             "use another Var for the new loop", nest_excerpt(program, loops, at));
}

}  // namespace sinter::scheduler
