#include "scheduler/prove/kernel_touch.h"

#include <algorithm>

#include "ir/analysis/visit.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

class Collector {
 public:
  Collector(const TileStmt& tile, const std::shared_ptr<const Path>& path) : tile_(tile), path_(path), lets_(*path) {}

  std::vector<Touch> run() {
    visit(tile_.body);
    return std::move(out_);
  }

 private:
  Touch make(FuncId f, const std::vector<Expr>& index, bool write, Loc loc, const ProvideStmt* provide) const {
    Touch t{&tile_, provide, f, {}, write, loc.known() ? loc : tile_.loc, loops_, conditions_, path_};
    for (const Expr& e : index) t.index.push_back(lets_.resolve(e));
    return t;
  }

  void reads(const Expr& e, Loc loc, const ProvideStmt* provide) {
    if (!e.defined()) return;
    walk(e, [&](const Expr& n) {
      if (n->op == Op::Call) out_.push_back(make(n->id, n->args, false, n->loc.known() ? n->loc : loc, provide));
    });
  }

  void visit(const Stmt& s) {
    if (!s) return;
    if (const auto* p = as<ProvideStmt>(s)) {
      for (const Expr& e : p->index) reads(e, p->loc, p);
      reads(p->value, p->loc, p);
      out_.push_back(make(p->func, p->index, true, p->loc, p));
      return;
    }
    each_expr(s, [&](const Expr& e) { reads(e, s->loc, nullptr); });
    if (const auto* f = as<ForStmt>(s)) {
      loops_.push_back(f);
      visit(f->body);
      loops_.pop_back();
    } else if (const auto* i = as<IfStmt>(s)) {
      const Expr c = lets_.resolve(i->cond);
      conditions_.push_back(c);
      visit(i->then_body);
      conditions_.back() = negated(c);
      visit(i->else_body);
      conditions_.pop_back();
    } else if (const auto* l = as<LetStmt>(s)) {
      lets_.bind(l->var, l->value);
      visit(l->body);
    } else {
      map_children(s, [&](const Stmt& c) { visit(c); return c; }, nullptr);
    }
  }

  const TileStmt& tile_;
  std::shared_ptr<const Path> path_;
  Path lets_;
  std::vector<const ForStmt*> loops_;
  std::vector<Expr> conditions_;
  std::vector<Touch> out_;
};

}  // namespace

std::vector<Touch> touches(const TileStmt& tile, const std::shared_ptr<const Path>& path) { return Collector(tile, path).run(); }

std::vector<FlatMode> flat_modes(const KernelDraft& kernel, const TileStmt& tile) {
  if (tile.layout.kind != Layout::Kind::Flat || tile.layout.vector == 1) return {FlatMode::Masked};
  for (const Access& a : accesses(tile.body))
    if (const KernelStorage* s = kernel.stored(a.func); s && s->in_thread) return {FlatMode::Masked};
  for (const Expr& live : tile.live)
    if (live.defined()) return {FlatMode::Whole, FlatMode::Masked};
  return {FlatMode::Whole};
}

int flat_vector(const TileStmt& tile, FlatMode mode) { return mode == FlatMode::Whole ? tile.layout.vector : 1; }

ThreadCopy thread_copy(const KernelDraft& kernel, const Touch& touch, FlatMode mode, const Substitution& renamed, const std::string& mark) {
  const TileStmt& tile = *touch.tile;
  const Layout& l = tile.layout;
  ThreadCopy out;
  const auto variable = [&](const std::string& name, int64_t extent) {
    const Sym s = make_sym(name + mark);
    out.ranges.push_back({s, {i32(0), i32(extent - 1)}});
    return make_var(s);
  };
  std::vector<Expr> at(tile.vars.size(), i32(0));
  if (l.kind == Layout::Kind::Blocked) {
    const bool writes_registers = kernel.in_registers(tile.func);
    const auto owner = [&](const std::vector<Digit>& digits, const char* name) {
      Expr index = i32(0);
      int64_t place = 1;
      for (const Digit& d : digits) {
        // Copies of what goes to memory are stored by their canonical owner.
        if (d.extent > 1 && (d.dim >= 0 || writes_registers)) {
          const Expr digit = variable(std::string(name) + std::to_string(place), d.extent);
          index = index + digit * place;
          if (d.dim >= 0) at[d.dim] = at[d.dim] + digit * d.stride;
        }
        place *= d.extent;
      }
      return index;
    };
    owner(l.reg, "r");
    const Expr lane = owner(l.lane, "lane"), warp = owner(l.warp, "warp");
    out.thread = lane + warp * 32;
    for (size_t d = 0; d < at.size(); ++d) out.facts.push_back(at[d] < i32(tile.extent[d]));
  } else if (l.kind == Layout::Kind::Flat) {
    const int64_t v = flat_vector(tile, mode);
    Expr point = i32(0);
    int64_t points = 1;
    for (size_t d = 0; d < at.size(); ++d) {
      at[d] = variable(tile.vars[d]->name, tile.extent[d]);
      point = point + at[d] * points;
      points *= tile.extent[d];
    }
    out.thread = variable("thread", l.threads);
    const Expr step = variable("step", (points + l.threads * v - 1) / (l.threads * v));
    Expr run = (step * l.threads + out.thread) * v;
    if (v > 1) run = run + variable("v", v);
    out.facts.push_back(equal(point, run));
  } else {
    out.thread = i32(0);
  }
  for (size_t d = 0; d < at.size(); ++d) out.values[tile.vars[d].get()] = at[d];
  const auto here = [&](const Expr& e) { return substitute(substitute(touch.path->resolve(e), renamed), out.values); };
  for (size_t d = 0; d < at.size(); ++d)
    if (tile.live[d].defined()) {
      if (l.kind != Layout::Kind::Flat || mode == FlatMode::Masked || l.vector == 1) out.facts.push_back(at[d] < here(tile.live[d]));
      else out.facts.push_back(here(tile.live[d]) >= i32(tile.extent[d]));
    }
  for (const ForStmt* f : touch.inner_loops) {
    const Sym s = make_sym(f->var->name + mark);
    out.ranges.push_back({s, {here(f->min), here(f->min + f->extent - 1)}});
    out.values[f->var.get()] = make_var(s);
  }
  for (const Expr& c : touch.conditions) out.facts.push_back(here(c));
  return out;
}

void add_to(Path& path, const ThreadCopy& copy) {
  for (const auto& [s, range] : copy.ranges) path.set_range(s, range.first, range.second);
  for (const Expr& f : copy.facts) path.assume(f);
}

std::vector<Expr> copied_index(const Touch& touch, const ThreadCopy& copy, const Substitution& renamed) {
  std::vector<Expr> out;
  for (const Expr& e : touch.index) out.push_back(substitute(substitute(e, renamed), copy.values));
  return out;
}

bool digits_are_injective(const Layout& layout, int rank) {
  for (int d = 0; d < rank; ++d) {
    std::vector<Digit> digits;
    for (const auto* owner : {&layout.reg, &layout.lane, &layout.warp})
      for (const Digit& x : *owner)
        if (x.dim == d && x.extent > 1) digits.push_back(x);
    std::sort(digits.begin(), digits.end(), [](const Digit& a, const Digit& b) { return a.stride < b.stride; });
    int64_t next = 1;
    for (const Digit& x : digits) {
      if (x.stride < next) return false;
      next = x.stride * x.extent;
    }
  }
  return true;
}

}  // namespace sinter::scheduler
