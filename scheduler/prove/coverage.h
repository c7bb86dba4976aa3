// coverage: every point of a stage's domain is computed by one instance; by two only where both compute the same pure value.
//
// Nothing is taken from how the nest was made: the mixed-radix form of each coordinate is read off the index expressions, and three
// kinds of linear claims are proved of it. With digits d_k of strides s_k, s_0 = 1, and the partial sums t_k = s_0 d_0 + .. + s_k d_k:
//   reach      s_k * extent(d_k) >= s_k+1, and >= the domain for the last: the digits can spell every point;
//   unique     t_k < s_k+1: no two spell the same;
//   alive      guards and live limits hold wherever the spelled point is in the domain: none of them is left out.
// Tails that move inwards (a digit clipped by min) need `the clipped part reaches the end` instead, and make points computed twice.
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
