// Which accesses to a Func of the block can be served from registers: identities, permutations and slices (tiles.md).
#pragma once

#include <optional>

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

// For an access of `storage`'s Func at `index` inside `tile`: the tile dimension that each dimension of the Func follows, or -1 for one
// that has a single element. nullopt where the access is anything but that, or where the boxes differ.
std::optional<std::vector<int>> matched_dims(const KernelDraft& draft, const KernelStorage& storage, const ir::TileStmt& tile,
                                             const std::vector<ir::Expr>& index);

}  // namespace sinter::scheduler
