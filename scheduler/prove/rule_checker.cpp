#include "scheduler/prove/rule_checker.h"

#include <z3++.h>

#include <algorithm>
#include <map>

#include "ir/analysis/visit.h"
#include "ir/diagnostic.h"

namespace sinter::scheduler {

using ir::Expr;
using ir::Op;
using ir::Rule;
using ir::Verdict;

namespace {

enum class Numbers { Integer, SignedBits, UnsignedBits, Float };

constexpr unsigned kRlimit = 300'000;

// Terms of patterns over one kind of number, lane by lane.
class Terms {
 public:
  Terms(z3::context& c, Numbers kind) : c_(c), kind_(kind) {}

  // Values for wildcards, where they are not to be unknowns.
  std::map<const ir::VarNode*, int64_t> fixed;
  // Every number that appears below terms made so far; `literals` those without free wildcards.
  std::vector<z3::expr> numbers, literals;

  z3::expr make(const Expr& e, int lane) {
    const z3::expr v = compute(e, lane);
    if (!v.is_bool()) {
      numbers.push_back(v);
      if (only_literals(e)) literals.push_back(v);
    }
    return v;
  }

 private:
  static bool only_literals(const Expr& e) {
    for (const ir::Sym& v : ir::free_vars(e))
      if (!ir::is_literal_wildcard(v.get())) return false;
    return true;
  }

  z3::expr number(int64_t v) {
    if (kind_ == Numbers::Integer) return c_.int_val(v);
    if (kind_ == Numbers::Float) return c_.fpa_val(static_cast<float>(v));
    return c_.bv_val(v, 8);
  }

  z3::expr variable(const Expr& e) {
    if (const auto it = fixed.find(e->var.get()); it != fixed.end()) return number(it->second);
    const char* name = e->var->name.c_str();
    if (e.type().is_bool()) return c_.bool_const(name);
    if (kind_ == Numbers::Integer) return c_.int_const(name);
    if (kind_ == Numbers::Float) return c_.constant(name, c_.fpa_sort(3, 5));
    return c_.bv_const(name, 8);
  }

  bool bits() const { return kind_ == Numbers::SignedBits || kind_ == Numbers::UnsignedBits; }

  z3::expr less(const z3::expr& a, const z3::expr& b) { return kind_ == Numbers::UnsignedBits ? z3::ult(a, b) : a < b; }
  z3::expr at_most(const z3::expr& a, const z3::expr& b) { return kind_ == Numbers::UnsignedBits ? z3::ule(a, b) : a <= b; }
  z3::expr same(const z3::expr& a, const z3::expr& b) {
    if (kind_ == Numbers::Float && !a.is_bool()) return z3::expr(c_, Z3_mk_fpa_eq(c_, a, b));
    return a == b;
  }

  z3::expr divide(const z3::expr& a, const z3::expr& b, bool remainder) {
    const z3::expr zero = number(0);
    if (kind_ == Numbers::Integer) return z3::ite(b == zero, zero, remainder ? z3::mod(a, b) : a / b);
    if (kind_ == Numbers::UnsignedBits) return z3::ite(b == zero, zero, remainder ? z3::urem(a, b) : z3::udiv(a, b));
    const z3::expr q = a / b, r = z3::srem(a, b);  // towards zero
    const z3::expr fixed_r = z3::ite(r < zero, z3::ite(b > zero, r + b, r - b), r);
    const z3::expr fixed_q = z3::ite(r < zero, z3::ite(b > zero, q - number(1), q + number(1)), q);
    return z3::ite(b == zero, zero, remainder ? fixed_r : fixed_q);
  }

  z3::expr smaller(const z3::expr& a, const z3::expr& b, bool want_min) {
    const z3::expr picked = want_min ? z3::ite(at_most(a, b), a, b) : z3::ite(at_most(a, b), b, a);
    if (kind_ != Numbers::Float) return picked;
    const auto nan = [&](const z3::expr& v) { return z3::expr(c_, Z3_mk_fpa_is_nan(c_, v)); };
    return z3::ite(nan(a), a, z3::ite(nan(b), b, picked));
  }

  z3::expr compute(const Expr& e, int lane) {
    if (e->op == Op::Var) return variable(e);
    if (e->op == Op::IntImm) return e.type().is_bool() ? c_.bool_val(e->i != 0) : number(e->i);
    std::vector<z3::expr> args;
    for (const Expr& a : e->args) args.push_back(make(a, lane));
    switch (e->op) {
      case Op::Neg: return -args[0];
      case Op::Abs: return z3::ite(less(args[0], number(0)), -args[0], args[0]);
      case Op::Add: return args[0] + args[1];
      case Op::Sub: return args[0] - args[1];
      case Op::Mul: return args[0] * args[1];
      case Op::Div: return divide(args[0], args[1], false);
      case Op::Mod: return divide(args[0], args[1], true);
      case Op::Min: return smaller(args[0], args[1], true);
      case Op::Max: return smaller(args[0], args[1], false);
      case Op::EQ: return same(args[0], args[1]);
      case Op::NE: return !same(args[0], args[1]);
      case Op::LT: return less(args[0], args[1]);
      case Op::LE: return at_most(args[0], args[1]);
      case Op::GT: return less(args[1], args[0]);
      case Op::GE: return at_most(args[1], args[0]);
      case Op::And: return args[0] && args[1];
      case Op::Or: return args[0] || args[1];
      case Op::Not: return !args[0];
      case Op::Select: return z3::ite(args[0], args[1], args[2]);
      case Op::Broadcast: return args[0];
      case Op::Ramp: return lane == 0 ? args[0] : args[0] + number(lane) * args[1];
      default: break;
    }
    ir::internal_check(bits(), "a rule uses an operator that its domain has no meaning for");
    const z3::expr amount = e->args.size() == 2 ? args[1] & number(7) : args[0];
    switch (e->op) {
      case Op::BitAnd: return args[0] & args[1];
      case Op::BitOr: return args[0] | args[1];
      case Op::BitXor: return args[0] ^ args[1];
      case Op::BitNot: return ~args[0];
      case Op::Shl: return z3::shl(args[0], amount);
      case Op::Shr: return kind_ == Numbers::SignedBits ? z3::ashr(args[0], amount) : z3::lshr(args[0], amount);
      default: throw ir::InternalError(std::string("check_rule: no meaning for ") + ir::op_name(e->op));
    }
  }

  z3::context& c_;
  Numbers kind_;
};

using Fixed = std::map<const ir::VarNode*, int64_t>;

// Is some value of the wildcards a counterexample? `overflow`: instead of the values, ask about i32's range.
RuleProof ask_solver(z3::context& c, const Rule& rule, Numbers kind, bool overflow, const Fixed& fixed, const char* what, bool thorough) {
  RuleProof proof{what, Verdict::Proved, {}};
  const int lanes = rule.lhs.type().lanes;
  for (int lane = 0; lane < lanes; ++lane) {
    z3::solver solver = thorough ? z3::solver(c) : z3::solver(c, z3::solver::simple());
    z3::params params(c);
    params.set("rlimit", kRlimit);
    if (!thorough) params.set("arith.solver", 2u);  // as in Z3Prover
    solver.set(params);
    Terms left(c, kind), right(c, kind), condition(c, kind);
    left.fixed = right.fixed = condition.fixed = fixed;
    const z3::expr lhs = left.make(rule.lhs, lane), rhs = right.make(rule.rhs, lane);
    if (rule.condition.defined()) solver.add(condition.make(rule.condition, lane));
    const auto in_i32 = [&](const z3::expr& v) { return v >= c.int_val(int64_t{INT32_MIN}) && v <= c.int_val(int64_t{INT32_MAX}); };
    if (overflow) {
      // All lanes of the pattern have a value, not only this one.
      for (int other = 0; other < lanes; ++other) left.make(rule.lhs, other);
      for (const z3::expr& v : left.numbers) solver.add(in_i32(v));
      // Literals fold while compiling; where one does not fit, the rule is not applied.
      for (const z3::expr& v : right.literals) solver.add(in_i32(v));
      z3::expr bad = c.bool_val(false);
      for (const z3::expr& v : right.numbers) bad = bad || !in_i32(v);
      solver.add(bad);
    } else {
      solver.add(lhs != rhs);
    }
    const z3::check_result result = solver.check();
    if (result == z3::unsat) continue;
    proof.verdict = result == z3::sat ? Verdict::Refuted : Verdict::Unknown;
    if (result == z3::sat) {
      const z3::model m = solver.get_model();
      for (const auto& [v, value] : fixed) proof.detail += v->name + " = " + std::to_string(value) + " ";
      for (unsigned i = 0; i < m.num_consts(); ++i)
        proof.detail += m.get_const_decl(i).name().str() + " = " + m.get_const_interp(m.get_const_decl(i)).to_string() + " ";
    } else {
      proof.detail = solver.reason_unknown();
    }
    return proof;
  }
  return proof;
}

// Wildcards that multiply or divide others: with a value for each, a rule is linear.
void collect_factors(const Expr& e, std::vector<ir::Sym>& out) {
  const auto add = [&](const Expr& part) {
    for (const ir::Sym& v : ir::free_vars(part))
      if (!v->type.is_bool() && std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
  };
  if (e->op == Op::Div || e->op == Op::Mod || e->op == Op::Mul) add(e->args[1]);
  for (const Expr& a : e->args) collect_factors(a, out);
}

RuleProof ask(z3::context& c, const Rule& rule, Numbers kind, bool overflow, const Fixed& fixed, const char* what) {
  RuleProof proof = ask_solver(c, rule, kind, overflow, fixed, what, false);
  if (proof.verdict == Verdict::Unknown) proof = ask_solver(c, rule, kind, overflow, fixed, what, true);
  return proof;
}

bool is_bitwise(const Expr& e) {
  if (e->op >= Op::BitAnd && e->op <= Op::Shr) return true;
  return std::any_of(e->args.begin(), e->args.end(), is_bitwise);
}

// Products and quotients of unknown bits are hard; with each value of one factor they are easy, and there are only 256.
RuleProof prove_bits(z3::context& c, const Rule& rule, Numbers kind, const char* what) {
  std::vector<ir::Sym> factors;
  for (const Expr& e : {rule.lhs, rule.rhs}) collect_factors(e, factors);
  if (factors.size() != 1) return ask(c, rule, kind, false, {}, what);
  for (int64_t v = -128; v < 128; ++v) {
    const RuleProof one = ask(c, rule, kind, false, {{factors[0].get(), v}}, what);
    if (one.verdict != Verdict::Proved) return one;
  }
  return {what, Verdict::Proved, {}};
}

RuleProof prove_signed(z3::context& c, const Rule& rule, bool overflow) {
  const char* what = overflow ? "signed overflow" : "signed value";
  RuleProof proof = ask(c, rule, Numbers::Integer, overflow, {}, what);
  if (proof.verdict != Verdict::Unknown) return proof;

  std::vector<ir::Sym> factors;
  for (const Expr& e : {rule.lhs, rule.rhs}) collect_factors(e, factors);
  if (rule.condition.defined()) collect_factors(rule.condition, factors);
  if (factors.empty() || factors.size() > 3) return proof;
  static constexpr int64_t kFull[] = {INT32_MIN, -128, -64, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 8, 12, 64, 66, 128, 1000, 1024, INT32_MAX};
  static constexpr int64_t kShort[] = {INT32_MIN, -6, -1, 0, 1, 2, 3, 6, 64, INT32_MAX};
  const int64_t* values = factors.size() < 3 ? kFull : kShort;
  const size_t n = factors.size() < 3 ? std::size(kFull) : std::size(kShort);
  size_t total = 1;
  for (size_t i = 0; i < factors.size(); ++i) total *= n;
  for (size_t index = 0; index < total; ++index) {
    Fixed fixed;
    size_t rest = index;
    for (const ir::Sym& v : factors) {
      fixed[v.get()] = values[rest % n];
      rest /= n;
    }
    RuleProof one = ask(c, rule, Numbers::Integer, overflow, fixed, what);
    if (one.verdict != Verdict::Proved) {
      if (one.verdict == Verdict::Unknown)
        for (const auto& [v, value] : fixed) one.detail += " " + v->name + " = " + std::to_string(value);
      return one;
    }
  }
  return {what, Verdict::Proved, "for " + std::to_string(total) + " choices of factors"};
}

}  // namespace

std::vector<RuleProof> check_rule(const Rule& rule) {
  z3::context c;
  std::vector<RuleProof> out;
  const auto add = [&](Numbers kind, const char* what) { out.push_back(prove_bits(c, rule, kind, what)); };
  // Bitwise operators act on each bit alone and do not overflow.
  const bool bitwise = is_bitwise(rule.lhs);
  if ((rule.domains & ir::kSigned) && bitwise) add(Numbers::SignedBits, "signed value");
  if ((rule.domains & ir::kSigned) && !bitwise) {
    out.push_back(prove_signed(c, rule, false));
    out.push_back(prove_signed(c, rule, true));
  }
  if (rule.domains & ir::kWrapping) {
    add(Numbers::SignedBits, "i8");
    add(Numbers::UnsignedBits, "u8");
  }
  // A Bool rule has Bool wildcards only, or is about any type: there, values are only moved.
  if ((rule.domains & ir::kBool) && rule.domains != ir::kAny) add(Numbers::SignedBits, "bool");
  if (rule.domains & ir::kFloat) add(Numbers::Float, "float");
  return out;
}

}  // namespace sinter::scheduler
