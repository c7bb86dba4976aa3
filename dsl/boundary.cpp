#include "dsl/boundary.h"

#include "dsl/contents.h"
#include "dsl/match.h"
#include "dsl/math.h"

namespace sinter::BoundaryConditions {

namespace {

Bounds all_of(const Input& source) {
  Bounds out;
  for (int d = 0; d < source.dimensions(); ++d) out.emplace_back(source.dim(d).min(), source.dim(d).extent());
  return out;
}

enum class Exterior { Edge, Image, Mirror, MirrorInterior };

// The coordinate inside that stands for `x`. The wrapped ones are clamped too: it changes no value, and bounds follow.
Expr inside_index(Exterior how, const Operand& x, const Operand& low, const Operand& extent) {
  const Loc loc = x.loc;
  const auto at = [loc](const Expr& e) { return Operand(e, loc); };
  const Operand one(1, loc), two(2, loc), last = at(at(low + extent) - one);
  if (how == Exterior::Edge) return clamp(x, low, last);
  const Operand from_low = at(x - low);
  Operand offset;
  if (how == Exterior::Image) {
    offset = at(from_low % extent);
  } else {
    // One period there and back; with an extent of 1 the interior's is 0, and so is the remainder.
    const Operand period = at(two * (how == Exterior::Mirror ? extent : at(extent - one)));
    const Operand forth = at(from_low % period), back = at(period - forth);
    offset = at(min(forth, how == Exterior::Mirror ? at(back - one) : back));
  }
  return clamp(at(low + offset), low, last);
}

// One Func over the source's Vars: the source at coordinates that were made to lie inside, and `value` (where given)
// for those that were outside.
Func extend(const std::shared_ptr<detail::FuncContents>& source, const std::vector<Var>& vars, const Bounds& bounds,
            const Operand* value, const char* name, Loc loc, Exterior how = Exterior::Edge) {
  if (bounds.size() > vars.size())
    ir::user_error(ErrorCode::WrongArity, loc,
                   std::string(name) + ": `" + source->name() + "` has " + std::to_string(vars.size()) +
                       " dimensions and is given bounds for " + std::to_string(bounds.size()),
                   "give (min, extent) for each dimension, or for the leading ones");
  std::vector<Operand> index;
  Expr inside;
  for (size_t d = 0; d < vars.size(); ++d) {
    if (d >= bounds.size()) {
      index.emplace_back(vars[d], loc);
      continue;
    }
    const Operand x(vars[d], loc), low(bounds[d].first, loc);
    const Operand extent(bounds[d].second, loc), end(low + extent, loc);
    index.emplace_back(inside_index(how, x, low, extent), loc);
    const Expr here = Operand(x >= low, loc) && Operand(x < end, loc);
    inside = inside.defined() ? Operand(inside, loc) && Operand(here, loc) : here;
  }
  Func out(source->name() + "_" + name, loc);
  const Expr nearest = FuncRef(source, index, loc);
  Expr result = nearest;
  if (value && inside.defined()) {
    // The exterior has the source's type: a value of another type would change the type of everything that reads it.
    if (value->expr.defined() && !value->expr.is_literal() && value->expr.type() != source->type)
      detail::type_error(*value,
                         std::string(name) + ": the exterior of `" + source->name() + "` has type " +
                             ir::to_string(value->expr.type()),
                         "it has the type of the source: " + ir::to_string(source->type) + "(...)");
    detail::checked(*value, name);
    result = select(Operand(inside, loc), Operand(nearest, loc),
                    Operand(Expr(detail::convert(*value, source->type)), value->loc));
  }
  out(vars, loc) = Operand(result, loc);
  return out;
}

std::vector<Var> vars_of(const Input& source) {
  static const Var placeholders[] = {_0, _1, _2, _3, _4, _5, _6, _7};
  return {placeholders, placeholders + source.dimensions()};
}

}  // namespace

Func constant_exterior(const Input& source, const Operand& value, Loc loc) {
  return extend(source.contents(), vars_of(source), all_of(source), &value, "constant_exterior", loc);
}
Func constant_exterior(const Func& source, const Operand& value, const Bounds& bounds, Loc loc) {
  return extend(source.contents(), source.args(), bounds, &value, "constant_exterior", loc);
}
Func repeat_edge(const Input& source, Loc loc) {
  return extend(source.contents(), vars_of(source), all_of(source), nullptr, "repeat_edge", loc);
}
Func repeat_edge(const Func& source, const Bounds& bounds, Loc loc) {
  return extend(source.contents(), source.args(), bounds, nullptr, "repeat_edge", loc);
}
Func repeat_image(const Input& source, Loc loc) {
  return extend(source.contents(), vars_of(source), all_of(source), nullptr, "repeat_image", loc, Exterior::Image);
}
Func repeat_image(const Func& source, const Bounds& bounds, Loc loc) {
  return extend(source.contents(), source.args(), bounds, nullptr, "repeat_image", loc, Exterior::Image);
}
Func mirror_image(const Input& source, Loc loc) {
  return extend(source.contents(), vars_of(source), all_of(source), nullptr, "mirror_image", loc, Exterior::Mirror);
}
Func mirror_image(const Func& source, const Bounds& bounds, Loc loc) {
  return extend(source.contents(), source.args(), bounds, nullptr, "mirror_image", loc, Exterior::Mirror);
}
Func mirror_interior(const Input& source, Loc loc) {
  return extend(source.contents(), vars_of(source), all_of(source), nullptr, "mirror_interior", loc, Exterior::MirrorInterior);
}
Func mirror_interior(const Func& source, const Bounds& bounds, Loc loc) {
  return extend(source.contents(), source.args(), bounds, nullptr, "mirror_interior", loc, Exterior::MirrorInterior);
}

}  // namespace sinter::BoundaryConditions
