// The schedule applied: for every Func its place, its memory and the loops of its stages. What the Nest is built from.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/program.h"
#include "ir/schedule.h"
#include "ir/target/target.h"
#include "scheduler/primitive/stage_loops.h"

namespace sinter::scheduler {

// A point in a nest: inside loop `node` of stage `stage` of Func `func`. func < 0: the root.
struct LoopPlace {
  ir::FuncId func = -1;
  int stage = 0;
  int node = -1;
  bool is_root() const { return func < 0; }
  friend bool operator==(const LoopPlace&, const LoopPlace&) = default;
};

enum class Placement : uint8_t { Default, Inline, Root, At };

struct DimBound {
  int dim;
  ir::Expr min, extent;  // min undefined: where the region that is needed begins
  ir::Loc loc;
};
struct DimAlign {
  int dim;
  int64_t modulus, remainder;
  ir::Loc loc;
};

struct FuncPlan {
  Placement placement = Placement::Default;
  LoopPlace compute, store;           // with placement At or Root, once resolved
  ir::Directive compute_directive;  // as written: the place may name a loop made by a later directive
  ir::Directive store_directive;
  bool has_compute = false, has_store = false;
  ir::Memory memory = ir::Memory::Auto;
  ir::Loc memory_loc;
  std::vector<DimBound> bounds;
  std::vector<DimAlign> aligned;       // align_bounds
  std::map<int, int64_t> estimates;    // extents per dimension, of Inputs and outputs
  std::vector<int> storage_order;      // dimensions, innermost in memory first; empty: as they are
  std::vector<int64_t> storage_align;  // elements per dimension; empty: 1
  ir::Loc storage_loc;
  bool has_storage_layout() const { return !storage_order.empty() || !storage_align.empty(); }
  std::vector<StageLoops> stages;  // computed Funcs
  bool has_directive = false;
  ir::Loc first_directive;
  std::string reason;              // why it is where it is, for explain()
  int recompute = 1;               // distinct reads per consumer point, for explain()
};

struct Plan {
  ir::Program program;  // calls to inlined Funcs are substituted once placement is resolved
  ir::Target target;
  std::vector<FuncPlan> funcs;
};

// Points of the box that a block computes together: beyond, compilation takes minutes.
inline constexpr int64_t kMaxBox = 1 << 18;

// Applies every directive of the schedule, in order, to the loops of its stage. Checks what concerns one Func; places are recorded
// as written.
Plan apply_schedule(const ir::Program& program, const ir::Schedule& schedule, const ir::Target& target);

// Gives every Func its place: as the schedule says, else by the defaults of language.md (Default placement); substitutes inlined
// Funcs; gives root stages without GPU directives the default GPU schedule on a GPU target; makes pure loops inside a block
// cooperative. Afterwards every FuncPlan is Inline, Root or At.
void resolve_placement(Plan& plan);

// An update of a block whose pure points leave threads idle: its RVars become cooperative where it folds values with an associative
// operator (tiles.md, Reductions). An RVar without a constant extent is split, the outer part serial. `shape`: of the loops as they
// are.
struct StageShape;
void share_reduction(const Plan& plan, StageLoops& loops, const StageShape& shape);
// True where a compute_at or store_at names the loop: it is a place in time.
bool is_named_place(const Plan& plan, ir::FuncId func, const ir::Sym& loop);

// Default schedules (default_schedule.cpp).
void default_gpu_schedule(Plan& plan, ir::FuncId func, int stage);
void default_host_schedule(Plan& plan, ir::FuncId func, int stage);

// Stages that read `f` in the current program: (func, stage), consumers in program order. A stage reading its own Func is not listed.
std::vector<std::pair<ir::FuncId, int>> readers_of(const ir::Program& program, ir::FuncId f);

// True where place `inner` is at or inside place `outer`.
bool is_inside(const Plan& plan, const LoopPlace& inner, const LoopPlace& outer);
// The place of the stage's innermost block loop in the kernel that contains `at`; root if there is none.
LoopPlace block_place(const Plan& plan, const LoopPlace& at);
// The nest around a place as text with the place marked.
std::vector<std::string> place_excerpt(const Plan& plan, const LoopPlace& place, const std::string& remark = "<-- here");

}  // namespace sinter::scheduler
