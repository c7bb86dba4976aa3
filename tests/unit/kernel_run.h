// A small executor of Modules for tests of lowering: plain recursion over final host and Kernel forms, threads of a block in lock step at
// statements that hold barriers. Checks bounds of every access, alignment that vector accesses claim, and that registers are indexed
// by literals. (The emulator, which knows about races, is in codegen/emulate; this one shares nothing with it.)
#pragma once

#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "ir/eval/scalar.h"
#include "ir/kernel.h"
#include "ir/analysis/visit.h"

namespace kernel_test {

using namespace sinter::ir;

struct Tensor {
  Type type;
  std::vector<int64_t> extent, stride;
  std::vector<uint8_t> bytes;
  uint64_t address = 4096;  // pretended: only its alignment matters
  int64_t elements() const {
    int64_t last = 0;
    for (size_t d = 0; d < extent.size(); ++d) last += (extent[d] - 1) * stride[d];
    return last + 1;
  }
  Tensor() = default;
  Tensor(Type t, std::vector<int64_t> e, std::vector<int64_t> s = {}) : type(t), extent(std::move(e)), stride(std::move(s)) {
    if (stride.empty()) {
      int64_t n = 1;
      for (const int64_t x : extent) stride.push_back(n), n *= x;
    }
    bytes.assign(static_cast<size_t>(std::max<int64_t>(elements(), 0)) * type.bytes(), 0xcd);
  }
  uint8_t* at(const std::vector<int64_t>& i) {
    int64_t o = 0;
    for (size_t d = 0; d < i.size(); ++d) o += i[d] * stride[d];
    return bytes.data() + o * type.bytes();
  }
};

class ModuleRunner {
 public:
  explicit ModuleRunner(const Module& m) : m_(m) {}

  // `tensors` and `params` in argument order, mixed by kind. Returns false where a Check fails (its text is in `failed`).
  bool run(const std::vector<Tensor*>& tensors, const std::vector<Scalar>& params = {}) {
    size_t t = 0, p = 0, slot = 0;
    for (const Argument& a : m_.program.args) {
      if (a.kind == Argument::Kind::Param) {
        env_[m_.args.slots[slot++].get()] = {params.at(p++).bits};
        continue;
      }
      Tensor* x = tensors.at(t++);
      memory_[a.id] = {x->bytes.data(), x->elements(), x->type, x->address};
      env_[m_.args.slots[slot++].get()] = {x->address};
      for (const int64_t e : x->extent) bind(slot, e);
      for (const int64_t s : x->stride) bind(slot, s);
    }
    if (m_.workspace_bytes.defined()) {
      workspace_.assign(static_cast<size_t>(number(m_.workspace_bytes)), 0xee);
      for (size_t f = 0; f < m_.buffers.size(); ++f) {
        const Buffer& b = m_.buffers[f];
        if (!b.workspace_offset.defined()) continue;
        const int64_t offset = number(b.workspace_offset), bytes = number(b.bytes);
        if (offset + bytes > static_cast<int64_t>(workspace_.size())) throw std::runtime_error("scratch outside the workspace");
        memory_[static_cast<int>(f)] = {workspace_.data() + offset, bytes / b.type.bytes(), b.type, 4096};
      }
    }
    failed.clear();
    exec_host(m_.entry);
    return failed.empty();
  }

  std::string failed;
  std::vector<int> launched;  // kernels, in order
  int64_t global_loads = 0, vector_loads = 0, barriers = 0;

 private:
  using Value = std::vector<uint64_t>;
  struct Memory_ {
    uint8_t* data;
    int64_t elements;
    Type type;
    uint64_t address;
  };
  struct Thread {
    SymMap<Value> env;
    std::map<int, std::vector<uint8_t>> registers;
  };

  void bind(size_t& slot, int64_t v) {
    if (m_.args.slots[slot]) env_[m_.args.slots[slot].get()] = {static_cast<uint64_t>(v)};
    ++slot;
  }

  // ---- expressions ----------------------------------------------------------------------------------------------------
  struct Frame {
    SymMap<Value>* env;
    const SymMap<Value>* outer = nullptr;
    std::map<int, Memory_> registers;
    std::unordered_map<const ExprNode*, Value> memo;
    std::unordered_set<int> register_ids;
  };

  const Value& variable(Frame& f, const Sym& s) {
    if (const auto it = f.env->find(s.get()); it != f.env->end()) return it->second;
    if (f.outer)
      if (const auto it = f.outer->find(s.get()); it != f.outer->end()) return it->second;
    throw std::runtime_error("unbound variable " + s->name);
  }

  uint8_t* element(Frame& f, int buffer, int64_t i) {
    Memory_ mem;
    if (const auto it = f.registers.find(buffer); it != f.registers.end()) mem = it->second;
    else if (const auto g = memory_.find(buffer); g != memory_.end()) mem = g->second;
    else throw std::runtime_error("no memory for buffer " + std::to_string(buffer));
    if (i < 0 || i >= mem.elements)
      throw std::runtime_error("element " + std::to_string(i) + " of " + m_.program.funcs[buffer].name + ", which has " + std::to_string(mem.elements));
    return mem.data + i * mem.type.bytes();
  }

  void check_alignment(int buffer, int64_t index, int64_t align, Type t) {
    if (align <= 1) return;
    const auto it = memory_.find(buffer);
    const uint64_t base = it == memory_.end() ? 0 : it->second.address;
    if ((base + index * t.bytes()) % (align * t.bytes()) != 0) throw std::runtime_error("misaligned access to " + m_.program.funcs[buffer].name);
  }

  int64_t number(const Expr& e) {
    Frame f{&env_, nullptr, {}, {}, {}};
    return static_cast<int64_t>(eval(f, e)[0]);
  }

  static int64_t signed_index(const Expr& e, uint64_t bits) { return e.type().bits == 32 ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits); }

  Value eval(Frame& f, const Expr& e) {
    if (e->op == Op::Var) return variable(f, e->var);
    if (const auto it = f.memo.find(e.get()); it != f.memo.end()) return it->second;
    Value v = compute(f, e);
    if (v.size() != e.type().lanes) throw std::runtime_error("lanes");
    f.memo[e.get()] = v;
    return v;
  }

  Value compute(Frame& f, const Expr& e) {
    const int n = e.type().lanes;
    switch (e->op) {
      case Op::IntImm: case Op::FloatImm: return {scalar_of(e)->bits};
      case Op::Ramp: {
        const uint64_t b = eval(f, e->args[0])[0], s = eval(f, e->args[1])[0];
        Value out;
        for (int i = 0; i < n; ++i)
          out.push_back(Scalar::of_int(e.type().element(), static_cast<int64_t>(b) + i * static_cast<int64_t>(s)).bits);
        return out;
      }
      case Op::Broadcast: return Value(n, eval(f, e->args[0])[0]);
      case Op::Lane: return {eval(f, e->args[0]).at(e->i)};
      case Op::Concat: {
        Value out;
        for (const Expr& a : e->args) out.push_back(eval(f, a)[0]);
        return out;
      }
      case Op::Load: {
        const Value index = eval(f, e->args[0]);
        Value mask(n, 1);
        if (e->args.size() > 1) mask = eval(f, e->args[1]);
        check_alignment(e->id, signed_index(e->args[0], index[0]), e->i, e.type());
        if (!f.registers.count(e->id)) ++(n > 1 ? vector_loads : global_loads);
        Value out;
        for (int i = 0; i < n; ++i)
          out.push_back(mask[mask.size() == 1 ? 0 : i] ? load_bits(e.type().element(), element(f, e->id, signed_index(e->args[0], index[i]))) : 0);
        return out;
      }
      case Op::Let: {
        const Value v = eval(f, e->args[0]);
        (*f.env)[e->var.get()] = v;
        return eval(f, e->args[1]);
      }
      case Op::Call: throw std::runtime_error("a Call in final form");
      default: break;
    }
    std::vector<Value> args;
    for (const Expr& a : e->args) args.push_back(eval(f, a));
    if (e->op == Op::Strict) return args[0];
    const ScalarFn fn = scalar_fn(e->op, e->fn, e->args[e->op == Op::Select ? 1 : 0].type().element(), e.type().element());
    if (!fn) throw std::runtime_error(std::string("no scalar function for ") + op_name(e->op));
    args.resize(3, Value{0});
    const auto lane = [](const Value& v, int i) { return v.size() == 1 ? v[0] : v.at(i); };
    Value out;
    for (int i = 0; i < n; ++i) out.push_back(fn(lane(args[0], i), lane(args[1], i), lane(args[2], i)));
    return out;
  }

  void store(Frame& f, const StoreStmt& s) {
    const Value index = eval(f, s.index), value = eval(f, s.value);
    Value mask(value.size(), 1);
    if (s.mask.defined()) mask = eval(f, s.mask);
    if (index.size() != value.size()) throw std::runtime_error("store: lanes differ");
    check_alignment(s.buffer, signed_index(s.index, index[0]), s.align, s.value.type());
    for (size_t i = 0; i < value.size(); ++i)
      if (mask[mask.size() == 1 ? 0 : i]) store_bits(s.value.type().element(), value[i], element(f, s.buffer, signed_index(s.index, index[i])));
  }

  // ---- host -----------------------------------------------------------------------------------------------------------
  void exec_host(const Stmt& s) {
    if (!s || !failed.empty()) return;
    Frame f{&env_, nullptr, {}, {}, {}};
    if (const auto* q = as<SeqStmt>(s)) for (const Stmt& c : q->stmts) exec_host(c);
    else if (const auto* l = as<LetStmt>(s)) {
      env_[l->var.get()] = eval(f, l->value);
      exec_host(l->body);
    } else if (const auto* i = as<IfStmt>(s)) {
      if (eval(f, i->cond)[0]) exec_host(i->then_body);
      else exec_host(i->else_body);
    } else if (const auto* l = as<ForStmt>(s)) {
      if (l->loop != LoopKind::Serial && l->loop != LoopKind::Parallel) throw std::runtime_error("a loop kind that is not final");
      const int64_t min = number(l->min), n = signed_index(l->extent, static_cast<uint64_t>(number(l->extent)));
      for (int64_t i = 0; i < n; ++i) {
        env_[l->var.get()] = {Scalar::of_int(l->var->type, min + i).bits};
        exec_host(l->body);
      }
    } else if (const auto* a = as<AllocStmt>(s)) {
      int64_t n = 1;
      for (const Region& r : a->region) n *= std::max<int64_t>(0, static_cast<int32_t>(number(r.extent)));
      std::vector<uint8_t> storage(static_cast<size_t>(n) * a->type.bytes(), 0xcc);
      const auto outer = memory_.find(a->func) == memory_.end() ? Memory_{} : memory_[a->func];
      memory_[a->func] = {storage.data(), n, a->type, 4096};
      exec_host(a->body);
      memory_[a->func] = outer;
    } else if (const auto* st = as<StoreStmt>(s)) store(f, *st);
    else if (const auto* c = as<CheckStmt>(s)) {
      const int64_t given = number(c->given), needed = number(c->needed);
      const bool ok = c->relation == CheckStmt::AtLeast ? given >= needed : c->relation == CheckStmt::Equal ? given == needed : given % needed == 0;
      if (!ok) failed = c->what;
    } else if (const auto* k = as<LaunchStmt>(s)) {
      launched.push_back(k->kernel);
      const int64_t grid = number(k->grid);
      for (int64_t b = 0; b < grid; ++b) block(m_.kernels[k->kernel], b);
    } else throw std::runtime_error("a statement that is not final on the host");
  }

  // ---- kernels --------------------------------------------------------------------------------------------------------
  void block(const Kernel& k, int64_t index) {
    std::vector<uint8_t> shared(static_cast<size_t>(k.shared_bytes), 0xbb);
    std::vector<Thread> threads(k.threads);
    for (int t = 0; t < k.threads; ++t) {
      threads[t].env[k.block.get()] = {static_cast<uint64_t>(index)};
      threads[t].env[k.thread.get()] = {static_cast<uint64_t>(t)};
      for (const Sym& s : k.scalars) {
        const auto it = env_.find(s.get());
        if (it == env_.end()) throw std::runtime_error("scalar " + s->name + " is not in scope at the launch");
        threads[t].env[s.get()] = it->second;
      }
    }
    std::map<int, Memory_> saved = memory_;
    for (const auto& [id, mem] : saved)
      if (std::find(k.buffers.begin(), k.buffers.end(), id) == k.buffers.end()) memory_.erase(id);
    for (const Allocation& a : k.allocations) {
      if (a.memory == Memory::Shared) {
        if (a.offset + a.elements * a.type.bytes() > k.shared_bytes) throw std::runtime_error("allocation outside shared memory");
        memory_[a.buffer] = {shared.data() + a.offset, a.elements, a.type, 4096 + static_cast<uint64_t>(a.offset)};
      } else {
        for (Thread& t : threads) t.registers[a.buffer].assign(static_cast<size_t>(a.elements) * a.type.bytes(), 0xaa);
      }
    }
    kernel_ = &k;
    run_block(k.roles.at(0).body, threads);
    memory_ = std::move(saved);
  }

  static bool has_sync(const Stmt& s) {
    bool found = false;
    walk_stmts(s, [&](const Stmt& c) {
      found = found || c->kind == StmtKind::Sync;
      return !found;
    });
    return found;
  }

  Frame frame(Thread& t) {
    Frame f{&t.env, nullptr, {}, {}, {}};
    for (const Allocation& a : kernel_->allocations)
      if (a.memory == Memory::Register) f.registers[a.buffer] = {t.registers[a.buffer].data(), a.elements, a.type, 0};
    return f;
  }

  uint64_t uniform(std::vector<Thread>& threads, const Expr& e) {
    Frame f0 = frame(threads[0]);
    const uint64_t v = eval(f0, e)[0];
    for (Thread& t : threads) {
      Frame f = frame(t);
      if (eval(f, e)[0] != v) throw std::runtime_error("divergent barrier");
    }
    return v;
  }

  void run_block(const Stmt& s, std::vector<Thread>& threads) {
    if (s->kind == StmtKind::Sync) {
      ++barriers;
      return;
    }
    if (!has_sync(s)) {
      // Threads in reverse: an ordering that a missing barrier does not survive by luck.
      for (size_t i = threads.size(); i-- > 0;) run_thread(s, threads[i]);
      return;
    }
    if (const auto* q = as<SeqStmt>(s)) for (const Stmt& c : q->stmts) run_block(c, threads);
    else if (const auto* l = as<LetStmt>(s)) {
      for (Thread& t : threads) {
        Frame f = frame(t);
        t.env[l->var.get()] = eval(f, l->value);
      }
      run_block(l->body, threads);
    } else if (const auto* i = as<IfStmt>(s)) {
      if (uniform(threads, i->cond)) run_block(i->then_body, threads);
      else if (i->else_body) run_block(i->else_body, threads);
    } else if (const auto* l = as<ForStmt>(s)) {
      const auto min = static_cast<int64_t>(uniform(threads, l->min)), n = signed_index(l->extent, uniform(threads, l->extent));
      for (int64_t i = 0; i < n; ++i) {
        for (Thread& t : threads) t.env[l->var.get()] = {Scalar::of_int(l->var->type, min + i).bits};
        run_block(l->body, threads);
      }
    } else throw std::runtime_error("a statement around a barrier");
  }

  void run_thread(const Stmt& s, Thread& t) {
    if (const auto* q = as<SeqStmt>(s)) {
      for (const Stmt& c : q->stmts) run_thread(c, t);
      return;
    }
    Frame f = frame(t);
    if (const auto* l = as<LetStmt>(s)) {
      t.env[l->var.get()] = eval(f, l->value);
      run_thread(l->body, t);
    } else if (const auto* i = as<IfStmt>(s)) {
      if (eval(f, i->cond)[0]) run_thread(i->then_body, t);
      else if (i->else_body) run_thread(i->else_body, t);
    } else if (const auto* l = as<ForStmt>(s)) {
      if (l->loop != LoopKind::Serial) throw std::runtime_error("a loop kind that is not final in a kernel");
      const auto min = static_cast<int64_t>(eval(f, l->min)[0]);
      const int64_t n = signed_index(l->extent, eval(f, l->extent)[0]);
      for (int64_t i = 0; i < n; ++i) {
        t.env[l->var.get()] = {Scalar::of_int(l->var->type, min + i).bits};
        run_thread(l->body, t);
      }
    } else if (const auto* st = as<StoreStmt>(s)) store(f, *st);
    else throw std::runtime_error("a statement that is not final in a kernel");
  }

  const Module& m_;
  const Kernel* kernel_ = nullptr;
  SymMap<Value> env_;
  std::map<int, Memory_> memory_;
  std::vector<uint8_t> workspace_;
};

}  // namespace kernel_test
