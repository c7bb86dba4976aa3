// What the handles of the language (Func, Var, RDom, Input, Param) share: internal to dsl/.
//
// Every variable of a dsl Expr, and the `var` of every Call, is a SymNode, so the objects that an expression mentions
// are found from its nodes alone. A SymNode lives inside the object it belongs to; the Syms in expressions share
// ownership of that object (shared_ptr's aliasing constructor), so an expression keeps alive what it reads. Where an
// object's own expressions mention the object itself (an update that reads its Func, a `where` over its RVars, a
// wrapper's call of what it wraps), the Sym does not own: same address, same variable, no cycle. build_program() puts
// owning Syms back.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dsl/types.h"
#include "ir/loops.h"
#include "ir/program.h"
#include "ir/schedule.h"

namespace sinter::detail {

struct FuncContents;
struct RDomContents;

enum class SymKind : uint8_t { Var, RVar, Param, Size /* extent or stride of a buffer */, Func };

struct SymNode : ir::VarNode {
  SymKind kind = SymKind::Var;
  FuncContents* func = nullptr;  // Func: itself; Size: the Input or output it belongs to
  RDomContents* rdom = nullptr;  // RVar
};

inline const SymNode& sym_node(const ir::VarNode* v) { return *static_cast<const SymNode*>(v); }
inline const SymNode& sym_node(const ir::Sym& s) { return sym_node(s.get()); }

// A Sym of the same identity that owns nothing.
inline ir::Sym weak_sym(const ir::Sym& s) { return ir::Sym(std::shared_ptr<void>(), s.get()); }
inline bool owns(const ir::Sym& s) { return s.use_count() != 0; }

struct ParamContents {
  SymNode sym;
  Loc loc;
};

struct RDomContents {
  std::deque<SymNode> vars;
  std::vector<ir::Expr> min, extent;  // i32
  ir::Expr where;                     // undefined = true; mentions `vars` through weak Syms
  bool used = false;                  // by a definition: `where` comes too late
  Loc loc;
};
using RDomPtr = std::shared_ptr<RDomContents>;
inline ir::Sym rvar_sym(const RDomPtr& r, size_t i) { return ir::Sym(r, &r->vars[i]); }

using FuncPtr = std::shared_ptr<FuncContents>;

struct StageContents {
  std::vector<ir::Expr> args;
  ir::Expr value;
  RDomPtr rdom;
  ir::LoopNames loops;
  Loc loc;
};

enum class Reduction : uint8_t { Sum, Product, Maximum, Minimum };

// An inline reduction before somebody adopts it: what is reduced, over what.
struct InlineReduction {
  Reduction op;
  RDomPtr rdom;
  ir::Expr value;
  bool strict = false;
  bool adopted = false;  // it has the name of the Func that reads it
};

struct WrapperEntry {
  std::vector<std::weak_ptr<FuncContents>> consumers;  // empty: all
  FuncPtr func;
};

struct RecordedDirective {
  ir::Directive directive;
  std::weak_ptr<FuncContents> target;  // producers must not own their consumers
  std::string target_name;
  int input_dim = -1;  // on an Input: which dimension, whose variable the Program makes
};

// A Func or an Input.
struct FuncContents {
  SymNode sym;  // its name, and its identity in Calls
  bool is_input = false;
  Type type;
  int rank = -1;              // -1: not defined yet
  std::vector<ir::Sym> dims;  // Funcs: the Vars of the pure definition
  std::vector<StageContents> stages;
  std::vector<RecordedDirective> directives;
  std::vector<FuncPtr> reductions;           // inline reductions that became Funcs
  std::optional<InlineReduction> reduction;  // this is one
  std::vector<WrapperEntry> wrappers;        // of this Func
  std::vector<FuncPtr> retired;              // wrappers that a cleared schedule made: handles to them may be around
  FuncContents* wraps = nullptr;             // this is a wrapper, owned by what it wraps
  // At the boundary: sizes, created with the rank.
  std::deque<SymNode> extent, stride;
  std::vector<ir::Expr> fixed_extent, fixed_stride;
  bool free_stride0 = false;
  Loc loc;

  const std::string& name() const { return sym.name; }
  bool defined() const { return rank >= 0; }
  void set_rank(int r);  // and creates the sizes
};

FuncPtr make_func(std::string name, Loc loc);
inline ir::Sym func_sym(const FuncPtr& f) { return ir::Sym(f, &f->sym); }
// The Func that a Call reads, sharing the ownership that the Call has.
inline FuncPtr called(const ir::ExprNode& call) {
  return FuncPtr(std::const_pointer_cast<ir::VarNode>(call.var), sym_node(call.var).func);
}
ir::Expr make_handle_call(const FuncPtr& f, std::vector<ir::Expr> index, Loc loc);
// `e` with every mention of the object at `owner` (a FuncContents or RDomContents) made weak.
ir::Expr weaken(const ir::Expr& e, const void* owner);

// E0013 unless `name` can be written in every form of the IR: a letter or _, then letters, digits and _.
std::string checked_name(std::string name, const char* what, Loc loc);

}  // namespace sinter::detail
