// Statements. A flat Let or Alloc takes the rest of its block as its body.
#include <algorithm>

#include "ir/text/names.h"
#include "ir/text/parser.h"

namespace sinter::ir::text {

namespace {

template <class E>
std::optional<E> by_name(const std::string& word, const char* (*name)(E), E last) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (word == name(static_cast<E>(i))) return static_cast<E>(i);
  return std::nullopt;
}

template <class T, class... Args>
Stmt make_at(const Loc& l, Args&&... args) {
  auto n = std::make_shared<T>(std::forward<Args>(args)...);
  n->loc = l;
  return n;
}

Stmt collapse(std::vector<Stmt> items, bool explicit_seq) {
  if (items.size() == 1 && !explicit_seq) return std::move(items[0]);
  return std::make_shared<SeqStmt>(std::move(items));
}

}  // namespace

Stmt Parser::body() {
  expect("{");
  Stmt s = items(false);
  expect("}");
  return s;
}

Stmt Parser::items(bool explicit_seq) {
  const Depth depth(*this);
  struct Open {
    size_t first;  // where its body starts in `list`
    std::function<Stmt(Stmt)> make;
  };
  std::vector<Stmt> list;
  std::vector<Open> open;
  temps_.clear();
  while (!is("}") && !at_end()) {
    if (peek().kind == TokenKind::Temp) {
      temp_definition();
      continue;
    }
    const bool is_let = is("let");
    if (is_let || (is("alloc") && peek(1).kind != TokenKind::Punct)) {
      next();
      std::function<Stmt(Stmt)> make = is_let ? let() : alloc();
      if (is("{")) list.push_back(make(body()));
      else open.push_back({list.size(), std::move(make)});
    } else {
      list.push_back(statement());
    }
    temps_.clear();
  }
  while (!open.empty()) {
    const auto first = list.begin() + static_cast<std::ptrdiff_t>(open.back().first);
    std::vector<Stmt> inner(first, list.end());
    list.erase(first, list.end());
    list.push_back(open.back().make(collapse(std::move(inner), false)));
    open.pop_back();
  }
  return collapse(std::move(list), explicit_seq);
}

std::function<Stmt(Stmt)> Parser::let() {
  const size_t at = peek().offset;
  const std::string n = name("a variable");
  expect("=");
  const Expr value = expr();
  const Sym v = bind(n, value.type(), at);
  const Loc l = loc();
  return [=](Stmt inner) { return make_at<LetStmt>(l, v, value, std::move(inner)); };
}

std::vector<int64_t> Parser::integers() {
  std::vector<int64_t> out;
  expect("(");
  comma_list(")", [&] { out.push_back(integer()); });
  return out;
}

std::vector<Region> Parser::regions() {
  std::vector<Region> region;
  if (is("[")) do {
      Region r;
      expect("[");
      r.min = optional_expr();
      expect(",");
      r.max = optional_expr();
      expect(";");
      r.extent = optional_expr();
      expect("]");
      region.push_back(std::move(r));
    } while (accept("x"));
  return region;
}

Memory Parser::memory() {
  const std::optional<Memory> memory = by_name(peek().text, memory_name, Memory::Host);
  if (!memory) expected("a memory");
  next();
  return *memory;
}

std::function<Stmt(Stmt)> Parser::alloc() {
  const int f = func();
  expect(":");
  const Type t = type();
  std::vector<Region> region = regions();
  expect("in");
  AllocStmt a(f, t, memory(), std::move(region), nullptr);
  for (;;) {
    if (accept("ring")) a.ring = small_integer();
    else if (accept("align")) a.align = small_integer();
    else if (accept("swizzle")) a.swizzle = small_integer();
    else if (accept("pad")) a.pad = integers();
    else if (accept("order"))
      for (const int64_t d : integers()) a.order.push_back(static_cast<int>(std::clamp<int64_t>(d, -1, 1 << 20)));
    else break;
  }
  a.loc = loc();
  return [a](Stmt inner) {
    auto n = std::make_shared<AllocStmt>(a);
    n->body = std::move(inner);
    return n;
  };
}

// [0, extent) or [min, +extent]
void Parser::range(Type t, Expr& min, Expr& extent) {
  expect("[");
  min = optional_expr(t);
  expect(",");
  const bool offset = accept("+");
  extent = optional_expr(t);
  if (!offset && !is_const_int(min, 0)) fail("a range that does not start at 0 is written [min, +extent]");
  expect(offset ? "]" : ")");
}

LoopHints Parser::hints() {
  LoopHints h;
  for (;;) {
    if (accept("vector")) h.vector = integer();
    else if (accept("unroll")) h.unroll = integer();
    else if (accept("threads")) h.threads = integer();
    else if (accept("order")) h.order = integer();
    else if (accept("group")) h.group = integer();
    else return h;
  }
}

Stmt Parser::loop(LoopKind kind) {
  const Sym v = binding();
  const Type t = v ? v->type : Int(32);
  expect("in");
  Expr min, extent, live;
  range(t, min, extent);
  if (accept("live")) live = expr(t);
  const LoopHints h = hints();
  const Loc l = loc();
  return std::make_shared<ForStmt>(v, min, extent, live, kind, body(), l, h);
}

Stmt Parser::provide_or_store() {
  const int f = func();
  if (!is("[")) {
    std::vector<Expr> index = exprs();
    expect("=");
    const Expr value = expr(func_type(f));
    return make_at<ProvideStmt>(loc(), f, 0, std::move(index), value);
  }
  const Access a = access();
  expect("=");
  const Expr value = expr(func_type(f));
  return make_at<StoreStmt>(loc(), f, a.index, value, a.mask, a.align, a.cache);
}

Stmt Parser::statement() {
  const Depth depth(*this);
  if (is("seq") && peek(1).kind == TokenKind::Punct && peek(1).text == "{") {
    next();
    next();
    Stmt s = items(true);
    expect("}");
    return s;
  }
  if (!is_name()) expected("a statement");
  const Token t = peek();
  const Token& after = peek(1);
  const bool access = after.kind == TokenKind::Punct && (after.text == "(" || after.text == "[");
  if (t.kind == TokenKind::Quoted || (access && !is("if"))) return provide_or_store();

  next();
  if (const auto kind = by_name(t.text, loop_kind_name, LoopKind::Unrolled)) return loop(*kind);
  if (t.text == "if") {
    const Expr cond = expr();
    if (!cond.type().is_bool()) fail_at(t.offset, "the condition of `if` is not bool");
    const Loc l = loc();
    Stmt then_body = body();
    Stmt else_body = accept("else") ? body() : nullptr;
    return make_at<IfStmt>(l, cond, std::move(then_body), std::move(else_body));
  }
  if (t.text == "update") {
    const int stage = small_integer();
    const int f = func();
    std::vector<Expr> index = exprs();
    expect("=");
    const Expr value = expr(func_type(f));
    return make_at<ProvideStmt>(loc(), f, stage, std::move(index), value);
  }
  if (t.text == "produce" || t.text == "consume") {
    const int f = func();
    const Loc l = loc();
    Stmt inner = body();
    return t.text == "produce" ? make_at<ProduceStmt>(l, f, std::move(inner)) : make_at<ConsumeStmt>(l, f, std::move(inner));
  }
  if (t.text == "tile") return tile();
  if (t.text == "sync") {
    const auto kind = peek().kind == TokenKind::Word ? by_name(peek().text, sync_name, SyncKind::SetMaxRegisters) : std::nullopt;
    if (!kind) expected("a kind of synchronisation");
    next();
    std::vector<Expr> args;
    if (is("(")) args = exprs();
    return make_at<SyncStmt>(loc(), *kind, std::move(args));
  }
  if (t.text == "async_copy") return async_copy();
  if (t.text == "matrix") return matrix();
  if (t.text == "check") return check();
  if (t.text == "memset") {
    const int f = func();
    return make_at<MemsetStmt>(loc(), f);
  }
  if (t.text == "launch") {
    const auto it = is_name() ? kernels_.find(peek().text) : kernels_.end();
    if (it == kernels_.end()) expected("a kernel that is known");
    next();
    expect("grid");
    const Expr grid = expr(Int(64));
    return make_at<LaunchStmt>(loc(), it->second, grid);
  }
  fail_at(t.offset, "no statement starts with `" + t.text + "`");
}

Stmt Parser::tile() {
  const auto op = by_name(peek().text, tile_op_name, TileOp::Copy);
  if (!op) expected("map, reduce, matrix or copy");
  next();
  const int f = func();
  const int stage = accept("stage") ? small_integer() : 0;
  std::vector<Sym> vars;
  std::vector<int64_t> extent;
  std::vector<Expr> live;
  expect("(");
  comma_list(")", [&] {
    vars.push_back(binding());
    expect("in");
    extent.push_back(integer());
    live.push_back(accept("live") ? expr() : Expr{});
  });
  expect("layout");
  const Layout lay = layout();
  const Loc l = loc();
  return make_at<TileStmt>(l, *op, f, stage, std::move(vars), std::move(extent), std::move(live), lay, body());
}

// As to_string(Layout) writes it.
Layout Parser::layout() {
  Layout out;
  if (accept("single")) return out;
  out.kind = is("flat") ? Layout::Kind::Flat : Layout::Kind::Blocked;
  if (!accept("flat") && !accept("blocked")) expected("single, flat or blocked");
  expect("(");
  expect("threads");
  out.threads = small_integer();
  expect(",");
  expect("vector");
  out.vector = small_integer();
  expect(")");
  if (out.kind == Layout::Kind::Flat) return out;
  for (const auto& [word, owner] : {std::pair{"reg", &out.reg}, {"lane", &out.lane}, {"warp", &out.warp}, {"cluster", &out.cluster}})
    if (accept(word)) *owner = digits();
  return out;
}

// [8:d0*1 2:none]
std::vector<Digit> Parser::digits() {
  std::vector<Digit> out;
  expect("[");
  while (!accept("]")) {
    Digit d;
    d.extent = integer();
    expect(":");
    if (!accept("none")) {
      const std::string word = name("d and the number of a dimension");
      if (word.size() < 2 || word.size() > 4 || word[0] != 'd' || word.find_first_not_of("0123456789", 1) != std::string::npos)
        fail("expected d and the number of a dimension");
      d.dim = std::stoi(word.substr(1));
      expect("*");
      d.stride = integer();
    }
    out.push_back(d);
  }
  return out;
}

Stmt Parser::async_copy() {
  static const char* const kinds[] = {"cp_async", "bulk", "tensor"};
  int kind = 0;
  while (kind < 3 && !accept(kinds[kind])) ++kind;
  if (kind == 3) expected("cp_async, bulk or tensor");
  const int dst = func();
  const Expr slot = accept("slot") ? expr() : Expr{};
  expect("at");
  std::vector<Expr> dst_min = exprs();
  expect("from");
  const int src = func();
  expect("at");
  std::vector<Expr> src_min = exprs();
  expect("box");
  std::vector<int64_t> box = integers();
  const Expr barrier = accept("signal") ? expr() : Expr{};
  return make_at<AsyncCopyStmt>(loc(), static_cast<CopyKind>(kind), dst, src, std::move(dst_min), std::move(src_min), std::move(box), slot, barrier);
}

Stmt Parser::matrix() {
  const std::string instruction = string_literal("the name of a matrix instruction in quotes");
  const int acc = func();
  expect("+=");
  const int a = func();
  expect("*");
  const int b = func();
  std::vector<Expr> args;
  if (accept("at")) args = exprs();
  return make_at<MatrixStmt>(loc(), instruction, acc, a, b, std::move(args));
}

Stmt Parser::check() {
  const std::string what = string_literal("what is checked, in quotes");
  const Expr given = expr();
  static const char* const relations[] = {"at_least", "equals", "multiple_of"};
  int relation = 0;
  while (relation < 3 && !accept(relations[relation])) ++relation;
  if (relation == 3) expected("at_least, equals or multiple_of");
  const Expr needed = expr();
  return make_at<CheckStmt>(loc(), what, given, needed, static_cast<CheckStmt::Relation>(relation));
}

void Parser::free_variables() {
  while (accept("free")) bindings();
}

Stmt Parser::nest() {
  expect("nest");
  return body();
}

}  // namespace sinter::ir::text
