// Nests built by hand for tests of lowering, and what they should compute.
#pragma once

#include <functional>

#include "ir/program.h"
#include "ir/stmt.h"
#include "tests/unit/kernel_run.h"

namespace kernel_test {

inline FuncDef func_def(const std::string& name, Type t, int rank, FuncKind kind) {
  FuncDef f;
  f.name = name;
  f.kind = kind;
  f.type = t;
  for (int d = 0; d < rank; ++d) {
    f.dims.push_back(make_sym(name + "_" + std::to_string(d)));
    f.extent.push_back(make_sym(name + ".extent" + std::to_string(d)));
    f.stride.push_back(make_sym(name + ".stride" + std::to_string(d), Int(64)));
  }
  f.fixed_extent.resize(rank);
  f.fixed_stride.resize(rank);
  f.loc = Loc::here();
  if (kind == FuncKind::Computed) {  // lowering looks at the Nest only; this keeps the Program well formed
    Definition d;
    for (const Sym& v : f.dims) d.args.push_back(make_var(v));
    d.value = make_const(t, 0);
    f.stages.assign(2, d);  // with an update, for nests that have one
  }
  return f;
}

// Func 0 is the Input `in`, the last the output, those between are computed inside.
struct NestCase {
  Program program;
  Stmt nest;
  const FuncDef& func(int f) const { return program.funcs[f]; }
  Expr call(int f, std::vector<Expr> index) const { return make_call(f, func(f).type, std::move(index), Loc::here()); }
  Expr extent(int f, int d) const { return make_var(func(f).extent[d]); }
};

inline NestCase two_funcs(Type in, Type out, int rank = 2) {
  NestCase c;
  c.program.name = "p";
  c.program.funcs = {func_def("in", in, rank, FuncKind::Input), func_def("out", out, rank, FuncKind::Computed)};
  c.program.args = {{Argument::Kind::Input, 0}, {Argument::Kind::Output, 1}};
  return c;
}
inline NestCase three_funcs(Type in, Type mid, Type out, int mid_rank = 2) {
  NestCase c;
  c.program.name = "p";
  c.program.funcs = {func_def("in", in, 2, FuncKind::Input), func_def("mid", mid, mid_rank, FuncKind::Computed),
                     func_def("out", out, 2, FuncKind::Computed)};
  c.program.args = {{Argument::Kind::Input, 0}, {Argument::Kind::Output, 2}};
  return c;
}

inline Stmt provide(int f, std::vector<Expr> index, Expr value, int stage = 0) {
  return std::make_shared<ProvideStmt>(f, stage, std::move(index), std::move(value), Loc::here());
}
inline Stmt coop(const Sym& v, int64_t n, Stmt body, Expr live = {}, LoopHints hints = {}) {
  return make_for(v, i32(0), i32(n), LoopKind::Cooperative, std::move(body), Loc::here(), std::move(live), hints);
}
inline Stmt block_loop(const Sym& v, Expr n, Stmt body, int64_t threads = 0) {
  return make_for(v, i32(0), std::move(n), LoopKind::Block, std::move(body), Loc::here(), {}, LoopHints{0, 0, threads});
}
inline Stmt serial(const Sym& v, Expr n, Stmt body) { return make_for(v, i32(0), std::move(n), LoopKind::Serial, std::move(body), Loc::here()); }
inline Stmt alloc(int f, Type t, Memory m, std::vector<std::pair<Expr, int64_t>> box, Stmt body) {
  std::vector<Region> r;
  for (auto& [min, extent] : box) r.push_back({min, min + (extent - 1), i32(extent)});
  return std::make_shared<AllocStmt>(f, t, m, std::move(r), std::move(body), Loc::here());
}
inline Stmt produce(int f, Stmt body) { return std::make_shared<ProduceStmt>(f, std::move(body)); }
inline Stmt consume(int f, Stmt body) { return std::make_shared<ConsumeStmt>(f, std::move(body)); }

inline Expr f32(double v) { return make_float(Float(32), v); }
inline Expr add(Expr a, Expr b) { return make_binary(Op::Add, std::move(a), std::move(b)); }
inline Expr mul(Expr a, Expr b) { return make_binary(Op::Mul, std::move(a), std::move(b)); }

// block yo, xo; coop yi, xi over a tile of `out`, masked by what is left of it. `point(x, y)` is the value.
struct TileVars {
  Sym xo = make_sym("xo"), yo = make_sym("yo"), xi = make_sym("xi"), yi = make_sym("yi");
  Expr x(int64_t tile) const { return make_var(xo) * tile + make_var(xi); }
  Expr y(int64_t tile) const { return make_var(yo) * tile + make_var(yi); }
};
inline Stmt coop_tile(const NestCase& c, int out, const TileVars& v, int64_t tx, int64_t ty, Stmt body, LoopHints hx = {}, LoopHints hy = {}) {
  const Expr live_x = min(i32(tx), c.extent(out, 0) - make_var(v.xo) * tx);
  const Expr live_y = min(i32(ty), c.extent(out, 1) - make_var(v.yo) * ty);
  return coop(v.yi, ty, coop(v.xi, tx, std::move(body), live_x, hx), live_y, hy);
}
inline Stmt blocks(const NestCase& c, int out, const TileVars& v, int64_t tx, int64_t ty, Stmt body, int64_t threads = 0) {
  return block_loop(v.yo, ceil_div(c.extent(out, 1), ty), block_loop(v.xo, ceil_div(c.extent(out, 0), tx), std::move(body)), threads);
}

// ---- values ---------------------------------------------------------------------------------------------------------
inline void fill(Tensor& t) {
  uint32_t seed = 12345;
  for (int64_t i = 0; i < t.elements(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    const int v = static_cast<int>(seed >> 24) % 64 - 32;
    const Scalar s = t.type.is_float() ? Scalar::of_float(t.type, v) : Scalar::of_int(t.type, v);
    store_bits(t.type, s.bits, t.bytes.data() + i * t.type.bytes());
  }
}
inline double value(Tensor& t, std::vector<int64_t> at) { return Scalar{t.type, load_bits(t.type, t.at(at))}.as_double(); }

// Compares every element of a rank-2 tensor with `expected(x, y)`; the text of the first difference, or empty.
inline std::string difference(Tensor& t, const std::function<double(int64_t, int64_t)>& expected) {
  for (int64_t y = 0; y < t.extent[1]; ++y)
    for (int64_t x = 0; x < t.extent[0]; ++x)
      if (value(t, {x, y}) != expected(x, y))
        return "(" + std::to_string(x) + ", " + std::to_string(y) + ") is " + std::to_string(value(t, {x, y})) + ", not " + std::to_string(expected(x, y));
  return {};
}

}  // namespace kernel_test
