// Every directive given wrongly, over one small pipeline. Each row ends as it says, on a GPU (the emulator) and on a host: refused with
// that code, at a line of this file, with help; or accepted, and then the numbers are the oracle's. An internal error is never right.
#include <gtest/gtest.h>

#include <optional>

#include "ir/diagnostic.h"
#include "tests/support/cases.h"

namespace sinter::testing {
namespace {

using ir::ErrorCode;
using Tail = TailStrategy;

// p is read by s, at many points, and by f; s is a sum over a box; c is a running sum along x.
struct Chain {
  Input in{"in", Int(32), 2};
  Var x{"x"}, y{"y"}, xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"}, t{"t"}, u{"u"}, v{"v"}, none{"none"};
  RDom r{0, 3, 0, 2, "r"}, k{1, 8, "k"};
  Func p{"p"}, s{"s"}, c{"c"}, f{"f"};
  Chain() {
    p(x, y) = in(x, y) * 2 + x;
    s(x, y) = y;
    s(x, y) += p(x + r.x, y + r.y);
    c(x, y) = p(x, y) + 1;
    c(k, y) += c(k - 1, y);
    f(x, y) = s(x, y) + s(x + 1, y) + p(x + 1, y) + c(x, y);
  }
};
// f in tiles, for what is placed in it.
void tile(Chain& c) { c.f.gpu_tile(c.x, c.y, c.xo, c.yo, c.xi, c.yi, 16, 4); }
void threads(Chain& c) { c.f.tile(c.x, c.y, c.xo, c.yo, c.xi, c.yi, 16, 4).gpu_blocks(c.xo, c.yo).gpu_threads(c.xi, c.yi); }
// Rows use what is above: an error may be at a line of it.
const int last_shared_line = __LINE__;

constexpr int64_t width = 45, height = 7;

struct Row {
  const char* name;
  std::optional<ErrorCode> gpu, host;  // nullopt: accepted
  std::function<void(Chain&)> schedule;
  int line;
};

std::vector<Row> rows;

using Code = std::optional<ErrorCode>;
const Code legal;

void refused(const char* name, ErrorCode code, std::function<void(Chain&)> schedule, int line = __builtin_LINE()) {
  rows.push_back({name, code, code, std::move(schedule), line});
}
// Limits of a GPU that a host does not have.
void gpu_only(const char* name, ErrorCode code, std::function<void(Chain&)> schedule, int line = __builtin_LINE()) {
  rows.push_back({name, code, legal, std::move(schedule), line});
}
void accepted(const char* name, std::function<void(Chain&)> schedule, int line = __builtin_LINE()) {
  rows.push_back({name, legal, legal, std::move(schedule), line});
}

bool make_rows() {
  using enum ErrorCode;
  // ---- loops that are not there, or there twice ----
  refused("split_unknown", NoSuchLoop, [](Chain& c) { c.f.split(c.none, c.xo, c.xi, 4); });
  refused("fuse_unknown", NoSuchLoop, [](Chain& c) { c.f.fuse(c.x, c.none, c.t); });
  refused("reorder_unknown", NoSuchLoop, [](Chain& c) { c.f.reorder(c.none, c.x); });
  refused("parallel_unknown", NoSuchLoop, [](Chain& c) { c.f.parallel(c.none); });
  refused("serial_unknown", NoSuchLoop, [](Chain& c) { c.f.serial(c.none); });
  refused("cooperative_unknown", NoSuchLoop, [](Chain& c) { c.f.cooperative(c.none); });
  refused("unroll_unknown", NoSuchLoop, [](Chain& c) { c.f.unroll(c.none); });
  refused("vectorize_unknown", NoSuchLoop, [](Chain& c) { c.f.vectorize(c.none, 4); });
  refused("gpu_blocks_unknown", NoSuchLoop, [](Chain& c) { c.f.gpu_blocks(c.none); });
  refused("gpu_threads_unknown", NoSuchLoop, [](Chain& c) { c.f.gpu_threads(c.none); });
  refused("block_order_unknown", NoSuchLoop, [](Chain& c) { tile(c), c.f.block_order(c.none); });
  refused("block_order_twice", BadReorder, [](Chain& c) { tile(c), c.f.block_order(c.xo, c.xo); });
  refused("block_order_of_no_block", BadBinding, [](Chain& c) { tile(c), c.f.block_order(c.xi); });
  refused("block_order_of_a_loop_that_is_unbound", BadBinding, [](Chain& c) { tile(c), c.f.block_order(c.yo, c.xo).serial(c.yo); });
  refused("block_order_before_a_fuse", NoSuchLoop, [](Chain& c) { tile(c), c.f.block_order(c.yo).fuse(c.xo, c.yo, c.t); });
  refused("block_order_group_of_0", BadFactor, [](Chain& c) { tile(c), c.f.block_order(grouped(c.yo, 0)); });
  refused("block_order_last_loop_grouped", BadReorder, [](Chain& c) { tile(c), c.f.block_order(c.xo, grouped(c.yo, 2)); });
  refused("block_order_groups_of_groups", BadReorder, [](Chain& c) { tile(c), c.f.block_order(grouped(c.xo, 2), grouped(c.yo, 2)); });
  accepted("block_order_before_the_binding", [](Chain& c) { c.f.tile(c.x, c.y, c.xo, c.yo, c.xi, c.yi, 16, 4).block_order(grouped(c.yo, 2)).gpu_blocks(c.xo, c.yo); });
  accepted("block_order_then_rename", [](Chain& c) { tile(c), c.f.block_order(grouped(c.yo, 3)).rename(c.yo, c.t); });
  refused("gpu_tile_unknown", NoSuchLoop, [](Chain& c) { c.f.gpu_tile(c.none, c.xo, c.xi, 4); });
  refused("bound_unknown", NoSuchLoop, [](Chain& c) { c.f.bound(c.none, 0, 4); });
  refused("rvar_of_another_stage", NoSuchLoop, [](Chain& c) { c.s.unroll(c.r.x); });
  refused("rvar_of_another_func", NoSuchLoop, [](Chain& c) { c.c.update().unroll(c.r.x); });
  refused("var_that_is_not_pure_in_the_update", NoSuchLoop, [](Chain& c) { c.c.update().parallel(c.x); });
  refused("consumed_loop", NoSuchLoop, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 4).vectorize(c.x); });
  refused("split_same_names", DuplicateLoop, [](Chain& c) { c.f.split(c.x, c.t, c.t, 4); });
  refused("split_onto_another", DuplicateLoop, [](Chain& c) { c.f.split(c.x, c.y, c.xi, 4); });
  refused("gpu_tile_same_names", DuplicateLoop, [](Chain& c) { c.f.gpu_tile(c.x, c.y, c.t, c.t, c.xi, c.yi, 4, 4); });
  refused("gpu_tile_one_loop_twice", DuplicateLoop, [](Chain& c) { c.f.gpu_tile(c.x, c.x, c.xo, c.yo, c.xi, c.yi, 4, 4); });
  refused("fuse_with_itself", DuplicateLoop, [](Chain& c) { c.f.fuse(c.x, c.x, c.t); });
  refused("reorder_twice", BadReorder, [](Chain& c) { c.f.reorder(c.x, c.x); });
  refused("gpu_blocks_twice_in_one", BadBinding, [](Chain& c) { c.f.gpu_blocks(c.x, c.x); });

  refused("rename_unknown", NoSuchLoop, [](Chain& c) { c.f.rename(c.none, c.t); });
  refused("rename_onto_another", DuplicateLoop, [](Chain& c) { c.f.rename(c.x, c.y); });
  refused("renamed_loop", NoSuchLoop, [](Chain& c) { c.f.rename(c.x, c.t).vectorize(c.x, 4); });
  accepted("rename_and_use", [](Chain& c) { c.f.rename(c.x, c.t).vectorize(c.t, 4); });
  accepted("rename_to_itself", [](Chain& c) { c.f.rename(c.x, c.x); });
  accepted("rename_an_rvar", [](Chain& c) { c.s.compute_root().update().rename(c.r.x, c.t).unroll(c.t); });

  // ---- dimensions and storage ----
  refused("bound_extent_unknown", NoSuchLoop, [](Chain& c) { c.p.bound_extent(c.none, 4); });
  refused("bound_extent_zero", BadBound, [](Chain& c) { c.p.bound_extent(c.x, 0); });
  refused("bound_extent_twice", BadBound, [](Chain& c) { c.p.bound_extent(c.x, 64).bound_extent(c.x, 64); });
  refused("bound_and_bound_extent", BadBound, [](Chain& c) { c.p.bound(c.x, 0, 64).bound_extent(c.x, 64); });
  refused("bound_extent_too_small", OutOfBounds, [](Chain& c) { tile(c), c.s.compute_at_block(c.f).bound_extent(c.x, 16); });
  accepted("bound_extent_of_a_tile", [](Chain& c) { tile(c), c.s.compute_at_block(c.f).bound_extent(c.x, 17); });
  accepted("bound_extent_of_the_output", [](Chain& c) { c.f.bound_extent(c.x, 45); });
  refused("align_bounds_unknown", NoSuchLoop, [](Chain& c) { c.p.align_bounds(c.none, 4); });
  refused("align_bounds_zero", BadFactor, [](Chain& c) { c.p.align_bounds(c.x, 0); });
  refused("align_bounds_remainder", BadBound, [](Chain& c) { c.p.align_bounds(c.x, 4, 4); });
  refused("align_bounds_negative_remainder", BadBound, [](Chain& c) { c.p.align_bounds(c.x, 4, -1); });
  refused("align_bounds_twice", BadBound, [](Chain& c) { c.p.align_bounds(c.x, 4).align_bounds(c.x, 2); });
  refused("align_bounds_of_the_output", BadBound, [](Chain& c) { c.f.align_bounds(c.x, 4); });
  accepted("align_bounds_of_an_init", [](Chain& c) { c.s.compute_root().align_bounds(c.x, 2); });
  refused("estimate_unknown", NoSuchLoop, [](Chain& c) { c.f.set_estimate(c.none, 0, 4); });
  refused("estimate_zero", BadBound, [](Chain& c) { c.f.set_estimate(c.x, 0, 0); });
  refused("estimate_from_1", BadBound, [](Chain& c) { c.f.set_estimate(c.x, 1, 4); });
  refused("estimate_of_an_input_from_1", BadBound, [](Chain& c) { c.in.dim(0).set_estimate(1, 4); });
  refused("estimate_huge", BadBound, [](Chain& c) { c.f.set_estimate(c.x, 0, int64_t{1} << 40); });
  accepted("estimates", [](Chain& c) { c.f.set_estimate(c.x, 0, 9).set_estimate(c.x, 0, 1), c.p.set_estimate(c.x, -3, 9), c.in.dim(1).set_estimate(0, 7); });
  refused("reorder_storage_unknown", NoSuchLoop, [](Chain& c) { c.p.reorder_storage(c.none, c.x); });
  refused("reorder_storage_twice", BadReorder, [](Chain& c) { c.p.reorder_storage(c.x, c.x); });
  refused("reorder_storage_of_the_output", BadMemory, [](Chain& c) { c.f.reorder_storage(c.y, c.x); });
  refused("reorder_storage_of_registers", BadMemory, [](Chain& c) {
    threads(c), c.s.compute_at(c.f, c.xi).reorder_storage(c.y, c.x);
  });
  accepted("reorder_storage_of_a_scan", [](Chain& c) { c.c.compute_root().reorder_storage(c.y, c.x); });
  refused("align_storage_unknown", NoSuchLoop, [](Chain& c) { c.p.align_storage(c.none, 4); });
  refused("align_storage_zero", BadFactor, [](Chain& c) { c.p.align_storage(c.x, 0); });
  refused("align_storage_2_to_40", BadFactor, [](Chain& c) { c.p.align_storage(c.x, int64_t{1} << 40); });
  refused("align_storage_of_the_output", BadMemory, [](Chain& c) { c.f.align_storage(c.x, 4); });
  refused("align_storage_of_registers", BadMemory, [](Chain& c) {
    tile(c), c.c.compute_at_block(c.f).store_in(MemoryType::Register).align_storage(c.x, 4);
  });
  gpu_only("align_storage_beyond_shared_memory", TooMuchShared, [](Chain& c) { tile(c), c.s.compute_at_block(c.f).align_storage(c.x, 1 << 20); });
  accepted("align_storage_to_1", [](Chain& c) { c.p.compute_root().align_storage(c.x, 1); });

  // ---- factors ----
  refused("split_zero", BadFactor, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 0); });
  refused("split_negative", BadFactor, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, -8); });
  refused("split_2_to_40", BadFactor, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, int64_t{1} << 40); });
  refused("unroll_zero", BadFactor, [](Chain& c) { c.f.unroll(c.x, 0); });
  refused("vectorize_zero", BadFactor, [](Chain& c) { c.f.vectorize(c.x, 0); });
  refused("vectorize_3", BadFactor, [](Chain& c) { c.f.vectorize(c.x, 3); });
  refused("vectorize_huge", BadFactor, [](Chain& c) { c.f.vectorize(c.x, 1 << 20); });
  refused("unroll_huge", BadFactor, [](Chain& c) { c.f.unroll(c.x, 1 << 20); });
  refused("unroll_huge_split", BadFactor, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 1 << 20).unroll(c.xi); });
  refused("vectorize_huge_split", BadFactor, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 1 << 20).vectorize(c.xi); });
  accepted("vectorize_split_by_3", [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 3).vectorize(c.xi); });
  gpu_only("split_huge", BadFactor, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 1 << 20); });
  accepted("split_of_split", [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 16).split(c.xi, c.t, c.u, 8); });
  gpu_only("split_of_split_huge", BadFactor, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 1 << 20).split(c.xi, c.t, c.u, 1 << 19); });
  gpu_only("split_largest", BadFactor, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 1 << 24); });
  refused("split_too_large", BadFactor, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, (1 << 24) + 1); });
  refused("unroll_twice", BadFactor, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 512).split(c.y, c.yo, c.yi, 512).unroll(c.xi).unroll(c.yi); });
  refused("gpu_tile_zero", BadFactor, [](Chain& c) { c.f.gpu_tile(c.x, c.xo, c.xi, 0); });
  gpu_only("gpu_tile_huge", BadFactor, [](Chain& c) { c.f.gpu_tile(c.x, c.y, c.xo, c.yo, c.xi, c.yi, 1 << 20, 1 << 10); });
  refused("threads_zero", BadFactor, [](Chain& c) { tile(c), c.f.threads(0); });
  refused("threads_33", BadThreads, [](Chain& c) { tile(c), c.f.threads(33); });
  refused("threads_2048", BadThreads, [](Chain& c) { tile(c), c.f.threads(2048); });
  accepted("split_by_one", [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 1).vectorize(c.xi); });
  accepted("gpu_tile_of_one_point", [](Chain& c) { c.f.gpu_tile(c.x, c.y, c.xo, c.yo, c.xi, c.yi, 1, 1); });
  accepted("tile_larger_than_the_output", [](Chain& c) { c.f.gpu_tile(c.x, c.y, c.xo, c.yo, c.xi, c.yi, 64, 16); });

  // ---- tails ----
  refused("shift_an_update", BadTail, [](Chain& c) { c.s.compute_root().update().split(c.x, c.xo, c.xi, 8, Tail::ShiftInwards); });
  refused("shift_an_update_in_a_tile", BadTail, [](Chain& c) { c.s.compute_root().update().gpu_tile(c.x, c.xo, c.xi, 8, Tail::ShiftInwards); });
  refused("round_up_an_rvar", BadTail, [](Chain& c) { c.s.compute_root().update().split(c.r.x, c.xo, c.xi, 2, Tail::RoundUp); });
  accepted("shift_an_rvar", [](Chain& c) { c.s.compute_root().update().split(c.r.x, c.xo, c.xi, 2, Tail::GuardWithIf); });
  refused("round_up_the_output", OutOfBounds, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 8, Tail::RoundUp); });
  accepted("round_up_a_known_output", [](Chain& c) { c.f.bound(c.x, 0, 45).split(c.x, c.xo, c.xi, 9, Tail::RoundUp); });
  accepted("round_up_a_producer", [](Chain& c) { c.s.compute_root().split(c.x, c.xo, c.xi, 8, Tail::RoundUp).vectorize(c.xi); });
  accepted("shift_the_output", [](Chain& c) { c.f.gpu_tile(c.x, c.y, c.xo, c.yo, c.xi, c.yi, 16, 4, Tail::ShiftInwards); });
  accepted("shift_a_tile_larger_than_the_output", [](Chain& c) { c.f.gpu_tile(c.x, c.y, c.xo, c.yo, c.xi, c.yi, 64, 16, Tail::ShiftInwards); });
  accepted("shift_a_producer", [](Chain& c) { c.p.compute_root().split(c.x, c.xo, c.xi, 32, Tail::ShiftInwards); });
  accepted("shift_twice", [](Chain& c) {
    c.p.compute_root().split(c.x, c.xo, c.xi, 16, Tail::ShiftInwards).split(c.xi, c.t, c.u, 3, Tail::ShiftInwards);
  });
  accepted("guard_inside_shift", [](Chain& c) {
    c.p.compute_root().split(c.x, c.xo, c.xi, 16, Tail::ShiftInwards).split(c.xi, c.t, c.u, 5, Tail::GuardWithIf).vectorize(c.u, 4);
  });
  refused("round_up_inside_guard", OutOfBounds, [](Chain& c) {
    c.p.compute_root().split(c.x, c.xo, c.xi, 16, Tail::GuardWithIf).split(c.xi, c.t, c.u, 3, Tail::RoundUp);
  });

  // ---- order ----
  refused("reorder_dependent_rvars", BadReorder, [](Chain& c) { c.s.compute_root().update().reorder(c.r.y, c.r.x); });
  refused("reorder_parts_of_an_rvar", BadReorder, [](Chain& c) {
    c.s.compute_root().update().split(c.r.x, c.xo, c.xi, 2).reorder(c.xo, c.xi);
  });
  refused("reorder_parts_of_a_scan", BadReorder, [](Chain& c) {
    c.c.compute_root().update().split(c.k, c.xo, c.xi, 4).reorder(c.xo, c.xi);
  });
  accepted("pure_vars_inside_rvars", [](Chain& c) { c.s.compute_root().update().reorder(c.x, c.r.x, c.y, c.r.y); });
  refused("fuse_not_adjacent", BadFuse, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 4).fuse(c.xi, c.y, c.t); });
  refused("fuse_upside_down", BadFuse, [](Chain& c) { c.f.fuse(c.y, c.x, c.t); });
  refused("fuse_var_and_rvar", BadFuse, [](Chain& c) { c.s.compute_root().update().fuse(c.r.y, c.x, c.t); });
  refused("fuse_two_kinds", BadFuse, [](Chain& c) { c.f.parallel(c.y).fuse(c.x, c.y, c.t); });
  accepted("fuse_rvars", [](Chain& c) { c.s.compute_root().update().fuse(c.r.x, c.r.y, c.t); });
  accepted("fuse_tails", [](Chain& c) {
    c.f.split(c.x, c.xo, c.xi, 8).split(c.y, c.yo, c.yi, 4).reorder(c.xi, c.yi, c.xo, c.yo).fuse(c.xi, c.yi, c.t).fuse(c.xo, c.yo, c.u);
  });
  accepted("split_a_fused_loop", [](Chain& c) { c.f.fuse(c.x, c.y, c.t).split(c.t, c.xo, c.xi, 10).gpu_blocks(c.xo).gpu_threads(c.xi); });
  accepted("shift_a_fused_loop", [](Chain& c) { c.f.fuse(c.x, c.y, c.t).split(c.t, c.xo, c.xi, 10, Tail::ShiftInwards); });

  // ---- bindings ----
  refused("parallel_then_blocks", BadBinding, [](Chain& c) { c.f.parallel(c.y).gpu_blocks(c.y); });
  refused("blocks_then_threads", BadBinding, [](Chain& c) { c.f.gpu_blocks(c.y).gpu_threads(c.y); });
  refused("split_of_a_bound_loop", BadBinding, [](Chain& c) { c.f.gpu_blocks(c.x).split(c.x, c.xo, c.xi, 4); });
  refused("vectorize_blocks", BadBinding, [](Chain& c) { c.f.gpu_blocks(c.x).vectorize(c.x, 4); });
  refused("threads_around_their_blocks", BlockInsideBlock, [](Chain& c) { threads(c), c.f.reorder(c.xo, c.yo, c.xi, c.yi); });
  refused("tile_around_its_blocks", BlockInsideBlock, [](Chain& c) { tile(c), c.f.reorder(c.xo, c.yo, c.xi, c.yi); });
  refused("tile_of_a_bound_loop", BlockInsideBlock, [](Chain& c) { c.f.gpu_blocks(c.x).gpu_tile(c.x, c.xo, c.xi, 4); });
  refused("tile_of_a_tile", BadBinding, [](Chain& c) { tile(c), c.f.gpu_tile(c.xi, c.t, c.u, 4); });
  refused("blocks_inside_a_tile", BadBinding, [](Chain& c) { tile(c), c.f.gpu_blocks(c.xi); });
  refused("blocks_inside_threads", BlockInsideBlock, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 8).gpu_threads(c.y).gpu_blocks(c.xo); });
  refused("blocks_around_serial_around_blocks", BlockInsideBlock, [](Chain& c) {
    c.f.split(c.x, c.xo, c.xi, 8).serial(c.xo).gpu_blocks(c.y).gpu_blocks(c.xi);
  });
  refused("threads_around_serial_around_threads", BadBinding, [](Chain& c) {
    c.f.split(c.x, c.xo, c.xi, 8).split(c.y, c.yo, c.yi, 4).reorder(c.xi, c.xo, c.yi, c.yo).gpu_blocks(c.yo).gpu_threads(c.xi, c.yi);
  });
  refused("parallel_inside_blocks", BadBinding, [](Chain& c) { c.f.gpu_blocks(c.y).parallel(c.x); });
  refused("threads_of_run_time_extent", BadVectorize, [](Chain& c) { c.f.gpu_blocks(c.y).gpu_threads(c.x); });
  gpu_only("threads_without_blocks_of_run_time_extent", BadVectorize, [](Chain& c) { c.f.gpu_threads(c.x); });
  refused("cooperative_of_run_time_extent", UnboundedBox, [](Chain& c) { c.f.gpu_blocks(c.y).cooperative(c.x); });
  refused("vectorize_run_time_extent", BadVectorize, [](Chain& c) { c.f.vectorize(c.x); });
  refused("unroll_run_time_extent", BadVectorize, [](Chain& c) { c.f.unroll(c.x); });
  accepted("vectorize_outer_loop", [](Chain& c) { c.f.split(c.y, c.yo, c.yi, 4).reorder(c.x, c.yi, c.yo).vectorize(c.yi); });
  accepted("vectorize_twice", [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 4).split(c.y, c.yo, c.yi, 4).vectorize(c.xi).vectorize(c.yi); });
  accepted("vectorize_then_unroll", [](Chain& c) { c.f.vectorize(c.x, 4).unroll(c.x, 2); });
  gpu_only("threads_2000", TooManyThreads, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 2000).reorder(c.xi, c.xo, c.y).gpu_blocks(c.xo, c.y).gpu_threads(c.xi); });
  gpu_only("threads_64x64", TooManyThreads, [](Chain& c) {
    c.f.tile(c.x, c.y, c.xo, c.yo, c.xi, c.yi, 64, 64).gpu_blocks(c.xo, c.yo).gpu_threads(c.xi, c.yi);
  });
  gpu_only("threads_hint_too_small", BadThreads, [](Chain& c) { threads(c), c.f.threads(32); });
  accepted("threads_three_loops", [](Chain& c) {
    c.f.tile(c.x, c.y, c.xo, c.yo, c.xi, c.yi, 16, 4).split(c.xi, c.t, c.u, 4).gpu_blocks(c.xo, c.yo).gpu_threads(c.u, c.t, c.yi);
  });

  // ---- dependent iterations ----
  refused("parallel_reduction", RVarParallel, [](Chain& c) { c.s.compute_root().update().parallel(c.r.x); });
  refused("vectorized_reduction", RVarParallel, [](Chain& c) { c.s.compute_root().update().vectorize(c.r.x, 2); });
  refused("threads_of_a_reduction", RVarParallel, [](Chain& c) { c.s.compute_root().update().gpu_blocks(c.x).gpu_threads(c.r.x); });
  refused("blocks_of_a_reduction", RVarParallel, [](Chain& c) { c.s.compute_root().update().gpu_blocks(c.r.y); });
  refused("tile_of_a_reduction", RVarParallel, [](Chain& c) { c.s.compute_root().update().gpu_tile(c.r.x, c.xo, c.xi, 2); });
  accepted("cooperative_reduction", [](Chain& c) { c.s.compute_root().update().cooperative(c.r.x); });
  refused("parallel_fused_rvars", RVarParallel, [](Chain& c) { c.s.compute_root().update().fuse(c.r.x, c.r.y, c.t).parallel(c.t); });
  refused("parallel_part_of_a_reduction", RVarParallel, [](Chain& c) {
    c.s.compute_root().update().split(c.r.x, c.xo, c.xi, 2).parallel(c.xo);
  });
  refused("parallel_scan", RVarParallel, [](Chain& c) { c.c.compute_root().update().parallel(c.k); });
  refused("vectorized_scan", RVarParallel, [](Chain& c) { c.c.compute_root().update().vectorize(c.k, 4); });
  refused("blocks_of_a_scan", RVarParallel, [](Chain& c) { c.c.compute_root().update().gpu_blocks(c.k); });
  refused("tile_of_a_scan", RVarParallel, [](Chain& c) { c.c.compute_root().update().gpu_tile(c.k, c.xo, c.xi, 4); });
  refused("threads_of_a_scan", RVarParallel, [](Chain& c) { c.c.compute_root().update().gpu_blocks(c.y).gpu_threads(c.k); });
  accepted("unrolled_reduction", [](Chain& c) { c.s.compute_root().update().unroll(c.r.x).unroll(c.r.y); });
  accepted("unrolled_scan", [](Chain& c) { c.c.compute_root().update().unroll(c.k, 3); });
  accepted("scan_of_parallel_rows", [](Chain& c) { c.c.compute_root().update().parallel(c.y); });

  // ---- places ----
  refused("at_itself", NoSuchPlace, [](Chain& c) { c.p.compute_at(c.p, c.x); });
  refused("at_its_producer", NoSuchPlace, [](Chain& c) { c.s.compute_at(c.p, c.x), c.p.compute_root(); });
  refused("at_no_loop", NoSuchPlace, [](Chain& c) { c.p.compute_at(c.f, c.none); });
  refused("at_no_blocks", NoSuchPlace, [](Chain& c) { c.p.compute_at_block(c.f), c.f.parallel(c.y).serial(c.x); });
  refused("at_an_inlined_func", NoSuchPlace, [](Chain& c) { c.in.in().compute_at(c.p, c.x); });
  refused("at_one_reader_of_two", NoSuchPlace, [](Chain& c) { c.s.compute_root(), c.p.compute_at(c.s, c.x); });
  refused("at_consumed_loop", NoSuchPlace, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 8), c.s.compute_at(c.f, c.x); });
  refused("at_an_outer_block", OuterBlockPlace, [](Chain& c) { tile(c), c.s.compute_at(c.f, c.yo); });
  refused("at_a_cooperative_loop", CooperativePlace, [](Chain& c) { tile(c), c.s.compute_at(c.f, c.yi); });
  refused("at_a_vectorized_loop", NoSuchPlace, [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 4).vectorize(c.xi), c.s.compute_at(c.f, c.xi); });
  accepted("inside_a_vectorized_loop", [](Chain& c) { c.f.vectorize(c.x, 4), c.s.compute_at(c.f, c.x), c.f.vectorize(c.y, 2); });
  accepted("inside_an_unrolled_loop", [](Chain& c) { c.f.unroll(c.y, 3), c.s.compute_at(c.f, c.x); });
  accepted("inside_inner_then_outer", [](Chain& c) { c.f.split(c.x, c.xo, c.xi, 8).reorder(c.xo, c.xi, c.y), c.s.compute_at(c.f, c.xo); });
  refused("output_at_a_place", OutputPlacement, [](Chain& c) { c.f.compute_at(c.s, c.x); });
  refused("output_inline", OutputPlacement, [](Chain& c) { c.f.compute_inline(); });
  refused("output_stored_at", OutputPlacement, [](Chain& c) { c.f.store_at(c.s, c.x); });
  refused("inline_with_updates", InlineUpdates, [](Chain& c) { c.s.compute_inline(); });
  refused("store_at_without_compute", StoreWithoutCompute, [](Chain& c) { c.s.store_at(c.f, c.y); });
  refused("store_root_without_compute", StoreWithoutCompute, [](Chain& c) { c.s.store_root(); });
  refused("store_root_of_an_inlined_func", StoreWithoutCompute, [](Chain& c) { c.p.store_root(); });
  refused("store_inside_compute", StoreWithoutCompute, [](Chain& c) { c.s.compute_at(c.f, c.y).store_at(c.f, c.x); });
  refused("store_inside_root", StoreWithoutCompute, [](Chain& c) { c.s.compute_root().store_at(c.f, c.x); });
  refused("store_at_no_loop", NoSuchPlace, [](Chain& c) { c.s.compute_at(c.f, c.x).store_at(c.f, c.none); });
  refused("store_root_of_a_block", BadMemory, [](Chain& c) { tile(c), c.s.compute_at_block(c.f).store_root(); });
  refused("blocks_inside_a_block", BlockInsideBlock, [](Chain& c) { tile(c), c.s.compute_at_block(c.f).gpu_blocks(c.y); });
  refused("tile_inside_a_block", BlockInsideBlock, [](Chain& c) { tile(c), c.s.compute_at_block(c.f).gpu_tile(c.x, c.xo, c.xi, 8); });
  refused("threads_inside_a_thread", BadBinding, [](Chain& c) { threads(c), c.s.compute_at(c.f, c.xi).gpu_threads(c.x); });
  refused("threads_nowhere_in_a_block", MixedThreadStyles, [](Chain& c) { threads(c), c.s.compute_at_block(c.f); });
  refused("parallel_inside_a_block", BadBinding, [](Chain& c) { tile(c), c.s.compute_at_block(c.f).parallel(c.y); });

  // ---- memories ----
  refused("register_at_root", BadMemory, [](Chain& c) { c.s.compute_root().store_in(MemoryType::Register); });
  refused("shared_at_root", BadMemory, [](Chain& c) { c.s.compute_root().store_in(MemoryType::Shared); });
  refused("register_output", BadMemory, [](Chain& c) { c.f.store_in(MemoryType::Register); });
  refused("shared_output", BadMemory, [](Chain& c) { tile(c), c.f.store_in(MemoryType::Shared); });
  refused("global_in_a_block", BadMemory, [](Chain& c) { tile(c), c.s.compute_at_block(c.f).store_in(MemoryType::Global); });
  refused("shared_in_a_thread", SharedInThread, [](Chain& c) { threads(c), c.s.compute_at(c.f, c.xi).store_in(MemoryType::Shared); });
  gpu_only("register_stencil", CrossThreadRegister, [](Chain& c) { tile(c), c.s.compute_at_block(c.f).store_in(MemoryType::Register); });
  gpu_only("register_stencil_of_threads", CrossThreadRegister, [](Chain& c) {
    threads(c), c.s.compute_at_block(c.f).store_in(MemoryType::Register).gpu_threads(c.x, c.y), c.s.update().gpu_threads(c.x, c.y);
  });
  gpu_only("shared_256_KB", TooMuchShared, [](Chain& c) {
    c.f.gpu_tile(c.x, c.y, c.xo, c.yo, c.xi, c.yi, 256, 256), c.s.compute_at_block(c.f).store_in(MemoryType::Shared);
  });
  refused("whole_rows_in_shared", UnboundedBox, [](Chain& c) { c.f.gpu_blocks(c.y), c.s.compute_at(c.f, c.y).store_in(MemoryType::Shared); });
  refused("store_in_of_an_inlined_func", BadMemory, [](Chain& c) { c.p.compute_inline().store_in(MemoryType::Shared); });

  // ---- bounds ----
  refused("bound_twice", BadBound, [](Chain& c) { c.p.compute_root().bound(c.x, 0, 64).bound(c.x, 0, 32); });
  refused("bound_output_from_one", BadBound, [](Chain& c) { c.f.bound(c.x, 1, 45); });
  refused("bound_too_small", OutOfBounds, [](Chain& c) { c.p.compute_root().bound(c.x, 0, 8).bound(c.y, 0, 4); });
  refused("bound_nothing", BadBound, [](Chain& c) { c.p.compute_root().bound(c.x, 0, 0); });
  return true;
}
const bool made = make_rows();

class BadSchedules : public ::testing::TestWithParam<size_t> {};

Built build(const Row& row) {
  Chain c;
  row.schedule(c);
  return {Pipeline("chain", {c.in}, {c.f}), {integers(dtype_of<int32_t>(), {width + 16, height + 4})}, {Buffer::host(dtype_of<int32_t>(), {width, height})}};
}

void expect_outcome(const Row& row, const Code& expected, const char* target) {
  const Case c{row.name, [&] { return build(row); }};
  std::string wanted = expected ? ir::code_text(*expected) : "accepted", got = "accepted", text;
  try {
    EXPECT_EQ(run_and_compare(c, Target::parse(target)), "") << target;
  } catch (const ir::UserError& e) {
    got = ir::code_text(e.code());
    text = e.what();
    const ir::Diagnostic& d = e.diagnostic();
    EXPECT_TRUE(d.loc.known() && std::string(d.loc.file) == __FILE__) << e.what();
    EXPECT_TRUE(d.loc.line < last_shared_line || (d.loc.line >= row.line - 4 && d.loc.line <= row.line + 4)) << e.what();
    EXPECT_FALSE(d.help.empty()) << e.what();
  } catch (const std::exception& e) {
    got = std::string("no UserError: ") + e.what();
  }
  EXPECT_EQ(got, wanted) << target << "\n" << text;
}

TEST_P(BadSchedules, OnAGpu) { expect_outcome(rows[GetParam()], rows[GetParam()].gpu, "emulate-sm_90a"); }
TEST_P(BadSchedules, OnAHost) { expect_outcome(rows[GetParam()], rows[GetParam()].host, "host"); }

INSTANTIATE_TEST_SUITE_P(Rows, BadSchedules, ::testing::Range(size_t{0}, rows.size()), [](const auto& i) { return std::string(rows[i.param].name); });

}  // namespace
}  // namespace sinter::testing
