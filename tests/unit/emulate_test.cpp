// The emulator on Modules written by hand: correct ones run, and each kind of fault is found and named.
#include "codegen/emulate/emulate.h"

#include <chrono>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

using namespace ir;
using testing::HasSubstr;

constexpr int in_id = 0, out_id = 1, tile_id = 2, reg_id = 3, scratch_id = 4;

// One input, one output of n floats each, kernels over blocks of `threads`.
struct Fixture {
  Module m;
  Sym n = make_sym("n"), block = make_sym("block"), thread = make_sym("thread");
  std::vector<float> in, out;
  int threads = 64;

  explicit Fixture(int64_t size, int threads_ = 64) : in(static_cast<size_t>(size)), out(static_cast<size_t>(size), -1.f), threads(threads_) {
    std::iota(in.begin(), in.end(), 0.f);
    m.target = Target::parse("emulate-sm_90a");
    m.program.name = "test";
    for (int id = 0; id < 5; ++id) {
      static const char* const names[] = {"in", "out", "tile", "acc", "scratch"};
      FuncDef f;
      f.name = names[id];
      f.type = Float(32);
      m.program.funcs.push_back(f);
      Buffer b;
      b.func = id;
      b.name = f.name;
      b.type = f.type;
      if (id <= out_id) {
        b.is_argument = true;
        b.is_output = id == out_id;
        b.base = make_sym(f.name + ".data", UInt(64));
        b.extent = {make_var(n)};
        b.stride = {make_int(Int(64), 1)};
        m.args.slots.push_back(b.base);
      }
      m.buffers.push_back(b);
    }
    m.args.slots.push_back(n);
  }

  Expr t() { return make_var(thread); }
  Expr b() { return make_var(block); }
  Expr size() { return make_var(n); }
  Expr at() { return b() * threads + t(); }
  Expr load(int id, Expr index, int line = 1) { return make_load(id, Float(32), std::move(index), {}, 0, {}, Loc{"user.cpp", line}); }
  Stmt store(int id, Expr index, Expr value, int line = 2) {
    return std::make_shared<StoreStmt>(id, std::move(index), std::move(value), Expr(), 0, CachePolicy(), Loc{"user.cpp", line});
  }
  Stmt barrier(int line = 3) { return std::make_shared<SyncStmt>(SyncKind::Barrier, std::vector<Expr>(), Loc{"user.cpp", line}); }
  Kernel& kernel(Stmt body) {
    Kernel k;
    k.name = "k" + std::to_string(m.kernels.size());
    k.block = block;
    k.thread = thread;
    k.threads = threads;
    k.buffers = {in_id, out_id};
    k.written = {out_id};
    k.scalars = {n};
    k.roles.push_back({"all", 0, (threads + 31) / 32, 0, std::move(body)});
    m.kernels.push_back(std::move(k));
    return m.kernels.back();
  }
  void shared(int64_t elements) {
    Kernel& k = m.kernels.back();
    k.allocations.push_back({tile_id, Float(32), Memory::Shared, 0, elements});
    k.shared_bytes = elements * 4;
  }
  void launch_all() {
    std::vector<Stmt> s;
    for (size_t i = 0; i < m.kernels.size(); ++i)
      s.push_back(std::make_shared<LaunchStmt>(static_cast<int>(i), make_cast(Int(64), ceil_div(size(), threads))));
    m.entry = make_seq(s);
  }
  EmulateReport run(EmulateOptions o = {}) {
    if (!m.entry) launch_all();
    const int64_t values[] = {reinterpret_cast<int64_t>(in.data()), reinterpret_cast<int64_t>(out.data()), static_cast<int64_t>(in.size())};
    EmulateReport r;
    emulate(m, values, o, &r);
    return r;
  }
  void expect(Fault fault, const std::string& text, EmulateOptions o = {}) {
    try {
      run(o);
      FAIL() << "no " << fault_name(fault) << " found";
    } catch (const EmulationError& e) {
      EXPECT_EQ(e.fault(), fault) << e.what();
      EXPECT_THAT(e.what(), HasSubstr(text));
    }
  }
};

TEST(Emulate, CopyWithTail) {
  Fixture f(1000);
  f.kernel(make_if(f.at() < f.size(), f.store(out_id, f.at(), f.load(in_id, f.at()))));
  const EmulateReport r = f.run();
  EXPECT_EQ(f.in, f.out);
  EXPECT_EQ(r.launches, 1);
  EXPECT_EQ(r.blocks, 16);
  EXPECT_EQ(r.global_bytes_read, 4000);
  EXPECT_EQ(r.global_bytes_written, 4000);
}

TEST(Emulate, MissingTailIsOutOfBounds) {
  Fixture f(1000);
  f.kernel(f.store(out_id, f.at(), f.load(in_id, f.at(), 7)));
  f.expect(Fault::OutOfBounds, "user.cpp:7: out of bounds: `in`[10");
}

TEST(Emulate, AMissingBlockIsNotCovered) {
  Fixture f(1000);
  f.kernel(make_if(f.at() < f.size() - 3, f.store(out_id, f.at(), f.load(in_id, f.at()))));
  f.expect(Fault::Coverage, "`out`(997) is never written");
}

// out[x] = in[x] + in[x + 1] through a shared tile with a halo of one.
Stmt stencil(Fixture& f, bool with_barrier) {
  const Expr left = f.load(tile_id, f.t(), 12), right = f.load(tile_id, f.t() + 1, 12);
  const Stmt fill = f.store(tile_id, f.t(), f.load(in_id, min(f.at(), f.size() - 1)), 10);
  const Stmt halo = make_if(equal(f.t(), i32(0)), f.store(tile_id, i32(f.threads), f.load(in_id, min(f.at() + f.threads, f.size() - 1)), 11));
  const Stmt use = make_if(f.at() < f.size(), f.store(out_id, f.at(), make_binary(Op::Add, left, right), 13));
  return make_seq({fill, halo, with_barrier ? f.barrier() : nullptr, use});
}

TEST(Emulate, StencilThroughSharedMemory) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Fixture f(500);
    f.kernel(stencil(f, true));
    f.shared(f.threads + 1);
    const EmulateReport r = f.run({.seed = seed});
    EXPECT_EQ(r.barriers, 8);
    for (size_t i = 0; i < 500; ++i) ASSERT_EQ(f.out[i], f.in[i] + f.in[std::min<size_t>(i + 1, 499)]) << i;
  }
}

TEST(Emulate, TheStencilWithoutItsBarrierIsARaceForEverySeed) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Fixture f(500);
    f.kernel(stencil(f, false));
    f.shared(f.threads + 1);
    try {
      f.run({.seed = seed});
      FAIL() << "not found";
    } catch (const EmulationError& e) {
      // A thread whose neighbour has not run yet sees nothing at all.
      EXPECT_TRUE(e.fault() == Fault::Race || e.fault() == Fault::Uninitialised) << e.what();
    }
  }
  // Even where the order hides it: a warp that fills all, another that reads after it.
  Fixture f(64);
  const Stmt fill = make_if(f.t() < i32(32), f.store(tile_id, f.t(), f.load(in_id, f.t())));
  const Stmt use = make_if(f.t() >= i32(32), f.store(out_id, f.t(), f.load(tile_id, f.t() - 32, 21), 22));
  f.kernel(make_seq({fill, std::make_shared<SyncStmt>(SyncKind::WarpSync), use}));
  f.shared(32);
  bool race = false;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    try {
      f.run({.seed = seed, .check_coverage = false});
    } catch (const EmulationError& e) {
      race = race || (e.fault() == Fault::Race && std::string(e.what()).find("user.cpp:21: data race: `tile`") == 0);
    }
  }
  EXPECT_TRUE(race);
}

TEST(Emulate, AWarpSyncOrdersItsWarpOnly) {
  Fixture f(64);
  const Expr neighbour = make_binary(Op::BitXor, f.t(), i32(1));
  f.kernel(make_seq({f.store(tile_id, f.t(), f.load(in_id, f.t())), std::make_shared<SyncStmt>(SyncKind::WarpSync),
                     f.store(out_id, f.t(), f.load(tile_id, neighbour))}));
  f.shared(64);
  f.run();
  EXPECT_EQ(f.out[5], 4.f);
}

TEST(Emulate, WriteAfterReadIsARace) {
  Fixture f(64);
  f.kernel(make_seq({f.store(tile_id, f.t(), f.load(in_id, f.t())), f.barrier(),
                     f.store(out_id, f.t(), f.load(tile_id, make_binary(Op::BitXor, f.t(), i32(32)), 30)),
                     f.store(tile_id, f.t(), make_float(Float(32), 1), 31)}));
  f.shared(64);
  f.expect(Fault::Race, "`tile`");
}

TEST(Emulate, BlocksAreUnordered) {
  Fixture f(128);
  // Every block writes element 0: with different values it is a race, with equal ones it is not.
  const auto body = [&](Expr value) {
    return make_seq({f.store(out_id, f.at(), f.load(in_id, f.at())), make_if(equal(f.t(), i32(1)), f.store(out_id, i32(0), value, 40))});
  };
  f.kernel(body(make_cast(Float(32), f.b() + 10)));
  f.expect(Fault::Race, "`out`(0)");

  Fixture g(128);
  g.kernel(make_if(g.t() < i32(33), g.store(out_id, g.at() - min(g.b(), i32(1)) * 31, g.load(in_id, g.at() - min(g.b(), i32(1)) * 31))));
  g.run({.check_coverage = false});  // block 1 starts one element early, as ShiftInwards does: elements overlap with equal bytes
  EXPECT_EQ(g.out[33], 33.f);
}

TEST(Emulate, LaunchesAreOrderedThroughTheWorkspace) {
  Fixture f(300);
  Buffer& s = f.m.buffers[scratch_id];
  s.extent = {f.size()};
  s.workspace_offset = make_int(Int(64), 256);
  s.bytes = make_cast(Int(64), f.size()) * 4;
  f.m.workspace_bytes = s.bytes + 256;
  Kernel& first = f.kernel(make_if(f.at() < f.size(), f.store(scratch_id, f.at(), f.load(in_id, f.at()))));
  first.buffers = {in_id, scratch_id};
  first.written = {scratch_id};
  Kernel& second = f.kernel(make_if(f.at() < f.size(), f.store(out_id, f.at(), f.load(scratch_id, f.size() - 1 - f.at()))));
  second.buffers = {scratch_id, out_id};
  f.run();
  EXPECT_EQ(f.out[0], 299.f);
  std::swap(f.m.kernels[0], f.m.kernels[1]);
  f.m.entry = nullptr;
  f.expect(Fault::Uninitialised, "`scratch`(");
}

TEST(Emulate, UninitialisedSharedAndRegister) {
  Fixture f(64);
  f.kernel(make_seq({make_if(f.t() < i32(63), f.store(tile_id, f.t(), f.load(in_id, f.t()))), f.barrier(),
                     f.store(out_id, f.t(), f.load(tile_id, f.t(), 50))}));
  f.shared(64);
  f.expect(Fault::Uninitialised, "user.cpp:50: uninitialised read: `tile`[63] (shared memory)");

  Fixture g(64);
  g.kernel(make_seq({g.store(reg_id, i32(0), g.load(in_id, g.t())), g.store(out_id, g.t(), g.load(reg_id, i32(1), 51))}))
      .allocations.push_back({reg_id, Float(32), Memory::Register, 0, 2});
  g.expect(Fault::Uninitialised, "`acc`[1] (registers)");

  Fixture h(64);
  h.kernel(make_seq({h.store(reg_id, i32(0), h.load(in_id, h.t())), h.store(out_id, h.t(), h.load(reg_id, i32(2)))}))
      .allocations.push_back({reg_id, Float(32), Memory::Register, 0, 2});
  h.expect(Fault::OutOfBounds, "`acc`[2]");
}

TEST(Emulate, SharedMemoryDoesNotOutliveItsBlock) {
  Fixture f(128);
  f.kernel(make_seq({make_if(equal(f.b(), i32(0)), f.store(tile_id, f.t(), f.load(in_id, f.t()))), f.barrier(),
                     f.store(out_id, f.at(), f.load(tile_id, f.t()))}));
  f.shared(64);
  f.expect(Fault::Uninitialised, "`tile`[");
}

TEST(Emulate, DivergentBarriers) {
  Fixture f(64);
  f.kernel(make_seq({make_if(f.t() < i32(40), f.barrier(60)), f.store(out_id, f.t(), f.load(in_id, f.t()))}));
  f.expect(Fault::Divergence, "user.cpp:60: divergence: a barrier is reached by 40 of 64 threads: thread 0 waits at barrier (user.cpp:60), thread 40 is done");

  Fixture g(64);
  g.kernel(make_seq({make_if(g.t() < i32(40), g.barrier(61), g.barrier(62)), g.store(out_id, g.t(), g.load(in_id, g.t()))}));
  g.expect(Fault::Divergence, "different barriers");
}

TEST(Emulate, BarriersInLoops) {
  Fixture f(64);
  const Sym i = make_sym("i");
  // Passes values round the block, one thread further each time.
  const Stmt body = make_seq({f.store(reg_id, i32(0), f.load(tile_id, (f.t() + 1) % 64)), f.barrier(), f.store(tile_id, f.t(), f.load(reg_id, i32(0))), f.barrier()});
  f.kernel(make_seq({f.store(tile_id, f.t(), f.load(in_id, f.t())), f.barrier(), make_for(i, i32(0), i32(5), LoopKind::Serial, body),
                     f.store(out_id, f.t(), f.load(tile_id, f.t()))}))
      .allocations.push_back({reg_id, Float(32), Memory::Register, 0, 1});
  f.shared(64);
  EXPECT_EQ(f.run().barriers, 11);
  EXPECT_EQ(f.out[62], 3.f);
}

TEST(Emulate, Shuffles) {
  Fixture f(64);
  const Expr from = make_binary(Op::BitXor, f.t() % 32, i32(5));
  f.kernel(f.store(out_id, f.t(), make_binary(Op::Add, make_shuffle(f.load(in_id, f.t()), from), make_float(Float(32), 100))));
  f.run();
  for (int t = 0; t < 64; ++t) EXPECT_EQ(f.out[static_cast<size_t>(t)], static_cast<float>(t / 32 * 32 + (t % 32 ^ 5)) + 100);

  Fixture g(64);
  g.kernel(make_seq({make_if(g.t() < i32(8), g.store(out_id, g.t(), make_shuffle(g.load(in_id, g.t()), i32(0))))}));
  g.expect(Fault::Divergence, "a shuffle is reached by 8 of 32 threads");
}

TEST(Emulate, VectorsMasksAndAlignment) {
  const auto body = [](Fixture& f, int64_t offset, int64_t claim) {
    const Expr index = make_ramp(f.at() * 4 + offset, i32(1), 4);
    const Expr mask = make_binary(Op::LT, index, make_broadcast(f.size(), 4));
    const Expr value = make_load(in_id, Float(32, 4), index, mask, claim, CachePolicy::Stream, Loc{"user.cpp", 70});
    return std::make_shared<StoreStmt>(out_id, index, value, mask, claim, CachePolicy::Stream, Loc{"user.cpp", 71});
  };
  Fixture f(1001);
  f.kernel(body(f, 0, 1));
  f.run();
  EXPECT_EQ(f.in, f.out);

  Fixture g(1001);
  g.kernel(body(g, 1, 4));
  g.expect(Fault::Misaligned, "user.cpp:70: misaligned access: `in`(");
}

TEST(Emulate, ExactElementsOfAPaddedTensor) {
  Fixture f(64);
  // 8 rows of 6 with a stride of 8: indices 6 and 7 lie in the span, but are no elements.
  f.m.buffers[in_id].extent = {i32(6), i32(8)};
  f.m.buffers[in_id].stride = {make_int(Int(64), 1), make_int(Int(64), 8)};
  f.kernel(f.store(out_id, f.t(), f.load(in_id, min(f.t(), i32(8)), 80)));
  f.expect(Fault::OutOfBounds, "user.cpp:80: out of bounds: `in`[");
}

TEST(Emulate, OverflowAndChecks) {
  Fixture f(64);
  f.kernel(f.store(out_id, f.t(), make_cast(Float(32), make_binary(Op::Mul, f.t() + 1, i32(INT32_MAX), Loc{"user.cpp", 90}))));
  f.expect(Fault::Overflow, "user.cpp:90: overflow: Mul of ");

  Fixture g(64);
  g.m.entry = std::make_shared<CheckStmt>("input `in`, dimension 0: extent", g.size(), i32(100), CheckStmt::AtLeast);
  try {
    g.run();
    FAIL() << "the check held";
  } catch (const RuntimeError& e) {
    EXPECT_THAT(e.what(), HasSubstr("input `in`, dimension 0: extent"));
  }
}

TEST(Emulate, WhatHasNoExecutionYetSaysSo) {
  Fixture f(64);
  f.kernel(std::make_shared<SyncStmt>(SyncKind::MbarrierWait, std::vector<Expr>{i32(0), i32(0)}, Loc{"user.cpp", 5}));
  try {
    f.run();
    FAIL() << "accepted";
  } catch (const UserError& e) {
    EXPECT_EQ(e.code(), ErrorCode::NotExecutable);  // E0405
    EXPECT_EQ(e.diagnostic().loc.line, 5);
    EXPECT_THAT(e.what(), HasSubstr("mbarrier.wait"));
  }
}

TEST(Emulate, RolesWithNamedBarriers) {
  Fixture f(64);
  const auto named = [](int64_t id) { return std::make_shared<SyncStmt>(SyncKind::Barrier, std::vector<Expr>{i32(id), i32(64)}); };
  Kernel& k = f.kernel(make_seq({f.store(tile_id, f.t(), f.load(in_id, f.t())), named(1)}));
  k.roles[0].warps = 1;
  k.roles.push_back({"consumer", 1, 1, 0, make_seq({named(1), f.store(out_id, f.t(), f.load(tile_id, f.t() - 32))})});
  f.shared(32);
  f.run({.check_coverage = false});
  EXPECT_EQ(f.out[40], 8.f);
}

TEST(Emulate, AMillionElementsInSeconds) {
  Fixture f(1 << 20, 256);
  f.kernel(stencil(f, true));
  f.shared(f.threads + 1);
  const auto start = std::chrono::steady_clock::now();
  f.run();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%.2f s\n", seconds);
  EXPECT_LT(seconds, 30);
}

}  // namespace
}  // namespace sinter::codegen
