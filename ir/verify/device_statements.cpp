// Rules of synchronisation, asynchronous copies and matrix statements.
#include <algorithm>
#include <string_view>

#include "ir/verify/checker.h"

namespace sinter::ir {

namespace {

// The '.'-separated parts of an instruction's name.
std::vector<std::string> parts(const std::string& name) {
  std::vector<std::string> out(1);
  for (const char c : name) {
    if (c == '.') out.emplace_back();
    else out.back() += c;
  }
  return out;
}

// m64n256k16
bool is_shape(const std::string& s) {
  size_t at = 0;
  for (const char letter : {'m', 'n', 'k'}) {
    if (at >= s.size() || s[at] != letter) return false;
    const size_t digits = ++at;
    while (at < s.size() && s[at] >= '0' && s[at] <= '9') ++at;
    if (at == digits) return false;
  }
  return at == s.size();
}

}  // namespace

const Allocation* Checker::allocation(int id) const {
  const auto it = allocations_.find(id);
  return it == allocations_.end() ? nullptr : it->second;
}

void Checker::barrier_operand(const Expr& e, const char* what) {
  const Allocation* a = e.defined() && (e->op == Op::Load || e->op == Op::Call) ? allocation(e->id) : nullptr;
  problem_if(!a || a->memory != Memory::Shared || a->type != UInt(64), std::string(what) + " is not an element of a u64 allocation in shared memory");
}

void Checker::small_constant(const Expr& e, int64_t low, int64_t high, const char* what) {
  const int64_t* v = as_int(e);
  problem_if(!v || *v < low || *v > high, std::string(what) + " is not a constant from " + std::to_string(low) + " to " + std::to_string(high));
}

void Checker::sync(const SyncStmt& s) {
  const auto count = [&](size_t n) {
    problem_if(s.args.size() != n, std::string(sync_name(s.sync)) + " with " + std::to_string(s.args.size()) + " operands");
    return s.args.size() == n;
  };
  const auto i32_operand = [&](size_t i) { problem_if(!s.args[i].defined() || s.args[i].type() != Int(32), std::string(sync_name(s.sync)) + ": an operand that is not i32"); };
  switch (s.sync) {
    case SyncKind::Barrier:
      if (s.args.empty()) {
        problem_if(place_.divergent, "a barrier of the block under control flow that depends on the thread");
      } else if (count(2)) {
        small_constant(s.args[0], 1, 15, "the id of a named barrier");
        small_constant(s.args[1], 32, 1024, "the number of threads of a named barrier");
        if (const int64_t* n = as_int(s.args[1])) problem_if(*n % 32 != 0, "a named barrier of a number of threads that is not in warps");
      }
      return;
    case SyncKind::ClusterArrive:
    case SyncKind::ClusterWait:
      count(0);
      problem_if(place_.divergent, "a cluster barrier under control flow that depends on the thread");
      return;
    case SyncKind::WarpSync:
    case SyncKind::FenceProxyAsync:
    case SyncKind::CopyCommit:
    case SyncKind::MatrixCommit:
    case SyncKind::GridDependencyWait:
    case SyncKind::GridDependencyLaunch: count(0); return;
    case SyncKind::MbarrierInit:
    case SyncKind::ExpectBytes:
    case SyncKind::MbarrierWait:
      if (!count(2)) return;
      barrier_operand(s.args[0], "the barrier");
      i32_operand(1);
      return;
    case SyncKind::MbarrierArrive:
      if (count(1)) barrier_operand(s.args[0], "the barrier");
      return;
    case SyncKind::CopyWait:
    case SyncKind::MatrixWait:
      if (count(1)) small_constant(s.args[0], 0, 63, "the number of groups in flight");
      return;
    case SyncKind::SetMaxRegisters:
      if (!count(1)) return;
      small_constant(s.args[0], 24, 240, "the number of registers");
      if (const int64_t* n = as_int(s.args[0])) problem_if(*n % 8 != 0, "a number of registers that is not a multiple of 8");
      return;
  }
}

void Checker::async_copy(const AsyncCopyStmt& c) {
  if (!known(c.dst) || !known(c.src)) {
    problem("there is no such buffer");
    return;
  }
  const Allocation *dst = allocation(c.dst), *src = allocation(c.src);
  const bool to_shared = dst && dst->memory == Memory::Shared && !src, from_shared = src && src->memory == Memory::Shared && !dst;
  problem_if(!to_shared && !from_shared, "a copy that does not join a global and a shared buffer");
  problem_if(element_type(c.dst) != element_type(c.src), "a copy between " + to_string(element_type(c.dst)) + " and " + to_string(element_type(c.src)));
  problem_if(c.box.empty() || c.dst_min.size() != c.box.size() || c.src_min.size() != c.box.size(), "coordinates and box differ in number");
  for (int64_t n : c.box) problem_if(n < 1, "a box of extent " + std::to_string(n));
  for (const std::vector<Expr>* es : {&c.dst_min, &c.src_min})
    for (const Expr& e : *es) problem_if(!e.defined() || !e.type().is_int() || e.type().bits < 32, "a coordinate that is not i32 or i64");
  if (const Allocation* shared = to_shared ? dst : from_shared ? src : nullptr) {
    problem_if(shared->ring > 1 && !c.slot.defined(), "a copy to a ring without a slot");
    if (c.slot.defined()) {
      problem_if(c.slot.type() != Int(32), "a slot that is not i32");
      const int64_t* n = as_int(c.slot);
      problem_if(n && (*n < 0 || *n >= shared->ring), "slot " + std::to_string(n ? *n : 0) + " of a ring of " + std::to_string(shared->ring));
    }
  }
  // Stores from shared memory complete in bulk groups; loads on a barrier.
  if (c.copy == CopyKind::CpAsync) problem_if(c.barrier.defined() || from_shared, "cp.async completes in groups and goes to shared memory");
  else if (to_shared) barrier_operand(c.barrier, "what the copy signals");
}

void Checker::matrix(const MatrixStmt& m) {
  for (int id : {m.acc, m.a, m.b})
    if (!known(id)) {
      problem("there is no such buffer");
      return;
    }
  const Allocation *acc = allocation(m.acc), *a = allocation(m.a), *b = allocation(m.b);
  problem_if(!acc || acc->memory != Memory::Register, "accumulators that are not in registers");
  problem_if(!a || !b, "operands of a matrix instruction that are not in the block");
  for (const Expr& e : m.args) problem_if(!e.defined() || e.type() != Int(32), "an operand that is not i32");
  const std::vector<std::string> p = parts(m.instruction);
  const bool warpgroup = p[0] == "wgmma";
  if (p.size() != 4 || (!warpgroup && p[0] != "mma") || !is_shape(p[1])) {
    problem("`" + m.instruction + "` is no matrix instruction");
    return;
  }
  if (acc) problem_if(to_string(acc->type) != p[2], "accumulators of " + to_string(acc->type) + " for " + m.instruction);
  for (const Allocation* x : {a, b})
    if (x) problem_if(to_string(x->type) != p[3], "operands of " + to_string(x->type) + " for " + m.instruction);
  problem_if(warpgroup && b && b->memory != Memory::Shared, "the second operand of wgmma is in shared memory");
  problem_if(warpgroup && role_warps_ % 4 != 0, "wgmma in a role that is not of whole warpgroups");
  problem_if(place_.divergent, "a matrix instruction under control flow that depends on the thread");
}

}  // namespace sinter::ir
