#include "scheduler/report/in_flight.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "ir/analysis/visit.h"
#include "ir/eval/flat.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

constexpr int kSectorBits = 5;
constexpr int64_t kSector = int64_t{1} << kSectorBits;  // bytes of a request
constexpr int64_t kOtherRegisters = 16;                 // addresses and coordinates

using Requests = std::set<int>;

class Walk {
 public:
  // `known`: what the host passes.
  Walk(const Kernel& kernel, int registers, Substitution known)
      : kernel_(kernel), active_(static_cast<size_t>(kernel.threads), 1), known_(std::move(known)) {
    if (registers > 0) room_ = std::max<int64_t>(4 * (registers - kOtherRegisters), 16);
    global_.insert(kernel.buffers.begin(), kernel.buffers.end());
    for (const Allocation& a : kernel.allocations)
      if (a.memory == Memory::Register) registers_.insert(a.buffer);
  }

  void visit(const Stmt& s) {
    if (const auto* q = as<SeqStmt>(s)) {
      for (const Stmt& c : q->stmts) visit(c);
    } else if (const auto* l = as<LetStmt>(s)) {
      needs_[l->var.get()] = request(l->value);
      if (const Expr v = of_thread(l->value); v.defined()) known_[l->var.get()] = v;
      visit(l->body);
    } else if (const auto* f = as<ForStmt>(s)) {
      wait(request(f->min));
      wait(request(f->extent));
      if (const Expr v = of_thread(f->min); v.defined()) known_[f->var.get()] = v;
      visit(f->body);
      wait(Requests(pending_));
    } else if (const auto* i = as<IfStmt>(s)) {
      wait(request(i->cond));
      branch(*i);
    } else if (const auto* st = as<StoreStmt>(s)) {
      Requests needs = request(st->value);
      wait(request(st->index));
      if (st->mask.defined()) needs.merge(request(st->mask));
      if (registers_.count(st->buffer))
        held_[st->buffer].merge(needs);
      else
        wait(needs);
    } else {
      each_expr(s, [&](const Expr& e) { wait(request(e)); });
    }
  }

  int64_t most() const { return most_; }

 private:
  // `e` as a function of the thread alone; undefined where it depends on what is in memory.
  Expr of_thread(const Expr& e) {
    const Expr out = substitute(e, known_);
    for (const Sym& v : free_vars(out))
      if (v != kernel_.thread) return {};
    bool memory = false;
    walk(out, [&](const Expr& x) {
      memory |= x->op == Op::Load || x->op == Op::Call || x->op == Op::Shuffle;
    });
    return memory ? Expr() : out;
  }

  // Its value in each thread that is active, 0 in others; nothing where it isn't known, or
  // overflows.
  std::optional<std::vector<int64_t>> values(const Expr& e) {
    const Expr known = e.type().lanes == 1 ? of_thread(e) : Expr();
    if (!known.defined()) return std::nullopt;
    std::vector<int64_t> out(active_.size());
    try {
      ExprFunction f(known, {kernel_.thread});
      for (size_t t = 0; t < out.size(); ++t)
        if (const uint64_t thread[] = {t}; active_[t])
          out[t] = static_cast<int64_t>(f(std::span<const uint64_t>(thread)));
    } catch (const EvalError&) {
      return std::nullopt;
    }
    return out;
  }

  void branch(const IfStmt& s) {
    const std::vector<char> before = active_;
    const auto cond = values(s.cond);
    const auto enter = [&](const Stmt& body, bool when) {
      if (!body) return;
      if (cond)
        for (size_t t = 0; t < active_.size(); ++t)
          active_[t] = before[t] && ((*cond)[t] != 0) == when;
      if (std::count(active_.begin(), active_.end(), 1)) visit(body);
      active_ = before;
    };
    enter(s.then_body, true);
    enter(s.else_body, false);
  }

  // Requests the loads of `e`, and says which of those in flight its value needs.
  Requests request(const Expr& e) {
    std::unordered_map<const ExprNode*, Requests> needs;
    walk(e, [&](const Expr& x) {
      Requests all;
      for (const Expr& a : x->args) all.insert(needs[a.get()].begin(), needs[a.get()].end());
      if (x->op == Op::Var) {
        if (const auto at = needs_.find(x->var.get()); at != needs_.end())
          all = in_flight(at->second);
      } else if (x->op == Op::Load) {
        if (registers_.count(x->id)) {
          all.merge(in_flight(held_[x->id]));
        } else {
          wait(all);
          all.clear();
          if (global_.count(x->id)) all.insert(issue(x));
        }
      }
      needs[x.get()] = std::move(all);
    });
    return needs[e.get()];
  }

  Requests in_flight(Requests& of) {
    std::erase_if(of, [&](int r) { return !pending_.count(r); });
    return of;
  }

  int issue(const Expr& load) {
    const int id = static_cast<int>(sectors_.size());
    std::vector<uint64_t> sectors;
    const Type t = load.type();
    const uint64_t buffer = static_cast<uint64_t>(load->id) << 48;
    const auto touch = [&](int64_t element, int64_t count) {
      const int64_t first = element * t.bytes(), last = first + count * t.bytes() - 1;
      for (int64_t s = first >> kSectorBits; s <= last >> kSectorBits; ++s)
        sectors.push_back(buffer | (static_cast<uint64_t>(s) & ((uint64_t{1} << 48) - 1)));
    };
    const Expr& index = load->args[0];
    const Expr& base = index->op == Op::Ramp || index->op == Op::Broadcast ? index->args[0] : index;
    const auto at = values(base);
    const auto step = index->op == Op::Ramp ? values(index->args[1]) : std::nullopt;
    const bool known = at && (index->op != Op::Ramp || step);
    for (size_t thread = 0; thread < active_.size(); ++thread) {
      if (!active_[thread]) continue;
      if (!known) {  // a gather: nothing is shared
        for (int64_t n = 0; n < t.lanes * t.bytes(); n += kSector)
          sectors.push_back(~next_unknown_++);
      } else if (index->op == Op::Ramp && (*step)[thread] != 1) {
        for (int i = 0; i < t.lanes; ++i) touch((*at)[thread] + i * (*step)[thread], 1);
      } else {
        touch((*at)[thread], index->op == Op::Ramp ? t.lanes : 1);
      }
    }
    std::sort(sectors.begin(), sectors.end());
    sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
    for (uint64_t s : sectors) requested_ += ++wanted_[s] == 1 ? kSector : 0;
    sectors_.push_back(std::move(sectors));
    widths_.push_back(t.bytes() * (index->op == Op::Broadcast ? 1 : t.lanes));
    in_registers_ += widths_.back();
    pending_.insert(id);
    // Where registers run out, loads that came later wait for earlier ones.
    const int64_t share =
        room_ && in_registers_ > room_ ? requested_ * room_ / in_registers_ : requested_;
    most_ = std::max(most_, share);
    return id;
  }

  void wait(const Requests& requests) {
    for (int r : requests) {
      if (!pending_.erase(r)) continue;
      in_registers_ -= widths_[static_cast<size_t>(r)];
      for (uint64_t s : sectors_[static_cast<size_t>(r)])
        requested_ -= --wanted_[s] == 0 ? kSector : 0;
      sectors_[static_cast<size_t>(r)].clear();
    }
  }

  const Kernel& kernel_;
  std::unordered_set<int> global_, registers_;
  std::vector<char> active_;                // threads that are here
  Substitution known_;                      // variables as functions of the thread
  SymMap<Requests> needs_;                  // of variables
  std::unordered_map<int, Requests> held_;  // of buffers in registers
  Requests pending_;
  std::vector<std::vector<uint64_t>> sectors_;  // of each request
  std::vector<int64_t> widths_;                 // of each request, bytes a thread
  std::unordered_map<uint64_t, int> wanted_;    // pending requests of a sector
  int64_t requested_ = 0, in_registers_ = 0, room_ = 0, most_ = 0;
  uint64_t next_unknown_ = 0;
};

// What the host knows where it launches a kernel for the first time.
struct Launch {
  Substitution known;
  int64_t grid = 0;
};

Launch find_launch(const Module& module, int kernel, const SymMap<int64_t>& sizes) {
  Launch out;
  const auto learn = [&](const Sym& s, const Expr& e) {
    if (const Expr v = simplify(substitute(e, out.known)); is_const(v)) out.known[s.get()] = v;
  };
  for (const auto& [var, value] : sizes) out.known[var] = make_int(var->type, value);
  for (const FuncDef& f : module.program.funcs) {
    Expr dense = make_int(Int(64), 1);
    for (size_t d = 0; d < f.stride.size() && d < f.extent.size(); ++d) {
      if (f.stride[d]) learn(f.stride[d], dense);
      dense = simplify(dense * make_cast(Int(64), substitute(make_var(f.extent[d]), out.known)));
    }
  }
  for (const Buffer& b : module.buffers)
    if (b.base) out.known[b.base.get()] = make_int(b.base->type, 0);
  bool found = false;
  walk_stmts(module.entry, [&](const Stmt& s) {
    if (found) return false;
    if (const auto* l = as<LetStmt>(s)) learn(l->var, l->value);
    if (const auto* f = as<ForStmt>(s)) learn(f->var, f->min);
    if (const auto* l = as<LaunchStmt>(s); l && l->kernel == kernel) {
      found = true;
      if (const int64_t* n = as_int(simplify(substitute(l->grid, out.known)))) out.grid = *n;
    }
    return true;
  });
  return out;
}

}  // namespace

InFlight measure_in_flight(const Module& module, size_t kernel, const SymMap<int64_t>& sizes,
                           int registers) {
  const Kernel& k = module.kernels.at(kernel);
  const Launch launch = find_launch(module, static_cast<int>(kernel), sizes);
  Substitution known = launch.known;
  known[k.block.get()] = make_int(k.block->type, launch.grid / 2);
  InFlight out{launch.grid, 0};
  for (const Role& r : k.roles) {  // all at the same time
    if (!r.body) continue;
    Walk walk(k, registers, known);
    walk.visit(r.body);
    out.bytes_per_block += walk.most();
  }
  return out;
}

}  // namespace sinter::scheduler
