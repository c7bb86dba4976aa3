#include "scheduler/lower/kernel/lower_kernels.h"

#include "ir/transform/simplify.h"
#include "scheduler/lower/copies.h"
#include "scheduler/lower/entry.h"
#include "scheduler/lower/kernel/assign_layouts.h"
#include "scheduler/lower/kernel/choose_threads.h"
#include "scheduler/lower/kernel/choose_version.h"
#include "scheduler/lower/kernel/cut_kernels.h"
#include "scheduler/lower/kernel/decode_blocks.h"
#include "scheduler/lower/kernel/expand_tiles.h"
#include "scheduler/lower/kernel/finish_kernel.h"
#include "scheduler/lower/kernel/flatten_kernel.h"
#include "scheduler/lower/kernel/form_tiles.h"
#include "scheduler/lower/kernel/group_loads.h"
#include "scheduler/lower/kernel/insert_barriers.h"
#include "scheduler/lower/kernel/pack_shared.h"
#include "scheduler/lower/kernel/plan_workspace.h"
#include "scheduler/lower/kernel/unroll_serial.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

// Elements of the widest access to a buffer; 0 for registers, which are not memory.
int64_t widest_access(const Module& module, const KernelDraft& draft, int buffer) {
  const KernelStorage* s = draft.stored(buffer);
  if (s && s->memory == Memory::Register) return 0;
  const int64_t bytes = module.buffers[buffer].type.bytes();
  if (s && s->memory == Memory::Shared) return std::max<int64_t>(1, 16 / bytes);
  return draft.fast ? std::max<int64_t>(1, row_width(module.program, buffer) / bytes) : 1;
}

void group_kernel_loads(const Module& module, KernelDraft& draft, Versions& versions) {
  SymMap<int64_t> facts;
  for (const NarrowStride& n : versions.strides) facts[n.var.get()] = std::max<int64_t>(1, n.multiple_bytes / n.element_bytes);
  GroupedLoads grouped =
      group_loads(draft.body, [&](int buffer) { return widest_access(module, draft, buffer); }, facts);
  draft.body = grouped.body;
  if (draft.fast) versions.access_bytes = std::move(grouped.access_bytes);
}

Kernel lower_version(const Module& module, KernelDraft draft, bool fast, Versions& versions, const KernelProofs& proofs) {
  draft.fast = fast;
  decode_blocks(draft);
  form_tiles(module.program, draft);
  choose_threads(module, draft);
  assign_layouts(module, draft);
  const int64_t shared_bytes = pack_shared(module, draft);
  insert_barriers(draft);
  if (proofs.edit) proofs.edit(draft);
  if (proofs.prover) prove_kernel(module.program, draft, module.target, *proofs.prover, *proofs.report);
  expand_tiles(draft);
  std::vector<NarrowStride> strides = flatten_kernel(module, draft);
  if (fast) versions.strides = std::move(strides);
  unroll_serial(draft);
  draft.body = simplify(draft.body);
  group_kernel_loads(module, draft, versions);
  draft.body = simplify(draft.body);
  return finish_kernel(module, draft, shared_bytes);
}

}  // namespace

Module lower_kernels(const Program& program, const Stmt& nest, const Target& target, const KernelProofs& proofs) {
  Module m = make_module(program, target);
  Cut cut = cut_kernels(program, inline_lets(nest));
  for (const Scratch& s : cut.scratch) {
    Buffer& b = m.buffers[s.func];
    b.min = s.min;
    b.extent = s.extent;
    b.stride = s.stride;
  }
  plan_workspace(std::move(cut.scratch), m);
  std::vector<Versions> versions;
  for (const KernelDraft& draft : cut.kernels) {
    Versions v;
    v.fast = static_cast<int>(m.kernels.size());
    v.general = v.fast + 1;
    v.block_loops = draft.block_loops;
    v.start = draft.start;
    m.kernels.push_back(lower_version(m, draft, true, v, proofs));
    m.kernels.push_back(lower_version(m, draft, false, v, proofs));
    versions.push_back(std::move(v));
  }
  m.entry = make_entry(program, choose_version(m, cut.entry, versions));
  return m;
}

}  // namespace sinter::scheduler
