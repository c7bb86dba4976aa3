// Which box of each Func may be read: index expressions are evaluated over the domain of the definition that holds them, consumers
// first. Where there are too many points, or an index depends on values that need a box themselves, by ranges instead.
#include <algorithm>

#include "ir/analysis/range.h"
#include "ir/eval/oracle.h"

namespace sinter::ir::oracle {

namespace {

constexpr int64_t max_points = int64_t(1) << 22;
constexpr int64_t far = int64_t(1) << 40;  // stands for "no bound": its box is refused later, without an overflow on the way

struct Hull {
  int64_t lo = INT64_MAX, hi = INT64_MIN;  // empty
  void include(int64_t v) {
    lo = std::min(lo, v);
    hi = std::max(hi, v);
  }
};

// The variables of one definition and the values they take.
struct Domain {
  std::vector<Sym> vars;
  std::vector<int64_t> min, max;

  const VarNode* var(size_t i) const { return vars[i].get(); }
  void add(const Sym& s, int64_t lo, int64_t hi) {
    vars.push_back(s);
    min.push_back(lo);
    max.push_back(hi);
  }
};

class Demand {
 public:
  explicit Demand(Oracle& o) : oracle_(o), program_(o.program()) {
    // Funcs that can be evaluated before any box is known: those that depend on no update. Producers come first.
    for (const FuncDef& f : program_.funcs) {
      bool ready = !f.has_updates();
      if (ready && !f.is_input())
        walk(f.stages[0].value, [&](const Expr& e) {
          if (e->op == Op::Call && e->id < static_cast<int>(ready_.size())) ready = ready && ready_[static_cast<size_t>(e->id)];
        });
      ready_.push_back(ready);
    }
  }

  void run() {
    for (FuncId f = static_cast<FuncId>(program_.funcs.size()) - 1; f >= 0; --f) {
      const FuncDef& def = program_.funcs[static_cast<size_t>(f)];
      if (def.is_input() || !oracle_.box(f).known) continue;
      // What an update writes and reads of itself widens the box; an output's is its buffer.
      if (!program_.is_output(f))
        for (size_t s = 1; s < def.stages.size(); ++s) widen(f, s);
      for (size_t s = 0; s < def.stages.size(); ++s) {
        const Domain domain = domain_of(f, s);
        each_call(def.stages[s], [&](const Expr& call) {
          if (call->id != f && !program_.funcs[static_cast<size_t>(call->id)].is_input()) add(call->id, call->args, def.stages[s], domain);
        });
      }
    }
  }

 private:
  template <class F>
  void each_call(const Definition& d, F&& f) {
    const auto visit = [&](const Expr& e) {
      if (e->op == Op::Call) f(e);
    };
    for (const Expr& a : d.args) walk(a, visit);
    walk(d.value, visit);
    if (d.rdom.where.defined()) walk(d.rdom.where, visit);
    for (const RVarDef& r : d.rdom.vars) {
      walk(r.min, visit);
      walk(r.extent, visit);
    }
  }

  Domain domain_of(FuncId f, size_t s) {
    const FuncDef& def = program_.funcs[static_cast<size_t>(f)];
    const Box& box = oracle_.box(f);
    Domain d;
    for (size_t i = 0; i < def.dims.size(); ++i) d.add(def.dims[i], box.min[i], box.max[i]);
    for (const RVarDef& r : def.stages[s].rdom.vars) {
      const Hull first = hull(r.min, {}, d), last = hull(r.min + r.extent - 1, {}, d);
      d.add(r.var, first.lo, last.hi);
    }
    return d;
  }

  void widen(FuncId f, size_t s) {
    const Definition& def = program_.funcs[static_cast<size_t>(f)].stages[s];
    const Domain domain = domain_of(f, s);
    add(f, def.args, def, domain);
    each_call(def, [&](const Expr& call) {
      if (call->id == f) add(f, call->args, def, domain);
    });
  }

  void add(FuncId callee, const std::vector<Expr>& index, const Definition& def, const Domain& domain) {
    std::vector<int64_t> lo, hi;
    for (const Expr& e : index) {
      const Hull h = hull(e, def.rdom.where, domain);
      lo.push_back(h.lo);
      hi.push_back(h.hi);
    }
    oracle_.demand(callee, lo, hi);
  }

  bool evaluable(const Expr& e) {
    bool all = true;
    walk(e, [&](const Expr& n) {
      if (n->op == Op::Call) all = all && ready_[static_cast<size_t>(n->id)];
    });
    return all;
  }

  // The values of `e` over the points of the domain where `where` holds.
  Hull hull(const Expr& e, Expr where, const Domain& domain) {
    if (where.defined() && !evaluable(where)) where = {};
    std::vector<Sym> used = free_vars(e);
    if (where.defined())
      for (const Sym& s : free_vars(where)) used.push_back(s);
    Domain own;
    int64_t points = 1;
    for (size_t i = 0; i < domain.vars.size(); ++i) {
      if (std::find(used.begin(), used.end(), domain.vars[i]) == used.end()) continue;
      if (domain.max[i] < domain.min[i]) return {};
      own.add(domain.vars[i], domain.min[i], domain.max[i]);
      if (__builtin_mul_overflow(points, domain.max[i] - domain.min[i] + 1, &points)) points = INT64_MAX;
    }
    return points <= max_points && evaluable(e) ? by_points(e, where, own) : by_ranges(e, own);
  }

  Hull by_points(const Expr& e, const Expr& where, const Domain& domain) {
    FlatBuilder b;
    std::vector<Slot> slots;
    for (const Sym& s : domain.vars) slots.push_back(b.variable(s));
    Slot filter = where.defined() ? b.emit(where) : 0;
    const uint32_t split = b.position();
    b.begin_statement();
    Slot value = b.emit(e);
    const FlatCode code = b.finish();
    filter = code.resolve(filter);
    value = code.resolve(value);
    std::vector<uint64_t> frame(code.frame_size());
    if (const VarNode* v = bind_globals(code, frame.data(), oracle_.globals(), domain.vars))
      throw InternalError("variable `" + v->name + "` of an index has no value");
    Reader reader{oracle_, e->loc};
    Hull h;
    std::vector<int64_t> at = domain.min;
    for (;;) {
      for (size_t i = 0; i < at.size(); ++i) frame[slots[i]] = static_cast<uint64_t>(at[i]);
      run_flat(code, 0, split, frame.data(), reader);
      if (!where.defined() || frame[filter]) {
        run_flat(code, split, static_cast<uint32_t>(code.ops.size()), frame.data(), reader);
        h.include(static_cast<int64_t>(frame[value]));
      }
      size_t d = 0;
      while (d < at.size() && ++at[d] > domain.max[d]) {
        at[d] = domain.min[d];
        ++d;
      }
      if (d == at.size()) return h;
    }
  }

  Hull by_ranges(const Expr& e, const Domain& domain) {
    IntervalScope scope;
    for (size_t i = 0; i < domain.vars.size(); ++i) {
      const Type t = domain.vars[i]->type;
      scope[domain.var(i)] = {make_int(t, domain.min[i]), make_int(t, domain.max[i])};
    }
    for (const Sym& s : free_vars(e)) {
      const auto it = oracle_.globals().find(s.get());
      if (it == oracle_.globals().end() || it->second.type.is_float()) continue;
      scope[s.get()] = {literal_of(it->second), literal_of(it->second)};
    }
    const Range r = Ranges(scope).of(e);
    return {std::clamp(r.lo, -far, far), std::clamp(r.hi, -far, far)};
  }

  Oracle& oracle_;
  const Program& program_;
  std::vector<bool> ready_;
};

}  // namespace

void find_boxes(Oracle& oracle) { Demand(oracle).run(); }

}  // namespace sinter::ir::oracle
