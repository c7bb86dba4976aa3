#include "scheduler/primitive/primitive.h"

namespace sinter::scheduler {

using namespace ir;

// rename(old, new)
void apply_rename(const Program& program, StageLoops& loops, const Directive& d) {
  const int at = require_loop(program, loops, d.loops[0], d);
  require_unused(program, loops, d.loops[1], at, d);
  // The node of a dimension keeps its place among the nodes: only what later directives call it changes.
  loops.nodes[loops.order[at]].name = d.loops[1];
}

}  // namespace sinter::scheduler
