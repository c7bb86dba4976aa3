#include "dsl/define.h"

#include <unordered_set>

#include "dsl/match.h"
#include "dsl/reduce.h"
#include "dsl/var.h"
#include "ir/analysis/visit.h"

namespace sinter::detail {

using ir::Op;
using ir::to_string;
using ir::user_error;

namespace {

std::string quoted(const std::string& name) { return "`" + name + "`"; }

bool is_plain_var(const ir::Expr& e) { return e->op == Op::Var && sym_node(e->var).kind == SymKind::Var; }

std::string var_list(const std::vector<ir::Sym>& vars) {
  std::string out;
  for (const ir::Sym& v : vars) out += (out.empty() ? "" : ", ") + v->name;
  return out;
}

void check_arity(const FuncContents& f, size_t given, Loc loc) {
  if (static_cast<int>(given) == f.rank) return;
  user_error(ErrorCode::WrongArity, loc,
             quoted(f.name()) + " has " + std::to_string(f.rank) + (f.rank == 1 ? " dimension" : " dimensions") +
                 " and is given " + std::to_string(given) + (given == 1 ? " index" : " indices"),
             f.dims.empty() ? "give an index for each dimension, the innermost first"
                            : "write " + f.name() + "(" + var_list(f.dims) + ") with an index for each dimension");
}

// Indices are i32; narrower integers widen, anything else has to be said.
ir::Expr index_expr(const FuncContents& f, const Operand& o, size_t d) {
  const Type t = checked(o, f.name().c_str()).type();
  const bool fits = t.is_integer() && (t == Int(32) || t.bits < 32 || o.expr.is_literal());
  if (!fits)
    user_error(ErrorCode::TypeMismatch, o.loc,
               "index " + std::to_string(d) + " of " + quoted(f.name()) + " has type " + to_string(t),
               "an index is i32: write i32(e)");
  return convert(o, Int(32));
}

std::vector<ir::Expr> index_exprs(const FuncContents& f, const std::vector<Operand>& args) {
  std::vector<ir::Expr> out;
  for (size_t d = 0; d < args.size(); ++d) out.push_back(index_expr(f, args[d], d));
  return out;
}

// Names the inline reductions of `e` after the Func that reads them.
void adopt_reductions(FuncContents& f, const ir::Expr& e) {
  ir::walk(e, [&](const ir::Expr& n) {
    if (n->op != Op::Call || !sym_node(n->var).func->reduction) return;
    const FuncPtr child = called(*n);
    for (const FuncPtr& known : f.reductions)
      if (known == child) return;
    static const char* const names[] = {"sum", "product", "maximum", "minimum"};
    if (!child->reduction->adopted) {
      child->reduction->adopted = true;
      child->sym.name =
          f.name() + "." + names[static_cast<int>(child->reduction->op)] + std::to_string(f.reductions.size());
      for (const StageContents& s : child->stages) adopt_reductions(*child, s.value);
    }
    f.reductions.push_back(child);
  });
}

// The RDom of the definition; E0008 where its RVars come from several, or from none.
RDomPtr single_rdom(const FuncContents& f, const std::vector<ir::Expr>& exprs, Loc loc) {
  RDomPtr found;
  for (const ir::Expr& e : exprs)
    ir::walk(e, [&](const ir::Expr& n) {
      if (n->op != Op::Var || sym_node(n->var).kind != SymKind::RVar) return;
      RDomContents* const r = sym_node(n->var).rdom;
      if (!r)
        user_error(ErrorCode::BadRDom, loc,
                   "RVar " + quoted(n->var->name) + " in the definition of " + quoted(f.name()) + " belongs to no RDom",
                   "use a variable of an RDom; a lone RVar only names loops of a schedule");
      if (found && found.get() != r)
        user_error(
            ErrorCode::BadRDom, loc,
            "the definition of " + quoted(f.name()) + " uses two RDoms, one of them with " + quoted(n->var->name),
            "make one RDom of all dimensions: RDom r(min0, extent0, min1, extent1)");
      found = RDomPtr(std::const_pointer_cast<ir::VarNode>(n->var), r);
    });
  return found;
}

// E0005 (or `code`) for a Var in `e` that is not among `known`.
void check_vars(const FuncContents& f, const ir::Expr& e, const std::vector<ir::Sym>& known, ErrorCode code, Loc loc) {
  ir::walk(e, [&](const ir::Expr& n) {
    if (!is_plain_var(n)) return;
    for (const ir::Sym& k : known)
      if (k == n->var) return;
    if (code == ErrorCode::FreeVariable)
      user_error(code, loc,
                 "Var " + quoted(n->var->name) + " on the right of the definition of " + quoted(f.name()) +
                     " is not an argument on the left",
                 known.empty() ? "the left side has no Var" : "the Vars of the left side are " + var_list(known));
    user_error(code, loc,
               "update of " + quoted(f.name()) + ": Var " + quoted(n->var->name) +
                   " on the left is not a dimension in its own place",
               "in an update a Var stands alone, where the pure definition has it: " + f.name() + "(" +
                   var_list(f.dims) + "); use an RDom for other indices");
  });
}

int define_pure(const FuncPtr& f, const std::vector<ir::Expr>& args, const Operand& value, Loc loc) {
  std::vector<ir::Sym> dims;
  for (size_t d = 0; d < args.size(); ++d) {
    if (!is_plain_var(args[d]))
      user_error(ErrorCode::BadPureArgument, loc,
                 "argument " + std::to_string(d) + " of the first definition of " + quoted(f->name()) + " is not a Var",
                 "define " + f->name() + " over plain Vars first, then update it at other places");
    for (const ir::Sym& known : dims)
      if (known == args[d]->var)
        user_error(ErrorCode::BadPureArgument, loc,
                   "Var " + quoted(known->name) + " is two arguments of " + quoted(f->name()),
                   "give each dimension a Var of its own");
    dims.push_back(args[d]->var);
  }
  const ir::Expr v = checked(value, f->name().c_str());
  check_vars(*f, v, dims, ErrorCode::FreeVariable, loc);
  ir::walk(v, [&](const ir::Expr& n) {
    if (n->op == Op::Var && sym_node(n->var).kind == SymKind::RVar)
      user_error(ErrorCode::BadRDom, loc,
                 "RVar " + quoted(n->var->name) + " in the first definition of " + quoted(f->name()),
                 "write sum(r, e), or define the start value first and then update: f(x) = 0; f(x) += ...");
  });

  f->type = v.type();
  f->dims = dims;
  f->loc = loc;
  f->set_rank(static_cast<int>(dims.size()));
  StageContents pure{args, v, nullptr, {}, loc};
  for (const ir::Sym& d : dims) pure.loops.add(d, false);
  const WholeReduction whole = whole_reduction(v);
  if (!whole.func) {
    adopt_reductions(*f, v);
    f->stages.push_back(std::move(pure));
    return 0;
  }
  const RDomPtr& rdom = whole.func->reduction->rdom;
  pure.value = reduction_identity(*whole.func, f->type);
  StageContents update{args,
                       reduction_step(*whole.func, weaken(make_handle_call(f, args, loc), f.get()), whole.value, loc),
                       rdom,
                       {},
                       loc};
  for (size_t i = 0; i < rdom->vars.size(); ++i) update.loops.add(rvar_sym(rdom, i), true);
  for (const ir::Sym& d : dims) update.loops.add(d, false);
  adopt_reductions(*f, whole.value);
  f->stages.push_back(std::move(pure));
  f->stages.push_back(std::move(update));
  return 0;
}

void check_self_reads(const FuncContents& f, const StageContents& s, const std::vector<bool>& pure) {
  each_call(s, [&](const ir::Expr& call) {
    if (sym_node(call->var).func != &f) return;
    std::string place;
    for (const ir::Expr& a : call->args) place += (place.empty() ? "" : ", ") + to_string(a);
    for (size_t d = 0; d < pure.size(); ++d)
      if (pure[d] && !(call->args[d]->op == Op::Var && call->args[d]->var == f.dims[d]))
        user_error(ErrorCode::BadUpdate, s.loc,
                   "the update of " + quoted(f.name()) + " reads " + quoted(f.name()) + " at another " +
                       quoted(f.dims[d]->name) + " than it writes",
                   "points of a Var may be computed in any order; make " + quoted(f.dims[d]->name) +
                       " an RVar to have an order",
                   {f.name() + "(" + place + ")   read here"});
  });
}

int define_update(const FuncPtr& f, std::vector<ir::Expr> args, const Operand& value, Loc loc) {
  checked(value, f->name().c_str());
  const Type given = value.expr.type();
  if (given != f->type && !value.expr.is_literal())
    user_error(ErrorCode::TypeMismatch, loc,
               "the update of " + quoted(f->name()) + " has type " + to_string(given) + ", and " + quoted(f->name()) +
                   " is " + to_string(f->type),
               "say what is meant: " + to_string(f->type) + "(...) on the right" +
                   (f->type.is_narrow_float() ? ", or accumulate in f32 and round once at the end" : ""));
  ir::Expr v = convert(value, f->type);

  std::vector<ir::Expr> all = args;
  all.push_back(v);
  StageContents s{std::move(args), v, single_rdom(*f, all, loc), {}, loc};
  std::vector<bool> pure(f->dims.size());
  std::vector<ir::Sym> pure_vars;
  bool reads_itself = false, all_vars = true;
  for (size_t d = 0; d < pure.size(); ++d) {
    pure[d] = s.args[d]->op == Op::Var && s.args[d]->var == f->dims[d];
    if (pure[d]) pure_vars.push_back(f->dims[d]);
    all_vars = all_vars && is_plain_var(s.args[d]);
  }
  each_call(s, [&](const ir::Expr& call) { reads_itself |= sym_node(call->var).func == f.get(); });
  if (all_vars && !reads_itself && !s.rdom)
    user_error(ErrorCode::RedefinedFunc, loc,
               quoted(f->name()) + " is defined a second time (first at " + to_string(f->loc) + ")",
               "an update writes some points, reads " + quoted(f->name()) +
                   " itself or runs over an RDom; for another value make another Func");
  for (const ir::Expr& a : s.args) check_vars(*f, a, pure_vars, ErrorCode::BadUpdate, loc);
  check_vars(*f, v, pure_vars, ErrorCode::FreeVariable, loc);
  if (s.rdom && s.rdom->where.defined()) check_vars(*f, s.rdom->where, pure_vars, ErrorCode::FreeVariable, loc);
  check_self_reads(*f, s, pure);
  for (const RecordedDirective& d : f->directives)
    if (d.directive.kind == ir::DirectiveKind::ComputeInline)
      user_error(ErrorCode::InlineUpdates, loc,
                 "an update of " + quoted(f->name()) + ", which is compute_inline (" + to_string(d.directive.loc) + ")",
                 "a Func with updates needs storage: " + f->name() +
                     ".compute_at_block(consumer), compute_at(consumer, loop) or compute_root()");
  each_call(s, [&](const ir::Expr& call) {
    const FuncContents* callee = sym_node(call->var).func;
    if (callee != f.get() && reaches(*callee, *f))
      user_error(ErrorCode::BadUpdate, loc,
                 "the update of " + quoted(f->name()) + " reads " + quoted(callee->name()) +
                     ", which itself depends on " + quoted(f->name()),
                 "make the result of the update a new Func");
  });

  if (s.rdom) {
    s.rdom->used = true;
    for (size_t i = 0; i < s.rdom->vars.size(); ++i) s.loops.add(rvar_sym(s.rdom, i), true);
  }
  for (const ir::Sym& d : pure_vars) s.loops.add(d, false);
  adopt_reductions(*f, v);
  for (ir::Expr& a : s.args) a = weaken(a, f.get());
  s.value = weaken(v, f.get());
  f->stages.push_back(std::move(s));
  return static_cast<int>(f->stages.size()) - 1;
}

}  // namespace

void each_call(const StageContents& s, const std::function<void(const ir::Expr&)>& f) {
  const auto visit = [&](const ir::Expr& e) {
    ir::walk(e, [&](const ir::Expr& n) {
      if (n->op == Op::Call) f(n);
    });
  };
  for (const ir::Expr& a : s.args) visit(a);
  visit(s.value);
  if (s.rdom) visit(s.rdom->where);
}

bool reaches(const FuncContents& from, const FuncContents& target) {
  std::vector<const FuncContents*> open = {&from};
  std::unordered_set<const FuncContents*> seen = {&from};
  while (!open.empty()) {
    const FuncContents* f = open.back();
    open.pop_back();
    if (f == &target) return true;
    for (const StageContents& s : f->stages)
      each_call(s, [&](const ir::Expr& call) {
        const FuncContents* callee = sym_node(call->var).func;
        if (seen.insert(callee).second) open.push_back(callee);
      });
  }
  return false;
}

int define(const FuncPtr& f, const std::vector<Operand>& args, const Operand& value, Loc loc) {
  if (f->defined()) check_arity(*f, args.size(), loc);
  std::vector<ir::Expr> index = index_exprs(*f, args);
  return f->defined() ? define_update(f, std::move(index), value, loc) : define_pure(f, index, value, loc);
}

int define_compound(const FuncPtr& f, const std::vector<Operand>& args, Op op, const Operand& value, Loc loc) {
  const auto combine = [&](const Operand& a, const Operand& b) {
    return op == Op::Add ? a + b : op == Op::Sub ? a - b : op == Op::Mul ? a * b : a / b;
  };
  if (!f->defined()) {
    // As in Halide: the accumulator starts as the operator's identity, over the Vars of the left side.
    std::vector<ir::Expr> dims;
    for (const ir::Expr& e : index_exprs(*f, args)) {
      bool usable = is_plain_var(e);
      for (const ir::Expr& known : dims) usable = usable && known->var != e->var;
      dims.push_back(usable ? e : Expr(Var("d" + std::to_string(dims.size()), loc)).node());
    }
    const Type t = combine(value, value).type();
    const bool factor = op == Op::Mul || op == Op::Div;
    define_pure(f, dims, Operand(Expr(ir::make_const(t, factor ? 1 : 0)), loc), loc);
  }
  return define(f, args, Operand(combine(Operand(Expr(read(f, args, loc)), loc), Operand(value.expr, loc)), loc), loc);
}

ir::Expr read(const FuncPtr& f, const std::vector<Operand>& args, Loc loc) {
  if (!f->defined())
    user_error(ErrorCode::UndefinedFunc, loc, quoted(f->name()) + " is read before it is defined",
               "define it first: " + f->name() + "(x, y) = ...");
  check_arity(*f, args.size(), loc);
  return make_handle_call(f, index_exprs(*f, args), loc);
}

}  // namespace sinter::detail
