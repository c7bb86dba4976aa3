#include "scheduler/report/costs.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinter::scheduler {

using namespace ir;

namespace {

constexpr int64_t kExampleExtent = 4096;

// Every size that a formula needs has a value afterwards; strides and addresses occur in none.
// Inputs that were not given are as large as the outputs need.
SymMap<int64_t> all_sizes(const Nest& nest, SymMap<int64_t> sizes, bool* assumed, bool* estimated) {
  const Program& p = nest.program;
  const auto assume = [&](const Sym& s, int64_t value) {
    const auto estimate = nest.estimates.find(s.get());
    if (!sizes.emplace(s.get(), estimate == nest.estimates.end() ? value : estimate->second).second)
      return;
    *(estimate != nest.estimates.end() ? estimated : assumed) = true;
  };
  for (const FuncDef& f : p.funcs)
    for (size_t d = 0; d < std::min(f.extent.size(), f.fixed_extent.size()); ++d)
      if (const int64_t* fixed = f.extent[d] ? as_int(f.fixed_extent[d]) : nullptr)
        sizes.emplace(f.extent[d].get(), *fixed);
  for (const ParamDef& param : p.params)
    if (param.var->type.is_integer()) assume(param.var, kExampleExtent);
  for (size_t f = 0; f < p.funcs.size(); ++f)
    if (p.is_output(static_cast<FuncId>(f)))
      for (const Sym& e : p.funcs[f].extent) assume(e, kExampleExtent);
  for (const Requirement& r : nest.requirements) {
    const std::vector<Sym> vars = free_vars(r.max);
    const auto known = [&](const Sym& s) { return sizes.count(s.get()) > 0; };
    if (std::all_of(vars.begin(), vars.end(), known))
      assume(p.funcs[r.func].extent[r.dim], std::max<int64_t>(evaluate(r.max, sizes) + 1, 1));
  }
  for (const FuncDef& f : p.funcs)
    for (const Sym& e : f.extent)
      if (e) assume(e, kExampleExtent);
  return sizes;
}

// "image 768 x 512 x 3, amount ..."
std::string sizes_text(const Program& p, const SymMap<int64_t>& sizes) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  for (const Argument& a : p.args) {
    if (a.kind == Argument::Kind::Param) {
      const auto it = sizes.find(p.params[a.id].var.get());
      if (it != sizes.end()) add(p.params[a.id].name + " = " + std::to_string(it->second));
      continue;
    }
    std::string shape;
    for (const Sym& e : p.funcs[a.id].extent)
      shape += (shape.empty() ? "" : " x ") + std::to_string(sizes.at(e.get()));
    add(p.funcs[a.id].name + (shape.empty() ? " scalar" : " " + shape));
  }
  return out;
}

std::string region_text(const BufferTraffic& a, const SymMap<int64_t>& sizes) {
  std::string s;
  for (const Interval& i : a.region)
    s += fmt::format("{}[{}, {}]", s.empty() ? "" : " x ", evaluate(i.min, sizes), evaluate(i.max, sizes));
  return s;
}

}  // namespace

std::string scaled_text(double v, const std::array<const char*, 5>& units) {
  size_t u = 0;
  while (v >= 999.5 && u + 1 < units.size()) v /= 1000, ++u;
  const int digits = u == 0 || v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", v, digits, units[u]);
}
std::string bytes_text(int64_t b) {
  return scaled_text(static_cast<double>(b), {"B", "KB", "MB", "GB", "TB"});
}
std::string flops_text(int64_t n) {
  return scaled_text(static_cast<double>(n), {"FLOP", "KFLOP", "MFLOP", "GFLOP", "TFLOP"});
}
std::string seconds_text(double seconds) { return scaled_text(seconds * 1e9, {"ns", "us", "ms", "s", "ks"}); }

double KernelCost::intensity() const { return static_cast<double>(flops) / static_cast<double>(std::max<int64_t>(bytes(), 1)); }

double KernelCost::seconds(const DeviceLimits& device) const {
  return std::max(static_cast<double>(bytes()) / device.hbm_bytes_per_second, static_cast<double>(flops) / device.fp32_flops);
}

bool KernelCost::memory_bound(const DeviceLimits& device) const {
  return static_cast<double>(bytes()) / device.hbm_bytes_per_second >= static_cast<double>(flops) / device.fp32_flops;
}

Costs measure_costs(const Nest& nest, const std::vector<KernelTraffic>& traffic, const SymMap<int64_t>& given) {
  Costs out;
  const SymMap<int64_t> sizes = all_sizes(nest, given, &out.assumed, &out.estimated);
  out.sizes = sizes_text(nest.program, sizes);
  out.values = sizes;
  for (const KernelTraffic& k : traffic) {
    KernelCost cost{k.name, evaluate(k.launches, sizes), 0, 0, evaluate(k.flops, sizes), {}};
    for (const BufferTraffic& a : k.accesses) {
      const FuncDef& f = nest.program.funcs[a.func];
      const int64_t bytes = cost.launches * evaluate(a.elements, sizes) * f.type.bytes();
      (a.write ? cost.written : cost.read) += bytes;
      cost.buffers.push_back({f.name, a.write, bytes, region_text(a, sizes)});
    }
    out.total.launches += cost.launches;
    out.total.flops += cost.flops;
    out.total.read += cost.read;
    out.total.written += cost.written;
    out.kernels.push_back(std::move(cost));
  }
  out.total.compulsory = compulsory_bytes(nest.program, traffic, sizes);
  return out;
}

}  // namespace sinter::scheduler
