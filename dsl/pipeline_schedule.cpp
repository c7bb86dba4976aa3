// The schedule of a pipeline as data: printed, stored, taken off and put on.
#include <unordered_map>

#include "dsl/contents.h"
#include "dsl/pipeline.h"
#include "ir/text/schedule_cpp.h"
#include "ir/text/schedule_json.h"

namespace sinter {

using detail::FuncPtr;
using ir::user_error;

namespace {

// The schedule of some Funcs as it was, until it is known that a new one is legal.
class KeptSchedule {
 public:
  explicit KeptSchedule(const std::vector<FuncPtr>& funcs) {
    for (const FuncPtr& f : funcs) {
      Kept k{f, f->directives, {}, f->wrappers};
      for (const detail::StageContents& s : f->stages) k.loops.push_back(s.loops);
      kept_.push_back(std::move(k));
    }
  }
  void restore() {
    for (Kept& k : kept_) {
      for (detail::WrapperEntry& w : k.func->wrappers) k.func->retired.push_back(w.func);
      k.func->directives = std::move(k.directives);
      k.func->wrappers = std::move(k.wrappers);
      for (size_t s = 0; s < k.loops.size(); ++s) k.func->stages[s].loops = std::move(k.loops[s]);
    }
  }

 private:
  struct Kept {
    FuncPtr func;
    std::vector<detail::RecordedDirective> directives;
    std::vector<ir::LoopNames> loops;
    std::vector<detail::WrapperEntry> wrappers;
  };
  std::vector<Kept> kept_;
};

void clear(const FuncPtr& f) {
  f->directives.clear();
  for (detail::WrapperEntry& w : f->wrappers) f->retired.push_back(w.func);
  f->wrappers.clear();
  for (detail::StageContents& s : f->stages) {
    s.loops = {};
    if (s.rdom)
      for (size_t i = 0; i < s.rdom->vars.size(); ++i) s.loops.add(detail::rvar_sym(s.rdom, i), true);
    for (size_t d = 0; d < s.args.size(); ++d)
      if (s.args[d]->op == ir::Op::Var && s.args[d]->var == f->dims[d]) s.loops.add(f->dims[d], false);
  }
}

}  // namespace

Func Pipeline::func(const std::string& name, Loc loc) const {
  const ir::Program program = build().first;
  const std::vector<FuncPtr> funcs = reached_funcs(name_, args_, outputs_, loc_);
  std::string known;
  for (size_t i = 0; i < funcs.size(); ++i) {
    if (funcs[i]->is_input) continue;
    if (program.funcs[i].name == name) return Func(funcs[i]);
    known += (known.empty() ? "`" : ", `") + program.funcs[i].name + "`";
  }
  user_error(ErrorCode::BadArgument, loc, "pipeline `" + name_ + "` has no Func `" + name + "`", "it has " + known);
}

Input Pipeline::input(const std::string& name, Loc loc) const {
  std::string known;
  for (const PipelineArgument& a : args_) {
    if (!a.input()) continue;
    if (a.input()->name() == name) return Input(a.input());
    known += (known.empty() ? "it has `" : ", `") + a.input()->name() + "`";
  }
  user_error(ErrorCode::BadArgument, loc, "pipeline `" + name_ + "` has no Input `" + name + "`", known);
}

Expr Pipeline::param(const std::string& name, Loc loc) const {
  std::string known;
  for (const PipelineArgument& a : args_) {
    if (!a.param()) continue;
    if (a.param()->sym.name == name) return Expr(ir::make_var(ir::Sym(a.param(), &a.param()->sym)));
    known += (known.empty() ? "it has `" : ", `") + a.param()->sym.name + "`";
  }
  user_error(ErrorCode::BadArgument, loc, "pipeline `" + name_ + "` has no Param `" + name + "`", known);
}

std::string Pipeline::schedule_to_cpp(const std::string& function, Loc loc) const {
  const auto [program, schedule] = build();
  return ir::schedule_to_cpp(program, schedule, function.empty() ? "schedule_" + name_ : detail::checked_name(function, "function", loc));
}

std::string Pipeline::schedule_to_json() const {
  const auto [program, schedule] = build();
  return ir::schedule_to_json(program, schedule);
}

void Pipeline::clear_schedule() {
  for (const FuncPtr& f : reached_funcs(name_, args_, outputs_, loc_)) clear(f);
}

void Pipeline::schedule_from_json(const std::string& json, Loc loc) {
  const ir::StoredSchedule stored(json, loc);
  KeptSchedule kept(reached_funcs(name_, args_, outputs_, loc_));
  try {
    clear_schedule();
    // Copies first: they are Funcs that directives name.
    std::unordered_map<std::string, FuncPtr> by_name;
    const ir::Program plain = build().first;
    const std::vector<FuncPtr> funcs = reached_funcs(name_, args_, outputs_, loc_);
    for (size_t i = 0; i < funcs.size(); ++i) by_name[plain.funcs[i].name] = funcs[i];
    const auto find = [&](const std::string& name) {
      const auto it = by_name.find(name);
      if (it == by_name.end())
        user_error(ErrorCode::BadScheduleData, loc, "stored schedule: pipeline `" + name_ + "` has no Func `" + name + "`, of which a copy is asked for");
      return it->second;
    };
    for (const ir::NamedCopy& c : stored.copies()) {
      std::vector<FuncPtr> readers;
      for (const std::string& r : c.readers) readers.push_back(find(r));
      const FuncPtr copy = detail::make_wrapper(find(c.of), readers, loc).contents();
      copy->sym.name = c.name;
      by_name[c.name] = copy;
    }
    const ir::Program program = build().first;
    const std::vector<FuncPtr> with_copies = reached_funcs(name_, args_, outputs_, loc_);
    std::unordered_map<const detail::FuncContents*, ir::FuncId> ids;
    for (size_t i = 0; i < with_copies.size(); ++i) ids[with_copies[i].get()] = static_cast<ir::FuncId>(i);
    std::unordered_map<std::string, ir::FuncId> names;
    for (const auto& [name, f] : by_name)
      if (const auto id = ids.find(f.get()); id != ids.end()) names[name] = id->second;
    for (const ir::Directive& d : stored.directives(program, names).directives) {
      const FuncPtr& f = with_copies[static_cast<size_t>(d.func)];
      if (f->is_input) {
        if (d.kind != ir::DirectiveKind::SetEstimate)
          user_error(ErrorCode::BadScheduleData, loc, std::string("stored schedule: ") + ir::directive_name(d.kind) + " of the Input `" + f->name() + "`",
                     "an Input is not computed; a copy of it is");
        size_t dim = 0;
        while (program.funcs[static_cast<size_t>(d.func)].dims[dim] != d.loops[0]) ++dim;
        Input(f).dim(static_cast<int>(dim)).set_estimate(d.ints[0], d.ints[1], loc);
        continue;
      }
      detail::StageHandle{f, std::max(d.stage, 0)}.replay(d, d.target < 0 ? nullptr : with_copies[static_cast<size_t>(d.target)]);
    }
    build();
  } catch (...) {
    kept.restore();
    throw;
  }
}

}  // namespace sinter
