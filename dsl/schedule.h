// The directives, on a Func (its pure definition) and on a Stage (an update). Each records itself with the user's line;
// what can be seen from the Func alone is checked at the call, the rest where the schedule is applied.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dsl/var.h"

namespace sinter {

namespace detail {
struct FuncContents;
}  // namespace detail

class Func;
class Stage;

// A loop named in a directive, with the line that names it.
class VarOrRVar {
 public:
  VarOrRVar() = default;  // not given
  VarOrRVar(const Var& v, Loc l = Loc::here()) : sym(v.sym()), loc(l), given(true) {}
  VarOrRVar(const RVar& v, Loc l = Loc::here()) : sym(v.sym()), is_rvar(true), loc(l), given(true) {}
  VarOrRVar(const RDom& r, Loc l = Loc::here()) : VarOrRVar(static_cast<RVar>(r), l) {}

  ir::Sym sym;
  bool is_rvar = false;
  Loc loc;
  bool given = false;
};

// A loop in the order of the blocks, with how many of it make a group.
class BlockOrder {
 public:
  BlockOrder() = default;  // not given
  BlockOrder(const Var& v, Loc l = Loc::here()) : loop(v, l) {}
  BlockOrder(const RVar& v, Loc l = Loc::here()) : loop(v, l) {}
  BlockOrder(const RDom& r, Loc l = Loc::here()) : loop(r, l) {}
  BlockOrder(VarOrRVar v, int64_t n = 1) : loop(std::move(v)), group(n) {}

  VarOrRVar loop;
  int64_t group = 1;
};
// n consecutive iterations of `v` for each iteration of the loop that is next in the order.
inline BlockOrder grouped(const VarOrRVar& v, int64_t n) { return {v, n}; }

namespace detail {

// A stage as directives see it.
struct StageHandle {
  std::shared_ptr<FuncContents> func;
  int stage = 0;

  void loops(ir::DirectiveKind kind, const std::vector<VarOrRVar>& loops, Loc loc, std::vector<int64_t> ints = {},
             TailStrategy tail = TailStrategy::Auto) const;
  void whole(ir::DirectiveKind kind, Loc loc, MemoryType memory = MemoryType::Auto) const;
  void place(ir::DirectiveKind kind, const Func& consumer, const VarOrRVar& loop, Loc loc) const;
  // A promise about a dimension: `values` are bounds of i32.
  void bound(ir::DirectiveKind kind, const Var& v, const std::vector<Operand>& values, Loc loc) const;
  // A directive that was stored: whichever of the above it is, with the same checks. `target`: the consumer, where it has one.
  void replay(const ir::Directive& d, const std::shared_ptr<FuncContents>& target) const;
  // About dimensions of the whole Func; E0100 for a Var that is none.
  void dimensions(ir::DirectiveKind kind, const std::vector<Var>& dims, std::vector<int64_t> ints, Loc loc) const;
};

// The loop directives, for Func and Stage alike. `Self` gives `StageHandle handle() const`.
template <class Self>
class LoopDirectives {
  using K = ir::DirectiveKind;
  using V = VarOrRVar;
  Self& self() { return static_cast<Self&>(*this); }
  Self& record(K k, const std::vector<V>& v, Loc loc, std::vector<int64_t> ints = {},
               TailStrategy tail = TailStrategy::Auto) {
    self().handle().loops(k, v, loc, std::move(ints), tail);
    return self();
  }

 public:
  Self& split(const V& old, const V& outer, const V& inner, int64_t factor, TailStrategy tail = TailStrategy::Auto,
              Loc loc = Loc::here()) {
    return record(K::Split, {old, outer, inner}, loc, {factor}, tail);
  }
  Self& fuse(const V& inner, const V& outer, const V& fused, Loc loc = Loc::here()) {
    return record(K::Fuse, {inner, outer, fused}, loc);
  }
  // The loop gets another name, by which later directives know it.
  Self& rename(const V& old_name, const V& new_name, Loc loc = Loc::here()) {
    return record(K::Rename, {old_name, new_name}, loc);
  }
  // Innermost first, as in Halide; loops that are not named keep their places.
  Self& reorder(const V& a, const V& b, const V& c = {}, const V& d = {}, const V& e = {}, const V& f = {},
                const V& g = {}, const V& h = {}, Loc loc = Loc::here()) {
    return record(K::Reorder, {a, b, c, d, e, f, g, h}, loc);
  }
  Self& tile(const V& x, const V& y, const V& xo, const V& yo, const V& xi, const V& yi, int64_t xn, int64_t yn,
             TailStrategy tail = TailStrategy::Auto, Loc loc = Loc::here()) {
    return split(x, xo, xi, xn, tail, loc).split(y, yo, yi, yn, tail, loc).reorder(xi, yi, xo, yo, {}, {}, {}, {}, loc);
  }
  // The outer loops keep the names of the tiled ones.
  Self& tile(const V& x, const V& y, const V& xi, const V& yi, int64_t xn, int64_t yn,
             TailStrategy tail = TailStrategy::Auto, Loc loc = Loc::here()) {
    return tile(x, y, x, y, xi, yi, xn, yn, tail, loc);
  }

  Self& serial(const V& v, Loc loc = Loc::here()) { return record(K::Serial, {v}, loc); }
  Self& parallel(const V& v, Loc loc = Loc::here()) { return record(K::Parallel, {v}, loc); }
  Self& cooperative(const V& v, Loc loc = Loc::here()) { return record(K::Cooperative, {v}, loc); }
  Self& unroll(const V& v, Loc loc = Loc::here()) { return record(K::Unroll, {v}, loc); }
  Self& unroll(const V& v, int64_t n, Loc loc = Loc::here()) { return record(K::Unroll, {v}, loc, {n}); }
  Self& vectorize(const V& v, Loc loc = Loc::here()) { return record(K::Vectorize, {v}, loc); }
  Self& vectorize(const V& v, int64_t n, Loc loc = Loc::here()) { return record(K::Vectorize, {v}, loc, {n}); }

  Self& gpu_blocks(const V& x, const V& y = {}, const V& z = {}, Loc loc = Loc::here()) {
    return record(K::GpuBlocks, {x, y, z}, loc);
  }
  Self& gpu_threads(const V& x, const V& y = {}, const V& z = {}, Loc loc = Loc::here()) {
    return record(K::GpuThreads, {x, y, z}, loc);
  }
  // Splits each dimension; outer loops become blocks of the grid, inner ones the box that a block computes together.
  Self& gpu_tile(const V& x, const V& xo, const V& xi, int64_t xn, TailStrategy tail = TailStrategy::Auto,
                 Loc loc = Loc::here()) {
    return record(K::GpuTile, {x, xo, xi}, loc, {xn}, tail);
  }
  Self& gpu_tile(const V& x, const V& y, const V& xo, const V& yo, const V& xi, const V& yi, int64_t xn, int64_t yn,
                 TailStrategy tail = TailStrategy::Auto, Loc loc = Loc::here()) {
    return record(K::GpuTile, {x, y, xo, yo, xi, yi}, loc, {xn, yn}, tail);
  }
  Self& gpu_tile(const V& x, const V& y, const V& z, const V& xo, const V& yo, const V& zo, const V& xi, const V& yi,
                 const V& zi, int64_t xn, int64_t yn, int64_t zn, TailStrategy tail = TailStrategy::Auto,
                 Loc loc = Loc::here()) {
    return record(K::GpuTile, {x, y, z, xo, yo, zo, xi, yi, zi}, loc, {xn, yn, zn}, tail);
  }
  // The block loops keep the names of the tiled ones.
  Self& gpu_tile(const V& x, const V& xi, int64_t xn, TailStrategy tail = TailStrategy::Auto, Loc loc = Loc::here()) {
    return gpu_tile(x, x, xi, xn, tail, loc);
  }
  Self& gpu_tile(const V& x, const V& y, const V& xi, const V& yi, int64_t xn, int64_t yn,
                 TailStrategy tail = TailStrategy::Auto, Loc loc = Loc::here()) {
    return gpu_tile(x, y, x, y, xi, yi, xn, yn, tail, loc);
  }
  Self& gpu_tile(const V& x, const V& y, const V& z, const V& xi, const V& yi, const V& zi, int64_t xn, int64_t yn,
                 int64_t zn, TailStrategy tail = TailStrategy::Auto, Loc loc = Loc::here()) {
    return gpu_tile(x, y, z, x, y, z, xi, yi, zi, xn, yn, zn, tail, loc);
  }
  Self& threads(int64_t n, Loc loc = Loc::here()) { return record(K::Threads, {}, loc, {n}); }
  // The order in which the blocks of a grid run over its loops, the fastest first; loops that are not named follow as they are nested.
  // block_order(grouped(yo, 8)): eight consecutive yo for each xo, then the next eight, so that what neighbours share stays in the cache.
  Self& block_order(const BlockOrder& a, const BlockOrder& b = {}, const BlockOrder& c = {}, const BlockOrder& d = {},
                    const BlockOrder& e = {}, const BlockOrder& f = {}, Loc loc = Loc::here()) {
    std::vector<V> loops;
    std::vector<int64_t> groups;
    bool any = false;
    for (const BlockOrder* o : {&a, &b, &c, &d, &e, &f}) {
      if (!o->loop.given) continue;
      loops.push_back(o->loop);
      groups.push_back(o->group);
      any = any || o->group != 1;
    }
    return record(K::BlockOrder, loops, loc, any ? groups : std::vector<int64_t>{});
  }
  // In explicit style: the threads of the block compute this block-level stage together.
  Self& cooperative(Loc loc = Loc::here()) { return record(K::CooperativeStage, {}, loc); }
};

}  // namespace detail

// A definition of a Func: f.update(i).
class Stage : public detail::LoopDirectives<Stage> {
 public:
  Stage(std::shared_ptr<detail::FuncContents> func, int stage) : handle_{std::move(func), stage} {}
  const detail::StageHandle& handle() const { return handle_; }

 private:
  detail::StageHandle handle_;
};

}  // namespace sinter
