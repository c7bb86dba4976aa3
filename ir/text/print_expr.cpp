// Expressions: infix with least parentheses, literals with types where needed, temporaries for shared nodes.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "ir/text/printer.h"

namespace sinter::ir::text {

namespace {

constexpr int kInlineSize = 5;    // shared nodes up to this size are repeated: reads better, still linear
constexpr int kInlineDepth = 40;  // deeper ones are cut, so that the parser's depth is bounded by the text
constexpr int kUnary = 10;

struct Infix {
  const char* text = nullptr;
  int precedence = 0;
};

Infix infix(Op op) {
  switch (op) {
    case Op::Or: return {" || ", 1};
    case Op::And: return {" && ", 2};
    case Op::EQ: return {" == ", 3};
    case Op::NE: return {" != ", 3};
    case Op::LT: return {" < ", 3};
    case Op::LE: return {" <= ", 3};
    case Op::GT: return {" > ", 3};
    case Op::GE: return {" >= ", 3};
    case Op::BitOr: return {" | ", 4};
    case Op::BitXor: return {" ^ ", 5};
    case Op::BitAnd: return {" & ", 6};
    case Op::Shl: return {" << ", 7};
    case Op::Shr: return {" >> ", 7};
    case Op::Add: return {" + ", 8};
    case Op::Sub: return {" - ", 8};
    case Op::Mul: return {"*", 9};
    case Op::Div: return {"/", 9};
    case Op::Mod: return {" % ", 9};
    default: return {};
  }
}

bool is_literal(const Expr& e) {
  return e.defined() && ((e->op == Op::IntImm && !e.type().is_bool()) || e->op == Op::FloatImm);
}

// The type that bare literals take among operands of one type: that of the first operand that isn't a literal.
Type type_of_group(const std::vector<Expr>& args, size_t first = 0) {
  for (size_t i = first; i < args.size(); ++i)
    if (args[i].defined() && !is_literal(args[i])) return args[i].type();
  return {};
}

std::string float_text(Type t, double v) {
  char buffer[64];
  const auto result = t.bits <= 32 ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(v))
                                   : std::to_chars(buffer, buffer + sizeof buffer, v);
  std::string s(buffer, result.ptr);
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return s;
}

// Operands first, each node once.
std::vector<Expr> post_order(const std::vector<Expr>& roots, std::unordered_map<const ExprNode*, int>& refs) {
  std::vector<Expr> order;
  struct Frame {
    Expr e;
    size_t next = 0;
  };
  std::vector<Frame> stack;
  const auto enter = [&](const Expr& e) {
    if (e.defined() && ++refs[e.get()] == 1) stack.push_back({e});
  };
  for (const Expr& root : roots) {
    enter(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.e->args.size()) {
        const Expr operand = top.e->args[top.next++];
        enter(operand);
      } else {
        order.push_back(top.e);
        stack.pop_back();
      }
    }
  }
  return order;
}

}  // namespace

// Chooses the temporaries for a statement whose expressions are `roots`.
void Printer::plan(const std::vector<Expr>& roots) {
  temps_.clear();
  outer_temps_.clear();
  let_temps_.clear();
  next_temp_ = 0;
  std::unordered_map<const ExprNode*, int> refs;
  const std::vector<Expr> order = post_order(roots, refs);

  struct Cost {
    int size = 0, depth = 0;
    bool has_let = false;
  };
  std::unordered_map<const ExprNode*, Cost> costs;
  std::unordered_map<const VarNode*, int> let_at;  // variable → position of its Let
  std::vector<Expr> temps;
  for (size_t i = 0; i < order.size(); ++i) {
    const Expr& e = order[i];
    Cost c{1, 1, e->op == Op::Let};
    if (c.has_let) let_at.emplace(e->var.get(), static_cast<int>(i));
    for (const Expr& a : e->args) {
      if (!a.defined()) continue;
      if (temps_.count(a.get())) {
        ++c.size;
        continue;
      }
      const Cost& of = costs[a.get()];
      c.size = std::min(c.size + of.size, 1 << 20);
      c.depth = std::max(c.depth, of.depth + 1);
      c.has_let |= of.has_let;
    }
    costs[e.get()] = c;
    if (e->args.empty()) continue;
    const bool shared = refs[e.get()] > 1 && (c.size > kInlineSize || c.has_let);
    if (!shared && c.depth < kInlineDepth) continue;
    temps_[e.get()] = -1;
    temps.push_back(e);
  }

  if (let_at.empty()) {
    outer_temps_ = std::move(temps);
    return;
  }
  // A temporary stands where the innermost let-bound variable in it is known; of nested Lets the inner one is earlier in `order`.
  std::unordered_map<const ExprNode*, std::vector<int>> needs;  // sorted positions of Lets
  for (size_t i = 0; i < order.size(); ++i) {
    const Expr& e = order[i];
    std::vector<int> mine;
    const auto add = [&mine](int let) {
      const auto at = std::lower_bound(mine.begin(), mine.end(), let);
      if (at == mine.end() || *at != let) mine.insert(at, let);
    };
    if (e->op == Op::Var)
      if (const auto it = let_at.find(e->var.get()); it != let_at.end()) add(it->second);
    for (const Expr& a : e->args)
      if (a.defined())
        for (int let : needs[a.get()])
          if (e->op != Op::Let || let != static_cast<int>(i)) add(let);
    needs[e.get()] = std::move(mine);
  }
  for (const Expr& t : temps) {
    const std::vector<int>& lets = needs[t.get()];
    (lets.empty() ? outer_temps_ : let_temps_[order[lets[0]].get()]).push_back(t);
  }
}

void Printer::define(std::string& out, const std::vector<Expr>& temps, const char* separator) {
  for (const Expr& t : temps) {
    std::string value;
    expr(value, t, 0, {}, true);
    const int number = next_temp_++;
    temps_[t.get()] = number;
    out += "%" + std::to_string(number) + " = " + value + separator;
  }
}

void Printer::define_temps() {
  for (const Expr& t : outer_temps_) {
    std::string one;
    define(one, {t}, "");
    line(one);
  }
}

std::string Printer::inline_expr(const Expr& e, Type expected) {
  if (!e.defined()) return "_";
  plan({e});
  if (outer_temps_.empty()) return text(e, expected);
  const std::string margin(2 * static_cast<size_t>(indent_) + 2, ' ');
  std::string out = "{\n" + margin;
  define(out, outer_temps_, (";\n" + margin).c_str());
  expr(out, e, 0, expected);
  return out + "\n" + margin.substr(2) + "}";
}

std::string Printer::text(const Expr& e, Type expected) {
  std::string out;
  expr(out, e, 0, expected);
  return out;
}

std::string Printer::list(const std::vector<Expr>& es, Type expected) {
  std::string out;
  for (const Expr& e : es) {
    if (!out.empty()) out += ", ";
    expr(out, e, 0, expected);
  }
  return out;
}

void Printer::literal(std::string& out, const Expr& e, Type expected) const {
  const Type t = e.type();
  if (t.is_bool()) {
    out += e->i ? "true" : "false";
    return;
  }
  if (e->op == Op::IntImm) {
    out += t.is_uint() ? std::to_string(static_cast<uint64_t>(e->i)) : std::to_string(e->i);
  } else if (std::isnan(e->f)) {
    uint64_t bits, usual;
    const double quiet = std::numeric_limits<double>::quiet_NaN();
    std::memcpy(&bits, &e->f, sizeof bits);
    std::memcpy(&usual, &quiet, sizeof usual);
    out += "nan";
    if (bits != usual) {
      char hex[32];
      std::snprintf(hex, sizeof hex, "(0x%llx)", static_cast<unsigned long long>(bits));
      out += hex;
    }
  } else if (std::isinf(e->f)) {
    out += e->f < 0 ? "-inf" : "inf";
  } else {
    out += float_text(t, e->f);
  }
  // A bare literal is of the type its place expects, where that is known and of its class, else i32 or f32.
  const Type usual = e->op == Op::IntImm ? Int(32) : Float(32);
  const bool fits = e->op == Op::IntImm ? expected.is_integer() : expected.is_float();
  if (t != (fits && !expected.is_none() && expected.is_scalar() ? expected : usual)) out += ":" + to_string(t);
}

void Printer::binary(std::string& out, const Expr& e, int min_precedence) {
  const Infix op = infix(e->op);
  const bool paren = op.precedence < min_precedence;
  const bool comparison = op.precedence == 3;  // not associative
  const Type expected = type_of_group(e->args);
  if (paren) out += "(";
  expr(out, e->args[0], op.precedence + (comparison ? 1 : 0), expected);
  out += op.text;
  expr(out, e->args[1], op.precedence + 1, expected);
  if (paren) out += ")";
}

void Printer::operands(std::string& out, const std::vector<Expr>& args, bool of_one_type) {
  out += "(" + list(args, of_one_type ? type_of_group(args) : Type{}) + ")";
}

void Printer::call(std::string& out, const Expr& e) {
  out += func(e->id);
  const Type usual = func_type(e->id);
  if (e.type().element() != usual) out += ":" + to_string(e.type().element());
  if (e->op == Op::Call) {
    operands(out, e->args, false);
    return;
  }
  out += "[";
  expr(out, e->args[0], 0, {});
  if (e->args.size() > 1) {
    out += ", mask ";
    expr(out, e->args[1], 0, {});
  }
  if (e->i) out += ", align " + std::to_string(e->i);
  if (e->cache == static_cast<uint8_t>(CachePolicy::Stream)) out += ", stream";
  if (e->cache == static_cast<uint8_t>(CachePolicy::Keep)) out += ", keep";
  out += "]";
}

// { let a = ...; let b = ...; %0 = ...; body }
void Printer::let_block(std::string& out, const Expr& e) {
  out += "{ ";
  Expr at = e;
  do {
    out += "let " + sym(at->var) + " = ";
    expr(out, at->args[0], 0, {});
    out += "; ";
    if (const auto it = let_temps_.find(at.get()); it != let_temps_.end()) define(out, it->second, "; ");
    at = at->args[1];
  } while (at.defined() && at->op == Op::Let && !temps_.count(at.get()));
  expr(out, at, 0, {});
  out += " }";
}

void Printer::expr(std::string& out, const Expr& e, int min_precedence, Type expected, bool defining) {
  if (!e.defined()) {
    out += "_";
    return;
  }
  if (!defining)
    if (const auto it = temps_.find(e.get()); it != temps_.end()) {
      out += "%" + std::to_string(it->second);
      return;
    }
  const auto function = [&](const char* name, bool of_one_type) {
    out += name;
    operands(out, e->args, of_one_type);
  };
  switch (e->op) {
    case Op::IntImm:
    case Op::FloatImm: literal(out, e, expected); return;
    case Op::Var: out += sym(e->var); return;
    case Op::Let: let_block(out, e); return;
    case Op::Cast: out += to_string(e.type()); operands(out, e->args, false); return;
    case Op::Reinterpret:
      out += "reinterpret(" + to_string(e.type()) + ", ";
      expr(out, e->args[0], 0, {});
      out += ")";
      return;
    case Op::Neg:
    case Op::Not:
    case Op::BitNot: {
      out += e->op == Op::Neg ? "-" : e->op == Op::Not ? "!" : "~";
      const bool paren = is_literal(e->args[0]);  // -3 is a literal, -(3) is not
      if (paren) out += "(";
      expr(out, e->args[0], paren ? 0 : kUnary + 1, {});
      if (paren) out += ")";
      return;
    }
    case Op::Abs: function("abs", false); return;
    case Op::Min: function("min", true); return;
    case Op::Max: function("max", true); return;
    case Op::Select: {
      const Type values = type_of_group(e->args, 1);
      out += "select(";
      expr(out, e->args[0], 0, {});
      for (size_t i = 1; i < e->args.size(); ++i) {
        out += ", ";
        expr(out, e->args[i], 0, values);
      }
      out += ")";
      return;
    }
    case Op::Math: function(math_name(e->fn), true); return;
    case Op::Strict: function("strict", false); return;
    case Op::Call:
    case Op::Load: call(out, e); return;
    case Op::Ramp:
    case Op::Broadcast:
      out += e->op == Op::Ramp ? "ramp(" : "broadcast(";
      out += list(e->args, type_of_group(e->args)) + ", " + std::to_string(e.type().lanes) + ")";
      return;
    case Op::Lane: out += "lane(" + list(e->args) + ", " + std::to_string(e->i) + ")"; return;
    case Op::Concat: function("concat", true); return;
    case Op::Shuffle: function("shuffle", false); return;
    default: break;
  }
  // Binary operators; -3 and 2 - -3 need no parentheses, since a minus before a number belongs to it.
  if (infix(e->op).text && e->args.size() == 2) {
    binary(out, e, min_precedence);
    return;
  }
  out += "<malformed " + std::string(op_name(e->op)) + ">";
}

}  // namespace sinter::ir::text
