// The language beyond its first slice: boundaries, integer arithmetic, shifted domains, gathers and scatters.
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/case_lists.h"

namespace sinter::testing {

namespace {

enum class Boundary { RepeatImage, MirrorImage, MirrorInterior };

Func extended(Boundary b, const Input& in) {
  if (b == Boundary::RepeatImage) return BoundaryConditions::repeat_image(in);
  if (b == Boundary::MirrorImage) return BoundaryConditions::mirror_image(in);
  return BoundaryConditions::mirror_interior(in);
}

// A stencil that reaches beyond the image by more than one of its widths where the image is small.
Built boundary(Boundary b, int64_t w, int64_t h, bool staged) {
  Input in("in", Int(32), 2);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func f("f");
  Func e = extended(b, in);
  f(x, y) = e(x - 3, y) + e(x + 4, y) * 3 + e(x, y - 2) * 5 + e(x, y + 2) * 7;
  if (staged) {
    f.gpu_tile(x, y, xo, yo, xi, yi, 32, 8);
    e.compute_at_block(f).store_in(MemoryType::Shared);
  }
  return {Pipeline("boundary", {in}, {f}), {integers(dtype_of<int32_t>(), {w, h})}, {Buffer::host(dtype_of<int32_t>(), {w, h})}};
}

// A Func with given bounds, which do not start at 0.
Built boundary_of_func(Boundary b) {
  Input in("in", Int(32), 1);
  Var x("x");
  Func g("g"), f("f");
  g(x) = in(x + 5) * 2;
  const BoundaryConditions::Bounds bounds = {{-5, in.width()}};
  Func e = b == Boundary::RepeatImage ? BoundaryConditions::repeat_image(g, bounds)
           : b == Boundary::MirrorImage ? BoundaryConditions::mirror_image(g, bounds) : BoundaryConditions::mirror_interior(g, bounds);
  f(x) = e(x - 40) + e(x + 9);
  return {Pipeline("boundary_of_func", {in}, {f}), {integers(dtype_of<int32_t>(), {23})}, {Buffer::host(dtype_of<int32_t>(), {90})}};
}

Built muxed() {
  Input in("in", Float(32), 2);
  Var x("x"), y("y"), c("c");
  Func f("f");
  f(x, y, c) = mux(c, {in(x, y), in(x, y) * 2.f, likely(f32(x)), likely_if_innermost(in(x, y) + 1.f)});
  return {Pipeline("muxed", {in}, {f}), {integers(f32_type(), {33, 5})}, {Buffer::host(f32_type(), {33, 5, 6})}};
}

// Every f8 value through arithmetic and back, and f32 of all sizes to f8: ties, subnormals, what saturates, NaN, infinity. Compared as
// bits, in tiles whose threads take several elements, staged in shared memory, or as the schedule is by default.
template <class T>
Built eight_bit_floats(bool staged) {
  const Type t = type_of<T>();
  Input a("a", t, 1), v("v", Float(32), 1);
  Var i("i"), io("io"), ii("ii");
  Func scaled("scaled"), out("out"), wide("wide");
  scaled(i) = cast(t, v(i) * 3.f);
  out(i) = reinterpret(UInt(8), cast(t, a(i) * 0.75f + scaled(i))) + (reinterpret(UInt(8), scaled(i)) << 1) + select(a(i) < scaled(i), u8(1), u8(0));
  wide(i) = select(is_nan(a(i)), -1.f, f32(a(i)));
  if (staged) {
    out.gpu_tile(i, io, ii, 256);
    scaled.compute_at_block(out).store_in(MemoryType::Shared);
    wide.gpu_tile(i, io, ii, 256);
  }
  const int64_t n = 4099;
  Buffer all = Buffer::host(dtype_of<T>(), {n}), values = Buffer::host(dtype_of<float>(), {n});
  std::mt19937 random(8);
  for (int64_t p = 0; p < n; ++p) {
    static_cast<uint8_t*>(all.raw_data())[p] = static_cast<uint8_t>(p);
    float& x = static_cast<float*>(values.raw_data())[p];
    if (p % 2) x = std::bit_cast<float>(static_cast<uint32_t>(random()));  // NaN and infinities among them
    else x = std::ldexp(static_cast<float>(random() % 64), static_cast<int>(random() % 40) - 25) / 3;
  }
  return {Pipeline("eight_bit_floats", {a, v}, {out, wide}), {all, values}, {Buffer::host(dtype_of<uint8_t>(), {n}), Buffer::host(dtype_of<float>(), {n})}};
}

// Rows quantised with a scale each: the largest magnitude, then one store.
Built quantised_rows(bool scheduled) {
  Input x("x", Float(32), 2);
  Var n("n"), m("m"), no("no"), mo("mo"), ni("ni"), mi("mi");
  Func top("top"), q("q");
  RDom k(0, x.width());
  top(m) = maximum(k, abs(x(k, m)));
  q(n, m) = f8e4m3(x(n, m) * (448.f / max(top(m), 1e-12f)));
  if (scheduled) {
    q.gpu_tile(n, m, no, mo, ni, mi, 200, 1);
    top.compute_at_block(q);
  }
  return {Pipeline("quantised_rows", {x}, {q}), {normals(f32_type(), {200, 5})}, {Buffer::host(dtype_of<float8_e4m3>(), {200, 5})}};
}

// Positions of the extremes of rows, with ties. `Value` is what is compared: integers as they are, floats with NaN and infinities among
// them, or a product, whose evaluations have to agree.
enum class Compared { Integers, Floats, Products };
Built extremes_of_rows(Compared what, bool scheduled) {
  const Type t = what == Compared::Integers ? Int(32) : Float(32);
  Input in("in", t, 2);
  Var m("m"), mo("mo"), mi("mi");
  RDom k(0, in.width(), "k");
  Func top("top"), low("low"), value("value");
  Expr e = in(k, m);
  if (what == Compared::Products) e = e * 0.3f + exp(e) * e;
  const Tuple best = argmax(k, e), worst = argmin(k, e);
  top(m) = best[0];
  low(m) = worst[0];
  value(m) = best[1] - worst[1];
  if (scheduled)
    for (Func f : {top, low, value}) f.gpu_tile(m, mo, mi, 4);
  Buffer rows = t == Int(32) ? integers(dtype_of<int32_t>(), {77, 9}, 3, -4, 4) : normals(f32_type(), {77, 9}, 4);
  if (what == Compared::Floats) {
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    float* x = static_cast<float*>(rows.raw_data());
    for (int64_t p = 0; p < 77; ++p) x[77 + p] = -inf, x[2 * 77 + p] = nan, x[3 * 77 + p] = p % 2 ? 0.f : -0.f;
    x[4 * 77 + 40] = nan, x[4 * 77 + 60] = nan, x[5 * 77 + 76] = inf, x[6 * 77] = -inf;
  }
  const Buffer index = Buffer::host(dtype_of<int32_t>(), {9}), other = Buffer::host(dtype_of<int32_t>(), {9});
  return {Pipeline("extremes_of_rows", {in}, {top, low, value}), {rows}, {index, other, Buffer::host(t == Int(32) ? dtype_of<int32_t>() : f32_type(), {9})}};
}

// Over boxes of two dimensions that begin elsewhere than at 0, and over nothing: `where` leaves no point for m = 0.
Built extremes_of_boxes() {
  Input in("in", UInt(16), 3);
  Var m("m"), c("c");
  RDom k(2, in.dim(0).extent() - 2, 1, in.dim(1).extent() - 3, "k");
  k.where(k.x + k.y < m * 4);
  Func at("at");
  const Tuple best = argmax(k, in(k.x, k.y, m)), worst = argmin(k, in(k.x, k.y, m));
  at(m, c) = mux(c, {best[0], best[1], i32(best[2]), worst[0], worst[1], i32(worst[2])});
  return {Pipeline("extremes_of_boxes", {in}, {at}), {integers(dtype_of<uint16_t>(), {11, 8, 6}, 5, 0, 20)}, {Buffer::host(dtype_of<int32_t>(), {6, 6})}};
}

template <class T>
Built arithmetic() {
  const Type t = type_of<T>();
  Input a("a", t, 1), b("b", t, 1);
  Var i("i"), k("k");
  Func f("f");
  Expr x = a(i), y = b(i);
  std::vector<Expr> all = {saturating_add(x, y), saturating_sub(x, y), halving_add(x, y), rounding_halving_add(x, y), halving_sub(x, y), rounding_shift_right(x, 3),
                           rounding_shift_right(x, y), rounding_shift_left(x, y), absd(x, y), saturating_cast(Int(8), x), saturating_cast(UInt(8), x), saturating_cast(Int(16), x),
                           saturating_cast(UInt(16), x), saturating_cast(Int(32), x), saturating_cast(UInt(32), x), saturating_cast(UInt(64), x), saturating_cast(Int(64), x)};
  if constexpr (sizeof(T) < 8) {
    for (Expr e : {widening_add(x, y), widening_sub(x, y), widening_mul(x, y), widening_shift_left(x, 3), widening_shift_right(x, 2), mul_shift_right(x, y, 7),
                   rounding_mul_shift_right(x, y, 5)})
      all.push_back(e);
    all.push_back(widening_mul(x, cast(t.is_int() ? UInt(t.bits) : Int(t.bits), y)));
  }
  for (Expr& e : all) e = reinterpret(Int(64), u64(e));
  f(i, k) = mux(k, all);
  const auto n = static_cast<int64_t>(all.size());
  // Both ends of the type, and what is around 0.
  Buffer left = Buffer::host(dtype_of<T>(), {64}), right = Buffer::host(dtype_of<T>(), {64});
  const T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  const T values[] = {low, static_cast<T>(low + 1), static_cast<T>(low / 2), T(0), T(1), T(5), static_cast<T>(high / 2), high};
  for (int64_t p = 0; p < 64; ++p) {
    static_cast<T*>(left.raw_data())[p] = values[p / 8];
    static_cast<T*>(right.raw_data())[p] = values[p % 8];
  }
  return {Pipeline("arithmetic", {a, b}, {f}), {left, right}, {Buffer::host(dtype_of<int64_t>(), {64, n})}};
}

Built saturating_floats() {
  Input a("a", Float(32), 1);
  Var i("i"), k("k");
  Func f("f");
  f(i, k) = mux(k, {f32(saturating_cast(Int(8), a(i))), f32(saturating_cast(UInt(16), a(i))), f32(saturating_cast(Float(16), a(i) * 1e3f)),
                    f32(saturating_cast(Float(32), f64(a(i)) * 1e39)), f32(saturating_cast(Float(16), i32(a(i) * 1000.f))), f32(widening_mul(f16(a(i)), f16(a(i))))});
  return {Pipeline("saturating_floats", {a}, {f}), {integers(f32_type(), {99}, 3, -400, 400)}, {Buffer::host(f32_type(), {99, 6})}};
}

Built translated(bool staged) {
  Input in("in", Int(32), 2);
  Param<int> dx("dx");
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func e = BoundaryConditions::repeat_edge(in), g("g"), f("f");
  g(x, y) = e(x, y) * 2 + x;
  Func t = g.translate({dx, -3});
  f(x, y) = t(x, y) + t(x + 1, y) + in.translate({0, -1})(x, y);
  if (staged) {
    f.gpu_tile(x, y, xo, yo, xi, yi, 32, 8);
    t.compute_at_block(f).store_in(MemoryType::Shared);
  }
  return {Pipeline("translated", {in, dx}, {f}), {integers(dtype_of<int32_t>(), {50, 22}), 7}, {Buffer::host(dtype_of<int32_t>(), {50, 21})}};
}

}  // namespace

std::vector<Case> language_cases() {
  std::vector<Case> c;
  const std::pair<const char*, Boundary> boundaries[] = {
      {"repeat_image", Boundary::RepeatImage}, {"mirror_image", Boundary::MirrorImage}, {"mirror_interior", Boundary::MirrorInterior}};
  for (const auto& [name, b] : boundaries) {
    for (auto [w, h] : {std::pair<int64_t, int64_t>{50, 21}, {2, 1}, {1, 3}})
      for (bool staged : {false, true})
        c.push_back({std::string(name) + (staged ? "_staged_" : "_") + std::to_string(w) + "x" + std::to_string(h), [=, b = b, w = w, h = h] { return boundary(b, w, h, staged); }});
    c.push_back({std::string(name) + "_of_func", [b = b] { return boundary_of_func(b); }});
  }
  for (const bool staged : {false, true}) {
    const std::string how = staged ? "_staged" : "_default";
    c.push_back({"f8e4m3" + how, [=] { return eight_bit_floats<float8_e4m3>(staged); }});
    c.push_back({"f8e5m2" + how, [=] { return eight_bit_floats<float8_e5m2>(staged); }});
    c.push_back({"quantised_rows" + how, [=] { return quantised_rows(staged); }, 1.0 / 512, 1.0 / 8});  // a step, where division rounds otherwise
  }
  for (const bool scheduled : {false, true}) {
    const std::string how = scheduled ? "_scheduled" : "_default";
    c.push_back({"extremes_of_integers" + how, [=] { return extremes_of_rows(Compared::Integers, scheduled); }});
    c.push_back({"extremes_of_floats" + how, [=] { return extremes_of_rows(Compared::Floats, scheduled); }});
    c.push_back({"extremes_of_products" + how, [=] { return extremes_of_rows(Compared::Products, scheduled); }, 1e-5, 1e-5});
  }
  c.push_back({"extremes_of_boxes", extremes_of_boxes});
  c.push_back({"mux", muxed});
  c.push_back({"integer_math_i8", arithmetic<int8_t>});
  c.push_back({"integer_math_u8", arithmetic<uint8_t>});
  c.push_back({"integer_math_i16", arithmetic<int16_t>, 0, 0, true});  // for sm_89, ptxas prefers 64 registers and two words of local memory
  c.push_back({"integer_math_u16", arithmetic<uint16_t>});
  c.push_back({"integer_math_i32", arithmetic<int32_t>, 0, 0, true});  // twenty-five values at once, of 64 bits
  c.push_back({"integer_math_u32", arithmetic<uint32_t>});
  c.push_back({"integer_math_i64", arithmetic<int64_t>});
  c.push_back({"integer_math_u64", arithmetic<uint64_t>});
  c.push_back({"saturating_floats", saturating_floats, 1e-3, 1e-3});
  c.push_back({"translate", [] { return translated(false); }});
  c.push_back({"translate_staged", [] { return translated(true); }});
  return c;
}

}  // namespace sinter::testing
