#include "tests/support/case_lists.h"

namespace sinter::testing {

namespace {

struct Blur {
  Input in{"in", Float(32), 2};
  Var x{"x"}, y{"y"}, xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"};
  Func bx{"bx"}, by{"by"};
  Blur() {
    bx(x, y) = (in(x, y) + in(x + 1, y) + in(x + 2, y)) * (1.f / 3);
    by(x, y) = (bx(x, y) + bx(x, y + 1) + bx(x, y + 2)) * (1.f / 3);
  }
  Built built(int64_t w, int64_t h) {
    return {Pipeline("blur", {in}, {by}), {normals(f32_type(), {w + 2, h + 2})}, {Buffer::host(f32_type(), {w, h})}};
  }
};

Case blur_case(const std::string& name, int64_t w, int64_t h, std::function<void(Blur&)> schedule) {
  return {"blur_" + name + "_" + std::to_string(w) + "x" + std::to_string(h), [=] {
            Blur b;
            schedule(b);
            return b.built(w, h);
          }, 1e-6, 1e-5};
}

Built edges(bool repeat) {
  Input in("in", Int(32), 2);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func f("f");
  Func e = repeat ? BoundaryConditions::repeat_edge(in) : BoundaryConditions::constant_exterior(in, 7);
  f(x, y) = e(x - 1, y) + e(x + 1, y) + e(x, y - 2) + e(x, y + 2);
  f.gpu_tile(x, y, xo, yo, xi, yi, 32, 8);
  e.compute_at_block(f).store_in(MemoryType::Shared);
  return {Pipeline("edges", {in}, {f}), {integers(dtype_of<int32_t>(), {50, 21})}, {Buffer::host(dtype_of<int32_t>(), {50, 21})}};
}

Built staged_input() {
  Input in("in", UInt(8), 2);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func f("f");
  f(x, y) = u16(in(x, y)) + u16(in(x + 2, y + 1));
  f.gpu_tile(x, y, xo, yo, xi, yi, 64, 8);
  in.in(f).compute_at_block(f).store_in(MemoryType::Shared);
  return {Pipeline("staged_input", {in}, {f}), {integers(dtype_of<uint8_t>(), {102, 33}, 1, 0, 255)}, {Buffer::host(dtype_of<uint16_t>(), {100, 32})}};
}

// Several producers of different types side by side in shared memory.
Built mixed_types() {
  Input in("in", UInt(8), 1);
  Var x("x"), xo("xo"), xi("xi");
  Func a("a"), b("b"), c("c"), f("f");
  a(x) = in(x);
  b(x) = u16(in(x)) * u16(3);
  c(x) = in(x) + u8(1);
  f(x) = u32(a(x) ) + u32(a(x + 1)) + u32(b(x + 2)) + u32(b(x)) + u32(c(x + 1)) + u32(c(x));
  f.gpu_tile(x, xo, xi, 128);
  for (Func* g : {&a, &b, &c}) g->compute_at_block(f).store_in(MemoryType::Shared);
  return {Pipeline("mixed_types", {in}, {f}), {integers(dtype_of<uint8_t>(), {402}, 1, 0, 255)}, {Buffer::host(dtype_of<uint32_t>(), {400})}};
}

Built chain(bool shared) {
  Input in("in", Float(32), 1);
  Var x("x"), xo("xo"), xi("xi");
  std::vector<Func> f;
  for (int i = 0; i < 4; ++i) f.emplace_back("f" + std::to_string(i));
  f[0](x) = in(x) + in(x + 1);
  for (int i = 1; i < 4; ++i) f[i](x) = f[i - 1](x) + f[i - 1](x + 1) * 2.f;
  f[3].gpu_tile(x, xo, xi, 100);
  for (int i = 0; i < 3; ++i) shared ? f[i].compute_at_block(f[3]).store_in(MemoryType::Shared) : f[i].compute_root();
  return {Pipeline("chain", {in}, {f[3]}), {integers(f32_type(), {1004})}, {Buffer::host(f32_type(), {1000})}};
}

Built harris() {
  Input in("in", Float(32), 3);
  Var x("x"), y("y");
  Func gray("gray"), ix("ix"), iy("iy"), sxx("sxx"), syy("syy"), sxy("sxy"), out("out");
  gray(x, y) = 0.299f * in(x, y, 0) + 0.587f * in(x, y, 1) + 0.114f * in(x, y, 2);
  iy(x, y) = (gray(x, y + 2) - gray(x, y)) / 12.f + (gray(x + 1, y + 2) - gray(x + 1, y)) / 6.f + (gray(x + 2, y + 2) - gray(x + 2, y)) / 12.f;
  ix(x, y) = (gray(x + 2, y) - gray(x, y)) / 12.f + (gray(x + 2, y + 1) - gray(x, y + 1)) / 6.f + (gray(x + 2, y + 2) - gray(x, y + 2)) / 12.f;
  const auto box = [&](Func& f, const Func& a, const Func& b) {
    Expr s = 0.f;
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx) s = s + a(x + dx, y + dy) * b(x + dx, y + dy);
    f(x, y) = s;
  };
  box(sxx, ix, ix), box(syy, iy, iy), box(sxy, ix, iy);
  Expr tr = sxx(x, y) + syy(x, y);
  out(x, y) = sxx(x, y) * syy(x, y) - sxy(x, y) * sxy(x, y) - 0.04f * tr * tr;
  return {Pipeline("harris", {in}, {out}), {normals(f32_type(), {74, 40, 3})}, {Buffer::host(f32_type(), {70, 36})}};
}

}  // namespace

std::vector<Case> stencil_cases() {
  std::vector<Case> c;
  const auto none = [](Blur&) {};
  const auto root = [](Blur& b) { b.bx.compute_root(); };
  const auto inlined = [](Blur& b) { b.by.gpu_tile(b.x, b.y, b.xo, b.yo, b.xi, b.yi, 64, 64).vectorize(b.xi, 2).unroll(b.yi, 8).threads(256); };
  const auto shared = [](Blur& b) {
    b.by.gpu_tile(b.x, b.y, b.xo, b.yo, b.xi, b.yi, 64, 16);
    b.bx.compute_at_block(b.by).store_in(MemoryType::Shared);
  };
  const auto serial_rows = [](Blur& b) {
    b.by.gpu_tile(b.x, b.y, b.xo, b.yo, b.xi, b.yi, 64, 8).serial(b.yi);
    b.bx.compute_at(b.by, b.yi).store_in(MemoryType::Shared);
  };
  const auto store_block = [](Blur& b) {
    b.by.gpu_tile(b.x, b.y, b.xo, b.yo, b.xi, b.yi, 64, 8).serial(b.yi);
    b.bx.store_at_block(b.by).compute_at(b.by, b.yi).store_in(MemoryType::Shared);
  };
  const auto explicit_threads = [](Blur& b) {
    b.by.tile(b.x, b.y, b.xo, b.yo, b.xi, b.yi, 32, 8).gpu_blocks(b.xo, b.yo).gpu_threads(b.xi, b.yi);
    b.bx.compute_at_block(b.by).gpu_threads(b.x, b.y);
  };
  const auto thread_private = [](Blur& b) {
    Var yio("yio"), yii("yii");
    b.by.tile(b.x, b.y, b.xo, b.yo, b.xi, b.yi, 32, 16).split(b.yi, yio, yii, 4).gpu_blocks(b.xo, b.yo).gpu_threads(b.xi, yio).reorder(yii, b.xi, yio, b.xo, b.yo);
    b.bx.compute_at(b.by, b.xi);
    b.by.unroll(yii);
    b.bx.unroll(b.y);
  };
  for (auto [w, h] : {std::pair<int64_t, int64_t>{64, 16}, {130, 37}, {1, 1}, {257, 3}}) {
    c.push_back(blur_case("default", w, h, none));
    c.push_back(blur_case("root", w, h, root));
    c.push_back(blur_case("inlined", w, h, inlined));
    c.push_back(blur_case("shared", w, h, shared));
    c.push_back(blur_case("serial_rows", w, h, serial_rows));
    c.push_back(blur_case("store_at_block", w, h, store_block));
    c.push_back(blur_case("explicit_threads", w, h, explicit_threads));
    c.push_back(blur_case("thread_private", w, h, thread_private));
  }
  c.push_back(blur_case("inlined", 192, 128, inlined));
  c.push_back({"repeat_edge", [] { return edges(true); }});
  c.push_back({"constant_exterior", [] { return edges(false); }});
  c.push_back({"staged_input", staged_input});
  c.push_back({"mixed_types", mixed_types});
  c.push_back({"chain_shared", [] { return chain(true); }});
  c.push_back({"chain_root", [] { return chain(false); }});
  c.push_back({"harris_default", harris, 1e-4, 1e-3});
  return c;
}

}  // namespace sinter::testing
