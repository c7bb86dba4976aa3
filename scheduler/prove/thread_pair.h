// Claims over two threads of a kernel: whether two accesses can meet.
#pragma once

#include "scheduler/prove/kernel_places.h"
#include "scheduler/prove/kernel_touch.h"

namespace sinter::scheduler {

class ThreadPairs {
 public:
  ThreadPairs(Claims& claims, const ir::Program& program, const KernelDraft& kernel) : claims_(claims), program_(program), kernel_(kernel) {}

  // `a` and `b`, without a barrier between them, touch one element only from one thread. `renamed` and `facts`: serial loops of which
  // `a` is in another iteration. Throws E0302.
  void prove_apart(const Touch& a, const ir::Substitution& renamed, const std::vector<ir::Expr>& facts, const Touch& b);
  // The same element only from one block.
  void prove_blocks_apart(const Touch& a, const Touch& b, const BlockCoordinates& coordinates);
  // Two threads for which `condition` differs, in words; "" where none is found.
  std::string divergence(const ir::Expr& condition);

 private:
  bool one_owner(const Touch& a, const ir::Substitution& renamed, const Touch& b) const;
  bool same_bytes(ir::FuncId a, ir::FuncId b) const;
  [[noreturn]] void race(const Touch& a, const Touch& b, const ir::Answer& answer, const std::string& first, const std::string& second,
                         const std::vector<ir::Expr>& index);
  std::string thread_text(const ir::Answer& answer, const ir::Expr& thread) const;

  Claims& claims_;
  const ir::Program& program_;
  const KernelDraft& kernel_;
};

}  // namespace sinter::scheduler
