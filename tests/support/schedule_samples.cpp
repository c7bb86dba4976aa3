#include "tests/support/schedule_samples.h"

#include "tests/support/case_lists.h"

namespace sinter::testing {

namespace {

// Every directive of a Func, its legality aside: what is compared is the schedule, not code.
Pipeline every_directive() {
  Input in("in", Int(32), 2);
  Param<int32_t> n("n");
  Param<float> scale("scale");
  Var x("x"), y("y"), z("z"), xo("xo"), yo("yo"), xi("xi"), yi("yi"), zo("zo"), zi("zi"), t("t"), u("u");
  RDom r(0, 8, 0, in.height(), "r");
  RVar ro("ro"), ri("ri"), rf("rf");
  Func p("p"), q("q"), s("s"), f("f"), g("g");
  p(x, y) = in(x, y) + n;
  q(x, y) = p(x, y) * 2 + i32(scale);
  s(x, y) = 0;
  s(x, y) += q(x + r.x, y) * r.y;
  s(x, y) = s(x, y) * 2;
  f(x, y) = s(x, y) + p(x, y);
  g(x, y, z) = f(x, y) + z + p(x, y);
  in.dim(0).set_estimate(0, 512);
  p.compute_root().store_root().reorder_storage(y, x).align_storage(y, 8).bound_extent(x, max(n, 8)).parallel(y);
  p.in(q).compute_at(q, y).store_at(q, y).store_in(MemoryType::Host).align_bounds(x, 8, 3);
  p.in({f, g}).compute_inline();
  p.in(q).in(q).compute_root();
  in.in(p).compute_root();
  q.compute_at_block(f).store_at_block(f).store_in(MemoryType::Shared).vectorize(x).cooperative(y);
  s.compute_root().vectorize(x, 4).unroll(y, 2);
  s.update().split(r.x, ro, ri, 4, TailStrategy::GuardWithIf).fuse(ro, r.y, rf).unroll(ri).reorder(x, y, rf, ri).serial(rf);
  s.update(1).split(x, x, xi, 16, TailStrategy::ShiftInwards).rename(xi, u).cooperative();
  f.tile(x, y, xo, yo, xi, yi, 32, 4, TailStrategy::RoundUp).gpu_blocks(xo, yo).gpu_threads(xi, yi);
  g.bound(x, 0, select(n > 8 && in.width() % 4 == 0, n * 2, min(in.dim(1).extent(), n) + i32(scale * 1.5f)))
      .set_estimate(y, 0, 100)
      .gpu_tile(x, y, z, xo, yo, zo, xi, yi, zi, 32, 4, 1)
      .block_order(grouped(zo, 2), xo)
      .threads(64);
  return Pipeline("every_directive", {in, n, scale}, {g});
}

// Two Vars of one name, in two Funcs and in one; names that C++ has taken.
Pipeline awkward_names() {
  Input in("int", Int(32), 1);
  Var a("x"), b("x"), c("x"), o("new"), i("new");
  Func f("class"), g("p");
  f(a, b) = in(a) + b;
  g(c) = f(c, c);
  f.compute_root().split(a, o, i, 4).reorder(b, i).parallel(o);
  g.split(c, o, i, 8).vectorize(i);
  return Pipeline("awkward", {in}, {g});
}

}  // namespace

std::vector<ScheduleSample> schedule_samples() {
  std::vector<ScheduleSample> out = {{"every_directive", every_directive}, {"awkward_names", awkward_names}};
  for (auto cases : {directive_cases, app_cases, image_app_cases})
    for (const Case& c : cases())
      if (out.size() < 60) out.push_back({c.name, [build = c.build] { return build().pipeline; }});
  return out;
}

}  // namespace sinter::testing
