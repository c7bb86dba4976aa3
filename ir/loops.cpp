#include "ir/loops.h"

#include <algorithm>

#include "ir/diagnostic.h"

namespace sinter::ir {

namespace {

std::string quoted(const Sym& v) { return "`" + v->name + "`"; }

// E0101: factors are compile-time constants; the IR's other consumers rely on their being positive and within an i32.
void require_factors(const Directive& d, const std::string& stage) {
  for (int64_t n : d.ints)
    if (n < 1 || n > kMaxFactor)
      user_error(ErrorCode::BadFactor, d.loc,
                 std::string(directive_name(d.kind)) + " of `" + stage + "`: the factor " + std::to_string(n) +
                     (n < 1 ? " is not positive" : " is too large"),
                 "use a factor from 1 to " + std::to_string(kMaxFactor));
}

void require_distinct(const std::vector<Sym>& loops, const Directive& d, const std::string& stage, ErrorCode code) {
  for (size_t i = 0; i < loops.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (loops[i] == loops[j])
        user_error(
            code, d.loc,
            std::string(directive_name(d.kind)) + " of `" + stage + "` names the loop " + quoted(loops[i]) + " twice",
            "name each loop once");
}

}  // namespace

void LoopNames::add(Sym var, bool is_rvar) { loops_.push_back({std::move(var), is_rvar}); }

int LoopNames::find(const Sym& v) const {
  for (size_t i = 0; i < loops_.size(); ++i)
    if (loops_[i].var == v) return static_cast<int>(i);
  return -1;
}

int LoopNames::require(const Sym& v, const Directive& d, const std::string& stage) const {
  const int at = find(v);
  if (at >= 0) return at;
  std::string known;
  bool same_name = false;
  for (auto l = loops_.rbegin(); l != loops_.rend(); ++l) {
    known += (known.empty() ? "" : ", ") + quoted(l->var);
    same_name |= l->var->name == v->name;
  }
  std::string message = std::string(directive_name(d.kind)) + ": `" + stage + "` has no loop " + quoted(v);
  for (const Gone& g : gone_)
    if (g.var == v) message += "; it was " + g.how;
  std::string help = known.empty() ? "the stage has no loops" : "its loops are, outermost first: " + known;
  if (same_name) help += "; a Var is known by its object, and this one is another that has the same name";
  user_error(ErrorCode::NoSuchLoop, d.loc, std::move(message), std::move(help));
}

void LoopNames::require_new(const Sym& v, const Sym& except, const Directive& d, const std::string& stage) const {
  if (v == except || find(v) < 0) return;
  user_error(ErrorCode::DuplicateLoop, d.loc,
             std::string(directive_name(d.kind)) + ": `" + stage + "` already has a loop " + quoted(v),
             "use another Var for the new loop");
}

void LoopNames::split(const Sym& old, const Sym& outer, const Sym& inner, const Directive& d,
                      const std::string& stage) {
  const int at = require(old, d, stage);
  if (outer == inner)
    user_error(ErrorCode::DuplicateLoop, d.loc,
               std::string(directive_name(d.kind)) + " of `" + stage + "`: the outer and the inner loop are both " +
                   quoted(outer),
               "use two Vars");
  require_new(outer, old, d, stage);
  require_new(inner, old, d, stage);
  const bool is_rvar = loops_[at].is_rvar;
  gone_.push_back({old, "split into " + quoted(outer) + " and " + quoted(inner) + " at " + to_string(d.loc)});
  loops_[at] = {inner, is_rvar};
  loops_.insert(loops_.begin() + at + 1, Loop{outer, is_rvar});
}

void LoopNames::fuse(const Directive& d, const std::string& stage) {
  const Sym &inner = d.loops[0], &outer = d.loops[1], &fused = d.loops[2];
  const int low = require(inner, d, stage), high = require(outer, d, stage);
  if (inner == outer) require_distinct({inner, outer}, d, stage, ErrorCode::DuplicateLoop);
  if (fused != inner) require_new(fused, outer, d, stage);
  const bool is_rvar = loops_[low].is_rvar || loops_[high].is_rvar;
  for (const Sym& v : {inner, outer}) gone_.push_back({v, "fused into " + quoted(fused) + " at " + to_string(d.loc)});
  loops_[low] = {fused, is_rvar};
  loops_.erase(loops_.begin() + high);
}

void LoopNames::apply(const Directive& d, const std::string& stage) {
  LoopNames next = *this;
  require_factors(d, stage);
  switch (d.kind) {
    case DirectiveKind::Split: next.split(d.loops[0], d.loops[1], d.loops[2], d, stage); break;
    case DirectiveKind::Fuse: next.fuse(d, stage); break;
    case DirectiveKind::Rename: {
      const int at = require(d.loops[0], d, stage);
      require_new(d.loops[1], d.loops[0], d, stage);
      next.gone_.push_back({d.loops[0], "renamed to " + quoted(d.loops[1]) + " at " + to_string(d.loc)});
      next.loops_[at].var = d.loops[1];
      break;
    }
    case DirectiveKind::GpuTile: {
      const size_t dims = d.loops.size() / 3;
      for (size_t i = 0; i < dims; ++i) require(d.loops[i], d, stage);
      require_distinct({d.loops.begin(), d.loops.begin() + static_cast<ptrdiff_t>(dims)}, d, stage,
                       ErrorCode::DuplicateLoop);
      for (size_t i = 0; i < dims; ++i) next.split(d.loops[i], d.loops[dims + i], d.loops[2 * dims + i], d, stage);
      break;
    }
    case DirectiveKind::Reorder: {
      std::vector<int> places;
      for (const Sym& v : d.loops) places.push_back(require(v, d, stage));
      require_distinct(d.loops, d, stage, ErrorCode::BadReorder);
      std::vector<int> sorted = places;
      std::sort(sorted.begin(), sorted.end());
      for (size_t i = 0; i < places.size(); ++i) next.loops_[sorted[i]] = loops_[places[i]];
      break;
    }
    case DirectiveKind::Serial:
    case DirectiveKind::Parallel:
    case DirectiveKind::Cooperative:
    case DirectiveKind::Unroll:
    case DirectiveKind::Vectorize:
    case DirectiveKind::GpuBlocks:
    case DirectiveKind::GpuThreads:
    case DirectiveKind::BlockOrder:
      for (const Sym& v : d.loops) require(v, d, stage);
      require_distinct(d.loops, d, stage, orders_blocks(d.kind) ? ErrorCode::BadReorder : ErrorCode::BadBinding);
      break;
    default: break;  // nothing about loops
  }
  *this = std::move(next);
}

}  // namespace sinter::ir
