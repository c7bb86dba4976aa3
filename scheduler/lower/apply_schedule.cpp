#include "ir/diagnostic.h"
#include "scheduler/lower/apply_dimension.h"
#include "scheduler/lower/plan.h"
#include "scheduler/primitive/primitive.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

void apply_to_stage(const Program& program, StageLoops& loops, const Directive& d) {
  switch (d.kind) {
    case DirectiveKind::Split: return apply_split(program, loops, d);
    case DirectiveKind::Fuse: return apply_fuse(program, loops, d);
    case DirectiveKind::Rename: return apply_rename(program, loops, d);
    case DirectiveKind::Reorder: return apply_reorder(program, loops, d);
    case DirectiveKind::Serial: case DirectiveKind::Parallel: case DirectiveKind::Cooperative:
    case DirectiveKind::GpuBlocks: case DirectiveKind::GpuThreads:
      return apply_bind(program, loops, d);
    case DirectiveKind::Vectorize: case DirectiveKind::Unroll: return apply_vectorize(program, loops, d);
    case DirectiveKind::GpuTile: return apply_gpu_tile(program, loops, d);
    case DirectiveKind::Threads: return apply_threads(program, loops, d);
    case DirectiveKind::BlockOrder: return apply_block_order(program, loops, d);
    case DirectiveKind::CooperativeStage: loops.cooperative_stage = true; return;
    default: throw InternalError("apply_to_stage: not a loop directive");
  }
}

void apply_place(const Program& program, FuncPlan& plan, const Directive& d) {
  const FuncDef& f = program.funcs[d.func];
  if (d.kind == DirectiveKind::ComputeInline) {
    if (f.has_updates())
      user_error(ErrorCode::InlineUpdates, d.loc, "compute_inline: `" + f.name + "` has update definitions, so it needs storage",
                 f.name + ".compute_root(), " + f.name + ".compute_at(consumer, loop) or " + f.name + ".compute_at_block(consumer)");
    if (program.is_output(d.func))
      user_error(ErrorCode::OutputPlacement, d.loc, "compute_inline: `" + f.name + "` is an output of the pipeline", "outputs are always at root");
    plan.placement = Placement::Inline;
    plan.has_compute = true;
    plan.compute_directive = d;
    return;
  }
  const bool is_store = d.kind == DirectiveKind::StoreRoot || d.kind == DirectiveKind::StoreAt || d.kind == DirectiveKind::StoreAtBlock;
  if (program.is_output(d.func) && d.kind != DirectiveKind::ComputeRoot && d.kind != DirectiveKind::StoreRoot)
    user_error(ErrorCode::OutputPlacement, d.loc,
               std::string(directive_name(d.kind)) + ": `" + f.name + "` is an output of the pipeline; it is computed at root",
               "remove the directive, or make another Func the output");
  if (is_store) {
    plan.has_store = true;
    plan.store_directive = d;
    return;
  }
  plan.has_compute = true;
  plan.compute_directive = d;
  plan.placement = d.kind == DirectiveKind::ComputeRoot ? Placement::Root : Placement::At;
}

// An inlined Func is part of its readers: it has neither loops nor storage that a directive could shape.
void check_inlined(const Program& program, const Plan& plan, const Schedule& schedule) {
  for (const Directive& d : schedule.directives) {
    if (plan.funcs[d.func].placement != Placement::Inline) continue;
    const std::string& name = program.funcs[d.func].name;
    const std::string what = std::string(directive_name(d.kind)) + ": `" + name + "` is inlined (compute_inline), ";
    const std::string help = "remove the directive, or " + name + ".compute_root(), .compute_at(consumer, loop) or .compute_at_block(consumer)";
    if (concerns_loops(d.kind)) user_error(ErrorCode::NoSuchLoop, d.loc, what + "so it has no loops", help);
    switch (d.kind) {
      case DirectiveKind::StoreRoot: case DirectiveKind::StoreAt: case DirectiveKind::StoreAtBlock:
        user_error(ErrorCode::StoreWithoutCompute, d.loc, what + "so nothing of it is stored", help);
      case DirectiveKind::StoreIn: case DirectiveKind::ReorderStorage: case DirectiveKind::AlignStorage:
        user_error(ErrorCode::BadMemory, d.loc, what + "so it has no storage", help);
      default: break;
    }
  }
}

}  // namespace

Plan apply_schedule(const Program& program, const Schedule& schedule, const Target& target) {
  Plan plan{program, target, std::vector<FuncPlan>(program.funcs.size())};
  for (size_t f = 0; f < program.funcs.size(); ++f)
    for (size_t s = 0; s < program.funcs[f].stages.size(); ++s)
      plan.funcs[f].stages.push_back(initial_loops(program, static_cast<int>(f), static_cast<int>(s)));

  for (const Directive& d : schedule.directives) {
    internal_check(d.func >= 0 && d.func < static_cast<int>(plan.funcs.size()), "a directive without a Func");
    FuncPlan& fp = plan.funcs[d.func];
    if (!fp.has_directive) fp.first_directive = d.loc;
    fp.has_directive = true;
    if (program.funcs[d.func].is_input() && d.kind != DirectiveKind::SetEstimate)
      user_error(ErrorCode::BadArgument, d.loc, std::string(directive_name(d.kind)) + " on the Input `" + program.funcs[d.func].name + "`",
                 "schedule a wrapper: " + program.funcs[d.func].name + ".in()");
    if (concerns_loops(d.kind)) {
      if (d.stage >= static_cast<int>(fp.stages.size()) || d.stage < 0)
        user_error(ErrorCode::DirectiveAfterCompile, d.loc, "`" + program.funcs[d.func].name + "` has no update " + std::to_string(d.stage - 1),
                   "define it before scheduling it");
      apply_to_stage(program, fp.stages[d.stage], d);
    } else if (d.kind == DirectiveKind::StoreIn) {
      fp.memory = d.memory;
      fp.memory_loc = d.loc;
    } else if (d.kind > DirectiveKind::StoreIn) {
      apply_dimension(program, fp, d);
    } else {
      apply_place(program, fp, d);
    }
  }
  for (const FuncPlan& fp : plan.funcs)
    for (const StageLoops& loops : fp.stages) {
      check_nest(program, loops);
      check_block_order(program, loops);
    }
  check_inlined(program, plan, schedule);
  return plan;
}

}  // namespace sinter::scheduler
