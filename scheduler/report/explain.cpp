#include "scheduler/report/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "ir/diagnostic.h"
#include "ir/transform/simplify.h"
#include "scheduler/report/in_flight.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

std::string plural(int64_t n, const std::string& one, const std::string& many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}
double ratio(int64_t a, int64_t b) {
  return static_cast<double>(a) / static_cast<double>(std::max<int64_t>(b, 1));
}

int blocks_per_sm(const Kernel& k, const DeviceLimits& dev, int registers) {
  int n = dev.max_threads_per_sm / std::max(k.threads, 1);
  if (k.shared_bytes > 0)
    n = std::min<int>(n, static_cast<int>(dev.shared_bytes_per_sm / (k.shared_bytes + 1024)));
  if (registers > 0)
    n = std::min<int>(
        n, static_cast<int>(dev.registers_per_sm / (static_cast<int64_t>(registers) * k.threads)));
  return std::min(n, 32);
}

// What the caller owes, without what holds by itself: the terms t of `max` with t < extent not
// obvious.
void collect_needed(const Expr& max, const Expr& extent, std::vector<std::string>& needed) {
  const Expr last = simplify(extent - 1);
  const std::function<bool(const Expr&)> holds = [&](const Expr& e) {
    if (equal_structure(simplify(e), last)) return true;
    return e->op == Op::Min && (holds(e->args[0]) || holds(e->args[1]));
  };
  if (max->op == Op::Max) {
    collect_needed(max->args[0], extent, needed);
    collect_needed(max->args[1], extent, needed);
  } else if (!holds(max)) {
    const std::string text = to_string(simplify(max + 1));
    if (std::find(needed.begin(), needed.end(), text) == needed.end()) needed.push_back(text);
  }
}

std::string requirements_text(const Nest& nest) {
  std::string out;
  for (const Requirement& r : nest.requirements) {
    const Sym& extent = nest.program.funcs[r.func].extent[r.dim];
    std::vector<std::string> needed;
    collect_needed(simplify(r.max), make_var(extent), needed);
    // At least one element is implied by anything else that is asked for.
    if (needed.size() > 1) std::erase(needed, "1");
    for (const std::string& n : needed) out += "  " + extent->name + " >= " + n + "\n";
    const int64_t* min = as_int(simplify(r.min));
    if (!min || *min < 0)
      out += fmt::format("  {} >= 0, the first coordinate of `{}` that is used in dimension {}\n",
                         to_string(simplify(r.min)), nest.program.funcs[r.func].name, r.dim);
  }
  return out + "  outputs overlap no other buffer, and no two elements of an output share memory\n";
}

std::string registers_text(const KernelResources& r) {
  if (r.registers) return fmt::format("{} registers{}", r.registers, r.estimated ? fmt::format(" (estimated {})", r.estimated) : "");
  return r.estimated ? fmt::format("about {} registers (ptxas would tell)", r.estimated) : "registers unknown";
}

std::string versions_text(const ExplainInput& in, const DeviceLimits& dev, const SymMap<int64_t>& sizes) {
  if (in.module->kernels.empty()) return "";
  size_t width = 0;
  for (const Kernel& k : in.module->kernels) width = std::max(width, k.name.size());
  std::string out =
      "\nversions (chosen at each call: the fast one where the base and strides of every buffer "
      "are\n"
      "multiples of its access width and byte offsets fit 32 bits)\n";
  const double needed = dev.hbm_bytes_per_second * dev.latency_seconds / std::max(dev.sms, 1);
  for (size_t i = 0; i < in.module->kernels.size(); ++i) {
    const Kernel& k = in.module->kernels[i];
    KernelResources r;
    for (const KernelResources& known : in.resources)
      if (known.kernel == k.name) r = known;
    const int resident = blocks_per_sm(k, dev, r.registers ? r.registers : r.estimated);
    const InFlight requested = measure_in_flight(*in.module, i, sizes, r.registers ? r.registers : r.estimated);
    const int64_t busy = std::min<int64_t>(resident, (requested.blocks + dev.sms - 1) / std::max(dev.sms, 1));
    const int64_t in_flight = requested.bytes_per_block * busy;
    out += fmt::format(
        "  {:{}s}  {:7s}  {} threads, {} shared, {}{}, {} per SM, {} in flight per SM (need {})\n",
        k.name, width, k.fast ? "fast" : "general", k.threads, bytes_text(k.shared_bytes), registers_text(r),
        r.spill_bytes ? fmt::format(", SPILLS {} bytes", r.spill_bytes) : "", plural(resident, "block", "blocks"),
        bytes_text(in_flight), bytes_text(static_cast<int64_t>(needed)));
  }
  for (const Kernel& k : in.module->kernels)
    for (const Allocation& a : k.allocations)
      if (a.memory == Memory::Shared && k.fast)
        out += fmt::format("  `{}` in shared memory: {} bytes at {}\n", in.module->buffers[a.buffer].name,
                           a.elements * a.type.bytes() * a.ring, a.offset);
  return out;
}

std::string placement_text(const Nest& nest) {
  const Program& p = nest.program;
  size_t name = 0, where = 0;
  for (const PlacementNote& n : nest.placement) {
    name = std::max(name, p.funcs[n.func].name.size());
    where = std::max(where, n.where.size());
  }
  std::string out = "\nplacement\n";
  for (const PlacementNote& n : nest.placement) {
    std::string why = n.reason;
    // What inlining repeats, or would repeat.
    if (why.find("reads x") != std::string::npos)
      why = "cheap to repeat: " + why;
    else if (n.recompute > 1 && !p.is_output(n.func))
      why += fmt::format(" ({} reads per point of a consumer)", n.recompute);
    out += fmt::format("  {:{}s}  {:{}s}  {}\n", p.funcs[n.func].name, name, n.where, where, why);
  }
  return out;
}

}  // namespace

std::string explain(const ExplainInput& in) {
  const Program& p = in.nest->program;
  const Target& target = in.module->target;
  const DeviceLimits dev = limits(target);
  const Costs costs = measure_costs(*in.nest, in.traffic, in.sizes);
  const TrafficTotals& t = costs.total;
  const bool gpu = target.is_gpu();
  const char* const memory = gpu ? "HBM" : "memory";
  std::string out = fmt::format("pipeline `{}` for {}\n", p.name, target.to_string());
  if (!costs.sizes.empty())
    out += "sizes: " + costs.sizes +
           (costs.assumed ? costs.estimated ? "   (estimates and examples: no arguments were given)" : "   (examples: no arguments were given)"
            : costs.estimated ? "   (estimates: no arguments were given)"
                              : "") +
           "\n";

  const int64_t n = static_cast<int64_t>(costs.kernels.size());
  out += gpu ? fmt::format(
                   "\n{} (bytes that cross HBM: each once a launch, what its blocks share comes "
                   "from L2)\n",
                   plural(n, "kernel", "kernels"))
             : fmt::format(
                   "\n{} over memory (each byte once a pass, what its loops share comes from a "
                   "cache)\n",
                   plural(n, "pass", "passes"));
  size_t width = 0;
  for (const KernelCost& k : costs.kernels)
    for (const BufferCost& b : k.buffers) width = std::max(width, b.name.size());
  for (const KernelCost& k : costs.kernels) {
    out += "  " + k.name;
    if (k.launches != 1) out += fmt::format("   ({} {} by a host loop)", k.launches, gpu ? "launches" : "times");
    out += "\n";
    for (const BufferCost& b : k.buffers)
      out += fmt::format("    {:5s} {:{}s} {:>9s}   {}\n", b.write ? "write" : "read", b.name, width, bytes_text(b.bytes), b.region);
    out += fmt::format("    {} read + {} written, {}, {:.2f} FLOP/byte; at least {:.2f} us, bound by {}\n", bytes_text(k.read), bytes_text(k.written),
                       flops_text(k.flops), k.intensity(), k.seconds(dev) * 1e6, k.memory_bound(dev) ? "memory" : "arithmetic");
  }
  const int64_t moved = t.read + t.written;
  out += fmt::format(
      "total: {}, {} of {} ({} read + {} written), {:.2f}x the compulsory {}\n",
      gpu ? plural(t.launches, "launch", "launches") : plural(t.launches, "pass", "passes"),
      bytes_text(moved), memory, bytes_text(t.read), bytes_text(t.written),
      ratio(moved, t.compulsory), bytes_text(t.compulsory));
  out += versions_text(in, dev, costs.values);
  out += placement_text(*in.nest);
  out += "\nrequired of the caller, checked at each call\n" + requirements_text(*in.nest);

  if (in.obligations) {
    const auto proved =
        std::count_if(in.obligations->begin(), in.obligations->end(),
                      [](const Obligation& o) { return o.verdict == Verdict::Proved; });
    out += fmt::format(
        "\nproofs ({}, {} of them proved, {:.1f} ms)\n",
        plural(static_cast<int64_t>(in.obligations->size()), "obligation", "obligations"), proved,
        in.proof_ms);
    for (const Obligation& o : *in.obligations)
      out += fmt::format("  {:12s} {:9s} {:6.2f} ms  {}{}\n", o.kind, verdict_name(o.verdict),
                         o.milliseconds, o.claim, o.note.empty() ? "" : "   (" + o.note + ")");
  }
  return out;
}

}  // namespace sinter::scheduler
