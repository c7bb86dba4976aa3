// Nests to kernels: structure of what comes out, and its values run thread by thread.
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/diagnostic.h"
#include "ir/eval/flat.h"
#include "ir/verify/verify.h"
#include "scheduler/lower/kernel/lower_kernels.h"
#include "tests/unit/kernel_nests.h"

namespace sinter::scheduler {
namespace {

using namespace ir;
using namespace kernel_test;

const Target& gpu() {
  static const Target t = Target::parse("cuda-sm_90a");
  return t;
}

Module lower(const NestCase& c) {
  Module m = lower_kernels(c.program, c.nest, gpu());
  verify_module(m);
  return m;
}

int count(const Stmt& s, StmtKind kind) {
  int n = 0;
  walk_stmts(s, [&](const Stmt& c) {
    n += c->kind == kind;
    return true;
  });
  return n;
}
const Stmt& body(const Module& m, int kernel = 0) { return m.kernels.at(kernel).roles.at(0).body; }

const Allocation* allocation(const Kernel& k, int buffer) {
  for (const Allocation& a : k.allocations)
    if (a.buffer == buffer) return &a;
  return nullptr;
}

// Loads of the full path in order: "in v4 align 4".
std::vector<std::string> loads(const Stmt& s) {
  std::vector<std::string> out;
  std::unordered_set<const ExprNode*> seen;
  walk_exprs(s, [&](const Expr& e) {
    walk(e, [&](const Expr& n) {
      if (n->op == Op::Load && seen.insert(n.get()).second)
        out.push_back(std::to_string(n->id) + " x" + std::to_string(n.type().lanes) + " align " + std::to_string(n->i));
    });
  });
  return out;
}

// The first branch of the first If whose two paths differ: all of the box.
Stmt full_path(const Stmt& s) {
  Stmt found;
  walk_stmts(s, [&](const Stmt& c) {
    if (const auto* i = as<IfStmt>(c); i && i->else_body && !found) found = i->then_body;
    return !found;
  });
  return found;
}

// Input and output of `w` x `h` with `more` extra columns and rows of the input.
std::string run(const Module& m, Type in_type, Type out_type, int64_t w, int64_t h, int64_t more,
                const std::function<double(Tensor&, int64_t, int64_t)>& expected, bool expect_fast, int64_t pitch = 0, uint64_t address = 4096) {
  Tensor in(in_type, {w + more, h + more}, pitch ? std::vector<int64_t>{1, pitch} : std::vector<int64_t>{});
  Tensor out(out_type, {w, h});
  in.address = address;
  fill(in);
  ModuleRunner r(m);
  if (!r.run({&in, &out})) return "check failed: " + r.failed;
  for (const int k : r.launched)
    if (m.kernels[k].fast != expect_fast) return "launched " + m.kernels[k].name;
  return difference(out, [&](int64_t x, int64_t y) { return expected(in, x, y); });
}

NestCase pointwise(Type t, int64_t tx = 64, int64_t ty = 4) {
  NestCase c = two_funcs(t, t);
  TileVars v;
  const Expr x = v.x(tx), y = v.y(ty);
  Expr e = c.call(0, {x, y});
  e = t.is_narrow_float() ? make_cast(t, mul(make_cast(Float(32), e), f32(2))) : mul(e, make_const(t, 2));
  c.nest = blocks(c, 1, v, tx, ty, coop_tile(c, 1, v, tx, ty, provide(1, {x, y}, e)));
  return c;
}

TEST(LowerKernels, PointwiseIsWideInTheFastVersion) {
  const Module m = lower(pointwise(Float(32)));
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_TRUE(m.kernels[0].fast);
  EXPECT_FALSE(m.kernels[1].fast);
  EXPECT_EQ(m.kernels[0].threads, 64);  // 256 points, four to a vector
  EXPECT_EQ(loads(full_path(body(m))), std::vector<std::string>{"0 x4 align 4"});
  for (const std::string& l : loads(body(m, 1))) EXPECT_EQ(l, "0 x1 align 0");
  EXPECT_EQ(count(body(m), StmtKind::Sync), 0);
}

TEST(LowerKernels, PointwiseRunsAtAnySize) {
  const auto twice = [](Tensor& in, int64_t x, int64_t y) { return 2 * value(in, {x, y}); };
  for (const Type t : {Float(32), BFloat(16), Int(32), UInt(8), Float(64)}) {
    const Module m = lower(pointwise(t));
    const auto expected = [&](Tensor& in, int64_t x, int64_t y) {
      const double v = twice(in, x, y);
      return t == UInt(8) ? static_cast<double>(static_cast<uint8_t>(static_cast<int>(v))) : v;
    };
    for (const auto& [w, h] : {std::pair<int64_t, int64_t>{128, 9}, {64, 4}, {144, 5}, {16, 1}})
      EXPECT_EQ(run(m, t, t, w, h, 0, expected, true), "") << to_string(t) << " " << w << "x" << h;
    EXPECT_EQ(run(m, t, t, 128, 5, 0, expected, false, 129), "") << "odd rows";
    EXPECT_EQ(run(m, t, t, 130, 5, 0, expected, t.bytes() == 8), "") << "odd width";
    EXPECT_EQ(run(m, t, t, 128, 5, 0, expected, false, 0, 4096 + static_cast<uint64_t>(t.bytes())), "") << "odd address";
  }
}

TEST(LowerKernels, NothingIsLaunchedForNothing) {
  const Module m = lower(pointwise(Float(32)));
  Tensor in(Float(32), {64, 0}), out(Float(32), {64, 0});
  ModuleRunner r(m);
  EXPECT_TRUE(r.run({&in, &out}));
  EXPECT_TRUE(r.launched.empty());
}

TEST(LowerKernels, HugeBuffersTakeTheGeneralVersion) {
  const NestCase c = pointwise(Float(32));
  const Module m = lower(c);
  // The entry alone: the condition under which kernel 0 is launched.
  Expr condition;
  walk_stmts(m.entry, [&](const Stmt& s) {
    if (const auto* i = as<IfStmt>(s); i && i->else_body) condition = i->cond;
    return true;
  });
  ASSERT_TRUE(condition.defined());
  const auto fast = [&](int64_t rows, int64_t pitch, uint64_t address = 4096) {
    SymMap<Scalar> values;
    for (const Sym& v : free_vars(condition)) values[v.get()] = Scalar::of_int(v->type, 1);
    for (int f = 0; f < 2; ++f) {
      values[m.buffers[f].base.get()] = Scalar::of_int(UInt(64), static_cast<int64_t>(address));
      values[c.func(f).extent[0].get()] = Scalar::of_int(Int(32), 64);
      values[c.func(f).extent[1].get()] = Scalar::of_int(Int(32), rows);
      values[c.func(f).stride[1].get()] = Scalar::of_int(Int(64), pitch);
    }
    return evaluate(condition, values).as_bool();
  };
  EXPECT_TRUE(fast(3, 64));
  EXPECT_TRUE(fast(1, int64_t{1} << 40));  // nobody multiplies by it
  EXPECT_TRUE(fast(2, (int64_t{1} << 29) - 128));
  EXPECT_FALSE(fast(2, int64_t{1} << 29));
  EXPECT_FALSE(fast(3, int64_t{1} << 40));
  EXPECT_FALSE(fast(3, 66));
  EXPECT_FALSE(fast(3, 64, 4100));
}

// blur: mid = rows of three summed, out = columns of three summed.
NestCase blur(Memory memory, int64_t tx = 64, int64_t ty = 16, int64_t threads = 0) {
  NestCase c = three_funcs(Float(32), Float(32), Float(32));
  TileVars v;
  const Sym px = make_sym("px"), py = make_sym("py");
  const Expr x0 = make_var(v.xo) * tx, y0 = make_var(v.yo) * ty;
  const Expr mx = x0 + make_var(px), my = y0 + make_var(py);
  const Expr row = add(add(c.call(0, {mx, my}), c.call(0, {mx + 1, my})), c.call(0, {mx + 2, my}));
  const Expr live_x = min(i32(tx), c.extent(2, 0) - x0), live_y = min(i32(ty + 2), c.extent(2, 1) + 2 - y0);
  const Stmt mid = coop(py, ty + 2, coop(px, tx, provide(1, {mx, my}, row), live_x), live_y);
  const Expr x = v.x(tx), y = v.y(ty);
  const Expr column = add(add(c.call(1, {x, y}), c.call(1, {x, y + 1})), c.call(1, {x, y + 2}));
  const Stmt out = coop_tile(c, 2, v, tx, ty, provide(2, {x, y}, column));
  c.nest = blocks(c, 2, v, tx, ty,
                  alloc(1, Float(32), memory, {{x0, tx}, {y0, ty + 2}}, make_seq({produce(1, mid), consume(1, out)})), threads);
  return c;
}
double blurred(Tensor& in, int64_t x, int64_t y) {
  double sum = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) sum += value(in, {x + dx, y + dy});
  return sum;
}

TEST(LowerKernels, StencilThroughSharedMemory) {
  for (const Memory memory : {Memory::Auto, Memory::Shared}) {
    const Module m = lower(blur(memory));
    const Kernel& k = m.kernels[0];
    EXPECT_EQ(k.threads, 256);
    EXPECT_EQ(k.shared_bytes, 64 * 18 * 4);
    ASSERT_NE(allocation(k, 1), nullptr);
    EXPECT_EQ(allocation(k, 1)->memory, Memory::Shared);
    EXPECT_EQ(count(body(m), StmtKind::Sync), 1);
    for (const int64_t w : {128, 64, 192, 8})
      EXPECT_EQ(run(m, Float(32), Float(32), w, w / 3, 2, blurred, true, w + 4), "") << w;
    for (const int64_t w : {126, 65, 3}) EXPECT_EQ(run(m, Float(32), Float(32), w, 33, 2, blurred, false), "") << w;
  }
}

TEST(LowerKernels, BarrierAlsoAroundTheBackEdge) {
  // for s: mid = in(.., s); out += mid of a neighbour. The next iteration's mid waits for this one's readers.
  NestCase c = three_funcs(Float(32), Float(32), Float(32), 1);
  const Sym b = make_sym("b"), s = make_sym("s"), p = make_sym("p"), q = make_sym("q"), r = make_sym("r");
  const Expr x = make_var(q);
  const Stmt init = coop(r, 64, provide(2, {make_var(r), make_var(b)}, f32(0)));
  const Stmt mid = coop(p, 65, provide(1, {make_var(p)}, add(c.call(0, {make_var(p), make_var(s)}), f32(1))));
  const Stmt out = coop(q, 64, provide(2, {x, make_var(b)}, add(c.call(2, {x, make_var(b)}), c.call(1, {x + 1})), 1));
  const Stmt loop = serial(s, i32(5), make_seq({produce(1, mid), consume(1, out)}));
  c.nest = block_loop(b, i32(1), alloc(1, Float(32), Memory::Shared, {{i32(0), 65}}, make_seq({init, loop})));
  const Module m = lower(c);
  EXPECT_EQ(count(body(m), StmtKind::Sync), 2);
  Tensor in(Float(32), {65, 5}), result(Float(32), {64, 1});
  fill(in);
  ModuleRunner run(m);
  ASSERT_TRUE(run.run({&in, &result}));
  EXPECT_EQ(difference(result, [&](int64_t at, int64_t) {
              double sum = 5;
              for (int64_t k = 0; k < 5; ++k) sum += value(in, {at + 1, k});
              return sum;
            }), "");
}

TEST(LowerKernels, IdentityReadsStayInRegisters) {
  // mid(x, y) = 3 in(x, y); out = mid + in; and a row sum held by everybody.
  NestCase c = three_funcs(Float(32), Float(32), Float(32));
  TileVars v;
  const Sym px = make_sym("px"), py = make_sym("py");
  const Expr x0 = make_var(v.xo) * 64, y0 = make_var(v.yo) * 8;
  const Expr mx = x0 + make_var(px), my = y0 + make_var(py);
  const Expr lx = min(i32(64), c.extent(2, 0) - x0), ly = min(i32(8), c.extent(2, 1) - y0);
  const Stmt mid = coop(py, 8, coop(px, 64, provide(1, {mx, my}, mul(c.call(0, {mx, my}), f32(3))), lx), ly);
  const Expr x = v.x(64), y = v.y(8);
  const Stmt out = coop_tile(c, 2, v, 64, 8, provide(2, {x, y}, add(c.call(1, {x, y}), c.call(0, {x, y}))));
  c.nest = blocks(c, 2, v, 64, 8, alloc(1, Float(32), Memory::Auto, {{x0, 64}, {y0, 8}}, make_seq({produce(1, mid), consume(1, out)})), 64);
  const Module m = lower(c);
  ASSERT_NE(allocation(m.kernels[0], 1), nullptr);
  EXPECT_EQ(allocation(m.kernels[0], 1)->memory, Memory::Register);
  EXPECT_EQ(allocation(m.kernels[0], 1)->elements, 8);  // 512 points, 64 threads
  EXPECT_EQ(m.kernels[0].shared_bytes, 0);
  EXPECT_EQ(count(body(m), StmtKind::Sync), 0);
  for (const int64_t w : {128, 132, 36})
    EXPECT_EQ(run(m, Float(32), Float(32), w, 19, 0, [](Tensor& in, int64_t a, int64_t b) { return 4 * value(in, {a, b}); }, true), "");
}

TEST(LowerKernels, RowReductionInRegisters) {
  // mid(y) = sum over k of in(k, y), read by all x of its row: a slice.
  NestCase c = three_funcs(Float(32), Float(32), Float(32), 1);
  TileVars v;
  const Sym py = make_sym("py"), uy = make_sym("uy"), k = make_sym("k");
  const Expr y0 = make_var(v.yo) * 8;
  const Expr iy = y0 + make_var(py), my = y0 + make_var(uy);
  const Expr ly = min(i32(8), c.extent(2, 1) - y0);
  const Stmt init = coop(py, 8, provide(1, {iy}, f32(0)), ly);
  const Stmt update = coop(uy, 8, serial(k, i32(20), provide(1, {my}, add(c.call(1, {my}), c.call(0, {make_var(k), my})), 1)), ly);
  const Expr x = v.x(32), y = v.y(8);
  const Stmt out = coop_tile(c, 2, v, 32, 8, provide(2, {x, y}, make_binary(Op::Sub, c.call(0, {x, y}), c.call(1, {y}))));
  c.nest = blocks(c, 2, v, 32, 8, alloc(1, Float(32), Memory::Register, {{y0, 8}}, make_seq({produce(1, make_seq({init, update})), consume(1, out)})));
  const Module m = lower(c);
  EXPECT_EQ(allocation(m.kernels[0], 1)->memory, Memory::Register);
  EXPECT_EQ(count(body(m), StmtKind::Sync), 0);
  for (const auto& [w, fast] : {std::pair<int64_t, bool>{32, true}, {24, true}, {21, false}})
    EXPECT_EQ(run(m, Float(32), Float(32), w, 13, 0,
                  [](Tensor& in, int64_t a, int64_t b) {
                    double sum = 0;
                    for (int64_t i = 0; i < 20; ++i) sum += value(in, {i, b});
                    return value(in, {a, b}) - sum;
                  },
                  fast), "") << w;
}

NestCase by_hand(Memory memory, bool bound_producer) {
  NestCase c = three_funcs(Float(32), Float(32), Float(32));
  TileVars v;
  const Sym px = make_sym("px"), py = make_sym("py");
  const Expr x0 = make_var(v.xo) * 16, y0 = make_var(v.yo) * 8;
  const Expr mx = x0 + make_var(px), my = y0 + make_var(py);
  const Expr lx = min(i32(17), c.extent(2, 0) + 1 - x0), ly = min(i32(9), c.extent(2, 1) + 1 - y0);
  const LoopKind kind = bound_producer ? LoopKind::Thread : LoopKind::Cooperative;
  const Stmt mid = make_for(py, i32(0), i32(9), kind,
                            make_for(px, i32(0), i32(17), kind, provide(1, {mx, my}, mul(c.call(0, {mx, my}), f32(3))), {}, lx), {}, ly);
  const Expr x = v.x(16), y = v.y(8);
  const Stmt inner = provide(2, {x, y}, add(c.call(1, {x, y}), c.call(1, {x + 1, y + 1})));
  const Stmt out = make_for(v.yi, i32(0), i32(8), LoopKind::Thread,
                            make_for(v.xi, i32(0), i32(16), LoopKind::Thread, inner, {}, min(i32(16), c.extent(2, 0) - x0)), {},
                            min(i32(8), c.extent(2, 1) - y0));
  c.nest = blocks(c, 2, v, 16, 8, alloc(1, Float(32), memory, {{x0, 17}, {y0, 9}}, make_seq({produce(1, mid), consume(1, out)})));
  return c;
}

TEST(LowerKernels, ExplicitThreads) {
  for (const bool bound : {true, false}) {
    const Module m = lower(by_hand(Memory::Auto, bound));
    EXPECT_EQ(m.kernels[0].threads, bound ? 160 : 128);
    EXPECT_EQ(allocation(m.kernels[0], 1)->memory, Memory::Shared);
    EXPECT_EQ(count(body(m), StmtKind::Sync), 1);
    for (const int64_t w : {35, 32, 5})
      EXPECT_EQ(run(m, Float(32), Float(32), w, 11, 1,
                    [](Tensor& in, int64_t a, int64_t b) { return 3 * (value(in, {a, b}) + value(in, {a + 1, b + 1})); }, true), "") << w;
  }
}

// The code and words of the error that lowering throws.
void expect_error(const NestCase& c, ErrorCode code, const std::string& words) {
  try {
    lower(c);
    FAIL() << "no error";
  } catch (const UserError& e) {
    EXPECT_EQ(code_text(e.code()), code_text(code)) << e.what();
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    EXPECT_TRUE(e.diagnostic().loc.known()) << e.what();
  }
}

TEST(LowerKernels, RegisterReadByAnotherThread) {
  expect_error(by_hand(Memory::Register, true), ErrorCode::CrossThreadRegister, "`mid` is read by a thread that did not write it");
  expect_error(by_hand(Memory::Register, true), ErrorCode::CrossThreadRegister, "thread 16 reads element (0, 1) of `mid`'s tile, which thread 17 writes");
  expect_error(blur(Memory::Register), ErrorCode::CrossThreadRegister, "mid.store_in(MemoryType::Shared)");
}

TEST(LowerKernels, Resources) {
  expect_error(blur(Memory::Shared, 512, 256), ErrorCode::TooMuchShared, "mid: 528384 bytes");
  expect_error(blur(Memory::Shared, 64, 16, 2048), ErrorCode::TooManyThreads, "2048 threads");
  expect_error(blur(Memory::Shared, 64, 16, 100), ErrorCode::BadThreads, "whole number of warps");
}

TEST(LowerKernels, ThreadOwnsColumnsAndRowsOfAnInlinedStencil) {
  // Two columns, eight rows a thread: ten rows of two aligned 8-byte loads, each element once.
  NestCase c = two_funcs(Float(32), Float(32));
  TileVars v;
  const Expr x = v.x(64), y = v.y(64);
  std::vector<Expr> rows;
  for (int dy = 0; dy < 3; ++dy)
    rows.push_back(add(add(c.call(0, {x, y + dy}), c.call(0, {x + 1, y + dy})), c.call(0, {x + 2, y + dy})));
  const Stmt out = coop_tile(c, 1, v, 64, 64, provide(1, {x, y}, add(add(rows[0], rows[1]), rows[2])), {2, 0, 0}, {0, 8, 0});
  c.nest = blocks(c, 1, v, 64, 64, out);
  const Module m = lower(c);
  EXPECT_EQ(m.kernels[0].threads, 256);
  EXPECT_EQ(loads(full_path(body(m))), std::vector<std::string>(20, "0 x2 align 2"));
  for (const auto& [w, h, fast] : {std::tuple<int64_t, int64_t, bool>{64, 64, true}, {66, 65, true}, {63, 10, false}})
    EXPECT_EQ(run(m, Float(32), Float(32), w, h, 2, blurred, fast), "") << w;
}

TEST(LowerKernels, SeveralKernelsShareAWorkspace) {
  // mid at root in global memory, with its own kernel.
  NestCase c = three_funcs(Float(32), Float(32), Float(32));
  const auto stage = [&](int f, const Expr& w, const Expr& h, const std::function<Expr(Expr, Expr)>& at) {
    const Sym xo = make_sym("xo"), yo = make_sym("yo"), xi = make_sym("xi"), yi = make_sym("yi");
    const Expr x = make_var(xo) * 32 + make_var(xi), y = make_var(yo) * 4 + make_var(yi);
    const Stmt tile = coop(yi, 4, coop(xi, 32, provide(f, {x, y}, at(x, y)), min(i32(32), w - make_var(xo) * 32)), min(i32(4), h - make_var(yo) * 4));
    return block_loop(yo, ceil_div(h, 4), block_loop(xo, ceil_div(w, 32), tile));
  };
  const Expr w = c.extent(2, 0), h = c.extent(2, 1);
  const Stmt mid = stage(1, w, h + 2, [&](Expr x, Expr y) { return add(add(c.call(0, {x, y}), c.call(0, {x + 1, y})), c.call(0, {x + 2, y})); });
  const Stmt out = stage(2, w, h, [&](Expr x, Expr y) { return add(add(c.call(1, {x, y}), c.call(1, {x, y + 1})), c.call(1, {x, y + 2})); });
  std::vector<Region> r = {{i32(0), w - 1, w}, {i32(0), h + 1, h + 2}};
  c.nest = std::make_shared<AllocStmt>(1, Float(32), Memory::Global, r, make_seq({produce(1, mid), consume(1, out)}));
  const Module m = lower(c);
  ASSERT_EQ(m.kernels.size(), 4u);
  ASSERT_TRUE(m.workspace_bytes.defined());
  for (const int64_t width : {62, 35, 2}) {
    Tensor in(Float(32), {width + 2, 12}), result(Float(32), {width, 10});
    fill(in);
    ModuleRunner runner(m);
    ASSERT_TRUE(runner.run({&in, &result}));
    EXPECT_EQ(runner.launched.size(), 2u);
    EXPECT_EQ(difference(result, [&](int64_t x, int64_t y) { return blurred(in, x, y); }), "");
  }
}

// out(x, y) = sum over k < n of in(k, y), or of in(x, k).
NestCase reduction(const Expr& n, bool along_rows) {
  NestCase c = two_funcs(Float(32), Float(32));
  TileVars v, u;
  const Sym k = make_sym("k");
  const auto stage = [&](const TileVars& t, const std::function<Stmt(Expr, Expr)>& at) {
    return blocks(c, 1, t, 32, 4, coop_tile(c, 1, t, 32, 4, at(t.x(32), t.y(4))));
  };
  const Stmt init = stage(v, [&](Expr x, Expr y) { return provide(1, {x, y}, f32(0)); });
  const Stmt update = stage(u, [&](Expr x, Expr y) {
    const Expr term = along_rows ? c.call(0, {make_var(k), y}) : c.call(0, {x, make_var(k)});
    return serial(k, n, provide(1, {x, y}, add(c.call(1, {x, y}), term), 1));
  });
  c.nest = make_seq({init, update});
  return c;
}

TEST(LowerKernels, ReductionsHaveSeveralLoadsInFlight) {
  for (const bool along_rows : {true, false}) {
    for (const int64_t n : {1, 3, 8, 13, 32}) {
      const Module m = lower(reduction(i32(n), along_rows));
      for (const int64_t w : {32, 21}) {
        Tensor in(Float(32), {36, 36}), out(Float(32), {w, 7});
        fill(in);
        ModuleRunner r(m);
        ASSERT_TRUE(r.run({&in, &out}));
        EXPECT_EQ(difference(out, [&](int64_t x, int64_t y) {
                    double sum = 0;
                    for (int64_t k = 0; k < n; ++k) sum += along_rows ? value(in, {k, y}) : value(in, {x, k});
                    return sum;
                  }), "") << n << (along_rows ? " rows " : " columns ") << w;
      }
    }
    // At least four rows, or four neighbours in one vector, before the first addition.
    const std::vector<std::string> all = loads(full_path(body(lower(reduction(i32(32), along_rows)), 2)));
    const auto vectors = std::count(all.begin(), all.end(), "0 x4 align 4");
    EXPECT_GE(vectors, along_rows ? 1 : 4);
  }
}

TEST(LowerKernels, GridsBeyondOneLaunch) {
  // 70000 x 70001 blocks: three launches of the general version. Which block does what is arithmetic; nothing is run.
  constexpr int64_t kMax = 2147483647, kWide = 70001, kHigh = 70000;
  const NestCase c = pointwise(Float(32));
  const Module m = lower(c);
  SymMap<Scalar> env;
  for (int f = 0; f < 2; ++f) {
    env[m.buffers[f].base.get()] = Scalar::of_int(UInt(64), 4096);
    env[c.func(f).extent[0].get()] = Scalar::of_int(Int(32), kWide * 64);
    env[c.func(f).extent[1].get()] = Scalar::of_int(Int(32), kHigh * 4);
    env[c.func(f).stride[0].get()] = Scalar::of_int(Int(64), 1);
    env[c.func(f).stride[1].get()] = Scalar::of_int(Int(64), kWide * 64);
  }
  for (int64_t pass = 0; pass < 3; ++pass) {
    int64_t launched = 0;
    const std::function<void(const Stmt&)> enter = [&](const Stmt& s) {
      if (const auto* q = as<SeqStmt>(s)) for (const Stmt& t : q->stmts) enter(t);
      if (const auto* l = as<LetStmt>(s)) {
        env[l->var.get()] = evaluate(l->value, env);
        enter(l->body);
      }
      if (const auto* i = as<IfStmt>(s)) enter(evaluate(i->cond, env).as_bool() ? i->then_body : i->else_body);
      if (const auto* f = as<ForStmt>(s)) {
        EXPECT_EQ(evaluate(f->extent, env).as_int(), 3);
        env[f->var.get()] = Scalar::of_int(f->var->type, pass);
        enter(f->body);
      }
      if (const auto* l = as<LaunchStmt>(s)) {
        EXPECT_FALSE(m.kernels[l->kernel].fast);
        launched = evaluate(l->grid, env).as_int();
      }
    };
    enter(m.entry);
    const int64_t first = pass * kMax;
    EXPECT_EQ(launched, std::min(kMax, kWide * kHigh - first));
    const Kernel& k = m.kernels[1];
    for (const int64_t block : {int64_t{0}, int64_t{1}, kWide - 1, kWide, 12345 * kWide + 67, launched / 2, launched - 1}) {
      env[k.block.get()] = Scalar::of_int(Int(32), block);
      env[k.thread.get()] = Scalar::of_int(Int(32), 0);
      std::map<std::string, int64_t> at;
      Stmt s = k.roles[0].body;
      while (const auto* l = as<LetStmt>(s)) {
        env[l->var.get()] = evaluate(l->value, env);
        if (l->var->type == Int(32)) at[l->var->name] = env[l->var.get()].as_int();
        s = l->body;
      }
      ASSERT_TRUE(at.count("xo") && at.count("yo"));
      EXPECT_EQ(at["xo"], (first + block) % kWide) << pass << " " << block;
      EXPECT_EQ(at["yo"], (first + block) / kWide) << pass << " " << block;
    }
  }
}

TEST(LowerKernels, ABlockWithoutTileLoopsIsOneThread) {
  NestCase c = two_funcs(Float(32), Float(32));
  const Sym b = make_sym("b"), k = make_sym("k");
  const Stmt init = provide(1, {i32(0), i32(0)}, f32(0));
  const Stmt sum = serial(k, c.extent(0, 0), provide(1, {i32(0), i32(0)}, add(c.call(1, {i32(0), i32(0)}), c.call(0, {make_var(k), i32(0)})), 1));
  c.nest = block_loop(b, i32(1), make_seq({init, sum}));
  const Module m = lower(c);
  EXPECT_EQ(count(body(m), StmtKind::Sync), 0);
  Tensor in(Float(32), {50, 1}), out(Float(32), {1, 1});
  fill(in);
  ModuleRunner r(m);
  ASSERT_TRUE(r.run({&in, &out}));
  double expected = 0;
  for (int64_t i = 0; i < 50; ++i) expected += value(in, {i, 0});
  EXPECT_EQ(value(out, {0, 0}), expected);
}

}  // namespace
}  // namespace sinter::scheduler
