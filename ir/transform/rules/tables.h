// The parts of the rule table, and the vocabulary in which they are written.
#pragma once

#include "ir/transform/rules/rule.h"

namespace sinter::ir::rules {

// Pattern operators that build nodes and fold nothing.
struct Pat {
  Expr e;
  Pat(Expr x) : e(std::move(x)) {}  // NOLINT: an Expr is a pattern
  Pat(int v) : e(i32(v)) {}         // NOLINT: so is a literal
};
// The wildcards. One set for all rules: variables are compared by identity.
struct Wildcards {
  Pat x, y, z, w;   // i32
  Pat p, q, r;      // Bool
  Pat c0, c1, c2;   // i32 literals
};
const Wildcards& wildcards();

inline Pat operator+(Pat a, Pat b) { return make_binary(Op::Add, a.e, b.e); }
inline Pat operator-(Pat a, Pat b) { return make_binary(Op::Sub, a.e, b.e); }
inline Pat operator*(Pat a, Pat b) { return make_binary(Op::Mul, a.e, b.e); }
inline Pat operator/(Pat a, Pat b) { return make_binary(Op::Div, a.e, b.e); }
inline Pat operator%(Pat a, Pat b) { return make_binary(Op::Mod, a.e, b.e); }
inline Pat operator<(Pat a, Pat b) { return make_binary(Op::LT, a.e, b.e); }
inline Pat operator<=(Pat a, Pat b) { return make_binary(Op::LE, a.e, b.e); }
inline Pat operator>(Pat a, Pat b) { return make_binary(Op::GT, a.e, b.e); }
inline Pat operator>=(Pat a, Pat b) { return make_binary(Op::GE, a.e, b.e); }
inline Pat operator==(Pat a, Pat b) { return make_binary(Op::EQ, a.e, b.e); }
inline Pat operator!=(Pat a, Pat b) { return make_binary(Op::NE, a.e, b.e); }
inline Pat operator&&(Pat a, Pat b) { return make_binary(Op::And, a.e, b.e); }
inline Pat operator||(Pat a, Pat b) { return make_binary(Op::Or, a.e, b.e); }
inline Pat operator!(Pat a) { return make_unary(Op::Not, a.e); }
inline Pat operator-(Pat a) { return make_unary(Op::Neg, a.e); }
inline Pat min(Pat a, Pat b) { return make_binary(Op::Min, a.e, b.e); }
inline Pat max(Pat a, Pat b) { return make_binary(Op::Max, a.e, b.e); }
inline Pat abs(Pat a) { return make_unary(Op::Abs, a.e); }
inline Pat bitand_(Pat a, Pat b) { return make_binary(Op::BitAnd, a.e, b.e); }
inline Pat bitor_(Pat a, Pat b) { return make_binary(Op::BitOr, a.e, b.e); }
inline Pat bitxor(Pat a, Pat b) { return make_binary(Op::BitXor, a.e, b.e); }
inline Pat bitnot(Pat a) { return make_unary(Op::BitNot, a.e); }
inline Pat shl(Pat a, Pat b) { return make_binary(Op::Shl, a.e, b.e); }
inline Pat shr(Pat a, Pat b) { return make_binary(Op::Shr, a.e, b.e); }
inline Pat select(Pat c, Pat a, Pat b) { return make_select(c.e, a.e, b.e); }
inline Pat ramp(Pat b, Pat s) { return make_ramp(b.e, s.e, kLanes); }
inline Pat broadcast(Pat a) { return make_broadcast(a.e, kLanes); }
inline Pat truth(bool v) { return make_bool(v); }

class Table {
 public:
  explicit Table(std::vector<Rule>& out, std::string group) : out_(out), group_(std::move(group)) {}
  void add(uint8_t domains, Pat lhs, Pat rhs) { push(domains, lhs, rhs, {}); }
  void add(uint8_t domains, Pat lhs, Pat rhs, Pat condition) { push(domains, lhs, rhs, condition.e); }

 private:
  void push(uint8_t domains, const Pat& lhs, const Pat& rhs, const Expr& condition);
  std::vector<Rule>& out_;
  std::string group_;
};

void arithmetic(std::vector<Rule>& out);  // + - * and bits
void division(std::vector<Rule>& out);    // / %
void min_max(std::vector<Rule>& out);
void compare(std::vector<Rule>& out);
void logic(std::vector<Rule>& out);       // && || ! select
void vector(std::vector<Rule>& out);      // ramps and broadcasts

}  // namespace sinter::ir::rules
