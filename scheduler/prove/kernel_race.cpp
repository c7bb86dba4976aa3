#include "scheduler/prove/kernel_race.h"

#include <algorithm>
#include <set>

#include "ir/text/print.h"
#include "scheduler/layout/fixed_layout.h"
#include "scheduler/prove/thread_pair.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

bool has_barrier(const Stmt& s) {
  bool found = false;
  walk_stmts(s, [&](const Stmt& c) {
    if (const auto* b = as<SyncStmt>(c)) found = found || b->sync == SyncKind::Barrier;
    return !found;
  });
  return found;
}

bool shuffles(const TileStmt& t) {
  bool found = false;
  walk_exprs(t.body, [&](const Expr& e) { walk(e, [&](const Expr& n) { found = found || n->op == Op::Shuffle; }); });
  return found;
}

// A barrier on every way through `s`.
bool always_waits(const Stmt& s) {
  if (const auto* b = as<SyncStmt>(s)) return b->sync == SyncKind::Barrier;
  if (const auto* q = as<SeqStmt>(s)) return std::any_of(q->stmts.begin(), q->stmts.end(), always_waits);
  if (const auto* l = as<LetStmt>(s)) return always_waits(l->body);
  if (const auto* i = as<IfStmt>(s)) return i->else_body && always_waits(i->then_body) && always_waits(i->else_body);
  return false;
}

class RaceProver {
 public:
  RaceProver(Claims& claims, const Program& program, const KernelDraft& kernel)
      : claims_(claims), program_(program), kernel_(kernel), coordinates_(block_coordinates(kernel)), uniform_(kernel), pairs_(claims, program, kernel) {
    walk_stmts(kernel.body, [&](const Stmt& s) {
      if (const auto* p = as<ProvideStmt>(s)) written_.insert(p->func);
      return true;
    });
  }

  void run() {
    Path path = Path::of_arguments(program_);
    for (const auto& [v, r] : coordinates_.range) ranges_.push_back({v, r});
    std::vector<Pending> pending;
    walk(kernel_.body, pending, path, true);
    across_blocks();
    for (const FuncId f : written_)
      if (!in_thread_memory(f)) claims_.record("race", "`" + storage_name(program_, kernel_, f) + "`: threads do not meet between barriers", Verdict::Proved);
    if (shuffles_) claims_.record("convergence", "every shuffle is reached by all threads", Verdict::Proved);
    if (has_barrier(kernel_.body)) claims_.record("convergence", "every barrier is reached by all threads", Verdict::Proved);
  }

 private:
  struct Pending {
    const Touch* touch;
    std::vector<const ForStmt*> loops;    // serial loops around it, those that were left or repeated since renamed
    Substitution renamed;
    std::vector<Expr> facts;              // about the renamed ones
    std::vector<const ForStmt*> behind;   // loops of which it is in an earlier iteration
  };

  bool in_thread_memory(FuncId f) const {
    const KernelStorage* s = kernel_.stored(f);
    return s && (s->in_thread || s->memory == Memory::Register);
  }

  void walk(const Stmt& s, std::vector<Pending>& pending, const Path& path, bool converged) {
    if (!s) return;
    if (const auto* q = as<SeqStmt>(s)) {
      for (const Stmt& c : q->stmts) walk(c, pending, path, converged);
    } else if (const auto* l = as<LetStmt>(s)) {
      Path inner = path;
      if (!uniform_(inner.resolve(l->value))) uniform_.vary(l->var);
      if (coordinates_.opaque.count(l->var.get())) {
        if (const auto r = coordinates_.range.find(l->var.get()); r != coordinates_.range.end()) inner.set_range(l->var, r->second.first, r->second.second);
      } else {
        inner.bind(l->var, l->value);
      }
      walk(l->body, pending, inner, converged);
    } else if (const auto* i = as<IfStmt>(s)) {
      branch(*i, pending, path, converged);
    } else if (const auto* f = as<ForStmt>(s)) {
      loop(*f, pending, path, converged);
    } else if (const auto* t = as<TileStmt>(s)) {
      if (shuffles(*t)) {
        shuffles_ = true;
        // Lanes without a point, or whose point is outside of live, would not arrive.
        bool all = converged;
        for (size_t d = 0; d < t->vars.size(); ++d) all = all && !t->live[d].defined() && t->layout.kind == Layout::Kind::Blocked && covered(t->layout, static_cast<int>(d)) <= t->extent[d];
        if (!all) divergent(t->loc, "shuffle");
      }
      tile(*t, pending, path);
    } else if (const auto* b = as<SyncStmt>(s)) {
      if (b->sync != SyncKind::Barrier) return;
      if (!converged) divergent(b->loc, "barrier");
      pending.clear();
    } else {
      throw InternalError("prove_races: a statement outside of tiles");
    }
  }

  void branch(const IfStmt& i, std::vector<Pending>& pending, const Path& path, bool converged) {
    const Expr cond = path.resolve(i.cond);
    const bool same = uniform_(cond);
    if (!same) why_divergent_ = cond;
    Path yes = path, no = path;
    yes.assume(cond);
    no.assume_not(cond);
    std::vector<Pending> other = pending;
    walk(i.then_body, pending, yes, converged && same);
    walk(i.else_body, other, no, converged && same);
    merge(pending, other);
  }

  void loop(const ForStmt& f, std::vector<Pending>& pending, const Path& path, bool converged) {
    const Expr min = path.resolve(f.min), extent = path.resolve(f.extent), live = path.resolve(f.live);
    const bool same = uniform_(min) && uniform_(extent) && uniform_(live);
    if (!same) {
      why_divergent_ = uniform_(extent) ? (uniform_(min) ? live : min) : extent;
      uniform_.vary(f.var);
    }
    Path inner = path;
    inner.enter_loop(f);
    const std::vector<Pending> before = pending;
    loops_.push_back(&f);
    walk(f.body, pending, inner, converged && same);
    // The next iteration, with what the one before left pending.
    std::vector<Pending> next;
    const bool one_behind = always_waits(f.body);
    for (const Pending& p : pending)
      if (is_in(p, f)) next.push_back(left(p, f, inner, one_behind ? Behind::One : Behind::Some));
    const size_t repeated = next.size();
    if (repeated > 0) walk(f.body, next, inner, converged && same);
    loops_.pop_back();
    std::vector<Pending> after = before;
    for (const Pending& p : pending) merge(after, {is_in(p, f) ? left(p, f, inner, Behind::Left) : p});
    pending = std::move(after);
  }

  static bool is_in(const Pending& p, const ForStmt& f) { return std::find(p.loops.begin(), p.loops.end(), &f) != p.loops.end(); }

  enum class Behind : uint8_t { One, Some, Left };

  Pending left(Pending p, const ForStmt& f, const Path& inner, Behind how) const {
    const Sym old = make_sym(f.var->name + "'");
    const Expr was = make_var(old), is = make_var(f.var);
    const Expr min = inner.resolve(f.min), extent = inner.resolve(f.extent);
    for (auto& [v, e] : p.renamed) e = substitute(e, f.var, was);
    for (Expr& e : p.facts) e = substitute(e, f.var, was);
    p.renamed[f.var.get()] = was;
    // Coordinates of the block that are decoded inside the loop are others in another iteration.
    walk_stmts(f.body, [&](const Stmt& s) {
      const auto* l = as<LetStmt>(s);
      if (l && coordinates_.opaque.count(l->var.get())) {
        const Expr other = make_var(make_sym(l->var->name + "'", l->var->type));
        for (auto& [v, e] : p.renamed) e = substitute(e, l->var, other);
        for (Expr& e : p.facts) e = substitute(e, l->var, other);
        p.renamed[l->var.get()] = other;
      }
      return s->kind != StmtKind::Tile;
    });
    p.facts.push_back(was >= min);
    p.facts.push_back(was < min + extent);
    if (how == Behind::One) p.facts.push_back(equal(was + 1, is));
    if (how == Behind::Some) p.facts.push_back(was < is);
    if (how != Behind::Left) p.behind.push_back(&f);
    if (how == Behind::Left) p.loops.erase(std::find(p.loops.begin(), p.loops.end(), &f));
    return p;
  }

  static void merge(std::vector<Pending>& into, const std::vector<Pending>& more) {
    for (const Pending& p : more) {
      const bool known = std::any_of(into.begin(), into.end(), [&](const Pending& q) { return q.touch == p.touch && q.loops == p.loops && q.behind == p.behind; });
      if (!known) into.push_back(p);
    }
  }

  const std::vector<Touch>& touches_of(const TileStmt& t, const Path& path) {
    const auto [it, fresh] = touches_.try_emplace(&t);
    if (fresh) {
      for (Touch& x : touches(t, std::make_shared<Path>(path)))
        if (!in_thread_memory(x.func) && (written_.count(x.func) || kernel_.stored(x.func))) it->second.push_back(std::move(x));
      walk_stmts(t.body, [&](const Stmt& s) {
        if (const auto* b = as<SyncStmt>(s)) divergent(b->loc, "barrier");
        return true;
      });
    }
    return it->second;
  }

  void tile(const TileStmt& t, std::vector<Pending>& pending, const Path& path) {
    const std::vector<Touch>& mine = touches_of(t, path);
    std::vector<Pending> now;
    for (const Touch& x : mine) now.push_back({&x, loops_, {}, {}, {}});
    for (const Pending& b : now)
      for (const Pending& a : pending) pair(a, *b.touch);
    for (size_t i = 0; i < now.size(); ++i)
      for (size_t j = i; j < now.size(); ++j) pair(now[i], *now[j].touch);
    pending.insert(pending.end(), now.begin(), now.end());
  }

  void pair(const Pending& a, const Touch& b) {
    if (!a.touch->write && !b.write) return;
    if (!done_.insert({a.touch, &b, a.behind}).second) return;
    pairs_.prove_apart(*a.touch, a.renamed, a.facts, b);
  }

  // Two blocks have nothing in common but global memory, and no order.
  void across_blocks() {
    std::vector<const Touch*> global;
    for (const auto& [t, list] : touches_)
      for (const Touch& x : list)
        if (!kernel_.stored(x.func)) global.push_back(&x);
    for (const Touch* a : global)
      for (const Touch* b : global)
        if (a->write && a->func == b->func) pairs_.prove_blocks_apart(*a, *b, coordinates_);
  }

  [[noreturn]] void divergent(Loc loc, const std::string& what) {
    claims_.record("convergence", "every " + what + " is reached by all threads", Verdict::Refuted);
    user_error(ErrorCode::DivergentBarrier, loc.known() ? loc : kernel_.loc, "a " + what + " of kernel `" + kernel_.name + "` is not reached by all threads of a block",
               "make what is around it the same for all threads: a condition or loop bound here depends on the thread",
               why_divergent_.defined() ? std::vector<std::string>{print(why_divergent_, program_) + "     differs between threads"} : std::vector<std::string>{"inside a tile statement"},
               pairs_.divergence(why_divergent_));
  }

  Claims& claims_;
  const Program& program_;
  const KernelDraft& kernel_;
  const BlockCoordinates coordinates_;
  Uniform uniform_;
  ThreadPairs pairs_;
  std::set<FuncId> written_;
  std::vector<std::pair<const VarNode*, std::pair<Expr, Expr>>> ranges_;
  std::vector<const ForStmt*> loops_;
  std::map<const TileStmt*, std::vector<Touch>> touches_;
  std::set<std::tuple<const Touch*, const Touch*, std::vector<const ForStmt*>>> done_;
  Expr why_divergent_;
  bool shuffles_ = false;
};

}  // namespace

void prove_races(Claims& claims, const Program& program, const KernelDraft& kernel) { RaceProver(claims, program, kernel).run(); }

}  // namespace sinter::scheduler
