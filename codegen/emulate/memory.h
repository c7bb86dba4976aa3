// Global memory as the emulator sees it: the tensors and the workspace, with what has been written, and who touched it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/emulate/shadow.h"
#include "ir/eval/scalar.h"
#include "ir/kernel.h"

namespace sinter::codegen::emulator {

// Which flat indices are elements of a tensor.
class Shape {
 public:
  Shape() = default;
  Shape(std::vector<int64_t> min, std::vector<int64_t> extent, std::vector<int64_t> stride);

  bool contains(int64_t flat) const {
    flat -= low_;
    return flat >= 0 && flat < span_ && (dense_ || decode(flat, nullptr));
  }
  // "(3, 5)", or the flat index where it is no element.
  std::string coordinates(int64_t flat) const;
  int64_t low() const { return low_; }    // the least flat index: below 0 with negative strides
  int64_t span() const { return span_; }  // from there to one past the greatest
  // Calls f(flat) for every element.
  template <class F>
  void each(F&& f) const {
    if (span_ == 0) return;
    std::vector<int64_t> at(extent_.size(), 0);
    for (;;) {
      int64_t flat = 0;
      for (size_t d = 0; d < at.size(); ++d) flat += at[d] * stride_[d];
      f(flat);
      size_t d = 0;
      while (d < at.size() && ++at[d] == extent_[d]) at[d++] = 0;
      if (d == at.size()) return;
    }
  }

 private:
  bool decode(int64_t from_low, std::vector<int64_t>* at) const;

  std::vector<int64_t> min_, extent_, stride_;
  std::vector<size_t> order_;  // dimensions by decreasing |stride|
  int64_t low_ = 0, span_ = 0;
  bool dense_ = true;          // every index in the span is an element
  bool nested_ = true;         // each index is at most one element: strides allow to decode it
};

// A range of addresses: a tensor, several that overlap, or the workspace.
struct Region {
  uint8_t* begin = nullptr;
  uint8_t* end = nullptr;
  int granule = 1;               // bytes
  bool tracked = false;          // something in it may be written
  std::vector<uint8_t> written;  // per granule: has a value
  Shadow shadow;

  size_t granules() const { return static_cast<size_t>(end - begin) / static_cast<size_t>(granule); }
  size_t cell(const uint8_t* p) const { return static_cast<size_t>(p - begin) / static_cast<size_t>(granule); }
};

class GlobalMemory {
 public:
  struct Tensor {
    uint8_t* data;
    ir::Type type;
    Shape shape;
    bool has_values;  // an input; else it is to be written
  };
  // `tensors`: the arguments. The workspace's contents are undefined at first; its elements have sizes and offsets that are multiples
  // of `workspace_granule` bytes.
  GlobalMemory(const std::vector<Tensor>& tensors, int64_t workspace_bytes, int workspace_granule);

  uint8_t* workspace() { return workspace_begin_; }
  int64_t workspace_bytes() const { return workspace_bytes_; }
  Region& region_of(const uint8_t* p);

 private:
  std::vector<uint8_t> workspace_;
  uint8_t* workspace_begin_ = nullptr;
  int64_t workspace_bytes_ = 0;
  std::vector<Region> regions_;
};

}  // namespace sinter::codegen::emulator
