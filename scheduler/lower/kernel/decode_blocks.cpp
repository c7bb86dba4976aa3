#include "scheduler/lower/kernel/decode_blocks.h"

#include "scheduler/lower/copies.h"

namespace sinter::scheduler {

using namespace ir;

void decode_blocks(KernelDraft& draft) {
  draft.block = make_sym("block");
  draft.thread = make_sym("thread");
  draft.lane = make_sym("lane");
  draft.warp = make_sym("warp");

  const bool starts = !draft.fast && !draft.start.empty();
  std::vector<std::pair<Sym, Expr>> lets;
  const auto let = [&](const std::string& name, const Expr& value) {
    lets.emplace_back(make_sym(name, value.type()), value);
    return make_var(lets.back().first);
  };
  Substitution renamed;
  Expr index = make_var(draft.block), carry;
  for (size_t i = draft.block_loops.size(); i-- > 0;) {
    const BlockLoop& loop = draft.block_loops[i];
    const bool last = i == 0;
    Expr digit = last ? index : index % loop.extent;
    if (starts) {
      // digit + start, less the extent where it is reached; written so that nothing leaves i32.
      const Expr start = make_var(draft.start[i]);
      digit = let("digit", digit);
      if (carry.defined()) digit = digit + make_select(carry, i32(1), i32(0));
      if (last) {
        digit = digit + start;
      } else {
        const Expr room = loop.extent - start;
        carry = let("carry", digit >= room);
        digit = make_select(carry, digit - room, digit + start);
      }
    }
    const Expr coordinate = let(loop.var->name, loop.min + digit);
    renamed[loop.var.get()] = coordinate;
    draft.coordinates.insert(draft.coordinates.begin(), coordinate->var);
    if (!last) index = let("blocks", index / loop.extent);
  }
  draft.body = instantiate(draft.body, renamed);
  for (size_t i = lets.size(); i-- > 0;) draft.body = make_let(lets[i].first, lets[i].second, draft.body);
  draft.stage = DraftStage::Decoded;
}

}  // namespace sinter::scheduler
