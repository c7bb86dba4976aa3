#include "scheduler/lower/host/lower_host.h"

#include "ir/text/print.h"
#include "ir/transform/simplify.h"
#include "ir/verify/verify.h"
#include "scheduler/lower/copies.h"
#include "scheduler/lower/entry.h"
#include "scheduler/lower/expand_vectors.h"
#include "scheduler/lower/host/bind_host_loops.h"
#include "scheduler/lower/host/flatten_host.h"
#include "scheduler/lower/unroll_loops.h"

namespace sinter::scheduler {

using namespace ir;

Module lower_host(const Program& program, const Stmt& nest, const Target& target, PassLog* passes) {
  Module m = make_module(program, target);
  Stmt s = inline_lets(nest);
  const auto run = [&](const char* name, void (*verify)(const Stmt&, const Module&), auto pass) {
    s = run_pass(passes, name, s, pass, [&](const Stmt& x) { return print(x, m); }, [&](const Stmt& x) {
      if (verifies_each_pass()) verify(x, m);
    });
  };
  run("bind-host-loops", verify_host_loops, [&] { return bind_host_loops(s); });
  run("simplify", verify_host_loops, [&] { return simplify(s); });
  run("flatten-host", verify_host_flat, [&] { return flatten_host(s, m); });
  run("expand-vectors", verify_host_flat, [&] { return expand_vectors(s); });
  run("unroll-loops", verify_host_flat, [&] { return unroll_loops(s); });
  m.entry = make_entry(program, s);
  return m;
}

}  // namespace sinter::scheduler
