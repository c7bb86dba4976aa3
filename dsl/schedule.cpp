#include "dsl/schedule.h"

#include "dsl/contents.h"
#include "dsl/func.h"
#include "dsl/match.h"
#include "ir/analysis/visit.h"

namespace sinter::detail {

using ir::Directive;
using ir::DirectiveKind;
using ir::user_error;

static std::string call_text(const StageHandle& h, DirectiveKind kind) {
  return h.func->name() + (h.stage > 0 ? ".update(" + std::to_string(h.stage - 1) + ")" : "") + "." +
         ir::directive_name(kind);
}

static Directive start(const StageHandle& h, DirectiveKind kind, Loc loc) {
  if (!h.func->defined())
    user_error(ErrorCode::UndefinedFunc, loc, "`" + h.func->name() + "` is scheduled before it is defined",
               "define it first: " + h.func->name() + "(x, y) = ...");
  Directive d;
  d.kind = kind;
  d.stage = h.stage;
  d.loc = loc;
  return d;
}

void StageHandle::loops(DirectiveKind kind, const std::vector<VarOrRVar>& loops, Loc loc, std::vector<int64_t> ints,
                        TailStrategy tail) const {
  Directive d = start(*this, kind, loc);
  for (const VarOrRVar& v : loops) {
    if (!v.given) continue;
    if (!v.sym)
      user_error(ErrorCode::BadRDom, v.loc,
                 call_text(*this, kind) + ": a variable of an RDom that has fewer dimensions",
                 "r.x is the first dimension");
    d.loops.push_back(v.sym);
  }
  d.ints = std::move(ints);
  d.tail = tail;
  StageContents& s = func->stages[static_cast<size_t>(stage)];
  s.loops.apply(d, func->name() + (stage > 0 ? ".update(" + std::to_string(stage - 1) + ")" : ""));
  func->directives.push_back({std::move(d), {}, {}});
}

void StageHandle::whole(DirectiveKind kind, Loc loc, MemoryType memory) const {
  Directive d = start(*this, kind, loc);
  if (kind == DirectiveKind::ComputeInline && func->stages.size() > 1)
    user_error(ErrorCode::InlineUpdates, loc,
               "`" + func->name() + "` has update definitions and can't be computed inline",
               func->name() + ".compute_at_block(consumer), " + func->name() + ".compute_at(consumer, loop) or " +
                   func->name() + ".compute_root()");
  d.stage = -1;
  d.memory = memory;
  func->directives.push_back({std::move(d), {}, {}});
}

void StageHandle::place(DirectiveKind kind, const Func& consumer, const VarOrRVar& loop, Loc loc) const {
  Directive d = start(*this, kind, loc);
  if (!consumer.defined())
    user_error(ErrorCode::UndefinedFunc, loc,
               call_text(*this, kind) + ": `" + consumer.name() + "` has no definition yet",
               "define the consumer first");
  if (consumer.contents() == func)
    user_error(ErrorCode::NoSuchPlace, loc,
               call_text(*this, kind) + ": `" + func->name() + "` can't be placed inside itself",
               "name a Func that reads it");
  if (loop.given && !loop.sym)
    user_error(ErrorCode::BadRDom, loop.loc,
               call_text(*this, kind) + ": a variable of an RDom that has fewer dimensions",
               "r.x is the first dimension");
  d.stage = -1;
  if (loop.given) d.loops.push_back(loop.sym);
  func->directives.push_back({std::move(d), consumer.contents(), consumer.name()});
}

// E0100 unless `v` is a dimension.
static void require_dimension(const StageHandle& h, DirectiveKind kind, const Var& v, Loc loc) {
  bool known = false;
  std::string names;
  for (const ir::Sym& dim : h.func->dims) {
    known |= dim == v.sym();
    names += (names.empty() ? "`" : ", `") + dim->name + "`";
  }
  if (!known)
    user_error(ErrorCode::NoSuchLoop, loc,
               call_text(h, kind) + ": `" + h.func->name() + "` has no dimension `" + v.name() + "`",
               names.empty() ? "it has no dimensions" : "its dimensions are " + names);
}

void StageHandle::dimensions(DirectiveKind kind, const std::vector<Var>& dims, std::vector<int64_t> ints,
                             Loc loc) const {
  Directive d = start(*this, kind, loc);
  for (const Var& v : dims) {
    require_dimension(*this, kind, v, loc);
    d.loops.push_back(v.sym());
  }
  d.stage = -1;
  d.ints = std::move(ints);
  func->directives.push_back({std::move(d), {}, {}});
}

void StageHandle::bound(DirectiveKind kind, const Var& v, const std::vector<Operand>& values, Loc loc) const {
  Directive d = start(*this, kind, loc);
  require_dimension(*this, kind, v, loc);
  for (const Operand& o : values) {
    const Type t = checked(o, "bound").type();
    if (!t.is_integer() || (!o.expr.is_literal() && t != Int(32) && t.bits >= 32))
      user_error(ErrorCode::TypeMismatch, loc, call_text(*this, d.kind) + ": a bound of type " + ir::to_string(t),
                 "bounds are i32: i32(e)");
    ir::walk(o.expr.node(), [&](const ir::Expr& e) {
      const bool variable =
          e->op == ir::Op::Var && (sym_node(e->var).kind == SymKind::Var || sym_node(e->var).kind == SymKind::RVar);
      if (variable || e->op == ir::Op::Call)
        user_error(ErrorCode::BadBound, loc, call_text(*this, d.kind) + ": a bound depends on `" + e->var->name + "`",
                   "bounds are made of constants, Params and extents");
    });
    d.exprs.push_back(weaken(convert(o, Int(32)), func.get()));
  }
  if (const int64_t* n = ir::as_int(d.exprs.back()); n && *n < 1)
    user_error(ErrorCode::BadBound, loc,
               call_text(*this, d.kind) + ": the extent of `" + v.name() + "` is " + std::to_string(*n),
               "an extent is at least 1");
  d.stage = -1;
  d.loops.push_back(v.sym());
  func->directives.push_back({std::move(d), {}, {}});
}

void StageHandle::replay(const Directive& d, const FuncPtr& target) const {
  const ir::DirectiveInfo& info = ir::directive_info(d.kind);
  std::vector<VarOrRVar> names;
  std::vector<Var> dims;
  for (const ir::Sym& v : d.loops) {
    names.emplace_back(Var(v), d.loc);
    dims.emplace_back(v);
  }
  if (ir::concerns_loops(d.kind)) return loops(d.kind, names, d.loc, d.ints, d.tail);
  if (info.target) {
    place(d.kind, Func(target), names.empty() ? VarOrRVar() : names[0], d.loc);
    func->directives.back().directive.target_stage = d.target_stage;
    return;
  }
  if (info.exprs > 0) {
    std::vector<Operand> values;
    for (const ir::Expr& e : d.exprs) values.emplace_back(Expr(e), d.loc);
    return bound(d.kind, dims[0], values, d.loc);
  }
  if (!dims.empty()) return dimensions(d.kind, dims, d.ints, d.loc);
  whole(d.kind, d.loc, d.memory);
}

}  // namespace sinter::detail
