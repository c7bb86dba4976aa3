// The oracle on small Programs whose results are known in closed form or computed by a loop here.
#include "ir/eval/interpret.h"

#include <chrono>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sinter::ir {
namespace {

using testing::HasSubstr;

// Builds a Program by hand; Funcs are named in order of addition.
struct Builder {
  Program p;
  std::vector<Sym> v{make_sym("x"), make_sym("y"), make_sym("z")};

  FuncId add(std::string name, Type t, int rank, FuncKind kind) {
    FuncDef f;
    f.name = std::move(name);
    f.kind = kind;
    f.type = t;
    for (int d = 0; d < rank; ++d) {
      f.dims.push_back(v[static_cast<size_t>(d)]);
      f.extent.push_back(make_sym(f.name + ".extent" + std::to_string(d)));
      f.stride.push_back(make_sym(f.name + ".stride" + std::to_string(d), Int(64)));
    }
    p.funcs.push_back(std::move(f));
    return static_cast<FuncId>(p.funcs.size()) - 1;
  }
  FuncId input(std::string name, Type t, int rank) {
    const FuncId f = add(std::move(name), t, rank, FuncKind::Input);
    p.args.push_back({Argument::Kind::Input, f});
    return f;
  }
  FuncId func(std::string name, int rank, const Expr& value) {
    const FuncId f = add(std::move(name), value.type(), rank, FuncKind::Computed);
    Definition d;
    for (int i = 0; i < rank; ++i) d.args.push_back(x(i));
    d.value = value;
    p.funcs.back().stages.push_back(d);
    return f;
  }
  void update(FuncId f, std::vector<Expr> args, Expr value, RDomDef r, Loc loc = {}) {
    p.funcs[static_cast<size_t>(f)].stages.push_back({std::move(args), std::move(value), std::move(r), loc});
  }
  void output(FuncId f) { p.args.push_back({Argument::Kind::Output, f}); }
  Expr x(int d) { return make_var(v[static_cast<size_t>(d)]); }
  Expr call(FuncId f, std::vector<Expr> index, Loc loc = {}) {
    return make_call(f, p.funcs[static_cast<size_t>(f)].type, std::move(index), loc);
  }
  Expr extent(FuncId f, int d) { return make_var(p.funcs[static_cast<size_t>(f)].extent[static_cast<size_t>(d)]); }
};

template <class T>
TensorView view(std::vector<T>& data, Type t, std::vector<int64_t> extent) {
  std::vector<int64_t> stride;
  int64_t s = 1;
  for (int64_t e : extent) {
    stride.push_back(s);
    s *= e;
  }
  data.resize(static_cast<size_t>(s));
  return {t, data.data(), extent, stride};
}

Expr f32(double v) { return make_float(Float(32), v); }

TEST(Interpret, PointwiseWithParamAndStrides) {
  Builder b;
  const FuncId in = b.input("in", Float(32), 2);
  const Sym scale = make_sym("scale", Float(32));
  b.p.params.push_back({"scale", scale, {}});
  b.p.args.push_back({Argument::Kind::Param, 0});
  // The output is the transposed input.
  const FuncId out = b.func("out", 2, make_binary(Op::Mul, b.call(in, {b.x(1), b.x(0)}), make_var(scale)));
  b.output(out);
  std::vector<float> a(6), o(12, -1.f);
  std::iota(a.begin(), a.end(), 0.f);
  const TensorView in_view{Float(32), a.data(), {3, 2}, {1, 3}};
  const TensorView out_view{Float(32), o.data(), {2, 3}, {1, 4}};  // rows of 4, two of them padding
  interpret(b.p, {in_view, out_view}, {Scalar::of_float(Float(32), 10)});
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 4; ++x) EXPECT_EQ(o[static_cast<size_t>(y * 4 + x)], x < 2 ? 10.f * static_cast<float>(x * 3 + y) : -1.f);
}

TEST(Interpret, StencilThroughAProducer) {
  Builder b;
  const FuncId in = b.input("in", Float(32), 1);
  const FuncId g = b.func("g", 1, make_binary(Op::Add, b.call(in, {b.x(0)}), b.call(in, {b.x(0) + 1})));
  const FuncId out = b.func("out", 1, make_binary(Op::Add, b.call(g, {b.x(0)}), b.call(g, {b.x(0) + 1})));
  b.output(out);
  std::vector<float> a(10), o;
  std::iota(a.begin(), a.end(), 0.f);
  interpret(b.p, {view(a, Float(32), {10}), view(o, Float(32), {8})}, {});
  for (int x = 0; x < 8; ++x) EXPECT_EQ(o[static_cast<size_t>(x)], 4.f * static_cast<float>(x) + 4);
}

TEST(Interpret, ReadsOutsideAnInputNameItAndTheLine) {
  Builder b;
  const FuncId in = b.input("in", Float(32), 1);
  const FuncId out = b.func("out", 1, b.call(in, {b.x(0) + 1}, Loc{"user.cpp", 7}));
  b.output(out);
  std::vector<float> a(4), o;
  try {
    interpret(b.p, {view(a, Float(32), {4}), view(o, Float(32), {4})}, {});
    FAIL() << "not noticed";
  } catch (const RuntimeError& e) {
    EXPECT_STREQ(e.what(), "user.cpp:7: input `in` is read at (4), outside its extents (4)");
  }
}

TEST(Interpret, MatrixProduct) {
  Builder b;
  const FuncId a = b.input("a", Int(32), 2), bb = b.input("b", Int(32), 2);
  const Sym k = make_sym("k");
  const FuncId c = b.func("c", 2, i32(0));
  b.update(c, {b.x(0), b.x(1)},
           b.call(c, {b.x(0), b.x(1)}) + b.call(a, {make_var(k), b.x(1)}) * b.call(bb, {b.x(0), make_var(k)}),
           {{{k, i32(0), b.extent(a, 0)}}, {}});
  const FuncId out = b.func("out", 2, b.call(c, {b.x(0), b.x(1)}) + 1);
  b.output(out);
  const int m = 3, n = 4, d = 5;
  std::vector<int32_t> va, vb, vo;
  const TensorView av = view(va, Int(32), {d, m}), bv = view(vb, Int(32), {n, d}), ov = view(vo, Int(32), {n, m});
  std::iota(va.begin(), va.end(), -7);
  std::iota(vb.begin(), vb.end(), 3);
  interpret(b.p, {av, bv, ov}, {});
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i) {
      int want = 1;
      for (int q = 0; q < d; ++q) want += va[static_cast<size_t>(j * d + q)] * vb[static_cast<size_t>(q * n + i)];
      EXPECT_EQ(vo[static_cast<size_t>(j * n + i)], want);
    }
}

// The first variable of an RDom is innermost: the order shows in a non-commutative update.
TEST(Interpret, ReductionOrder) {
  Builder b;
  const Sym r0 = make_sym("r0"), r1 = make_sym("r1");
  const FuncId f = b.func("f", 0, i32(0));
  b.update(f, {}, b.call(f, {}) * 10 + (make_var(r0) + make_var(r1) * 2), {{{r0, i32(0), i32(2)}, {r1, i32(0), i32(2)}}, {}});
  b.output(f);
  int32_t o = -1;
  interpret(b.p, {{Int(32), &o, {}, {}}}, {});
  EXPECT_EQ(o, 123);  // 0, 1, 2, 3
}

TEST(Interpret, HistogramAndScan) {
  Builder b;
  const FuncId in = b.input("in", UInt(8), 1);
  const Sym r = make_sym("r"), s = make_sym("s");
  const FuncId hist = b.func("hist", 1, i32(0));
  const Expr bin = make_cast(Int(32), b.call(in, {make_var(r)}));
  b.update(hist, {bin}, b.call(hist, {bin}) + 1, {{{r, i32(0), b.extent(in, 0)}}, {}});
  const FuncId sum = b.func("sum", 1, b.call(hist, {b.x(0)}));
  b.update(sum, {make_var(s)}, b.call(sum, {make_var(s)}) + b.call(sum, {make_var(s) - 1}), {{{s, i32(1), i32(255)}}, {}});
  const FuncId out = b.func("out", 1, b.call(sum, {make_cast(Int(32), b.call(in, {b.x(0)}))}));
  b.output(out);
  std::vector<uint8_t> a(1000);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<uint8_t>(i * i >> 3);
  std::vector<int32_t> o;
  interpret(b.p, {view(a, UInt(8), {1000}), view(o, Int(32), {1000})}, {});
  for (size_t i = 0; i < a.size(); ++i) {
    int want = 0;
    for (uint8_t v : a) want += v <= a[i];
    ASSERT_EQ(o[i], want) << i;
  }
}

TEST(Interpret, WhereKeepsReadsInside) {
  Builder b;
  const FuncId in = b.input("in", Int(32), 1);
  const FuncId g = b.func("g", 1, b.call(in, {b.x(0)}));
  b.update(g, {b.x(0)}, b.call(g, {b.x(0)}) * 2, {});
  const Sym r = make_sym("r");
  const FuncId out = b.func("out", 1, i32(0));
  const Expr at = b.x(0) + make_var(r);
  b.update(out, {b.x(0)}, b.call(out, {b.x(0)}) + b.call(g, {at}), {{{r, i32(-1), i32(3)}}, at >= i32(0) && at < b.extent(in, 0)});
  b.output(out);
  std::vector<int32_t> a{1, 10, 100, 1000}, o;
  interpret(b.p, {view(a, Int(32), {4}), view(o, Int(32), {4})}, {});
  EXPECT_EQ(o, (std::vector<int32_t>{22, 222, 2220, 2200}));
}

TEST(Interpret, AScatterOutsideAnOutputIsAnError) {
  Builder b;
  const FuncId out = b.func("out", 1, i32(0));
  const Sym r = make_sym("r");
  b.update(out, {make_var(r) + 1}, i32(1), {{{r, i32(0), i32(4)}}, {}}, Loc{"user.cpp", 3});
  b.output(out);
  std::vector<int32_t> o;
  try {
    interpret(b.p, {view(o, Int(32), {4})}, {});
    FAIL() << "not noticed";
  } catch (const RuntimeError& e) {
    EXPECT_THAT(e.what(), HasSubstr("user.cpp:3: an update of `out` writes (4)"));
  }
}

TEST(Interpret, OverflowTraps) {
  Builder b;
  const FuncId in = b.input("in", Int(32), 1);
  const FuncId out = b.func("out", 1, make_binary(Op::Mul, b.call(in, {b.x(0)}), i32(2), Loc{"user.cpp", 9}));
  b.output(out);
  std::vector<int32_t> a{1, 1 << 30}, o;
  try {
    interpret(b.p, {view(a, Int(32), {2}), view(o, Int(32), {2})}, {});
    FAIL() << "not noticed";
  } catch (const EvalError& e) {
    EXPECT_THAT(e.what(), HasSubstr("user.cpp:9: Mul of 1073741824 and 2 overflows i32"));
  }
}

TEST(Interpret, BuffersMustFit) {
  Builder b;
  const FuncId in = b.input("in", Float(32), 1);
  b.output(b.func("out", 1, b.call(in, {b.x(0)})));
  b.p.funcs[0].fixed_extent = {i32(8)};
  std::vector<float> a, o;
  const TensorView av = view(a, Float(32), {4}), ov = view(o, Float(32), {4});
  EXPECT_THROW(interpret(b.p, {av}, {}), RuntimeError);
  EXPECT_THROW(interpret(b.p, {av, ov, ov}, {}), RuntimeError);
  EXPECT_THROW(interpret(b.p, {av, ov}, {}), RuntimeError);  // declared with extent 8
}

// A million points of a dozen operations: the oracle is slow, but not that slow.
TEST(Interpret, AMillionPoints) {
  Builder b;
  const FuncId in = b.input("in", Float(32), 2);
  Expr e = b.call(in, {b.x(0), b.x(1)});
  for (int i = 0; i < 5; ++i) e = make_binary(Op::Add, make_binary(Op::Mul, e, f32(0.5)), f32(1));
  b.output(b.func("out", 2, e));
  std::vector<float> a, o;
  const TensorView av = view(a, Float(32), {1024, 1024}), ov = view(o, Float(32), {1024, 1024});
  const auto start = std::chrono::steady_clock::now();
  interpret(b.p, {av, ov}, {});
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 20);
  EXPECT_EQ(o[12345], 1.9375f);
}

}  // namespace
}  // namespace sinter::ir
