// Program and Schedule. A Func is one line where its expressions are small:
//   func acc(n, m) : f32 = 0.0
//     update over (k in [0, depth)) acc(n, m) = acc(n, m) + f32(A(k, m))*f32(B(k, n))
#include "ir/analysis/visit.h"
#include "ir/text/printer.h"

namespace sinter::ir::text {

void Printer::use_program(const Program& program) {
  for (const FuncDef& f : program.funcs) {
    funcs_.push_back(quote_func(func_names_.add(f.name)));
    types_.push_back(f.type);
  }
}

std::string Printer::optional_exprs(const char* word, const std::vector<Expr>& es, Type usual) {
  bool any = false;
  for (const Expr& e : es) any |= e.defined();
  if (!any) return "";
  std::string out;
  for (const Expr& e : es) out += (out.empty() ? "" : ", ") + inline_expr(e, usual);
  return std::string(" ") + word + " (" + out + ")";
}

void Printer::definition(const Definition& d, int id, int stage) {
  const std::string value = inline_expr(d.value, func_type(id)) + loc(d.loc);
  if (stage == 0) {
    out_.pop_back();  // the newline behind the Func's head
    out_ += " = " + value + "\n";
    return;
  }
  std::string s = "update ";
  if (!d.rdom.vars.empty() || d.rdom.where.defined()) {
    std::string loops;
    for (const RVarDef& r : d.rdom.vars) {
      const Type t = r.var ? r.var->type : Int(32);
      loops += loops.empty() ? "" : ", ";
      loops += binding(r.var) + " in " + range(inline_expr(r.min, t), inline_expr(r.extent, t));
    }
    s += "over (" + loops + ") ";
    if (d.rdom.where.defined()) s += "where " + inline_expr(d.rdom.where) + " ";
  }
  std::string args;
  for (const Expr& a : d.args) args += (args.empty() ? "" : ", ") + inline_expr(a);
  line(s + func(id) + "(" + args + ") = " + value);
}

void Printer::function(const FuncDef& f, int id) {
  for (const std::vector<Sym>* known : {&f.dims, &f.extent, &f.stride})
    for (const Sym& v : *known) declared_.insert(v.get());
  for (const std::vector<Expr>* es : {&f.fixed_extent, &f.fixed_stride})
    for (const Expr& e : *es)
      if (e.defined()) declare_free(free_vars(e));
  for (const Definition& d : f.stages) {
    for (const RVarDef& r : d.rdom.vars) declared_.insert(r.var.get());
    for (const RVarDef& r : d.rdom.vars)
      for (const Expr& e : {r.min, r.extent})
        if (e.defined()) declare_free(free_vars(e));
    for (const Expr& e : d.args) declare_free(free_vars(e));
    if (d.rdom.where.defined()) declare_free(free_vars(d.rdom.where));
    if (d.value.defined()) declare_free(free_vars(d.value));
  }
  std::string s = f.is_input() ? "input " : "func ";
  s += func(id) + bindings(f.dims) + " : " + to_string(f.type);
  if (f.is_wrapper) s += " wrapper";
  if (!f.extent.empty()) s += " extent " + bindings(f.extent);
  if (!f.stride.empty()) s += " stride " + bindings(f.stride, Int(64));
  s += optional_exprs("require_extent", f.fixed_extent, Int(32));
  s += optional_exprs("require_stride", f.fixed_stride, Int(64));
  if (f.free_stride0) s += " free_stride0";
  line(s + loc(f.loc));
  for (size_t i = 0; i < f.stages.size(); ++i) {
    if (i == 1) ++indent_;
    definition(f.stages[i], id, static_cast<int>(i));
  }
  if (f.stages.size() > 1) --indent_;
}

void Printer::program(const Program& p) {
  line("program " + quote_sym(p.name) + " {");
  ++indent_;
  for (const ParamDef& q : p.params) {
    const std::string name = binding(q.var, Type{});
    line("param " + name + (quote_sym(q.name) == sym(q.var) ? "" : " named " + quote_string(q.name)) + loc(q.loc));
  }
  for (size_t i = 0; i < p.funcs.size(); ++i) function(p.funcs[i], static_cast<int>(i));
  std::string args;
  for (const Argument& a : p.args) {
    args += args.empty() ? "" : ", ";
    if (a.kind == Argument::Kind::Param) {
      const bool known = a.id >= 0 && a.id < static_cast<int>(p.params.size());
      args += "param " + (known ? sym(p.params[a.id].var) : "?" + std::to_string(a.id));
    } else {
      args += (a.kind == Argument::Kind::Input ? "input " : "output ") + func(a.id);
    }
  }
  if (!args.empty()) line("args (" + args + ")");
  --indent_;
  line("}");
}

// "", ".update(0)" or ".stage(-1)" where the stage isn't the usual one.
std::string Printer::stage_of(FuncId f, int stage, int usual) const {
  if (stage == usual) return func(f);
  if (stage >= 1) return func(f) + ".update(" + std::to_string(stage - 1) + ")";
  return func(f) + ".stage(" + std::to_string(stage) + ")";
}

std::string Printer::directive(const Directive& d) {
  std::string s = stage_of(d.func, d.stage, concerns_loops(d.kind) ? 0 : -1) + "." + directive_name(d.kind);
  std::string args;
  const auto add = [&args](const std::string& a) { args += (args.empty() ? "" : ", ") + a; };
  if (d.target >= 0 || d.target_stage != -1) add("of " + stage_of(d.target, d.target_stage, -1));
  for (const Sym& v : d.loops) add(binding(v));
  for (int64_t v : d.ints) add(std::to_string(v));
  for (const Expr& e : d.exprs) add("expr " + inline_expr(e));
  if (d.memory != Memory::Auto) add(std::string("memory ") + memory_name(d.memory));
  if (d.tail != Tail::Auto) add(std::string("tail ") + tail_name(d.tail));
  return s + "(" + args + ")" + loc(d.loc);
}

void Printer::schedule(const Schedule& s) {
  for (const Directive& d : s.directives)
    for (const Expr& e : d.exprs)
      if (e.defined()) declare_free(free_vars(e));
  line("schedule {");
  ++indent_;
  for (const Directive& d : s.directives) line(directive(d));
  --indent_;
  line("}");
}

}  // namespace sinter::ir::text

namespace sinter::ir {

std::string print(const Program& program, const Schedule& schedule, const PrintOptions& options) {
  text::Printer p(options);
  p.use_program(program);
  p.program(program);
  p.schedule(schedule);
  return p.take();
}

std::string print(const Program& program, const PrintOptions& options) {
  text::Printer p(options);
  p.use_program(program);
  p.program(program);
  return p.take();
}

}  // namespace sinter::ir
