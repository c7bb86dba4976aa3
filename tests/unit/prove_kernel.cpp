// Proofs of kernels made by hand: tile statements with layouts, barriers, registers, limits.
#include <gtest/gtest.h>

#include "ir/diagnostic.h"
#include "scheduler/layout/fixed_layout.h"
#include "scheduler/lower/kernel/draft.h"
#include "scheduler/prove/obligations.h"
#include "scheduler/prove/prover.h"

namespace sinter::scheduler {
namespace {

using namespace ir;

// Func 0 is an Input, 1 and 2 are stored in the block, 3 is the output; all of two dimensions.
struct Made {
  Program program;
  KernelDraft kernel;
  static constexpr int64_t kW = 32, kH = 8;

  Made() {
    program.name = "p";
    for (const char* name : {"in", "f", "g", "out"}) {
      FuncDef def;
      def.name = name;
      def.type = Float(32);
      def.kind = program.funcs.empty() ? FuncKind::Input : FuncKind::Computed;
      for (const char* d : {"x", "y"}) {
        def.dims.push_back(make_sym(d));
        def.extent.push_back(make_sym(std::string(name) + "." + d));
        def.stride.push_back(make_sym("s", Int(64)));
      }
      def.fixed_extent.resize(2);
      def.fixed_stride.resize(2);
      def.loc = Loc::here();
      program.funcs.push_back(def);
    }
    program.args = {{Argument::Kind::Input, 0}, {Argument::Kind::Output, 3}};
    kernel.name = "k";
    kernel.threads = 64;
    kernel.block = make_sym("block");
    kernel.thread = make_sym("thread");
    kernel.lane = make_sym("lane");
    kernel.warp = make_sym("warp");
  }

  void store(FuncId f, Memory m, int64_t w = kW, int64_t h = kH, int64_t offset = 0) {
    KernelStorage s;
    s.func = f;
    s.type = Float(32);
    s.memory = m;
    s.region = {{i32(0), i32(w - 1), i32(w)}, {i32(0), i32(h - 1), i32(h)}};
    s.offset = offset;
    s.loc = Loc::here();
    s.layout = blocked(w, h);
    kernel.storage[f] = s;
  }
  Layout blocked(int64_t w = kW, int64_t h = kH) const { return fixed_layout({w, h}, std::vector<LoopHints>(2), kernel.threads, 1); }

  // The values that a body may use: x, y of the tile.
  using Point = std::function<Stmt(const Expr& x, const Expr& y)>;
  static Stmt tile(const Layout& l, const Point& body, int64_t w = kW, int64_t h = kH, std::vector<Expr> live = {Expr(), Expr()}) {
    const Sym x = make_sym("x"), y = make_sym("y");
    const Stmt b = body(make_var(x), make_var(y));
    const auto* p = as<ProvideStmt>(b);
    return std::make_shared<TileStmt>(TileOp::Map, p ? p->func : -1, p ? p->stage : 0, std::vector<Sym>{x, y}, std::vector<int64_t>{w, h}, std::move(live), l, b, Loc::here());
  }
  static Stmt put(FuncId f, const Expr& x, const Expr& y, const Expr& value, int stage = 0) {
    return std::make_shared<ProvideStmt>(f, stage, std::vector<Expr>{x, y}, value, Loc::here());
  }
  static Expr get(FuncId f, const Expr& x, const Expr& y) { return make_call(f, Float(32), {x, y}, Loc::here()); }
  static Stmt barrier() { return std::make_shared<SyncStmt>(SyncKind::Barrier, std::vector<Expr>{}, Loc::here()); }

  // f = in at each point; out = f at `at`.
  Stmt produce(FuncId f, const Layout& l) const {
    return tile(l, [=](const Expr& x, const Expr& y) { return put(f, x, y, get(0, x, y)); });
  }
  Stmt consume(FuncId f, const Layout& l, std::function<std::pair<Expr, Expr>(Expr, Expr)> at) const {
    return tile(l, [=](const Expr& x, const Expr& y) {
      const auto [u, v] = at(x, y);
      return put(3, x, y, get(f, u, v));
    });
  }
};

std::pair<Expr, Expr> same(Expr x, Expr y) { return {x, y}; }
std::pair<Expr, Expr> beside(Expr x, Expr y) { return {min(x + 1, i32(Made::kW - 1)), y}; }

void expect_proved(const Made& m) {
  const std::unique_ptr<Prover> prover = make_prover();
  ProofReport report;
  try {
    prove_kernel(m.program, m.kernel, Target::parse("cuda-sm_90a"), *prover, report);
  } catch (const UserError& e) {
    ADD_FAILURE() << e.what();
  }
  for (const Obligation& o : report.obligations) EXPECT_EQ(o.verdict, Verdict::Proved) << o.kind << ": " << o.claim;
}
void expect_refuted(const Made& m, ErrorCode code, const std::vector<std::string>& words) {
  const std::unique_ptr<Prover> prover = make_prover();
  ProofReport report;
  try {
    prove_kernel(m.program, m.kernel, Target::parse("cuda-sm_90a"), *prover, report);
    FAIL() << "proved:\n" << report.table();
  } catch (const UserError& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(e.diagnostic().counterexample, "") << e.what();
    for (const std::string& w : words) EXPECT_NE(std::string(e.what()).find(w), std::string::npos) << w << " is not in\n" << e.what();
  }
}

TEST(ProveKernel, SharedMemoryNeedsABarrierUnlessPointsAreOwn) {
  Made m;
  m.store(1, Memory::Shared);
  m.kernel.body = make_seq({m.produce(1, m.blocked()), m.consume(1, m.blocked(), same)});
  expect_proved(m);
  m.kernel.body = make_seq({m.produce(1, m.blocked()), m.consume(1, m.blocked(), beside)});
  expect_refuted(m, ErrorCode::Race, {"`f`", "is stored by thread", "read by thread", "prove_kernel.cpp"});
  m.kernel.body = make_seq({m.produce(1, m.blocked()), Made::barrier(), m.consume(1, m.blocked(), beside)});
  expect_proved(m);
  m.kernel.body = make_seq({m.produce(1, m.blocked()), m.consume(1, flat_layout(64, 4), same)});
  expect_refuted(m, ErrorCode::Race, {"is stored by thread", "read by thread"});
}

TEST(ProveKernel, FlatStatementsOwnTheSamePointsOnlyWhenTheyGoTheSameWay) {
  Made m;
  m.store(1, Memory::Shared);
  const Expr n = make_var(m.program.funcs[3].extent[0]);
  const auto pair = [&](Expr first, Expr second) {
    m.kernel.body = make_seq({Made::tile(flat_layout(64, 4), [](const Expr& x, const Expr& y) { return Made::put(1, x, y, Made::get(0, x, y)); }, Made::kW, Made::kH, {first, Expr()}),
                              Made::tile(flat_layout(64, 4), [](const Expr& x, const Expr& y) { return Made::put(3, x, y, Made::get(1, x, y)); }, Made::kW, Made::kH, {second, Expr()})});
  };
  pair(n, n);
  expect_proved(m);
  // One in vectors of 4, the other point by point: other owners.
  pair(Expr(), n);
  expect_refuted(m, ErrorCode::Race, {"`f`"});
}

TEST(ProveKernel, SerialLoopsWrapAround) {
  Made m;
  m.store(1, Memory::Shared);
  const Sym i = make_sym("i");
  const auto loop = [&](std::vector<Stmt> body) { m.kernel.body = make_for(i, i32(0), i32(10), LoopKind::Serial, make_seq(std::move(body))); };
  loop({m.produce(1, m.blocked()), Made::barrier(), m.consume(1, m.blocked(), beside)});
  expect_refuted(m, ErrorCode::Race, {"`f`", "is read by thread", "stored by thread"});
  loop({m.produce(1, m.blocked()), Made::barrier(), m.consume(1, m.blocked(), beside), Made::barrier()});
  expect_proved(m);
  // Two slots, taken in turn, need only one barrier.
  m.store(1, Memory::Shared, Made::kW, 2 * Made::kH);
  const Expr slot = make_var(i) % 2 * Made::kH;
  loop({Made::tile(m.blocked(), [&](const Expr& x, const Expr& y) { return Made::put(1, x, slot + y, Made::get(0, x, y)); }), Made::barrier(),
        Made::tile(m.blocked(), [&](const Expr& x, const Expr& y) { return Made::put(3, x, y, Made::get(1, min(x + 1, i32(31)), slot + y)); })});
  expect_proved(m);
  // Three of them after one another do not fit two slots.
  const Expr stuck = make_var(i) / 2 % 2 * Made::kH;
  loop({Made::tile(m.blocked(), [&](const Expr& x, const Expr& y) { return Made::put(1, x, stuck + y, Made::get(0, x, y)); }), Made::barrier(),
        Made::tile(m.blocked(), [&](const Expr& x, const Expr& y) { return Made::put(3, x, y, Made::get(1, min(x + 1, i32(31)), stuck + y)); })});
  expect_refuted(m, ErrorCode::Race, {"`f`"});
}

TEST(ProveKernel, BytesThatTwoFuncsShare) {
  Made m;
  m.store(1, Memory::Shared);
  m.store(2, Memory::Shared, Made::kW, Made::kH, 512);  // the second half of f
  m.kernel.body = make_seq({m.produce(1, m.blocked()), Made::barrier(), m.consume(1, m.blocked(), beside), m.produce(2, m.blocked())});
  expect_refuted(m, ErrorCode::Race, {"shared bytes of `f` and `g`"});
  m.kernel.body = make_seq({m.produce(1, m.blocked()), Made::barrier(), m.consume(1, m.blocked(), beside), Made::barrier(), m.produce(2, m.blocked())});
  expect_proved(m);
}

TEST(ProveKernel, UpdatesOfOnePointBelongToOneThread) {
  Made m;
  m.store(1, Memory::Shared);
  const auto add = [](const Expr& x, const Expr& y) { return Made::put(1, x, y, make_binary(Op::Add, Made::get(1, x, y), Made::get(0, x, y)), 1); };
  m.kernel.body = make_seq({m.produce(1, m.blocked()), Made::tile(m.blocked(), add)});
  expect_proved(m);
  Layout twice = m.blocked();
  twice.warp = {{2, 1, 0}};
  twice.reg = {{8, 1, 1}};
  m.kernel.body = make_seq({m.produce(1, m.blocked()), Made::barrier(), Made::tile(twice, add)});
  expect_refuted(m, ErrorCode::Race, {"thread 0", "thread 32"});
  // The pure definition may be stored by both: the values are equal.
  m.kernel.body = make_seq({m.produce(1, twice), Made::barrier(), m.consume(1, m.blocked(), beside)});
  expect_proved(m);
}

TEST(ProveKernel, BlocksDoNotMeetInGlobalMemory) {
  Made m;
  const auto blocks = [&](int64_t step) {
    const Sym xo = make_sym("xo");
    const Stmt t = Made::tile(m.blocked(), [&](const Expr& x, const Expr& y) {
      const Expr at = make_var(xo) * step + x;
      return Made::put(3, at, y, make_binary(Op::Add, Made::get(3, at, y), Made::get(0, at, y)), 1);
    });
    m.kernel.block_loops = {{xo, i32(0), i32(100)}};
    m.kernel.body = make_let(xo, make_var(m.kernel.block), t);
  };
  blocks(32);
  expect_proved(m);
  blocks(24);
  expect_refuted(m, ErrorCode::Race, {"`out`", "block (", "out("});
}

TEST(ProveKernel, BarriersAreReachedByAll) {
  Made m;
  m.store(1, Memory::Shared);
  const Expr t = make_var(m.kernel.thread);
  m.kernel.body = make_seq({m.produce(1, m.blocked()), make_if(t < i32(40), Made::barrier()), m.consume(1, m.blocked(), same)});
  expect_refuted(m, ErrorCode::DivergentBarrier, {"thread 0", "differs between"});
  m.kernel.body = make_seq({m.produce(1, m.blocked()), make_for(make_sym("i"), i32(0), t / 32, LoopKind::Serial, Made::barrier()), m.consume(1, m.blocked(), same)});
  expect_refuted(m, ErrorCode::DivergentBarrier, {"differs between"});
  // A value that is loaded from an Input at a place of the block is the same for all.
  const Expr data = make_binary(Op::LT, Made::get(0, i32(0), i32(0)), make_float(Float(32), 1));
  m.kernel.body = make_seq({m.produce(1, m.blocked()), make_if(data, Made::barrier()), m.consume(1, m.blocked(), same)});
  expect_proved(m);
  // One read from what the threads store is not.
  const Expr stored = make_binary(Op::LT, Made::get(1, i32(0), i32(0)), make_float(Float(32), 1));
  m.kernel.body = make_seq({m.produce(1, m.blocked()), make_if(stored, Made::barrier()), m.consume(1, m.blocked(), same)});
  expect_refuted(m, ErrorCode::DivergentBarrier, {"f(0, 0)"});
}

TEST(ProveKernel, RegistersBelongToThreads) {
  Made m;
  m.store(1, Memory::Register);
  m.kernel.body = make_seq({m.produce(1, m.blocked()), m.consume(1, m.blocked(), same)});
  expect_proved(m);
  m.kernel.body = make_seq({m.produce(1, m.blocked()), m.consume(1, m.blocked(), beside)});
  expect_refuted(m, ErrorCode::NotOwned, {"`f`", "reads element", "holds", "store_in(MemoryType::Shared)"});
  m.kernel.body = make_seq({m.produce(1, flat_layout(64, 4)), m.consume(1, m.blocked(), same)});
  expect_refuted(m, ErrorCode::NotOwned, {"`f`", "stores element"});
  // Along a dimension that every thread holds whole, neighbours are its own.
  Layout columns = m.blocked(Made::kW, Made::kH);
  columns.lane = {{32, 0, 1}};
  columns.warp = {{2, -1, 1}};
  columns.reg = {{8, 1, 1}};
  m.kernel.storage[1].layout = columns;
  m.kernel.body = make_seq({m.produce(1, columns), m.consume(1, columns, [](Expr x, Expr y) { return std::pair{x, min(y + 1, i32(7))}; })});
  expect_proved(m);
  // A position that is not known while compiling.
  const Sym i = make_sym("i");
  m.kernel.body = make_seq({m.produce(1, columns), make_for(i, i32(0), i32(8), LoopKind::Serial, m.consume(1, columns, [&](Expr x, Expr) { return std::pair{x, make_var(i)}; }))});
  expect_refuted(m, ErrorCode::CrossThreadRegister, {"`f`", "varies with `i`"});
}

TEST(ProveKernel, WhatATargetHas) {
  Made m;
  m.kernel.body = m.produce(3, m.blocked());
  m.kernel.threads = 1056;
  expect_refuted(m, ErrorCode::TooManyThreads, {"1056", "1024"});
  m.kernel.threads = 64;
  m.store(1, Memory::Shared, 256, 256);
  m.kernel.body = m.produce(1, m.blocked());
  expect_refuted(m, ErrorCode::TooMuchShared, {"`f`: 262144 bytes", "kernel `k`"});
  m.store(1, Memory::Register, 256, 128);
  m.kernel.body = m.produce(3, m.blocked());
  expect_refuted(m, ErrorCode::TooManyRegisters, {"`f`: 512 registers"});
}

}  // namespace
}  // namespace sinter::scheduler
