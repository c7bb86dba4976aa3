// Extents, variables and index expressions of a stage's loops, once its region is known.
#pragma once

#include <vector>

#include "ir/analysis/interval.h"
#include "scheduler/lower/plan.h"

namespace sinter::scheduler {

// The region of one dimension: live interval [min, max] and the extent that storage and tiles are sized by (a constant bound inside
// blocks, else the live extent).
struct DimRegion {
  ir::Expr min, max, extent;
};

// Per node of StageLoops. A leaf (a loop in `order`) has a variable; every node has its zero-based value in terms of leaves.
// `full` is the static extent, `live` how many of those iterations mean something (the same Expr where all do).
struct StageShape {
  std::vector<ir::Sym> sym;
  std::vector<ir::Expr> full, live, value;
  std::vector<ir::Expr> pure_coord;  // per Func dimension: absolute coordinate (undefined where not pure in this stage)
  std::vector<ir::Expr> rvar_coord;  // per RDom variable
  std::vector<ir::Expr> guards;      // conditions of fused loops that cover more than is live
  bool shifts = false;               // some split moved inwards: valid only under `shift_condition`
  ir::Expr shift_condition;

  // How often the loop at a position of `order` runs: its live iterations where they are known around it, else all, guarded inside.
  ir::Expr iterations(const StageLoops& loops, int position) const;
};

// `shift`: ShiftInwards tails (asked for, or Auto on a vectorized host loop) move the last part inwards; else they are guarded.
StageShape make_shape(const Plan& plan, const StageLoops& loops, const std::vector<DimRegion>& region, bool shift);

// True where a split resolves to ShiftInwards.
bool wants_shift(const Plan& plan, const StageLoops& loops, const LoopRelation& relation);

}  // namespace sinter::scheduler
