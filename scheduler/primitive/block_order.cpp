#include <algorithm>

#include "ir/diagnostic.h"
#include "scheduler/primitive/primitive.h"

namespace sinter::scheduler {

using namespace ir;

// block_order(v, ...), fastest first. Loops may be bound, and renamed, afterwards.
void apply_block_order(const Program& program, StageLoops& loops, const Directive& d) {
  std::vector<OrderedBlock> order;
  for (size_t i = 0; i < d.loops.size(); ++i) {
    const int at = require_loop(program, loops, d.loops[i], d), node = loops.order[at];
    const int64_t group = d.ints.empty() ? 1 : d.ints[i];
    if (group < 1 || group > kMaxFactor)
      user_error(ErrorCode::BadFactor, d.loc, "block_order: groups of " + std::to_string(group) + " iterations of `" + d.loops[i]->name + "`",
                 "a group is of 1 to " + std::to_string(kMaxFactor));
    if (std::any_of(order.begin(), order.end(), [&](const OrderedBlock& o) { return o.node == node; }))
      user_error(ErrorCode::BadReorder, d.loc, "block_order names the loop `" + d.loops[i]->name + "` twice", "name each loop once",
                 nest_excerpt(program, loops, at));
    order.push_back({node, group});
  }
  loops.block_order = std::move(order);
  loops.block_order_loc = d.loc;
}

void check_block_order(const Program& program, const StageLoops& loops) {
  size_t blocks = 0;
  for (size_t i = 0; i < loops.order.size(); ++i) blocks += loops.loop(static_cast<int>(i)).kind == LoopKind::Block;
  for (size_t i = 0; i < loops.block_order.size(); ++i) {
    const auto [node, group] = loops.block_order[i];
    const std::string name = "`" + loops.nodes[node].name->name + "`";
    const auto at = std::find(loops.order.begin(), loops.order.end(), node);
    if (at == loops.order.end())
      user_error(ErrorCode::NoSuchLoop, loops.block_order_loc, "block_order: the loop " + name + " of `" + program.funcs[loops.func].name + "` was split or fused since",
                 "give the order after the last split or fuse", nest_excerpt(program, loops));
    const int position = static_cast<int>(at - loops.order.begin());
    if (loops.nodes[node].kind != LoopKind::Block)
      user_error(ErrorCode::BadBinding, loops.block_order_loc,
                 "block_order: " + name + " of `" + program.funcs[loops.func].name + "` is a " + loop_kind_name(loops.nodes[node].kind) + " loop, not one of blocks",
                 "make it a block loop with gpu_blocks or gpu_tile", nest_excerpt(program, loops, position));
    if (group == 1) continue;
    const bool next_named = i + 1 < loops.block_order.size();
    if (!next_named && loops.block_order.size() == blocks)
      user_error(ErrorCode::BadReorder, loops.block_order_loc, "block_order: groups of " + name + " are done for each iteration of the next loop, and it is the last one",
                 "put another block loop behind it", nest_excerpt(program, loops, position));
    if (next_named && loops.block_order[i + 1].group != 1)
      user_error(ErrorCode::BadReorder, loops.block_order_loc,
                 "block_order: " + name + " and the loop behind it, `" + loops.nodes[loops.block_order[i + 1].node].name->name + "`, are both grouped",
                 "split one of them and name its parts", nest_excerpt(program, loops, position));
  }
}

}  // namespace sinter::scheduler
