// Nests to host loops: vectors with tails, parallel loops, GPU words on a CPU.
#include <gtest/gtest.h>

#include "ir/verify/verify.h"
#include "scheduler/lower/expand_vectors.h"
#include "scheduler/lower/host/lower_host.h"
#include "tests/unit/kernel_nests.h"

namespace sinter::scheduler {
namespace {

using namespace ir;
using namespace kernel_test;

Module lower(const NestCase& c) {
  Module m = lower_host(c.program, c.nest, Target::parse("host"));
  verify_module(m);
  return m;
}

int loops(const Stmt& s, LoopKind kind) {
  int n = 0;
  walk_stmts(s, [&](const Stmt& c) {
    if (const auto* f = as<ForStmt>(c)) n += f->loop == kind;
    return true;
  });
  return n;
}
int widest_store(const Stmt& s) {
  int n = 0;
  walk_stmts(s, [&](const Stmt& c) {
    if (const auto* st = as<StoreStmt>(c)) n = std::max<int>(n, st->value.type().lanes);
    return true;
  });
  return n;
}

TEST(LowerHost, CooperativeLoopsAreVectorsWithATail) {
  NestCase c = two_funcs(Float(32), Float(32));
  TileVars v;
  const Expr x = v.x(64), y = v.y(4);
  c.nest = blocks(c, 1, v, 64, 4, coop_tile(c, 1, v, 64, 4, provide(1, {x, y}, add(c.call(0, {x, y}), c.call(0, {x + 1, y})))));
  const Module m = lower(c);
  EXPECT_EQ(loops(m.entry, LoopKind::Parallel), 1);
  EXPECT_EQ(loops(m.entry, LoopKind::Cooperative) + loops(m.entry, LoopKind::Block) + loops(m.entry, LoopKind::Vectorized), 0);
  EXPECT_EQ(widest_store(m.entry), 8);
  for (const int64_t w : {128, 131, 5, 71}) {
    Tensor in(Float(32), {w + 1, 7}), out(Float(32), {w, 7});
    fill(in);
    ModuleRunner r(m);
    ASSERT_TRUE(r.run({&in, &out}));
    EXPECT_EQ(difference(out, [&](int64_t a, int64_t b) { return value(in, {a, b}) + value(in, {a + 1, b}); }), "") << w;
  }
}

TEST(LowerHost, SharedTilesAreArenaStorage) {
  NestCase c = three_funcs(Float(32), Float(32), Float(32));
  TileVars v;
  const Sym px = make_sym("px"), py = make_sym("py");
  const Expr x0 = make_var(v.xo) * 16, y0 = make_var(v.yo) * 8;
  const Expr mx = x0 + make_var(px), my = y0 + make_var(py);
  const Stmt mid = coop(py, 8, coop(px, 18, provide(1, {mx, my}, mul(c.call(0, {mx, my}), f32(2))), min(i32(18), c.extent(2, 0) + 2 - x0)),
                        min(i32(8), c.extent(2, 1) - y0));
  const Expr x = v.x(16), y = v.y(8);
  const Stmt out = coop_tile(c, 2, v, 16, 8, provide(2, {x, y}, add(c.call(1, {x, y}), c.call(1, {x + 2, y}))));
  c.nest = blocks(c, 2, v, 16, 8, alloc(1, Float(32), Memory::Shared, {{x0, 18}, {y0, 8}}, make_seq({produce(1, mid), consume(1, out)})));
  const Module m = lower(c);
  for (const int64_t w : {32, 19, 3}) {
    Tensor in(Float(32), {w + 2, 11}), result(Float(32), {w, 11});
    fill(in);
    ModuleRunner r(m);
    ASSERT_TRUE(r.run({&in, &result}));
    EXPECT_EQ(difference(result, [&](int64_t a, int64_t b) { return 2 * (value(in, {a, b}) + value(in, {a + 2, b})); }), "") << w;
  }
}

// A loop of `n` lanes over `body(lane)`, run as it is and lane by lane.
void same_as_scalar(int n, const std::function<Stmt(const NestCase&, const Expr&)>& body) {
  std::vector<Tensor> results;
  for (const LoopKind kind : {LoopKind::Vectorized, LoopKind::Serial}) {
    NestCase c = two_funcs(Float(32), Float(32));
    const Sym v = make_sym("v"), y = make_sym("y");
    c.nest = serial(y, i32(3), make_for(v, i32(2), i32(n), kind, body(c, make_var(v))));
    const Module m = lower(c);
    EXPECT_EQ(loops(m.entry, LoopKind::Vectorized), 0);
    Tensor in(Float(32), {64, 40}), out(Float(32), {64, 3});
    fill(in);
    std::fill(out.bytes.begin(), out.bytes.end(), 0);
    ModuleRunner r(m);
    ASSERT_TRUE(r.run({&in, &out}));
    results.push_back(out);
  }
  EXPECT_EQ(results[0].bytes, results[1].bytes);
}

TEST(ExpandVectors, ScalarSemantics) {
  for (const int n : {2, 5, 8, 16, 23}) {
    same_as_scalar(n, [](const NestCase& c, const Expr& v) { return provide(1, {v, i32(0)}, c.call(0, {v, i32(1)})); });
    // strided, transposed and uniform reads
    same_as_scalar(n, [](const NestCase& c, const Expr& v) {
      return provide(1, {v, i32(1)}, add(add(c.call(0, {v * 2, i32(1)}), c.call(0, {i32(3), v})), c.call(0, {i32(7), i32(7)})));
    });
    // a lane number as a value, selects, a clamped index
    same_as_scalar(n, [](const NestCase& c, const Expr& v) {
      const Expr clamped = min(max(v - 4, i32(0)), i32(9));
      return provide(1, {v, i32(2)}, make_select(v > i32(6), make_cast(Float(32), v * 3), c.call(0, {clamped, i32(5)})));
    });
    // control flow that depends on the lane, and a scattered store
    same_as_scalar(n, [](const NestCase& c, const Expr& v) {
      return make_if(equal(v % 3, i32(0)), provide(1, {v * 2, i32(1)}, c.call(0, {v, i32(4)})), provide(1, {v, i32(0)}, f32(7)));
    });
    // a reduction inside, with uniform and with varying bounds
    same_as_scalar(n, [](const NestCase& c, const Expr& v) {
      const Sym k = make_sym("k");
      return serial(k, i32(5), provide(1, {v, i32(0)}, add(c.call(1, {v, i32(0)}), c.call(0, {v, make_var(k)}))));
    });
    same_as_scalar(n, [](const NestCase& c, const Expr& v) {
      const Sym k = make_sym("k");
      return serial(k, v, provide(1, {v, i32(0)}, add(c.call(1, {v, i32(0)}), c.call(0, {v, make_var(k)}))));
    });
    // Lets: an index, and a loaded value
    same_as_scalar(n, [](const NestCase& c, const Expr& v) {
      const Sym i = make_sym("i"), l = make_sym("l", Float(32));
      return make_let(i, v + 1, make_let(l, c.call(0, {make_var(i), i32(2)}), provide(1, {make_var(i), i32(0)}, mul(make_var(l), make_var(l)))));
    });
  }
}

TEST(LowerHost, DeclaredSizesAreChecked) {
  NestCase c = two_funcs(Float(32), Float(32));
  c.program.funcs[0].fixed_extent[0] = i32(64);
  const Sym y = make_sym("y");
  c.nest = serial(y, c.extent(1, 1), provide(1, {i32(0), make_var(y)}, c.call(0, {i32(0), make_var(y)})));
  const Module m = lower(c);
  Tensor good(Float(32), {64, 4}), bad(Float(32), {63, 4}), strided(Float(32), {64, 4}, {2, 128}), out(Float(32), {1, 4});
  ModuleRunner r(m);
  EXPECT_TRUE(r.run({&good, &out}));
  EXPECT_FALSE(r.run({&bad, &out}));
  EXPECT_EQ(r.failed, "input `in`, dimension 0: extent");
  EXPECT_FALSE(r.run({&strided, &out}));
  EXPECT_EQ(r.failed, "input `in`, dimension 0: stride");
}

}  // namespace
}  // namespace sinter::scheduler
