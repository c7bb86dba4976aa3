#include "dsl/argmax.h"

#include <limits>

#include "dsl/contents.h"
#include "dsl/match.h"
#include "dsl/math.h"
#include "dsl/reduce.h"
#include "ir/analysis/visit.h"

namespace sinter {

using ir::Op;

namespace {

// Does every evaluation of `e` have the same bits, whatever the compiler makes of it? Not where something rounds, or might be inlined
// that does: a product may become part of an fma in one place and not in the other.
bool is_exact(const ir::Expr& e) {
  bool exact = true;
  ir::walk(e, [&](const ir::Expr& n) {
    switch (n->op) {
      case Op::Call: exact = exact && detail::sym_node(n->var).func->is_input; break;
      case Op::Add: case Op::Sub: case Op::Mul: case Op::Div: case Op::Mod: exact = exact && !n.type().is_float(); break;
      case Op::Math: exact = false; break;
      default: break;
    }
  });
  return exact;
}

Tuple arg_reduction(const char* name, bool largest, const RDom& r, const Operand& given, Loc loc) {
  const ir::Expr& node = detail::checked(given, name);
  if (node.type().is_bool())
    ir::user_error(ErrorCode::BadReduction, loc, std::string(name) + " of bool", "convert first: select(condition, 1, 0)");
  const Expr e = is_exact(node) ? given.expr : strict_float(given);
  const auto at = [&](const Expr& x) { return Operand(x, loc); };
  const Expr best = largest ? maximum(r, at(e), loc) : minimum(r, at(e), loc);
  Expr found = at(e) == at(best);
  if (e.type().is_float()) found = at(found) || at(is_nan(at(e)));

  const detail::RDomContents& d = *r.contents();
  std::vector<Expr> out;
  if (r.dimensions() == 1) {
    out.push_back(minimum(r, at(select(at(found), at(Expr(r[0])), at(std::numeric_limits<int32_t>::max()))), loc));
  } else {
    // The position in the order of the domain, of which the coordinates are the digits.
    Expr position = int64_t{0}, stride = int64_t{1};
    std::vector<Expr> strides;
    for (int i = 0; i < r.dimensions(); ++i) {
      strides.push_back(stride);
      const Expr offset = i64(at(at(Expr(r[i])) - at(Expr(d.min[static_cast<size_t>(i)]))));
      position = at(position) + at(at(offset) * at(stride));
      stride = at(stride) * at(i64(at(Expr(d.extent[static_cast<size_t>(i)]))));
    }
    const Expr none = std::numeric_limits<int64_t>::max();
    const Expr first = minimum(r, at(select(at(found), at(position), at(none))), loc);
    for (int i = 0; i < r.dimensions(); ++i) {
      const auto k = static_cast<size_t>(i);
      const Expr digit = at(at(first) / at(strides[k])) % at(i64(at(Expr(d.extent[k]))));
      const Expr coordinate = at(i32(at(digit))) + at(Expr(d.min[k]));
      out.push_back(select(at(at(first) == at(none)), at(std::numeric_limits<int32_t>::max()), at(coordinate)));
    }
  }
  out.push_back(best);
  return Tuple(std::move(out));
}

}  // namespace

Tuple argmax(const RDom& r, const Operand& e, Loc loc) { return arg_reduction("argmax", true, r, e, loc); }
Tuple argmin(const RDom& r, const Operand& e, Loc loc) { return arg_reduction("argmin", false, r, e, loc); }

}  // namespace sinter
