// The verifiers of Program and Schedule.
#include <unordered_set>

#include "ir/analysis/visit.h"
#include "ir/text/print.h"
#include "ir/verify/type_rules.h"
#include "ir/verify/verify.h"

namespace sinter::ir {

namespace {

class ProgramChecker {
 public:
  explicit ProgramChecker(const Program& p) : program_(p) {}

  void run() {
    for (const FuncDef& f : program_.funcs)
      for (const std::vector<Sym>* syms : {&f.extent, &f.stride})
        for (const Sym& s : *syms) sizes_.insert(s.get());
    for (const ParamDef& q : program_.params) {
      problem_if(!q.var || !q.var->type.is_scalar() || q.var->type.is_none(), "param `" + q.name + "` is not a scalar");
      sizes_.insert(q.var.get());
    }
    for (size_t i = 0; i < program_.funcs.size(); ++i) function(static_cast<int>(i));
    arguments();
    if (!problems_.empty()) throw VerifyError("program `" + program_.name + "`", problems_, print(program_));
  }

 private:
  void problem_if(bool bad, const std::string& text) {
    if (bad) problems_.push_back(where_ + text);
  }

  void function(int id) {
    const FuncDef& f = program_.funcs[id];
    where_ = "`" + f.name + "`: ";
    const size_t rank = f.dims.size();
    problem_if(f.type.is_none() || !f.type.is_scalar(), "elements of type " + to_string(f.type));
    std::unordered_set<const VarNode*> dims;
    for (const Sym& v : f.dims) problem_if(!v || v->type != Int(32) || !dims.insert(v.get()).second, "a dimension that is missing, not i32, or there twice");
    const auto per_dim = [&](size_t n, const char* what) { problem_if(n != 0 && n != rank, std::string(what) + " are not one per dimension"); };
    per_dim(f.extent.size(), "extents");
    per_dim(f.stride.size(), "strides");
    per_dim(f.fixed_extent.size(), "declared extents");
    per_dim(f.fixed_stride.size(), "declared strides");
    for (const Sym& s : f.extent) problem_if(s && s->type != Int(32), "an extent that is not i32");
    for (const Sym& s : f.stride) problem_if(s && s->type != Int(64), "a stride that is not i64");
    for (const Expr& e : f.fixed_extent) expression(e, Int(32), id, false, {});
    for (const Expr& e : f.fixed_stride) expression(e, Int(64), id, false, {});
    problem_if(f.is_input() && !f.stages.empty(), "an Input with a definition");
    problem_if(!f.is_input() && f.stages.empty(), "a computed Func without a definition");
    for (size_t s = 0; s < f.stages.size(); ++s) stage(id, static_cast<int>(s));
  }

  void stage(int id, int index) {
    const FuncDef& f = program_.funcs[id];
    const Definition& d = f.stages[index];
    where_ = "`" + f.name + "`, stage " + std::to_string(index) + ": ";
    problem_if(d.args.size() != f.dims.size(), std::to_string(d.args.size()) + " arguments of " + std::to_string(f.dims.size()));
    problem_if(!d.value.defined(), "no value");
    std::unordered_set<const VarNode*> vars;
    for (const RVarDef& r : d.rdom.vars) {
      problem_if(!r.var || !vars.insert(r.var.get()).second, "a reduction variable that is missing or there twice");
      const Type t = r.var ? r.var->type : Int(32);
      problem_if(!r.min.defined() || !r.extent.defined(), "a reduction variable without bounds");
      expression(r.min, t, id, false, {});
      expression(r.extent, t, id, false, {});
    }
    for (size_t i = 0; i < d.args.size() && i < f.dims.size(); ++i) {
      const bool pure = d.args[i].defined() && d.args[i]->op == Op::Var && d.args[i]->var == f.dims[i];
      if (pure) vars.insert(f.dims[i].get());
      problem_if(index == 0 && !pure, "the pure stage's arguments are not its dims");
    }
    problem_if(index == 0 && (!d.rdom.vars.empty() || d.rdom.where.defined()), "a pure stage with a reduction domain");
    for (const Expr& a : d.args) expression(a, Int(32), id, index > 0, vars);
    if (d.rdom.where.defined()) expression(d.rdom.where, Bool(), id, index > 0, vars);
    expression(d.value, f.type, id, index > 0, vars);
  }

  // `vars` are the stage's own variables.
  void expression(const Expr& e, Type t, int self, bool self_allowed, const std::unordered_set<const VarNode*>& vars) {
    if (!e.defined()) return;
    problem_if(e.type() != t, "a " + to_string(e.type()) + " where a " + to_string(t) + " belongs");
    walk(e, [&](const Expr& n) {
      const std::string bad = type_problem(n);
      problem_if(!bad.empty(), bad);
      if (!bad.empty()) return;
      problem_if(!n.type().is_scalar(), "a vector");
      problem_if(n->op == Op::Load || n->op == Op::Shuffle, std::string("a ") + op_name(n->op));
      if (n->op != Op::Call) return;
      const int last = self_allowed ? self : self - 1;
      if (n->id < 0 || n->id > last) {
        problem_if(true, "a call of Func " + std::to_string(n->id) + ", which is not before it");
        return;
      }
      const FuncDef& callee = program_.funcs[n->id];
      problem_if(static_cast<int>(n->args.size()) != callee.rank(), "`" + callee.name + "` called with " + std::to_string(n->args.size()) + " indices");
      problem_if(n.type() != callee.type, "`" + callee.name + "` called as " + to_string(n.type()));
    });
    for (const Sym& v : free_vars(e)) problem_if(!vars.count(v.get()) && !sizes_.count(v.get()), "`" + v->name + "` is not bound");
  }

  void arguments() {
    where_ = "";
    std::unordered_set<int> funcs, params;
    for (const Argument& a : program_.args) {
      if (a.kind == Argument::Kind::Param) {
        problem_if(a.id < 0 || a.id >= static_cast<int>(program_.params.size()) || !params.insert(a.id).second, "an argument that is no param, or there twice");
        continue;
      }
      const bool exists = a.id >= 0 && a.id < static_cast<int>(program_.funcs.size());
      problem_if(!exists || !funcs.insert(a.id).second, "an argument that is no Func, or there twice");
      if (exists) problem_if(program_.funcs[a.id].is_input() != (a.kind == Argument::Kind::Input), "`" + program_.funcs[a.id].name + "` is an argument of the wrong kind");
    }
  }

  const Program& program_;
  std::unordered_set<const VarNode*> sizes_;
  std::string where_;
  std::vector<std::string> problems_;
};

}  // namespace

void verify_program(const Program& program) { ProgramChecker(program).run(); }

void verify_schedule(const Program& program, const Schedule& schedule) {
  std::vector<std::string> problems;
  for (size_t i = 0; i < schedule.directives.size(); ++i) {
    const Directive& d = schedule.directives[i];
    const auto problem_if = [&](bool bad, const std::string& text) {
      if (bad) problems.push_back("directive " + std::to_string(i) + ", " + directive_name(d.kind) + ": " + text);
    };
    const auto exists = [&](FuncId f) { return f >= 0 && f < static_cast<int>(program.funcs.size()); };
    problem_if(!exists(d.func), "there is no Func " + std::to_string(d.func));
    if (exists(d.func)) problem_if(d.stage < -1 || d.stage >= std::max(1, static_cast<int>(program.funcs[d.func].stages.size())), "there is no stage " + std::to_string(d.stage));
    const DirectiveInfo& s = directive_info(d.kind);
    const int loops = static_cast<int>(d.loops.size()), ints = static_cast<int>(d.ints.size());
    problem_if(loops < s.min_loops || loops > s.max_loops, std::to_string(loops) + " loops");
    problem_if(ints < s.min_ints || ints > s.max_ints, std::to_string(ints) + " integers");
    problem_if(d.kind == DirectiveKind::GpuTile && loops != 3 * ints, "not three loops for each tile size");
    problem_if(orders_blocks(d.kind) && ints != 0 && ints != loops, "not an integer for each loop");
    problem_if(static_cast<int>(d.exprs.size()) != s.exprs, std::to_string(d.exprs.size()) + " expressions");
    for (const Sym& v : d.loops) problem_if(!v, "a loop without a name");
    problem_if(s.target ? !exists(d.target) : d.target != -1, "a target that does not exist or does not belong here");
  }
  if (!problems.empty()) throw VerifyError("the schedule", problems, print(program, schedule));
}

}  // namespace sinter::ir
