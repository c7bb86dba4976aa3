// Z3 behind ir::Prover. Z3's own types stay in the .cpp.
#pragma once

#include <memory>

#include "ir/prover.h"

namespace sinter::scheduler {

// Over unbounded integers: claims about machine overflow are stated as comparisons. Terms that Z3 can't look into (loads, calls,
// floats, shifts by variables) are unknown constants, the same one for the same structure, within the range of a narrow type. A
// refutation that rests on such a term is still "some value of the data": its model names the variables only.
//
// `rlimit` bounds the work of a query, not its time: results repeat. One context per object; not thread-safe.
class Z3Prover : public ir::Prover {
 public:
  static constexpr unsigned kDefaultRlimit = 200'000;  // about 50 ms

  explicit Z3Prover(unsigned rlimit = kDefaultRlimit);
  ~Z3Prover() override;

  ir::Answer prove(const std::vector<ir::Expr>& facts, const ir::Expr& claim) override;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
  unsigned rlimit_;
};

}  // namespace sinter::scheduler
