// Each invariant of a kernel's draft and of host code on its way (ir/verify/verify.h): a text that keeps it passes, one that breaks it is
// named; and a pass that breaks one is named, too.
#include <gtest/gtest.h>

#include "ir/pass_scope.h"
#include "ir/text/parse.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"
#include "scheduler/lower/build_nest.h"
#include "scheduler/lower/kernel/lower_kernels.h"
#include "scheduler/lower/plan.h"

namespace sinter::test {
namespace {

using namespace sinter::ir;

constexpr const char* kProgram =
    "program p {\n"
    "  input a(x, y) : f32 extent (a.w, a.h) stride (a.s0, a.s1)\n"
    "  func t(x, y) : f32 = a(x, y)*2.0\n"
    "  func f(x, y) : f32 extent (f.w, f.h) stride (f.s0, f.s1) = t(x, y)\n"
    "  args (input a, output f)\n"
    "}\n";
constexpr const char* kModule =
    "module \"emulate-sm_90a\" {\n"
    "  slots (a.base : u64, a.w, a.h, a.s0 : i64, a.s1 : i64, f.base : u64, f.w, f.h, f.s0 : i64, f.s1 : i64)\n"
    "  buffer a : f32 argument base a.base min (0, 0) extent (a.w, a.h) stride (1, a.s1)\n"
    "  buffer t : f32\n"
    "  buffer f : f32 argument output base f.base min (0, 0) extent (f.w, f.h) stride (1, f.s1)\n"
    "}\n";

struct Parts {
  std::string stage, before, body, after;
};
constexpr const char* kHost = "  host (yo.n, g : i64)\n  block_loop yo in [0, yo.n)\n  grid g\n";
constexpr const char* kIndex = "  index (block, thread, lane, warp)\n";
constexpr const char* kBlocked = "blocked(threads 32, vector 1) reg[] lane[8:d0*1 4:d1*1] warp[]";

std::string text_of(const Parts& p) {
  return std::string(kProgram) + kModule + "draft k " + p.stage + " {\n" + kHost + p.before + "  body {\n" + p.body + "\n  }\n" + p.after + "}\n";
}

std::string problems_of(const std::function<void()>& verify) {
  try {
    verify();
  } catch (const VerifyError& e) {
    std::string all;
    for (const std::string& p : e.problems()) all += p + "\n";
    return all;
  }
  return "";
}

std::string problems_of(const Parts& p) {
  const std::string text = text_of(p);
  const auto [m, d] = parse_draft(text);
  const auto [n, e] = parse_draft(print_draft(m, d));
  EXPECT_EQ(print_draft(n, e), print_draft(m, d));
  return problems_of([&m = m, &d = d] { verify_draft(d, m); });
}

void expect_broken(const Parts& good, const std::vector<std::pair<Parts, std::string>>& bad) {
  EXPECT_EQ(problems_of(good), "") << text_of(good);
  for (const auto& [parts, words] : bad) {
    const std::string got = problems_of(parts);
    EXPECT_NE(got.find(words), std::string::npos) << words << " is not in:\n" << got << text_of(parts);
  }
}

TEST(VerifyDraft, TheBodyOfABlock) {
  const std::string coop = "coop x in [0, 8) { f(x, yo) = a(x, yo) }";
  expect_broken({"cut", "", coop, ""}, {
                                           {{"decoded", kIndex, coop, ""}, "`yo` is used where it is not bound"},
                                           {{"decoded", "", "coop x in [0, 8) { f(x, 0) = 1.0 }", ""}, "block, thread, lane or warp is not an i32"},
                                           {{"cut", "", "block x in [0, 8) { f(x, yo) = 1.0 }", ""}, "a block loop inside a block"},
                                           {{"cut", "", "coop x in [0, 8) { f(x, yo) = t(x, yo) }", ""}, "`t` is accessed outside of its allocation"},
                                           {{"cut", "", coop, "storage t : f32 [0, 7; 8] x [0, 0; 1] in shared"}, "storage, while allocations are still in the body"},
                                           {{"cut", "  start (u, v)\n", coop, ""}, "a first block of another rank"},
                                       });
}

TEST(VerifyDraft, Tiles) {
  const auto tile = [](const std::string& layout, const std::string& what = "f(xi, yi) = t(xi, yi)") {
    return "let yb = block\n tile map t (u in 8, v in 4) layout " + layout + " { t(u, v) = a(u, v) }\n sync barrier\n tile map f (xi in 8, yi in 4) layout " + layout + " { " + what + " }";
  };
  const std::string shared = "storage t : f32 [0, 7; 8] x [yb*0, 3; 4] in shared\n", sized = " threads 32", packed = sized + " shared_bytes 128";
  expect_broken({"tiled", kIndex, tile("single"), shared}, {
                                                               {{"tiled", kIndex, tile(kBlocked), shared}, "a tile with a layout, before layouts are assigned"},
                                                               {{"tiled", kIndex, tile("single"), ""}, "`t` is stored nowhere"},
                                                               {{"tiled", kIndex, tile("single"), "storage t : f32 [0, 7; yo.n] x [0, 3; 4] in shared\n"}, "no positive constant"},
                                                               {{"tiled", kIndex, tile("single"), "storage t : f32 [0, 7; 8] in shared\n"}, "not of its rank"},
                                                               {{"tiled", kIndex, tile("single"), "storage t : i32 [0, 7; 8] x [0, 3; 4] in shared\n"}, "`t` holds f32, stored as i32"},
                                                               {{"tiled", kIndex, tile("single"), shared + "storage a : f32 [0, 7; 8] x [0, 3; 4] in shared\n"}, "storage of the Input `a`"},
                                                               {{"tiled", kIndex, tile("single"), "storage t : f32 [u, 7; 8] x [0, 3; 4] in shared\n"}, "which uses `u`, is not known"},
                                                               {{"tiled", kIndex, tile("single"), "storage t : f32 [0, 7; 8] x [0, 3; 4] in shared of_thread\n"}, "and not in registers"},
                                                               {{"sized threads 33", kIndex, tile("single"), shared}, "not whole warps"},
                                                           });
  expect_broken({"laid_out" + sized, kIndex, tile(kBlocked), shared},
                {
                    {{"laid_out" + sized, kIndex, tile("single"), shared}, "a tile with dimensions that one thread runs"},
                    {{"laid_out threads 64", kIndex, tile(kBlocked), shared}, "a layout of 32 threads in a block of 64"},
                    {{"laid_out" + sized, kIndex, tile("blocked(threads 32, vector 1) reg[] lane[8:d0*1 2:d1*1 2:none] warp[]"), shared}, "covers 2 of 4 points along dimension 1"},
                    {{"laid_out" + sized, kIndex, tile(kBlocked), "storage t : f32 [0, 7; 8] x [0, 3; 4] in auto\n"}, "the memory of `t` is not decided"},
                });
  expect_broken({"packed" + packed, kIndex, tile(kBlocked), shared},
                {
                    {{"packed threads 32 shared_bytes 64", kIndex, tile(kBlocked), shared}, "bytes 0 to 128 of 64 of shared memory"},
                    {{"packed threads 32 shared_bytes 192", kIndex, tile(kBlocked), "storage t : f32 [0, 7; 8] x [0, 3; 4] in shared at 8\n"}, "offset 8 is not aligned"},
                    {{"ordered" + packed, kIndex, "let yb = block\n if thread < 4 { sync barrier }", shared}, "a barrier of the block under control flow"},
                });
}

TEST(VerifyDraft, NotedLets) {
  const auto [m, d] = parse_draft(text_of({"tiled", kIndex, "let yb = block\n tile map f (xi in 8, yi in 4) layout single { f(xi, yb) = 1.0 }", ""}));
  KernelDraft forgot = d, other = d;
  forgot.lets.clear();
  for (auto& [v, value] : other.lets) value = value + 1;
  EXPECT_EQ(problems_of([&m = m, &d = d] { verify_draft(d, m); }), "");
  EXPECT_NE(problems_of([&m = m, &forgot] { verify_draft(forgot, m); }).find("is not the one that is noted"), std::string::npos);
  EXPECT_NE(problems_of([&m = m, &other] { verify_draft(other, m); }).find("is not the one that is noted"), std::string::npos);
}

TEST(VerifyDraft, CodeOfAThread) {
  const std::string decided = " threads 32 shared_bytes 128", registers = std::string("storage t : f32 [0, _; 8] x [0, _; 4] in register layout ") + kBlocked + "\n";
  const std::string shared = "storage t : f32 [0, _; 8] x [0, _; 4] in shared\n", flat = "storage t : f32 [_, _; 8] x [_, _; 4] in shared\n";
  expect_broken({"expanded" + decided, kIndex, "t[0] = a(thread, block)\n vectorized v in [0, 4) { f(v, block) = t[0] }", registers},
                {
                    {{"expanded" + decided, kIndex, "t[0] = a(thread, block)", shared}, "a flat access to `t`, which is not in registers"},
                    {{"expanded" + decided, kIndex, "coop v in [0, 4) { f(v, block) = 1.0 }", shared}, "a coop loop does not belong here"},
                    {{"expanded" + decided, kIndex, "tile map f (x in 8, y in 4) layout single { f(x, y) = 1.0 }", shared}, "Tile does not belong here"},
                    {{"expanded" + decided, kIndex, "f(lane, 0) = 1.0", shared}, "`lane` is used where it is not bound"},
                });
  expect_broken({"flat" + decided, std::string(kIndex) + "  stride s1 = i32(f.s1) multiple 16 of 4\n", "t[thread] = a[block]\n f[s1] = t[0]", flat},
                {
                    {{"flat" + decided, kIndex, "t(0, thread) = 1.0", flat}, "Provide does not belong here"},
                    {{"flat" + decided, kIndex, "f[0] = a(0, 0)", flat}, "a Call, where accesses are flat"},
                    {{"flat" + decided, kIndex, "a[0] = 1.0", flat}, "not among the kernel's written buffers"},
                    {{"flat" + decided, kIndex, "unrolled v in [0, 4) { f[v] = 1.0 }", flat}, "a unrolled loop does not belong here"},
                    {{"flat" + decided, kIndex, "f[0] = 1.0", shared}, "of no use any more"},
                    {{"flat" + decided, std::string(kIndex) + "  stride s1 = yo multiple 16 of 4\n", "f[0] = 1.0", flat}, "a narrow stride uses `yo`"},
                });
}

TEST(VerifyDraft, HostCodeOnItsWay) {
  const auto problems = [](void (*verify)(const Stmt&, const Module&), const std::string& body) {
    std::string text = kModule;
    text = std::string(kProgram) + text.substr(0, text.rfind('}')) + "  entry {\n" + body + "\n  }\n}\n";
    const Module m = parse_module(text);
    return problems_of([&] { verify(m.entry, m); });
  };
  const auto expect = [&](void (*verify)(const Stmt&, const Module&), const std::string& body, const std::string& words) {
    const std::string got = problems(verify, body);
    if (words.empty()) EXPECT_EQ(got, "") << body;
    else EXPECT_NE(got.find(words), std::string::npos) << body << "\n" << got;
  };
  const std::string alloc = "alloc t : f32 [0, 3; 4] x [0, 0; 1] in host\n";
  expect(verify_host_loops, "parallel y in [0, f.h) { vectorized v in [0, 4) { f(v, y) = a(v, y) } }", "");
  expect(verify_host_loops, alloc + "unrolled v in [0, 4) { t(v, 0) = 1.0 }", "");
  expect(verify_host_loops, "t(0, 0) = 1.0", "`t` is accessed outside of its allocation");
  expect(verify_host_loops, "coop y in [0, 4) { f(0, y) = 1.0 }", "a coop loop does not belong here");
  expect(verify_host_loops, "produce f { f(0, 0) = 1.0 }", "Produce does not belong here");
  expect(verify_host_loops, "f[0] = 1.0", "Store does not belong here");
  expect(verify_host_loops, "f(0, 0) = a[0]", "a flat Load where accesses have coordinates");
  expect(verify_host_flat, alloc + "unrolled v in [0, 4) { t[v] = a[i64(v)] }", "");
  expect(verify_host_flat, "f(0, 0) = 1.0", "Provide does not belong here");
  expect(verify_host_flat, "f[0] = a(0, 0)", "a Call, where accesses are flat");
  expect(verify_host_flat, "t[0] = 1.0", "`t` is accessed outside of its allocation");
  expect(verify_host_flat, "block y in [0, 4) { f[y] = 1.0 }", "a block loop does not belong here");
}

// A launch, where a host variable of its kernel is not in scope.
TEST(VerifyDraft, WhatIsCutOutIsLaunchedWhereItsVariablesAre) {
  const auto [m, d] = parse_draft(text_of({"cut", "", "coop x in [0, 8) { f(x, yo) = 1.0 }", ""}));
  const Stmt launch = std::make_shared<LaunchStmt>(0, make_int(Int(64), 1));
  Stmt inside = launch;
  for (const Sym& s : d.host) inside = make_let(s, make_int(s->type, 1), inside);
  EXPECT_EQ(problems_of([&m = m, &d = d, &inside] { verify_cut(inside, {d}, m); }), "");
  EXPECT_NE(problems_of([&m = m, &d = d, &launch] { verify_cut(launch, {d}, m); }).find("the kernel's scalar `yo.n` is not in scope"), std::string::npos);
  EXPECT_NE(problems_of([&m = m, &inside] { verify_cut(inside, {}, m); }).find("there is no kernel 0"), std::string::npos);
}

TEST(VerifyDraft, TheFailureNamesThePass) {
  const auto [p, nest] = parse_nest(std::string(kProgram) +
                                    "nest { block yo in [0, f.h) { coop x in [0, 64) live min(f.w, 64) { f(x, yo) = a(x, yo) } } }");
  for (const auto& [broken_after, found_after] : {std::pair{"form-tiles", "choose-threads"}, {"pack-shared", "insert-barriers"}, {"flatten-kernel", "unroll-serial"}}) {
    scheduler::KernelOptions options;
    options.after = [&, after = std::string(broken_after)](const std::string& pass, const Module&, KernelDraft& d) {
      if (pass == after) d.host.clear(), d.start.clear(), d.grid = make_var(make_sym("nowhere", Int(64)));
    };
    try {
      scheduler::lower_kernels(p, nest, Target::parse("emulate"), options);
      ADD_FAILURE() << "nothing was found after " << broken_after;
    } catch (const VerifyError& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find(std::string("after pass ") + found_after + ": the draft of kernel `p_f_0` (fast, "), std::string::npos) << text;
      EXPECT_NE(text.find("the grid uses `nowhere`, which is no variable of the host"), std::string::npos) << text;
    }
  }
}

TEST(VerifyDraft, TextErrors) {
  const std::string good = text_of({"cut", "", "coop x in [0, 8) { f(x, yo) = 1.0 }", ""});
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string s = good;
    const size_t at = s.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return s.replace(at, from.size(), to);
  };
  const auto expect = [](const std::string& text, const std::string& words) {
    try {
      parse_draft(text);
      ADD_FAILURE() << text;
    } catch (const UserError& e) {
      EXPECT_EQ(e.code(), ErrorCode::ParseError);
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
  };
  EXPECT_NO_THROW(parse_draft(good));
  expect(replaced("draft k cut", "draft k done"), "expected a stage");
  expect(replaced("  grid g", "  index (a, b)"), "expected four variables");
  expect(replaced("  grid g", "  girth g"), "expected host, block_loop");
  expect(replaced("  body {", "  storage t : f32 in shared\n  storage t : f32 in shared\n  body {"), "a second storage");
  expect(replaced("  body {", "  storage t : f32 in nowhere\n  body {"), "expected a memory");
  expect(replaced("  body {", "  hint q vector 4\n  body {"), "no variable `q` is known here");
  expect(good.substr(0, good.find("  body {")) + "}\n", "a draft without a body");
}

}  // namespace
}  // namespace sinter::test
