#include "ir/kernel_draft.h"

#include "ir/diagnostic.h"

namespace sinter::ir {

const char* draft_stage_name(DraftStage s) {
  static const char* const names[] = {"cut", "decoded", "tiled", "sized", "laid_out", "packed", "ordered", "expanded", "flat"};
  return names[static_cast<int>(s)];
}

std::vector<int64_t> KernelStorage::extents() const {
  std::vector<int64_t> out;
  for (size_t d = 0; d < region.size(); ++d) {
    const int64_t* e = as_int(region[d].extent);
    internal_check(e != nullptr, "kernel storage without a constant extent");
    out.push_back(*e + (d < pad.size() ? pad[d] : 0));
  }
  return out;
}

int64_t KernelStorage::elements() const {
  int64_t n = 1;
  for (const int64_t e : extents()) n *= e;
  return n;
}

int64_t KernelStorage::array_elements() const {
  if (memory != Memory::Register || in_thread) return elements();
  return layout.kind == Layout::Kind::Blocked ? digit_product(layout.reg) : 1;
}

SymMap<Expr> let_values(const Stmt& body) {
  SymMap<Expr> out;
  walk_stmts(body, [&](const Stmt& s) {
    if (const auto* l = as<LetStmt>(s)) out[l->var.get()] = l->value;
    return true;
  });
  return out;
}

}  // namespace sinter::ir
