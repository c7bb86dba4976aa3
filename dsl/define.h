// Definitions of Funcs, and reads of them: every check that needs the algorithm alone.
#pragma once

#include <functional>
#include <vector>

#include "dsl/contents.h"
#include "dsl/expr.h"

namespace sinter::detail {

// f(args...) = value. Returns the stage it became: 0 for the pure definition. Throws E0002 to E0008.
int define(const FuncPtr& f, const std::vector<Operand>& args, const Operand& value, Loc loc);

// f(args...) op= value, for op of + - * /. Defines f as the operator's identity first where it is undefined.
int define_compound(const FuncPtr& f, const std::vector<Operand>& args, ir::Op op, const Operand& value, Loc loc);

// The value of f at args. Throws E0001, E0003, E0004.
ir::Expr read(const FuncPtr& f, const std::vector<Operand>& args, Loc loc);

// True where `from`'s definitions read `target`, directly or through other Funcs.
bool reaches(const FuncContents& from, const FuncContents& target);

// Each Func that the stage mentions, at each Call, in order of first appearance in args, value, where.
void each_call(const StageContents& stage, const std::function<void(const ir::Expr&)>& f);

}  // namespace sinter::detail
