// The oracle: a naive interpreter of the unscheduled Program. Every other way to run a pipeline is compared with it.
//
// Requires: a Program whose definitions are well formed (the language checks that), one view per Input and output, one value per
// Param. Ensures: every element of every output is what the definitions say, in the arithmetic of ir/eval/scalar.h, reductions in the
// order of their RDom (first variable innermost). Nothing is assumed about a schedule.
//
// Pure Funcs are evaluated where they are needed, once per point. A Func with updates is computed over a box: all that may be read of
// it. Throws RuntimeError: a read outside an Input, an update outside an output, an overflow of i32/i64, a Func with updates whose
// box has no bound. The text names the Func, the coordinates and the user's line.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/eval/scalar.h"
#include "ir/program.h"

namespace sinter::ir {

// Memory of one Input or output: the element at (i0, i1, ...) is data[sum(i_d * stride_d)].
struct TensorView {
  Type type;
  void* data = nullptr;
  std::vector<int64_t> extent, stride;  // in the Func's order, innermost first; strides in elements
};

struct InterpretOptions {
  // The largest box of a Func with updates, in elements: beyond it the Program is refused instead of exhausting memory.
  int64_t max_box = int64_t(1) << 28;
};

// `buffers`: one per argument of kind Input or Output, `params`: one per argument of kind Param, both in argument order.
void interpret(const Program& program, const std::vector<TensorView>& buffers, const std::vector<Scalar>& params,
               const InterpretOptions& options = {});

}  // namespace sinter::ir
