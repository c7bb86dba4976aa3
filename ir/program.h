// The algorithm: pure Funcs with definitions, the Inputs and Params they read, and the order of a pipeline's arguments.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/expr.h"

namespace sinter::ir {

// A reduction domain: an ordered list of loops, the first innermost, and a predicate (undefined = true).
struct RVarDef {
  Sym var;
  Expr min, extent;
};
struct RDomDef {
  std::vector<RVarDef> vars;
  Expr where;
};

// func(args...) = value. Pure (stage 0): args are Vars, distinct, the Func's dims. Update: any Exprs; `value` may call the Func
// itself. An arg that is exactly the Func's Var of that dimension is a pure dimension of the update.
struct Definition {
  std::vector<Expr> args;
  Expr value;  // of the Func's type
  RDomDef rdom;  // no vars: none
  Loc loc;
};

enum class FuncKind : uint8_t { Input, Computed };

struct FuncDef {
  std::string name;
  FuncKind kind = FuncKind::Computed;
  Type type;
  std::vector<Sym> dims;          // pure Vars, innermost first (Inputs have placeholders)
  std::vector<Definition> stages; // Computed: stages[0] is pure, then updates in order
  // Sizes of a buffer at the boundary (Inputs and outputs): a symbol each, bound on entry. Mins are 0 there.
  std::vector<Sym> extent;        // i32
  std::vector<Sym> stride;        // i64, elements; stride[0] is the constant 1 unless `free_stride0`
  std::vector<Expr> fixed_extent; // per dim, undefined = any; a declared extent becomes a requirement on entry
  std::vector<Expr> fixed_stride;
  bool free_stride0 = false;
  bool is_wrapper = false;        // made by in()
  Loc loc;

  int rank() const { return static_cast<int>(dims.size()); }
  bool is_input() const { return kind == FuncKind::Input; }
  bool has_updates() const { return stages.size() > 1; }
};

struct ParamDef {
  std::string name;
  Sym var;  // of the Param's type
  Loc loc;
};

// An argument of the pipeline, in call order.
struct Argument {
  enum class Kind : uint8_t { Input, Param, Output } kind;
  int id;  // FuncId, or index into params
};

struct Program {
  std::string name;
  std::vector<FuncDef> funcs;    // producers before consumers
  std::vector<ParamDef> params;
  std::vector<Argument> args;    // inputs, params, then outputs
  std::shared_ptr<std::vector<std::string>> file_names;  // keeps parsed Locs alive

  bool is_output(FuncId f) const {
    for (const Argument& a : args)
      if (a.kind == Argument::Kind::Output && a.id == f) return true;
    return false;
  }
};

}  // namespace sinter::ir
