// coverage: every point of a stage's domain is computed by one instance; by two only where both compute the same pure value.
//
// Nothing is taken from how the nest was made. invert_map reads off the index expressions which iteration should compute a point; that
// this iteration is in the ranges and live limits of its loops, that guards let it pass and that its coordinates are the point's is
// proved for any point of the domain. Where that fails the point is left out only if no other iteration computes it.
// No point twice: mixed-radix digits that stay apart, or else two copies of the loops with one point.
#pragma once

#include <vector>

#include "scheduler/prove/claims.h"

namespace sinter::scheduler {

// One Provide of a stage and what is around it inside the stage's Produce.
struct StageInstance {
  const ir::ProvideStmt* provide = nullptr;
  std::vector<const ir::ForStmt*> loops;   // outermost first
  std::vector<ir::Expr> guards;            // conditions that use those loops
  Path outer;                              // at the Produce, plus conditions that use none of the loops; with the Lets of both
};

struct CoverageDomain {
  std::vector<ir::Expr> min, max;  // per dimension of the Func
};

// Throws E0301 where a point is left out, or where two instances of an update compute one point.
void prove_coverage(Claims& claims, const ir::Program& program, const StageInstance& instance, const CoverageDomain& domain);

// The values of the RDom variables in this instance of an update, read off by matching its definition; undefined where none is found.
std::vector<ir::Expr> match_rdom(const ir::FuncDef& func, int stage, const ir::ProvideStmt& provide, const Path& path);

}  // namespace sinter::scheduler
