#include "tests/support/case_lists.h"

namespace sinter::testing {

namespace {

// Rows of 256 in registers, a block a row: everything computed once.
Built softmax_rows(bool narrow, int64_t n, int64_t rows, int threads, bool keep_input) {
  const DLDataType type = narrow ? bf16_type() : f32_type();
  Input in("in", narrow ? ir::BFloat(16) : ir::Float(32), 2);
  in.dim(0).set_extent(n);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  RDom k(0, static_cast<int>(n));
  Func mx("mx"), e("e"), s("s"), out("out");
  mx(y) = maximum(k, f32(in(k, y)));
  e(x, y) = exp(f32(in(x, y)) - mx(y));
  s(y) = sum(k, e(k, y));
  out(x, y) = cast(in.type(), e(x, y) / s(y));
  out.bound(x, 0, static_cast<int>(n));
  out.gpu_tile(x, y, xo, yo, xi, yi, n, rows);
  if (threads > 0) out.threads(threads);
  for (Func* f : {&mx, &e, &s}) f->compute_at_block(out).store_in(MemoryType::Register);
  if (keep_input) in.in().compute_at_block(out).store_in(MemoryType::Register);
  return {Pipeline("softmax_rows", {in}, {out}), {normals(type, {n, 7})}, {Buffer::host(type, {n, 7})}};
}

template <class F>
Built rows(const char* name, DLDataType type, ir::Type ir_type, int64_t n, int64_t m, F reduce, bool fixed = true) {
  Input in("in", ir_type, 2);
  if (fixed) in.dim(0).set_extent(n);
  Var y("y"), yo("yo"), yi("yi");
  RDom k(0, fixed ? Expr(static_cast<int>(n)) : in.width());
  Func s("s");
  reduce(s, in, y, k);
  s.gpu_tile(y, yo, yi, 4);
  s.update().gpu_tile(y, yo, yi, 4);
  return {Pipeline(name, {in}, {s}), {integers(type, {n, m}, 3, 1, 3)}, {Buffer::host(type, {m})}};
}

Built column_sums(int64_t tile) {
  Input in("in", Float(32), 2);
  Var x("x"), xo("xo"), xi("xi");
  RDom k(0, in.height());
  Func s("s");
  s(x) = sum(k, in(x, k));
  s.gpu_tile(x, xo, xi, tile);
  s.update().gpu_tile(x, xo, xi, tile);
  return {Pipeline("column_sums", {in}, {s}), {integers(f32_type(), {75, 333})}, {Buffer::host(f32_type(), {75})}};
}

// Counters of each row, a block a row: which counter is decided by the RVar, so its iterations have an order, and a tile of one row has
// nothing to share. With a second RVar that is summed, inside the one that decides, the threads share that.
Built row_histograms(bool summed) {
  Input bin("bin", Int(32), 2), in("in", Int(32), 3);
  Var v("v"), y("y"), yo("yo"), yi("yi"), vo("vo"), vi("vi");
  RDom r(0, 40, 0, bin.width(), "r"), k(0, bin.width(), "k");
  Func h("h");
  h(v, y) = 0;
  if (summed) h(clamp(bin(r.y, y), 0, 15), y) += in(r.y, r.x, y);
  else h(clamp(bin(k, y), 0, 15), y) += in(k, 0, y);
  h.bound(v, 0, 16);
  h.gpu_tile(v, y, vo, yo, vi, yi, 16, 1);
  h.update().gpu_tile(y, yo, yi, 1);
  if (summed) h.update().cooperative(r.x);
  const auto i32_type = dtype_of<int32_t>();
  return {Pipeline("row_histograms", {bin, in}, {h}), {integers(i32_type, {37, 5}, 1, -2, 18), integers(i32_type, {37, 40, 5}, 2)}, {Buffer::host(i32_type, {16, 5})}};
}

// The mean of an image: no pure dimension.
Built total() {
  Input in("in", Float(32), 2);
  RDom r(0, in.width(), 0, in.height());
  Func s("s"), out("out");
  Var x("x");
  s() = sum(r, in(r.x, r.y));
  out(x) = s() * 2.f;
  out.bound(x, 0, 3);
  s.compute_root();
  return {Pipeline("total", {in}, {out}), {integers(f32_type(), {61, 47})}, {Buffer::host(f32_type(), {3})}};
}

// Only below the diagonal, three rows a block: points that no lane has and iterations that do not count.
Built triangle_rows() {
  Input in("in", Int(32), 2);
  in.dim(0).set_extent(50);
  Var y("y"), yo("yo"), yi("yi");
  RDom k(0, 50);
  k.where(k <= y);
  Func s("s");
  s(y) = 7;
  s(y) += in(k, y);
  s.gpu_tile(y, yo, yi, 3);
  s.update().gpu_tile(y, yo, yi, 3);
  return {Pipeline("triangle_rows", {in}, {s}), {integers(dtype_of<int32_t>(), {50, 50})}, {Buffer::host(dtype_of<int32_t>(), {50})}};
}

// A window around each point, its two dimensions shared; the input staged in shared memory.
Built windows() {
  Input in("in", Float(32), 2);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  RDom r(0, 16, 0, 8);
  Func s("s"), out("out");
  s(x, y) = 1.f;
  s(x, y) += in(x * 3 + r.x, y * 2 + r.y);
  out(x, y) = s(x, y) * 0.5f;
  out.gpu_tile(x, y, xo, yo, xi, yi, 4, 2);
  s.compute_at_block(out);
  in.in(s).compute_at_block(out).store_in(MemoryType::Shared);
  return {Pipeline("windows", {in}, {out}), {integers(f32_type(), {64, 40})}, {Buffer::host(f32_type(), {14, 11})}};
}

// The RVar split by hand, the inner part shared, its input staged outside.
Built staged() {
  Input in("in", Float(32), 2);
  in.dim(0).set_extent(192);
  Var y("y"), yo("yo"), yi("yi");
  RVar ko("ko"), ki("ki");
  RDom k(0, 192);
  Func s("s"), out("out");
  s(y) = 0.f;
  s(y) += in(k, y) * in(k, y);
  out(y) = s(y) + 1.f;
  out.gpu_tile(y, yo, yi, 2);
  s.compute_at_block(out).store_in(MemoryType::Shared);
  s.update().split(k, ko, ki, 64).cooperative(ki);
  in.in(s).compute_at(s, ko).store_in(MemoryType::Shared);
  return {Pipeline("staged", {in}, {out}), {integers(f32_type(), {192, 9}, 5, -3, 3)}, {Buffer::host(f32_type(), {9})}};
}

}  // namespace

std::vector<Case> shared_reduction_cases() {
  std::vector<Case> c;
  c.push_back({"shared_softmax_f32", [] { return softmax_rows(false, 256, 1, 0, false); }, 1e-7, 1e-4});
  c.push_back({"shared_softmax_kept", [] { return softmax_rows(false, 1024, 1, 128, true); }, 1e-7, 1e-4});
  c.push_back({"shared_softmax_bf16", [] { return softmax_rows(true, 4096, 1, 512, true); }, 1e-3, 1.0 / 128});
  c.push_back({"shared_softmax_4_rows", [] { return softmax_rows(true, 128, 4, 128, true); }, 1e-3, 1.0 / 128});
  c.push_back({"shared_softmax_odd", [] { return softmax_rows(false, 129, 1, 64, false); }, 1e-7, 1e-4});
  const auto of = [&](const char* name, auto build) { c.push_back({name, build}); };
  of("shared_sum_f32", [] { return rows("row_sums", f32_type(), ir::Float(32), 1000, 9, [](Func& s, Input& in, Var& y, RDom& k) { s(y) = sum(k, in(k, y)); }); });
  of("shared_sum_any_length", [] { return rows("row_sums", f32_type(), ir::Float(32), 1000, 9, [](Func& s, Input& in, Var& y, RDom& k) { s(y) = sum(k, in(k, y)); }, false); });
  of("shared_sum_short", [] { return rows("row_sums", f32_type(), ir::Float(32), 5, 9, [](Func& s, Input& in, Var& y, RDom& k) { s(y) = sum(k, in(k, y)); }, false); });
  of("shared_sum_i64", [] { return rows("row_sums", dtype_of<int64_t>(), ir::Int(64), 77, 9, [](Func& s, Input& in, Var& y, RDom& k) { s(y) = sum(k, in(k, y)); }); });
  of("shared_product_i64", [] { return rows("row_products", dtype_of<int64_t>(), ir::Int(64), 33, 5, [](Func& s, Input& in, Var& y, RDom& k) { s(y) = product(k, in(k, y)); }); });
  of("shared_max_u8", [] { return rows("row_max", dtype_of<uint8_t>(), ir::UInt(8), 200, 6, [](Func& s, Input& in, Var& y, RDom& k) { s(y) = maximum(k, in(k, y)); }); });
  of("shared_min_f64", [] { return rows("row_min", dtype_of<double>(), ir::Float(64), 64, 6, [](Func& s, Input& in, Var& y, RDom& k) { s(y) = minimum(k, in(k, y)); }); });
  of("shared_difference", [] { return rows("row_differences", f32_type(), ir::Float(32), 300, 6, [](Func& s, Input& in, Var& y, RDom& k) { s(y) = 3.f; s(y) = s(y) - in(k, y) + 1.f; }); });
  of("shared_xor", [] { return rows("row_xor", dtype_of<uint32_t>(), ir::UInt(32), 300, 6, [](Func& s, Input& in, Var& y, RDom& k) { s(y) = u32(5); s(y) = s(y) ^ in(k, y); }); });
  of("shared_columns_wide", [] { return column_sums(64); });
  of("shared_columns_narrow", [] { return column_sums(8); });
  of("shared_total", total);
  of("shared_triangle", triangle_rows);
  of("shared_windows", windows);
  of("shared_staged", staged);
  for (const bool summed : {false, true}) c.push_back({summed ? "row_histograms_summed" : "row_histograms", [=] { return row_histograms(summed); }});
  return c;
}

}  // namespace sinter::testing
