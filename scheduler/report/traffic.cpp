#include "scheduler/report/traffic.h"

#include <algorithm>
#include <unordered_set>

#include "ir/diagnostic.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

Expr wide(const Expr& e) { return make_cast(Int(64), e); }
Expr count(int64_t n) { return make_int(Int(64), n); }

// Floating-point operations of one evaluation; shared sub-expressions count once.
int64_t float_operations(const Expr& e) {
  int64_t n = 0;
  walk(e, [&](const Expr& x) {
    if (!x.type().is_float()) return;
    switch (x->op) {
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Div:
      case Op::Min:
      case Op::Max:
      case Op::Neg:
      case Op::Abs: ++n; break;
      case Op::Math: n += x->fn == MathFn::Fma ? 2 : 1; break;
      default: break;
    }
  });
  return n;
}

bool has_call(const Expr& e) {
  bool found = false;
  walk(e, [&](const Expr& x) { found |= x->op == Op::Call; });
  return found;
}

bool is_extremum(const Expr& e) { return e->op == Op::Min || e->op == Op::Max; }

// min(a, b) + c as min(a + c, b + c), and so for - and max: the last coordinate of a tile, xo*64 +
// min(64, w - xo*64) - 1, becomes min(xo*64 + 63, w - 1), in which each end is bounded by itself.
Expr spread(const Expr& e) {
  return rewrite(e, [](const Expr& x) {
    if (x->op != Op::Add && x->op != Op::Sub) return x;
    const Expr &a = x->args[0], &b = x->args[1];
    if (is_extremum(a) && !is_extremum(b))
      return make_binary(a->op, make_binary(x->op, a->args[0], b),
                         make_binary(x->op, a->args[1], b));
    if (is_extremum(b) && !is_extremum(a)) {
      const Op flipped = b->op == Op::Min ? Op::Max : Op::Min;
      return make_binary(x->op == Op::Add ? b->op : flipped, make_binary(x->op, a, b->args[0]),
                         make_binary(x->op, a, b->args[1]));
    }
    return x;
  });
}

class Walker {
 public:
  explicit Walker(const Program& program) : program_(program) {
    for (const FuncDef& f : program.funcs)
      for (const Sym& e : f.extent)
        if (e) sizes_.insert(e.get());
    for (const ParamDef& p : program.params)
      if (p.var->type.is_integer()) sizes_.insert(p.var.get());
  }

  std::vector<KernelTraffic> run(const Stmt& nest) {
    visit(nest);
    return std::move(kernels_);
  }

 private:
  struct Frame {
    Sym var;
    Interval range;
    Expr trips;  // i64; undefined for a Let
  };

  void visit(const Stmt& s) {
    if (!s) return;
    switch (s->kind) {
      case StmtKind::For: return visit_for(*as<ForStmt>(s), s);
      case StmtKind::Let: {
        const auto* l = as<LetStmt>(s);
        frames_.push_back({l->var, {l->value, l->value}, Expr()});
        visit(l->body);
        frames_.pop_back();
        return;
      }
      case StmtKind::If:
        // Both versions of a tail do the same work: the first one is counted.
        return visit(as<IfStmt>(s)->then_body);
      case StmtKind::Alloc: {
        const auto* a = as<AllocStmt>(s);
        if (in_kernel_)
          local_.insert(a->func);
        else
          scratch_.push_back(a);
        return visit(a->body);
      }
      case StmtKind::Produce: {
        const auto* p = as<ProduceStmt>(s);
        const FuncId before = producing_;
        if (!in_kernel_) producing_ = p->func;
        visit(p->body);
        producing_ = before;
        return;
      }
      case StmtKind::Consume: return visit(as<ConsumeStmt>(s)->body);
      case StmtKind::Seq:
        for (const Stmt& c : as<SeqStmt>(s)->stmts) visit(c);
        return;
      case StmtKind::Provide: {
        const bool starts = !in_kernel_;  // a value without loops
        if (starts) begin();
        visit_provide(*as<ProvideStmt>(s));
        if (starts) end();
        return;
      }
      default: return;
    }
  }

  // Loops around block loops are host loops around launches. Loops without any block loop are a
  // pass.
  static bool encloses_blocks(const Stmt& loop) {
    bool found = false;
    walk_stmts(loop, [&](const Stmt& s) {
      const auto* f = as<ForStmt>(s);
      found |= s != loop && f && f->loop == LoopKind::Block;
      return !found;
    });
    return found;
  }

  void visit_for(const ForStmt& f, const Stmt& s) {
    const bool starts = !in_kernel_ && (f.loop == LoopKind::Block || !encloses_blocks(s));
    if (starts) begin();
    const Expr extent = f.live.defined() ? min(f.live, f.extent) : f.extent;
    frames_.push_back({f.var, {f.min, f.min + extent - 1}, wide(largest(f.extent))});
    visit(f.body);
    frames_.pop_back();
    if (starts) end();
  }

  void begin() {
    in_kernel_ = true;
    host_frames_ = frames_.size();
    stage_known_ = false;
    KernelTraffic k;
    k.func = producing_;
    k.launches = count(1);
    for (const Frame& f : frames_)
      if (f.trips.defined()) k.launches = k.launches * f.trips;
    k.launches = simplify(k.launches);
    k.flops = count(0);
    kernels_.push_back(std::move(k));
    launch_regions_.clear();
  }

  void end() {
    KernelTraffic& k = kernels_.back();
    for (size_t a = 0; a < k.accesses.size(); ++a) {
      BufferTraffic& access = k.accesses[a];
      access.footprint = access.elements = count(1);
      for (size_t d = 0; d < access.region.size(); ++d) {
        const Expr whole = width(access.region[d]);
        Expr launch = width(launch_regions_[a][d]);
        if (launch.defined()) launch = largest(launch);
        access.footprint = access.footprint * wide(whole);
        access.elements =
            access.elements * wide(launch.defined() ? simplify(min(launch, whole)) : whole);
      }
      access.footprint = simplify(access.footprint);
      access.elements = simplify(access.elements);
    }
    in_kernel_ = false;
    local_.clear();
  }

  static Expr width(const Interval& i) {
    if (!i.min.defined() || !i.max.defined()) return {};
    return simplify(max(i.max - i.min + 1, i32(0)));
  }

  // Without the variables of the loops from number `from` inwards.
  Interval eliminate(Interval i, size_t from) const {
    for (size_t n = frames_.size(); n > from; --n) {
      const IntervalScope scope{{frames_[n - 1].var.get(), frames_[n - 1].range}};
      if (i.min.defined()) i.min = bounds_of(simplify(spread(i.min)), scope).min;
      if (i.max.defined()) i.max = bounds_of(simplify(spread(i.max)), scope).max;
    }
    return i;
  }

  // Over all loops around here.
  Expr largest(const Expr& e) const {
    const Expr most = eliminate({e, e}, 0).max;
    if (!most.defined()) throw InternalError("measure_traffic: unbounded loop: " + to_string(e));
    return most;
  }

  // Ends that depend on data are the buffer's own.
  Interval clip(FuncId func, int d, Interval i) const {
    const auto known = [&](const Expr& e) {
      if (!e.defined() || has_call(e)) return false;
      const std::vector<Sym> vars = free_vars(e);
      return std::all_of(vars.begin(), vars.end(),
                         [&](const Sym& s) { return sizes_.count(s.get()) > 0; });
    };
    const FuncDef& f = program_.funcs[func];
    Interval own;
    if (f.is_input() || program_.is_output(func)) {
      own = {i32(0), make_var(f.extent[d]) - 1};
    } else {
      for (const AllocStmt* a : scratch_)
        if (a->func == func)
          own = {eliminate({a->region[d].min, a->region[d].min}, 0).min,
                 eliminate({a->region[d].max, a->region[d].max}, 0).max};
    }
    if (!known(i.min)) i.min = Expr();
    if (!known(i.max)) i.max = Expr();
    if (own.min.defined()) i.min = i.min.defined() ? simplify(max(i.min, own.min)) : own.min;
    if (own.max.defined()) i.max = i.max.defined() ? simplify(min(i.max, own.max)) : own.max;
    if (!i.min.defined() || !i.max.defined())
      throw InternalError("measure_traffic: `" + f.name + "` has no bounds in dimension " +
                          std::to_string(d));
    return i;
  }

  void touch(FuncId func, bool write, const std::vector<Expr>& index) {
    if (local_.count(func)) return;
    KernelTraffic& k = kernels_.back();
    auto a = std::find_if(k.accesses.begin(), k.accesses.end(), [&](const BufferTraffic& x) {
      return x.func == func && x.write == write;
    });
    const bool first = a == k.accesses.end();
    if (first) {
      k.accesses.push_back({func, write, std::vector<Interval>(index.size()), {}, {}});
      launch_regions_.emplace_back(index.size());
      a = k.accesses.end() - 1;
    }
    std::vector<Interval>& launch = launch_regions_[static_cast<size_t>(a - k.accesses.begin())];
    for (size_t d = 0; d < index.size(); ++d) {
      const Interval here = eliminate({index[d], index[d]}, host_frames_);
      const Interval all = clip(func, static_cast<int>(d), eliminate({index[d], index[d]}, 0));
      launch[d] = first ? here : interval_union(launch[d], here);
      a->region[d] = first ? all : interval_union(a->region[d], all);
    }
  }

  // How often the statement runs, all launches together. Guards and partial tiles cut iterations
  // off: where the points that are written are known, there are no more than those, each once per
  // iteration of the loops that its indices do not name.
  Expr runs(const ProvideStmt& p) const {
    Expr trips = count(1);
    for (const Frame& f : frames_)
      if (f.trips.defined()) trips = trips * f.trips;
    if (local_.count(p.func)) return trips;

    std::unordered_set<const VarNode*> named;
    Expr points = kernels_.back().launches;
    for (const Expr& i : p.index) {
      const Expr n = has_call(i) ? Expr() : width(eliminate({i, i}, host_frames_));
      if (!n.defined()) return trips;
      points = points * wide(largest(n));
      for (const Sym& s : free_vars(i)) named.insert(s.get());
    }
    for (size_t n = frames_.size(); n > host_frames_; --n) {
      const Frame& f = frames_[n - 1];
      const bool used = named.count(f.var.get()) > 0;
      if (f.trips.defined() && !used) points = points * f.trips;
      // A split's inner loop may end where the outer one says: its outer loop is in the indices as
      // well.
      if (!f.trips.defined() && used)
        for (const Sym& s : free_vars(f.range.min)) named.insert(s.get());
    }
    return min(trips, points);
  }

  void visit_provide(const ProvideStmt& p) {
    KernelTraffic& k = kernels_.back();
    if (!stage_known_ && p.func == producing_) {
      stage_known_ = true;
      k.stage = p.stage;
    }
    if (const int64_t n = float_operations(p.value))
      k.flops = simplify(k.flops + runs(p) * count(n));
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
  std::unordered_set<const VarNode*> sizes_;
  std::vector<KernelTraffic> kernels_;
  std::vector<std::vector<Interval>>
      launch_regions_;  // of the current kernel's accesses, in terms of host loops
  std::vector<Frame> frames_;
  size_t host_frames_ = 0;
  std::unordered_set<FuncId> local_;
  std::vector<const AllocStmt*> scratch_;
  FuncId producing_ = -1;
  bool in_kernel_ = false, stage_known_ = false;
};

}  // namespace

std::vector<KernelTraffic> measure_traffic(const Program& program, const Stmt& nest) {
  std::vector<KernelTraffic> kernels = Walker(program).run(nest);
  for (KernelTraffic& k : kernels) {
    if (k.func < 0 && !k.accesses.empty()) k.func = k.accesses.back().func;
    if (k.func < 0) continue;
    k.name = program.funcs[k.func].name;
    if (k.stage > 0) k.name += ".update(" + std::to_string(k.stage - 1) + ")";
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

int64_t compulsory_bytes(const Program& program, const std::vector<KernelTraffic>& kernels,
                         const SymMap<int64_t>& sizes) {
  std::vector<int64_t> bytes(program.funcs.size(), 0);
  for (const KernelTraffic& k : kernels)
    for (const BufferTraffic& a : k.accesses) {
      const FuncDef& f = program.funcs[a.func];
      if (f.is_input() ? a.write : !(a.write && program.is_output(a.func))) continue;
      bytes[a.func] = std::max(bytes[a.func], evaluate(a.footprint, sizes) * f.type.bytes());
    }
  int64_t total = 0;
  for (int64_t b : bytes) total += b;
  return total;
}

}  // namespace sinter::scheduler
