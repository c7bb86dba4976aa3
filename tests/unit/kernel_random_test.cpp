// Random tiles, hints, block sizes, halos, types and image sizes: the emulator finds no fault and the values are right, and the host
// agrees. Outcomes are counted, so that the test can't silently try nothing.
#include <gtest/gtest.h>

#include <random>

#include "codegen/emulate/emulate.h"
#include "ir/verify/verify.h"
#include "scheduler/lower/host/lower_host.h"
#include "scheduler/lower/kernel/lower_kernels.h"
#include "tests/unit/kernel_nests.h"

namespace sinter::scheduler {
namespace {

using namespace ir;
using namespace kernel_test;

struct Trial {
  int64_t tx, ty, dx, dy, w, h, pitch;
  Type mid;
  Memory memory;
  LoopHints hx, hy;
  int64_t threads;
  bool by_hand;

  std::string text() const {
    return "tile " + std::to_string(tx) + "x" + std::to_string(ty) + " halo " + std::to_string(dx) + "," + std::to_string(dy) + " image " +
           std::to_string(w) + "x" + std::to_string(h) + " pitch " + std::to_string(pitch) + " " + to_string(mid) + " " + memory_name(memory) +
           " vector " + std::to_string(hx.vector) + " unroll " + std::to_string(hy.unroll) + " threads " + std::to_string(threads) +
           (by_hand ? " by hand" : "");
  }
};

Trial random_trial(std::mt19937& random) {
  const auto pick = [&](std::initializer_list<int64_t> of) { return of.begin()[random() % of.size()]; };
  Trial s;
  s.by_hand = random() % 4 == 0;
  s.tx = s.by_hand ? pick({4, 16, 20}) : pick({1, 7, 16, 33, 64, 66});
  s.ty = s.by_hand ? pick({1, 3, 8}) : pick({1, 2, 5, 8, 16});
  s.dx = pick({0, 0, 1, 2, 4});
  s.dy = pick({0, 0, 1, 2});
  s.w = 1 + static_cast<int64_t>(random() % 100);
  s.h = 1 + static_cast<int64_t>(random() % 20);
  if (random() % 2) s.w = s.tx * pick({1, 2}), s.h = s.ty * pick({1, 2});
  s.pitch = s.w + s.dx + pick({0, 0, 1, 8});
  if (random() % 2) s.pitch = (s.pitch + 15) / 16 * 16;
  s.mid = random() % 2 ? Float(32) : random() % 2 ? UInt(16) : Float(64);
  s.memory = s.dx == 0 && s.dy == 0 && !s.by_hand ? (random() % 2 ? Memory::Register : Memory::Auto) : Memory::Auto;
  if (random() % 3 == 0) s.hx.vector = pick({2, 4});
  if (random() % 3 == 0) s.hy.unroll = pick({2, 4});
  s.threads = s.by_hand ? 0 : pick({0, 0, 32, 96, 256});
  return s;
}

// mid = in + 1 over the tile and its halo; out = mid(x, y) + mid(x + dx, y + dy) + in(x + dx, y)
NestCase build(const Trial& s) {
  NestCase c = three_funcs(s.mid, s.mid, s.mid);
  TileVars v;
  const Sym px = make_sym("px"), py = make_sym("py");
  const Expr x0 = make_var(v.xo) * s.tx, y0 = make_var(v.yo) * s.ty;
  const Expr mx = x0 + make_var(px), my = y0 + make_var(py);
  const LoopKind kind = s.by_hand ? LoopKind::Thread : LoopKind::Cooperative;
  const auto tile = [&](const Sym& y, const Sym& x, int64_t nx, int64_t ny, int64_t dx, int64_t dy, Stmt body, LoopHints hx, LoopHints hy) {
    const Expr lx = min(i32(nx), c.extent(2, 0) + dx - x0), ly = min(i32(ny), c.extent(2, 1) + dy - y0);
    return make_for(y, i32(0), i32(ny), kind, make_for(x, i32(0), i32(nx), kind, std::move(body), Loc::here(), lx, hx), Loc::here(), ly, hy);
  };
  const Stmt mid = tile(py, px, s.tx + s.dx, s.ty + s.dy, s.dx, s.dy, provide(1, {mx, my}, add(c.call(0, {mx, my}), make_const(s.mid, 1))), {}, {});
  const Expr x = v.x(s.tx), y = v.y(s.ty);
  const Expr e = add(add(c.call(1, {x, y}), c.call(1, {x + s.dx, y + s.dy})), c.call(0, {x + s.dx, y}));
  const Stmt out = tile(v.yi, v.xi, s.tx, s.ty, 0, 0, provide(2, {x, y}, e), s.hx, s.hy);
  c.nest = blocks(c, 2, v, s.tx, s.ty,
                  alloc(1, s.mid, s.memory, {{x0, s.tx + s.dx}, {y0, s.ty + s.dy}}, make_seq({produce(1, mid), consume(1, out)})), s.threads);
  return c;
}

std::vector<int64_t> entry_values(const std::vector<Tensor*>& tensors) {
  std::vector<int64_t> out;
  for (Tensor* t : tensors) {
    out.push_back(reinterpret_cast<int64_t>(t->bytes.data()));
    out.insert(out.end(), t->extent.begin(), t->extent.end());
    out.insert(out.end(), t->stride.begin(), t->stride.end());
  }
  return out;
}

TEST(RandomTiles, EmulatorAndHostAgreeWithTheDefinition) {
  std::mt19937 random(20);
  int in_registers = 0, in_shared = 0, fast = 0, general = 0;
  for (int round = 0; round < 40; ++round) {
    const Trial s = random_trial(random);
    SCOPED_TRACE("round " + std::to_string(round) + ": " + s.text());
    const NestCase c = build(s);
    Tensor in(s.mid, {s.w + s.dx, s.h + s.dy}, {1, s.pitch});
    fill(in);
    const auto expected = [&](int64_t x, int64_t y) {
      const double e = value(in, {x, y}) + 1 + value(in, {x + s.dx, y + s.dy}) + 1 + value(in, {x + s.dx, y});
      return s.mid.is_uint() ? static_cast<double>(static_cast<uint16_t>(static_cast<int64_t>(e))) : e;
    };
    const Module m = lower_kernels(c.program, c.nest, Target::parse("emulate-sm_90a"));
    ASSERT_NO_THROW(verify_module(m));
    for (const Allocation& a : m.kernels[0].allocations) ++(a.memory == Memory::Register ? in_registers : in_shared);
    Tensor out(s.mid, {s.w, s.h}, {1, s.pitch});
    const std::vector<int64_t> values = entry_values({&in, &out});
    codegen::EmulateOptions options;
    options.seed = static_cast<uint64_t>(round);
    try {
      codegen::emulate(m, values.data(), options);
    } catch (const Error& e) {
      FAIL() << e.what();
    }
    ASSERT_EQ(difference(out, expected), "");
    // Once more from an address that no wide access may use.
    if (round % 2) in.address += static_cast<uint64_t>(s.mid.bytes());
    ModuleRunner runner(m);
    Tensor again(s.mid, {s.w, s.h}, {1, s.pitch});
    ASSERT_TRUE(runner.run({&in, &again}));
    for (const int k : runner.launched) ++(m.kernels[k].fast ? fast : general);
    EXPECT_EQ(difference(again, expected), "");

    const Module host = lower_host(c.program, c.nest, Target::parse("host"));
    ASSERT_NO_THROW(verify_module(host));
    ModuleRunner host_runner(host);
    Tensor host_out(s.mid, {s.w, s.h}, {1, s.pitch});
    ASSERT_TRUE(host_runner.run({&in, &host_out}));
    EXPECT_EQ(difference(host_out, expected), "");
  }
  EXPECT_GE(in_registers, 5);
  EXPECT_GE(in_shared, 10);
  EXPECT_GE(fast, 10);
  EXPECT_GE(general, 3);
}

}  // namespace
}  // namespace sinter::scheduler
