#include "ir/layout.h"

namespace sinter::ir {

int64_t digit_product(const std::vector<Digit>& digits) {
  int64_t n = 1;
  for (const Digit& d : digits) n *= d.extent;
  return n;
}

static void add_coordinates(const std::vector<Digit>& digits, int64_t index, std::vector<int64_t>& out) {
  for (const Digit& d : digits) {
    if (d.dim >= 0) out[d.dim] += index % d.extent * d.stride;
    index /= d.extent;
  }
}

std::vector<int64_t> coordinates(const Layout& layout, int rank, int64_t reg, int64_t lane, int64_t warp) {
  std::vector<int64_t> out(rank, 0);
  add_coordinates(layout.reg, reg, out);
  add_coordinates(layout.lane, lane, out);
  add_coordinates(layout.warp, warp, out);
  return out;
}

static std::vector<Digit> merged(const std::vector<Digit>& digits) {
  std::vector<Digit> out;
  for (const Digit& d : digits) {
    if (d.extent == 1) continue;
    if (!out.empty()) {
      Digit& last = out.back();
      const bool copies = last.dim < 0 && d.dim < 0;
      const bool follows = last.dim >= 0 && last.dim == d.dim && d.stride == last.stride * last.extent;
      if (copies || follows) {
        last.extent *= d.extent;
        continue;
      }
    }
    out.push_back(d);
    if (d.dim < 0) out.back() = Digit{d.extent, -1, 1};
  }
  return out;
}

int64_t reach(const Layout& l, int dim) {
  int64_t last = 0;
  for (const auto* owner : {&l.reg, &l.lane, &l.warp, &l.cluster})
    for (const Digit& d : *owner)
      if (d.dim == dim) last += (d.extent - 1) * d.stride;
  return last + 1;
}

Layout normalized(Layout layout) {
  layout.reg = merged(layout.reg);
  layout.lane = merged(layout.lane);
  layout.warp = merged(layout.warp);
  layout.cluster = merged(layout.cluster);
  return layout;
}

static std::string owner_text(const char* name, const std::vector<Digit>& digits) {
  std::string s = std::string(" ") + name + "[";
  for (size_t i = 0; i < digits.size(); ++i) {
    const Digit& d = digits[i];
    if (i) s += " ";
    s += std::to_string(d.extent) + ":";
    s += d.dim < 0 ? "none" : "d" + std::to_string(d.dim) + "*" + std::to_string(d.stride);
  }
  return s + "]";
}

std::string to_string(const Layout& layout) {
  const std::string size = "(threads " + std::to_string(layout.threads) + ", vector " + std::to_string(layout.vector) + ")";
  switch (layout.kind) {
    case Layout::Kind::Single: return "single";
    case Layout::Kind::Flat: return "flat" + size;
    case Layout::Kind::Blocked: break;
  }
  std::string s = "blocked" + size + owner_text("reg", layout.reg) + owner_text("lane", layout.lane) + owner_text("warp", layout.warp);
  if (!layout.cluster.empty()) s += owner_text("cluster", layout.cluster);
  return s;
}

}  // namespace sinter::ir
