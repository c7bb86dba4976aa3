#include "scheduler/lower/kernel/finish_kernel.h"

#include <algorithm>

#include "ir/diagnostic.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

// Registers of a thread that block-level and private arrays need, in units of 32 bits.
void check_registers(const Module& module, const KernelDraft& draft, const std::vector<Allocation>& allocations) {
  int64_t total = 0;
  const Allocation* largest = nullptr;
  std::vector<std::string> excerpt;
  const auto words = [](const Allocation& a) { return (a.elements * std::max(a.type.bytes(), 2) + 3) / 4; };
  for (const Allocation& a : allocations) {
    if (a.memory != Memory::Register) continue;
    total += words(a);
    if (!largest || words(a) > words(*largest)) largest = &a;
    excerpt.push_back(module.buffers[a.buffer].name + ": " + std::to_string(words(a)) + " registers");
  }
  const int64_t limit = limits(module.target).registers_per_thread;
  if (largest && limit > 0 && total > 2 * limit) {
    const std::string& name = module.buffers[largest->buffer].name;
    user_error(ErrorCode::TooManyRegisters, draft.stored(largest->buffer)->loc,
               "kernel `" + draft.name + "` holds " + std::to_string(total) + " registers of values in each thread; there are " +
                   std::to_string(limit),
               "more threads, a smaller tile, or " + name + ".store_in(MemoryType::Shared)", std::move(excerpt));
  }
}

}  // namespace

Kernel finish_kernel(const Module& module, const KernelDraft& draft) {
  Kernel k;
  k.name = draft.name + (draft.fast ? "" : "_general");
  k.block = draft.block;
  k.thread = draft.thread;
  k.threads = draft.threads;
  k.fast = draft.fast;
  k.loc = draft.loc;
  std::vector<int> used;
  const auto touch = [&](int b) {
    if (std::find(used.begin(), used.end(), b) == used.end()) used.push_back(b);
  };
  std::unordered_set<const ExprNode*> seen;
  walk_stmts(draft.body, [&](const Stmt& s) {
    each_expr(s, [&](const Expr& e) {
      walk_down(e, [&](const Expr& n) {
        if (!seen.insert(n.get()).second) return false;
        if (n->op == Op::Load) touch(n->id);
        return true;
      });
    });
    if (const auto* st = as<StoreStmt>(s)) {
      touch(st->buffer);
      const KernelStorage* own = draft.stored(st->buffer);
      const bool global = !own || own->memory == Memory::Global;
      if (global && std::find(k.written.begin(), k.written.end(), st->buffer) == k.written.end()) k.written.push_back(st->buffer);
    }
    return true;
  });
  for (const int b : used) {
    const KernelStorage* s = draft.stored(b);
    if (!s || s->memory == Memory::Global) {
      k.buffers.push_back(b);
      continue;
    }
    Allocation a;
    a.buffer = b;
    a.type = s->type;
    a.memory = s->memory;
    a.align = s->align;
    a.offset = s->memory == Memory::Shared ? s->offset : 0;
    a.elements = s->array_elements();
    k.allocations.push_back(a);
  }
  k.shared_bytes = draft.shared_bytes;
  for (const Sym& v : free_vars(draft.body))
    if (v != draft.block && v != draft.thread) k.scalars.push_back(v);
  check_registers(module, draft, k.allocations);
  Role role;
  role.first_warp = 0;
  role.warps = (draft.threads + 31) / 32;
  role.body = draft.body;
  k.roles.push_back(std::move(role));
  return k;
}

}  // namespace sinter::scheduler
