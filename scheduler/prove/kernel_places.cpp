#include "scheduler/prove/kernel_places.h"

#include <algorithm>

#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

BlockCoordinates block_coordinates(const KernelDraft& kernel) {
  BlockCoordinates out;
  if (!kernel.block) return out;
  std::unordered_set<const VarNode*> used;  // inside the decoding
  std::vector<Sym> found;
  out.opaque.insert(kernel.block.get());
  walk_stmts(kernel.body, [&](const Stmt& s) {
    if (s->kind == StmtKind::Tile) return false;
    const auto* l = as<LetStmt>(s);
    if (!l || !uses_any(l->value, out.opaque)) return true;
    for (const Sym& v : free_vars(l->value)) used.insert(v.get());
    out.opaque.insert(l->var.get());
    found.push_back(l->var);
    return true;
  });
  for (const Sym& s : found)
    if (!used.count(s.get()) && s->type == Int(32)) out.all.push_back(s);
  std::reverse(out.all.begin(), out.all.end());
  if (!kernel.coordinates.empty()) {
    // A loop of one block may have left no trace.
    out.all.clear();
    for (size_t i = 0; i < kernel.coordinates.size(); ++i) {
      const Sym& s = kernel.coordinates[i];
      if (std::find(found.begin(), found.end(), s) == found.end()) continue;
      out.all.push_back(s);
      const BlockLoop& b = kernel.block_loops[i];
      out.range[s.get()] = {b.min, simplify(b.min + b.extent - 1)};
    }
    return out;
  }
  if (found.empty()) out.all.push_back(kernel.block);
  if (out.all.size() == kernel.block_loops.size())
    for (size_t i = 0; i < out.all.size(); ++i) {
      const BlockLoop& b = kernel.block_loops[i];
      out.range[out.all[i].get()] = {b.min, simplify(b.min + b.extent - 1)};
    }
  return out;
}

Uniform::Uniform(const KernelDraft& kernel) : kernel_(kernel) {
  for (const Sym& s : {kernel.thread, kernel.lane, kernel.warp})
    if (s) vary(s);
  walk_stmts(kernel.body, [&](const Stmt& s) {
    if (const auto* t = as<TileStmt>(s))
      for (const Sym& v : t->vars) vary(v);
    if (const auto* p = as<ProvideStmt>(s)) stored_.insert(p->func);
    return true;
  });
}

bool Uniform::operator()(const Expr& e) const {
  if (!e.defined()) return true;
  bool uniform = !uses_any(e, varying_);
  walk(e, [&](const Expr& n) {
    // A value that another thread may just be writing is nobody's guess.
    if ((n->op == Op::Call || n->op == Op::Load) && stored_.count(n->id)) uniform = false;
    if (n->op == Op::Shuffle) uniform = false;
  });
  return uniform;
}

}  // namespace sinter::scheduler
