// Schedules that random tests found to fail once, each with what was wrong.
#include "tests/support/case_lists.h"

namespace sinter::testing {

namespace {

// A chain of three over an image: a is read at two points along x, b at two along y.
struct Three {
  Input in{"in", Int(32), 2};
  Var x{"x"}, y{"y"}, v1{"v1"}, v2{"v2"}, v3{"v3"}, v4{"v4"};
  Func a{"a"}, b{"b"}, f{"f"};
  Three() {
    a(x, y) = in(x, y) * 2 + x;
    b(x, y) = a(x, y) + a(x + 2, y);
    f(x, y) = b(x, y) + b(x, y + 1) + a(x + 1, y);
  }
};

Case found(const std::string& name, int64_t w, int64_t h, std::function<void(Three&)> schedule) {
  return {"found_" + name, [=] {
            Three t;
            schedule(t);
            return Built{Pipeline("found", {t.in}, {t.f}),
                         {integers(dtype_of<int32_t>(), {w + 64, h + 64})},
                         {Buffer::host(dtype_of<int32_t>(), {w, h})}};
          }};
}

}  // namespace

std::vector<Case> found_cases() {
  std::vector<Case> c;
  const auto add = [&](const char* name, int64_t w, int64_t h, std::function<void(Three&)> s) { c.push_back(found(name, w, h, std::move(s))); };
  // A place among the loops of a tile is a loop in time, also where nobody said serial.
  add("place_in_a_tile", 43, 7, [](Three& t) {
    t.f.split(t.y, t.v1, t.v2, 32);
    t.b.compute_at(t.f, t.v2);
  });
  add("place_in_a_tile_shifted", 4, 6, [](Three& t) {
    t.f.split(t.y, t.v1, t.v2, 16, TailStrategy::ShiftInwards);
    t.b.compute_at(t.f, t.v2);
  });
  add("place_in_a_row_of_a_tile", 21, 6, [](Three& t) {
    t.f.split(t.x, t.v1, t.v2, 4);
    t.b.compute_at(t.f, t.v2);
  });
  add("place_in_a_block", 43, 9, [](Three& t) {
    t.f.split(t.y, t.v1, t.v2, 4).split(t.x, t.v3, t.v4, 16).reorder(t.v4, t.v2, t.v3, t.v1).gpu_blocks(t.v3, t.v1);
    t.b.compute_at(t.f, t.v2);
  });
  add("places_in_two_loops_of_a_block", 43, 9, [](Three& t) {
    t.f.split(t.y, t.v1, t.v2, 4).split(t.x, t.v3, t.v4, 16).reorder(t.v4, t.v2, t.v3, t.v1).gpu_blocks(t.v3, t.v1);
    t.a.compute_at(t.f, t.v2);
    t.b.compute_at(t.f, t.v4);
  });
  add("stored_outside_of_a_place", 43, 9, [](Three& t) {
    t.f.split(t.y, t.v1, t.v2, 4).split(t.x, t.v3, t.v4, 16).reorder(t.v4, t.v2, t.v3, t.v1).gpu_blocks(t.v3, t.v1);
    t.b.store_at(t.f, t.v2).compute_at(t.f, t.v4);
  });
  // Shifted tails under a fused loop.
  add("fused_after_a_shift", 43, 7, [](Three& t) {
    t.f.split(t.x, t.v2, t.v1, 8, TailStrategy::ShiftInwards);
    t.f.fuse(t.v2, t.y, t.v3);
  });
  add("fused_after_a_shift_of_a_producer", 43, 7, [](Three& t) {
    t.b.compute_root().split(t.x, t.v2, t.v1, 8, TailStrategy::ShiftInwards);
    t.b.fuse(t.v2, t.y, t.v3);
  });
  add("fused_after_a_shift_in_a_row", 43, 7, [](Three& t) {
    t.b.compute_at(t.f, t.y).split(t.x, t.v2, t.v1, 8, TailStrategy::ShiftInwards);
    t.b.fuse(t.v2, t.y, t.v3);
  });
  add("fused_after_a_shift_in_a_tile", 43, 7, [](Three& t) {
    t.f.gpu_tile(t.x, t.y, t.v1, t.v2, t.v3, t.v4, 16, 4);
    Var o("o"), i("i"), k("k");
    t.b.compute_at_block(t.f).split(t.x, o, i, 8, TailStrategy::ShiftInwards);
    t.b.fuse(o, t.y, k);
  });
  add("fused_after_a_shift_around_a_place", 43, 7, [](Three& t) {
    t.f.split(t.x, t.v2, t.v1, 8, TailStrategy::ShiftInwards);
    t.f.fuse(t.v2, t.y, t.v3);
    t.b.compute_at(t.f, t.v3);
  });
  // A tile without a loop that tells the tiles apart.
  add("tile_in_a_serial_loop", 43, 7, [](Three& t) { t.f.split(t.x, t.v1, t.v2, 8).serial(t.v1).serial(t.y); });
  add("tile_in_a_serial_loop_of_a_producer", 43, 7, [](Three& t) {
    t.f.gpu_tile(t.x, t.y, t.v1, t.v2, t.v3, t.v4, 16, 4);
    Var o("o"), i("i");
    t.b.compute_root().split(t.y, o, i, 3).serial(o).serial(t.x);
  });
  return c;
}

}  // namespace sinter::testing
