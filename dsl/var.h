// Var: a dimension of a Func, or a loop made by a schedule. RVar, RDom: the domain of a reduction.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dsl/expr.h"

namespace sinter {

namespace detail {
struct RDomContents;
}  // namespace detail

// A Var is known by its object (and copies of it), not by its name. Type i32.
class Var {
 public:
  explicit Var(std::string name = "v", Loc loc = Loc::here());
  explicit Var(ir::Sym sym) : sym_(std::move(sym)) {}
  const std::string& name() const { return sym_->name; }
  const ir::Sym& sym() const { return sym_; }
  operator Expr() const;

 private:
  ir::Sym sym_;
};

// The dimensions of an Input, and so of its wrappers: x.in().vectorize(_0, 8).
inline const Var _0{"_0"}, _1{"_1"}, _2{"_2"}, _3{"_3"}, _4{"_4"}, _5{"_5"}, _6{"_6"}, _7{"_7"};

// A variable of a reduction domain, or a loop split off one. Type i32.
class RVar {
 public:
  explicit RVar(std::string name = "r", Loc loc = Loc::here());
  explicit RVar(ir::Sym sym) : sym_(std::move(sym)) {}
  const std::string& name() const { return sym_->name; }
  const ir::Sym& sym() const { return sym_; }
  operator Expr() const;

 private:
  ir::Sym sym_;
};

class Input;

// An ordered list of (min, extent) pairs, the first innermost. Bounds are made of constants, Params and extents.
class RDom {
 public:
  RDom(const Operand& min, const Operand& extent, std::string name = "r", Loc loc = Loc::here());
  RDom(const Operand& min0, const Operand& extent0, const Operand& min1, const Operand& extent1, std::string name = "r",
       Loc loc = Loc::here());
  RDom(const Operand& min0, const Operand& extent0, const Operand& min1, const Operand& extent1, const Operand& min2,
       const Operand& extent2, std::string name = "r", Loc loc = Loc::here());
  RDom(const Operand& min0, const Operand& extent0, const Operand& min1, const Operand& extent1, const Operand& min2,
       const Operand& extent2, const Operand& min3, const Operand& extent3, std::string name = "r",
       Loc loc = Loc::here());
  // A bound is missing.
  RDom(const Operand&, const Operand&, const Operand&) = delete;
  RDom(const Operand&, const Operand&, const Operand&, const Operand&, const Operand&) = delete;
  RDom(const Operand&, const Operand&, const Operand&, const Operand&, const Operand&, const Operand&,
       const Operand&) = delete;
  // All of an Input.
  explicit RDom(const Input& domain, std::string name = "r", Loc loc = Loc::here());

  // Only the points where `condition` holds, for all uses that follow and for none that came before (E0008).
  RDom& where(const Operand& condition);

  int dimensions() const;
  RVar operator[](int i) const;  // E0008 where there is none
  operator Expr() const;         // of one dimension
  operator RVar() const;

  RVar x{ir::Sym()}, y{ir::Sym()}, z{ir::Sym()}, w{ir::Sym()};  // those that exist

  const std::shared_ptr<detail::RDomContents>& contents() const { return contents_; }

 private:
  std::shared_ptr<detail::RDomContents> contents_;
  void make(const std::vector<const Operand*>& bounds, const std::string& name, Loc loc);
};

}  // namespace sinter
