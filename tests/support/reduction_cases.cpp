#include "tests/support/case_lists.h"

namespace sinter::testing {

namespace {

Built row_sums(int how) {
  Input in("in", Float(32), 2);
  Var m("m"), mo("mo"), mi("mi");
  RDom k(0, in.width());
  Func s("s");
  if (how == 0) s(m) = sum(k, in(k, m));
  if (how == 1) s(m) = maximum(k, in(k, m));
  if (how == 2) s(m) = minimum(k, in(k, m));
  if (how == 3) s(m) = sum(k, in(k, m)) * 2.f + 1.f;
  return {Pipeline("row_sums", {in}, {s}), {integers(f32_type(), {37, 21})}, {Buffer::host(f32_type(), {21})}};
}

Built products() {
  Input in("in", Int(64), 2);
  Var m("m");
  RDom k(0, in.width());
  Func s("s");
  s(m) = product(k, in(k, m));
  return {Pipeline("products", {in}, {s}), {integers(dtype_of<int64_t>(), {11, 5}, 1, 1, 3)}, {Buffer::host(dtype_of<int64_t>(), {5})}};
}

Built matmul(int how) {
  Input a("a", Float(32), 2), b("b", Float(32), 2);
  Var n("n"), m("m"), no("no"), mo("mo"), ni("ni"), mi("mi");
  RDom k(0, a.width());
  Func acc("acc"), out("out");
  acc(n, m) = 0.f;
  acc(n, m) += a(k, m) * b(n, k);
  out(n, m) = acc(n, m) * 2.f;
  if (how > 0) out.gpu_tile(n, m, no, mo, ni, mi, 32, 8);
  if (how == 1) acc.compute_at_block(out).store_in(MemoryType::Register);
  if (how == 2) acc.compute_at_block(out).store_in(MemoryType::Shared);
  if (how == 3) acc.compute_root();
  if (how == 4) {
    RVar ko("ko"), ki("ki");
    acc.compute_at_block(out).store_in(MemoryType::Register);
    acc.update().split(k, ko, ki, 16);
    a.in(acc).compute_at(acc, ko).store_in(MemoryType::Shared);
    b.in(acc).compute_at(acc, ko).store_in(MemoryType::Shared);
  }
  return {Pipeline("matmul", {a, b}, {out}), {integers(f32_type(), {43, 19}, 1, -3, 3), integers(f32_type(), {50, 43}, 2, -3, 3)}, {Buffer::host(f32_type(), {50, 19})}};
}

Built histogram() {
  Input in("in", UInt(8), 2);
  Var v("v");
  RDom r(0, in.width(), 0, in.height());
  Func h("h");
  h(v) = 0;
  h(i32(in(r.x, r.y))) += 1;
  h.bound(v, 0, 256);
  return {Pipeline("histogram", {in}, {h}), {integers(dtype_of<uint8_t>(), {40, 9}, 1, 0, 255)}, {Buffer::host(dtype_of<int32_t>(), {256})}};
}

Built triangle() {
  Input in("in", Int(32), 2);
  Var x("x");
  RDom r(0, in.width(), 0, in.height());
  r.where(r.x <= r.y);
  Func f("f");
  f(x) = 0;
  f(r.x) += in(r.x, r.y);
  return {Pipeline("triangle", {in}, {f}), {integers(dtype_of<int32_t>(), {12, 12})}, {Buffer::host(dtype_of<int32_t>(), {12})}};
}

Built scan() {
  Input in("in", Int(32), 2);
  Var x("x"), y("y");
  RDom r(1, in.width() - 1);
  Func f("f");
  f(x, y) = in(x, y);
  f(r, y) += f(r - 1, y);
  return {Pipeline("scan", {in}, {f}), {integers(dtype_of<int32_t>(), {33, 20})}, {Buffer::host(dtype_of<int32_t>(), {33, 20})}};
}

// Two updates, one of them at a fixed column.
Built several_updates() {
  Input in("in", Float(32), 2);
  Var x("x"), y("y");
  Func f("f");
  f(x, y) = in(x, y);
  f(0, y) = 5.f;
  f(x, y) *= 2.f;
  return {Pipeline("several_updates", {in}, {f}), {integers(f32_type(), {40, 13})}, {Buffer::host(f32_type(), {40, 13})}};
}

Built softmax() {
  Input in("in", Float(32), 2);
  Var n("n"), m("m");
  RDom k(0, in.width());
  Func mx("mx"), e("e"), s("s"), y("y");
  mx(m) = maximum(k, in(k, m));
  e(n, m) = exp(in(n, m) - mx(m));
  s(m) = sum(k, e(k, m));
  y(n, m) = e(n, m) / s(m);
  return {Pipeline("softmax", {in}, {y}), {normals(f32_type(), {57, 11})}, {Buffer::host(f32_type(), {57, 11})}};
}

// A mean over 7 x 7 in bf16 accumulates in f32.
Built bf16_mean() {
  Input in("in", BFloat(16), 2);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  RDom r(0, 7, 0, 7);
  Func mean("mean"), out("out");
  mean(x, y) = sum(r, f32(in(x + r.x, y + r.y)));
  out(x, y) = bf16(mean(x, y) * (1.f / 49));
  out.gpu_tile(x, y, xo, yo, xi, yi, 32, 8);
  return {Pipeline("bf16_mean", {in}, {out}), {normals(bf16_type(), {46, 26})}, {Buffer::host(bf16_type(), {40, 20})}};
}

// A separable blur written as two update definitions, all at root, on a size that no tile divides.
Built blur_updates() {
  Input in("in", Float(32), 2);
  Var x("x"), y("y");
  Func f("f"), g("g");
  RDom r(-2, 5);
  Func e = BoundaryConditions::repeat_edge(in);
  f(x, y) = 0.f;
  f(x, y) += e(x + r, y);
  g(x, y) = 0.f;
  g(x, y) += f(x, y + r);
  f.compute_root();
  return {Pipeline("blur_updates", {in}, {g}), {integers(f32_type(), {45, 45})}, {Buffer::host(f32_type(), {45, 45})}};
}

}  // namespace

std::vector<Case> reduction_cases() {
  std::vector<Case> c;
  const char* const row[] = {"sum", "maximum", "minimum", "sum_inside"};
  for (int i = 0; i < 4; ++i) c.push_back({std::string("rows_") + row[i], [i] { return row_sums(i); }});
  c.push_back({"rows_product", products});
  const char* const how[] = {"default", "register", "shared", "root", "staged"};
  for (int i = 0; i < 5; ++i) c.push_back({std::string("matmul_") + how[i], [i] { return matmul(i); }});
  c.push_back({"histogram", histogram});
  c.push_back({"triangle", triangle});
  c.push_back({"scan", scan});
  c.push_back({"several_updates", several_updates});
  c.push_back({"softmax", softmax, 1e-7, 1e-4});
  c.push_back({"bf16_mean", bf16_mean, 1e-3, 1.0 / 128});
  c.push_back({"blur_updates", blur_updates});
  return c;
}

}  // namespace sinter::testing
