#include "scheduler/lower/host/flatten_host.h"

#include <map>

#include "ir/analysis/visit.h"
#include "scheduler/lower/flatten.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

class HostFlattener {
 public:
  explicit HostFlattener(const Module& module) {
    for (size_t f = 0; f < module.buffers.size(); ++f)
      if (const Buffer& b = module.buffers[f]; b.is_argument) places_[static_cast<FuncId>(f)] = {static_cast<int>(f), b.min, b.stride};
  }

  // Allocs are met outermost first, so a body sees the innermost one of its Func; copies of one Alloc have renamed variables in
  // their regions, each valid in its own body.
  Stmt operator()(const Stmt& s) {
    if (const auto* a = as<AllocStmt>(s)) {
      Place p{a->func, {}, {}};
      std::vector<Expr> extent;
      for (const Region& r : a->region) {
        p.min.push_back(r.min);
        extent.push_back(r.extent);
      }
      p.stride = compact_strides(extent, Int(64), a->order);
      const auto outer = places_.find(a->func) == places_.end() ? Place{} : places_[a->func];
      places_[a->func] = p;
      Stmt out = map_children(s, [&](const Stmt& c) { return (*this)(c); }, nullptr);
      places_[a->func] = outer;
      return out;
    }
    if (s->kind == StmtKind::Seq || s->kind == StmtKind::For || s->kind == StmtKind::If || s->kind == StmtKind::Let) {
      const Stmt inner = map_children(s, [&](const Stmt& c) { return (*this)(c); }, nullptr);
      return map_children(inner, nullptr, [&](const Expr& e) { return flat(e); });
    }
    return flatten(s, place_of(), Int(64));
  }

 private:
  PlaceOf place_of() {
    return [this](FuncId f) -> const Place* {
      const auto it = places_.find(f);
      return it == places_.end() || it->second.buffer < 0 ? nullptr : &it->second;
    };
  }
  Expr flat(const Expr& e) {
    const PlaceOf of = place_of();
    return rewrite(e, [&](const Expr& n) {
      const Place* p = n->op == Op::Call ? of(n->id) : nullptr;
      return p ? make_load(p->buffer, n.type(), flat_index(*p, n->args, Int(64)), {}, 0, {}, n->loc) : n;
    });
  }

  std::map<FuncId, Place> places_;
};

}  // namespace

Stmt flatten_host(const Stmt& s, const Module& module) { return HostFlattener(module)(s); }

}  // namespace sinter::scheduler
