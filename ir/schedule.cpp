#include "ir/schedule.h"

namespace sinter::ir {

const char* tail_name(Tail t) {
  static const char* const names[] = {"Auto", "RoundUp", "GuardWithIf", "ShiftInwards"};
  return names[static_cast<int>(t)];
}

const char* directive_name(DirectiveKind k) {
  static const char* const names[] = {"split", "fuse", "rename", "reorder", "serial", "parallel", "cooperative", "unroll", "vectorize",
                                      "gpu_blocks", "gpu_threads", "gpu_tile", "threads", "cooperative_stage", "compute_inline",
                                      "compute_root", "store_root", "compute_at", "store_at", "compute_at_block", "store_at_block",
                                      "store_in", "reorder_storage", "align_storage", "bound", "bound_extent", "align_bounds", "set_estimate"};
  return names[static_cast<int>(k)];
}

}  // namespace sinter::ir
