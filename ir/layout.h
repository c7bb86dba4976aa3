// Register layouts: which thread owns which point of a tile, in which register (tiles.md, Layouts).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::ir {

// One digit of an owner's mixed-radix index: it moves along tile dimension `dim` in steps of `stride`; dim < 0: the positions
// hold copies (replication).
struct Digit {
  int64_t extent = 1;
  int dim = -1;
  int64_t stride = 1;
  friend bool operator==(const Digit&, const Digit&) = default;
};

// Blocked: (register, lane, warp, block-in-cluster) → coordinates by digits, least significant first; the digits of an owner
// multiply to its size. Flat: point p = ((step * threads + thread) * vector + v), row-major over the box, dimension 0 innermost
// (`vector` divides the box's innermost extent); for results in memory with a halo. Single: thread 0 runs all points in order.
struct Layout {
  enum class Kind : uint8_t { Blocked, Flat, Single } kind = Kind::Single;
  std::vector<Digit> reg, lane, warp, cluster;  // Blocked
  int threads = 1;                              // threads that take part
  int vector = 1;                               // consecutive points along dimension 0 that one access covers (innermost register digit)
  friend bool operator==(const Layout&, const Layout&) = default;
};

// The product of an owner's digits.
int64_t digit_product(const std::vector<Digit>& digits);
// Coordinates of (register, lane, warp) in a Blocked layout of `rank` dimensions.
std::vector<int64_t> coordinates(const Layout& layout, int rank, int64_t reg, int64_t lane, int64_t warp);
// One past the largest coordinate along `dim` of a Blocked layout.
int64_t reach(const Layout& layout, int dim);
// Merges adjacent digits of one dimension and drops those of extent 1.
Layout normalized(Layout layout);
// "reg[8:d0] lane[32:d0*8] warp[4:d0*256 2:d1]": readable, and parsed back by text/.
std::string to_string(const Layout& layout);

}  // namespace sinter::ir
