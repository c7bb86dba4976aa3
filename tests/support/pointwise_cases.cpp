#include "tests/support/case_lists.h"

namespace sinter::testing {

namespace {

Built add_of(DLDataType dl, Type type, int64_t w, int64_t h) {
  Input a("a", type, 2), b("b", type, 2);
  Var x("x"), y("y");
  Func f("f");
  f(x, y) = cast(type, a(x, y) * b(x, y) + a(x, y));
  return {Pipeline("add", {a, b}, {f}), {integers(dl, {w, h}, 1), integers(dl, {w, h}, 2)}, {Buffer::host(dl, {w, h})}};
}

Built copy(int64_t n, bool tiled) {
  Input a("a", BFloat(16), 1);
  Var i("i"), io("io"), ii("ii");
  Func f("f");
  f(i) = a(i);
  if (tiled) f.gpu_tile(i, io, ii, 2048).threads(128);
  return {Pipeline("copy", {a}, {f}), {normals(bf16_type(), {n})}, {Buffer::host(bf16_type(), {n})}};
}

Built bias_gelu(int64_t w, int64_t h) {
  Input x("x", BFloat(16), 2), bias("bias", BFloat(16), 1), res("res", BFloat(16), 2);
  Var n("n"), m("m"), no("no"), mo("mo"), ni("ni"), mi("mi");
  Func pre("pre"), y("y");
  pre(n, m) = f32(x(n, m)) + f32(bias(n));
  y(n, m) = bf16(gelu(pre(n, m)) * 0.5f + f32(res(n, m)));
  y.gpu_tile(n, m, no, mo, ni, mi, 1024, 4).threads(256);
  return {Pipeline("bias_gelu", {x, bias, res}, {y}), {normals(bf16_type(), {w, h}, 1), normals(bf16_type(), {w}, 2), normals(bf16_type(), {w, h}, 3)}, {Buffer::host(bf16_type(), {w, h})}};
}

// One of each function, on a range where all are defined.
Built functions(bool strict) {
  Input a("a", Float(32), 1);
  Var i("i"), j("j");
  Func f("f");
  Expr v = a(i), p = abs(v) + 0.25f;
  std::vector<Expr> all = {exp(v), log(p), tanh(v), erf(v), rsqrt(p), pow(p, v), sin(v), cos(v), sqrt(p), floor(v), ceil(v), round(v), trunc(v), exp2(v), log2(p), gelu(v), silu(v), relu(v), sigmoid(v)};
  Expr picked = all[0];
  for (size_t k = 1; k < all.size(); ++k) picked = select(j == static_cast<int>(k), all[k], picked);
  f(i, j) = strict ? strict_float(picked) : picked;
  const auto n = static_cast<int64_t>(all.size());
  return {Pipeline("functions", {a}, {f}), {normals(f32_type(), {301})}, {Buffer::host(f32_type(), {301, n})}};
}

Built doubles() {
  Input a("a", Float(64), 1);
  Var i("i");
  Func f("f");
  f(i) = exp(a(i)) + log(abs(a(i)) + 1.0) * tanh(a(i)) - sin(a(i)) * cos(a(i)) + erf(a(i)) + rsqrt(abs(a(i)) + 0.5);
  return {Pipeline("doubles", {a}, {f}), {normals(dtype_of<double>(), {133})}, {Buffer::host(dtype_of<double>(), {133})}};
}

Built integer_rules() {
  Input a("a", Int(32), 1), b("b", Int(32), 1);
  Var i("i"), k("k");
  Func f("f");
  Expr x = a(i), y = b(i);
  f(i, k) = select(k == 0, x / y, k == 1, x % y, k == 2, min(x, y), k == 3, max(x, y), k == 4, x & y, k == 5, x | y, k == 6, x ^ y, k == 7, x << 2, k == 8, x >> 1, k == 9, abs(x), k == 10, i32(u8(x)),
                   k == 11, i32(i8(x * 37)), k == 12, clamp(x, -2, 5), k == 13, i32(f32(x) * 1.5f), ~x);
  return {Pipeline("integer_rules", {a, b}, {f}), {integers(dtype_of<int32_t>(), {97}, 1, -20, 20), integers(dtype_of<int32_t>(), {97}, 2, -3, 3)}, {Buffer::host(dtype_of<int32_t>(), {97, 15})}};
}

Built parameters() {
  Input a("a", Float(32), 2);
  Param<float> scale("scale");
  Param<int> shift("shift");
  Var x("x"), y("y");
  Func f("f");
  f(x, y) = a(x, y) * scale + f32(shift + x);
  return {Pipeline("parameters", {a, scale, shift}, {f}), {integers(f32_type(), {45, 6}), 2.5f, -7}, {Buffer::host(f32_type(), {45, 6})}};
}

Built two_outputs() {
  Input a("a", Float(32), 2);
  Var x("x"), y("y");
  Func s("s"), f("f"), g("g");
  s(x, y) = a(x, y) * 2.f;
  f(x, y) = s(x, y) + 1.f;
  g(x, y) = u8(clamp(s(x, y), 0.f, 255.f));
  return {Pipeline("two_outputs", {a}, {f, g}), {integers(f32_type(), {70, 9})}, {Buffer::host(f32_type(), {70, 9}), Buffer::host(dtype_of<uint8_t>(), {70, 9})}};
}

// Rows with gaps: no 16-byte access fits, the general version runs.
Built cropped_rows() {
  Input a("a", Float(32), 2);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func f("f");
  f(x, y) = a(x, y) + 1.f;
  f.gpu_tile(x, y, xo, yo, xi, yi, 64, 4);
  return {Pipeline("cropped_rows", {a}, {f}), {integers(f32_type(), {259, 21}).cropped(0, 1, 200).cropped(1, 3, 16)}, {Buffer::host(f32_type(), {200, 16})}};
}

Built transposed() {
  Input a("a", Float(32), 2);
  Var x("x"), y("y");
  Func f("f");
  f(x, y) = a(y, x) * 3.f;
  return {Pipeline("transposed", {a}, {f}), {integers(f32_type(), {33, 65})}, {Buffer::host(f32_type(), {65, 33})}};
}

Built free_stride() {
  Input a("a", Float(32), 1);
  a.dim(0).set_stride(Expr());
  Var i("i");
  Func f("f");
  f(i) = a(i) - 1.f;
  const Buffer grid = integers(f32_type(), {7, 50});
  return {Pipeline("free_stride", {a}, {f}), {Buffer::wrap([&] {
            static int64_t shape[1], strides[1];
            DLTensor t = *grid.dltensor();
            shape[0] = 50, strides[0] = 7;
            t.ndim = 1, t.shape = shape, t.strides = strides;
            return t;
          }(), std::make_shared<Buffer>(grid))}, {Buffer::host(f32_type(), {50})}};
}

Built three_dimensions() {
  Input a("a", Int(16), 3);
  Var x("x"), y("y"), z("z");
  Func f("f");
  f(x, y, z) = a(x, y, z) + i16(z) * i16(2);
  return {Pipeline("three_dimensions", {a}, {f}), {integers(dtype_of<int16_t>(), {19, 7, 5})}, {Buffer::host(dtype_of<int16_t>(), {19, 7, 5})}};
}

Built scalar_output() {
  Input a("a", Float(32), 1);
  Func f("f");
  f() = a(0) + a(1);
  return {Pipeline("scalar_output", {a}, {f}), {integers(f32_type(), {2})}, {Buffer::host(f32_type(), {})}};
}

Built generated() {
  Var x("x"), y("y");
  Func f("f");
  f(x, y) = x * 3 + y;
  return {Pipeline("generated", {}, {f}), {}, {Buffer::host(dtype_of<int32_t>(), {130, 3})}};
}

Built empty() {
  Input a("a", Float(32), 2);
  Var x("x"), y("y");
  Func f("f");
  f(x, y) = a(x + 1, y);
  return {Pipeline("empty", {a}, {f}), {Buffer::host(f32_type(), {0, 5})}, {Buffer::host(f32_type(), {0, 5})}};
}

Built deep_chain() {
  Input a("a", Float(32), 1);
  Var i("i");
  Expr e = a(i) * 0.5f;
  for (int k = 0; k < 40; ++k) e = e * e + 0.25f;
  Func f("f");
  f(i) = e;
  return {Pipeline("deep_chain", {a}, {f}), {integers(f32_type(), {100}, 1, 0, 1)}, {Buffer::host(f32_type(), {100})}};
}

}  // namespace

std::vector<Case> pointwise_cases() {
  std::vector<Case> c;
  const auto typed = [&](const char* name, DLDataType dl, Type t) {
    c.push_back({std::string("add_") + name, [=] { return add_of(dl, t, 77, 5); }, 0, t.is_float() ? 1e-2 : 0});
  };
  typed("i8", dtype_of<int8_t>(), Int(8)), typed("i16", dtype_of<int16_t>(), Int(16)), typed("i32", dtype_of<int32_t>(), Int(32)), typed("i64", dtype_of<int64_t>(), Int(64));
  typed("u8", dtype_of<uint8_t>(), UInt(8)), typed("u16", dtype_of<uint16_t>(), UInt(16)), typed("u32", dtype_of<uint32_t>(), UInt(32)), typed("u64", dtype_of<uint64_t>(), UInt(64));
  typed("f16", dtype_of<float16>(), Float(16)), typed("bf16", bf16_type(), BFloat(16)), typed("f32", f32_type(), Float(32)), typed("f64", dtype_of<double>(), Float(64));
  for (int64_t n : {1, 7, 127, 129, 4097}) c.push_back({"copy_" + std::to_string(n), [n] { return copy(n, true); }});
  c.push_back({"copy_default", [] { return copy(5000, false); }});
  // bf16 has 8 bits; tanh.approx is good to 2^-10.
  for (auto [w, h] : {std::pair<int64_t, int64_t>{130, 7}, {1024, 8}, {2056, 5}, {1, 1}})
    c.push_back({"bias_gelu_" + std::to_string(w) + "x" + std::to_string(h), [w, h] { return bias_gelu(w, h); }, 4e-3, 1.0 / 128});
  c.push_back({"functions_fast", [] { return functions(false); }, 2e-3, 2e-3});
  c.push_back({"functions_strict", [] { return functions(true); }, 1e-6, 2e-6, true});  // nineteen functions at once, in f64
  c.push_back({"doubles", doubles, 1e-13, 1e-13});
  c.push_back({"integer_rules", integer_rules});
  c.push_back({"parameters", parameters, 0, 1e-6});
  c.push_back({"two_outputs", two_outputs});
  c.push_back({"cropped_rows", cropped_rows});
  c.push_back({"transposed", transposed});
  c.push_back({"free_stride", free_stride});
  c.push_back({"three_dimensions", three_dimensions});
  c.push_back({"scalar_output", scalar_output});
  c.push_back({"generated", generated});
  c.push_back({"empty", empty});
  c.push_back({"deep_chain", deep_chain, 0, 1e-4});
  return c;
}

}  // namespace sinter::testing
