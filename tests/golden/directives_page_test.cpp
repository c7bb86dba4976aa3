// docs/directives.md: the schedules and loop nests that it quotes are these, compiled and printed.
// With SINTER_BLESS=1 the page is rewritten instead of compared.
#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "tests/support/golden.h"

namespace sinter {
namespace {

struct Example {
  std::string name, target, code;
  std::function<Pipeline()> build;
};

std::vector<Example>& examples() {
  static std::vector<Example> list;
  return list;
}

struct Registered {
  Registered(const char* name, const char* target, const char* code,
             std::function<Pipeline()> build) {
    examples().push_back({name, target, code, std::move(build)});
  }
};

struct Vars {
  Var x{"x"}, y{"y"}, xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"}, t{"t"};
};

// The algorithms that the page shows on top.
struct Stencil : Vars {
  Input in{"in", Float(32), 2};
  Func rows{"rows"}, f{"f"};
  Stencil() {
    rows(x, y) = in(x, y) + in(x + 1, y);
    f(x, y) = rows(x, y) + rows(x, y + 1);
  }
  Pipeline pipeline() const { return Pipeline("stencil", {in}, {f}); }
};

struct Sums : Vars {
  Input in{"in", Float(32), 2};
  Func s{"s"};
  RDom r{0, in.width(), "r"};
  RVar ro{"ro"}, ri{"ri"};
  Sums() {
    s(y) = 0.f;
    s(y) += in(r, y);
  }
  Pipeline pipeline() const { return Pipeline("sums", {in}, {s}); }
};

#define EXAMPLE(NAME, ALGORITHM, TARGET, ...)                     \
  struct NAME##_example : ALGORITHM {                             \
    NAME##_example() { __VA_ARGS__ }                              \
  };                                                              \
  const Registered NAME##_registered{#NAME, TARGET, #__VA_ARGS__, \
                                     [] { return NAME##_example().pipeline(); }};

// clang-format off
EXAMPLE(default_host, Stencil, "host", )
EXAMPLE(default_gpu, Stencil, "cuda-sm_90a", )
EXAMPLE(split, Stencil, "host", f.split(x, xo, xi, 8);)
EXAMPLE(split_guard, Stencil, "host", f.split(x, xo, xi, 8, TailStrategy::GuardWithIf).vectorize(xi);)
EXAMPLE(split_shift, Stencil, "host", f.split(x, xo, xi, 8, TailStrategy::ShiftInwards).vectorize(xi);)
EXAMPLE(split_round_up, Stencil, "host", rows.compute_root().split(x, xo, xi, 8, TailStrategy::RoundUp).vectorize(xi);)
EXAMPLE(fuse, Stencil, "host", f.fuse(x, y, t).parallel(t);)
EXAMPLE(tile, Stencil, "host", f.tile(x, y, xo, yo, xi, yi, 64, 16);)
EXAMPLE(reorder, Stencil, "host", f.reorder(y, x);)
EXAMPLE(rename, Stencil, "host", f.split(x, xo, xi, 8).rename(xo, t).parallel(t);)
EXAMPLE(serial, Stencil, "cuda-sm_90a", f.gpu_tile(x, y, xo, yo, xi, yi, 64, 16).serial(yi);)
EXAMPLE(unroll, Stencil, "host", f.unroll(x, 4);)
EXAMPLE(unroll_rvar, Sums, "host", s.update().unroll(r, 4);)
EXAMPLE(unroll_tile, Stencil, "cuda-sm_90a", f.gpu_tile(x, y, xo, yo, xi, yi, 64, 16).unroll(yi, 4);)
EXAMPLE(vectorize, Stencil, "host", f.vectorize(x, 8);)
EXAMPLE(vectorize_tile, Stencil, "cuda-sm_90a", f.gpu_tile(x, y, xo, yo, xi, yi, 64, 16).vectorize(xi, 4);)
EXAMPLE(parallel, Stencil, "host", f.parallel(y).vectorize(x, 8);)
EXAMPLE(gpu_blocks, Stencil, "cuda-sm_90a", f.split(x, xo, xi, 128).reorder(xi, xo, y).gpu_blocks(xo, y);)
EXAMPLE(gpu_threads, Stencil, "cuda-sm_90a", f.tile(x, y, xo, yo, xi, yi, 32, 4).gpu_blocks(xo, yo).gpu_threads(xi, yi);)
EXAMPLE(gpu_tile, Stencil, "cuda-sm_90a", f.gpu_tile(x, y, xo, yo, xi, yi, 64, 16);)
EXAMPLE(block_order, Stencil, "cuda-sm_90a", f.gpu_tile(x, y, xo, yo, xi, yi, 64, 16).block_order(grouped(yo, 8));)
EXAMPLE(threads, Stencil, "cuda-sm_90a", f.gpu_tile(x, y, xo, yo, xi, yi, 64, 16).threads(128);)
EXAMPLE(cooperative, Stencil, "cuda-sm_90a", f.tile(x, y, xo, yo, xi, yi, 32, 4).gpu_blocks(xo, yo).gpu_threads(xi, yi); rows.compute_at_block(f).cooperative();)
EXAMPLE(cooperative_loop, Stencil, "cuda-sm_90a", f.split(x, xo, xi, 128).reorder(xi, xo, y).gpu_blocks(xo, y).cooperative(xi);)
EXAMPLE(compute_inline, Stencil, "host", rows.compute_inline();)
EXAMPLE(compute_root, Stencil, "host", rows.compute_root();)
EXAMPLE(compute_at, Stencil, "host", rows.compute_at(f, y);)
EXAMPLE(compute_at_block, Stencil, "cuda-sm_90a", f.gpu_tile(x, y, xo, yo, xi, yi, 64, 16); rows.compute_at_block(f);)
EXAMPLE(store_at, Stencil, "host", f.split(y, yo, yi, 8); rows.store_at(f, yo).compute_at(f, yi);)
EXAMPLE(store_at_block, Stencil, "cuda-sm_90a", f.gpu_tile(x, y, xo, yo, xi, yi, 64, 16).serial(yi); rows.store_at_block(f).compute_at(f, yi);)
EXAMPLE(store_root, Stencil, "host", rows.store_root().compute_at(f, y);)
EXAMPLE(store_in, Stencil, "cuda-sm_90a", f.gpu_tile(x, y, xo, yo, xi, yi, 64, 16); rows.compute_at_block(f).store_in(MemoryType::Shared);)
EXAMPLE(in, Stencil, "cuda-sm_90a", f.gpu_tile(x, y, xo, yo, xi, yi, 64, 16); rows.compute_root(); rows.in(f).compute_at_block(f).store_in(MemoryType::Shared);)
EXAMPLE(reorder_storage, Stencil, "cuda-sm_90a", f.gpu_tile(x, y, xo, yo, xi, yi, 64, 16); rows.compute_at_block(f).reorder_storage(y, x);)
EXAMPLE(align_storage, Stencil, "cuda-sm_90a", f.gpu_tile(x, y, xo, yo, xi, yi, 64, 16); rows.compute_at_block(f).align_storage(y, 8);)
EXAMPLE(bound_extent, Stencil, "host", f.bound(x, 0, 64).split(x, xo, xi, 16); rows.compute_at(f, xo).bound_extent(x, 16).vectorize(x);)
EXAMPLE(align_bounds, Stencil, "host", f.split(y, yo, yi, 8); rows.compute_at(f, yo).align_bounds(y, 4);)
EXAMPLE(bound, Stencil, "host", f.bound(x, 0, 64).vectorize(x, 16);)
// clang-format on

std::string page_path() { return std::string(SINTER_SOURCE_DIR) + "/docs/directives.md"; }

std::string read_page() {
  std::ifstream in(page_path());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// What stands below the mark of an example: its code, a statement a line, and the loops.
std::string quoted(const Example& e) {
  std::string code = e.code;
  for (size_t at = 0; (at = code.find("; ", at)) != std::string::npos;) code.replace(at, 2, ";\n");
  std::string out;
  if (!code.empty()) out += "```cpp\n" + code + "\n```\n";
  return out + "```\n" + e.build().print_loop_nest(Target::parse(e.target)) + "```\n";
}

TEST(DirectivesPage, QuotesWhatTheSchedulesBecome) {
  const std::string page = read_page();
  std::istringstream lines(page);
  std::string line, made;
  std::set<std::string> shown;
  bool skipping = false;  // the old quotation
  int fences = 0;
  while (std::getline(lines, line)) {
    if (skipping) {
      if (line.rfind("```", 0) == 0) ++fences;
      if (fences % 2 == 1 || line.rfind("```", 0) == 0) continue;
      skipping = false;
    }
    made += line + "\n";
    const std::string mark = "<!-- example: ";
    if (line.rfind(mark, 0) != 0) continue;
    const std::string name = line.substr(mark.size(), line.size() - mark.size() - 4);
    for (const Example& e : examples()) {
      if (e.name != name) continue;
      made += quoted(e);
      shown.insert(name);
    }
    EXPECT_TRUE(shown.count(name)) << "no example is called " << name;
    skipping = true;
    fences = 0;
  }
  EXPECT_EQ(shown.size(), examples().size()) << "an example is not on the page";
  if (std::getenv("SINTER_BLESS") && !std::getenv("CI")) {
    std::ofstream(page_path()) << made;
    return;
  }
  EXPECT_EQ(made, page) << test::unified_diff(page, made) << "run with SINTER_BLESS=1 to accept";
}

TEST(DirectivesPage, HasASectionForEachDirective) {
  const std::string page = read_page();
  for (const char* d :
       {"split",        "fuse",      "tile",           "reorder",    "serial",
        "unroll",       "vectorize", "parallel",       "gpu_blocks", "gpu_threads",
        "gpu_tile",     "threads",   "compute_inline", "compute_at", "compute_at_block",
        "compute_root", "store_at",  "store_at_block", "store_root", "cooperative",
        "store_in",     "in",        "bound",          "rename",     "bound_extent",
        "align_bounds", "set_estimate", "reorder_storage", "align_storage",
        "block_order"})
    EXPECT_NE(page.find("\n### " + std::string(d) + "\n"), std::string::npos) << d;
}

}  // namespace
}  // namespace sinter
