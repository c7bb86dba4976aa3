// How much of memory's latency a kernel hides: the bytes that it has requested and not used yet.
#pragma once

#include <cstdint>

#include "ir/analysis/visit.h"
#include "ir/kernel.h"

namespace sinter::scheduler {

// One launch of a kernel.
struct InFlight {
  int64_t blocks = 0;           // of the grid
  int64_t bytes_per_block = 0;  // requested at once
};

// The bytes of global memory that one block has requested and waits for, at the best moment of its
// first pass through the body. By Little's law bandwidth times latency of them must be in flight on
// the device to keep its memory busy. An estimate by these rules:
//  - A thread goes on past a load until something needs its value: a store to shared or global
//    memory, an address, a condition, the end of a loop's iteration. What it keeps in registers
//    waits.
//  - A request is of whole sectors of 32 bytes, once for all threads of the block and for all loads
//    that are in flight together: neighbours of a stencil, a value that all threads read.
//  - A thread holds no more than its registers: `registers` of 32 bits (0 = unknown).
//  - The block is one from the middle of the grid, tensors are dense.
// `sizes`: all extents and integer Params.
InFlight measure_in_flight(const ir::Module& module, size_t kernel,
                           const ir::SymMap<int64_t>& sizes, int registers);

}  // namespace sinter::scheduler
