// Bounds inference: which region of each Func its readers need, at the place where it is computed.
//
// Everything is per dimension and symbolic. A region is live: the union of the readers' reads over *their* live points; `extent` is
// what storage is sized by, inside a block a constant bound of max - min + 1.
#pragma once

#include <vector>

#include "scheduler/lower/plan.h"
#include "scheduler/lower/stage_shape.h"

namespace sinter::scheduler {

class Regions {
 public:
  explicit Regions(const Plan& plan);

  // What all readers of `f`, each computed at or inside `place`, need of it there. Consumers of f must be set already. Ends may be
  // undefined (unbounded). `extent` is left undefined.
  std::vector<DimRegion> required(ir::FuncId f, const LoopPlace& place) const;

  // Decides f's regions from its placement in the plan (compute and store place) and makes the shapes of its stages. Throws E0208 where a
  // block-level extent has no constant bound, E0307 where a region is unbounded.
  void set(ir::FuncId f);
  // As set(), but only whether block-level storage at `place` would have constant extents; `bytes` gets its size.
  bool is_bounded_at(ir::FuncId f, const LoopPlace& place, int64_t* bytes) const;

  const std::vector<DimRegion>& compute_region(ir::FuncId f) const { return compute_[f]; }
  const std::vector<DimRegion>& store_region(ir::FuncId f) const { return store_[f]; }
  const std::vector<DimRegion>& root_region(ir::FuncId f) const { return root_[f]; }  // as if everything were at root
  const StageShape& shape(ir::FuncId f, int stage) const { return shapes_[f][stage]; }

  // Intervals of the pure Vars and RVars of a stage as seen at `place`.
  ir::IntervalScope scope_at(ir::FuncId f, int stage, const LoopPlace& place) const;

 private:
  ir::Interval lift(ir::Interval interval, LoopPlace from, const LoopPlace& to) const;
  void add_own_updates(ir::FuncId f, std::vector<DimRegion>& region) const;
  // bound(), bound_extent(), align_bounds(), RoundUp. `place`: where the region is needed; a bound_extent() is about where f is computed.
  void finish(ir::FuncId f, std::vector<DimRegion>& region, const LoopPlace& place) const;
  void cover_tiles(ir::FuncId f, std::vector<DimRegion>& region, const LoopPlace& place) const;
  void set_extents(ir::FuncId f, std::vector<DimRegion>& region, const LoopPlace& place, bool required) const;

  const Plan& plan_;
  std::vector<std::vector<DimRegion>> compute_, store_, root_;
  std::vector<std::vector<StageShape>> shapes_;
};

// True where the place is inside a kernel's block loops, and where it is inside an explicit thread loop.
bool is_in_block(const Plan& plan, const LoopPlace& place);
bool is_thread_private(const Plan& plan, const LoopPlace& place);

}  // namespace sinter::scheduler
