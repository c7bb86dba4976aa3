#include "scheduler/lower/kernel/choose_threads.h"

#include <algorithm>

#include "ir/diagnostic.h"
#include "scheduler/lower/kernel/tile_width.h"

namespace sinter::scheduler {

using namespace ir;

void choose_threads(const Module& module, KernelDraft& draft) {
  const DeviceLimits device = limits(module.target);
  int64_t explicit_threads = 0, work = 1;
  Loc explicit_loc = draft.loc;
  for (const TileStmt* t : tiles(draft.body)) {
    if (t->layout.kind == Layout::Kind::Flat) {
      if (box_points(*t) > explicit_threads) explicit_loc = t->loc;
      explicit_threads = std::max(explicit_threads, box_points(*t));
    } else {
      work = std::max(work, box_points(*t) / tile_vector(module, draft, {t}));
    }
  }
  int64_t n = draft.threads_hint;
  Loc loc = draft.loc;
  if (n > 0) {
    if (n % device.warp_size != 0 || n < explicit_threads)
      user_error(ErrorCode::BadThreads, loc,
                 "a block of " + std::to_string(n) + " threads" +
                     (n < explicit_threads ? " is smaller than the thread loops, which need " + std::to_string(explicit_threads)
                                           : " is not a whole number of warps"),
                 "threads(" + std::to_string((std::max(n, explicit_threads) + device.warp_size - 1) / device.warp_size * device.warp_size) + ")");
  } else if (explicit_threads > 0) {
    n = (explicit_threads + device.warp_size - 1) / device.warp_size * device.warp_size;
    loc = explicit_loc;
  } else {
    n = device.warp_size;
    while (n < 256 && n < work) n *= 2;
  }
  if (n > device.max_threads_per_block)
    user_error(ErrorCode::TooManyThreads, loc,
               "a block of " + std::to_string(n) + " threads; " + module.target.to_string() + " allows " +
                   std::to_string(device.max_threads_per_block),
               "smaller thread loops, or threads(" + std::to_string(device.max_threads_per_block) + ")");
  draft.threads = static_cast<int>(n);
  draft.stage = DraftStage::Sized;
}

}  // namespace sinter::scheduler
