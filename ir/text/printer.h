// The printer's state: names given out so far, the text, and the temporaries of the statement being printed.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/text/names.h"
#include "ir/text/print.h"

namespace sinter::ir::text {

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  void use_program(const Program& program);  // names of its Funcs
  void use_module(const Module& module);     // and of its further buffers and its kernels

  void program(const Program& p);
  void schedule(const Schedule& s);
  void nest(const Stmt& s);
  void module(const Module& m);
  void kernel(const Kernel& k, int index);
  void draft(const KernelDraft& k);
  void name_kernel(const std::string& name) { kernels_.push_back(quote_sym(kernel_names_.add(name))); }
  void body(const Stmt& s);  // what stands between the braces of a block
  std::string inline_expr(const Expr& e, Type expected = {});
  std::string take() { return std::move(out_); }

  std::string sym(const Sym& s);        // its name; `_` for none
  std::string func(int id) const;       // Func or buffer
  Type func_type(int id) const { return id >= 0 && id < static_cast<int>(types_.size()) ? types_[id] : Type{}; }

 private:
  // print_expr.cpp
  void plan(const std::vector<Expr>& roots);
  void define_temps();  // the plan's temporaries, a line each
  void define(std::string& out, const std::vector<Expr>& temps, const char* separator);
  void expr(std::string& out, const Expr& e, int min_precedence, Type expected, bool defining = false);
  void binary(std::string& out, const Expr& e, int min_precedence);
  void literal(std::string& out, const Expr& e, Type expected) const;
  void let_block(std::string& out, const Expr& e);
  void call(std::string& out, const Expr& e);
  void operands(std::string& out, const std::vector<Expr>& args, bool of_one_type);
  std::string text(const Expr& e, Type expected = {});
  std::string list(const std::vector<Expr>& es, Type expected = {});

  // print_stmt.cpp
  void line(const std::string& text);
  void open(const std::string& head, const StmtNode& s);  // "head {"
  void close() { --indent_; line("}"); }
  void head(const std::string& text, const StmtNode& s, bool brace);
  void statement(const Stmt& s, bool last);
  void leaf(const Stmt& s);
  void block(const std::string& head_text, const StmtNode& s, const Stmt& inner);
  std::string range(const std::string& min, const std::string& extent) const;
  static std::string block_order(int64_t order, int64_t group);
  std::string loop_head(const ForStmt& f);
  std::string alloc_head(const AllocStmt& a);
  std::string tile_head(const TileStmt& t);
  std::string loc(const Loc& l) const;
  std::string binding(const Sym& s, Type usual = Int(32));  // "x", "x : i64" where the type isn't the usual one
  std::string bindings(const std::vector<Sym>& syms, Type usual = Int(32));

  // print_program.cpp
  void function(const FuncDef& f, int id);
  void definition(const Definition& d, int id, int stage);
  void declare_free(const std::vector<Sym>& used);  // a line for those that nothing above binds
  std::string optional_exprs(const char* word, const std::vector<Expr>& es, Type usual);
  std::string directive(const Directive& d);
  std::string stage_of(FuncId f, int stage, int usual) const;

  // print_draft.cpp
  void storage(const KernelStorage& s);

  // print_module.cpp
  void buffer(const Buffer& b, int id);
  std::string kernel_name(int index) const;

  PrintOptions options_;
  std::string out_;
  int indent_ = 0;

  UniqueNames sym_names_, func_names_, kernel_names_;
  std::unordered_map<const VarNode*, std::string> syms_;
  std::unordered_set<const VarNode*> declared_;  // bound or declared so far
  std::vector<Sym> keep_;  // names are by address: the Syms stay alive
  std::vector<std::string> funcs_, kernels_;
  std::vector<Type> types_;

  std::unordered_map<const ExprNode*, int> temps_;  // number; -1: not defined yet
  std::vector<Expr> outer_temps_;
  std::unordered_map<const ExprNode*, std::vector<Expr>> let_temps_;  // those that use the Let's variable
  int next_temp_ = 0;
};

}  // namespace sinter::ir::text
