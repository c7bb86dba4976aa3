#include "scheduler/lower/apply_dimension.h"

#include <algorithm>
#include <numeric>

#include "ir/diagnostic.h"
#include "ir/loops.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

std::string quoted(const std::string& s) { return "`" + s + "`"; }

int dimension(const FuncDef& f, const Directive& d, const Sym& v) {
  for (int i = 0; i < f.rank(); ++i)
    if (f.dims[i] == v) return i;
  const std::string word = directive_name(d.kind);
  user_error(ErrorCode::NoSuchLoop, d.loc, word + ": " + quoted(f.name) + " has no dimension " + quoted(v->name), word + " takes a Var of the Func's pure definition");
}

void apply_bound(const FuncDef& f, FuncPlan& plan, int dim, const Directive& d) {
  const std::string word = directive_name(d.kind), var = quoted(d.loops[0]->name);
  const Expr& extent = d.exprs.back();
  if (const int64_t* n = as_int(extent); n && *n < 1)
    user_error(ErrorCode::BadBound, d.loc, word + ": the extent of " + var + " is " + std::to_string(*n), "an extent is at least 1");
  for (const DimBound& b : plan.bounds)
    if (b.dim == dim)
      user_error(ErrorCode::BadBound, d.loc, word + ": " + var + " of " + quoted(f.name) + " is bounded twice (" + to_string(b.loc) + ")", "keep one of them");
  plan.bounds.push_back({dim, d.kind == DirectiveKind::Bound ? d.exprs[0] : Expr(), extent, d.loc});
}

void apply_align_bounds(const Program& program, const FuncDef& f, FuncPlan& plan, int dim, const Directive& d) {
  const std::string var = quoted(d.loops[0]->name);
  if (program.is_output(d.func))
    user_error(ErrorCode::BadBound, d.loc, "align_bounds: " + quoted(f.name) + " is an output; the caller's buffer says what is computed",
               "bound(" + d.loops[0]->name + ", 0, extent) promises its size");
  if (d.ints[0] < 1 || d.ints[0] > kMaxFactor)
    user_error(ErrorCode::BadFactor, d.loc, "align_bounds: the modulus of " + var + " is " + std::to_string(d.ints[0]), "a constant from 1 to " + std::to_string(kMaxFactor));
  if (d.ints[1] < 0 || d.ints[1] >= d.ints[0])
    user_error(ErrorCode::BadBound, d.loc, "align_bounds: the remainder of " + var + " is " + std::to_string(d.ints[1]) + ", of the modulus " + std::to_string(d.ints[0]),
               "a remainder is at least 0 and less than the modulus");
  for (const DimAlign& a : plan.aligned)
    if (a.dim == dim)
      user_error(ErrorCode::BadBound, d.loc, "align_bounds: " + var + " of " + quoted(f.name) + " is aligned twice (" + to_string(a.loc) + ")", "keep one of them");
  plan.aligned.push_back({dim, d.ints[0], d.ints[1], d.loc});
}

void apply_estimate(const Program& program, const FuncDef& f, FuncPlan& plan, int dim, const Directive& d) {
  const bool boundary = f.is_input() || program.is_output(d.func);
  const std::string what = std::string("set_estimate: ") + (f.is_input() ? "dimension " + std::to_string(dim) : quoted(d.loops[0]->name)) + " of " + quoted(f.name);
  if (boundary && d.ints[0] != 0) user_error(ErrorCode::BadBound, d.loc, what + " begins at " + std::to_string(d.ints[0]), "Inputs and outputs begin at 0");
  if (d.ints[0] < INT32_MIN || d.ints[0] > INT32_MAX || d.ints[1] < 1 || d.ints[1] > INT32_MAX)
    user_error(ErrorCode::BadBound, d.loc, what + " has " + std::to_string(d.ints[1]) + " coordinates from " + std::to_string(d.ints[0]), "an extent is at least 1, and an i32");
  // Said again: the last word counts, as with any hint.
  if (boundary) plan.estimates[dim] = d.ints[1];
}

// The caller owns the memory of an output.
void require_own_storage(const Program& program, const FuncDef& f, const Directive& d) {
  if (program.is_output(d.func))
    user_error(ErrorCode::BadMemory, d.loc, std::string(directive_name(d.kind)) + ": " + quoted(f.name) + " is an output; the caller owns its memory",
               f.name + ".output_buffer().dim(0).set_stride(...) says how the caller's buffer lies in memory");
}

void apply_reorder_storage(const FuncDef& f, FuncPlan& plan, const Directive& d) {
  std::vector<int> named, places;
  for (const Sym& v : d.loops) named.push_back(dimension(f, d, v));
  std::vector<int>& order = plan.storage_order;
  if (order.empty()) {
    order.resize(static_cast<size_t>(f.rank()));
    std::iota(order.begin(), order.end(), 0);
  }
  for (size_t i = 0; i < named.size(); ++i) {
    if (std::find(named.begin(), named.begin() + static_cast<ptrdiff_t>(i), named[i]) != named.begin() + static_cast<ptrdiff_t>(i))
      user_error(ErrorCode::BadReorder, d.loc, "reorder_storage: " + quoted(d.loops[i]->name) + " is named twice", "name each dimension once");
    places.push_back(static_cast<int>(std::find(order.begin(), order.end(), named[i]) - order.begin()));
  }
  std::sort(places.begin(), places.end());
  for (size_t i = 0; i < named.size(); ++i) order[places[i]] = named[i];
  plan.storage_loc = d.loc;
}

void apply_align_storage(const FuncDef& f, FuncPlan& plan, int dim, const Directive& d) {
  if (d.ints[0] < 1 || d.ints[0] > kMaxFactor)
    user_error(ErrorCode::BadFactor, d.loc, "align_storage: " + quoted(d.loops[0]->name) + " to " + std::to_string(d.ints[0]) + " elements",
               "a constant from 1 to " + std::to_string(kMaxFactor));
  plan.storage_align.resize(static_cast<size_t>(f.rank()), 1);
  plan.storage_align[dim] = d.ints[0];
  plan.storage_loc = d.loc;
}

}  // namespace

void apply_dimension(const Program& program, FuncPlan& plan, const Directive& d) {
  const FuncDef& f = program.funcs[d.func];
  const int dim = dimension(f, d, d.loops[0]);
  switch (d.kind) {
    case DirectiveKind::Bound: case DirectiveKind::BoundExtent: return apply_bound(f, plan, dim, d);
    case DirectiveKind::AlignBounds: return apply_align_bounds(program, f, plan, dim, d);
    case DirectiveKind::SetEstimate: return apply_estimate(program, f, plan, dim, d);
    case DirectiveKind::ReorderStorage:
      require_own_storage(program, f, d);
      return apply_reorder_storage(f, plan, d);
    case DirectiveKind::AlignStorage:
      require_own_storage(program, f, d);
      return apply_align_storage(f, plan, dim, d);
    default: throw InternalError("apply_dimension: not a directive about dimensions");
  }
}

}  // namespace sinter::scheduler
