#include "dsl/func.h"

#include "dsl/contents.h"
#include "dsl/define.h"

namespace sinter {

using ir::user_error;

namespace detail {

std::vector<Operand> given_operands(const std::vector<const Operand*>& operands) {
  size_t n = 0;
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i]->given) n = i + 1;
  std::vector<Operand> out;
  for (size_t i = 0; i < n; ++i) out.push_back(*operands[i]);
  return out;
}

std::vector<FuncPtr> contents_of(const std::vector<Func>& funcs, Loc loc) {
  if (funcs.empty())
    user_error(ErrorCode::BadWrapper, loc, "in() with an empty list of readers",
               "in() without arguments means all readers");
  std::vector<FuncPtr> out;
  for (const Func& f : funcs) out.push_back(f.contents());
  return out;
}

}  // namespace detail

// ---- FuncRef ----

FuncRef::operator Expr() const { return Expr(detail::read(func_, args_, loc_)); }
Stage FuncRef::operator=(const Operand& value) { return {func_, detail::define(func_, args_, value, loc_)}; }
Stage FuncRef::operator+=(const Operand& value) {
  return {func_, detail::define_compound(func_, args_, ir::Op::Add, value, loc_)};
}
Stage FuncRef::operator-=(const Operand& value) {
  return {func_, detail::define_compound(func_, args_, ir::Op::Sub, value, loc_)};
}
Stage FuncRef::operator*=(const Operand& value) {
  return {func_, detail::define_compound(func_, args_, ir::Op::Mul, value, loc_)};
}
Stage FuncRef::operator/=(const Operand& value) {
  return {func_, detail::define_compound(func_, args_, ir::Op::Div, value, loc_)};
}

// ---- Func ----

static void require_defined(const detail::FuncContents& f, Loc loc) {
  if (!f.defined())
    user_error(ErrorCode::UndefinedFunc, loc, "`" + f.name() + "` has no definition yet",
               "define it first: " + f.name() + "(x, y) = ...");
}

Func::Func(std::string name, Loc loc)
    : contents_(detail::make_func(detail::checked_name(std::move(name), "Func", loc), loc)) {}
Func::Func(const Expr& value, Loc loc) : contents_(detail::make_func("f", loc)) {
  detail::define(contents_, {}, Operand(value, loc), loc);
}

const std::string& Func::name() const { return contents_->name(); }
bool Func::defined() const { return contents_->defined(); }
int Func::dimensions() const {
  require_defined(*contents_, contents_->loc);
  return contents_->rank;
}
Type Func::type() const {
  require_defined(*contents_, contents_->loc);
  return contents_->type;
}
std::vector<Var> Func::args() const {
  require_defined(*contents_, contents_->loc);
  std::vector<Var> out;
  for (const ir::Sym& d : contents_->dims) out.emplace_back(d);
  return out;
}
int Func::updates() const { return contents_->stages.empty() ? 0 : static_cast<int>(contents_->stages.size()) - 1; }

FuncRef Func::operator()(const Operand& i0, const Operand& i1, const Operand& i2, const Operand& i3, const Operand& i4,
                         const Operand& i5, const Operand& i6, const Operand& i7, Loc loc) const {
  return {contents_, detail::given_operands({&i0, &i1, &i2, &i3, &i4, &i5, &i6, &i7}), loc};
}

FuncRef Func::operator()(const std::vector<Expr>& index, Loc loc) const {
  std::vector<Operand> args;
  for (const Expr& e : index) args.emplace_back(e, loc);
  return {contents_, std::move(args), loc};
}

FuncRef Func::operator()(const std::vector<Var>& index, Loc loc) const {
  std::vector<Operand> args;
  for (const Var& v : index) args.emplace_back(v, loc);
  return {contents_, std::move(args), loc};
}

Stage Func::update(int i, Loc loc) const {
  require_defined(*contents_, loc);
  if (i < 0 || i >= updates())
    user_error(ErrorCode::DirectiveAfterCompile, loc, "`" + name() + "` has no update " + std::to_string(i),
               updates() == 0 ? "it has only a pure definition: schedule " + name() + " itself"
                              : "it has " + std::to_string(updates()) + ", counted from 0");
  return {contents_, i + 1};
}

std::vector<RVar> Func::rvars(int i, Loc loc) const {
  update(i, loc);
  std::vector<RVar> out;
  if (const detail::RDomPtr& r = contents_->stages[static_cast<size_t>(i) + 1].rdom)
    for (size_t v = 0; v < r->vars.size(); ++v) out.emplace_back(detail::rvar_sym(r, v));
  return out;
}

Func Func::reduction(int i, Loc loc) const {
  require_defined(*contents_, loc);
  const int n = static_cast<int>(contents_->reductions.size());
  if (i < 0 || i >= n)
    user_error(ErrorCode::BadReduction, loc, "`" + name() + "` has no inline reduction " + std::to_string(i),
               n == 0 ? "a reduction that is the whole right side is the Func itself: " + name() + ".update()"
                      : "it has " + std::to_string(n) + ", counted from 0");
  return Func(contents_->reductions[static_cast<size_t>(i)]);
}

BufferSizes Func::output_buffer(Loc loc) const {
  require_defined(*contents_, loc);
  return BufferSizes(contents_);
}

Func Func::in(Loc loc) const { return detail::make_wrapper(contents_, {}, loc); }
Func Func::in(const Func& reader, Loc loc) const { return detail::make_wrapper(contents_, {reader.contents()}, loc); }
Func Func::in(const std::vector<Func>& readers, Loc loc) const {
  return detail::make_wrapper(contents_, detail::contents_of(readers, loc), loc);
}

}  // namespace sinter
