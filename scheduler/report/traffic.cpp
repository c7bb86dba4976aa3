#include "scheduler/report/traffic.h"

#include <algorithm>

#include "ir/diagnostic.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

Expr wide(const Expr& e) { return make_cast(Int(64), e); }

// Floating-point operations of one evaluation; shared sub-expressions count once.
int64_t float_operations(const Expr& e) {
  int64_t n = 0;
  walk(e, [&](const Expr& x) {
    if (!x.type().is_float()) return;
    switch (x->op) {
      case Op::Add: case Op::Sub: case Op::Mul: case Op::Div: case Op::Min: case Op::Max: case Op::Neg: case Op::Abs: ++n; break;
      case Op::Math: n += x->fn == MathFn::Fma ? 2 : 1; break;
      default: break;
    }
  });
  return n;
}

class Walker {
 public:
  explicit Walker(const Program& program) : program_(program) {}

  std::vector<KernelTraffic> run(const Stmt& nest) {
    visit(nest);
    return std::move(kernels_);
  }

 private:
  struct Frame {
    Sym var;
    Interval range;
    Expr trips;  // i64
    bool block;
  };

  void visit(const Stmt& s) {
    if (!s) return;
    switch (s->kind) {
      case StmtKind::For: return visit_for(*as<ForStmt>(s));
      case StmtKind::Let: {
        const auto* l = as<LetStmt>(s);
        frames_.push_back({l->var, {l->value, l->value}, Expr(), false});
        visit(l->body);
        frames_.pop_back();
        return;
      }
      case StmtKind::If:
        // Both versions of a tail do the same work: the first one is counted.
        return visit(as<IfStmt>(s)->then_body);
      case StmtKind::Alloc: {
        const auto* a = as<AllocStmt>(s);
        if (in_kernel_ && !kernels_.empty()) local_.push_back(a->func);
        else scratch_.push_back(a);
        return visit(a->body);
      }
      case StmtKind::Produce: {
        const auto* p = as<ProduceStmt>(s);
        const bool host_root = !in_kernel_ && std::find(local_.begin(), local_.end(), p->func) == local_.end();
        const FuncId before = producing_;
        if (host_root) producing_ = p->func;
        visit(p->body);
        producing_ = before;
        return;
      }
      case StmtKind::Consume: return visit(as<ConsumeStmt>(s)->body);
      case StmtKind::Seq:
        for (const Stmt& c : as<SeqStmt>(s)->stmts) visit(c);
        return;
      case StmtKind::Provide: return visit_provide(*as<ProvideStmt>(s));
      default: return;
    }
  }

  void visit_for(const ForStmt& f) {
    const bool starts = f.loop == LoopKind::Block && !in_kernel_;
    if (starts) begin(f.var->name, true);
    Expr count = f.extent;
    if (f.live.defined()) count = min(f.live, f.extent);
    frames_.push_back({f.var, {f.min, f.min + count - 1}, wide(f.extent), f.loop == LoopKind::Block});
    const bool was = in_kernel_;
    in_kernel_ |= starts;
    visit(f.body);
    in_kernel_ = was;
    frames_.pop_back();
  }

  void begin(const std::string&, bool is_kernel) {
    KernelTraffic k;
    k.func = producing_;
    k.flops = make_int(Int(64), 0);
    k.blocks = make_int(Int(64), 1);
    for (const Frame& f : frames_) k.in_host_loop |= f.trips.defined();
    stage_known_ = false;
    host_stage_ = is_kernel ? -1 : producing_;
    kernels_.push_back(std::move(k));
  }

  Interval eliminate(Interval i, size_t from = 0) const {
    for (size_t n = frames_.size(); n > from; --n) {
      const Frame& f = frames_[n - 1];
      IntervalScope scope{{f.var.get(), f.range}};
      if (i.min.defined()) i.min = bounds_of(i.min, scope).min;
      if (i.max.defined()) i.max = bounds_of(i.max, scope).max;
    }
    return i;
  }

  void touch(FuncId func, bool write, const std::vector<Expr>& index) {
    if (std::find(local_.begin(), local_.end(), func) != local_.end()) return;
    KernelTraffic& k = kernels_.back();
    auto a = std::find_if(k.accesses.begin(), k.accesses.end(), [&](const BufferTraffic& x) { return x.func == func && x.write == write; });
    const bool first = a == k.accesses.end();
    if (first) {
      k.accesses.push_back({func, write, std::vector<Interval>(index.size()), {}});
      a = k.accesses.end() - 1;
    }
    for (size_t d = 0; d < index.size(); ++d) {
      Interval i = eliminate({index[d], index[d]});
      i = clip(func, static_cast<int>(d), i);
      a->region[d] = first ? i : interval_union(a->region[d], i);
    }
  }

  Interval clip(FuncId func, int d, Interval i) const {
    const FuncDef& f = program_.funcs[func];
    Expr lo, hi;
    if (f.is_input() || program_.is_output(func)) {
      lo = i32(0);
      hi = make_var(f.extent[d]) - 1;
    } else {
      for (const AllocStmt* a : scratch_)
        if (a->func == func) lo = a->region[d].min, hi = a->region[d].max;
    }
    if (lo.defined()) i.min = i.min.defined() ? simplify(max(i.min, lo)) : lo;
    if (hi.defined()) i.max = i.max.defined() ? simplify(min(i.max, hi)) : hi;
    return i;
  }

  void visit_provide(const ProvideStmt& p) {
    if (!in_kernel_ && (kernels_.empty() || host_stage_ != producing_ || host_provide_ != &program_.funcs[p.func].stages[p.stage])) {
      // On a host each root stage is one pass over its buffers.
      if (kernels_.empty() || host_stage_ != producing_ || p.func == producing_) begin(program_.funcs[p.func].name, false);
      host_provide_ = &program_.funcs[p.func].stages[p.stage];
    }
    KernelTraffic& k = kernels_.back();
    if (!stage_known_ && (p.func == producing_ || !in_kernel_)) {
      stage_known_ = true;
      k.stage = p.stage;
      for (const Frame& f : frames_)
        if (f.block) k.blocks = simplify(k.blocks * f.trips);
    }
    Expr trips = make_int(Int(64), float_operations(p.value));
    for (const Frame& f : frames_)
      if (f.trips.defined()) trips = trips * f.trips;
    k.flops = simplify(k.flops + trips);
    const auto reads = [&](const Expr& root) {
      walk(root, [&](const Expr& e) {
        if (e->op == Op::Call) touch(e->id, false, e->args);
      });
    };
    for (const Expr& i : p.index) reads(i);
    reads(p.value);
    touch(p.func, true, p.index);
  }

  const Program& program_;
  std::vector<KernelTraffic> kernels_;
  std::vector<Frame> frames_;
  std::vector<FuncId> local_;
  std::vector<const AllocStmt*> scratch_;
  FuncId producing_ = -1, host_stage_ = -1;
  const Definition* host_provide_ = nullptr;
  bool in_kernel_ = false, stage_known_ = false;
};

}  // namespace

std::vector<KernelTraffic> measure_traffic(const Program& program, const Stmt& nest) {
  std::vector<KernelTraffic> kernels = Walker(program).run(nest);
  for (KernelTraffic& k : kernels) {
    const FuncId f = k.func >= 0 ? k.func : (k.accesses.empty() ? -1 : k.accesses.back().func);
    k.func = f;
    if (f >= 0) k.name = program.funcs[f].name + (k.stage > 0 ? ".update" + std::to_string(k.stage - 1) : "");
    for (BufferTraffic& a : k.accesses) {
      Expr n = make_int(Int(64), 1);
      for (const Interval& i : a.region)
        n = i.min.defined() && i.max.defined() ? n * max(wide(i.max - i.min + 1), make_int(Int(64), 0)) : n;
      a.elements = simplify(n);
    }
  }
  return kernels;
}

int64_t evaluate(const Expr& e, const SymMap<int64_t>& sizes) {
  Substitution values;
  for (const Sym& s : free_vars(e)) {
    const auto it = sizes.find(s.get());
    if (it == sizes.end()) throw InternalError("evaluate: no size for `" + s->name + "`");
    values[s.get()] = make_int(s->type, it->second);
  }
  const Expr v = simplify(substitute(e, values));
  const int64_t* i = as_int(v);
  if (!i) throw InternalError("evaluate: not a constant: " + to_string(v));
  return *i;
}

int64_t compulsory_bytes(const Program& program, const std::vector<KernelTraffic>& kernels, const SymMap<int64_t>& sizes) {
  std::vector<int64_t> bytes(program.funcs.size(), 0);
  for (const KernelTraffic& k : kernels)
    for (const BufferTraffic& a : k.accesses) {
      const FuncDef& f = program.funcs[a.func];
      if (f.is_input() || (a.write && program.is_output(a.func)))
        bytes[a.func] = std::max(bytes[a.func], evaluate(a.elements, sizes) * f.type.bytes());
    }
  int64_t total = 0;
  for (int64_t b : bytes) total += b;
  return total;
}

}  // namespace sinter::scheduler
