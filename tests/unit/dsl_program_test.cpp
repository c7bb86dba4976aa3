// Programs written in the language: what they are in the IR, and what the oracle makes of them against a loop written here.
#include <algorithm>
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dsl/boundary.h"
#include "dsl/build_program.h"
#include "dsl/half.h"
#include "dsl/math.h"
#include "dsl/reduce.h"
#include "ir/eval/interpret.h"
#include "ir/text/parse.h"
#include "ir/text/print.h"
#include "tests/support/ir_equal.h"

namespace sinter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A tensor of the test, row-major with extents innermost first.
template <class T>
struct Tensor {
  std::vector<int64_t> extent;
  std::vector<T> data;

  explicit Tensor(std::vector<int64_t> e, const std::function<double(int64_t)>& fill = [](int64_t) { return 0.0; }) : extent(std::move(e)) {
    int64_t n = 1;
    for (int64_t d : extent) n *= d;
    for (int64_t i = 0; i < n; ++i) data.push_back(static_cast<T>(static_cast<float>(fill(i))));
  }
  ir::TensorView view(Type t) {
    std::vector<int64_t> stride;
    int64_t s = 1;
    for (int64_t d : extent) stride.push_back(s), s *= d;
    return {t, data.data(), extent, stride};
  }
  T& operator()(int64_t x, int64_t y = 0) { return data[static_cast<size_t>(x + (extent.size() > 1 ? extent[0] * y : 0))]; }
};

struct Built {
  ir::Program program;
  ir::Schedule schedule;

  Built(const std::vector<PipelineArgument>& args, const std::vector<Func>& outputs) {
    std::tie(program, schedule) = build_program("p", args, outputs);
    // Every program of this file also survives its text.
    const std::string text = ir::print(program, schedule);
    const auto [again, schedule_again] = ir::parse_program(text);
    test::IrEqual equal;
    EXPECT_TRUE(equal(program, again) && equal(schedule, schedule_again)) << equal.difference() << "\n" << text;
  }
  std::string text() const { return ir::print(program, schedule); }
  const ir::FuncDef& func(const std::string& name) const {
    for (const ir::FuncDef& f : program.funcs)
      if (f.name == name) return f;
    throw std::runtime_error("no Func " + name + " in\n" + text());
  }
  void run(const std::vector<ir::TensorView>& buffers, const std::vector<ir::Scalar>& params = {}) const {
    ir::interpret(program, buffers, params);
  }
};

double noise(int64_t i) { return static_cast<double>(i * 7919 % 1009) / 504.5 - 1; }

TEST(DslProgram, BiasGeluResidual) {
  Input x("x", BFloat(16), 2), bias("bias", BFloat(16), 1), res("res", BFloat(16), 2);
  Var n("n"), m("m"), no("no"), mo("mo"), ni("ni"), mi("mi");
  Func pre("pre"), y("y");
  pre(n, m) = f32(x(n, m)) + f32(bias(n));
  y(n, m) = bf16(gelu(pre(n, m)) + f32(res(n, m)));
  y.gpu_tile(n, m, no, mo, ni, mi, 1024, 4);
  const int line = __LINE__ - 1;

  const Built b({x, bias, res}, {y});
  ASSERT_EQ(b.schedule.directives.size(), 1u);
  EXPECT_EQ(b.schedule.directives[0].kind, ir::DirectiveKind::GpuTile);
  EXPECT_EQ(b.schedule.directives[0].loc.line, line);
  EXPECT_EQ(b.func("y").loc.line, line - 1);
  EXPECT_EQ(b.func("y").type, BFloat(16));

  Tensor<bfloat16> tx({37, 5}, noise), tb({37}, [](int64_t i) { return noise(i + 3); }), tr({37, 5}, [](int64_t i) { return noise(i + 11); }), ty({37, 5});
  b.run({tx.view(BFloat(16)), tb.view(BFloat(16)), tr.view(BFloat(16)), ty.view(BFloat(16))});
  for (int64_t j = 0; j < 5; ++j)
    for (int64_t i = 0; i < 37; ++i) {
      const double v = static_cast<double>(tx(i, j)) + static_cast<double>(tb(i));
      const double expected = 0.5 * v * (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v))) + static_cast<double>(tr(i, j));
      EXPECT_NEAR(static_cast<double>(ty(i, j)), expected, std::abs(expected) / 250 + 1e-6);
    }
}

TEST(DslProgram, BlurWithWrappersComputesTheSame) {
  Tensor<float> in({20, 11}, noise), plain({18, 9}), wrapped({18, 9});
  Input image("image", Float(32), 2);
  Var x("x"), y("y");
  Func bx("bx"), by("by");
  bx(x, y) = (image(x, y) + image(x + 1, y) + image(x + 2, y)) / 3;
  by(x, y) = (bx(x, y) + bx(x, y + 1) + bx(x, y + 2)) / 3;
  Built({image}, {by}).run({in.view(Float(32)), plain.view(Float(32))});
  Func first = bx.in(by), second = first.in(by), staged = image.in();
  EXPECT_EQ(bx.in(by).contents(), first.contents());
  EXPECT_EQ(staged.type(), Float(32));
  const Built b({image}, {by});
  EXPECT_THAT(ir::print(b.program), HasSubstr("bx_in_by_in_by(x, y)"));
  EXPECT_TRUE(b.func("image_in").is_wrapper);
  b.run({in.view(Float(32)), wrapped.view(Float(32))});
  EXPECT_EQ(plain.data, wrapped.data);
  float sum = 0;
  for (int64_t dy = 0; dy < 3; ++dy) sum += (in(4, 5 + dy) + in(5, 5 + dy) + in(6, 5 + dy)) / 3;
  EXPECT_FLOAT_EQ(plain(4, 5), sum / 3);
}

TEST(DslProgram, MatrixProductWithUpdateDirectives) {
  Input A("A", BFloat(16), 2), B("B", BFloat(16), 2);
  Param<float> scale("scale");
  Var n("n"), m("m");
  RVar ko("ko"), ki("ki");
  RDom k(0, A.width(), "k");
  Func acc("acc"), out("out");
  acc(n, m) = 0.f;
  acc(n, m) += f32(A(k, m)) * f32(B(k, n));
  out(n, m) = acc(n, m) * scale;
  acc.update().split(k, ko, ki, 64).reorder(ki, n, m, ko);
  A.in(acc).compute_at(acc, ko).store_in(MemoryType::Shared);

  const Built b({A, B, scale}, {out});
  EXPECT_THAT(b.text(), HasSubstr("acc.update(0).reorder(ki, n, m, ko)"));
  EXPECT_THAT(b.text(), HasSubstr("A_in_acc.compute_at(of acc, ko)"));
  Tensor<bfloat16> a({33, 4}, noise), bb({33, 6}, [](int64_t i) { return noise(i + 5); });
  Tensor<float> o({6, 4});
  b.run({a.view(BFloat(16)), bb.view(BFloat(16)), o.view(Float(32))}, {ir::Scalar::of_float(Float(32), 0.5)});
  for (int64_t j = 0; j < 4; ++j)
    for (int64_t i = 0; i < 6; ++i) {
      float expected = 0;
      for (int64_t kk = 0; kk < 33; ++kk) expected += static_cast<float>(a(kk, j)) * static_cast<float>(bb(kk, i));
      EXPECT_FLOAT_EQ(o(i, j), expected * 0.5f);
    }
}

TEST(DslProgram, HistogramWithPredicate) {
  Input image("image", UInt(8), 2);
  RDom r(0, image.width(), 0, image.height());
  r.where(r.x <= r.y);
  Func hist("hist");
  hist(image(r.x, r.y) % 16) += 1;  // defines itself as 0
  hist.bound(hist.args()[0], 0, 16);

  const Built b({image}, {hist});
  EXPECT_EQ(b.func("hist").type, Int(32));
  Tensor<uint8_t> in({13, 17}, [](int64_t i) { return static_cast<double>(i * 31 % 251); });
  Tensor<int32_t> out({16});
  b.run({in.view(UInt(8)), out.view(Int(32))});
  std::vector<int32_t> expected(16);
  for (int64_t y = 0; y < 17; ++y)
    for (int64_t x = 0; x < 13; ++x)
      if (x <= y) ++expected[in(x, y) % 16];
  EXPECT_EQ(out.data, expected);
}

TEST(DslProgram, SoftmaxByInlineReductions) {
  Input x("x", Float(32), 2);
  Var n("n"), m("m");
  RDom k(0, x.width(), "k");
  Func mx("mx"), s("s"), y("y");
  mx(m) = maximum(k, x(k, m));
  s(m) = sum(k, exp(x(k, m) - mx(m)));
  y(n, m) = exp(x(n, m) - mx(m)) / s(m);
  EXPECT_EQ(mx.updates(), 1);
  EXPECT_EQ(s.updates(), 1);

  Func fused("fused");
  fused(n, m) = exp(x(n, m) - maximum(k, x(k, m))) / sum(k, exp(x(k, m) - mx(m)));
  EXPECT_EQ(fused.updates(), 0);
  EXPECT_EQ(fused.reduction(0).name(), "fused.maximum0");
  EXPECT_EQ(fused.reduction(1).name(), "fused.sum1");
  EXPECT_THAT(fused.reduction(1).args().size(), 1u);
  fused.reduction(1).compute_root().update().unroll(RVar(k));

  const Built b({x}, {y, fused});
  Tensor<float> in({9, 3}, noise), out({9, 3}), out2({9, 3});
  b.run({in.view(Float(32)), out.view(Float(32)), out2.view(Float(32))});
  EXPECT_EQ(out.data, out2.data);
  for (int64_t j = 0; j < 3; ++j) {
    float total = 0;
    for (int64_t i = 0; i < 9; ++i) total += out(i, j);
    EXPECT_NEAR(total, 1, 1e-6);
  }
}

// Which right-hand sides make the Func itself the reduction (dsl/reduce.h), and that the choice does not change the value.
TEST(DslProgram, WholeReductionsUpToCasts) {
  Input h("h", BFloat(16), 1), g("g", Float(32), 1), bytes("bytes", UInt(8), 1), ints("ints", Int(32), 1);
  RDom k(0, 50, "k");
  struct Case {
    const char* what;
    Expr value;
    int updates;
    Type type;
    double expected;
  };
  Tensor<bfloat16> th({50}, noise);
  Tensor<float> tg({50}, noise);
  Tensor<uint8_t> tb({50}, [](int64_t i) { return static_cast<double>(i * 37 % 256); });
  Tensor<int32_t> ti({50}, [](int64_t i) { return static_cast<double>(i * 37 % 100 - 20); });
  float sum_g = 0, sum_h = 0, max_h = -1e9f, all = 1;
  double sum_g64 = 0;
  int sum_b = 0, sum_i = 0, min_i = 1000;
  for (int64_t i = 0; i < 50; ++i) {
    sum_g += tg(i), sum_g64 += static_cast<double>(tg(i)), sum_h += static_cast<float>(th(i));
    max_h = std::max(max_h, static_cast<float>(th(i)));
    sum_b += tb(i), sum_i += ti(i), min_i = std::min(min_i, ti(i));
    all *= tg(i);
  }
  const Case cases[] = {
      {"plain", sum(k, g(k)), 1, Float(32), static_cast<double>(sum_g)},
      {"bf16 is summed in f32", sum(k, h(k)), 1, Float(32), static_cast<double>(sum_h)},
      {"rounded at the end", bf16(sum(k, h(k))), 0, BFloat(16), static_cast<double>(static_cast<float>(bfloat16(sum_h)))},
      {"wider", f64(sum(k, g(k))), 1, Float(64), sum_g64},
      {"maximum may round first", bf16(maximum(k, h(k))), 1, BFloat(16), static_cast<double>(max_h)},
      {"bytes wrap", sum(k, bytes(k)), 1, UInt(8), static_cast<double>(sum_b % 256)},
      {"a wrapped sum stays wrapped", i32(sum(k, bytes(k))), 0, Int(32), static_cast<double>(sum_b % 256)},
      {"i32 to i64", i64(sum(k, ints(k))), 1, Int(64), static_cast<double>(sum_i)},
      {"minimum of i32 as f32", f32(minimum(k, ints(k))), 0, Float(32), static_cast<double>(min_i)},
      {"product", product(k, g(k)), 1, Float(32), static_cast<double>(all)},
      {"strict", strict_float(sum(k, g(k))), 1, Float(32), static_cast<double>(sum_g)},
      {"part of more", sum(k, g(k)) + 1, 0, Float(32), static_cast<double>(sum_g + 1)},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    Func f("f");
    f() = c.value;
    EXPECT_EQ(f.updates(), c.updates);
    EXPECT_EQ(f.type(), c.type);
    Func as_double("as_double");
    as_double() = f64(f());
    const Built b({h, g, bytes, ints}, {as_double});
    Tensor<double> out(std::vector<int64_t>{});
    b.run({th.view(BFloat(16)), tg.view(Float(32)), tb.view(UInt(8)), ti.view(Int(32)), out.view(Float(64))});
    EXPECT_DOUBLE_EQ(out.data[0], c.expected);
  }
}

TEST(DslProgram, NestedReductionsAndOuterRVars) {
  Input x("x", Int(32), 2);
  Var i("i");
  RDom outer(0, 4, "outer"), inner(0, 3, "inner");
  Func f("f"), g("g");
  f() = sum(outer, outer * sum(inner, x(inner, outer)));
  g(i) = 0;
  g(i) += maximum(inner, x(inner, outer) + i);
  EXPECT_EQ(f.updates(), 1);
  EXPECT_EQ(f.reduction(0).name(), "f.sum0");
  EXPECT_EQ(f.reduction(0).dimensions(), 1);  // the outer RVar
  EXPECT_EQ(g.reduction(0).dimensions(), 2);

  const Built b({x}, {f, g});
  Tensor<int32_t> in({3, 4}, [](int64_t v) { return static_cast<double>(v * 5 % 7); }), of(std::vector<int64_t>{}), og({2});
  b.run({in.view(Int(32)), of.view(Int(32)), og.view(Int(32))});
  int ef = 0, eg = 0;
  for (int64_t o = 0; o < 4; ++o) {
    ef += static_cast<int>(o) * (in(0, o) + in(1, o) + in(2, o));
    eg += std::max({in(0, o), in(1, o), in(2, o)});
  }
  EXPECT_EQ(of.data[0], ef);
  EXPECT_THAT(og.data, ElementsAre(eg, eg + 4));
}

TEST(DslProgram, BoundaryConditions) {
  Input u("u", UInt(8), 2);
  Var x("x"), y("y");
  Func zero = BoundaryConditions::constant_exterior(u, 9), edge = BoundaryConditions::repeat_edge(u);
  EXPECT_EQ(zero.type(), UInt(8));
  Func a("a"), c("c");
  a(x, y) = zero(x - 2, y - 1);
  c(x, y) = edge(x - 2, y - 1);
  Tensor<uint8_t> in({3, 2}, [](int64_t i) { return static_cast<double>(i + 1); }), oa({7, 4}), oc({7, 4});
  Built({u}, {a, c}).run({in.view(UInt(8)), oa.view(UInt(8)), oc.view(UInt(8))});
  for (int64_t j = 0; j < 4; ++j)
    for (int64_t i = 0; i < 7; ++i) {
      const int64_t sx = i - 2, sy = j - 1;
      const bool inside = sx >= 0 && sx < 3 && sy >= 0 && sy < 2;
      EXPECT_EQ(oa(i, j), inside ? in(sx, sy) : 9);
      EXPECT_EQ(oc(i, j), in(std::clamp<int64_t>(sx, 0, 2), std::clamp<int64_t>(sy, 0, 1)));
    }
}

TEST(DslProgram, SizesBecomeRequirements) {
  Input a("a", Float(32), 2), b("b", Float(32), 1);
  Var x("x"), y("y");
  a.dim(0).set_extent(b.dim(0).extent()).set_stride(Expr());
  a.dim(1).set_stride(a.dim(0).extent() * 2);
  b.dim(0).set_extent(8);
  Func f("f");
  f(x, y) = a(x, y) + b(x);
  f.output_buffer().dim(1).set_extent(4);
  const auto [program, schedule] = build_program("p", {a, b}, {f});
  const ir::FuncDef &fa = program.funcs[0], &fb = program.funcs[1], &ff = program.funcs[2];
  EXPECT_EQ(fa.fixed_extent[0]->var, fb.extent[0]);
  EXPECT_TRUE(fa.free_stride0);
  EXPECT_FALSE(fb.free_stride0);
  EXPECT_EQ(fa.stride[1]->type, Int(64));
  EXPECT_TRUE(ir::is_const_int(fb.fixed_extent[0], 8));
  EXPECT_FALSE(fa.fixed_extent[1].defined());
  EXPECT_TRUE(ir::is_const_int(ff.fixed_extent[1], 4));
}

TEST(DslProgram, DirectivesGivenAfterwardsCount) {
  Input in("in", Float(32), 1);
  Var x("x"), xo("xo"), xi("xi");
  Func f("f");
  f(x) = in(x) * 2;
  EXPECT_TRUE(build_program("p", {in}, {f}).second.directives.empty());
  f.split(x, x, xi, 8).parallel(x).vectorize(xi);  // the outer loop keeps the name
  EXPECT_EQ(build_program("p", {in}, {f}).second.directives.size(), 3u);
}

TEST(DslProgram, TheProgramOutlivesItsHandles) {
  ir::Program program;
  {
    Input in("in", Float(32), 1);
    RDom r(0, 5, 0, 5, "r");
    r.where(r.x < r.y);
    Func f("f"), g("g");
    Var x("x");
    f(x) = 0.f;
    f(x) += in(x + r.x * r.y);
    Func w = f.in();
    g(x) = f(x) + f(x + 1);
    program = build_program("p", {in}, {g}).first;
  }
  Tensor<float> in({30}, [](int64_t) { return 1.0; }), out({3});
  ir::interpret(program, {in.view(Float(32)), out.view(Float(32))}, {});
  EXPECT_THAT(out.data, ElementsAre(20, 20, 20));
}

TEST(DslProgram, AHandleOfAWrapperKeepsEverythingAlive) {
  Input in("in", Float(32), 1);
  Func kept("kept"), g("g");
  {
    Func f("f"), h("h");
    Var x("x");
    f(x) = in(x) + 1;
    h(x) = f(x);
    kept = f.in(h);
  }
  Var x("x");
  g(x) = kept(x) * 2;
  Tensor<float> t({3}, [](int64_t i) { return static_cast<double>(i); }), out({3});
  Built({in}, {g}).run({t.view(Float(32)), out.view(Float(32))});
  EXPECT_THAT(out.data, ElementsAre(2, 4, 6));
}

TEST(DslProgram, LongChainsOfFuncs) {
  Input in("in", Float(32), 1);
  Var x("x");
  Func f("f");
  f(x) = in(x);
  for (int i = 0; i < 3000; ++i) {
    Func g("g");
    g(x) = f(x) + 1;
    f = g;
  }
  const auto [program, schedule] = build_program("p", {in}, {f});
  EXPECT_EQ(program.funcs.size(), 3002u);
  std::vector<std::string> names;
  for (const ir::FuncDef& def : program.funcs) names.push_back(def.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (size_t i = 0; i < program.funcs.size(); ++i)
    for (const ir::Definition& d : program.funcs[i].stages)
      for (const ir::Expr& e : d.value->args) EXPECT_LT(e->id, static_cast<int>(i));
}

}  // namespace
}  // namespace sinter
