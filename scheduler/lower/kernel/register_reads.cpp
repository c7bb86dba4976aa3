#include "scheduler/lower/kernel/register_reads.h"

#include <algorithm>

#include "scheduler/lower/copies.h"

namespace sinter::scheduler {

using namespace ir;

std::optional<std::vector<int>> matched_dims(const KernelDraft& draft, const KernelStorage& storage, const TileStmt& tile,
                                             const std::vector<Expr>& index) {
  std::vector<int> out;
  const std::vector<int64_t> extents = storage.extents();
  for (size_t d = 0; d < index.size(); ++d) {
    const Expr offset = resolved(draft, index[d] - storage.region[d].min);
    const auto var = offset->op == Op::Var ? std::find(tile.vars.begin(), tile.vars.end(), offset->var) : tile.vars.end();
    if (var != tile.vars.end()) {
      const int k = static_cast<int>(var - tile.vars.begin());
      if ((storage.padded ? tile.extent[k] > extents[d] : tile.extent[k] != extents[d]) || std::find(out.begin(), out.end(), k) != out.end()) return std::nullopt;
      out.push_back(k);
    } else if (extents[d] == 1) {
      out.push_back(-1);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace sinter::scheduler
