// Modules written by hand in final form, for tests of the code generators.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel.h"

namespace sinter::test {

// Collects buffers, parameters and kernels; arguments in the order of the calls.
struct ModuleBuilder {
  ir::Module m;

  ModuleBuilder(const std::string& name, const char* target) {
    m.program.name = name;
    m.target = ir::Target::parse(target);
  }

  int tensor(const std::string& name, ir::Type type, int rank, bool output = false) {
    ir::FuncDef f;
    f.name = name;
    f.kind = output ? ir::FuncKind::Computed : ir::FuncKind::Input;
    f.type = type;
    ir::Buffer b;
    b.func = static_cast<int>(m.buffers.size());
    b.name = name;
    b.type = type;
    b.is_argument = true;
    b.is_output = output;
    b.base = ir::make_sym(name + ".base", ir::UInt(64));
    m.args.slots.push_back(b.base);
    for (int d = 0; d < rank; ++d) {
      f.dims.push_back(ir::make_sym("d" + std::to_string(d)));
      f.extent.push_back(ir::make_sym(name + ".extent" + std::to_string(d)));
      b.extent.push_back(ir::make_var(f.extent.back()));
      b.min.push_back(ir::i32(0));
      m.args.slots.push_back(f.extent.back());
    }
    for (int d = 0; d < rank; ++d) {
      f.stride.push_back(ir::make_sym(name + ".stride" + std::to_string(d), ir::Int(64)));
      b.stride.push_back(ir::make_var(f.stride.back()));
      m.args.slots.push_back(f.stride.back());
    }
    m.program.funcs.push_back(f);
    m.buffers.push_back(b);
    m.program.args.push_back({output ? ir::Argument::Kind::Output : ir::Argument::Kind::Input, b.func});
    return b.func;
  }

  // A buffer that is no argument: registers, shared memory, scratch.
  int local(const std::string& name, ir::Type type) {
    ir::FuncDef f;
    f.name = name;
    f.type = type;
    ir::Buffer b;
    b.func = static_cast<int>(m.buffers.size());
    b.name = name;
    b.type = type;
    m.program.funcs.push_back(f);
    m.buffers.push_back(b);
    return b.func;
  }

  ir::Sym param(const std::string& name, ir::Type type) {
    const ir::Sym s = ir::make_sym(name, type);
    m.program.args.push_back({ir::Argument::Kind::Param, static_cast<int>(m.program.params.size())});
    m.program.params.push_back({name, s, {}});
    m.args.slots.push_back(s);
    return s;
  }

  ir::Expr extent(int buffer, int d = 0) const { return m.buffers[static_cast<size_t>(buffer)].extent[static_cast<size_t>(d)]; }
  ir::Sym extent_sym(int buffer, int d = 0) const { return extent(buffer, d)->var; }

  ir::Kernel& kernel(const std::string& name, int threads) {
    ir::Kernel k;
    k.name = name;
    k.block = ir::make_sym("block");
    k.thread = ir::make_sym("thread");
    k.threads = threads;
    m.kernels.push_back(k);
    return m.kernels.back();
  }
  static void body(ir::Kernel& k, ir::Stmt s) {
    ir::Role r;
    r.warps = (k.threads + 31) / 32;
    r.body = std::move(s);
    k.roles = {r};
  }
};

inline ir::Stmt store(int buffer, ir::Expr index, ir::Expr value, int64_t align = 0, ir::CachePolicy c = {}) {
  return std::make_shared<ir::StoreStmt>(buffer, std::move(index), std::move(value), ir::Expr(), align, c);
}
inline ir::Expr dense(ir::Expr base, int lanes) { return ir::make_ramp(std::move(base), ir::i32(1), lanes); }

// y = a * x + y for n elements: four at a time, then a tail of single elements.
inline ir::Module saxpy_cuda(const char* target, ir::CachePolicy policy = {}) {
  ModuleBuilder b("saxpy", target);
  const int x = b.tensor("x", ir::Float(32), 1);
  const ir::Sym a = b.param("a", ir::Float(32));
  const int y = b.tensor("y", ir::Float(32), 1);
  const int out = b.tensor("out", ir::Float(32), 1, true);
  const ir::Expr n = b.extent(x);
  ir::Kernel& k = b.kernel("saxpy_kernel", 256);
  const ir::Expr first = (ir::make_var(k.block) * 256 + ir::make_var(k.thread)) * 4;
  const auto value = [&](const ir::Expr& index, int lanes, int64_t align) {
    const ir::Type t = ir::Float(32, lanes);
    const ir::Expr factor = ir::make_broadcast(ir::make_var(a), lanes);
    return ir::make_binary(ir::Op::Add, ir::make_binary(ir::Op::Mul, factor, ir::make_load(x, t, index, {}, align, policy)),
                           ir::make_load(y, t, index, {}, align, policy));
  };
  std::vector<ir::Stmt> tail;
  for (int i = 0; i < 4; ++i) tail.push_back(ir::make_if(first + i < n, store(out, first + i, value(first + i, 1, 0))));
  ModuleBuilder::body(k, ir::make_if(first + 4 <= n, store(out, dense(first, 4), value(dense(first, 4), 4, 4), 4, policy), ir::make_seq(tail)));
  k.fast = true;
  k.buffers = {x, y, out};
  k.written = {out};
  k.scalars = {a, b.extent_sym(x)};
  b.m.entry = std::make_shared<ir::LaunchStmt>(0, ir::make_cast(ir::Int(64), ir::ceil_div(n, 1024)));
  return b.m;
}

// out = bf16(f32(x) * 2 + 1), eight elements a thread; n is a multiple of 2048.
inline ir::Module narrow_cuda(const char* target, ir::Type narrow = ir::BFloat(16)) {
  ModuleBuilder b("narrow", target);
  const int x = b.tensor("x", narrow, 1);
  const int out = b.tensor("out", narrow, 1, true);
  ir::Kernel& k = b.kernel("narrow_kernel", 256);
  const ir::Expr index = dense((ir::make_var(k.block) * 256 + ir::make_var(k.thread)) * 8, 8);
  const ir::Type wide = ir::Float(32, 8);
  const ir::Expr v = ir::make_cast(wide, ir::make_load(x, narrow.with_lanes(8), index, {}, 8));
  const ir::Expr r = ir::make_binary(ir::Op::Add, ir::make_binary(ir::Op::Mul, v, ir::make_float(wide, 2)), ir::make_float(wide, 1));
  ModuleBuilder::body(k, store(out, index, ir::make_cast(narrow.with_lanes(8), r), 8));
  k.fast = true;
  k.buffers = {x, out};
  k.written = {out};
  b.m.entry = std::make_shared<ir::LaunchStmt>(0, ir::make_cast(ir::Int(64), b.extent(x) / 2048));
  return b.m;
}

// out(i) = (in(i) + in(i+1) + in(i+2)) / 3 through shared memory and registers; n is a multiple of 256.
inline ir::Module stencil_cuda(const char* target) {
  ModuleBuilder b("stencil", target);
  const int in = b.tensor("in", ir::Float(32), 1);
  const int out = b.tensor("out", ir::Float(32), 1, true);
  const int tile = b.local("tile", ir::Float(32));
  const int sums = b.local("sums", ir::Float(32));
  ir::Kernel& k = b.kernel("stencil_kernel", 128);
  const ir::Expr thread = ir::make_var(k.thread), origin = ir::make_var(k.block) * 256;
  const auto add = [](ir::Expr a, ir::Expr c) { return ir::make_binary(ir::Op::Add, a, c); };
  const auto read = [&](int buffer, ir::Expr i) { return ir::make_load(buffer, ir::Float(32), i); };
  std::vector<ir::Stmt> s;
  for (int step = 0; step < 3; ++step) {
    const ir::Expr at = thread + step * 128;
    const ir::Stmt copy = store(tile, at, read(in, origin + at));
    s.push_back(step < 2 ? copy : ir::make_if(at < ir::i32(258), copy));
  }
  s.push_back(std::make_shared<ir::SyncStmt>(ir::SyncKind::Barrier));
  for (int r = 0; r < 2; ++r) {
    const ir::Expr at = thread * 2 + r;
    s.push_back(store(sums, ir::i32(r), add(add(read(tile, at), read(tile, at + 1)), read(tile, at + 2))));
  }
  const ir::Expr both = ir::make_load(sums, ir::Float(32, 2), dense(ir::i32(0), 2), {}, 2);
  s.push_back(store(out, dense(origin + thread * 2, 2), ir::make_binary(ir::Op::Div, both, ir::make_float(ir::Float(32, 2), 3)), 2));
  ModuleBuilder::body(k, ir::make_seq(s));
  k.fast = true;
  k.buffers = {in, out};
  k.written = {out};
  k.shared_bytes = 258 * 4;
  k.allocations = {{tile, ir::Float(32), ir::Memory::Shared, 0, 258}, {sums, ir::Float(32), ir::Memory::Register, 0, 2}};
  b.m.entry = std::make_shared<ir::LaunchStmt>(0, ir::make_cast(ir::Int(64), b.extent(out) / 256));
  return b.m;
}

inline ir::Stmt loop(const ir::Sym& v, ir::Expr extent, ir::Stmt body, ir::LoopKind kind = ir::LoopKind::Serial) {
  return ir::make_for(v, ir::i32(0), std::move(extent), kind, std::move(body));
}

// out = a * x + y on the host: parallel tasks of 64, vectors of 8, a scalar tail; the sizes must agree.
inline ir::Module saxpy_host() {
  ModuleBuilder b("saxpy", "host");
  const int x = b.tensor("x", ir::Float(32), 1);
  const ir::Sym a = b.param("a", ir::Float(32));
  const int y = b.tensor("y", ir::Float(32), 1);
  const int out = b.tensor("out", ir::Float(32), 1, true);
  const ir::Sym task = ir::make_sym("task"), v = ir::make_sym("v"), i = ir::make_sym("i"), n = ir::make_sym("n");
  const auto value = [&](const ir::Expr& index, int lanes) {
    const ir::Type t = ir::Float(32, lanes);
    return ir::make_binary(ir::Op::Add, ir::make_binary(ir::Op::Mul, ir::make_broadcast(ir::make_var(a), lanes), ir::make_load(x, t, index)),
                           ir::make_load(y, t, index));
  };
  const ir::Expr size = ir::make_var(n), first = ir::make_var(task) * 64;
  const ir::Expr full = ir::min(ir::i32(64), size - first) / 8;
  const ir::Expr at = first + ir::make_var(v) * 8, single = first + full * 8 + ir::make_var(i);
  const ir::Stmt body = ir::make_seq({loop(v, full, store(out, dense(at, 8), value(dense(at, 8), 8))),
                                      loop(i, ir::min(ir::i32(64), size - first) % 8, store(out, single, value(single, 1)))});
  const auto same = [&](int buffer, const char* what) {
    return std::make_shared<ir::CheckStmt>(what, b.extent(buffer), b.extent(out), ir::CheckStmt::Equal);
  };
  b.m.entry = ir::make_let(n, b.extent(out), ir::make_seq({same(x, "input `x`, dimension 0: extent"), same(y, "input `y`, dimension 0: extent"),
                                                           loop(task, ir::ceil_div(size, 64), body, ir::LoopKind::Parallel)}));
  return b.m;
}

// out(i) = (t(i) + t(i+1) + t(i+2)) / 3 where t = 2 * in, kept in `size` elements of scratch in each parallel task of 100 outputs.
inline ir::Module stencil_host(int64_t size = 102, ir::Expr dynamic_size = {}) {
  ModuleBuilder b("stencil", "host");
  const int in = b.tensor("in", ir::Float(32), 1);
  const int out = b.tensor("out", ir::Float(32), 1, true);
  const int tile = b.local("tile", ir::Float(32));
  const ir::Sym task = ir::make_sym("task"), i = ir::make_sym("i"), j = ir::make_sym("j");
  const ir::Expr first = ir::make_var(task) * 100, count = ir::min(ir::i32(100), b.extent(out) - first);
  const auto f32 = [](double v) { return ir::make_float(ir::Float(32), v); };
  const auto read = [&](int buffer, ir::Expr at) { return ir::make_load(buffer, ir::Float(32), std::move(at)); };
  const ir::Stmt produce = loop(i, count + 2, store(tile, ir::make_var(i), ir::make_binary(ir::Op::Mul, f32(2), read(in, first + ir::make_var(i)))));
  const ir::Expr at = ir::make_var(j);
  ir::Expr sum = ir::make_binary(ir::Op::Add, ir::make_binary(ir::Op::Add, read(tile, at), read(tile, at + 1)), read(tile, at + 2));
  const ir::Stmt consume = loop(j, count, store(out, first + at, ir::make_binary(ir::Op::Div, sum, f32(3))));
  const ir::Expr extent = dynamic_size.defined() ? dynamic_size : ir::i32(size);
  const ir::Stmt body = std::make_shared<ir::AllocStmt>(tile, ir::Float(32), ir::Memory::Shared,
                                                        std::vector<ir::Region>{{ir::i32(0), extent - 1, extent}}, ir::make_seq({produce, consume}));
  b.m.entry = ir::make_seq({std::make_shared<ir::CheckStmt>("input `in`, dimension 0: extent", b.extent(in), b.extent(out) + 2, ir::CheckStmt::AtLeast),
                            loop(task, ir::ceil_div(b.extent(out), 100), body, ir::LoopKind::Parallel)});
  return b.m;
}

}  // namespace sinter::test
