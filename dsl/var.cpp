#include "dsl/var.h"

#include "dsl/contents.h"
#include "dsl/input.h"
#include "dsl/match.h"
#include "ir/analysis/visit.h"

namespace sinter {

using detail::SymKind;
using ir::user_error;

static ir::Sym fresh_sym(std::string name, SymKind kind, const char* what, Loc loc) {
  auto node = std::make_shared<detail::SymNode>();
  node->name = detail::checked_name(std::move(name), what, loc);
  node->kind = kind;
  return node;
}

Var::Var(std::string name, Loc loc) : sym_(fresh_sym(std::move(name), SymKind::Var, "Var", loc)) {}
Var::operator Expr() const { return Expr(ir::make_var(sym_)); }

RVar::RVar(std::string name, Loc loc) : sym_(fresh_sym(std::move(name), SymKind::RVar, "RVar", loc)) {}
RVar::operator Expr() const {
  if (!sym_)
    user_error(ErrorCode::BadRDom, {}, "a variable of an RDom that has fewer dimensions",
               "r.x is the first dimension, r.w the fourth");
  return Expr(ir::make_var(sym_));
}

RDom::RDom(const Operand& m, const Operand& e, std::string name, Loc loc) { make({&m, &e}, name, loc); }
RDom::RDom(const Operand& m0, const Operand& e0, const Operand& m1, const Operand& e1, std::string name, Loc loc) {
  make({&m0, &e0, &m1, &e1}, name, loc);
}
RDom::RDom(const Operand& m0, const Operand& e0, const Operand& m1, const Operand& e1, const Operand& m2,
           const Operand& e2, std::string name, Loc loc) {
  make({&m0, &e0, &m1, &e1, &m2, &e2}, name, loc);
}
RDom::RDom(const Operand& m0, const Operand& e0, const Operand& m1, const Operand& e1, const Operand& m2,
           const Operand& e2, const Operand& m3, const Operand& e3, std::string name, Loc loc) {
  make({&m0, &e0, &m1, &e1, &m2, &e2, &m3, &e3}, name, loc);
}

RDom::RDom(const Input& domain, std::string name, Loc loc) {
  std::vector<Operand> bounds;
  for (int d = 0; d < domain.dimensions(); ++d) {
    bounds.emplace_back(0, loc);
    bounds.emplace_back(domain.dim(d).extent(), loc);
  }
  std::vector<const Operand*> pointers;
  for (const Operand& b : bounds) pointers.push_back(&b);
  make(pointers, name, loc);
}

// E0008 unless the bound is an integer that is known before the pipeline runs.
static ir::Expr checked_bound(const Operand& o, Loc loc) {
  const Type t = detail::checked(o, "RDom").type();
  if (!t.is_integer() || (!o.expr.is_literal() && !(t.bits < 32 || t == Int(32))))
    user_error(ErrorCode::BadRDom, loc, "a bound of the RDom has type " + ir::to_string(t),
               "bounds are i32: write i32(e)");
  ir::walk(o.expr.node(), [&](const ir::Expr& e) {
    const bool variable = e->op == ir::Op::Var && (detail::sym_node(e->var).kind == SymKind::Var ||
                                                   detail::sym_node(e->var).kind == SymKind::RVar);
    if (variable)
      user_error(ErrorCode::BadRDom, loc, "a bound of the RDom depends on the variable `" + e->var->name + "`",
                 "give the largest domain, and restrict it with where()");
    if (e->op == ir::Op::Call)
      user_error(ErrorCode::BadRDom, loc, "a bound of the RDom depends on the data of `" + e->var->name + "`",
                 "bounds are made of constants, Params and extents; restrict the domain with where()");
  });
  return detail::convert(o, Int(32));
}

void RDom::make(const std::vector<const Operand*>& bounds, const std::string& name, Loc loc) {
  detail::checked_name(name, "RDom", loc);
  contents_ = std::make_shared<detail::RDomContents>();
  contents_->loc = loc;
  const size_t n = bounds.size() / 2;
  if (n == 0)
    user_error(ErrorCode::BadRDom, loc, "an RDom without dimensions", "an Input of rank 0 has nothing to reduce over");
  for (size_t i = 0; i < n; ++i) {
    const std::string suffix = i < 4 ? std::string(1, "xyzw"[i]) : std::to_string(i);
    detail::SymNode& node = contents_->vars.emplace_back();
    node.name = n == 1 ? name : name + suffix;
    node.kind = SymKind::RVar;
    node.rdom = contents_.get();
    contents_->min.push_back(checked_bound(*bounds[2 * i], loc));
    contents_->extent.push_back(checked_bound(*bounds[2 * i + 1], loc));
    if (const int64_t* extent = ir::as_int(contents_->extent.back()); extent && *extent < 0)
      user_error(ErrorCode::BadRDom, loc,
                 "the extent of dimension " + std::to_string(i) + " of the RDom is " + std::to_string(*extent),
                 "an RDom takes (min, extent) pairs");
    RVar* const named[] = {&x, &y, &z, &w};
    if (i < 4) *named[i] = RVar(detail::rvar_sym(contents_, i));
  }
}

RDom& RDom::where(const Operand& condition) {
  if (!detail::checked(condition, "where").type().is_bool())
    user_error(ErrorCode::BadRDom, condition.loc,
               "where() takes a condition, not a value of type " + ir::to_string(condition.expr.type()),
               "compare: where(r.x < r.y)");
  if (contents_->used)
    user_error(ErrorCode::BadRDom, condition.loc, "where() after the RDom was used in a definition",
               "restrict the RDom before its first use");
  contents_->where = contents_->where && detail::weaken(condition.expr.node(), contents_.get());
  return *this;
}

int RDom::dimensions() const { return static_cast<int>(contents_->vars.size()); }

RVar RDom::operator[](int i) const {
  if (i < 0 || i >= dimensions())
    user_error(ErrorCode::BadRDom, contents_->loc, "the RDom has no dimension " + std::to_string(i),
               "it has " + std::to_string(dimensions()) + ", counted from 0");
  return RVar(detail::rvar_sym(contents_, static_cast<size_t>(i)));
}

RDom::operator RVar() const {
  if (dimensions() != 1)
    user_error(ErrorCode::BadRDom, contents_->loc,
               "an RDom of " + std::to_string(dimensions()) + " dimensions used as one variable",
               "name the dimension: r.x, r.y or r[i]");
  return x;
}
RDom::operator Expr() const { return static_cast<RVar>(*this); }

}  // namespace sinter
