// Runs every tests/golden/<pass>/<case>.ir: the pass named on top, on the text below it, must give the expected text.
//
// To add a pass: an entry in passes(), a folder of its name, a case with an empty expected part, SINTER_BLESS=1, and a look at the diff.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "ir/diagnostic.h"
#include "ir/text/parse.h"
#include "ir/text/print.h"
#include "ir/transform/simplify.h"
#include "ir/verify/verify.h"
#include "scheduler/lower/build_nest.h"
#include "scheduler/lower/entry.h"
#include "scheduler/lower/expand_vectors.h"
#include "scheduler/lower/host/bind_host_loops.h"
#include "scheduler/lower/host/flatten_host.h"
#include "scheduler/lower/host/lower_host.h"
#include "scheduler/lower/kernel/assign_layouts.h"
#include "scheduler/lower/kernel/choose_threads.h"
#include "scheduler/lower/kernel/cut_kernels.h"
#include "scheduler/lower/kernel/decode_blocks.h"
#include "scheduler/lower/kernel/distribute_reductions.h"
#include "scheduler/lower/kernel/expand_tiles.h"
#include "scheduler/lower/kernel/finish_kernel.h"
#include "scheduler/lower/kernel/flatten_kernel.h"
#include "scheduler/lower/kernel/form_tiles.h"
#include "scheduler/lower/kernel/group_loads.h"
#include "scheduler/lower/kernel/insert_barriers.h"
#include "scheduler/lower/kernel/lower_kernels.h"
#include "scheduler/lower/kernel/pack_shared.h"
#include "scheduler/lower/kernel/plan_workspace.h"
#include "scheduler/lower/kernel/unroll_serial.h"
#include "scheduler/lower/unroll_loops.h"
#include "tests/support/golden.h"

namespace sinter::test {
namespace {

using namespace sinter::ir;

using Pass = std::function<std::string(const GoldenFile&)>;

// A pass from Nest to Nest.
Pass nest_pass(std::function<Stmt(const Program&, const Stmt&)> f) {
  return [f = std::move(f)](const GoldenFile& g) {
    const auto [program, nest] = parse_nest(g.input);
    verify_program(program);
    verify_nest(program, nest);
    const Stmt out = f(program, nest);
    verify_nest(program, out);
    return print(out, program);
  };
}

// The form is that of the text; its verifier passes, and what is printed parses to the same text again.
std::string round_trip(const GoldenFile& g) {
  const auto stable = [](const std::string& once, const std::string& twice) {
    EXPECT_EQ(once, twice);
    return once;
  };
  const PrintOptions locs{.locs = true};
  if (g.input.find("\nmodule ") != std::string::npos) {
    const Module m = parse_module(g.input);
    if (const auto it = g.header.find("form"); it != g.header.end() && it->second == "tiles")
      for (const Kernel& k : m.kernels) verify_kernel_tiles(k, m);
    else verify_module(m);
    const std::string once = print(m, locs);
    return stable(once, print(parse_module(once), locs));
  }
  if (g.input.find("\nnest ") != std::string::npos) {
    const auto [p, s] = parse_nest(g.input);
    verify_program(p);
    verify_nest(p, s);
    const std::string once = print_nest(p, s, locs);
    const auto [q, t] = parse_nest(once);
    return stable(once, print_nest(q, t, locs));
  }
  const auto [p, s] = parse_program(g.input);
  verify_program(p);
  verify_schedule(p, s);
  const std::string once = print(p, s, locs);
  const auto [q, t] = parse_program(once);
  return stable(once, print(q, t, locs));
}

// The Nest of a Program and its Schedule; the header names the target (default: emulate).
scheduler::Nest nest_of(const GoldenFile& g) {
  const auto [program, schedule] = parse_program(g.input);
  const auto target = g.header.find("target");
  scheduler::Plan plan = scheduler::apply_schedule(program, schedule, Target::parse(target == g.header.end() ? "emulate" : target->second));
  scheduler::resolve_placement(plan);
  scheduler::Nest nest = scheduler::build_nest(plan);
  verify_nest(nest.program, nest.body);
  return nest;
}

// A pass of scheduler/lower/kernel: from a kernel's draft to the next.
Pass draft_pass(std::function<void(Module&, KernelDraft&)> f) {
  return [f = std::move(f)](const GoldenFile& g) {
    auto [m, draft] = parse_draft(g.input);
    verify_draft(draft, m);
    f(m, draft);
    verify_draft(draft, m);
    return print(draft, m);
  };
}

// A pass of scheduler/lower/host: from the entry's statements to the next.
using HostVerifier = void (*)(const Stmt&, const Module&);
Pass host_pass(HostVerifier before, HostVerifier after, std::function<Stmt(const Module&, const Stmt&)> f) {
  return [=](const GoldenFile& g) {
    const Module m = parse_module(g.input);
    before(m.entry, m);
    const Stmt out = f(m, m.entry);
    after(out, m);
    return print(out, m);
  };
}

Pass nest_to_host(std::function<Stmt(const Stmt&)> f) {
  return [f = std::move(f)](const GoldenFile& g) {
    const auto [program, nest] = parse_nest(g.input);
    verify_nest(program, nest);
    const Module m = scheduler::make_module(program, Target::parse("host"));
    const Stmt out = f(nest);
    verify_host_loops(out, m);
    return print(out, m);
  };
}

// Kernels cut out of a Nest, and their scratch.
std::string cut(const GoldenFile& g, bool workspace) {
  const auto [program, nest] = parse_nest(g.input);
  verify_nest(program, nest);
  Module m = scheduler::make_module(program, Target::parse("emulate"));
  scheduler::Cut cut = scheduler::cut_kernels(program, nest);
  for (const scheduler::Scratch& s : cut.scratch) {
    m.buffers[static_cast<size_t>(s.func)].extent = s.extent;
    m.buffers[static_cast<size_t>(s.func)].min = s.min;
    m.buffers[static_cast<size_t>(s.func)].stride = s.stride;
  }
  scheduler::plan_workspace(std::move(cut.scratch), m);
  verify_cut(cut.entry, cut.kernels, m);
  return workspace ? print(m) : print_cut(cut.entry, cut.kernels, m);
}

// A whole lowering from a Nest.
Pass lowering(std::function<Module(const Program&, const Stmt&)> f) {
  return [f = std::move(f)](const GoldenFile& g) {
    const auto [program, nest] = parse_nest(g.input);
    const Module m = f(program, nest);
    verify_module(m);
    return print(m);
  };
}

const std::map<std::string, Pass>& passes() {
  static const std::map<std::string, Pass> all = {
      {"print", round_trip},
      {"loop_nest",
       [](const GoldenFile& g) {
         const auto [p, s] = parse_nest(g.input);
         return print_loop_nest(s, p);
       }},
      // A case per directive: the loops that it makes.
      {"apply_schedule",
       [](const GoldenFile& g) {
         const scheduler::Nest nest = nest_of(g);
         return print_loop_nest(nest.body, nest.program);
       }},
      {"build_nest",
       [](const GoldenFile& g) {
         const scheduler::Nest nest = nest_of(g);
         return print(nest.body, nest.program);
       }},
      {"lower_kernels", lowering([](const Program& p, const Stmt& s) { return scheduler::lower_kernels(p, s, Target::parse("emulate")); })},
      {"lower_host", lowering([](const Program& p, const Stmt& s) { return scheduler::lower_host(p, s, Target::parse("host")); })},
      {"cut_kernels", [](const GoldenFile& g) { return cut(g, false); }},
      {"plan_workspace", [](const GoldenFile& g) { return cut(g, true); }},
      {"decode_blocks", draft_pass([](const Module&, KernelDraft& d) { scheduler::decode_blocks(d); })},
      {"form_tiles", draft_pass([](const Module& m, KernelDraft& d) { scheduler::form_tiles(m.program, d); })},
      {"choose_threads", draft_pass(scheduler::choose_threads)},
      {"assign_layouts", draft_pass(scheduler::assign_layouts)},
      {"distribute_reductions", draft_pass(scheduler::distribute_reductions)},
      {"pack_shared", draft_pass(scheduler::pack_shared)},
      {"insert_barriers", draft_pass([](const Module&, KernelDraft& d) { scheduler::insert_barriers(d); })},
      {"expand_tiles", draft_pass([](const Module&, KernelDraft& d) { scheduler::expand_tiles(d); })},
      {"flatten_kernel", draft_pass(scheduler::flatten_kernel)},
      {"unroll_serial", draft_pass([](const Module&, KernelDraft& d) { scheduler::unroll_serial(d); })},
      {"group_loads", draft_pass(scheduler::group_loads)},
      {"finish_kernel",
       [](const GoldenFile& g) {
         const auto [m, draft] = parse_draft(g.input);
         verify_draft(draft, m);
         const Kernel k = scheduler::finish_kernel(m, draft);
         verify_kernel_threads(k, m);
         return print(k, m);
       }},
      {"bind_host_loops", nest_to_host([](const Stmt& s) { return scheduler::bind_host_loops(s); })},
      {"flatten_host", host_pass(verify_host_loops, verify_host_flat, [](const Module& m, const Stmt& s) { return scheduler::flatten_host(s, m); })},
      {"expand_vectors", host_pass(verify_host_flat, verify_host_flat, [](const Module&, const Stmt& s) { return scheduler::expand_vectors(s); })},
      {"unroll_loops", host_pass(verify_host_flat, verify_host_flat, [](const Module&, const Stmt& s) { return scheduler::unroll_loops(s); })},
      {"simplify", nest_pass([](const Program&, const Stmt& s) { return simplify(s); })},
  };
  return all;
}

class Golden : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Golden, GivesTheExpectedText) {
  const GoldenFile g = read_golden(GetParam());
  const auto pass = passes().find(g.header.at("pass"));
  ASSERT_NE(pass, passes().end()) << "no pass `" << g.header.at("pass") << "` is registered in " << __FILE__;
  EXPECT_EQ(GetParam().parent_path().filename(), pass->first) << "the folder is named after the pass";
  const std::string difference = check_golden(g, pass->second(g));
  EXPECT_TRUE(difference.empty()) << difference;
}

std::filesystem::path folder() { return std::filesystem::path(SINTER_SOURCE_DIR) / "tests" / "golden"; }

INSTANTIATE_TEST_SUITE_P(All, Golden, testing::ValuesIn(golden_files(folder())), [](const testing::TestParamInfo<std::filesystem::path>& file) {
  std::string name = file.param.parent_path().filename().string() + "_" + file.param.stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST(GoldenFiles, EachPassHasACase) {
  std::map<std::string, int> cases;
  for (const std::filesystem::path& p : golden_files(folder())) ++cases[read_golden(p).header.at("pass")];
  for (const auto& [name, pass] : passes()) EXPECT_GT(cases[name], 0) << name;
}

}  // namespace
}  // namespace sinter::test
