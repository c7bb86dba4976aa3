#include "scheduler/report/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "ir/diagnostic.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

constexpr int64_t kExampleExtent = 4096;

std::string bytes_text(double b) {
  const char* const units[] = {"B", "KB", "MB", "GB", "TB"};
  int u = 0;
  while (b >= 10000 && u < 4) b /= 1000, ++u;
  return u == 0 ? fmt::format("{:.0f} B", b) : fmt::format("{:.1f} {}", b, units[u]);
}

// Every size that a formula needs has a value afterwards. Strides and addresses do not occur in footprints.
SymMap<int64_t> all_sizes(const ExplainInput& in, std::vector<std::string>* assumed) {
  SymMap<int64_t> sizes = in.sizes;
  for (const FuncDef& f : in.nest->program.funcs)
    for (int d = 0; d < static_cast<int>(f.extent.size()); ++d) {
      if (!f.extent[d] || sizes.count(f.extent[d].get())) continue;
      const int64_t* fixed = d < static_cast<int>(f.fixed_extent.size()) ? as_int(f.fixed_extent[d]) : nullptr;
      sizes[f.extent[d].get()] = fixed ? *fixed : kExampleExtent;
      if (!fixed && assumed) assumed->push_back(f.extent[d]->name);
    }
  for (const ParamDef& p : in.nest->program.params)
    if (p.var->type.is_integer() && !sizes.count(p.var.get())) {
      sizes[p.var.get()] = kExampleExtent;
      if (assumed) assumed->push_back(p.name);
    }
  return sizes;
}

// Bytes that one thread requests before it has to wait: the distinct global loads of the kernel's widest straight-line part.
int64_t bytes_requested(const Kernel& k) {
  const std::unordered_set<int> global(k.buffers.begin(), k.buffers.end());
  int64_t most = 0;
  std::function<int64_t(const Stmt&)> visit = [&](const Stmt& s) -> int64_t {
    int64_t here = 0;
    std::unordered_set<const ExprNode*> seen;
    each_expr(s, [&](const Expr& root) {
      walk(root, [&](const Expr& e) {
        if (e->op == Op::Load && global.count(e->id) && seen.insert(e.get()).second) here += e.type().bytes() * e.type().lanes;
      });
    });
    if (const auto* i = as<IfStmt>(s)) return here + std::max(visit(i->then_body), i->else_body ? visit(i->else_body) : 0);
    if (const auto* q = as<SeqStmt>(s)) {
      for (const Stmt& c : q->stmts) here += visit(c);
      return here;
    }
    if (const auto* l = as<LetStmt>(s)) return here + visit(l->body);
    if (const auto* f = as<ForStmt>(s)) return here + visit(f->body);
    return here;
  };
  for (const Role& r : k.roles)
    if (r.body) most = std::max(most, visit(r.body));
  return most;
}

int blocks_per_sm(const Kernel& k, const DeviceLimits& dev, int registers) {
  int n = dev.max_threads_per_sm / std::max(k.threads, 1);
  if (k.shared_bytes > 0) n = std::min<int>(n, static_cast<int>(dev.shared_bytes_per_sm / (k.shared_bytes + 1024)));
  if (registers > 0) n = std::min<int>(n, static_cast<int>(dev.registers_per_sm / (static_cast<int64_t>(registers) * k.threads)));
  return std::min(n, 32);
}

std::string region_text(const BufferTraffic& a) {
  std::string s;
  for (const Interval& i : a.region)
    s += (s.empty() ? "[" : " x [") + (i.min.defined() ? to_string(i.min) : "?") + ", " + (i.max.defined() ? to_string(i.max) : "?") + "]";
  return s;
}

}  // namespace

TrafficTotals totals(const ExplainInput& in) {
  const SymMap<int64_t> sizes = all_sizes(in, nullptr);
  TrafficTotals t;
  for (const KernelTraffic& k : in.traffic) {
    ++t.launches;
    t.flops += evaluate(k.flops, sizes);
    for (const BufferTraffic& a : k.accesses) {
      const int64_t b = evaluate(a.elements, sizes) * in.nest->program.funcs[a.func].type.bytes();
      (a.write ? t.written : t.read) += b;
    }
  }
  t.compulsory = compulsory_bytes(in.nest->program, in.traffic, sizes);
  return t;
}

std::string explain(const ExplainInput& in) {
  const Program& p = in.nest->program;
  const Target& target = in.module->target;
  const DeviceLimits dev = limits(target);
  std::vector<std::string> assumed;
  const SymMap<int64_t> sizes = all_sizes(in, &assumed);
  const TrafficTotals t = totals(in);
  std::string out = fmt::format("pipeline `{}` for {}\n", p.name, target.to_string());

  std::string at;
  for (const FuncDef& f : p.funcs)
    for (const Sym& e : f.extent)
      if (e) at += fmt::format("{}{} = {}", at.empty() ? "" : ", ", e->name, sizes.at(e.get()));
  if (!at.empty()) out += fmt::format("sizes: {}{}\n", at, assumed.empty() ? "" : "   (those not given are examples)");

  out += fmt::format("\n{} ({} in all; \"elements\" cross HBM once per {}, what blocks share comes from L2)\n",
                     target.is_gpu() ? "kernels" : "passes", in.traffic.size(), target.is_gpu() ? "kernel" : "pass");
  for (const KernelTraffic& k : in.traffic) {
    int64_t read = 0, written = 0;
    out += fmt::format("  {}{}\n", k.name, k.in_host_loop ? "   (launched by a host loop)" : "");
    for (const BufferTraffic& a : k.accesses) {
      const int64_t b = evaluate(a.elements, sizes) * p.funcs[a.func].type.bytes();
      (a.write ? written : read) += b;
      out += fmt::format("    {:5s} {:16s} {:>10s}   {}\n", a.write ? "write" : "read", p.funcs[a.func].name, bytes_text(static_cast<double>(b)), region_text(a));
    }
    const int64_t flops = evaluate(k.flops, sizes);
    const double memory_s = static_cast<double>(read + written) / dev.hbm_bytes_per_second, math_s = static_cast<double>(flops) / dev.fp32_flops;
    out += fmt::format("    HBM {} read + {} written, {:.3g} GFLOP, {:.2f} FLOP/byte; at least {:.1f} us, bound by {}\n", bytes_text(static_cast<double>(read)),
                       bytes_text(static_cast<double>(written)), static_cast<double>(flops) / 1e9,
                       static_cast<double>(flops) / std::max<double>(1, static_cast<double>(read + written)), std::max(memory_s, math_s) * 1e6,
                       memory_s >= math_s ? "memory" : "arithmetic");
  }
  out += fmt::format("total: {} {}, HBM {} read + {} written = {}; compulsory {} ({:.2f}x)\n", t.launches, t.launches == 1 ? "launch" : "launches",
                     bytes_text(static_cast<double>(t.read)), bytes_text(static_cast<double>(t.written)), bytes_text(static_cast<double>(t.read + t.written)),
                     bytes_text(static_cast<double>(t.compulsory)),
                     static_cast<double>(t.read + t.written) / std::max<double>(1, static_cast<double>(t.compulsory)));

  if (!in.module->kernels.empty()) {
    out += "\nversions (the fast one runs where every buffer's base and strides are multiples of its access width and offsets fit 32 bits)\n";
    const double needed = dev.hbm_bytes_per_second * dev.latency_seconds / std::max(dev.sms, 1);
    for (const Kernel& k : in.module->kernels) {
      int registers = 0, spills = 0;
      for (const KernelResources& r : in.resources)
        if (r.kernel == k.name) registers = r.registers, spills = r.spill_bytes;
      const int resident = blocks_per_sm(k, dev, registers);
      const int64_t in_flight = bytes_requested(k) * k.threads * resident;
      out += fmt::format("  {:28s} {:7s} {} threads, shared {} bytes, registers {}{}, {} blocks per SM, {} in flight per SM (need {})\n", k.name,
                         k.fast ? "fast" : "general", k.threads, k.shared_bytes, registers ? std::to_string(registers) : "not assembled",
                         spills ? fmt::format(", SPILLS {} bytes", spills) : "", resident, bytes_text(static_cast<double>(in_flight)), bytes_text(needed));
    }
    for (const Kernel& k : in.module->kernels)
      for (const Allocation& a : k.allocations)
        if (a.memory == Memory::Shared && !k.fast)
          out += fmt::format("  {}: `{}` in shared memory, {} bytes at {}\n", k.name, p.funcs[a.buffer].name, a.elements * a.type.bytes() * a.ring, a.offset);
  }

  out += "\nplacement\n";
  for (const PlacementNote& n : in.nest->placement)
    out += fmt::format("  {:16s} {:24s} {} read{} per point   {}\n", p.funcs[n.func].name, n.where, n.recompute, n.recompute == 1 ? "" : "s", n.reason);

  out += "\nrequires of the caller\n";
  for (const Requirement& r : in.nest->requirements)
    out += fmt::format("  {} dimension {}: [{}, {}] inside [0, extent)\n", p.funcs[r.func].name, r.dim, to_string(r.min), to_string(r.max));
  out += "  outputs overlap no other buffer, and no two elements of an output share memory (checked on entry)\n";

  if (in.obligations) {
    out += fmt::format("\nproofs ({} obligations, {:.1f} ms)\n", in.obligations->size(), in.proof_ms);
    for (const Obligation& o : *in.obligations)
      out += fmt::format("  {:12s} {:9s} {:6.2f} ms  {}{}\n", o.kind, verdict_name(o.verdict), o.milliseconds, o.claim, o.note.empty() ? "" : "   (" + o.note + ")");
  }
  return out;
}

}  // namespace sinter::scheduler
