#include "dsl/input.h"

#include "dsl/contents.h"
#include "dsl/func.h"
#include "dsl/match.h"
#include "ir/analysis/visit.h"

namespace sinter {

using ir::user_error;

// ---- sizes ----

Expr Dimension::extent() const {
  return Expr(ir::make_var(ir::Sym(buffer_, &buffer_->extent[static_cast<size_t>(d_)])));
}
Expr Dimension::stride() const {
  return Expr(ir::make_var(ir::Sym(buffer_, &buffer_->stride[static_cast<size_t>(d_)])));
}
Expr Dimension::max() const { return extent() - 1; }

// E0013 unless the size is an integer known on entry.
static ir::Expr checked_size(const detail::FuncContents& buffer, const Operand& o, Type t, const char* what) {
  const Type from = detail::checked(o, what).type();
  if (!from.is_integer() || (!o.expr.is_literal() && from.bits > t.bits))
    user_error(ErrorCode::BadArgument, o.loc,
               std::string(what) + " of `" + buffer.name() + "` has type " + ir::to_string(from),
               "sizes are integers: " + ir::to_string(t) + "(e)");
  ir::walk(o.expr.node(), [&](const ir::Expr& e) {
    const bool variable = e->op == ir::Op::Var && (detail::sym_node(e->var).kind == detail::SymKind::Var ||
                                                   detail::sym_node(e->var).kind == detail::SymKind::RVar);
    if (variable || e->op == ir::Op::Call)
      user_error(ErrorCode::BadArgument, o.loc,
                 std::string(what) + " of `" + buffer.name() + "` depends on `" + e->var->name + "`",
                 "sizes are made of constants, Params and the sizes of other arguments");
  });
  const ir::Expr size = detail::convert(o, t);
  if (const int64_t* n = ir::as_int(size); n && *n < 0)
    user_error(ErrorCode::BadArgument, o.loc, std::string(what) + " of `" + buffer.name() + "` is negative",
               "give a size of at least 0");
  return detail::weaken(size, &buffer);
}

Dimension& Dimension::set_extent(const Operand& extent) {
  buffer_->fixed_extent[static_cast<size_t>(d_)] = checked_size(*buffer_, extent, Int(32), "set_extent");
  return *this;
}

Dimension& Dimension::set_stride(const Operand& stride) {
  if (!stride.expr.defined()) {
    buffer_->fixed_stride[static_cast<size_t>(d_)] = ir::Expr();
    if (d_ == 0) buffer_->free_stride0 = true;
    return *this;
  }
  buffer_->fixed_stride[static_cast<size_t>(d_)] = checked_size(*buffer_, stride, Int(64), "set_stride");
  if (d_ == 0) buffer_->free_stride0 = !ir::is_const_int(buffer_->fixed_stride[0], 1);
  return *this;
}

Dimension& Dimension::set_estimate(int64_t min, int64_t extent, Loc loc) {
  ir::Directive d;
  d.kind = ir::DirectiveKind::SetEstimate;
  d.stage = -1;
  d.ints = {min, extent};
  d.loc = loc;
  if (!buffer_->is_input) d.loops = {buffer_->dims[static_cast<size_t>(d_)]};
  buffer_->directives.push_back({std::move(d), {}, {}, buffer_->is_input ? d_ : -1});
  return *this;
}

Dimension& Dimension::set_bounds(const Operand& min, const Operand& extent) {
  if (!ir::is_const_int(detail::checked(min, "set_bounds"), 0))
    user_error(ErrorCode::BadArgument, min.loc, "set_bounds of `" + buffer_->name() + "` with a min other than 0",
               "buffers start at 0; shift the index where the Func is defined");
  return set_extent(extent);
}

int BufferSizes::dimensions() const { return buffer_->rank; }

Dimension BufferSizes::dim(int d, Loc loc) const {
  if (d < 0 || d >= buffer_->rank)
    user_error(ErrorCode::WrongArity, loc, "`" + buffer_->name() + "` has no dimension " + std::to_string(d),
               "it has " + std::to_string(buffer_->rank) + ", counted from 0");
  return {buffer_, d};
}

// ---- Input ----

static detail::FuncPtr make_input(std::string name, Type type, int rank, Loc loc) {
  detail::check_type(type, loc);
  detail::checked_name(name, "Input", loc);
  if (rank < 0 || rank > 8)
    user_error(ErrorCode::BadArgument, loc, "an Input of rank " + std::to_string(rank), "the rank is between 0 and 8");
  detail::FuncPtr f = detail::make_func(std::move(name), loc);
  f->is_input = true;
  f->type = type;
  f->set_rank(rank);
  return f;
}

Input::Input(std::string name, Type type, int rank, Loc loc)
    : BufferSizes(make_input(std::move(name), type, rank, loc)) {}
const std::string& Input::name() const { return buffer_->name(); }
Type Input::type() const { return buffer_->type; }

Expr Input::operator()(const Operand& i0, const Operand& i1, const Operand& i2, const Operand& i3, const Operand& i4,
                       const Operand& i5, const Operand& i6, const Operand& i7, Loc loc) const {
  return FuncRef(buffer_, detail::given_operands({&i0, &i1, &i2, &i3, &i4, &i5, &i6, &i7}), loc);
}

Expr Input::operator()(const std::vector<Expr>& index, Loc loc) const {
  std::vector<Operand> args;
  for (const Expr& e : index) args.emplace_back(e, loc);
  return FuncRef(buffer_, std::move(args), loc);
}

Func Input::in(Loc loc) const { return detail::make_wrapper(buffer_, {}, loc); }
Func Input::in(const Func& reader, Loc loc) const { return detail::make_wrapper(buffer_, {reader.contents()}, loc); }
Func Input::in(const std::vector<Func>& readers, Loc loc) const {
  return detail::make_wrapper(buffer_, detail::contents_of(readers, loc), loc);
}

// ---- Params ----

AnyParam::AnyParam(std::string name, Type type, Loc loc) : contents_(std::make_shared<detail::ParamContents>()) {
  detail::check_type(type, loc);
  contents_->sym.name = detail::checked_name(std::move(name), "Param", loc);
  contents_->sym.type = type;
  contents_->sym.kind = detail::SymKind::Param;
  contents_->loc = loc;
}
const std::string& AnyParam::name() const { return contents_->sym.name; }
Type AnyParam::type() const { return contents_->sym.type; }
AnyParam::operator Expr() const { return Expr(ir::make_var(ir::Sym(contents_, &contents_->sym))); }

}  // namespace sinter
