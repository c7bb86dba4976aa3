#include "scheduler/prove/thread_pair.h"

#include <algorithm>

#include "ir/text/print.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

bool is_pure_store(const Touch& t) { return t.write && t.provide && t.provide->stage == 0; }

// Facts of `from` in another iteration, where that changes them; the rest is in `path` already or harmless twice.
void assume_renamed(Path& path, const Path& from, const Substitution& renamed, const std::vector<Expr>& facts) {
  for (const Expr& f : from.facts()) path.assume(substitute(f, renamed));
  for (const Expr& f : facts) path.assume(f);
}

std::string side(const Touch& t) { return t.write ? "stored" : "read"; }

}  // namespace

bool ThreadPairs::same_bytes(FuncId a, FuncId b) const {
  if (a == b) return true;
  const KernelStorage *x = kernel_.stored(a), *y = kernel_.stored(b);
  if (!x || !y || x->memory != Memory::Shared || y->memory != Memory::Shared) return false;
  const auto end = [](const KernelStorage& s) { return s.offset + s.elements() * s.type.bytes(); };
  return x->offset < end(*y) && y->offset < end(*x);
}

// Both statements have one layout over one box, and each dimension that tells threads apart is an index of both accesses, offset alike:
// equal elements are equal points, of one thread.
bool ThreadPairs::one_owner(const Touch& a, const Substitution& renamed, const Touch& b) const {
  const TileStmt &s = *a.tile, &t = *b.tile;
  if (s.layout.kind == Layout::Kind::Single && t.layout.kind == Layout::Kind::Single) return true;
  if (s.layout.kind != t.layout.kind || s.extent != t.extent || a.index.size() != b.index.size()) return false;
  if (!(normalized(s.layout) == normalized(t.layout))) return false;
  if (s.layout.kind == Layout::Kind::Flat) {
    const std::vector<FlatMode> x = flat_modes(kernel_, s), y = flat_modes(kernel_, t);
    if (x != y) return false;
    if (x.size() > 1)  // both take the same way: their limits are the same
      for (size_t d = 0; d < s.live.size(); ++d) {
        if (s.live[d].defined() != t.live[d].defined()) return false;
        if (s.live[d].defined() && !equal_structure(simplify(substitute(a.path->resolve(s.live[d]), renamed)), simplify(b.path->resolve(t.live[d])))) return false;
      }
  } else if (!digits_are_injective(s.layout, static_cast<int>(s.vars.size()))) {
    return false;
  }
  Substitution to_t = renamed;
  for (size_t d = 0; d < s.vars.size(); ++d) to_t[s.vars[d].get()] = make_var(t.vars[d]);
  std::vector<bool> told(s.vars.size(), false);
  std::unordered_set<const VarNode*> own;
  for (const Sym& v : t.vars) own.insert(v.get());
  for (const ForStmt* f : b.inner_loops) own.insert(f->var.get());
  for (size_t i = 0; i < a.index.size(); ++i) {
    const Expr x = substitute(a.index[i], to_t);
    if (!is_const_int(simplify(x - b.index[i]), 0)) continue;
    for (size_t d = 0; d < t.vars.size(); ++d)
      if (!uses_any(simplify(b.index[i] - make_var(t.vars[d])), own)) told[d] = true;
  }
  for (size_t d = 0; d < told.size(); ++d) {
    bool needed = s.layout.kind == Layout::Kind::Flat && s.extent[d] > 1;
    for (const auto* owner : {&s.layout.lane, &s.layout.warp})
      for (const Digit& x : *owner) needed = needed || (s.layout.kind == Layout::Kind::Blocked && x.dim == static_cast<int>(d) && x.extent > 1);
    if (needed && !told[d]) return false;
  }
  return true;
}

// Statements of one blocked layout: where equal indices make all digits equal, the threads are equal.
static bool digits_match(const Path& path, const Touch& a, const ThreadCopy& first, const Touch& b, const ThreadCopy& second,
                         const Substitution& renamed, const std::vector<Expr>& x, const std::vector<Expr>& y) {
  if (a.tile->layout.kind != Layout::Kind::Blocked || !(a.tile->layout == b.tile->layout)) return false;
  const size_t digits = first.ranges.size() - a.inner_loops.size();
  if (digits != second.ranges.size() - b.inner_loops.size()) return false;
  std::vector<std::pair<Sym, Sym>> pairs;
  for (size_t i = 0; i < digits; ++i) pairs.emplace_back(first.ranges[i].first, second.ranges[i].first);
  for (const Expr& e : x)
    for (const Sym& s : free_vars(e))
      for (const auto& [from, to] : renamed)
        if (to->var == s && !path.is_loop(s)) {
          const auto known = std::find_if(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == s; });
          const auto own = std::find_if(b.index.begin(), b.index.end(), [&, v = from](const Expr& i) { return uses_var(i, v); });
          if (known != pairs.end() || own == b.index.end()) continue;
          for (const Sym& v : free_vars(*own))
            if (v.get() == from && !path.is_loop(v)) pairs.emplace_back(s, v);
        }
  std::vector<std::pair<Expr, Expr>> met;
  for (size_t d = 0; d < x.size(); ++d) met.emplace_back(x[d], y[d]);
  return digits_agree(path.scope(), std::move(met), std::move(pairs));
}

void ThreadPairs::prove_apart(const Touch& a, const Substitution& renamed, const std::vector<Expr>& facts, const Touch& b) {
  if (!same_bytes(a.func, b.func)) return;
  if (a.func == b.func && is_pure_store(a) && is_pure_store(b)) return;
  if (a.func == b.func && one_owner(a, renamed, b)) return;
  for (const FlatMode ma : flat_modes(kernel_, *a.tile))
    for (const FlatMode mb : flat_modes(kernel_, *b.tile)) {
      const ThreadCopy first = thread_copy(kernel_, a, ma, renamed, "'"), second = thread_copy(kernel_, b, mb, {}, "");
      Path p = *b.path;
      assume_renamed(p, *a.path, renamed, facts);
      add_to(p, first);
      add_to(p, second);
      const std::vector<Expr> x = copied_index(a, first, renamed), y = copied_index(b, second, {});
      if (a.func == b.func && digits_match(p, a, first, b, second, renamed, x, y)) continue;
      if (a.func == b.func)
        for (size_t d = 0; d < x.size(); ++d) p.assume(equal(x[d], y[d]));
      const Answer answer = claims_.prove(p, equal(first.thread, second.thread));
      if (answer.verdict == Verdict::Proved) continue;
      race(a, b, answer, thread_text(answer, first.thread), thread_text(answer, second.thread), y);
    }
}

void ThreadPairs::prove_blocks_apart(const Touch& a, const Touch& b, const BlockCoordinates& coordinates) {
  if (is_pure_store(a) && is_pure_store(b)) return;
  Substitution other;
  Expr same;
  for (const Sym& s : coordinates.all) {
    const Expr copy = make_var(make_sym(s->name + "'"));
    other[s.get()] = copy;
    same = same && equal(copy, make_var(s));
  }
  if (!same.defined()) return;
  // Everything of `a` in another block: its serial loops too.
  for (const Expr& f : a.path->facts())
    for (const Sym& s : free_vars(f))
      if (a.path->is_loop(s) && !other.count(s.get())) other[s.get()] = make_var(make_sym(s->name + "'"));
  for (const FlatMode ma : flat_modes(kernel_, *a.tile))
    for (const FlatMode mb : flat_modes(kernel_, *b.tile)) {
      const ThreadCopy first = thread_copy(kernel_, a, ma, other, "'"), second = thread_copy(kernel_, b, mb, {}, "");
      Path p = *b.path;
      assume_renamed(p, *a.path, other, {});
      add_to(p, first);
      add_to(p, second);
      const std::vector<Expr> x = copied_index(a, first, other), y = copied_index(b, second, {});
      std::vector<std::pair<Expr, Expr>> met;
      for (size_t d = 0; d < x.size(); ++d) met.emplace_back(x[d], y[d]);
      std::vector<std::pair<Sym, Sym>> pairs;
      for (const Sym& s : coordinates.all) pairs.emplace_back(s, other.at(s.get())->var);
      if (digits_agree(p.scope(), met, pairs)) continue;
      for (size_t d = 0; d < x.size(); ++d) p.assume(equal(x[d], y[d]));
      const Answer answer = claims_.prove(p, same);
      if (answer.verdict == Verdict::Proved) continue;
      const auto block_text = [&](bool copy) {
        std::vector<int64_t> at;
        for (const Sym& s : coordinates.all) at.push_back(value_in(copy ? other.at(s.get()) : make_var(s), answer).value_or(0));
        return "block " + point_text(at);
      };
      race(a, b, answer, block_text(true), block_text(false), y);
    }
}

std::string ThreadPairs::thread_text(const Answer& answer, const Expr& thread) const {
  const auto t = value_in(thread, answer);
  return "thread " + (t ? std::to_string(*t) : std::string("?"));
}

void ThreadPairs::race(const Touch& a, const Touch& b, const Answer& answer, const std::string& first, const std::string& second,
                       const std::vector<Expr>& index) {
  const std::string name = storage_name(program_, kernel_, b.func);
  claims_.record("race", "`" + name + "`: threads do not meet between barriers", answer.verdict);
  const std::vector<std::string> excerpt = {access_text(program_, a.func, a.index) + "     " + side(a) + " here" + at_loc(a.loc),
                                            access_text(program_, b.func, b.index) + "     " + side(b) + " here" + at_loc(b.loc)};
  const Loc loc = b.loc.known() ? b.loc : kernel_.loc;
  if (answer.verdict == Verdict::Unknown)
    user_error(ErrorCode::Unproved, loc, "not proved: two threads of kernel `" + kernel_.name + "` do not meet at one element of `" + name + "`",
               "compute `" + name + "` at root, or give its loops constant extents", excerpt);
  std::vector<int64_t> point;
  bool known = true;
  for (const Expr& e : index) {
    const auto v = value_in(e, answer);
    known = known && v;
    point.push_back(v.value_or(0));
  }
  std::string element = known ? name + point_text(point) : "one element of `" + name + "`";
  if (a.func != b.func) element = "shared bytes of `" + storage_name(program_, kernel_, a.func) + "` and `" + name + "`";
  user_error(ErrorCode::Race, loc, "two threads of kernel `" + kernel_.name + "` meet at one element of `" + name + "`, one of them storing, with no barrier between",
             a.write && b.write ? "an update of one element belongs to one thread: make the loop that repeats it serial" : "a barrier belongs between the two; " + name + ".compute_root() has one",
             excerpt, element + " is " + side(a) + " by " + first + " and " + side(b) + " by " + second);
}

std::string ThreadPairs::divergence(const Expr& condition) {
  if (!condition.defined()) return "";
  // Two threads: every variable that is no size has a second copy.
  const Expr t = kernel_.thread ? make_var(kernel_.thread) : Expr();
  if (!t.defined() || !uses_var(condition, kernel_.thread.get())) return print(condition, program_) + " is not the same for all threads";
  Path p = Path::of_arguments(program_);
  const Sym other = make_sym("thread'");
  p.set_range(kernel_.thread, i32(0), i32(kernel_.threads - 1));
  p.set_range(other, i32(0), i32(kernel_.threads - 1));
  const Answer a = claims_.prove(p, equal(condition, substitute(condition, kernel_.thread, make_var(other))));
  const auto x = value_in(t, a), y = value_in(make_var(other), a);
  if (a.verdict != Verdict::Refuted || !x || !y) return print(condition, program_) + " is not the same for all threads";
  return "it differs between thread " + std::to_string(*x) + " and thread " + std::to_string(*y);
}

}  // namespace sinter::scheduler
