// group-loads: the loads of a straight line of code become few, wide, early ones.
//
// requires: flat per-thread code; `facts` say what variables (strides in the fast version) are multiples of; `width` gives the widest access,
//           in elements, that a buffer's base and rows allow.
// ensures: in each run of Lets and Stores without control flow, loads of buffers that the run doesn't store to are Lets at its front, in
//          order of first use, each element loaded once: elements at literal distances from each other are covered by aligned vectors as
//          wide as possible such that nothing is read that nobody asked for. Runs with very many loads are cut into batches. Dense vector
//          accesses that remain say the alignment they are known to have.
// why here: last: it wants final indices. Stencils get their neighbours from one aligned row; independent loads are in flight together.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

struct GroupedLoads {
  ir::Stmt body;
  std::map<int, int64_t> access_bytes;  // per buffer: the widest aligned access that was used
};

GroupedLoads group_loads(const ir::Stmt& body, const std::function<int64_t(int)>& width, const ir::SymMap<int64_t>& facts);

}  // namespace sinter::scheduler
