// Every operator on every type: compiled host code against ir/eval/scalar.h, bit for bit.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "codegen/llvm/jit.h"
#include "codegen/runtime/sinter_runtime.h"
#include "ir/eval/scalar.h"
#include "tests/unit/llvm_modules.h"

namespace sinter {
namespace {

using ir::Op;
using ir::Type;

const std::vector<Type>& all_types() {
  static const std::vector<Type> types = {ir::Bool(), ir::Int(8), ir::Int(16), ir::Int(32), ir::Int(64), ir::UInt(8), ir::UInt(16),
                                          ir::UInt(32), ir::UInt(64), ir::Float(16), ir::BFloat(16), ir::F8E4M3(), ir::F8E5M2(),
                                          ir::Float(32), ir::Float(64)};
  return types;
}

uint64_t canonical(Type t, uint64_t bits) {
  uint64_t word = bits;
  return ir::load_bits(t, &word);
}

// Edge cases of every kind, then random bits of all magnitudes.
std::vector<uint64_t> interesting(Type t) {
  std::vector<uint64_t> out;
  if (t.is_bool()) return {0, 1};
  if (t.is_float()) {
    for (const double v : {0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.0, 1e-3, 65504.0, 65519.9, 65520.0, 1e5, -1e10, 2147483647.0, 2147483648.0,
                           -2147483649.0, 4294967296.0, 9.3e18, -9.3e18, 1.9e19, 1e38, 3.4e38, 1e300, 6e-8, 1e-40, 1e-310, 127.5, 128.5, 255.5, -0.75,
                           1.00390625, 1.0048828125000001, 0.1, HUGE_VAL, -HUGE_VAL, std::nan("")})
      out.push_back(ir::Scalar::of_float(t, v).bits);
  } else {
    for (const int64_t v : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{2}, int64_t{-2}, int64_t{3}, int64_t{7}, int64_t{-7}, int64_t{100}, int64_t{127},
                            int64_t{-128}, int64_t{255}, int64_t{32767}, int64_t{-32768}, int64_t{65535}, int64_t{INT32_MAX}, int64_t{INT32_MIN}, INT64_MAX,
                            INT64_MIN, int64_t{16777217}, int64_t{9007199254740993}, int64_t{9007199791611904}, int64_t{4611686018427387905}})
      out.push_back(ir::Scalar::of_int(t, v).bits);
  }
  std::mt19937_64 random(t.bits * 8u + static_cast<unsigned>(t.code));
  for (int i = 0; i < 60; ++i) {
    uint64_t b = random();
    if (!t.is_float()) b >>= random() % 64;
    out.push_back(canonical(t, b));
  }
  return out;
}

bool is_nan(Type t, uint64_t bits) { return t.is_float() && std::isnan(ir::Scalar{t, bits}.as_double()); }

bool same(Type t, uint64_t got, uint64_t want) {
  return got == want || (is_nan(t, got) && is_nan(t, want));
}

struct Case {
  std::string name;
  Type result;
  std::function<ir::Expr(const std::vector<ir::Expr>&)> expr;
  std::function<uint64_t(const std::vector<uint64_t>&)> want;  // may throw ArithmeticTrap: that point is left out
};

// Runs all cases over all points (one value of `type` for each operand) in one module, `lanes` points at a time.
void run(Type type, const std::vector<Case>& cases, const std::vector<std::vector<uint64_t>>& points, int lanes,
         const char* cpu = "native") {
  ASSERT_FALSE(points.empty());
  const size_t operands = points[0].size();
  test::ModuleBuilder b("arith", "host-strict_float");
  std::vector<int> in, out;
  for (size_t k = 0; k < operands; ++k) in.push_back(b.tensor("in" + std::to_string(k), type, 1));
  for (size_t c = 0; c < cases.size(); ++c) out.push_back(b.tensor("out" + std::to_string(c), cases[c].result, 1, true));
  const size_t n = (points.size() + static_cast<size_t>(lanes) - 1) / static_cast<size_t>(lanes) * static_cast<size_t>(lanes);
  std::vector<ir::Stmt> body;
  for (size_t c = 0; c < cases.size(); ++c) {
    const ir::Sym i = ir::make_sym("i");
    const ir::Expr at = lanes == 1 ? ir::make_var(i) : test::dense(ir::make_var(i) * lanes, lanes);
    std::vector<ir::Expr> loads;
    for (int k : in) loads.push_back(ir::make_load(k, type.with_lanes(lanes), at));
    body.push_back(test::loop(i, b.extent(out[c]) / lanes, test::store(out[c], at, cases[c].expr(loads))));
  }
  b.m.entry = ir::make_seq(body);
  const codegen::HostJit jit(b.m, {}, cpu);

  std::vector<std::vector<unsigned char>> memory;
  std::vector<int64_t> values;
  const auto add = [&](size_t bytes) {
    memory.emplace_back(n * bytes + 1);
    values.push_back(static_cast<int64_t>(reinterpret_cast<uintptr_t>(memory.back().data())));
    values.push_back(static_cast<int64_t>(n));
    values.push_back(1);
  };
  for (size_t k = 0; k < operands; ++k) {
    add(static_cast<size_t>(type.bytes()));
    for (size_t p = 0; p < n; ++p)
      ir::store_bits(type, points[std::min(p, points.size() - 1)][k], &memory.back()[p * static_cast<size_t>(type.bytes())]);
  }
  for (const Case& c : cases) add(static_cast<size_t>(c.result.bytes()));
  ASSERT_EQ(jit.entry()(values.data(), nullptr), 0) << sinter_last_error();
  int reported = 0;
  size_t checked = 0;
  for (size_t c = 0; c < cases.size(); ++c) {
    for (size_t p = 0; p < points.size() && reported < 10; ++p) {
      uint64_t want = 0;
      try {
        want = cases[c].want(points[p]);
      } catch (const ir::ArithmeticTrap&) {
        continue;
      }
      ++checked;
      const Type t = cases[c].result;
      const uint64_t got = ir::load_bits(t, &memory[operands + c][p * static_cast<size_t>(t.bytes())]);
      if (same(t, got, want)) continue;
      std::string text = cases[c].name + " of " + to_string(type) + ", " + std::to_string(lanes) + " lanes:";
      for (uint64_t v : points[p]) text += " " + to_string(ir::Scalar{type, v});
      ADD_FAILURE() << text << " gives " << to_string(ir::Scalar{t, got}) << ", not " << to_string(ir::Scalar{t, want});
      ++reported;
    }
  }
  EXPECT_GT(checked, cases.size() * points.size() / 4);
}

std::vector<std::vector<uint64_t>> pairs(Type t) {
  const std::vector<uint64_t> v = interesting(t);
  std::vector<std::vector<uint64_t>> out;
  for (size_t i = 0; i < v.size(); ++i)
    for (size_t j = 0; j < v.size(); ++j)
      if (i < 40 || j < 40 || (i + j) % 3 == 0) out.push_back({v[i], v[j]});
  return out;
}

class Arithmetic : public ::testing::TestWithParam<Type> {};

TEST_P(Arithmetic, BinaryOperators) {
  const Type t = GetParam();
  std::vector<Case> cases;
  for (const Op op : {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Mod, Op::Min, Op::Max, Op::EQ, Op::NE, Op::LT, Op::LE, Op::GT, Op::GE, Op::BitAnd,
                      Op::BitOr, Op::BitXor, Op::Shl, Op::Shr, Op::And, Op::Or}) {
    if ((op == Op::And || op == Op::Or) && !t.is_bool()) continue;
    const Type result = op >= Op::EQ && op <= Op::GE ? ir::Bool() : t;
    const ir::ScalarFn fn = ir::scalar_fn(op, {}, t, result);
    if (!fn) continue;
    cases.push_back({ir::op_name(op), result, [op](const auto& a) { return ir::make_binary(op, a[0], a[1]); },
                     [fn](const auto& v) { return fn(v[0], v[1], 0); }});
  }
  run(t, cases, pairs(t), 1);
  run(t, cases, pairs(t), 4);
}

TEST_P(Arithmetic, UnaryOperators) {
  const Type t = GetParam();
  std::vector<Case> cases;
  for (const Op op : {Op::Neg, Op::Abs, Op::Not, Op::BitNot}) {
    if ((op == Op::Not) != t.is_bool()) continue;
    const ir::ScalarFn fn = ir::scalar_fn(op, {}, t, t);
    if (!fn) continue;
    cases.push_back({ir::op_name(op), t, [op](const auto& a) { return ir::make_unary(op, a[0]); }, [fn](const auto& v) { return fn(v[0], 0, 0); }});
  }
  std::vector<std::vector<uint64_t>> points;
  for (uint64_t v : interesting(t)) points.push_back({v});
  run(t, cases, points, 1);
  run(t, cases, points, 8);
}

TEST_P(Arithmetic, Casts) {
  const Type t = GetParam();
  std::vector<Case> cases;
  for (const Type to : all_types()) {
    const ir::ScalarFn fn = ir::scalar_fn(Op::Cast, {}, t, to);
    ASSERT_NE(fn, nullptr);
    cases.push_back({"cast to " + to_string(to), to, [to](const auto& a) { return ir::make_cast(to.with_lanes(a[0].type().lanes), a[0]); },
                     [fn](const auto& v) { return fn(v[0], 0, 0); }});
  }
  std::vector<std::vector<uint64_t>> points;
  for (uint64_t v : interesting(t)) points.push_back({v});
  if (t.is_narrow_float())
    for (uint64_t v = 0; v < uint64_t{1} << t.bits; v += t.bits == 16 ? 7 : 1) points.push_back({v});
  run(t, cases, points, 1, "x86-64-v2");  // no conversions of f16 in hardware
  run(t, cases, points, 4);
}

TEST_P(Arithmetic, ConstantDivisors) {
  const Type t = GetParam();
  if (!t.is_integer()) return;
  std::vector<Case> cases;
  for (const int64_t c : {0, 1, 2, 3, 8, 10, 64, 127, -1, -2, -3, -8}) {
    if (t.is_uint() && c < 0) continue;
    for (const Op op : {Op::Div, Op::Mod}) {
      const ir::ScalarFn fn = ir::scalar_fn(op, {}, t, t);
      const uint64_t bits = ir::Scalar::of_int(t, c).bits;
      const std::string name = std::string(ir::op_name(op)) + " by " + std::to_string(c);
      cases.push_back({name, t, [=](const auto& a) { return ir::make_binary(op, a[0], ir::make_int(a[0].type(), c)); },
                       [=](const auto& v) { return fn(v[0], bits, 0); }});
      // The same of a value that is seen to be >= 0.
      const ir::ScalarFn top = ir::scalar_fn(Op::Max, {}, t, t);
      cases.push_back({name + " of max(x, 0)", t,
                       [=](const auto& a) {
                         return ir::make_binary(op, ir::make_binary(Op::Max, a[0], ir::make_int(a[0].type(), 0)), ir::make_int(a[0].type(), c));
                       },
                       [=](const auto& v) { return fn(top(v[0], 0, 0), bits, 0); }});
    }
  }
  std::vector<std::vector<uint64_t>> points;
  for (uint64_t v : interesting(t)) points.push_back({v});
  run(t, cases, points, 1);
  run(t, cases, points, 4);
}

TEST_P(Arithmetic, Functions) {
  const Type t = GetParam();
  if (!t.is_float()) return;
  std::vector<Case> cases;
  for (const ir::MathFn f : {ir::MathFn::Sqrt, ir::MathFn::Floor, ir::MathFn::Ceil, ir::MathFn::Round, ir::MathFn::Trunc, ir::MathFn::IsNan}) {
    const Type result = f == ir::MathFn::IsNan ? ir::Bool() : t;
    const ir::ScalarFn fn = ir::scalar_fn(Op::Math, f, t, result);
    cases.push_back({ir::math_name(f), result, [f](const auto& a) { return ir::make_math(f, {a[0]}); }, [fn](const auto& v) { return fn(v[0], 0, 0); }});
  }
  if (t.bits >= 32) {
    const ir::ScalarFn fn = ir::scalar_fn(Op::Math, ir::MathFn::Fma, t, t);
    cases.push_back({"fma", t, [](const auto& a) { return ir::make_math(ir::MathFn::Fma, {a[0], a[0], ir::make_float(a[0].type(), -1)}); },
                     [fn, t](const auto& v) { return fn(v[0], v[0], ir::Scalar::of_float(t, -1).bits); }});
  }
  std::vector<std::vector<uint64_t>> points;
  for (uint64_t v : interesting(t)) points.push_back({v});
  run(t, cases, points, 1);
  run(t, cases, points, 4);
}

TEST_P(Arithmetic, SelectAndReinterpret) {
  const Type t = GetParam();
  std::vector<Case> cases;
  cases.push_back({"select", t, [](const auto& a) { return ir::make_select(ir::make_binary(Op::LT, a[0], a[1]), a[0], a[1]); },
                   [lt = ir::scalar_fn(Op::LT, {}, t, ir::Bool())](const auto& v) { return lt(v[0], v[1], 0) ? v[0] : v[1]; }});
  for (const Type to : all_types()) {
    const ir::ScalarFn fn = to.bytes() == t.bytes() && !to.is_bool() && !t.is_bool() ? ir::scalar_fn(Op::Reinterpret, {}, t, to) : nullptr;
    if (!fn) continue;
    cases.push_back({"reinterpret as " + to_string(to), to,
                     [to](const auto& a) {
                       const int lanes = a[0].type().lanes;
                       std::vector<ir::Expr> args = {a[0]};
                       ir::ExprNode n;
                       n.op = Op::Reinterpret;
                       n.type = to.with_lanes(lanes);
                       n.args = args;
                       return ir::Expr(std::make_shared<const ir::ExprNode>(n));
                     },
                     [fn](const auto& v) { return fn(v[0], 0, 0); }});
  }
  run(t, cases, pairs(t), 1);
  run(t, cases, pairs(t), 4);
}

INSTANTIATE_TEST_SUITE_P(Types, Arithmetic, ::testing::ValuesIn(all_types()), [](const auto& info) { return to_string(info.param); });

}  // namespace
}  // namespace sinter
