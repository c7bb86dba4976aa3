#include "scheduler/lower/kernel/decode_blocks.h"

#include "ir/transform/simplify.h"
#include "scheduler/lower/copies.h"

namespace sinter::scheduler {

using namespace ir;

void decode_blocks(KernelDraft& draft) {
  draft.block = make_sym("block");
  draft.thread = make_sym("thread");
  draft.lane = make_sym("lane");
  draft.warp = make_sym("warp");

  const int64_t* known = as_int(draft.grid);
  const bool loops = !draft.fast && !(known && *known <= kMaxGrid);
  const Sym pass = make_sym("pass");
  if (loops) draft.pass = pass;
  const Type t = loops ? Int(64) : Int(32);
  Expr index = make_cast(t, make_var(draft.block));
  const Expr launched = min(draft.grid, make_int(Int(64), kMaxGrid));
  if (loops) index = index + make_cast(t, make_var(pass)) * launched;

  std::vector<std::pair<Sym, Expr>> lets;
  Substitution renamed;
  for (size_t i = draft.block_loops.size(); i-- > 0;) {
    const BlockLoop& loop = draft.block_loops[i];
    const Expr extent = make_cast(t, loop.extent);
    const Expr digit = i == 0 ? index : index % extent;
    const Sym var = make_sym(loop.var->name);
    lets.emplace_back(var, loop.min + make_cast(Int(32), digit));
    renamed[loop.var.get()] = make_var(var);
    if (i == 0) break;
    const Sym rest = make_sym("blocks", t);
    lets.emplace_back(rest, index / extent);
    index = make_var(rest);
  }
  draft.body = instantiate(draft.body, renamed);
  for (size_t i = lets.size(); i-- > 0;) draft.body = make_let(lets[i].first, lets[i].second, draft.body);
  if (loops) {
    const Expr left = draft.grid - make_cast(t, make_var(draft.block));
    const Expr passes = make_cast(Int(32), (left + launched - 1) / launched);
    draft.body = make_for(pass, i32(0), passes, LoopKind::Serial, draft.body, draft.loc);
  }
}

}  // namespace sinter::scheduler
