#include "scheduler/lower/kernel/lower_kernels.h"

#include "ir/text/print.h"
#include "ir/transform/simplify.h"
#include "ir/verify/verify.h"
#include "scheduler/lower/copies.h"
#include "scheduler/lower/entry.h"
#include "scheduler/lower/kernel/assign_layouts.h"
#include "scheduler/lower/kernel/choose_threads.h"
#include "scheduler/lower/kernel/choose_version.h"
#include "scheduler/lower/kernel/cut_kernels.h"
#include "scheduler/lower/kernel/decode_blocks.h"
#include "scheduler/lower/kernel/distribute_reductions.h"
#include "scheduler/lower/kernel/expand_tiles.h"
#include "scheduler/lower/kernel/finish_kernel.h"
#include "scheduler/lower/kernel/flatten_kernel.h"
#include "scheduler/lower/kernel/form_tiles.h"
#include "scheduler/lower/kernel/group_loads.h"
#include "scheduler/lower/kernel/insert_barriers.h"
#include "scheduler/lower/kernel/pack_shared.h"
#include "scheduler/lower/kernel/plan_workspace.h"
#include "scheduler/lower/kernel/unroll_serial.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

// The passes of one version of one kernel, each followed by the verifier.
class KernelPasses {
 public:
  KernelPasses(Module& module, KernelDraft& draft, const KernelOptions& options) : module_(module), draft_(draft), options_(options) {}

  template <class Pass>
  void run(const char* name, Pass pass) {
    PassScope scope(name, options_.passes, [&] { return print(draft_, module_); }, [&] {
      if (options_.verify) verify_draft(draft_, module_);
    });
    pass();
    scope.done();
    if (options_.after) options_.after(name, module_, draft_);
  }

 private:
  Module& module_;
  KernelDraft& draft_;
  const KernelOptions& options_;
};

Kernel lower_version(Module& m, KernelDraft draft, bool fast, Versions& versions, const KernelOptions& options) {
  draft.fast = fast;
  KernelPasses passes(m, draft, options);
  passes.run("decode-blocks", [&] { decode_blocks(draft); });
  passes.run("form-tiles", [&] { form_tiles(m.program, draft); });
  passes.run("choose-threads", [&] { choose_threads(m, draft); });
  passes.run("assign-layouts", [&] { assign_layouts(m, draft); });
  passes.run("distribute-reductions", [&] { distribute_reductions(m, draft); });
  passes.run("pack-shared", [&] { pack_shared(m, draft); });
  passes.run("insert-barriers", [&] { insert_barriers(draft); });
  if (options.prover) prove_kernel(m.program, draft, m.target, *options.prover, *options.report);
  passes.run("expand-tiles", [&] { expand_tiles(draft); });
  passes.run("flatten-kernel", [&] { flatten_kernel(m, draft); });
  passes.run("unroll-serial", [&] { unroll_serial(draft); });
  passes.run("simplify", [&] { draft.body = simplify(draft.body); });
  passes.run("group-loads", [&] { group_loads(m, draft); });
  passes.run("simplify", [&] { draft.body = simplify(draft.body); });
  if (fast) {
    versions.strides = draft.strides;
    versions.access_bytes = draft.access_bytes;
  }
  return finish_kernel(m, draft);
}

}  // namespace

Module lower_kernels(const Program& program, const Stmt& nest, const Target& target, const KernelOptions& options) {
  Module m = make_module(program, target);
  Cut cut;
  PassScope cutting("cut-kernels", options.passes, [&] { return print_cut(cut.entry, cut.kernels, m); }, [&] {
    if (options.verify) verify_cut(cut.entry, cut.kernels, m);
  });
  cut = cut_kernels(program, inline_lets(nest));
  for (const Scratch& s : cut.scratch) {
    Buffer& b = m.buffers[s.func];
    b.min = s.min;
    b.extent = s.extent;
    b.stride = s.stride;
  }
  plan_workspace(std::move(cut.scratch), m);
  cutting.done();
  std::vector<Versions> versions;
  for (const KernelDraft& draft : cut.kernels) {
    Versions v;
    v.fast = static_cast<int>(m.kernels.size());
    v.general = v.fast + 1;
    v.block_loops = draft.block_loops;
    v.start = draft.start;
    m.kernels.push_back(lower_version(m, draft, true, v, options));
    m.kernels.push_back(lower_version(m, draft, false, v, options));
    versions.push_back(std::move(v));
  }
  m.entry = make_entry(program, choose_version(m, cut.entry, versions));
  return m;
}

}  // namespace sinter::scheduler
