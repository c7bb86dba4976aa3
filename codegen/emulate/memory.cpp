#include "codegen/emulate/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace sinter::codegen::emulator {

Shape::Shape(std::vector<int64_t> min, std::vector<int64_t> extent, std::vector<int64_t> stride)
    : min_(std::move(min)), extent_(std::move(extent)), stride_(std::move(stride)) {
  min_.resize(extent_.size(), 0);
  int64_t high = 0;
  bool empty = false;
  for (size_t d = 0; d < extent_.size(); ++d) {
    empty = empty || extent_[d] <= 0;
    (stride_[d] < 0 ? low_ : high) += (extent_[d] - 1) * stride_[d];
    order_.push_back(d);
  }
  span_ = empty ? 0 : high - low_ + 1;
  std::sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return std::abs(stride_[a]) > std::abs(stride_[b]); });
  int64_t below = 0, elements = 1;  // the reach of the dimensions with smaller strides
  for (auto d = order_.rbegin(); d != order_.rend(); ++d) {
    if (extent_[*d] <= 1) continue;
    nested_ = nested_ && std::abs(stride_[*d]) > below;
    below += (extent_[*d] - 1) * std::abs(stride_[*d]);
    elements *= extent_[*d];
  }
  dense_ = !nested_ || elements == span_;
}

bool Shape::decode(int64_t rest, std::vector<int64_t>* at) const {
  if (at) at->assign(extent_.size(), 0);
  for (size_t d : order_) {
    const int64_t step = std::abs(stride_[d]);
    const int64_t i = step == 0 || extent_[d] <= 1 ? 0 : rest / step;
    if (i >= extent_[d]) return false;
    rest -= i * step;
    if (at) (*at)[d] = min_[d] + (stride_[d] < 0 ? extent_[d] - 1 - i : i);
  }
  return rest == 0;
}

std::string Shape::coordinates(int64_t flat) const {
  std::vector<int64_t> at;
  if (flat < low_ || flat >= low_ + span_ || !nested_ || !decode(flat - low_, &at)) return "[" + std::to_string(flat) + "]";
  std::string s = "(";
  for (size_t d = 0; d < at.size(); ++d) s += (d ? ", " : "") + std::to_string(at[d]);
  return s + ")";
}

GlobalMemory::GlobalMemory(const std::vector<Tensor>& tensors, int64_t workspace_bytes, int workspace_granule) : workspace_bytes_(workspace_bytes) {
  constexpr size_t align = 256;
  workspace_.resize(static_cast<size_t>(workspace_bytes) + align);
  workspace_begin_ = workspace_.data() + (align - reinterpret_cast<uintptr_t>(workspace_.data()) % align) % align;

  struct Piece {
    uint8_t *begin, *end;
    int bytes;
    bool has_values;
  };
  std::vector<Piece> pieces;
  for (const Tensor& t : tensors) {
    if (t.shape.span() == 0) continue;
    uint8_t* begin = t.data + t.shape.low() * t.type.bytes();
    pieces.push_back({begin, begin + t.shape.span() * t.type.bytes(), t.type.bytes(), t.has_values});
  }
  if (workspace_bytes > 0) pieces.push_back({workspace_begin_, workspace_begin_ + workspace_bytes, workspace_granule, false});
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });

  for (size_t i = 0; i < pieces.size();) {
    Region r{pieces[i].begin, pieces[i].end, pieces[i].bytes, !pieces[i].has_values, {}, {}};
    size_t j = i + 1;
    for (; j < pieces.size() && pieces[j].begin < r.end; ++j) {
      r.end = std::max(r.end, pieces[j].end);
      r.granule = std::gcd(std::gcd(r.granule, pieces[j].bytes), static_cast<int>(pieces[j].begin - r.begin));
      r.tracked = r.tracked || !pieces[j].has_values;
    }
    if (r.tracked) {
      r.written.assign(r.granules(), 0);
      for (size_t k = i; k < j; ++k)
        if (pieces[k].has_values)
          std::fill(r.written.begin() + static_cast<int64_t>(r.cell(pieces[k].begin)),
                    r.written.begin() + static_cast<int64_t>(r.cell(pieces[k].end)), 1);
      r.shadow.resize(r.granules());
    }
    regions_.push_back(std::move(r));
    i = j;
  }
}

Region& GlobalMemory::region_of(const uint8_t* p) {
  for (Region& r : regions_)
    if (p >= r.begin && p < r.end) return r;
  throw ir::InternalError("the emulator has no memory at an address that it computed");
}

}  // namespace sinter::codegen::emulator
