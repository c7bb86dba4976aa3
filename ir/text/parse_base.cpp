// Tokens, names, types and places; and the three entry points.
#include <algorithm>
#include <charconv>
#include <limits>

#include "ir/text/names.h"
#include "ir/text/parse.h"
#include "ir/text/parser.h"

namespace sinter::ir::text {

Parser::Parser(std::string_view source) : source_(source), tokens_(lex(source)), files_(std::make_shared<std::vector<std::string>>()) {
  // All file names first: Locs point into the vector.
  for (size_t i = 0; i + 1 < tokens_.size(); ++i)
    if (tokens_[i].kind == TokenKind::Punct && tokens_[i].text == "@" && tokens_[i + 1].kind == TokenKind::String)
      files_->push_back(tokens_[i + 1].text);
  std::sort(files_->begin(), files_->end());
  files_->erase(std::unique(files_->begin(), files_->end()), files_->end());
}

void Parser::fail_at(size_t offset, const std::string& message, const std::string& help) const {
  parse_error(source_, offset, message, help);
}

void Parser::expected(const std::string& what) const {
  const Token& t = peek();
  fail("expected " + what + ", found " + (t.kind == TokenKind::End ? "the end of the text" : "`" + t.text + "`"));
}

bool Parser::is(const char* text) const {
  const Token& t = peek();
  return (t.kind == TokenKind::Word || t.kind == TokenKind::Punct) && t.text == text;
}

bool Parser::accept(const char* text) {
  if (!is(text)) return false;
  next();
  return true;
}

void Parser::expect(const char* text) {
  if (!accept(text)) expected(std::string("`") + text + "`");
}

void Parser::expect_end() {
  if (!at_end()) expected("the end of the text");
}

std::string Parser::name(const char* what) {
  if (!is_name()) expected(what);
  return next().text;
}

std::string Parser::string_literal(const char* what) {
  if (peek().kind != TokenKind::String) expected(what);
  return next().text;
}

int64_t Parser::integer() {
  const bool negative = accept("-");
  const Token& t = peek();
  if (t.kind != TokenKind::Number) expected("an integer");
  uint64_t v = 0;
  const auto [end, error] = std::from_chars(t.text.data(), t.text.data() + t.text.size(), v);
  if (error != std::errc() || end != t.text.data() + t.text.size()) fail("expected an integer of 64 bits");
  if (v > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + negative) fail("this integer does not fit 64 bits");
  next();
  return negative ? static_cast<int64_t>(~v + 1) : static_cast<int64_t>(v);
}

int Parser::small_integer() {
  const size_t offset = peek().offset;
  const int64_t v = integer();
  if (v != static_cast<int>(v)) fail_at(offset, "this integer does not fit 32 bits");
  return static_cast<int>(v);
}

Type Parser::type() {
  if (accept("none")) return {};
  const std::optional<Type> t = peek().kind == TokenKind::Word ? parse_type(peek().text) : std::nullopt;
  if (!t) expected("a type");
  next();
  return *t;
}

Loc Parser::loc() {
  if (!accept("@")) return {};
  const std::string file = string_literal("the name of a file");
  expect(":");
  const int line = small_integer();
  return {std::lower_bound(files_->begin(), files_->end(), file)->c_str(), line};
}

// A name bound again is the same variable: Program, schedule and nest share them.
Sym Parser::bind(const std::string& name, Type type, size_t offset) {
  Sym& s = syms_[name];
  if (!s) s = make_sym(name, type);
  if (s->type != type) fail_at(offset, "`" + name + "` is " + to_string(s->type) + " above, and " + to_string(type) + " here");
  return s;
}

Sym Parser::binding(Type usual) {
  const size_t offset = peek().offset;
  const bool none = is("_");
  const std::string n = name("a variable");
  if (none) return nullptr;
  if (accept(":")) return bind(n, type(), offset);
  if (usual.is_none()) expected("`:` and a type");
  return bind(n, usual, offset);
}

std::vector<Sym> Parser::bindings(Type usual) {
  std::vector<Sym> out;
  expect("(");
  comma_list(")", [&] { out.push_back(binding(usual)); });
  return out;
}

Sym Parser::variable() {
  const Token& t = peek();
  if (!is_name()) expected("a variable");
  const auto it = syms_.find(t.text);
  if (it == syms_.end()) fail("no variable `" + t.text + "` is known here", "declare it: free (" + quote_sym(t.text) + " : i32)");
  next();
  return it->second;
}

int Parser::func() {
  const Token& t = peek();
  if (!is_name()) expected("a Func");
  const auto it = funcs_.find(t.text);
  if (it == funcs_.end()) fail("no Func or buffer `" + t.text + "` is known here");
  next();
  return it->second;
}

int Parser::add_func(const std::string& name, Type type, size_t offset) {
  const int id = static_cast<int>(types_.size());
  if (!funcs_.emplace(name, id).second) fail_at(offset, "a second Func or buffer `" + name + "`");
  types_.push_back(type);
  func_names_.push_back(name);
  return id;
}

}  // namespace sinter::ir::text

namespace sinter::ir {

std::pair<Program, Schedule> parse_program(std::string_view text) {
  text::Parser parser(text);
  std::pair<Program, Schedule> out;
  out.first = parser.program();
  if (!parser.at_end()) {
    parser.free_variables();
    out.second = parser.schedule();
  }
  parser.expect_end();
  return out;
}

std::pair<Program, Stmt> parse_nest(std::string_view text) {
  text::Parser parser(text);
  std::pair<Program, Stmt> out;
  out.first = parser.program();
  parser.free_variables();
  out.second = parser.nest();
  parser.expect_end();
  return out;
}

Module parse_module(std::string_view text) {
  text::Parser parser(text);
  Module m;
  m.program = parser.program();
  parser.module(m);
  parser.expect_end();
  return m;
}

std::pair<Module, KernelDraft> parse_draft(std::string_view text) {
  text::Parser parser(text);
  std::pair<Module, KernelDraft> out;
  out.first.program = parser.program();
  parser.module(out.first);
  out.second = parser.draft();
  parser.expect_end();
  return out;
}

}  // namespace sinter::ir
