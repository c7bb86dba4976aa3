#include "scheduler/lower/kernel/expand_tiles.h"

#include <algorithm>

#include "ir/diagnostic.h"
#include "ir/transform/simplify.h"
#include "scheduler/layout/fixed_layout.h"
#include "scheduler/lower/copies.h"
#include "scheduler/lower/kernel/register_reads.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

// Straight-line copies of one statement, in elements a thread: enough independent loads, not too many registers.
constexpr int64_t kStraightLineBytes = 128;
constexpr int64_t kMaxCopies = 16;

// Lane and warp digits as Lets at the top of the kernel, shared by all statements with the same digits.
class ThreadDigits {
 public:
  explicit ThreadDigits(const KernelDraft& draft) : draft_(draft) {}

  // The part of coordinate `dim` that lane and warp contribute.
  Expr part(const Layout& l, int dim, const std::string& name) {
    return named(digits(l.lane, make_var(draft_.lane), dim) + digits(l.warp, make_var(draft_.warp), dim), name);
  }

  // Holds for the thread that owns a replicated value: every copy digit is 0. Undefined: there are no copies.
  Expr canonical(const Layout& l) {
    Expr out;
    const auto owner = [&](const std::vector<Digit>& ds, const Expr& index) {
      int64_t place = 1, total = digit_product(ds);
      for (const Digit& d : ds) {
        if (d.dim < 0 && d.extent > 1) out = out && equal(digit(index, place, d.extent, total), i32(0));
        place *= d.extent;
      }
    };
    owner(l.lane, make_var(draft_.lane));
    owner(l.warp, make_var(draft_.warp));
    return out;
  }

  Expr named(const Expr& e, const std::string& name) {
    const Expr s = simplify(e);
    if (is_const(s) || s->op == Op::Var) return s;
    for (const auto& [v, known] : lets_)
      if (equal_structure(known, s)) return make_var(v);
    lets_.emplace_back(make_sym(name), s);
    return make_var(lets_.back().first);
  }

  Stmt wrap(Stmt body) const {
    for (size_t i = lets_.size(); i-- > 0;) body = make_let(lets_[i].first, lets_[i].second, body);
    return body;
  }

 private:
  static Expr digit(const Expr& index, int64_t place, int64_t extent, int64_t total) {
    const Expr shifted = index / place;
    return place * extent == total ? shifted : shifted % extent;  // the last digit needs no modulo
  }
  static Expr digits(const std::vector<Digit>& ds, const Expr& index, int dim) {
    Expr sum = i32(0);
    int64_t place = 1;
    const int64_t total = digit_product(ds);
    for (const Digit& d : ds) {
      if (d.dim == dim) sum = sum + digit(index, place, d.extent, total) * d.stride;
      place *= d.extent;
    }
    return sum;
  }

  const KernelDraft& draft_;
  std::vector<std::pair<Sym, Expr>> lets_;
};

// One level of a thread's loops over its points.
struct Step {
  Sym var;
  int64_t extent;
  LoopKind kind;
};

class TileExpander {
 public:
  TileExpander(KernelDraft& draft, ThreadDigits& threads, const TileStmt& tile) : draft_(draft), threads_(threads), tile_(tile) {
    const std::vector<Access> all = accesses(tile.body);
    int64_t bytes = 1;
    for (const Access& a : all) {
      const KernelStorage* s = draft.stored(a.func);
      if (s && s->in_thread) private_storage_ = true;
      else if (draft.in_registers(a.func)) registers_ = true;
      bytes = std::max<int64_t>(bytes, a.type.bytes());
    }
    copies_ = std::clamp<int64_t>(kStraightLineBytes / (bytes * tile.layout.vector), 1, kMaxCopies);
    walk_stmts(tile.body, [&](const Stmt& s) {
      if (s->kind == StmtKind::For) copies_ = 1;  // copies of a loop are not in straight line
      return copies_ > 1;
    });
    writes_registers_ = draft.in_registers(tile.func);
    // Which registers a point is in depends on these dimensions: their loops are unrolled.
    selects_.assign(tile.vars.size(), false);
    folds_.assign(tile.vars.size(), false);
    if (registers_ && tile.layout.kind == Layout::Kind::Blocked) {
      for (const Access& a : all)
        if (const KernelStorage* s = draft.stored(a.func); s && !s->in_thread && s->memory == Memory::Register)
          if (const auto dims = matched_dims(draft, *s, tile, a.index)) {
            std::vector<bool> in(tile.vars.size(), false);
            for (const int d : *dims)
              if (d >= 0) selects_[d] = in[d] = true;
            if (a.write)
              for (size_t d = 0; d < in.size(); ++d) folds_[d] = !in[d];
          }
    }
  }

  Stmt operator()() {
    switch (tile_.layout.kind) {
      case Layout::Kind::Single: return make_if(equal(make_var(draft_.thread), i32(0)), body({}, {}));
      case Layout::Kind::Flat: return with_live([&](bool full) { return flat(full); });
      case Layout::Kind::Blocked: break;
    }
    const Stmt s = with_live([&](bool full) { return blocked(full); });
    return writes_registers_ ? s : make_if(threads_.canonical(tile_.layout), s);
  }

 private:
  // ---- full or masked -----------------------------------------------------------------------------------------------
  template <class Path>
  Stmt with_live(Path path) {
    std::vector<std::pair<Sym, Expr>> lets;
    Expr full;
    live_.assign(tile_.vars.size(), Expr());
    for (size_t d = 0; d < tile_.vars.size(); ++d) {
      if (!tile_.live[d].defined()) continue;
      const Expr live = simplify(tile_.live[d]);
      if (const int64_t* n = as_int(live); n && *n >= tile_.extent[d]) continue;
      const Sym v = make_sym(tile_.vars[d]->name + ".live");
      lets.emplace_back(v, live);
      live_[d] = make_var(v);
      full = full && simplify(live >= i32(tile_.extent[d]));
    }
    Stmt out;
    if (!full.defined()) {
      out = path(true);
    } else {
      const Stmt all = path(true), some = path(false);
      out = make_if(full, all, some);
    }
    for (size_t i = lets.size(); i-- > 0;) out = make_let(lets[i].first, lets[i].second, out);
    return out;
  }

  // Undefined where no point can lie outside.
  Expr mask(bool full, const std::vector<Expr>& at) const {
    Expr m;
    for (size_t d = 0; d < at.size(); ++d) {
      if (!full && live_[d].defined()) m = m && at[d] < min(live_[d], i32(tile_.extent[d]));
      else if (pads_[d]) m = m && at[d] < i32(tile_.extent[d]);
    }
    return m;
  }

  static Stmt nest(const std::vector<Step>& steps, Stmt body) {  // steps innermost first
    for (const Step& s : steps) body = make_for(s.var, i32(0), i32(s.extent), s.kind, body);
    return body;
  }

  // A digit of a thread's points as loops: unrolled as far as `budget` goes, serial beyond. Returns its value.
  static Expr loops_of(int64_t extent, int64_t& budget, bool unroll_all, const std::string& name, std::vector<Step>& inner,
                       std::vector<Step>& outer) {
    int64_t unrolled = extent;
    if (!unroll_all) {
      unrolled = 1;
      for (int64_t n = std::min(extent, budget); n > 1; --n)
        if (extent % n == 0) {
          unrolled = n;
          break;
        }
    }
    budget = std::max<int64_t>(1, budget / unrolled);
    Expr value = i32(0);
    if (unrolled > 1) {
      const Sym v = make_sym(name);
      inner.push_back({v, unrolled, LoopKind::Unrolled});
      value = make_var(v);
    }
    if (extent / unrolled > 1) {
      const Sym v = make_sym(name + ".o");
      outer.push_back({v, extent / unrolled, LoopKind::Serial});
      value = make_var(v) * unrolled + value;
    }
    return value;
  }

  // ---- layouts ------------------------------------------------------------------------------------------------------
  Stmt blocked(bool full) {
    const Layout& l = tile_.layout;
    const int rank = static_cast<int>(tile_.vars.size());
    std::vector<Expr> at;
    pads_.clear();
    for (int d = 0; d < rank; ++d) {
      at.push_back(threads_.part(l, d, tile_.vars[d]->name + ".t"));
      pads_.push_back(covered(l, d) > tile_.extent[d]);
    }
    // Points that are folded into one run one after the other; loads that are neighbours are joined later (group_loads).
    const bool vectors = full && l.vector > 1 && !private_storage_ && tile_.extent[0] % l.vector == 0 && !folds_[0];
    std::vector<Step> vector, inner, outer;
    std::vector<Expr> digit_values;
    int64_t budget = copies_;
    for (size_t j = 0; j < l.reg.size(); ++j) {
      const Digit& d = l.reg[j];
      Expr value;
      if (j == 0 && vectors) {
        const Sym v = make_sym("v");
        vector.push_back({v, d.extent, LoopKind::Vectorized});
        value = make_var(v);
      } else {
        int64_t serial = 1;
        const bool vector_digit = full && j == 0 && l.vector > 1;
        const bool all = (registers_ && (d.dim < 0 || selects_[d.dim])) || vector_digit || private_copies(full, j);
        value = loops_of(d.extent, full ? budget : serial, all, "r", inner, outer);
      }
      digit_values.push_back(value);
      if (d.dim >= 0) at[d.dim] = at[d.dim] + value * d.stride;
    }
    // A vector lies on one side of a padded end as a whole: test its first point.
    Stmt point = body(at, digit_values);
    Expr m = mask(full, at);
    if (vectors && m.defined()) {
      m = substitute(m, vector[0].var, i32(0));
      point = make_if(m, nest(vector, point));
    } else {
      point = nest(vector, make_if(m, point));
    }
    return nest(outer, nest(inner, point));
  }

  // The digit that unroll(v, n) asked for comes right after the vector digit and is always unrolled.
  bool private_copies(bool full, size_t j) const {
    if (!full) return false;
    const Digit& d = tile_.layout.reg[j];
    if (d.dim < 0) return false;
    const auto it = draft_.hints.find(tile_.vars[d.dim].get());
    return it != draft_.hints.end() && it->second.unroll == d.extent && d.extent <= kMaxCopies * 4;
  }

  Stmt flat(bool full) {
    const Layout& l = tile_.layout;
    const int rank = static_cast<int>(tile_.vars.size());
    int64_t points = 1;
    for (const int64_t e : tile_.extent) points *= e;
    const int64_t vector = full && !private_storage_ ? l.vector : 1;
    const int64_t per_step = int64_t{l.threads} * vector;
    pads_.assign(rank, false);
    const int64_t whole = points / per_step, rest = points % per_step;
    const auto steps = [&](int64_t first, int64_t count, bool guarded) -> Stmt {
      std::vector<Step> inner, outer, lanes;
      int64_t budget = full ? copies_ : 1;
      const Expr step = loops_of(count, budget, registers_, "step", inner, outer) + first;
      Expr p = (step * l.threads + make_var(draft_.thread)) * vector;
      const Expr inside = p < i32(points);
      std::vector<Expr> at;
      for (int d = 0; d < rank; ++d) {
        at.push_back(d + 1 == rank ? p : p % tile_.extent[d]);
        p = p / tile_.extent[d];
      }
      if (vector > 1) {
        const Sym v = make_sym("v");
        lanes.push_back({v, vector, LoopKind::Vectorized});
        at[0] = at[0] + make_var(v);
      }
      std::vector<Expr> digits;
      if (registers_) digits.push_back(i32(0));
      Stmt point = make_if(mask(full, at), body(at, digits));
      point = nest(lanes, point);
      if (guarded) point = make_if(inside, point);
      return nest(outer, nest(inner, point));
    };
    std::vector<Stmt> out;
    if (whole > 0) out.push_back(steps(0, whole, false));
    if (rest > 0) out.push_back(steps(whole, 1, true));
    return make_seq(std::move(out));
  }

  // ---- the body at one point ----------------------------------------------------------------------------------------
  // Register Funcs: the digits of their layout are, in order, the statement's digits of the dimensions they have.
  Expr register_index(const KernelStorage& s, const std::vector<Expr>& index, const std::vector<Expr>& digits) const {
    Expr sum = i32(0);
    if (tile_.layout.kind != Layout::Kind::Blocked) return sum;
    const auto dims = matched_dims(draft_, s, tile_, index);
    internal_check(dims.has_value(), "a register is read at an index that no register has");
    int64_t place = 1;
    for (size_t j = 0; j < tile_.layout.reg.size(); ++j) {
      const Digit& d = tile_.layout.reg[j];
      if (std::find(dims->begin(), dims->end(), d.dim) == dims->end()) continue;
      sum = sum + digits[j] * place;
      place *= d.extent;
    }
    return sum;
  }

  Stmt body(const std::vector<Expr>& at, const std::vector<Expr>& digits) {
    const auto held = [&](FuncId f) -> const KernelStorage* {
      const KernelStorage* s = draft_.stored(f);
      return s && !s->in_thread && s->memory == Memory::Register ? s : nullptr;
    };
    Stmt s = tile_.body;
    if (registers_) {
      Rewriter calls([&](const Expr& e) {
        const KernelStorage* k = e->op == Op::Call ? held(e->id) : nullptr;
        return k ? make_load(e->id, e.type(), register_index(*k, e->args, digits), {}, 0, {}, e->loc) : e;
      });
      s = rewrite_stmt(
          s,
          [&](const Stmt& st) -> Stmt {
            const auto* p = as<ProvideStmt>(st);
            const KernelStorage* k = p ? held(p->func) : nullptr;
            if (!k) return st;
            return std::make_shared<StoreStmt>(p->func, register_index(*k, p->index, digits), p->value, Expr(), 0, CachePolicy{}, p->loc);
          },
          [&](const Expr& e) { return calls(e); });
    }
    Substitution values;
    for (size_t d = 0; d < at.size(); ++d) values[tile_.vars[d].get()] = at[d];
    return instantiate(s, values);
  }

  KernelDraft& draft_;
  ThreadDigits& threads_;
  const TileStmt& tile_;
  std::vector<Expr> live_;  // defined where it may be less than the extent
  std::vector<bool> pads_, selects_, folds_;
  int64_t copies_ = 1;
  bool registers_ = false, private_storage_ = false, writes_registers_ = false;
};

}  // namespace

void expand_tiles(KernelDraft& draft) {
  ThreadDigits threads(draft);
  Stmt body = map_tiles(draft.body, [&](const TileStmt& t) { return TileExpander(draft, threads, t)(); });
  body = threads.wrap(body);
  body = make_let(draft.warp, make_var(draft.thread) / 32, body);
  body = make_let(draft.lane, make_var(draft.thread) % 32, body);
  draft.body = body;
  for (auto& [f, s] : draft.storage)  // in terms of coordinates that are gone
    for (Region& r : s.region) r.max = Expr();
  draft.hints.clear();
  draft.coordinates.clear();
  draft.lets.clear();
  draft.stage = DraftStage::Expanded;
}

}  // namespace sinter::scheduler
