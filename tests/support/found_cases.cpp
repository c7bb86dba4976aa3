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

// A sum over a box, read where it is and elsewhere.
struct Sum {
  Input in{"in", Int(32), 2};
  Var x{"x"}, y{"y"}, v1{"v1"}, v2{"v2"}, v3{"v3"}, v4{"v4"};
  RDom r{0, 5, 0, 3, "r"};
  Func p{"p"}, s{"s"}, f{"f"};
  Sum() {
    p(x, y) = in(x, y) + y;
    s(x, y) = x;
    s(x, y) += p(x + r.x, y + r.y) * (r.x + 1);
    f(x, y) = s(x, y) * 2 + p(x, y);
  }
};

Case found_sum(const std::string& name, int64_t w, int64_t h, std::function<void(Sum&)> schedule) {
  return {"found_" + name, [=] {
            Sum t;
            schedule(t);
            return Built{Pipeline("found", {t.in}, {t.f}),
                         {integers(dtype_of<int32_t>(), {w + 64, h + 64})},
                         {Buffer::host(dtype_of<int32_t>(), {w, h})}};
          }};
}

}  // namespace

std::vector<Case> found_cases() {
  std::vector<Case> c;
  // The guard of an inner tail holds for the sum of the threads, too.
  c.push_back(found_sum("unrolled_tail_of_a_shared_sum", 8, 13, [](Sum& t) {
    t.f.split(t.y, t.v1, t.v2, 8, TailStrategy::GuardWithIf);
    t.s.update().unroll(t.y, 3);
  }));
  c.push_back(found_sum("unrolled_tail_of_a_shared_sum_in_pieces", 8, 13, [](Sum& t) {
    t.f.split(t.y, t.v1, t.v2, 8, TailStrategy::GuardWithIf);
    t.s.update().unroll(t.y, 3).split(t.r.x, t.v3, t.v4, 2).serial(t.v3);
  }));
  // Whole tiles of a sum of which one row is stored: no thread's registers have a place for the points beyond it.
  c.push_back(found_sum("tiles_wider_than_what_is_stored", 23, 14, [](Sum& t) {
    Var o("o"), i("i");
    t.f.gpu_tile(t.x, t.v1, t.v2, 16);
    t.s.compute_at_block(t.f).split(t.y, o, i, 4).split(o, t.v3, t.v4, 32, TailStrategy::ShiftInwards);
  }));
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
  // A wrapper that is itself read through a wrapper: of an Input, of a Func, of one for all readers.
  add("wrapper_of_a_wrapper_of_an_input", 43, 7, [](Three& t) {
    t.f.gpu_tile(t.x, t.y, t.v1, t.v2, t.v3, t.v4, 16, 4);
    t.a.compute_at_block(t.f);
    Func tile = t.in.in(t.a);
    tile.compute_at_block(t.f).store_in(MemoryType::Shared);
    t.in.in(tile).compute_root();
  });
  add("wrapper_of_a_wrapper_of_a_func", 43, 7, [](Three& t) {
    Func near = t.a.in(t.b), far = t.a.in(near);
    t.a.compute_root();
    far.compute_root().reorder_storage(t.y, t.x);
    near.compute_root();
  });
  add("wrapper_of_a_wrapper_for_all", 43, 7, [](Three& t) {
    Func all = t.a.in();
    t.a.in(all).compute_root();
    all.compute_root();
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
