#include "scheduler/lower/kernel/assign_layouts.h"

#include <algorithm>

#include "ir/diagnostic.h"
#include "ir/layout.h"
#include "scheduler/lower/kernel/cross_thread_error.h"
#include "scheduler/lower/kernel/distribute_reductions.h"
#include "scheduler/lower/kernel/register_reads.h"
#include "scheduler/lower/kernel/tile_width.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

class Assigner {
 public:
  Assigner(const Module& module, KernelDraft& draft) : module_(module), draft_(draft), tiles_(tiles(draft.body)) {
    layouts_.resize(tiles_.size());
    assigned_.resize(tiles_.size());
    explicit_style_ = std::any_of(tiles_.begin(), tiles_.end(), [](const TileStmt* t) { return t->layout.kind == Layout::Kind::Flat; });
  }

  // Consumers first: what is read decides what its producer may be.
  void operator()() {
    for (size_t i = tiles_.size(); i-- > 0;) {
      layouts_[i] = layout_of(*tiles_[i]);
      assigned_[i] = true;
    }
    for (auto& [f, s] : draft_.storage)  // never computed or never read
      if (s.memory == Memory::Auto) s.memory = Memory::Shared;
    size_t i = 0;
    draft_.body = map_tiles(draft_.body, [&](const TileStmt& t) {
      auto copy = std::make_shared<TileStmt>(t);
      copy->layout = layouts_[i++];
      return Stmt(copy);
    });
  }

 private:
  struct Denial {
    const TileStmt* tile = nullptr;
    const Access* access = nullptr;
  };

  Layout layout_of(const TileStmt& t) {
    const bool by_hand = t.layout.kind == Layout::Kind::Flat;  // thread loops
    KernelStorage* s = storage(t.func);
    const std::vector<bool> reduced = reduced_dims(t);
    const bool shares = !by_hand && std::find(reduced.begin(), reduced.end(), true) != reduced.end();
    if (s && !s->in_thread) {
      decide(*s);
      if (s->memory == Memory::Register) return shares ? extended(own_layout(*s, t), t, reduced) : own_layout(*s, t);
      if (shares) return blocked(t);
      if (by_hand) return flat_layout(draft_.threads, 1);
      if (t.vars.empty()) return Layout{};
      const std::vector<const TileStmt*> group = same_box(t, [&](const TileStmt& o) { return o.func == t.func; });
      const int v = limit_to_threads(tile_vector(module_, draft_, group), box_points(t), draft_.threads);
      return flat_layout(draft_.threads, t.extent[0] % v == 0 ? v : 1);
    }
    if (by_hand) return flat_layout(draft_.threads, 1);
    if (t.vars.empty()) return Layout{};
    return blocked(t);
  }

  Layout blocked(const TileStmt& t) {
    std::vector<LoopHints> hints;
    for (size_t d = 0; d < t.vars.size(); ++d) {
      const auto it = draft_.hints.find(t.vars[d].get());
      hints.push_back(it == draft_.hints.end() ? LoopHints{} : it->second);
      // Only dimension 0 has vectors; along others the digit is an ordinary register digit.
      if (d > 0) hints[d].unroll = std::max(hints[d].unroll, hints[d].vector);
    }
    // Statements that may end up with this layout take part in the choice.
    const auto joined = [&](const TileStmt& o) {
      const KernelStorage* s = draft_.stored(o.func);
      return o.func == t.func || (s && !s->in_thread && s->memory != Memory::Shared);
    };
    std::vector<const TileStmt*> group = same_box(t, joined);
    int64_t points = box_points(t);
    // So do reductions to these points: their other dimensions keep threads busy that few points would leave idle.
    for (const TileStmt* o : tiles_) {
      if (o == &t || o->vars.empty() || !joined(*o) || !reduces_to(*o, t) || reduced_dims(*o)[0]) continue;
      group.push_back(o);
      points = std::max(points, box_points(*o));
    }
    int v = tile_vector(module_, draft_, group);
    if (hints[0].vector == 0) {
      int64_t unrolled = 1;
      for (const LoopHints& h : hints) unrolled *= std::max<int64_t>(h.unroll, 1);
      v = limit_to_threads(v, std::max<int64_t>(1, points / unrolled), draft_.threads);
    }
    return fixed_layout(t.extent, hints, draft_.threads, v);
  }

  // A shared reduction to the points of `t`.
  static bool reduces_to(const TileStmt& reduction, const TileStmt& t) {
    const std::vector<bool> reduced = reduced_dims(reduction);
    std::vector<int64_t> kept, points;
    for (size_t d = 0; d < reduced.size(); ++d)
      if (!reduced[d] && reduction.extent[d] > 1) kept.push_back(reduction.extent[d]);
    for (const int64_t e : t.extent)
      if (e > 1) points.push_back(e);
    return kept == points && std::find(reduced.begin(), reduced.end(), true) != reduced.end();
  }

  template <class Pred>
  std::vector<const TileStmt*> same_box(const TileStmt& t, Pred pred) const {
    std::vector<const TileStmt*> out{&t};
    for (const TileStmt* o : tiles_)
      if (o != &t && o->extent == t.extent && pred(*o)) out.push_back(o);
    return out;
  }

  KernelStorage* storage(FuncId f) {
    const auto it = draft_.storage.find(f);
    return it == draft_.storage.end() ? nullptr : &it->second;
  }

  void decide(KernelStorage& s) {
    if (decided_[s.func]) return;
    decided_[s.func] = true;
    if (s.memory != Memory::Auto && s.memory != Memory::Register) return;
    if (s.memory == Memory::Auto && explicit_style_) {
      s.memory = Memory::Shared;
      return;
    }
    Denial denial;
    Layout found;
    if (readable(s, found, denial)) {
      s.layout = found;
      s.memory = Memory::Register;
      return;
    }
    if (s.memory == Memory::Register && denial.tile) {
      std::vector<const TileStmt*> writers;
      for (const TileStmt* t : tiles_)
        if (t->func == s.func) writers.push_back(t);
      cross_thread_error(module_, draft_, s, writers.empty() ? *denial.tile : *writers.front(), *denial.tile, *denial.access);
    }
    s.memory = Memory::Shared;
  }

  // True, with the layout, where all reads of `s` are register-readable and all its readers agree.
  bool readable(const KernelStorage& s, Layout& found, Denial& denial) {
    bool any = false, anywhere = false;  // anywhere: a single value, read by whoever
    for (size_t i = 0; i < tiles_.size(); ++i) {
      const TileStmt& t = *tiles_[i];
      accesses_.push_back(accesses(t.body));
      for (const Access& a : accesses_.back()) {
        if (a.func != s.func) continue;
        denial = {&t, &a};
        const auto dims = matched_dims(draft_, s, t, a.index);
        if (!dims) return false;
        if (t.func == s.func) continue;
        if (a.write || !assigned_[i]) return false;
        Layout derived;
        if (layouts_[i].kind == Layout::Kind::Blocked) {
          derived = normalized(sliced(layouts_[i], *dims));
          derived.vector = layouts_[i].vector;
        } else if (std::all_of(dims->begin(), dims->end(), [](int k) { return k < 0; })) {
          anywhere = true;
          continue;
        } else if (tiles_[i]->layout.kind == Layout::Kind::Flat && dims->size() == t.vars.size() && in_order(*dims)) {
          derived = layouts_[i];
        } else {
          return false;
        }
        if (any && !(derived == normalized_first_)) return false;
        if (!any) {
          normalized_first_ = derived;
          found = layouts_[i].kind == Layout::Kind::Blocked ? sliced(layouts_[i], *dims) : layouts_[i];
          any = true;
        }
      }
    }
    if (!any && anywhere) found = replicated_layout(draft_.threads);
    if (!any && !anywhere) return false;
    // Statements by hand can only feed statements by hand, and the other way round.
    for (const TileStmt* t : tiles_)
      if (t->func == s.func && (t->layout.kind == Layout::Kind::Flat) != (found.kind == Layout::Kind::Flat)) return false;
    return computes_all(s, found);
  }

  // True where each statement that computes `s` has a place for all of its points: a box of whole tiles may be wider than what is stored.
  bool computes_all(const KernelStorage& s, const Layout& layout) const {
    if (layout.kind != Layout::Kind::Blocked) return true;
    for (const TileStmt* t : tiles_) {
      if (t->func != s.func) continue;
      const Layout own = own_layout(s, layout, *t);
      const std::vector<bool> reduced = reduced_dims(*t);
      for (size_t d = 0; d < t->extent.size(); ++d)
        if (!reduced[d] && reach(own, static_cast<int>(d)) < t->extent[d]) return false;
    }
    return true;
  }

  static bool in_order(const std::vector<int>& dims) {
    for (size_t d = 0; d < dims.size(); ++d)
      if (dims[d] != static_cast<int>(d)) return false;
    return true;
  }

  // The layout of a statement that computes a Func held in registers: the Func's, in the statement's dimensions.
  Layout own_layout(const KernelStorage& s, const TileStmt& t) const { return own_layout(s, s.layout, t); }
  Layout own_layout(const KernelStorage& s, const Layout& stored, const TileStmt& t) const {
    if (stored.kind == Layout::Kind::Flat) return stored;
    std::vector<int> dims;
    for (const Access& a : accesses(t.body))
      if (a.func == s.func && a.write) dims = *matched_dims(draft_, s, t, a.index);
    std::vector<int> dim_of(t.vars.size(), -1);
    for (size_t d = 0; d < dims.size(); ++d)
      if (dims[d] >= 0) dim_of[dims[d]] = static_cast<int>(d);
    return sliced(stored, dim_of);
  }

  // The layout of a reduction whose result lies as `own`: what holds copies there shares the reduced dimensions' points out. As
  // another statement over the same box has it, where that agrees: they can then pass values in registers.
  Layout extended(const Layout& own, const TileStmt& t, const std::vector<bool>& reduced) const {
    if (own.kind != Layout::Kind::Blocked) return own;
    std::vector<int> pure;
    for (size_t d = 0; d < reduced.size(); ++d)
      if (!reduced[d]) pure.push_back(static_cast<int>(d));
    const auto kept = [&](const Layout& l) {
      Layout out = normalized(sliced(l, pure));
      out.vector = 1;
      return out;
    };
    for (size_t i = 0; i < tiles_.size(); ++i)
      if (assigned_[i] && layouts_[i].kind == Layout::Kind::Blocked && tiles_[i]->extent == t.extent && kept(layouts_[i]) == kept(own)) return layouts_[i];

    Layout out = own;
    std::vector<int64_t> stride(reduced.size(), 1), rest = t.extent;
    const auto take = [&](std::vector<Digit>& owner, int d, int64_t n) {
      if (n <= 1) return;
      owner.push_back({n, d, stride[d]});
      stride[d] *= n;
      rest[d] = (rest[d] + n - 1) / n;
    };
    if (reduced[0]) {
      const int v = limit_to_threads(tile_vector(module_, draft_, same_box(t, [](const TileStmt&) { return true; })), box_points(t), draft_.threads);
      std::vector<Digit> vector;
      take(vector, 0, v);
      out.reg.insert(out.reg.begin(), vector.begin(), vector.end());
      out.vector = v;
    }
    const auto share = [&](const std::vector<Digit>& digits, bool powers) {
      std::vector<Digit> shared;
      for (const Digit& d : digits) {
        if (d.dim >= 0) {
          shared.push_back(d);
          continue;
        }
        int64_t copies = d.extent;
        for (size_t r = 0; r < reduced.size() && copies > 1; ++r) {
          if (!reduced[r]) continue;
          int64_t n = 1;
          while (n < rest[r]) n *= 2;
          n = std::min(n, copies);
          while (copies % n != 0) n = powers ? n / 2 : n - 1;
          take(shared, static_cast<int>(r), n);
          copies /= n;
        }
        if (copies > 1) shared.push_back({copies, -1, 1});
      }
      return shared;
    };
    out.lane = share(own.lane, true);
    out.warp = share(own.warp, false);
    for (size_t r = 0; r < reduced.size(); ++r)
      if (reduced[r]) take(out.reg, static_cast<int>(r), rest[r]);
    return out;
  }

  const Module& module_;
  KernelDraft& draft_;
  std::vector<const TileStmt*> tiles_;
  std::vector<Layout> layouts_;
  std::vector<bool> assigned_;
  bool explicit_style_ = false;
  std::map<FuncId, bool> decided_;
  std::vector<std::vector<Access>> accesses_;  // Denials point into it
  Layout normalized_first_;
};

}  // namespace

void assign_layouts(const Module& module, KernelDraft& draft) {
  Assigner(module, draft)();
  draft.stage = DraftStage::LaidOut;
}

}  // namespace sinter::scheduler
