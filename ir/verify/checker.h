// The walk that the verifiers share: scopes, types, and which statements a form has. What differs between forms is a Form.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/kernel.h"
#include "ir/text/print.h"

namespace sinter::ir {

// Expanded: per-thread code before it is flat. HostLoops, HostFlat: the loops of a host pipeline before and after they are flat.
enum class FormKind : uint8_t { Nest, Tiles, Expanded, Threads, HostLoops, HostFlat, Host, Entry };

class Checker {
 public:
  Checker(FormKind form, const Program& program, const Module* module) : form_(form), program_(program), module_(module) {}

  void in_scope(const Sym& s) { scope_.insert(s.get()); }
  void set_kernel(const Kernel& k);
  void body(const Stmt& s) { stmt(s); }
  void role(const Role& r);
  void inside_block() { place_.in_block = true; }         // the body of a kernel, in Nest form
  void layouts_undecided() { layouts_decided_ = false; }

  void problem(const std::string& text);  // at the current statement
  void problem_if(bool bad, const std::string& text) {
    if (bad) problem(text);
  }
  bool clean() const { return problems_.empty(); }
  const std::vector<std::string>& problems() const { return problems_; }
  const StmtMarks& marks() const { return marks_; }

 private:
  struct Place {  // what surrounds a statement
    bool in_block = false, in_thread_loop = false, in_tile = false;
    bool divergent = false;   // threads of the block may disagree on reaching it
    bool block_chain = false; // directly inside a Block loop, with nothing but Lets between
  };

  // checker.cpp
  void stmt(const Stmt& s);
  void children(const Stmt& s);
  void with_place(const Place& place, const Stmt& inner);
  bool allowed(const Stmt& s) const;
  void bind(const Sym& s, const void* binder);
  void unbind(const Sym& s) { scope_.erase(s.get()); }
  void expr(const Expr& e);
  void node(const Expr& e);
  void access(int id, Type element, const std::vector<Expr>& index, bool flat, bool store);
  void register_index(int id, const Expr& index);
  bool known(int id) const { return id >= 0 && id < buffer_count(); }
  int buffer_count() const { return static_cast<int>(module_ ? std::max(module_->buffers.size(), program_.funcs.size()) : program_.funcs.size()); }
  Type element_type(int id) const;
  int rank(int id) const;  // -1: not known
  std::string name(int id) const;
  bool tainted(const Expr& e) const;

  // statements.cpp
  void loop(const ForStmt& f);
  void provide(const ProvideStmt& p);
  void store(const StoreStmt& p);
  void alloc(const Stmt& s, const AllocStmt& a);
  void tile(const TileStmt& t);
  void layout(const TileStmt& t);
  void digits(const std::vector<Digit>& ds, int rank, const char* owner);
  void check(const CheckStmt& c);
  void launch(const LaunchStmt& l);

  // device_statements.cpp
  void sync(const SyncStmt& s);
  void async_copy(const AsyncCopyStmt& c);
  void matrix(const MatrixStmt& m);
  void barrier_operand(const Expr& e, const char* what);
  void small_constant(const Expr& e, int64_t low, int64_t high, const char* what);
  const Allocation* allocation(int id) const;

  FormKind form_;
  const Program& program_;
  const Module* module_;
  const Kernel* kernel_ = nullptr;
  int role_warps_ = 0;
  bool layouts_decided_ = true;
  Place place_;
  Stmt current_;
  std::unordered_set<const VarNode*> scope_, tainted_;
  std::unordered_map<const VarNode*, const void*> binders_;
  std::map<int, const AllocStmt*> allocs_;  // around the current statement
  std::unordered_map<int, const Allocation*> allocations_;
  std::unordered_set<const ExprNode*> typed_;  // nodes whose types were found right
  std::vector<Expr> keep_;
  std::vector<std::string> problems_;
  StmtMarks marks_;
};

// Throws a VerifyError about `what` where the checker met problems; `print_it` prints the form with its marks.
void finish(const Checker& c, const std::string& what, const std::function<std::string(const PrintOptions&)>& print_it);
// What stands around the bodies of a kernel: sizes, buffers, allocations, roles.
void kernel_header(Checker& c, const Kernel& k, const Module& m);

}  // namespace sinter::ir
