// The emulator: runs the final per-thread Kernel form on the CPU and checks what a GPU would not tell.
//
// Requires: a Module for a device target in its final form (no Tile, Call, Provide, Alloc), `values` as the entry's ABI has them, with
// host addresses. Ensures: outputs are as the device would write them, in the arithmetic of ir/eval/scalar.h (approximate instructions
// are exact here); or an EmulationError is thrown for the first of:
//   race              two threads, one byte, one of them writes, nothing orders them. Each thread is an agent with a vector clock;
//                     a barrier joins its threads, a warp sync its warp; blocks of a grid are unordered, launches are ordered.
//                     Equal bytes written by one statement of the user's source are no race: that is how shared edges are covered.
//   uninitialised     a read of shared, register, workspace or output memory that nothing has written
//   out of bounds     an element that the allocation or the tensor does not have
//   divergence        a barrier, warp sync or shuffle that some threads never reach, or reach at another place
//   misaligned        an access whose claimed alignment is false
//   overflow          of i32 or i64 arithmetic
//   coverage          an element of an output that no launch has written
// Threads and blocks run in an order drawn from `seed`.
#pragma once

#include <cstdint>

#include "ir/diagnostic.h"
#include "ir/kernel.h"

namespace sinter::codegen {

struct EmulateOptions {
  uint64_t seed = 0;
  bool check_races = true;
  bool check_coverage = true;
};

// What was executed: elements and bytes count each lane of each access that was not masked off.
struct EmulateReport {
  int64_t launches = 0, blocks = 0, barriers = 0;
  int64_t global_bytes_read = 0, global_bytes_written = 0;
  int64_t shared_bytes_read = 0, shared_bytes_written = 0;
};

enum class Fault : uint8_t { Race, Uninitialised, OutOfBounds, Divergence, Misaligned, Overflow, Coverage };
const char* fault_name(Fault f);  // "data race", "out of bounds", ...

class EmulationError : public ir::RuntimeError {
 public:
  EmulationError(Fault fault, ir::Loc loc, const std::string& text);
  Fault fault() const { return fault_; }
  ir::Loc loc() const { return loc_; }  // of the access or barrier

 private:
  Fault fault_;
  ir::Loc loc_;
};

// Throws UserError E0405 for node kinds that have no execution here yet, RuntimeError where a Check fails.
void emulate(const ir::Module& module, const int64_t* values, const EmulateOptions& options = {}, EmulateReport* report = nullptr);

}  // namespace sinter::codegen
