// The parser's state: tokens, and what names mean. Names are one scope per text, as the printer makes them distinct; a name is
// a variable's, a Func's or a kernel's by where it stands.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/kernel_draft.h"
#include "ir/schedule.h"
#include "ir/text/lexer.h"

namespace sinter::ir::text {

class Parser {
 public:
  explicit Parser(std::string_view source);

  Program program();
  Schedule schedule();
  void free_variables();  // free (a, b : i64), if it stands here
  Stmt nest();
  void module(Module& m);
  KernelDraft draft();
  bool at_end() const { return peek().kind == TokenKind::End; }
  void expect_end();

 private:
  // A number without a type takes that of its place.
  struct Value {
    Expr e;         // undefined: a bare literal
    std::string text;
    std::optional<uint64_t> nan_bits;
    bool negative = false, is_float = false;
    size_t offset = 0;
  };
  struct Depth;

  // parse_base.cpp: tokens and names
  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  [[noreturn]] void fail(const std::string& message, const std::string& help = {}) const { fail_at(peek().offset, message, help); }
  [[noreturn]] void fail_at(size_t offset, const std::string& message, const std::string& help = {}) const;
  [[noreturn]] void expected(const std::string& what) const;
  bool is(const char* text) const;  // the next token is this word or punctuation
  bool accept(const char* text);
  void expect(const char* text);
  bool is_name() const { return peek().kind == TokenKind::Word || peek().kind == TokenKind::Quoted; }
  std::string name(const char* what);
  std::string string_literal(const char* what);
  int64_t integer();          // with an optional minus
  int small_integer();        // an int
  Type type();
  Loc loc();                  // @ "file":line, if it stands here
  Sym bind(const std::string& name, Type type, size_t offset);
  Sym binding(Type usual = Int(32));   // x or x : type, or _ for none
  std::vector<Sym> bindings(Type usual = Int(32));
  Sym variable();             // one that is known
  int func();                 // a Func or buffer that is known
  int add_func(const std::string& name, Type type, size_t offset);
  Type func_type(int id) const { return types_[static_cast<size_t>(id)]; }
  template <class F>
  void comma_list(const char* close, F one) {
    if (accept(close)) return;
    do one();
    while (accept(","));
    expect(close);
  }

  // parse_expr.cpp
  Expr expr(Type expected = {});
  Expr optional_expr(Type expected = {});  // or _
  std::vector<Expr> exprs(Type expected = {}, bool optional = false);  // ( ... )
  Value binary(int min_precedence);
  Value unary();
  Value primary();
  Value number(bool negative);
  Value block();
  Value function(const std::string& word, size_t offset);
  Expr call(int id, size_t offset);
  Expr load(int id, size_t offset);
  Expr finish(const Value& v, Type expected) const;
  std::vector<Expr> finish_group(std::vector<Value>& values, size_t first, size_t offset) const;
  Type require_same(const std::vector<Expr>& args, size_t first, size_t offset) const;
  void temp_definition();
  struct Access {
    Expr index, mask;
    int64_t align = 0;
    CachePolicy cache{};
  };
  Access access();  // what stands in buffer[...]

  // parse_stmt.cpp
  Stmt body();  // { ... }
  Stmt items(bool explicit_seq);
  Stmt statement();
  Stmt loop(LoopKind kind);
  Stmt provide_or_store();
  Stmt tile();
  Stmt async_copy();
  Stmt matrix();
  Stmt check();
  Layout layout();
  std::vector<Digit> digits();
  std::vector<int64_t> integers();
  void range(Type t, Expr& min, Expr& extent);
  std::function<Stmt(Stmt)> let();
  std::function<Stmt(Stmt)> alloc();
  std::vector<Region> regions();
  LoopHints hints();
  Memory memory();

  // parse_program.cpp
  void function_definition(Program& p, bool input);
  void update(FuncDef& f, int id);
  Argument argument(const Program& p);
  Directive directive();
  std::pair<int, std::string> func_and_member();
  int update_number();

  // parse_draft.cpp
  KernelStorage storage();
  NarrowStride narrow_stride();

  // parse_module.cpp
  void buffer(Module& m);
  Kernel kernel();
  Allocation allocation(Memory memory);
  Role role();
  std::vector<int> buffer_list();

  std::string_view source_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  std::shared_ptr<std::vector<std::string>> files_;
  std::unordered_map<std::string, Sym> syms_;
  std::unordered_map<std::string, int> funcs_, kernels_;
  std::vector<Type> types_;
  std::vector<std::string> func_names_;
  std::unordered_map<std::string, Expr> temps_;
};

// Bounds the parser's recursion: text nested deeper is refused.
struct Parser::Depth {
  explicit Depth(Parser& p) : parser(p) {
    if (++p.depth_ > 400) {
      --p.depth_;
      p.fail("nested too deeply");
    }
  }
  ~Depth() { --parser.depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  Parser& parser;
};

}  // namespace sinter::ir::text
