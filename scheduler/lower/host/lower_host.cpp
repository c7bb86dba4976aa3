#include "scheduler/lower/host/lower_host.h"

#include "ir/transform/simplify.h"
#include "scheduler/lower/copies.h"
#include "scheduler/lower/entry.h"
#include "scheduler/lower/expand_vectors.h"
#include "scheduler/lower/host/bind_host_loops.h"
#include "scheduler/lower/host/flatten_host.h"
#include "scheduler/lower/unroll_loops.h"

namespace sinter::scheduler {

using namespace ir;

Module lower_host(const Program& program, const Stmt& nest, const Target& target) {
  Module m = make_module(program, target);
  Stmt s = inline_lets(nest);
  s = bind_host_loops(s);
  s = simplify(s);
  s = flatten_host(s, m);
  s = expand_vectors(s);
  s = unroll_loops(s);
  m.entry = make_entry(program, s);
  return m;
}

}  // namespace sinter::scheduler
