#include "codegen/emulate/emulate.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

#include "codegen/emulate/block.h"
#include "codegen/runtime/sinter_runtime.h"

namespace sinter::codegen {

const char* fault_name(Fault f) {
  static const char* const names[] = {"data race", "uninitialised read", "out of bounds", "divergence", "misaligned access", "overflow", "coverage"};
  return names[static_cast<int>(f)];
}

EmulationError::EmulationError(Fault fault, ir::Loc loc, const std::string& text)
    : RuntimeError(SINTER_ERR_INTERNAL, (loc.known() ? to_string(loc) + ": " : std::string()) + fault_name(fault) + ": " + text),
      fault_(fault), loc_(loc) {}

namespace {

using emulator::BlockRunner;
using emulator::compile_kernel;
using emulator::GlobalMemory;
using emulator::KernelCode;
using emulator::LaunchContext;
using emulator::Place;
using emulator::Region;
using emulator::Shape;
using ir::as;
using ir::Scalar;
using ir::StmtKind;

Scalar slot_value(ir::Type t, int64_t v) {
  // Floats have their pattern in the low bits.
  return t.is_float() ? Scalar{t, t.bits == 64 ? static_cast<uint64_t>(v) : static_cast<uint64_t>(v) & ((1ull << t.bits) - 1)}
                      : Scalar::of_int(t, v);
}

class Emulation {
 public:
  Emulation(const ir::Module& m, const int64_t* values, const EmulateOptions& o, EmulateReport& report)
      : module_(m), options_(o), report_(report), rng_(o.seed), codes_(m.kernels.size()) {
    for (size_t i = 0; i < m.args.slots.size(); ++i)
      if (const ir::Sym& s = m.args.slots[i]) env_[s.get()] = slot_value(s->type, values[i]);
    std::vector<GlobalMemory::Tensor> tensors;
    int granule = 16;
    for (const ir::Buffer& b : m.buffers) {
      if (b.is_argument)
        tensors.push_back({address(b), b.type, shape(b), !b.is_output});
      else if (b.workspace_offset.defined())
        granule = std::gcd(granule, b.type.bytes());
    }
    const int64_t workspace = m.workspace_bytes.defined() ? value(m.workspace_bytes) : 0;
    memory_ = std::make_unique<GlobalMemory>(tensors, workspace, granule);
  }

  void run() {
    if (module_.entry) stmt(module_.entry);
    if (options_.check_coverage)
      for (const ir::Buffer& b : module_.buffers)
        if (b.is_argument && b.is_output) check_coverage(b);
  }

 private:
  int64_t value(const ir::Expr& e) { return evaluate(e, env_).as_int(); }

  uint8_t* address(const ir::Buffer& b) {
    if (b.is_argument) return reinterpret_cast<uint8_t*>(static_cast<uintptr_t>(env_.at(b.base.get()).bits));
    const int64_t offset = value(b.workspace_offset);
    const int64_t bytes = b.bytes.defined() ? value(b.bytes) : 0;
    if (offset < 0 || offset % b.type.bytes() != 0 || offset + bytes > memory_->workspace_bytes())
      throw ir::InternalError("scratch `" + b.name + "` does not lie in the workspace");
    return memory_->workspace() + offset;
  }

  Shape shape(const ir::Buffer& b) {
    std::vector<int64_t> min, extent, stride;
    int64_t compact = 1;
    for (size_t d = 0; d < b.extent.size(); ++d) {
      min.push_back(d < b.min.size() && b.min[d].defined() ? value(b.min[d]) : 0);
      extent.push_back(value(b.extent[d]));
      stride.push_back(d < b.stride.size() && b.stride[d].defined() ? value(b.stride[d]) : compact);
      compact *= extent.back();
    }
    return Shape(std::move(min), std::move(extent), std::move(stride));
  }

  void stmt(const ir::Stmt& s) {
    switch (s->kind) {
      case StmtKind::Seq:
        for (const ir::Stmt& c : as<ir::SeqStmt>(s)->stmts) stmt(c);
        return;
      case StmtKind::Let: {
        const auto* let = as<ir::LetStmt>(s);
        env_[let->var.get()] = evaluate(let->value, env_);
        return stmt(let->body);
      }
      case StmtKind::If: {
        const auto* node = as<ir::IfStmt>(s);
        if (evaluate(node->cond, env_).as_bool()) stmt(node->then_body);
        else if (node->else_body) stmt(node->else_body);
        return;
      }
      case StmtKind::For: {
        const auto* loop = as<ir::ForStmt>(s);
        if (loop->loop != ir::LoopKind::Serial) break;
        const int64_t min = value(loop->min), extent = value(loop->extent);
        for (int64_t i = min; i < min + extent; ++i) {
          env_[loop->var.get()] = Scalar::of_int(loop->var->type, i);
          stmt(loop->body);
        }
        return;
      }
      case StmtKind::Check: return check(*as<ir::CheckStmt>(s));
      case StmtKind::Launch: return launch(*as<ir::LaunchStmt>(s));
      case StmtKind::Memset: return memset(module_.buffers.at(static_cast<size_t>(as<ir::MemsetStmt>(s)->buffer)));
      default: break;
    }
    throw ir::InternalError("the emulator met an entry statement that is not of the device form");
  }

  void check(const ir::CheckStmt& c) {
    const int64_t given = value(c.given), needed = value(c.needed);
    const bool holds = c.relation == ir::CheckStmt::AtLeast ? given >= needed
                       : c.relation == ir::CheckStmt::Equal ? given == needed
                                                            : needed != 0 && given % needed == 0;
    if (holds) return;
    sinter_rt_fail_requires(module_.program.name.c_str(), c.what.c_str(), needed, given);
    throw ir::RuntimeError(SINTER_ERR_REQUIRES, sinter_last_error());
  }

  void memset(const ir::Buffer& b) {
    uint8_t* at = address(b);
    const int64_t bytes = value(b.bytes);
    if (bytes <= 0) return;
    std::fill(at, at + bytes, uint8_t(0));
    Region& r = memory_->region_of(at);
    std::fill(r.written.begin() + static_cast<int64_t>(r.cell(at)), r.written.begin() + static_cast<int64_t>(r.cell(at + bytes - 1)) + 1, uint8_t(1));
  }

  void launch(const ir::LaunchStmt& l) {
    const size_t index = static_cast<size_t>(l.kernel);
    const ir::Kernel& k = module_.kernels.at(index);
    const int64_t grid = value(l.grid);
    if (grid <= 0) return;
    if (!codes_[index]) codes_[index] = std::make_unique<KernelCode>(compile_kernel(k));
    LaunchContext context = prepare(k, *codes_[index]);
    BlockRunner runner(context, options_, report_);
    std::vector<int64_t> order(static_cast<size_t>(grid));
    std::iota(order.begin(), order.end(), int64_t(0));
    std::shuffle(order.begin(), order.end(), rng_);
    for (int64_t b : order) runner.run(b, rng_);
    blocks_ += static_cast<uint32_t>(grid);
    ++report_.launches;
    report_.blocks += grid;
  }

  LaunchContext prepare(const ir::Kernel& k, const KernelCode& code) {
    LaunchContext c;
    c.code = &code;
    c.first_block = blocks_;
    c.places.resize(module_.buffers.size());
    for (int id : k.buffers) {
      const ir::Buffer& b = module_.buffers.at(static_cast<size_t>(id));
      Place& p = c.places[static_cast<size_t>(id)];
      p.kind = Place::Kind::Global;
      p.name = b.name;
      p.type = b.type;
      p.base = address(b);
      p.shape = shape(b);
      p.writable = std::find(k.written.begin(), k.written.end(), id) != k.written.end();
      if (p.shape.span() > 0) p.region = &memory_->region_of(p.base + p.shape.low() * p.type.bytes());
    }
    for (const ir::Allocation& a : k.allocations) {
      if (static_cast<size_t>(a.buffer) >= c.places.size()) c.places.resize(static_cast<size_t>(a.buffer) + 1);
      Place& p = c.places[static_cast<size_t>(a.buffer)];
      const size_t id = static_cast<size_t>(a.buffer);
      p.name = id < module_.buffers.size() && !module_.buffers[id].name.empty() ? module_.buffers[id].name
               : id < module_.program.funcs.size()                              ? module_.program.funcs[id].name
                                                                                : "buffer " + std::to_string(a.buffer);
      p.type = a.type.element();
      p.elements = a.elements;
      if (a.memory == ir::Memory::Register) {
        p.kind = Place::Kind::Register;
        p.offset = c.registers;
        c.registers += a.elements;
      } else {
        p.kind = Place::Kind::Shared;
        p.offset = a.offset;
        if (a.offset < 0 || a.offset % p.type.bytes() != 0 || a.offset + a.elements * p.type.bytes() > k.shared_bytes)
          throw ir::InternalError("`" + p.name + "` does not lie in the shared memory of kernel `" + k.name + "`");
      }
    }
    c.shared_bytes = k.shared_bytes;
    for (const ir::Sym& s : k.scalars) {
      const auto it = env_.find(s.get());
      if (it == env_.end()) throw ir::InternalError("scalar `" + s->name + "` of kernel `" + k.name + "` has no value at its launch");
      c.scalars[s.get()] = it->second.bits;
    }
    return c;
  }

  void check_coverage(const ir::Buffer& b) {
    const Shape s = shape(b);
    if (s.span() == 0) return;
    uint8_t* base = address(b);
    const Region& r = memory_->region_of(base + s.low() * b.type.bytes());
    s.each([&](int64_t flat) {
      if (!r.written[r.cell(base + flat * b.type.bytes())])
        throw EmulationError(Fault::Coverage, module_.program.funcs.at(static_cast<size_t>(b.func)).loc,
                             "`" + b.name + "`" + s.coordinates(flat) + " is never written");
    });
  }

  const ir::Module& module_;
  const EmulateOptions& options_;
  EmulateReport& report_;
  std::mt19937_64 rng_;
  ir::SymMap<Scalar> env_;
  std::unique_ptr<GlobalMemory> memory_;
  std::vector<std::unique_ptr<KernelCode>> codes_;
  uint32_t blocks_ = 1;  // so far; no block has number 0
};

}  // namespace

void emulate(const ir::Module& module, const int64_t* values, const EmulateOptions& options, EmulateReport* report) {
  EmulateReport unused;
  EmulateReport& r = report ? *report : unused;
  r = {};
  Emulation(module, values, options, r).run();
}

}  // namespace sinter::codegen
