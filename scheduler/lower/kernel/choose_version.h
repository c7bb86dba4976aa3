// choose-version: the entry picks the fast or the general version of each kernel.
//
// requires: both versions of each kernel; which access widths the fast one uses on which buffer.
// ensures: each Launch becomes: if (every buffer's base and strides are multiples of its access width, its byte span is below 2^31, and the
//          grid fits one launch) launch the fast version, else the general one, in as many
//          launches as its grid needs.
// why here: last: it needs finished kernels.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

struct Versions {
  int fast = -1, general = -1;           // indices into Module::kernels
  std::vector<NarrowStride> strides;     // scalars of the fast version
  std::vector<BlockLoop> block_loops;    // outermost first
  std::vector<ir::Sym> start;            // scalars of the general version: the first block of a launch (KernelDraft::start)
  std::map<int, int64_t> access_bytes;
};

ir::Stmt choose_version(const ir::Module& module, const ir::Stmt& entry, const std::vector<Versions>& versions);

}  // namespace sinter::scheduler
