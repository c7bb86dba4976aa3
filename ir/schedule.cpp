#include "ir/schedule.h"

#include "ir/diagnostic.h"

namespace sinter::ir {

const char* tail_name(Tail t) {
  static const char* const names[] = {"Auto", "RoundUp", "GuardWithIf", "ShiftInwards"};
  return names[static_cast<int>(t)];
}

namespace {

using K = DirectiveKind;
// kind, name, method, loops, ints, exprs, tail, memory, target
constexpr DirectiveInfo kDirectives[] = {
    {K::Split, "split", "split", 3, 3, 1, 1, 0, true, false, false},
    {K::Fuse, "fuse", "fuse", 3, 3, 0, 0, 0, false, false, false},
    {K::Rename, "rename", "rename", 2, 2, 0, 0, 0, false, false, false},
    {K::Reorder, "reorder", "reorder", 1, kManyLoops, 0, 0, 0, false, false, false},
    {K::Serial, "serial", "serial", 1, 1, 0, 0, 0, false, false, false},
    {K::Parallel, "parallel", "parallel", 1, 1, 0, 0, 0, false, false, false},
    {K::Cooperative, "cooperative", "cooperative", 1, 1, 0, 0, 0, false, false, false},
    {K::Unroll, "unroll", "unroll", 1, 1, 0, 1, 0, false, false, false},
    {K::Vectorize, "vectorize", "vectorize", 1, 1, 0, 1, 0, false, false, false},
    {K::GpuBlocks, "gpu_blocks", "gpu_blocks", 1, 3, 0, 0, 0, false, false, false},
    {K::GpuThreads, "gpu_threads", "gpu_threads", 1, 3, 0, 0, 0, false, false, false},
    {K::GpuTile, "gpu_tile", "gpu_tile", 3, 9, 1, 3, 0, true, false, false},
    {K::Threads, "threads", "threads", 0, 0, 1, 1, 0, false, false, false},
    {K::BlockOrder, "block_order", "block_order", 1, kManyLoops, 0, kManyLoops, 0, false, false, false},
    {K::CooperativeStage, "cooperative_stage", "cooperative", 0, 0, 0, 0, 0, false, false, false},
    {K::ComputeInline, "compute_inline", "compute_inline", 0, 0, 0, 0, 0, false, false, false},
    {K::ComputeRoot, "compute_root", "compute_root", 0, 0, 0, 0, 0, false, false, false},
    {K::StoreRoot, "store_root", "store_root", 0, 0, 0, 0, 0, false, false, false},
    {K::ComputeAt, "compute_at", "compute_at", 1, 1, 0, 0, 0, false, false, true},
    {K::StoreAt, "store_at", "store_at", 1, 1, 0, 0, 0, false, false, true},
    {K::ComputeAtBlock, "compute_at_block", "compute_at_block", 0, 0, 0, 0, 0, false, false, true},
    {K::StoreAtBlock, "store_at_block", "store_at_block", 0, 0, 0, 0, 0, false, false, true},
    {K::StoreIn, "store_in", "store_in", 0, 0, 0, 0, 0, false, true, false},
    {K::ReorderStorage, "reorder_storage", "reorder_storage", 1, kManyLoops, 0, 0, 0, false, false, false},
    {K::AlignStorage, "align_storage", "align_storage", 1, 1, 1, 1, 0, false, false, false},
    {K::Bound, "bound", "bound", 1, 1, 0, 0, 2, false, false, false},
    {K::BoundExtent, "bound_extent", "bound_extent", 1, 1, 0, 0, 1, false, false, false},
    {K::AlignBounds, "align_bounds", "align_bounds", 1, 1, 2, 2, 0, false, false, false},
    {K::SetEstimate, "set_estimate", "set_estimate", 1, 1, 2, 2, 0, false, false, false},
};

constexpr bool complete() {
  size_t i = 0;
  for (const DirectiveInfo& d : kDirectives)
    if (static_cast<size_t>(d.kind) != i++) return false;
  return i == static_cast<size_t>(kLastDirective) + 1;
}
static_assert(complete(), "a row for each directive, in the order of DirectiveKind");

}  // namespace

const DirectiveInfo& directive_info(DirectiveKind k) {
  internal_check(k <= kLastDirective, "directive_info: no such kind");
  return kDirectives[static_cast<int>(k)];
}

const DirectiveInfo* find_directive(std::string_view name) {
  for (const DirectiveInfo& d : kDirectives)
    if (name == d.name) return &d;
  return nullptr;
}

}  // namespace sinter::ir
