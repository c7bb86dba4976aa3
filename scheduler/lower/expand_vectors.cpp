#include "scheduler/lower/expand_vectors.h"

#include "ir/diagnostic.h"
#include "scheduler/lower/copies.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

// Widens the body of one loop. `min` is added to the lane number.
class Widen {
 public:
  Widen(Sym var, Expr min, int lanes) : var_(std::move(var)), min_(std::move(min)), lanes_(lanes) {}

  Stmt stmt(const Stmt& s) {
    switch (s->kind) {
      case StmtKind::Seq: {
        std::vector<Stmt> out;
        for (const Stmt& c : as<SeqStmt>(s)->stmts) out.push_back(stmt(c));
        return make_seq(std::move(out));
      }
      case StmtKind::Let: {
        const auto* n = as<LetStmt>(s);
        if (n->value.type().lanes > 1) return copies(s);
        if (!varies(n->value)) {
          const Sym v = make_sym(n->var->name, n->var->type);
          uniform_[n->var.get()] = make_var(v);
          const Expr value = at_lane(n->value, 0);
          return make_let(v, value, stmt(n->body));
        }
        if (!reads_memory(n->value)) {  // an index: the accesses below must see through it
          scalar_[n->var.get()] = resolve(n->value);
          return stmt(n->body);
        }
        const Expr value = vec(n->value);
        const Sym v = make_sym(n->var->name, value.type());
        vector_[n->var.get()] = make_var(v);
        return make_let(v, value, stmt(n->body));
      }
      case StmtKind::For: {
        const auto* n = as<ForStmt>(s);
        if (varies(n->min) || varies(n->extent) || n->loop == LoopKind::Parallel) return copies(s);
        const Sym v = make_sym(n->var->name, n->var->type);
        uniform_[n->var.get()] = make_var(v);
        const Expr min = at_lane(n->min, 0), extent = at_lane(n->extent, 0);
        return make_for(v, min, extent, n->loop, stmt(n->body), n->loc);
      }
      case StmtKind::If: {
        const auto* n = as<IfStmt>(s);
        if (varies(n->cond)) return copies(s);
        return make_if(at_lane(n->cond, 0), stmt(n->then_body), n->else_body ? stmt(n->else_body) : nullptr);
      }
      case StmtKind::Store: {
        const auto* n = as<StoreStmt>(s);
        if (n->mask.defined() || n->value.type().lanes > 1 || n->index.type().lanes > 1) return copies(s);
        if (step(n->index) != 1) return copies(s);
        const Expr value = broadcast(vec(n->value));
        return std::make_shared<StoreStmt>(n->buffer, ramp(n->index, 1), value, Expr(), 0, n->cache, n->loc);
      }
      default: return copies(s);
    }
  }

 private:
  // The statement once per lane, in order.
  Stmt copies(const Stmt& s) {
    std::vector<Stmt> out;
    for (int i = 0; i < lanes_; ++i) out.push_back(instantiate(s, lane_values(i)));
    return make_seq(std::move(out));
  }

  Substitution lane_values(int lane) {
    Substitution values = uniform_;
    values[var_.get()] = min_ + lane;
    for (const auto& [v, e] : vector_) values[v] = make_lane(e, lane);
    for (const auto& [v, e] : scalar_) values[v] = at_lane(e, lane);
    return values;
  }

  // Index Lets replaced by their values; the result is an expression of the lane variable.
  Expr resolve(const Expr& e) { return scalar_.empty() ? e : substitute(e, scalar_); }

  // The scalar that lane `lane` computes.
  Expr at_lane(const Expr& e, int lane) {
    Substitution values = uniform_;
    values[var_.get()] = min_ + lane;
    for (const auto& [v, x] : vector_) values[v] = make_lane(x, lane);
    return substitute(resolve(e), values);
  }

  bool varies(const Expr& e) {
    if (e->op == Op::Var) return e->var == var_ || vector_.count(e->var.get()) || scalar_.count(e->var.get());
    if (e->args.empty()) return false;
    if (const auto it = varies_.find(e.get()); it != varies_.end()) return it->second;
    bool found = false;
    for (const Expr& a : e->args) found = found || varies(a);
    keep_.push_back(e);
    return varies_[e.get()] = found;
  }

  std::optional<int64_t> step(const Expr& e) {
    keep_.push_back(resolve(e));
    return coefficient(keep_.back(), var_.get(), steps_);
  }

  static bool reads_memory(const Expr& e) {
    bool found = false;
    walk_down(e, [&](const Expr& n) {
      found = found || n->op == Op::Load || n->op == Op::Call;
      return !found;
    });
    return found;
  }

  Expr broadcast(const Expr& e) { return e.type().lanes == lanes_ ? e : make_broadcast(e, lanes_); }

  Expr ramp(const Expr& e, int64_t step) { return make_ramp(at_lane(e, 0), make_int(e.type(), step), lanes_); }

  Expr each_lane(const Expr& e) {
    std::vector<Expr> out;
    for (int i = 0; i < lanes_; ++i) out.push_back(at_lane(e, i));
    return make_concat(std::move(out));
  }

  // The value of `e` in all lanes; a scalar where all are equal.
  Expr vec(const Expr& e) {
    if (const auto it = memo_.find(e.get()); it != memo_.end()) return it->second;
    Expr out = widen(e);
    keep_.push_back(e);
    memo_.emplace(e.get(), out);
    return out;
  }

  Expr widen(const Expr& e) {
    if (!varies(e)) return at_lane(e, 0);
    internal_check(e.type().lanes == 1, "expand_vectors: a vector inside a vectorized loop");
    if (e->op == Op::Var) {
      if (const auto it = vector_.find(e->var.get()); it != vector_.end()) return it->second;
      if (const auto it = scalar_.find(e->var.get()); it != scalar_.end()) return vec(it->second);
      return make_ramp(min_, make_int(min_.type(), 1), lanes_);
    }
    if (e.type().traps_on_overflow())
      if (const auto c = step(e); c && *c != 0) return ramp(e, *c);
    switch (e->op) {
      case Op::Load: {
        if (e->args.size() > 1 || step(e->args[0]) != 1) return each_lane(e);
        return make_load(e->id, e.type().with_lanes(lanes_), ramp(e->args[0], 1), {}, 0, static_cast<CachePolicy>(e->cache), e->loc);
      }
      case Op::Call: case Op::Let: case Op::Ramp: case Op::Broadcast: case Op::Lane: case Op::Concat: case Op::Shuffle:
        return each_lane(e);
      default: break;
    }
    std::vector<Expr> args;
    for (const Expr& a : e->args) args.push_back(broadcast(vec(a)));
    return with_args(e, std::move(args), e.type().with_lanes(lanes_));
  }

  Sym var_;
  Expr min_;
  int lanes_;
  Substitution scalar_;   // Let of an index: its value, in terms of the lane variable
  Substitution vector_;   // Let of a vector: the vector variable
  Substitution uniform_;  // renamed binders: a loop may be expanded more than once
  std::unordered_map<const ExprNode*, Expr> memo_;
  std::unordered_map<const ExprNode*, bool> varies_;
  CoefficientMemo steps_;
  std::vector<Expr> keep_;  // the memos' keys stay alive
};

bool has_vector(const Stmt& s) {
  bool found = false;
  walk_exprs(s, [&](const Expr& e) {
    walk_down(e, [&](const Expr& n) {
      found = found || n.type().lanes > 1 || n->op == Op::Lane;
      return !found;
    });
  });
  walk_stmts(s, [&](const Stmt& st) {
    found = found || st->kind == StmtKind::Alloc;
    return !found;
  });
  return found;
}

Stmt expand_loop(const ForStmt& f) {
  const int64_t* n = as_int(f.extent);
  internal_check(n != nullptr, "expand_vectors: extent is not constant");
  // Nested vectors, and allocations (one per iteration), are run lane by lane.
  const bool lane_by_lane = has_vector(f.body);
  std::vector<Stmt> out;
  for (int64_t first = 0; first < *n;) {
    int lanes = lane_by_lane ? 1 : kMaxLanes;
    while (lanes > *n - first) lanes /= 2;
    if (lanes == 1) out.push_back(instantiate(f.body, {{f.var.get(), f.min + first}}));
    else out.push_back(Widen(f.var, f.min + first, lanes).stmt(f.body));
    first += lanes;
  }
  return make_seq(std::move(out));
}

}  // namespace

Stmt expand_vectors(const Stmt& s) {
  return rewrite_stmt(
      s,
      [](const Stmt& st) -> Stmt {
        const auto* f = as<ForStmt>(st);
        return f && f->loop == LoopKind::Vectorized ? expand_loop(*f) : st;
      },
      nullptr);
}

}  // namespace sinter::scheduler
