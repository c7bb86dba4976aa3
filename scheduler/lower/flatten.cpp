#include "scheduler/lower/flatten.h"

#include "ir/analysis/visit.h"
#include "ir/diagnostic.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

Expr flat_index(const Place& place, const std::vector<Expr>& index, Type index_type) {
  internal_check(index.size() == place.stride.size(), "flatten: rank of an access");
  const Type type = place.index_i32 ? Int(32) : index_type;
  Expr sum = make_int(type, 0);
  // Outer dimensions first: what varies fastest is added last, and a literal distance along it stays the outermost addend.
  for (size_t d = index.size(); d-- > 0;) {
    Expr i = index[d];
    if (i.type() != Int(32) && i.type() != Int(64)) i = make_cast(Int(32), i);
    if (!place.min.empty() && place.min[d].defined()) i = i - make_cast(i.type(), place.min[d]);
    i = make_cast(type, simplify(i));
    sum = sum + i * make_cast(type, place.stride[d]);
  }
  return sum;
}

Stmt flatten(const Stmt& s, const PlaceOf& place, Type index_type) {
  Rewriter rewriter([&](const Expr& e) {
    if (e->op != Op::Call) return e;
    const Place* p = place(e->id);
    return p ? make_load(p->buffer, e.type(), flat_index(*p, e->args, index_type), {}, 0, {}, e->loc) : e;
  });
  const auto expr = [&](const Expr& e) { return rewriter(e); };
  return rewrite_stmt(
      s,
      [&](const Stmt& st) -> Stmt {
        const auto* p = as<ProvideStmt>(st);
        const Place* at = p ? place(p->func) : nullptr;
        if (!at) return st;
        return std::make_shared<StoreStmt>(at->buffer, flat_index(*at, p->index, index_type), p->value, Expr(), 0, CachePolicy{}, p->loc);
      },
      expr);
}

std::vector<Expr> compact_strides(const std::vector<Expr>& extent, Type t, const std::vector<int>& order) {
  std::vector<Expr> out(extent.size());
  Expr stride = make_int(t, 1);
  for (size_t i = 0; i < extent.size(); ++i) {
    const size_t d = order.empty() ? i : static_cast<size_t>(order[i]);
    out[d] = stride;
    stride = stride * make_cast(t, extent[d]);
  }
  return out;
}

}  // namespace sinter::scheduler
