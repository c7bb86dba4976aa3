// What a pipeline moves and computes, from its Nest: memory footprints per kernel and Func,
// launches, operations.
#pragma once

#include <string>
#include <vector>

#include "ir/analysis/interval.h"
#include "ir/kernel.h"
#include "ir/stmt.h"

namespace sinter::scheduler {

// The elements of one Func in global memory that one kernel touches. Each crosses HBM once per
// launch: what several blocks read of it comes from L2. Expressions are in the sizes (extents and
// integer Params).
struct BufferTraffic {
  ir::FuncId func = -1;
  bool write = false;
  std::vector<ir::Interval> region;  // over all launches of the kernel, every end defined
  ir::Expr footprint;                // i64, elements of `region`
  ir::Expr elements;                 // i64, of one launch
};

// One kernel (a nest of block loops) or, on a host, one pass: the loops of one stage at root with
// all that is computed inside them. Storage inside of a kernel or pass is shared memory, registers
// or cache, and not counted.
struct KernelTraffic {
  std::string name;
  ir::FuncId func = -1;
  int stage = 0;
  std::vector<BufferTraffic> accesses;  // one per (Func, read or write), in order of appearance
  ir::Expr launches;                    // i64: trips of the host loops around it
  ir::Expr flops;  // i64: arithmetic on floats, all launches; a function counts once
};

std::vector<KernelTraffic> measure_traffic(const ir::Program& program, const ir::Stmt& nest);

// The value of an integer expression with sizes given for its variables; throws InternalError where
// one is missing.
int64_t evaluate(const ir::Expr& e, const ir::SymMap<int64_t>& sizes);

// Bytes that any implementation must move: each Input once over the region that is read, each
// output once.
int64_t compulsory_bytes(const ir::Program& program, const std::vector<KernelTraffic>& kernels,
                         const ir::SymMap<int64_t>& sizes);

}  // namespace sinter::scheduler
