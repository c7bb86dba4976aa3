// The fixed layout rule of cooperative tiles: innermost dimension first, register digits by the width rule, then lanes, then warps,
// the rest registers (tiles.md). No propagation: a statement's own accesses decide.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/layout.h"
#include "ir/stmt.h"

namespace sinter::scheduler {

// One access of a tile statement to global memory, as the width rule sees it.
struct GlobalAccess {
  int bytes = 4;              // of an element
  enum Kind : uint8_t {
    Uniform,  // the same element for all points along dimension 0
    Unit,     // neighbours along dimension 0 are neighbours in memory
    Strided,  // a known distance other than 0 and 1
    Other,    // not affine (clamped, data-dependent): loaded element by element
  } kind = Unit;
  int64_t width = 16;         // bytes that its rows are known, or hoped, to be aligned to
  int64_t multiple = 0;       // Unit: its coordinate along dimension 0 at the tile's start is a multiple of this (0: is zero)
};

// Points along dimension 0 that one thread handles at once: the narrowest type makes at least 4-byte accesses and the widest at most
// two of 16 bytes; no wider than rows are aligned, and such that some access starts at a multiple of it; a divisor of the box's extent; 1 where a
// dimension-0 access isn't unit-stride.
int vector_width(const std::vector<GlobalAccess>& accesses, int64_t extent0);
// Narrowed until `points` give each of `threads` some.
int limit_to_threads(int vector, int64_t points, int threads);

// Blocked layout of the box. hints[d] as on the Cooperative loop of dimension d; `threads` is a multiple of 32.
ir::Layout fixed_layout(const std::vector<int64_t>& extent, const std::vector<ir::LoopHints>& hints, int threads, int vector);
// Row-major points of the box, `vector` consecutive ones a thread.
ir::Layout flat_layout(int threads, int vector);
// Every thread holds the same (rank 0) or the same copy: what a statement without cooperative loops has in registers.
ir::Layout replicated_layout(int threads);

// The layout of a Func whose dimension d is the tile's dimension dim_of[d] (-1: extent 1): digits of other dimensions become copies in
// lanes and warps, and are dropped from registers.
ir::Layout sliced(const ir::Layout& layout, const std::vector<int>& dim_of);

// One past the largest coordinate along `dim` that the layout covers: more than the extent where it pads.
int64_t covered(const ir::Layout& layout, int dim);

}  // namespace sinter::scheduler
