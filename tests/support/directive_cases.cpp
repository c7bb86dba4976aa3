#include "tests/support/case_lists.h"

namespace sinter::testing {

namespace {

struct Simple {
  Input in{"in", Int(32), 2};
  Var x{"x"}, y{"y"}, xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"}, t{"t"}, xii{"xii"};
  Func p{"p"}, f{"f"};
  Simple() {
    p(x, y) = in(x, y) * 2 + x;
    f(x, y) = p(x, y) + p(x + 1, y) + y;
  }
};

Case with(const std::string& name, int64_t w, int64_t h, std::function<void(Simple&)> schedule) {
  return {name + "_" + std::to_string(w) + "x" + std::to_string(h), [=] {
            Simple s;
            schedule(s);
            return Built{Pipeline("directives", {s.in}, {s.f}), {integers(dtype_of<int32_t>(), {w + 1, h})}, {Buffer::host(dtype_of<int32_t>(), {w, h})}};
          }};
}

}  // namespace

std::vector<Case> directive_cases() {
  std::vector<Case> c;
  for (auto [w, h] : {std::pair<int64_t, int64_t>{64, 8}, {45, 7}, {3, 2}}) {
    const auto add = [&, w = w, h = h](const char* name, std::function<void(Simple&)> s) { c.push_back(with(name, w, h, std::move(s))); };
    add("split_auto", [](Simple& s) { s.f.split(s.x, s.xo, s.xi, 8); });
    add("split_guard", [](Simple& s) { s.f.split(s.x, s.xo, s.xi, 8, TailStrategy::GuardWithIf).vectorize(s.xi); });
    add("split_shift", [](Simple& s) { s.f.split(s.x, s.xo, s.xi, 8, TailStrategy::ShiftInwards).vectorize(s.xi); });
    add("vectorize", [](Simple& s) { s.f.vectorize(s.x, 8); });
    add("unroll", [](Simple& s) { s.f.unroll(s.x, 4); });
    add("parallel", [](Simple& s) { s.f.parallel(s.y).vectorize(s.x, 4); });
    add("tile", [](Simple& s) { s.f.tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 16, 4).parallel(s.yo).vectorize(s.xi, 4); });
    add("fuse", [](Simple& s) { s.f.fuse(s.x, s.y, s.t).parallel(s.t); });
    add("tile_fuse", [](Simple& s) { s.f.tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 16, 4).fuse(s.xo, s.yo, s.t).parallel(s.t); });
    add("rename", [](Simple& s) { s.f.split(s.x, s.xo, s.xi, 8).rename(s.xo, s.t).parallel(s.t); });
    add("reorder_storage_root", [](Simple& s) { s.p.compute_root().reorder_storage(s.y, s.x); });
    add("reorder_storage_host_loop", [](Simple& s) { s.p.compute_at(s.f, s.y).reorder_storage(s.y, s.x); });
    add("reorder_storage_shared", [](Simple& s) {
      s.f.gpu_tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 32, 8);
      s.p.compute_at_block(s.f).reorder_storage(s.y, s.x);
    });
    add("align_storage_root", [](Simple& s) { s.p.compute_root().align_storage(s.x, 3).vectorize(s.x, 4); });
    add("align_storage_shared", [](Simple& s) {
      s.f.gpu_tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 32, 8);
      s.p.compute_at_block(s.f).align_storage(s.x, 35).align_storage(s.y, 16);
    });
    add("storage_order_and_alignment", [](Simple& s) {
      s.p.compute_root().reorder_storage(s.y, s.x).align_storage(s.y, 5).align_storage(s.x, 7);
    });
    add("reorder", [](Simple& s) { s.f.reorder(s.y, s.x); });
    add("nested_split", [](Simple& s) { s.f.split(s.x, s.xo, s.xi, 16).split(s.xi, s.xi, s.xii, 4).vectorize(s.xii); });
    add("compute_at_row", [](Simple& s) { s.p.compute_at(s.f, s.y); });
    add("compute_at_split", [](Simple& s) {
      s.f.split(s.x, s.xo, s.xi, 8);
      s.p.compute_at(s.f, s.xo);
    });
    add("store_root", [](Simple& s) { s.p.store_root().compute_root(); });
    add("block_only", [](Simple& s) { s.f.split(s.x, s.xo, s.xi, 32).reorder(s.xi, s.xo, s.y).gpu_blocks(s.xo, s.y); });
    add("gpu_threads", [](Simple& s) { s.f.tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 32, 4).gpu_blocks(s.xo, s.yo).gpu_threads(s.xi, s.yi); });
    add("threads_1d", [](Simple& s) { s.f.split(s.x, s.xo, s.xi, 32).reorder(s.xi, s.xo, s.y).gpu_blocks(s.xo, s.y).gpu_threads(s.xi); });
    add("cooperative_stage", [](Simple& s) {
      s.f.tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 32, 4).gpu_blocks(s.xo, s.yo).gpu_threads(s.xi, s.yi);
      s.p.compute_at_block(s.f).cooperative();
    });
    add("register_tile", [](Simple& s) {
      Func g("g");
      g(s.x, s.y) = s.p(s.x, s.y) * 3;
      s.f = Func("f2");
      s.f(s.x, s.y) = g(s.x, s.y) + g(s.x, s.y) * s.y;
      s.f.gpu_tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 32, 8);
      g.compute_at_block(s.f).store_in(MemoryType::Register);
    });
    add("register_slice", [](Simple& s) {
      Func g("g");
      g(s.y) = s.p(0, s.y) * 3;
      s.f = Func("f2");
      s.f(s.x, s.y) = g(s.y) + s.p(s.x, s.y);
      s.f.gpu_tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 32, 8);
      g.compute_at_block(s.f).store_in(MemoryType::Register);
    });
    add("block_order", [](Simple& s) { s.f.gpu_tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 8, 2).block_order(s.yo, s.xo); });
    add("block_order_grouped", [](Simple& s) {
      s.f.gpu_tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 8, 2).block_order(grouped(s.yo, 3));
      s.p.compute_at_block(s.f).store_in(MemoryType::Shared);
    });
    add("block_order_of_split_blocks", [](Simple& s) {
      s.f.tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 4, 2).split(s.xo, s.t, s.xii, 3).gpu_blocks(s.xii, s.t, s.yo).block_order(s.xii, grouped(s.yo, 2), s.t);
    });
    add("tile_1d_of_2d", [](Simple& s) { s.f.gpu_tile(s.x, s.xo, s.xi, 32); });
    add("unroll_tile", [](Simple& s) { s.f.gpu_tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 64, 16).unroll(s.yi, 4).vectorize(s.xi, 4).threads(64); });
    add("global_producer", [](Simple& s) { s.p.compute_root().store_in(MemoryType::Global); });
    add("wrapper_chain", [](Simple& s) {
      s.f.gpu_tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 32, 8);
      s.p.compute_root();
      s.p.in(s.f).compute_at_block(s.f).store_in(MemoryType::Shared);
    });
  }
  // What is computed beyond the readers' needs is read beyond them too.
  c.push_back({"align_bounds", [] {
                 Simple s;
                 s.f.tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 16, 4);
                 s.p.compute_at(s.f, s.xo).align_bounds(s.x, 8).align_bounds(s.y, 4);
                 return Built{Pipeline("align_bounds", {s.in}, {s.f}), {integers(dtype_of<int32_t>(), {64, 16})}, {Buffer::host(dtype_of<int32_t>(), {45, 7})}};
               }});
  c.push_back({"bound_extent_shared", [] {
                 Simple s;
                 s.f.gpu_tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 32, 8);
                 s.p.compute_at_block(s.f).store_in(MemoryType::Shared).bound_extent(s.y, 8);
                 return Built{Pipeline("bound_extent", {s.in}, {s.f}), {integers(dtype_of<int32_t>(), {46, 16})}, {Buffer::host(dtype_of<int32_t>(), {45, 13})}};
               }});
  c.push_back({"bound_extent_vectorized", [] {
                 Simple s;
                 s.f.split(s.x, s.xo, s.xi, 7);
                 s.p.compute_at(s.f, s.xo).bound_extent(s.x, 8).vectorize(s.x);
                 return Built{Pipeline("bound_extent", {s.in}, {s.f}), {integers(dtype_of<int32_t>(), {60, 7})}, {Buffer::host(dtype_of<int32_t>(), {45, 7})}};
               }});
  c.push_back({"align_bounds_shared", [] {
                 Simple s;
                 s.f.gpu_tile(s.x, s.y, s.xo, s.yo, s.xi, s.yi, 32, 8);
                 s.p.compute_at_block(s.f).store_in(MemoryType::Shared).align_bounds(s.x, 4).align_bounds(s.y, 3, 0);
                 return Built{Pipeline("align_bounds", {s.in}, {s.f}), {integers(dtype_of<int32_t>(), {80, 20})}, {Buffer::host(dtype_of<int32_t>(), {45, 7})}};
               }});
  // RoundUp computes, and so reads, up to the next multiple: the caller gives that much.
  c.push_back({"round_up_producer", [] {
                 Simple s;
                 s.p.compute_root().split(s.x, s.xo, s.xi, 8, TailStrategy::RoundUp).vectorize(s.xi);
                 return Built{Pipeline("round_up", {s.in}, {s.f}), {integers(dtype_of<int32_t>(), {48, 7})}, {Buffer::host(dtype_of<int32_t>(), {44, 7})}};
               }});
  // Sizes of nested allocations are expressions of the code generator's own, gone when the next one is made.
  c.push_back({"unrolled_reader_of_nested_producers", [] {
                 Var x("x"), y("y");
                 Func a("a"), b("b"), f("f");
                 a(x) = Expr(1);
                 b(x, y) = u16(f64(a(x)));
                 f(x, y) = i16(b(x, y));
                 f.unroll(x, 4);
                 b.compute_at(f, y);
                 a.compute_at(b, y);
                 return Built{Pipeline("nested", {}, {f}), {}, {Buffer::host(dtype_of<int16_t>(), {8, 2})}};
               }});
  return c;
}

}  // namespace sinter::testing
