// Func: a pure function of its Vars, with updates, and its schedule.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dsl/input.h"
#include "dsl/schedule.h"

namespace sinter {

// f(x, y): what a definition is assigned to, or, as an Expr, the value of f there.
class FuncRef {
 public:
  FuncRef(std::shared_ptr<detail::FuncContents> func, std::vector<Operand> args, Loc loc)
      : func_(std::move(func)), args_(std::move(args)), loc_(loc) {}
  FuncRef(const FuncRef&) = default;

  operator Expr() const;

  // The first assignment over plain Vars defines the Func; others are updates. The compound forms are updates, and
  // define the Func as the operator's identity where it is not defined yet.
  Stage operator=(const Operand& value);
  Stage operator=(const FuncRef& value) { return *this = Operand(value, loc_); }
  Stage operator+=(const Operand& value);
  Stage operator-=(const Operand& value);
  Stage operator*=(const Operand& value);
  Stage operator/=(const Operand& value);

 private:
  std::shared_ptr<detail::FuncContents> func_;
  std::vector<Operand> args_;
  Loc loc_;
};

class Func : public detail::LoopDirectives<Func> {
 public:
  explicit Func(std::string name = "f", Loc loc = Loc::here());
  // A Func of rank 0.
  explicit Func(const Expr& value, Loc loc = Loc::here());
  explicit Func(std::shared_ptr<detail::FuncContents> contents) : contents_(std::move(contents)) {}

  const std::string& name() const;
  bool defined() const;
  int dimensions() const;  // E0001 where undefined, as type(), args()
  Type type() const;
  std::vector<Var> args() const;
  int updates() const;
  std::vector<RVar> rvars(int update = 0, Loc loc = Loc::here()) const;  // of its RDom, innermost first; E0114 where there is no such update

  // f(x, y), innermost dimension first.
  FuncRef operator()(const Operand& i0 = {}, const Operand& i1 = {}, const Operand& i2 = {}, const Operand& i3 = {},
                     const Operand& i4 = {}, const Operand& i5 = {}, const Operand& i6 = {}, const Operand& i7 = {},
                     Loc loc = Loc::here()) const;
  FuncRef operator()(const std::vector<Expr>& index, Loc loc = Loc::here()) const;
  FuncRef operator()(const std::vector<Var>& index, Loc loc = Loc::here()) const;

  Stage update(int i = 0, Loc loc = Loc::here()) const;    // E0114 where there is none
  Func reduction(int i = 0, Loc loc = Loc::here()) const;  // the i-th inline reduction that became a Func of its own
  BufferSizes output_buffer(Loc loc = Loc::here()) const;  // sizes of the tensor, where the Func is an output

  // A copy that all reads (or those by the given Funcs) go through, to be scheduled. A second call for the same reader
  // gives the same wrapper, as in Halide; f.in(g).in(g) chains: g reads the second, which reads the first. A wrapper is a reader like
  // others where it is named: f.in(f.in(g)) is between f and f.in(g).
  Func in(Loc loc = Loc::here()) const;
  Func in(const Func& reader, Loc loc = Loc::here()) const;
  Func in(const std::vector<Func>& readers, Loc loc = Loc::here()) const;

  // The Func whose domain is shifted: f.translate({dx, dy})(x, y) is f(x - dx, y - dy). Offsets are made of constants, Params and
  // extents, for the leading dimensions; the others stay.
  Func translate(const std::vector<Expr>& offsets, Loc loc = Loc::here()) const;

  // Where and when it is computed, and kept.
  Func& compute_inline(Loc loc = Loc::here()) { return whole(ir::DirectiveKind::ComputeInline, loc); }
  Func& compute_root(Loc loc = Loc::here()) { return whole(ir::DirectiveKind::ComputeRoot, loc); }
  Func& store_root(Loc loc = Loc::here()) { return whole(ir::DirectiveKind::StoreRoot, loc); }
  Func& compute_at(const Func& f, const VarOrRVar& v, Loc loc = Loc::here()) {
    return place(ir::DirectiveKind::ComputeAt, f, v, loc);
  }
  Func& store_at(const Func& f, const VarOrRVar& v, Loc loc = Loc::here()) {
    return place(ir::DirectiveKind::StoreAt, f, v, loc);
  }
  Func& compute_at_block(const Func& f, Loc loc = Loc::here()) {
    return place(ir::DirectiveKind::ComputeAtBlock, f, {}, loc);
  }
  Func& store_at_block(const Func& f, Loc loc = Loc::here()) {
    return place(ir::DirectiveKind::StoreAtBlock, f, {}, loc);
  }
  Func& store_in(MemoryType memory, Loc loc = Loc::here()) { return whole(ir::DirectiveKind::StoreIn, loc, memory); }
  // Promises the range of a dimension, which then is computed in full.
  Func& bound(const Var& v, const Operand& min, const Operand& extent, Loc loc = Loc::here()) {
    handle().bound(ir::DirectiveKind::Bound, v, {min, extent}, loc);
    return *this;
  }
  // Promises the extent only: the range begins where the readers' does, in each tile.
  Func& bound_extent(const Var& v, const Operand& extent, Loc loc = Loc::here()) {
    handle().bound(ir::DirectiveKind::BoundExtent, v, {extent}, loc);
    return *this;
  }
  // The range grows until its first coordinate is `remainder` modulo `modulus`, and its extent a multiple of `modulus`.
  Func& align_bounds(const Var& v, int64_t modulus, int64_t remainder = 0, Loc loc = Loc::here()) {
    return dimensions(ir::DirectiveKind::AlignBounds, {v}, {modulus, remainder}, loc);
  }
  // A typical range, for reports at sizes that nobody gave. Changes no code.
  Func& set_estimate(const Var& v, int64_t min, int64_t extent, Loc loc = Loc::here()) {
    return dimensions(ir::DirectiveKind::SetEstimate, {v}, {min, extent}, loc);
  }
  // Which dimension lies next to the elements of which: innermost first; those that are not named keep their places.
  Func& reorder_storage(const std::vector<Var>& dims, Loc loc = Loc::here()) {
    return dimensions(ir::DirectiveKind::ReorderStorage, dims, {}, loc);
  }
  Func& reorder_storage(const Var& a, const Var& b, Loc loc = Loc::here()) { return reorder_storage(std::vector{a, b}, loc); }
  Func& reorder_storage(const Var& a, const Var& b, const Var& c, Loc loc = Loc::here()) {
    return reorder_storage(std::vector{a, b, c}, loc);
  }
  Func& reorder_storage(const Var& a, const Var& b, const Var& c, const Var& d, Loc loc = Loc::here()) {
    return reorder_storage(std::vector{a, b, c, d}, loc);
  }
  // Storage along `v` is a multiple of so many elements, and so are the strides of the dimensions outside of it.
  Func& align_storage(const Var& v, int64_t elements, Loc loc = Loc::here()) {
    return dimensions(ir::DirectiveKind::AlignStorage, {v}, {elements}, loc);
  }

  detail::StageHandle handle() const { return {contents_, 0}; }
  const std::shared_ptr<detail::FuncContents>& contents() const { return contents_; }

 private:
  std::shared_ptr<detail::FuncContents> contents_;
  Func& whole(ir::DirectiveKind k, Loc loc, MemoryType memory = MemoryType::Auto) {
    handle().whole(k, loc, memory);
    return *this;
  }
  Func& dimensions(ir::DirectiveKind k, const std::vector<Var>& dims, std::vector<int64_t> ints, Loc loc) {
    handle().dimensions(k, dims, std::move(ints), loc);
    return *this;
  }
  Func& place(ir::DirectiveKind k, const Func& f, const VarOrRVar& v, Loc loc) {
    handle().place(k, f, v, loc);
    return *this;
  }
};

namespace detail {
std::vector<Operand> given_operands(const std::vector<const Operand*>& operands);
Func make_wrapper(const std::shared_ptr<FuncContents>& of, const std::vector<std::shared_ptr<FuncContents>>& readers,
                  Loc loc);
std::vector<std::shared_ptr<FuncContents>> contents_of(const std::vector<Func>& funcs, Loc loc);
}  // namespace detail

}  // namespace sinter
