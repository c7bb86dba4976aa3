#include "dsl/build_program.h"

#include <unordered_map>
#include <unordered_set>

#include "dsl/contents.h"
#include "dsl/define.h"
#include "dsl/wrap.h"
#include "ir/analysis/visit.h"

namespace sinter {

using detail::FuncContents;
using detail::FuncPtr;
using ir::Op;
using ir::user_error;

namespace {

class Builder {
 public:
  Builder(const std::string& name, const std::vector<PipelineArgument>& args, const std::vector<Func>& outputs, Loc loc)
      : args_(args), outputs_(outputs), loc_(loc) {
    program_.name = detail::checked_name(name, "Pipeline", loc);
  }

  const std::vector<FuncPtr>& reached() {
    check_arguments();
    for (const PipelineArgument& a : args_)
      if (a.input()) add(a.input());
    for (const Func& f : outputs_) collect(f.contents());
    return order_;
  }

  std::pair<ir::Program, ir::Schedule> build() {
    reached();
    for (const FuncPtr& f : order_) define(*f);
    for (const FuncPtr& f : order_) schedule(*f);
    list_arguments();
    return {std::move(program_), std::move(schedule_)};
  }

 private:
  const std::vector<PipelineArgument>& args_;
  const std::vector<Func>& outputs_;
  Loc loc_;
  ir::Program program_;
  ir::Schedule schedule_;
  std::vector<FuncPtr> order_;
  std::unordered_map<const FuncContents*, int> ids_;
  std::unordered_map<const detail::ParamContents*, int> params_;
  std::unordered_map<const ir::VarNode*, ir::Sym>
      owning_;  // variables of this Program that expressions may mention weakly
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, int> next_suffix_;

  void check_arguments() {
    if (outputs_.empty())
      user_error(ErrorCode::BadPipeline, loc_, "pipeline `" + program_.name + "` has no output",
                 "list the Funcs to compute");
    std::unordered_map<std::string, const void*> seen;
    const auto check = [&](const std::string& name, const void* object) {
      const auto [at, fresh] = seen.try_emplace(name, object);
      if (fresh) return;
      if (at->second == object)
        user_error(ErrorCode::BadPipeline, loc_, "pipeline `" + program_.name + "` lists `" + name + "` twice",
                   "list each argument once");
      user_error(ErrorCode::DuplicateName, loc_,
                 "two arguments of pipeline `" + program_.name + "` are called `" + name + "`",
                 "rename one: callers tell them apart by their names");
    };
    for (const PipelineArgument& a : args_) {
      if (a.input()) check(a.input()->name(), a.input().get());
      if (!a.param()) continue;
      check(a.param()->sym.name, a.param().get());
      params_[a.param().get()] = static_cast<int>(program_.params.size());
      const ir::Sym sym(a.param(), &a.param()->sym);
      owning_[sym.get()] = sym;
      program_.params.push_back({sym->name, sym, a.param()->loc});
    }
    for (const Func& f : outputs_) {
      if (!f.defined())
        user_error(ErrorCode::UndefinedFunc, loc_,
                   "output `" + f.name() + "` of pipeline `" + program_.name + "` is not defined",
                   "define it: " + f.name() + "(x, y) = ...");
      check(f.name(), f.contents().get());
    }
  }

  // Gives `f` its id.
  void add(const FuncPtr& f) {
    ids_[f.get()] = static_cast<int>(order_.size());
    order_.push_back(f);
    const auto own = [&](const detail::SymNode& node) { owning_[&node] = ir::Sym(f, &node); };
    for (const detail::SymNode& n : f->extent) own(n);
    for (const detail::SymNode& n : f->stride) own(n);
    for (const detail::StageContents& s : f->stages)
      if (s.rdom)
        for (size_t i = 0; i < s.rdom->vars.size(); ++i) owning_[&s.rdom->vars[i]] = detail::rvar_sym(s.rdom, i);
  }

  std::vector<FuncPtr> callees(const FuncContents& f) const {
    std::vector<FuncPtr> out;
    for (const detail::StageContents& s : f.stages)
      detail::each_call(s, [&](const ir::Expr& call) { out.push_back(callee(*call, f)); });
    return out;
  }

  // What a Call in `reader` reads. A Call that does not own its Func is of the reader itself, or of what a wrapper
  // wraps: both are known to this Builder by their owners.
  FuncPtr callee(const ir::ExprNode& call, const FuncContents& reader) const {
    FuncPtr f = detail::called(call);
    if (f.use_count() == 0)
      if (const auto owner = owners_.find(f.get()); owner != owners_.end()) f = owner->second;
    return detail::resolve(f, reader);
  }
  std::unordered_map<const FuncContents*, FuncPtr> owners_;

  // Producers before consumers; an explicit stack, since chains of Funcs may be long.
  void collect(const FuncPtr& root) {
    struct Frame {
      FuncPtr func;
      std::vector<FuncPtr> callees;
      size_t next = 0;
    };
    std::vector<Frame> stack;
    std::unordered_set<const FuncContents*> open;
    const auto enter = [&](const FuncPtr& f) {
      if (ids_.count(f.get()) || !open.insert(f.get()).second) return;
      if (f->is_input)
        user_error(ErrorCode::BadPipeline, loc_,
                   "Input `" + f->name() + "` is read but not an argument of pipeline `" + program_.name + "`",
                   "add it to the arguments of the Pipeline");
      owners_[f.get()] = f;
      if (f->wraps) owners_[f->wraps] = FuncPtr(f, f->wraps);
      stack.push_back({f, callees(*f)});
    };
    enter(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.callees.size()) {
        const FuncPtr child = top.callees[top.next++];
        enter(child);
        continue;
      }
      const FuncPtr f = top.func;
      stack.pop_back();
      add(f);
    }
  }

  // Handles become ids; variables are owned again; what an argument must give is listed.
  ir::Expr translate(const ir::Expr& e, const FuncContents& reader) {
    return ir::rewrite(e, [&](const ir::Expr& n) {
      if (n->op == Op::Call) {
        const FuncPtr f = callee(*n, reader);
        const auto id = ids_.find(f.get());
        ir::internal_check(id != ids_.end(), "a Func was not collected");
        return ir::make_call(id->second, n.type(), n->args, n->loc);
      }
      if (n->op != Op::Var) return n;
      const detail::SymNode& s = detail::sym_node(n->var);
      const auto known = owning_.find(n->var.get());
      if (s.kind == detail::SymKind::Param && known == owning_.end())
        user_error(ErrorCode::BadPipeline, loc_,
                   "Param `" + s.name + "` is used by `" + reader.name() + "` but not an argument of pipeline `" +
                       program_.name + "`",
                   "add it to the arguments of the Pipeline");
      if (s.kind == detail::SymKind::Size && !is_argument(*s.func))
        user_error(ErrorCode::BadPipeline, loc_,
                   "the size `" + s.name + "` is used by `" + reader.name() + "`, but `" + s.func->name() +
                       "` is not an argument of pipeline `" + program_.name + "`",
                   "only arguments and outputs have sizes that are known on entry");
      return known == owning_.end() || detail::owns(n->var) ? n : ir::make_var(known->second, n->loc);
    });
  }

  bool is_output(const FuncContents& f) const {
    for (const Func& o : outputs_)
      if (o.contents().get() == &f) return true;
    return false;
  }
  bool is_argument(const FuncContents& f) const { return (f.is_input && ids_.count(&f)) || is_output(f); }

  std::string unique_name(const std::string& wanted) {
    std::string name = wanted;
    for (int& i = next_suffix_[wanted]; !names_.insert(name).second;) name = wanted + "_" + std::to_string(++i);
    return name;
  }

  void define(const FuncContents& f) {
    const FuncPtr& owner = order_[static_cast<size_t>(ids_[&f])];
    ir::FuncDef def;
    def.name = f.name();
    def.kind = f.is_input ? ir::FuncKind::Input : ir::FuncKind::Computed;
    def.type = f.type;
    def.is_wrapper = f.wraps != nullptr;
    def.loc = f.loc;
    def.dims = f.dims;
    if (f.is_input)
      for (int d = 0; d < f.rank; ++d) def.dims.push_back(ir::make_sym("_" + std::to_string(d)));
    for (const detail::StageContents& s : f.stages) {
      ir::Definition stage;
      for (const ir::Expr& a : s.args) stage.args.push_back(translate(a, f));
      stage.value = translate(s.value, f);
      stage.loc = s.loc;
      if (s.rdom) {
        for (size_t i = 0; i < s.rdom->vars.size(); ++i)
          stage.rdom.vars.push_back(
              {detail::rvar_sym(s.rdom, i), translate(s.rdom->min[i], f), translate(s.rdom->extent[i], f)});
        stage.rdom.where = translate(s.rdom->where, f);
      }
      def.stages.push_back(std::move(stage));
    }
    if (is_argument(f)) {
      for (size_t d = 0; d < static_cast<size_t>(f.rank); ++d) {
        def.extent.push_back(ir::Sym(owner, &f.extent[d]));
        def.stride.push_back(ir::Sym(owner, &f.stride[d]));
        def.fixed_extent.push_back(translate(f.fixed_extent[d], f));
        def.fixed_stride.push_back(translate(f.fixed_stride[d], f));
      }
      def.free_stride0 = f.free_stride0;
    }
    program_.funcs.push_back(std::move(def));
  }

  void schedule(const FuncContents& f) {
    const int id = ids_[&f];
    for (const detail::RecordedDirective& r : f.directives) {
      ir::Directive d = r.directive;
      d.func = id;
      for (ir::Expr& e : d.exprs) e = translate(e, f);
      if (r.input_dim >= 0) d.loops = {program_.funcs[static_cast<size_t>(id)].dims[static_cast<size_t>(r.input_dim)]};
      if (!r.target_name.empty()) {
        const auto target = ids_.find(r.target.lock().get());
        if (target == ids_.end())
          user_error(ErrorCode::UnusedFunc, d.loc,
                     std::string(ir::directive_name(d.kind)) + ": `" + r.target_name + "`, where `" + f.name() +
                         "` is to be computed, is not part of pipeline `" + program_.name + "`",
                     "name a Func that the outputs depend on");
        d.target = target->second;
      }
      schedule_.directives.push_back(std::move(d));
    }
    for (const detail::WrapperEntry& w : f.wrappers) check_wrapper(f, w);
  }

  // A wrapper that was asked for and is not in the pipeline would silently lose its schedule.
  void check_wrapper(const FuncContents& f, const detail::WrapperEntry& w) const {
    if (ids_.count(w.func.get())) return;
    for (const std::weak_ptr<FuncContents>& c : w.consumers)
      if (ids_.count(c.lock().get()))
        user_error(ErrorCode::BadWrapper, w.func->loc,
                   "`" + w.func->name() + "`: no reader of `" + f.name() + "` uses it",
                   "remove the in(), or name another reader");
    if (w.consumers.empty() && w.func->directives.empty()) return;
    user_error(
        w.consumers.empty() ? ErrorCode::BadWrapper : ErrorCode::UnusedFunc, w.func->loc,
        "`" + w.func->name() + "`: nothing in pipeline `" + program_.name + "` reads `" + f.name() + "` through it",
        "remove the in(), or name a reader that the outputs depend on");
  }

  void list_arguments() {
    using Kind = ir::Argument::Kind;
    for (const PipelineArgument& a : args_) {
      if (a.input())
        program_.args.push_back({Kind::Input, ids_[a.input().get()]});
      else
        program_.args.push_back({Kind::Param, params_[a.param().get()]});
    }
    for (const Func& f : outputs_) program_.args.push_back({Kind::Output, ids_[f.contents().get()]});
    // The names of arguments are the caller's and stay; others give way.
    for (const ir::Argument& a : program_.args)
      names_.insert(a.kind == Kind::Param ? program_.params[static_cast<size_t>(a.id)].name
                                          : program_.funcs[static_cast<size_t>(a.id)].name);
    for (size_t i = 0; i < program_.funcs.size(); ++i)
      if (!is_argument(*order_[i])) program_.funcs[i].name = unique_name(program_.funcs[i].name);
  }
};

}  // namespace

std::pair<ir::Program, ir::Schedule> build_program(const std::string& name, const std::vector<PipelineArgument>& args,
                                                   const std::vector<Func>& outputs, Loc loc) {
  return Builder(name, args, outputs, loc).build();
}

std::vector<FuncPtr> reached_funcs(const std::string& name, const std::vector<PipelineArgument>& args, const std::vector<Func>& outputs, Loc loc) {
  return Builder(name, args, outputs, loc).reached();
}

}  // namespace sinter
