// What a pipeline moves and computes, from its Nest: HBM footprints per kernel and Func, launches, operations.
#pragma once

#include <string>
#include <vector>

#include "ir/analysis/interval.h"
#include "ir/kernel.h"
#include "ir/stmt.h"

namespace sinter::scheduler {

// The elements of one global Func that one kernel touches: each crosses HBM once per kernel (what several blocks read of it comes from
// L2). `elements` is symbolic in the sizes.
struct BufferTraffic {
  ir::FuncId func = -1;
  bool write = false;
  std::vector<ir::Interval> region;
  ir::Expr elements;  // i64
};

// One kernel (a nest of block loops) or, on a host, one root stage.
struct KernelTraffic {
  std::string name;
  ir::FuncId func = -1;
  int stage = 0;
  std::vector<BufferTraffic> accesses;  // one per (Func, read or write), in order of appearance
  ir::Expr flops;                // f64-free count of arithmetic operations on floats, i64
  ir::Expr blocks;               // i64
  bool in_host_loop = false;
};

std::vector<KernelTraffic> measure_traffic(const ir::Program& program, const ir::Stmt& nest);

// The value of an integer expression with sizes given for its variables; throws InternalError where one is missing.
int64_t evaluate(const ir::Expr& e, const ir::SymMap<int64_t>& sizes);

// Bytes that any implementation must move: each Input once over the region that is needed, each output once.
int64_t compulsory_bytes(const ir::Program& program, const std::vector<KernelTraffic>& kernels, const ir::SymMap<int64_t>& sizes);

}  // namespace sinter::scheduler
