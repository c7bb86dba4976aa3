#include "scheduler/lower/kernel/cut_kernels.h"

#include <algorithm>
#include <cctype>

#include "ir/diagnostic.h"
#include "ir/transform/simplify.h"
#include "scheduler/lower/kernel/decode_blocks.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

class Cutter {
 public:
  explicit Cutter(const Program& program) : program_(program) {}

  Cut operator()(const Stmt& nest) {
    out_.entry = visit(nest);
    return std::move(out_);
  }

 private:
  struct Live {
    size_t scratch;
    int loop_depth;
  };

  Stmt visit(const Stmt& s) {
    if (!s) return s;
    switch (s->kind) {
      case StmtKind::Produce: return visit(as<ProduceStmt>(s)->body);
      case StmtKind::Consume: return visit(as<ConsumeStmt>(s)->body);
      case StmtKind::Alloc: return scratch(*as<AllocStmt>(s));
      case StmtKind::For: {
        const auto* f = as<ForStmt>(s);
        return f->loop == LoopKind::Block ? kernel(*f) : host_loop(*f);
      }
      case StmtKind::Let: {
        const auto* n = as<LetStmt>(s);
        lets_[n->var.get()] = n->value;
        return make_let(n->var, n->value, visit(n->body));
      }
      case StmtKind::Provide: throw InternalError("a store outside of any block loop in a Nest for a GPU");
      default: return map_children(s, [&](const Stmt& c) { return visit(c); }, nullptr);
    }
  }

  Stmt host_loop(const ForStmt& f) {
    bool data = false;
    for (const Expr& e : {f.min, f.extent})
      walk(e, [&](const Expr& n) { data = data || n->op == Op::Call || n->op == Op::Load; });
    if (data)
      user_error(ErrorCode::HostLoopBounds, f.loc, "the bounds of loop `" + f.var->name + "`, which runs on the host, depend on tensor data",
                 "put the loop inside the kernel: schedule a loop around it with gpu_blocks");
    const int first = static_cast<int>(out_.kernels.size());
    loops_.emplace_back(f.var, Interval{f.min, f.min + f.extent - 1});
    Stmt body = visit(f.body);
    loops_.pop_back();
    const int last = static_cast<int>(out_.kernels.size()) - 1;
    // What is live around the loop and touched in it stays live through all its launches.
    for (const Live& l : live_) {
      Scratch& s = out_.scratch[l.scratch];
      if (l.loop_depth > static_cast<int>(loops_.size()) || s.last_launch < first || last < first) continue;
      s.first_launch = std::min(s.first_launch, first);
      s.last_launch = last;
    }
    return make_for(f.var, f.min, f.extent, LoopKind::Serial, body, f.loc);
  }

  // In terms of arguments only; a host loop's variable is replaced by what maximises the expression.
  Expr of_arguments(const Expr& e) {
    std::function<Expr(const Expr&)> step;
    Rewriter rewriter([&](const Expr& n) { return step(n); });
    step = [&](const Expr& n) -> Expr {
      if (n->op != Op::Var) return n;
      const auto it = lets_.find(n->var.get());
      return it == lets_.end() ? n : rewriter(it->second);
    };
    Expr closed = simplify(rewriter(e));
    for (size_t i = loops_.size(); i-- > 0;) {
      if (!ir::uses_var(closed, loops_[i].first.get())) continue;
      IntervalScope scope;
      scope[loops_[i].first.get()] = {rewriter(loops_[i].second.min), rewriter(loops_[i].second.max)};
      closed = bounds_of(closed, scope).max;
      internal_check(closed.defined(), "scratch of a host loop has no bound");
    }
    return closed;
  }

  // A value to be used by kernels and by the entry: itself if constant, else a host variable.
  Expr named(const std::string& name, const Expr& value, std::vector<std::pair<Sym, Expr>>& lets) {
    const Expr v = simplify(value);
    if (as_int(v) || v->op == Op::Var) return v;
    const Sym s = make_sym(name, v.type());
    lets_[s.get()] = v;
    lets.emplace_back(s, v);
    return make_var(s);
  }

  static Stmt wrap(const std::vector<std::pair<Sym, Expr>>& lets, Stmt body) {
    for (size_t i = lets.size(); i-- > 0;) body = make_let(lets[i].first, lets[i].second, body);
    return body;
  }

  Stmt scratch(const AllocStmt& a) {
    const std::string& name = program_.funcs[a.func].name;
    std::vector<std::pair<Sym, Expr>> lets;
    Scratch s;
    s.func = a.func;
    s.type = a.type;
    // Rows start at multiples of 16 bytes: wide accesses need no luck.
    const int64_t row = std::max(1, 16 / a.type.bytes());
    Expr stride = make_int(Int(64), 1);
    for (size_t d = 0; d < a.region.size(); ++d) {
      const std::string dim = name + "." + std::to_string(d);
      s.min.push_back(named(dim + ".min", a.region[d].min, lets));
      s.extent.push_back(named(dim + ".extent", max(a.region[d].extent, i32(0)), lets));
    }
    s.stride.resize(a.region.size());
    for (size_t i = 0; i < a.region.size(); ++i) {
      const size_t d = a.order.empty() ? i : static_cast<size_t>(a.order[i]);
      s.stride[d] = i == 0 ? stride : named(name + "." + std::to_string(d) + ".stride", stride, lets);
      Expr e = make_cast(Int(64), s.extent[d]);
      if (i == 0 && a.region.size() > 1) e = ceil_div(e, row) * row;
      stride = s.stride[d] * e;
    }
    s.bytes = of_arguments(stride * static_cast<int64_t>(a.type.bytes()));
    out_.scratch.push_back(std::move(s));
    live_.push_back({out_.scratch.size() - 1, static_cast<int>(loops_.size())});
    Stmt body = visit(a.body);
    live_.pop_back();
    return wrap(lets, body);
  }

  Stmt kernel(const ForStmt& outer) {
    KernelDraft k;
    k.loc = outer.loc;
    k.threads_hint = outer.hints.threads;
    std::vector<std::pair<Sym, Expr>> host, inner;
    Expr grid = make_int(Int(64), 1);
    Stmt body;
    const ForStmt* loop = &outer;
    while (true) {
      const Expr extent = named(loop->var->name + ".blocks", max(loop->extent, i32(0)), host);
      k.block_loops.push_back({loop->var, simplify(loop->min), extent, loop->hints.order, loop->hints.group});
      grid = grid * make_cast(Int(64), extent);
      body = loop->body;
      if (loop->hints.threads) k.threads_hint = loop->hints.threads;
      std::vector<std::pair<Sym, Expr>> between;
      while (const auto* l = as<LetStmt>(body)) {
        between.emplace_back(l->var, l->value);
        body = l->body;
      }
      inner.insert(inner.end(), between.begin(), between.end());
      loop = as<ForStmt>(body);
      if (!loop || loop->loop != LoopKind::Block) break;
    }
    k.body = wrap(inner, body);
    const int index = static_cast<int>(out_.kernels.size());
    std::vector<FuncId> computed;
    for (const Access& a : accesses(body)) {
      if (a.write && std::find(computed.begin(), computed.end(), a.func) == computed.end()) computed.push_back(a.func);
      for (Scratch& s : out_.scratch) {
        if (s.func != a.func) continue;
        if (s.first_launch < 0) s.first_launch = index;
        s.last_launch = index;
      }
    }
    // The last Funcs say what a kernel is for; the index makes the name unique.
    k.name = program_.name;
    for (size_t i = computed.size() > 4 ? computed.size() - 4 : 0; i < computed.size(); ++i) k.name += "_" + program_.funcs[computed[i]].name;
    k.name += "_" + std::to_string(index);
    for (char& c : k.name)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    k.grid = named("grid", grid, host);
    if (const int64_t* known = as_int(k.grid); !known || *known > kMaxGrid)
      for (const BlockLoop& l : k.block_loops) k.start.push_back(make_sym(l.var->name + ".start"));
    k.host = host_variables(k);
    const Stmt launch = std::make_shared<LaunchStmt>(index, k.grid, k.loc);
    const Expr some = k.grid > make_int(Int(64), 0);
    out_.kernels.push_back(std::move(k));
    return wrap(host, make_if(some, launch));
  }

  // What is free in the kernel and not its own.
  static std::vector<Sym> host_variables(const KernelDraft& k) {
    std::vector<Sym> out;
    const auto add = [&](const std::vector<Sym>& vars) {
      for (const Sym& v : vars) {
        const auto own = [&](const BlockLoop& l) { return l.var == v; };
        if (std::none_of(k.block_loops.begin(), k.block_loops.end(), own) && std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
      }
    };
    for (const BlockLoop& l : k.block_loops) add(free_vars(l.min)), add(free_vars(l.extent));
    add(free_vars(k.grid));
    add(free_vars(k.body));
    return out;
  }

  const Program& program_;
  Cut out_;
  std::vector<Live> live_;
  std::vector<std::pair<Sym, Interval>> loops_;
  Substitution lets_;
};

}  // namespace

Cut cut_kernels(const Program& program, const Stmt& nest) { return Cutter(program)(nest); }

}  // namespace sinter::scheduler
