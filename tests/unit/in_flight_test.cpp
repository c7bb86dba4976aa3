// What explain() says is in flight, on kernels written by hand: each rule of
// scheduler/report/in_flight.h.
#include "scheduler/report/in_flight.h"

#include <gtest/gtest.h>

namespace sinter::scheduler {
namespace {

using namespace ir;

constexpr int in_id = 0, out_id = 1, tile_id = 2, reg_id = 3;
constexpr int64_t kWidth = 4096, kHeight = 512;

// A picture in, one out, a tile in shared memory and an array in registers; a block of 64 threads
// computes 64 points of a row.
struct Fixture {
  Module m;
  Sym block = make_sym("block"), thread = make_sym("thread"), row = make_sym("in.stride1");
  SymMap<int64_t> sizes;
  int registers = 0;

  Fixture() {
    m.program.name = "test";
    const char* const names[] = {"in", "out", "tile", "acc"};
    for (int id = 0; id < 4; ++id) {
      FuncDef f;
      f.name = names[id];
      f.type = Float(32);
      Buffer b;
      b.func = id;
      b.name = f.name;
      b.type = f.type;
      if (id <= out_id) {
        b.is_argument = true;
        b.base = make_sym(f.name + ".base", UInt(64));
        for (int64_t n : {kWidth, kHeight}) {
          f.extent.push_back(make_sym(f.name + ".extent"));
          f.stride.push_back(make_sym(f.name + ".stride", Int(64)));
          sizes[f.extent.back().get()] = n;
        }
      }
      m.program.funcs.push_back(f);
      m.buffers.push_back(b);
    }
  }

  Expr t() { return make_var(thread); }
  Expr x() { return make_var(block) % 64 * 64 + t(); }
  Expr y() { return make_var(block) / 64; }
  Expr at(const Expr& x, const Expr& y) { return y * make_var(row) + x; }
  Expr load(int id, Expr index) { return make_load(id, Float(32), std::move(index)); }
  Stmt store(int id, Expr index, Expr value) {
    return std::make_shared<StoreStmt>(id, std::move(index), std::move(value));
  }
  Stmt seq(std::vector<Stmt> s) { return std::make_shared<SeqStmt>(std::move(s)); }

  int64_t bytes(const Stmt& body) {
    Kernel k;
    k.name = "k";
    k.block = block;
    k.thread = thread;
    k.threads = 64;
    k.buffers = {in_id, out_id};
    k.scalars = {row};
    for (int id : {tile_id, reg_id}) {
      Allocation a;
      a.buffer = id;
      a.type = Float(32);
      a.memory = id == tile_id ? Memory::Shared : Memory::Register;
      a.elements = 64;
      k.allocations.push_back(a);
    }
    Role r;
    r.body = body;
    k.roles = {r};
    m.kernels = {k};
    const Stmt launch = std::make_shared<LaunchStmt>(0, make_int(Int(64), kWidth / 64 * kHeight));
    m.entry = std::make_shared<LetStmt>(
        row, make_cast(Int(32), make_var(m.program.funcs[in_id].stride[1])), launch);
    const InFlight f = measure_in_flight(m, 0, sizes, registers);
    EXPECT_EQ(f.blocks, kWidth / 64 * kHeight);
    return f.bytes_per_block;
  }
};

TEST(InFlight, OneElementOfEachThread) {
  Fixture f;
  EXPECT_EQ(f.bytes(f.store(out_id, f.at(f.x(), f.y()), f.load(in_id, f.at(f.x(), f.y())))),
            64 * 4);
}

TEST(InFlight, AVectorOfEachThread) {
  Fixture f;
  const Expr ramp = make_ramp(f.at(f.t() * 4, f.y()), make_int(Int(32), 1), 4);
  EXPECT_EQ(f.bytes(f.store(out_id, ramp, make_load(in_id, Float(32, 4), ramp))), 64 * 16);
}

TEST(InFlight, WhatAllThreadsReadIsOneSector) {
  Fixture f;
  EXPECT_EQ(f.bytes(f.store(out_id, f.at(f.x(), f.y()),
                            f.load(in_id, f.at(make_int(Int(32), 0), f.y())))),
            32);
}

TEST(InFlight, ScatteredElementsAreWholeSectors) {
  Fixture f;
  EXPECT_EQ(f.bytes(f.store(out_id, f.at(f.x(), f.y()), f.load(in_id, f.at(f.t() * 16, f.y())))),
            64 * 32);
}

TEST(InFlight, NeighboursOfAStencilShareSectors) {
  Fixture f;
  const Expr sum = f.load(in_id, f.at(f.x(), f.y())) + f.load(in_id, f.at(f.x() + 1, f.y())) +
                   f.load(in_id, f.at(f.x(), f.y() + 1));
  EXPECT_EQ(f.bytes(f.store(out_id, f.at(f.x(), f.y()), sum)), 64 * 4 + 32 + 64 * 4);
}

TEST(InFlight, AStoreWaitsForItsValue) {
  Fixture f;
  std::vector<Stmt> s;
  for (int i = 0; i < 4; ++i)
    s.push_back(f.store(out_id, f.at(f.x(), f.y() + i), f.load(in_id, f.at(f.x(), f.y() + i))));
  EXPECT_EQ(f.bytes(f.seq(s)), 64 * 4);
}

TEST(InFlight, LoadsBeforeTheirUsesAreInFlightTogether) {
  Fixture f;
  std::vector<Sym> v;
  std::vector<Stmt> s;
  for (int i = 0; i < 4; ++i) {
    v.push_back(make_sym("v" + std::to_string(i), Float(32)));
    s.push_back(f.store(out_id, f.at(f.x(), f.y() + i), make_var(v.back())));
  }
  Stmt body = f.seq(s);
  for (int i = 3; i >= 0; --i)
    body = std::make_shared<LetStmt>(v[i], f.load(in_id, f.at(f.x(), f.y() + i)), body);
  EXPECT_EQ(f.bytes(body), 4 * 64 * 4);
  f.registers = 16;
  EXPECT_EQ(f.bytes(body), 4 * 64 * 4) << "room for one vector there always is";
}

TEST(InFlight, ValuesKeptInRegistersAreNotWaitedFor) {
  Fixture f;
  std::vector<Stmt> s;
  for (int i = 0; i < 4; ++i)
    s.push_back(f.store(reg_id, make_int(Int(32), i),
                        f.load(in_id, f.at(f.x(), f.y() + i)) * make_const(Float(32), 2)));
  s.push_back(f.store(out_id, f.at(f.x(), f.y()), f.load(reg_id, make_int(Int(32), 3))));
  s.push_back(f.store(out_id, f.at(f.x(), f.y() + 1), f.load(in_id, f.at(f.x(), f.y() + 9))));
  EXPECT_EQ(f.bytes(f.seq(s)), 4 * 64 * 4);
}

TEST(InFlight, MoreThanTheRegistersWaits) {
  Fixture f;
  std::vector<Stmt> s;
  for (int i = 0; i < 32; ++i)
    s.push_back(f.store(reg_id, make_int(Int(32), i), f.load(in_id, f.at(f.x(), f.y() + i))));
  EXPECT_EQ(f.bytes(f.seq(s)), 32 * 64 * 4);
  f.registers = 24;  // eight for loads
  EXPECT_EQ(f.bytes(f.seq(s)), 8 * 64 * 4);
}

TEST(InFlight, ALoopsIterationIsWaitedFor) {
  Fixture f;
  const Sym i = make_sym("i");
  const Stmt body =
      f.store(reg_id, make_int(Int(32), 0),
              f.load(reg_id, make_int(Int(32), 0)) + f.load(in_id, f.at(f.x(), make_var(i))));
  const Stmt loop = std::make_shared<ForStmt>(i, make_int(Int(32), 0), make_int(Int(32), 100),
                                              Expr(), LoopKind::Serial, f.seq({body, body}));
  EXPECT_EQ(f.bytes(f.seq({loop, loop})), 64 * 4);
}

TEST(InFlight, AnAddressWaitsAndAGatherSharesNothing) {
  Fixture f;
  const Expr gathered = f.load(in_id, make_cast(Int(32), f.load(in_id, f.at(f.x(), f.y()))));
  EXPECT_EQ(f.bytes(f.store(out_id, f.at(f.x(), f.y()), gathered)), 64 * 32);
}

TEST(InFlight, OnlyThreadsThatAreThere) {
  Fixture f;
  const Stmt some = f.store(tile_id, f.t(), f.load(in_id, f.at(f.x(), f.y())));
  EXPECT_EQ(
      f.bytes(std::make_shared<IfStmt>(make_binary(Op::LT, f.t(), make_int(Int(32), 16)), some)),
      16 * 4);
  EXPECT_EQ(f.bytes(std::make_shared<IfStmt>(make_binary(Op::LT, f.t(), make_int(Int(32), 16)),
                                             f.seq({}), some)),
            48 * 4);
  EXPECT_EQ(
      f.bytes(std::make_shared<IfStmt>(make_binary(Op::LT, f.t(), make_int(Int(32), 0)), some)), 0);
}

}  // namespace
}  // namespace sinter::scheduler
