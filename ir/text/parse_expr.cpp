// Expressions. Nodes are built as written: nothing is folded, so that what was printed comes back.
#include <charconv>
#include <cstring>
#include <limits>

#include "ir/text/names.h"
#include "ir/text/parser.h"

namespace sinter::ir::text {

namespace {

constexpr int kComparison = 3, kUnary = 10;

struct Infix {
  Op op{};
  int precedence = 0;  // 0: not an operator
};

Infix infix(const Token& t) {
  if (t.kind != TokenKind::Punct) return {};
  static const std::unordered_map<std::string_view, Infix> table = {
      {"||", {Op::Or, 1}},      {"&&", {Op::And, 2}},    {"==", {Op::EQ, 3}},   {"!=", {Op::NE, 3}},  {"<", {Op::LT, 3}},  {"<=", {Op::LE, 3}},
      {">", {Op::GT, 3}},       {">=", {Op::GE, 3}},     {"|", {Op::BitOr, 4}}, {"^", {Op::BitXor, 5}}, {"&", {Op::BitAnd, 6}},
      {"<<", {Op::Shl, 7}},     {">>", {Op::Shr, 7}},    {"+", {Op::Add, 8}},   {"-", {Op::Sub, 8}},  {"*", {Op::Mul, 9}}, {"/", {Op::Div, 9}},
      {"%", {Op::Mod, 9}}};
  const auto it = table.find(t.text);
  return it == table.end() ? Infix{} : it->second;
}

std::shared_ptr<ExprNode> node(Op op, Type type, std::vector<Expr> args = {}) {
  auto n = std::make_shared<ExprNode>();
  n->op = op;
  n->type = type;
  n->args = std::move(args);
  return n;
}

double parse_double(const std::string& text, Type t) {
  if (t.bits <= 32) {  // directly to float: by way of double it could be rounded twice
    float v = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (error == std::errc()) return v;
  }
  double v = 0;
  std::from_chars(text.data(), text.data() + text.size(), v);
  return v;
}

}  // namespace

Expr Parser::expr(Type expected) { return finish(binary(0), expected); }

Expr Parser::optional_expr(Type expected) {
  if (accept("_")) return {};
  return expr(expected);
}

std::vector<Expr> Parser::exprs(Type expected, bool optional) {
  std::vector<Expr> out;
  expect("(");
  comma_list(")", [&] { out.push_back(optional ? optional_expr(expected) : expr(expected)); });
  return out;
}

// A bare literal becomes one of the expected type where its class fits, else i32 or f32.
Expr Parser::finish(const Value& v, Type expected) const {
  if (v.e.defined()) return v.e;
  if (v.is_float) {
    const Type t = !expected.is_none() && expected.is_float() && expected.is_scalar() ? expected : Float(32);
    if (v.nan_bits) {
      const std::shared_ptr<ExprNode> n = node(Op::FloatImm, t);
      std::memcpy(&n->f, &*v.nan_bits, sizeof n->f);
      return Expr(n);
    }
    const double d = parse_double(v.text, t);
    return make_float(t, v.negative ? -d : d);
  }
  const Type t = !expected.is_none() && expected.is_integer() && expected.is_scalar() ? expected : Int(32);
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(v.text.data(), v.text.data() + v.text.size(), magnitude);
  const uint64_t top = t.is_uint() ? (t.bits == 64 ? ~0ull : (1ull << t.bits) - 1) : (1ull << (t.bits - 1)) - 1;
  const uint64_t limit = !v.negative ? top : t.is_uint() ? 0 : top + 1;
  if (error != std::errc() || end != v.text.data() + v.text.size() || magnitude > limit)
    fail_at(v.offset, (v.negative ? "-" : "") + v.text + " does not fit " + to_string(t), "write its type: " + v.text + ":i64");
  return make_int(t, static_cast<int64_t>(v.negative ? ~magnitude + 1 : magnitude));
}

Type Parser::require_same(const std::vector<Expr>& args, size_t first, size_t offset) const {
  for (size_t i = first + 1; i < args.size(); ++i)
    if (args[i].type() != args[first].type())
      fail_at(offset, "operands of types " + to_string(args[first].type()) + " and " + to_string(args[i].type()));
  return args[first].type();
}

// Operands [first, ...) are of one type: bare literals take it.
std::vector<Expr> Parser::finish_group(std::vector<Value>& values, size_t first, size_t offset) const {
  Type t;
  for (size_t i = first; i < values.size() && t.is_none(); ++i)
    if (values[i].e.defined()) {
      const Expr& e = values[i].e;
      const bool is_literal = (e->op == Op::IntImm && !e.type().is_bool()) || e->op == Op::FloatImm;
      if (!is_literal) t = e.type();
    }
  std::vector<Expr> out;
  for (size_t i = 0; i < values.size(); ++i) out.push_back(finish(values[i], i >= first ? t : Type{}));
  if (first < out.size()) require_same(out, first, offset);
  return out;
}

Parser::Value Parser::binary(int min_precedence) {
  const Depth depth(*this);
  Value lhs = unary();
  bool compared = false;
  for (;;) {
    const Token op_token = peek();
    const Infix op = infix(op_token);
    if (op.precedence == 0 || op.precedence < min_precedence) return lhs;
    if (op.precedence == kComparison && compared) fail("comparisons do not chain; add parentheses");
    next();
    std::vector<Value> operands;
    operands.push_back(std::move(lhs));
    operands.push_back(binary(op.precedence + 1));
    std::vector<Expr> args = finish_group(operands, 0, op_token.offset);
    Type t = args[0].type();
    if ((op.op == Op::And || op.op == Op::Or) && !t.is_bool()) fail_at(op_token.offset, "operands of type " + to_string(t) + ", not bool");
    if (op.precedence == kComparison) t = Bool(t.lanes);
    compared = op.precedence == kComparison;
    lhs = Value{Expr(node(op.op, t, std::move(args))), "", {}, false, false, op_token.offset};
  }
}

Parser::Value Parser::unary() {
  const Depth depth(*this);
  const size_t offset = peek().offset;
  const Token& after = peek(1);
  if (is("-") && (after.kind == TokenKind::Number || (after.kind == TokenKind::Word && (after.text == "inf" || after.text == "nan")))) {
    next();
    return number(true);
  }
  for (const auto& [text, op] : {std::pair{"-", Op::Neg}, {"!", Op::Not}, {"~", Op::BitNot}}) {
    if (!accept(text)) continue;
    const Expr operand = finish(unary(), {});
    if (op == Op::Not && !operand.type().is_bool()) fail_at(offset, "`!` of a value that is not bool");
    return {Expr(node(op, operand.type(), {operand})), "", {}, false, false, offset};
  }
  return primary();
}

Parser::Value Parser::number(bool negative) {
  Value v;
  v.offset = peek().offset;
  v.negative = negative;
  v.text = next().text;
  const bool special = v.text == "inf" || v.text == "nan";
  v.is_float = special || (v.text.substr(0, 2) != "0x" && v.text.find_first_of(".e") != std::string::npos);
  std::optional<uint64_t> nan_bits;
  if (v.text == "nan" && is("(") && peek(1).kind == TokenKind::Number) {
    next();
    const std::string bits = next().text;
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(bits.data() + std::min<size_t>(2, bits.size()), bits.data() + bits.size(), value, 16);
    if (error != std::errc() || bits.substr(0, 2) != "0x" || end != bits.data() + bits.size()) fail_at(v.offset, "nan(0x...) takes 64 bits");
    double d;
    std::memcpy(&d, &value, sizeof d);
    if (d == d) fail_at(v.offset, "these are not the bits of a NaN");
    nan_bits = value;
    expect(")");
  }
  std::optional<Type> typed;
  if (is(":") && peek(1).kind == TokenKind::Word && parse_type(peek(1).text)) {
    next();
    typed = type();
    const bool fits = !typed->is_bool() && typed->is_scalar() && typed->is_float() == v.is_float;
    if (!fits) fail_at(v.offset, "a literal of type " + to_string(*typed) + " is not written so");
  }
  v.nan_bits = nan_bits;
  if (typed) v.e = finish(v, *typed);
  return v;
}

Parser::Value Parser::primary() {
  const Token t = peek();
  if (t.kind == TokenKind::Number) return number(false);
  Value v;
  v.offset = t.offset;
  if (t.kind == TokenKind::Temp) {
    const auto it = temps_.find(t.text);
    if (it == temps_.end()) fail("%" + t.text + " is not defined here");
    next();
    v.e = it->second;
    return v;
  }
  if (accept("(")) {
    v = binary(0);
    v.e = finish(v, {});
    expect(")");
    return v;
  }
  if (is("{")) return block();
  if (!is_name()) expected("an expression");
  if (t.kind == TokenKind::Word) {
    if (t.text == "inf" || t.text == "nan") return number(false);
    if (t.text == "true" || t.text == "false") {
      next();
      v.e = make_bool(t.text == "true");
      return v;
    }
    if (is_reserved(t.text)) expected("an expression");
  }
  const Token& after = peek(1);
  const auto next_is = [&after](const char* p) { return after.kind == TokenKind::Punct && after.text == p; };
  if (next_is("(") && t.kind == TokenKind::Word && is_function(t.text)) {
    next();
    return function(t.text, t.offset);
  }
  const bool typed = next_is(":") && peek(2).kind == TokenKind::Word && parse_type(peek(2).text) && peek(3).kind == TokenKind::Punct &&
                     (peek(3).text == "(" || peek(3).text == "[");
  if (next_is("(") || next_is("[") || typed) {
    const int id = func();
    const bool is_call = peek(typed ? 2 : 0).text == "(";
    v.e = is_call ? call(id, t.offset) : load(id, t.offset);
    return v;
  }
  v.e = make_var(variable());
  return v;
}

// { let x = e; %0 = e; e }
Parser::Value Parser::block() {
  const Depth depth(*this);
  std::vector<std::pair<Sym, Expr>> lets;
  const size_t offset = peek().offset;
  expect("{");
  for (;;) {
    if (peek().kind == TokenKind::Temp && peek(1).kind == TokenKind::Punct && peek(1).text == "=") {
      temp_definition();
    } else if (accept("let")) {
      const size_t at = peek().offset;
      const std::string n = name("a variable");
      expect("=");
      const Expr value = expr();
      lets.emplace_back(bind(n, value.type(), at), value);
    } else {
      break;
    }
    expect(";");
  }
  Expr e = expr();
  expect("}");
  for (size_t i = lets.size(); i-- > 0;) {
    const std::shared_ptr<ExprNode> n = node(Op::Let, e.type(), {lets[i].second, e});
    n->var = lets[i].first;
    e = Expr(n);
  }
  return {e, "", {}, false, false, offset};
}

void Parser::temp_definition() {
  const std::string number = next().text;
  expect("=");
  temps_[number] = expr();
}

Expr Parser::call(int id, size_t offset) {
  const Type t = accept(":") ? type() : func_type(id);
  std::vector<Expr> args = exprs();
  int lanes = 1;
  for (const Expr& a : args) lanes = std::max<int>(lanes, a.type().lanes);
  if (t.is_none() || !t.is_scalar()) fail_at(offset, "this Func has no element type");
  const std::shared_ptr<ExprNode> n = node(Op::Call, t.with_lanes(lanes), std::move(args));
  n->id = id;
  return Expr(n);
}

Parser::Access Parser::access() {
  Access a;
  expect("[");
  a.index = expr();
  while (accept(",")) {
    if (accept("mask")) a.mask = expr();
    else if (accept("align")) a.align = integer();
    else if (accept("stream")) a.cache = CachePolicy::Stream;
    else if (accept("keep")) a.cache = CachePolicy::Keep;
    else expected("mask, align, stream or keep");
  }
  expect("]");
  return a;
}

Expr Parser::load(int id, size_t offset) {
  const Type t = accept(":") ? type() : func_type(id);
  Access a = access();
  if (t.is_none() || !t.is_scalar()) fail_at(offset, "this buffer has no element type");
  const int lanes = a.index.type().lanes;
  std::vector<Expr> args = {a.index};
  if (a.mask.defined()) args.push_back(a.mask);
  const std::shared_ptr<ExprNode> n = node(Op::Load, t.with_lanes(lanes), std::move(args));
  n->id = id;
  n->i = a.align;
  n->cache = static_cast<uint8_t>(a.cache);
  return Expr(n);
}

Parser::Value Parser::function(const std::string& word, size_t offset) {
  std::vector<Value> values;
  std::optional<Type> cast = parse_type(word);
  expect("(");
  if (word == "reinterpret") {
    cast = type();
    expect(",");
  }
  comma_list(")", [&] { values.push_back(binary(0)); });
  const auto arity = [&](size_t n) {
    if (values.size() != n) fail_at(offset, "`" + word + "` takes " + std::to_string(n) + (n == 1 ? " operand" : " operands"));
  };
  const auto make = [offset](std::shared_ptr<ExprNode> n) { return Value{Expr(std::move(n)), "", {}, false, false, offset}; };
  // The last operand of ramp, broadcast and lane is a plain number.
  const auto count = [&](int64_t low, int64_t high) {
    Expr last = finish(values.back(), {});
    values.pop_back();
    const int64_t* n = as_int(last);
    if (!n || *n < low || *n > high)
      fail_at(offset, "the last operand of `" + word + "` is a number from " + std::to_string(low) + " to " + std::to_string(high));
    return static_cast<int>(*n);
  };
  constexpr int kMaxLanes = 1024;

  if (cast) {
    arity(1);
    const Expr e = finish(values[0], {});
    if (word != "reinterpret" && cast->lanes != e.type().lanes) fail_at(offset, "a cast keeps the number of lanes");
    return make(node(word == "reinterpret" ? Op::Reinterpret : Op::Cast, *cast, {e}));
  }
  if (word == "min" || word == "max") {
    arity(2);
    std::vector<Expr> args = finish_group(values, 0, offset);
    const Type t = args[0].type();
    return make(node(word == "min" ? Op::Min : Op::Max, t, std::move(args)));
  }
  if (word == "select") {
    arity(3);
    std::vector<Expr> args = finish_group(values, 1, offset);
    const Type t = args[1].type();
    if (!args[0].type().is_bool()) fail_at(offset, "the condition of `select` is not bool");
    return make(node(Op::Select, t, std::move(args)));
  }
  if (word == "abs" || word == "strict") {
    arity(1);
    const Expr e = finish(values[0], {});
    return make(node(word == "abs" ? Op::Abs : Op::Strict, e.type(), {e}));
  }
  if (word == "ramp") {
    arity(3);
    const int lanes = count(1, kMaxLanes);
    std::vector<Expr> args = finish_group(values, 0, offset);
    if (!args[0].type().is_scalar()) fail_at(offset, "`ramp` of a vector");
    const Type t = args[0].type().with_lanes(lanes);
    return make(node(Op::Ramp, t, std::move(args)));
  }
  if (word == "broadcast") {
    arity(2);
    const int lanes = count(1, kMaxLanes);
    const Expr e = finish(values[0], {});
    if (!e.type().is_scalar()) fail_at(offset, "`broadcast` of a vector");
    return make(node(Op::Broadcast, e.type().with_lanes(lanes), {e}));
  }
  if (word == "lane") {
    arity(2);
    const int lane = count(0, kMaxLanes - 1);
    const Expr e = finish(values[0], {});
    if (lane >= e.type().lanes) fail_at(offset, "no such lane");
    const std::shared_ptr<ExprNode> n = node(Op::Lane, e.type().element(), {e});
    n->i = lane;
    return make(n);
  }
  if (word == "concat") {
    if (values.empty() || values.size() > kMaxLanes) fail_at(offset, "`concat` takes 1 to 1024 operands");
    std::vector<Expr> args = finish_group(values, 0, offset);
    if (!args[0].type().is_scalar()) fail_at(offset, "`concat` of vectors");
    const Type t = args[0].type().with_lanes(static_cast<int>(args.size()));
    return make(node(Op::Concat, t, std::move(args)));
  }
  if (word == "shuffle") {
    arity(2);
    const Expr value = finish(values[0], {}), lane = finish(values[1], {});
    return make(node(Op::Shuffle, value.type(), {value, lane}));
  }
  const MathFn fn = *math_function(word);
  arity(fn == MathFn::Fma ? 3 : fn == MathFn::Pow ? 2 : 1);
  std::vector<Expr> args = finish_group(values, 0, offset);
  const Type t = fn == MathFn::IsNan ? Bool(args[0].type().lanes) : args[0].type();
  const std::shared_ptr<ExprNode> n = node(Op::Math, t, std::move(args));
  n->fn = fn;
  return make(n);
}

}  // namespace sinter::ir::text
