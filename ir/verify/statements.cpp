// Rules of loops, stores, allocations, tiles and entry statements.
#include <algorithm>

#include "ir/verify/checker.h"

namespace sinter::ir {

void Checker::loop(const ForStmt& f) {
  const Type t = f.var ? f.var->type : Int(32);
  problem_if(!t.is_int() || t.bits < 32 || !t.is_scalar(), "a loop over " + to_string(t));
  problem_if(!f.min.defined() || !f.extent.defined(), "a loop without bounds");
  for (const Expr& e : {f.min, f.extent, f.live})
    if (e.defined()) problem_if(e.type() != t, "a loop over " + to_string(t) + " with a bound of type " + to_string(e.type()));
  const bool constant = f.loop == LoopKind::Thread || f.loop == LoopKind::Cooperative || f.loop == LoopKind::Vectorized || f.loop == LoopKind::Unrolled;
  problem_if(constant && !as_int(f.extent), std::string("the extent of a ") + loop_kind_name(f.loop) + " loop is not a constant");
  problem_if(f.live.defined() && f.loop != LoopKind::Cooperative && f.loop != LoopKind::Thread, "`live` on a loop that is not cooperative");
  problem_if((f.hints.order != 0 || f.hints.group != 0) && f.loop != LoopKind::Block, "a block order of a loop that is not one of blocks");
  problem_if(f.hints.order < 0 || f.hints.group < 0, "a negative place in the block order");
  problem_if(f.hints.vector < 0 || f.hints.unroll < 0 || f.hints.threads < 0, "a negative hint");

  Place inner = place_;
  inner.block_chain = false;
  if (form_ == FormKind::Nest) {
    switch (f.loop) {
      case LoopKind::Block:
        problem_if(place_.in_block && !place_.block_chain, "a block loop inside a block: block loops are one perfect nest");
        inner.in_block = inner.block_chain = true;
        break;
      case LoopKind::Thread:
      case LoopKind::Cooperative:
        problem_if(!place_.in_block, std::string("a ") + loop_kind_name(f.loop) + " loop outside of a block");
        inner.in_thread_loop = true;
        break;
      case LoopKind::Parallel: problem_if(place_.in_block, "a parallel loop inside a block"); break;
      default: break;
    }
  }
  if (kernel_) {
    bool differs = false;
    for (const Expr& e : {f.min, f.extent})
      if (e.defined()) differs |= tainted(e);
    inner.divergent |= differs;
    const bool own = f.loop == LoopKind::Thread || f.loop == LoopKind::Cooperative;
    if (f.var && (differs || own)) tainted_.insert(f.var.get());
  }
  bind(f.var, &f);
  with_place(inner, f.body);
  if (f.var) unbind(f.var);
}

void Checker::provide(const ProvideStmt& p) {
  if (!p.value.defined()) {
    problem("a Provide without a value");
    return;
  }
  for (const Expr& e : p.index) problem_if(!e.defined() || !e.type().is_int() || e.type().bits < 32, "an index that is not i32 or i64");
  access(p.func, p.value.type().element(), p.index, false, true);
  if (p.func < 0 || p.func >= static_cast<int>(program_.funcs.size())) return;
  const int stages = static_cast<int>(program_.funcs[p.func].stages.size());
  problem_if(p.stage < 0 || p.stage >= std::max(stages, 1), name(p.func) + " has no stage " + std::to_string(p.stage));
}

void Checker::store(const StoreStmt& p) {
  if (!p.index.defined() || !p.value.defined()) {
    problem("a Store without an index or value");
    return;
  }
  problem_if(!p.index.type().is_int() || p.index.type().bits < 32, "an index of type " + to_string(p.index.type()));
  problem_if(p.index.type().lanes != p.value.type().lanes, "index and value differ in lanes");
  if (p.mask.defined()) problem_if(p.mask.type() != Bool(p.index.type().lanes), "a mask of type " + to_string(p.mask.type()));
  problem_if(p.align < 0, "a negative alignment");
  access(p.buffer, p.value.type().element(), {p.index}, true, true);
}

void Checker::alloc(const Stmt&, const AllocStmt& a) {
  const auto power_of_two = [](int64_t v) { return v > 0 && (v & (v - 1)) == 0; };
  if (!known(a.func)) {
    problem("there is no Func " + std::to_string(a.func));
  } else {
    problem_if(element_type(a.func) != a.type, name(a.func) + " holds " + to_string(element_type(a.func)) + ", allocated as " + to_string(a.type));
    problem_if(form_ != FormKind::Host && form_ != FormKind::HostFlat && rank(a.func) >= 0 && static_cast<int>(a.region.size()) != rank(a.func), "the region is not of the rank of " + name(a.func));
    problem_if(allocs_.count(a.func) > 0, name(a.func) + " is allocated already");
    const bool is_func = a.func < static_cast<int>(program_.funcs.size());
    problem_if(is_func && program_.funcs[a.func].is_input(), "an allocation of an Input");
  }
  problem_if(a.ring < 1, "a ring of " + std::to_string(a.ring) + " slots");
  problem_if(!power_of_two(a.align), "an alignment of " + std::to_string(a.align) + " bytes");
  problem_if(a.swizzle != 0 && a.swizzle != 32 && a.swizzle != 64 && a.swizzle != 128, "a swizzle of " + std::to_string(a.swizzle) + " bytes");
  problem_if(!a.pad.empty() && a.pad.size() != a.region.size(), "padding of another rank");
  if (!a.order.empty()) {
    std::vector<int> sorted = a.order;
    std::sort(sorted.begin(), sorted.end());
    bool all = sorted.size() == a.region.size();
    for (size_t d = 0; d < sorted.size(); ++d) all = all && sorted[d] == static_cast<int>(d);
    problem_if(!all, "an order that does not name each dimension once");
  }
  for (const Region& r : a.region) {
    problem_if(!r.extent.defined(), "a region without an extent");
    for (const Expr& e : {r.min, r.max, r.extent})
      if (e.defined()) problem_if(!e.type().is_int() || e.type().bits < 32, "a region of type " + to_string(e.type()));
    problem_if(form_ == FormKind::Nest && (!r.min.defined() || !r.max.defined()), "a region without its ends");
    const bool on_device = place_.in_block || place_.in_tile;
    problem_if(on_device && r.extent.defined() && !as_int(r.extent), "an allocation inside a block whose extent is not a constant");
  }
  if (form_ == FormKind::Nest) {
    const bool block_memory = a.memory == Memory::Register || a.memory == Memory::Shared;
    problem_if(a.memory != Memory::Auto && block_memory != place_.in_block, std::string("memory ") + memory_name(a.memory) + (place_.in_block ? " inside" : " outside of") + " a block");
    problem_if(a.memory == Memory::Shared && place_.in_thread_loop, "shared memory inside a thread loop");
  }
  problem_if(form_ == FormKind::Tiles && a.memory != Memory::Register && a.memory != Memory::Auto, "an allocation inside a tile that is not in registers");

  const auto [it, fresh] = allocs_.emplace(a.func, &a);
  Place inner = place_;
  inner.block_chain = false;
  with_place(inner, a.body);
  if (fresh) allocs_.erase(it);
}

void Checker::digits(const std::vector<Digit>& ds, int rank, const char* owner) {
  for (const Digit& d : ds)
    problem_if(d.extent < 1 || d.dim >= rank || (d.dim >= 0 && d.stride < 1), std::string("a digit of ") + owner + " that moves along no dimension");
}

void Checker::layout(const TileStmt& t) {
  const int rank = static_cast<int>(t.vars.size());
  const int threads = role_warps_ * 32;
  const Layout& l = t.layout;
  if (l.kind == Layout::Kind::Single || !layouts_decided_) return;
  problem_if(l.threads < 1 || l.vector < 1, "a layout without threads or vectors");
  problem_if(threads && l.threads > std::max(threads, kernel_ ? kernel_->threads : 0), "a layout of more threads than the role has");
  if (l.kind == Layout::Kind::Flat) {
    problem_if(!t.extent.empty() && l.vector > 0 && t.extent[0] % l.vector != 0, "the vector of a flat layout does not divide the innermost extent");
    return;
  }
  digits(l.reg, rank, "registers");
  digits(l.lane, rank, "lanes");
  digits(l.warp, rank, "warps");
  digits(l.cluster, rank, "the cluster");
  problem_if(digit_product(l.lane) != 32, "the digits of lanes multiply to " + std::to_string(digit_product(l.lane)));
  problem_if(digit_product(l.warp) * 32 != l.threads, "the digits of warps multiply to " + std::to_string(digit_product(l.warp)) + ", for " + std::to_string(l.threads) + " threads");
}

void Checker::tile(const TileStmt& t) {
  problem_if(!known(t.func), "there is no Func " + std::to_string(t.func));
  problem_if(t.vars.size() != t.extent.size() || t.live.size() > t.vars.size(), "variables, extents and live of a tile differ in number");
  for (int64_t e : t.extent) problem_if(e < 1, "a tile of extent " + std::to_string(e));
  for (const Expr& e : t.live)
    if (e.defined()) problem_if(e.type() != Int(32), "live of type " + to_string(e.type()));
  problem_if(place_.divergent, "a tile under control flow that depends on the thread");
  layout(t);

  Place inner = place_;
  inner.in_tile = true;
  inner.block_chain = false;
  for (const Sym& v : t.vars) {
    bind(v, &t);
    if (v) tainted_.insert(v.get());
  }
  with_place(inner, t.body);
  for (const Sym& v : t.vars)
    if (v) unbind(v);
}

void Checker::check(const CheckStmt& c) {
  if (!c.given.defined() || !c.needed.defined()) problem("a Check without operands");
  else problem_if(c.given.type() != c.needed.type() || !c.given.type().is_scalar(), "a Check of " + to_string(c.given.type()) + " and " + to_string(c.needed.type()));
  problem_if(c.what.empty(), "a Check that does not say of what");
}

void Checker::launch(const LaunchStmt& l) {
  problem_if(!l.grid.defined() || l.grid.type() != Int(64), "a grid that is not i64");
  if (l.kernel < 0 || l.kernel >= static_cast<int>(module_->kernels.size())) {
    problem("there is no kernel " + std::to_string(l.kernel));
    return;
  }
  for (const Sym& s : module_->kernels[l.kernel].scalars)
    problem_if(s && !scope_.count(s.get()), "the kernel's scalar `" + s->name + "` is not in scope");
}

}  // namespace sinter::ir
