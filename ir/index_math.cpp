// Index arithmetic with immediate folding (the operators of ir/expr.h), constants, and readable text.
#include <cmath>
#include <cstdio>

#include "ir/diagnostic.h"
#include "ir/expr.h"

namespace sinter::ir {

const int64_t* as_int(const Expr& e) { return e.defined() && e->op == Op::IntImm ? &e->i : nullptr; }

bool is_const(const Expr& e) {
  if (!e.defined()) return false;
  if (e->op == Op::Broadcast) return is_const(e->args[0]);
  return e->op == Op::IntImm || e->op == Op::FloatImm;
}

bool is_const_int(const Expr& e, int64_t v) {
  if (e.defined() && e->op == Op::Broadcast) return is_const_int(e->args[0], v);
  const int64_t* i = as_int(e);
  return i && *i == v;
}

bool is_true(const Expr& e) { return e.defined() && e.type().is_bool() && is_const_int(e, 1); }
bool is_false(const Expr& e) { return e.defined() && e.type().is_bool() && is_const_int(e, 0); }

namespace {

int64_t euclid_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  const int64_t q = a / b, r = a % b;
  return r < 0 ? (b > 0 ? q - 1 : q + 1) : q;
}
int64_t euclid_mod(int64_t a, int64_t b) {
  if (b == 0) return 0;
  const int64_t r = a % b;
  return r < 0 ? r + (b > 0 ? b : -b) : r;
}

// Folds only where the result fits the type, so that an overflow stays visible to whoever must report it.
bool fold(Op op, const Expr& a, const Expr& b, Expr& out) {
  const int64_t *x = as_int(a), *y = as_int(b);
  if (!x || !y || !a.type().is_int()) return false;
  int64_t v = 0;
  switch (op) {
    case Op::Add: if (__builtin_add_overflow(*x, *y, &v)) return false; break;
    case Op::Sub: if (__builtin_sub_overflow(*x, *y, &v)) return false; break;
    case Op::Mul: if (__builtin_mul_overflow(*x, *y, &v)) return false; break;
    case Op::Div: if (*y == -1) return false; v = euclid_div(*x, *y); break;
    case Op::Mod: if (*y == -1) return false; v = euclid_mod(*x, *y); break;
    case Op::Min: v = *x < *y ? *x : *y; break;
    case Op::Max: v = *x > *y ? *x : *y; break;
    default: return false;
  }
  const Expr folded = make_int(a.type(), v);
  if (folded->i != v) return false;
  out = folded;
  return true;
}

bool zero(const Expr& e) { return is_const_int(e, 0); }
bool one(const Expr& e) { return is_const_int(e, 1); }

Expr binary(Op op, const Expr& a, const Expr& b) {
  Expr out;
  if (fold(op, a, b, out)) return out;
  return make_binary(op, a, b);
}

// (x + c1) + c2 → x + (c1 + c2): keeps literal offsets visible without a full simplification.
Expr add_constant(const Expr& a, int64_t c) {
  if (c == 0) return a;
  const Expr k = make_int(a.type().element(), c);
  if (a->op == Op::Add && as_int(a->args[1])) return add_constant(a->args[0], *as_int(a->args[1]) + c);
  if (a->op == Op::Sub && as_int(a->args[1])) return add_constant(a->args[0], c - *as_int(a->args[1]));
  return binary(Op::Add, a, k);
}

}  // namespace

Expr operator+(const Expr& a, const Expr& b) {
  if (zero(a)) return b;
  if (zero(b)) return a;
  if (as_int(b) && a.type().is_int()) return add_constant(a, *as_int(b));
  if (as_int(a) && a.type().is_int()) return add_constant(b, *as_int(a));
  return binary(Op::Add, a, b);
}
Expr operator-(const Expr& a, const Expr& b) {
  if (zero(b)) return a;
  if (a.same_as(b) && a.type().is_integer()) return make_int(a.type(), 0);
  if (as_int(b) && a.type().is_int() && *as_int(b) != INT64_MIN) return add_constant(a, -*as_int(b));
  return binary(Op::Sub, a, b);
}
Expr operator*(const Expr& a, const Expr& b) {
  if (zero(a) || one(b)) return a;
  if (zero(b) || one(a)) return b;
  return as_int(a) ? binary(Op::Mul, b, a) : binary(Op::Mul, a, b);
}
Expr operator/(const Expr& a, const Expr& b) { return one(b) || zero(a) ? a : binary(Op::Div, a, b); }
Expr operator%(const Expr& a, const Expr& b) { return one(b) ? make_int(a.type(), 0) : zero(a) ? a : binary(Op::Mod, a, b); }
Expr operator+(const Expr& a, int64_t b) { return a + make_int(a.type(), b); }
Expr operator-(const Expr& a, int64_t b) { return a - make_int(a.type(), b); }
Expr operator*(const Expr& a, int64_t b) { return a * make_int(a.type(), b); }
Expr operator/(const Expr& a, int64_t b) { return a / make_int(a.type(), b); }
Expr operator%(const Expr& a, int64_t b) { return a % make_int(a.type(), b); }
Expr min(const Expr& a, const Expr& b) { return equal_structure(a, b) ? a : binary(Op::Min, a, b); }
Expr max(const Expr& a, const Expr& b) { return equal_structure(a, b) ? a : binary(Op::Max, a, b); }
Expr ceil_div(const Expr& a, int64_t b) { return (a + (b - 1)) / b; }

static Expr compare(Op op, const Expr& a, const Expr& b) {
  if (const int64_t *x = as_int(a), *y = as_int(b); x && y && (a.type().is_int() || (*x >= 0 && *y >= 0))) {
    switch (op) {
      case Op::LT: return make_bool(*x < *y);
      case Op::LE: return make_bool(*x <= *y);
      case Op::GT: return make_bool(*x > *y);
      case Op::GE: return make_bool(*x >= *y);
      default: return make_bool(*x == *y);
    }
  }
  return make_binary(op, a, b);
}
Expr operator<(const Expr& a, const Expr& b) { return compare(Op::LT, a, b); }
Expr operator<=(const Expr& a, const Expr& b) { return compare(Op::LE, a, b); }
Expr operator>(const Expr& a, const Expr& b) { return compare(Op::GT, a, b); }
Expr operator>=(const Expr& a, const Expr& b) { return compare(Op::GE, a, b); }
Expr equal(const Expr& a, const Expr& b) { return compare(Op::EQ, a, b); }

Expr operator&&(const Expr& a, const Expr& b) {
  if (!a.defined() || is_true(a)) return b;
  if (!b.defined() || is_true(b)) return a;
  if (is_false(a)) return a;
  if (is_false(b)) return b;
  return make_binary(Op::And, a, b);
}
Expr operator||(const Expr& a, const Expr& b) {
  if (!a.defined() || is_true(a)) return make_bool(true);
  if (!b.defined() || is_true(b)) return make_bool(true);
  if (is_false(a)) return b;
  if (is_false(b)) return a;
  return make_binary(Op::Or, a, b);
}
Expr operator!(const Expr& a) {
  if (is_true(a)) return make_bool(false);
  if (is_false(a)) return make_bool(true);
  if (a->op == Op::Not) return a->args[0];
  return make_unary(Op::Not, a);
}

const char* op_name(Op op) {
  static const char* const names[] = {"IntImm", "FloatImm", "Var", "Let", "Cast", "Reinterpret", "Neg", "Abs", "Add", "Sub", "Mul",
                                      "Div", "Mod", "Min", "Max", "EQ", "NE", "LT", "LE", "GT", "GE", "And", "Or", "Not", "BitAnd",
                                      "BitOr", "BitXor", "BitNot", "Shl", "Shr", "Select", "Math", "Strict", "Call", "Load", "Ramp",
                                      "Broadcast", "Lane", "Concat", "Shuffle"};
  return names[static_cast<int>(op)];
}

const char* math_name(MathFn f) {
  static const char* const names[] = {"exp", "exp2", "log", "log2", "tanh", "erf", "sqrt", "rsqrt", "pow",
                                      "sin", "cos", "floor", "ceil", "round", "trunc", "fma", "is_nan"};
  return names[static_cast<int>(f)];
}

namespace {

const char* infix(Op op) {
  switch (op) {
    case Op::Add: return " + ";
    case Op::Sub: return " - ";
    case Op::Mul: return "*";
    case Op::Div: return "/";
    case Op::Mod: return " % ";
    case Op::EQ: return " == ";
    case Op::NE: return " != ";
    case Op::LT: return " < ";
    case Op::LE: return " <= ";
    case Op::GT: return " > ";
    case Op::GE: return " >= ";
    case Op::And: return " && ";
    case Op::Or: return " || ";
    case Op::BitAnd: return " & ";
    case Op::BitOr: return " | ";
    case Op::BitXor: return " ^ ";
    case Op::Shl: return " << ";
    case Op::Shr: return " >> ";
    default: return nullptr;
  }
}

int precedence(Op op) {
  switch (op) {
    case Op::Mul: case Op::Div: case Op::Mod: return 6;
    case Op::Add: case Op::Sub: return 5;
    case Op::LT: case Op::LE: case Op::GT: case Op::GE: case Op::EQ: case Op::NE: return 4;
    case Op::And: return 3;
    case Op::Or: return 2;
    default: return infix(op) ? 1 : 9;
  }
}

// Text grows with the number of paths through a DAG; beyond this many characters the rest is elided.
constexpr size_t kMaxText = 4000;

void append(const Expr& e, std::string& out, int outer) {
  if (!e.defined()) { out += "none"; return; }
  if (out.size() > kMaxText) { out += "..."; return; }
  const auto list = [&](const char* open) {
    out += open;
    for (size_t i = 0; i < e->args.size(); ++i) {
      if (i) out += ", ";
      append(e->args[i], out, 0);
    }
    out += ")";
  };
  switch (e->op) {
    case Op::IntImm:
      out += e.type().is_bool() ? (e->i ? "true" : "false") : std::to_string(e->i);
      return;
    case Op::FloatImm: {
      char text[40];
      std::snprintf(text, sizeof text, "%.9g", e->f);
      out += text;
      return;
    }
    case Op::Var: out += e->var->name; return;
    case Op::Let:
      out += "(let " + e->var->name + " = ";
      append(e->args[0], out, 0);
      out += " in ";
      append(e->args[1], out, 0);
      out += ")";
      return;
    case Op::Cast: out += to_string(e.type()); list("("); return;
    case Op::Neg: out += "-"; append(e->args[0], out, 8); return;
    case Op::Not: out += "!"; append(e->args[0], out, 8); return;
    case Op::BitNot: out += "~"; append(e->args[0], out, 8); return;
    case Op::Math: out += math_name(e->fn); list("("); return;
    case Op::Call: case Op::Load: out += (e->op == Op::Call ? "f" : "b") + std::to_string(e->id); list("("); return;
    case Op::Lane: append(e->args[0], out, 8); out += "." + std::to_string(e->i); return;
    default: break;
  }
  if (const char* text = infix(e->op)) {
    const int p = precedence(e->op);
    if (p < outer) out += "(";
    append(e->args[0], out, p);
    out += text;
    append(e->args[1], out, p + 1);
    if (p < outer) out += ")";
    return;
  }
  std::string name = op_name(e->op);
  for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  out += name;
  list("(");
}

}  // namespace

std::string to_string(const Expr& e) {
  std::string out;
  append(e, out, 0);
  return out;
}

}  // namespace sinter::ir
