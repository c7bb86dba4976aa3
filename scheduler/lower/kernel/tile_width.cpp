#include "scheduler/lower/kernel/tile_width.h"

#include "ir/analysis/interval.h"
#include "scheduler/lower/copies.h"

namespace sinter::scheduler {

using namespace ir;

std::vector<GlobalAccess> global_accesses(const Module& module, const KernelDraft& draft, const TileStmt& tile) {
  std::vector<GlobalAccess> out;
  if (tile.vars.empty()) return out;
  const VarNode* var = tile.vars[0].get();
  for (const Access& a : accesses(tile.body)) {
    if (draft.stored(a.func)) continue;
    const Buffer& buffer = module.buffers[a.func];
    GlobalAccess g;
    g.bytes = a.type.bytes();
    g.width = row_width(module.program, a.func);
    // Storage of our own may lie in another order (reorder_storage).
    size_t unit = 0;
    if (!buffer.is_argument)
      for (size_t d = 0; d < buffer.stride.size(); ++d)
        if (is_const_int(buffer.stride[d], 1)) unit = d;
    bool affine = true, outer = false;
    int64_t step = 0;
    for (size_t d = 0; d < a.index.size(); ++d) {
      const auto c = coefficient(resolved(draft, a.index[d]), var);
      if (!c) affine = false;
      else if (d == unit) step = *c;
      else outer = outer || *c != 0;
    }
    const bool free_stride = a.func < static_cast<int>(module.program.funcs.size()) && module.program.funcs[a.func].free_stride0;
    if (!affine) g.kind = GlobalAccess::Other;
    else if (outer || (step != 0 && (step != 1 || free_stride))) g.kind = GlobalAccess::Strided;
    else if (step == 0) g.kind = GlobalAccess::Uniform;
    else {
      Expr start = substitute(a.index[unit], tile.vars[0], i32(0));
      if (!buffer.min.empty() && buffer.min[unit].defined()) start = start - buffer.min[unit];
      g.multiple = known_multiple(resolved(draft, start));
    }
    out.push_back(g);
  }
  return out;
}

int tile_vector(const Module& module, const KernelDraft& draft, const std::vector<const TileStmt*>& group) {
  if (!draft.fast || group.empty() || group[0]->vars.empty()) return 1;
  std::vector<GlobalAccess> all;
  for (const TileStmt* t : group) {
    const auto hint = draft.hints.find(t->vars[0].get());
    if (hint != draft.hints.end() && hint->second.vector > 0) return static_cast<int>(hint->second.vector);
    const auto own = global_accesses(module, draft, *t);
    all.insert(all.end(), own.begin(), own.end());
  }
  return vector_width(all, group[0]->extent[0]);
}

int64_t box_points(const TileStmt& tile) {
  int64_t n = 1;
  for (const int64_t e : tile.extent) n *= e;
  return n;
}

}  // namespace sinter::scheduler
