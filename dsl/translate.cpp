// translate(): Funcs and Inputs with their domain shifted.
#include "dsl/contents.h"
#include "dsl/func.h"
#include "dsl/match.h"
#include "ir/analysis/visit.h"

namespace sinter {

static Func translated(const detail::FuncPtr& source, const std::vector<Var>& vars, const std::vector<Expr>& offsets, Loc loc) {
  if (offsets.size() > vars.size())
    ir::user_error(ErrorCode::WrongArity, loc,
                   "translate: `" + source->name() + "` has " + std::to_string(vars.size()) + " dimensions and is given " +
                       std::to_string(offsets.size()) + " offsets",
                   "give an offset for each dimension, or for the leading ones");
  std::vector<Operand> index;
  for (size_t d = 0; d < vars.size(); ++d) {
    if (d >= offsets.size()) {
      index.emplace_back(vars[d], loc);
      continue;
    }
    ir::walk(detail::checked(Operand(offsets[d], loc), "translate"), [&](const ir::Expr& e) {
      const bool variable = e->op == ir::Op::Var && (detail::sym_node(e->var).kind == detail::SymKind::Var ||
                                                     detail::sym_node(e->var).kind == detail::SymKind::RVar);
      if (variable || e->op == ir::Op::Call)
        ir::user_error(ErrorCode::BadArgument, loc, "translate of `" + source->name() + "`: an offset depends on `" + e->var->name + "`",
                       "a domain is shifted as a whole: offsets are made of constants, Params and extents");
    });
    index.emplace_back(Operand(vars[d], loc) - Operand(offsets[d], loc), loc);
  }
  Func out(source->name() + "_translated", loc);
  out(vars, loc) = Operand(Expr(FuncRef(source, index, loc)), loc);
  return out;
}

Func Func::translate(const std::vector<Expr>& offsets, Loc loc) const {
  if (!defined())
    ir::user_error(ErrorCode::UndefinedFunc, loc, "translate: `" + name() + "` has no definition yet", "define it first: " + name() + "(x, y) = ...");
  return translated(contents_, args(), offsets, loc);
}

Func Input::translate(const std::vector<Expr>& offsets, Loc loc) const {
  static const Var placeholders[] = {_0, _1, _2, _3, _4, _5, _6, _7};
  return translated(buffer_, {placeholders, placeholders + dimensions()}, offsets, loc);
}

}  // namespace sinter
