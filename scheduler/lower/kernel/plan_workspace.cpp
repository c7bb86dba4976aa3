#include "scheduler/lower/kernel/plan_workspace.h"

#include <algorithm>

#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

void plan_workspace(std::vector<Scratch> scratch, Module& module) {
  struct Slot {
    int last_launch;
    Expr bytes;
    std::vector<FuncId> users;
  };
  std::stable_sort(scratch.begin(), scratch.end(), [](const Scratch& a, const Scratch& b) { return a.first_launch < b.first_launch; });
  std::vector<Slot> slots;
  for (const Scratch& s : scratch) {
    Buffer& b = module.buffers[s.func];
    b.bytes = simplify(ceil_div(s.bytes, 256) * 256);
    const auto fits = [&](const Slot& slot) { return slot.last_launch < s.first_launch; };
    // The slot of the same size where there is one: it costs nothing.
    auto slot = std::find_if(slots.begin(), slots.end(), [&](const Slot& x) { return fits(x) && equal_structure(x.bytes, b.bytes); });
    if (slot == slots.end()) slot = std::find_if(slots.begin(), slots.end(), fits);
    if (slot == slots.end()) slot = slots.insert(slots.end(), Slot{-1, b.bytes, {}});
    slot->last_launch = s.last_launch;
    slot->bytes = max(slot->bytes, b.bytes);
    slot->users.push_back(s.func);
  }
  Expr offset = make_int(Int(64), 0);
  for (const Slot& slot : slots) {
    for (const FuncId f : slot.users) module.buffers[f].workspace_offset = offset;
    offset = simplify(offset + slot.bytes);
  }
  if (!slots.empty()) module.workspace_bytes = offset;
}

}  // namespace sinter::scheduler
