// Each invariant of ir/verify/verify.h: a text that keeps it passes, one that breaks it is named.
#include "ir/verify/verify.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/pass_scope.h"
#include "ir/text/parse.h"
#include "ir/text/print.h"

namespace sinter::test {
namespace {

using namespace sinter::ir;

std::string problems_of(const std::function<void()>& verify) {
  try {
    verify();
  } catch (const VerifyError& e) {
    EXPECT_NE(std::string(e.what()).find("E0501"), std::string::npos);
    std::string all;
    for (const std::string& p : e.problems()) all += p + "\n";
    return all;
  }
  return "";
}

using Cases = std::vector<std::pair<std::string, std::string>>;  // text, part of the problem ("" = none)

void expect(const Cases& cases, const std::function<std::string(const std::string&)>& problems) {
  for (const auto& [text, part] : cases) {
    const std::string got = problems(text);
    if (part.empty()) EXPECT_EQ(got, "") << text;
    else EXPECT_NE(got.find(part), std::string::npos) << text << "\n" << got;
  }
}

constexpr const char* kProgram =
    "program p {\n"
    "  input a(x, y) : f32 extent (a.w, a.h) stride (a.s0, a.s1)\n"
    "  func t(x, y) : f32 = a(x, y)*2.0\n"
    "  func f(x, y) : f32 extent (f.w, f.h) stride (f.s0, f.s1) = t(x, y)\n"
    "    update f(x, 0) = f(x, 0) + 1.0\n"
    "  args (input a, output f)\n"
    "}\n";

TEST(Verify, Programs) {
  expect(
      {
          {"func g(x) : f32 = 1.0", ""},
          {"func g(x) : f32 = a(x, 0) + f32(x) update over (k in [0, n)) where k < 3 g(x) = g(x) + a(k, x)", ""},
          {"func g(x, x) : f32 = 1.0", "there twice"},
          {"func g(z : i64) : f32 = 1.0", "a dimension that is missing, not i32"},
          {"func g(x) : f32", "without a definition"},
          {"input g(x) : f32 = 1.0", "an Input with a definition"},
          {"func g(x) : f32 = 1.0:f64", "a f64 where a f32 belongs"},
          {"func g(x) : f32 = a(x)", "`a` called with 1 indices"},
          {"func g(x) : f32 = g(x)", "which is not before it"},
          {"func g(x) : f32 = 1.0 update g(x) = f32(y)", "`y` is not bound"},
          {"func g(x) : f32 = 1.0 update g(0) = f32(x)", "`x` is not bound"},
          {"func g(x) : f32 = 1.0 update over (k in [0, 4)) g(x) = f32(k + y)", "`y` is not bound"},
          {"func g(x) : f32 = 1.0 update over (k in [0, 4), k in [0, 2)) g(x) = 2.0", "there twice"},
          {"func g(x) : f32 = 1.0 update g(x, x) = 2.0", "2 arguments of 1"},
          {"func g(x) : f32 extent (u, v) = 1.0", "extents are not one per dimension"},
          {"func g(x) : f32 stride (u : i32) = 1.0", "a stride that is not i64"},
          {"func g(x) : bf16 = bf16(1.0) + bf16(f32(x))", "Add of bf16 bf16 gives bf16"},
          {"func g(x) : f32 = lane(broadcast(1.0, 4), 0)", "a vector"},
          {"func g(x) : f32 = h[x] func h(x) : f32 = 1.0", "no Func or buffer"},
          {"func g(x) : f32 = a[x]", "a Load"},
          {"func g(x) : i32 = round(x)", "Math of i32 gives i32"},
          {"func g(x) : i32 = 1 args (input g)", "`g` is an argument of the wrong kind"},
          {"func g(x) : i32 = 1 args (output g, output g)", "or there twice"},
      },
      [](const std::string& text) -> std::string {
        try {
          const Program p = parse_program("program p { param n : i32 input a(x, y) : f32 " + text + " }").first;
          return problems_of([&] { verify_program(p); });
        } catch (const UserError& e) {
          return e.what();
        }
      });
}

TEST(Verify, ProgramStagesMadeByHand) {  // what the text can't say
  Program p = parse_program(kProgram).first;
  p.funcs[1].stages[0].args[0] = i32(0);
  p.funcs[1].stages[0].rdom.where = make_bool(true);
  const std::string got = problems_of([&] { verify_program(p); });
  EXPECT_NE(got.find("the pure stage's arguments are not its dims"), std::string::npos) << got;
  EXPECT_NE(got.find("a pure stage with a reduction domain"), std::string::npos) << got;
}

TEST(Verify, Schedules) {
  expect(
      {
          {"f.split(x, xo, xi, 8) f.update(0).reorder(x) f.gpu_tile(x, y, xo, yo, xi, yi, 64, 16) t.compute_at(of f, xo) t.store_in(memory shared) t.bound(x, expr 0, expr 9)", ""},
          {"f.split(x, xo, 8)", "2 loops"},
          {"f.split(x, xo, xi)", "0 integers"},
          {"f.gpu_tile(x, y, xo, yo, xi, 64, 16)", "not three loops for each tile size"},
          {"f.update(4).serial(x)", "there is no stage 5"},
          {"t.compute_at(xo)", "a target that does not exist"},
          {"t.compute_root(of f)", "does not belong here"},
          {"t.bound(x, expr 0)", "1 expressions"},
      },
      [](const std::string& text) {
        const auto [p, s] = parse_program(kProgram + ("schedule { " + text + " }"));
        return problems_of([&, &p = p, &s = s] { verify_schedule(p, s); });
      });
}

TEST(Verify, Nests) {
  const std::string block = "block xo in [0, f.w) { ";
  expect(
      {
          {"produce f { block yo in [0, f.h) { let q = yo + 1 block xo in [0, f.w) { alloc t : f32 [xo, xo; 8] x [yo, q; 8] in shared "
           "produce t { coop i in [0, 8) live f.w { t(xo, yo) = a(xo, yo) } } consume t { f(xo, yo) = t(xo, yo) } } } }",
           ""},
          {"f(0, 0) = t(0, 0)", "`t` is accessed outside of its allocation"},
          {"a(0, 0) = 1.0", "a store to the Input `a`"},
          {"f(0) = 1.0", "`f` has 2 dimensions, accessed with 1"},
          {"f(0, 0) = 1", "`f` holds f32, accessed as i32"},
          {"update 7 f(0, 0) = 1.0", "`f` has no stage 7"},
          {"f(0:i64, 0) = a(true, 0)", "Call of bool i32 gives f32"},
          {"f(0, 0) = f32(m) serial m in [0, 4) { }", "`m` is used where it is not bound"},
          {"serial i in [0, 4) { } serial i in [0, 4) { }", "`i` is bound twice"},
          {"let m = 4 f(0, m) = { let m = 4; f32(m) }", "`m` is bound twice"},
          {"serial f.w in [0, 4) { }", "bound here, and free in this code"},
          {"f[0] = 1.0", "Store does not belong here"},
          {"f(0, 0) = a[0]", "a flat Load in the Nest form"},
          {"sync barrier", "Sync does not belong here"},
          {"f(0, 0) = lane(broadcast(1.0, 4), 0)", "a vector in a form of scalars"},
          {block + "serial i in [0, 4) { block j in [0, 4) { } } }", "a block loop inside a block"},
          {block + "f(0, 0) = 1.0 block j in [0, 4) { } }", "a block loop inside a block"},
          {"coop i in [0, 4) { }", "a coop loop outside of a block"},
          {block + "coop i in [0, xo) { } }", "the extent of a coop loop is not a constant"},
          {"vectorized i in [0, f.w) { }", "the extent of a vectorized loop is not a constant"},
          {block + "parallel i in [0, 4) { } }", "a parallel loop inside a block"},
          {"serial i in [0, 4) live 3 { }", "`live` on a loop that is not cooperative"},
          {"serial i in [0, 4:i64) { }", "a loop over i32 with a bound of type i64"},
          {"serial i : f32 in [0.0, +4.0] { }", "a loop over f32"},
          {block + "alloc t : f32 [0, 1; xo] x [0, 1; 2] in shared }", "whose extent is not a constant"},
          {block + "alloc t : f32 [0, 1; 2] x [0, 1; 2] in host }", "memory host inside a block"},
          {"alloc t : f32 [0, 1; 2] x [0, 1; 2] in shared", "memory shared outside of a block"},
          {block + "thread i in [0, 4) { alloc t : f32 [0, 1; 2] x [0, 1; 2] in shared } }", "shared memory inside a thread loop"},
          {"alloc t : f32 [0, 1; 2] in host", "the region is not of the rank"},
          {"alloc t : f64 [0, 1; 2] x [0, 1; 2] in host", "`t` holds f32, allocated as f64"},
          {"alloc t : f32 [0, 1; 2] x [0, 1; 2] in host alloc t : f32 [0, 1; 2] x [0, 1; 2] in host", "`t` is allocated already"},
          {"alloc t : f32 [0, 1; 2] x [0, 1; 2] in host ring 0", "a ring of 0 slots"},
          {"alloc t : f32 [0, 1; 2] x [0, 1; 2] in host align 12", "an alignment of 12 bytes"},
          {"alloc t : f32 [0, 1; 2] x [0, 1; 2] in host swizzle 48", "a swizzle of 48 bytes"},
          {"alloc t : f32 [0, 1; 2] x [0, 1; 2] in host pad (1)", "padding of another rank"},
          {"alloc t : f32 [_, 1; 2] x [0, 1; 2] in host", "a region without its ends"},
          {"check \"w\" f.w at_least f.s1", "a Check of i32 and i64"},
      },
      [](const std::string& text) {
        const auto [p, s] = parse_nest(kProgram + ("free (m)\nnest { " + text + "\n}"));
        return problems_of([&, &p = p, &s = s] { verify_nest(p, s); });
      });
}

std::string module_text(const std::string& kernel_parts, const std::string& body, const std::string& threads = "256", const std::string& roles = "") {
  return std::string(kProgram) +
         "module \"cuda-sm_90a\" {\n"
         "  slots (a.base : u64, f.base : u64, f.w, f.h)\n"
         "  buffer a : f32 argument base a.base min (0, 0) extent (f.w, f.h) stride (1, 8)\n"
         "  buffer t : f32\n"
         "  buffer f : f32 argument output base f.base\n"
         "  buffer full : u64 internal\n"
         "  buffer acc : f32 internal\n"
         "  buffer A : bf16 internal\n"
         "  buffer g : bf16 internal\n"
         "  kernel k block b thread th threads " +
         threads + " {\n    buffers (a, f, g)\n    written (f)\n    scalars (w)\n" + kernel_parts +
         "    shared t : f32 x 1024\n    shared full : u64 x 4 at 4096\n    register acc : f32 x 8\n    shared A : bf16 x 8192 at 5120 ring 4 align 1024 swizzle 128\n"
         "    shared_bytes 21504\n" +
         (roles.empty() ? "    role all first 0 warps 8 {\n" + body + "\n    }\n" : roles) +
         "  }\n  entry {\n    let w = f.w\n    launch k grid i64(f.h)\n  }\n}\n";
}

std::string threads_problems(const std::string& text) {
  const Module m = parse_module(text);
  return problems_of([&] { verify_module(m); });
}

TEST(Verify, PerThreadKernels) {
  expect(
      {
          {"let i = b*64 + th if th < w { acc[0] = a[i] sync mbarrier.arrive(full[0]) } sync barrier f[i, align 1] = acc[0] + t[th]", ""},
          {"f[0] = a(0, 0)", "a Call, where accesses are flat"},
          {"f(0, 0) = 1.0", "Provide does not belong here"},
          {"parallel i in [0, 4) { }", "a parallel loop does not belong here"},
          {"unrolled i in [0, 4) { }", "a unrolled loop does not belong here"},
          {"alloc t : f32 [0, 1; 2] x [0, 1; 2] in register", "Alloc does not belong here"},
          {"a[0] = 1.0", "`a` is not among the kernel's written buffers"},
          {"f[0] = 1", "`f` holds f32, accessed as i32"},
          {"f[0] = f32(f.w)", "`f.w` is used where it is not bound"},
          {"f[ramp(0, 1, 4)] = 1.0", "index and value differ in lanes"},
          {"f[0, mask broadcast(true, 4)] = 1.0", "a mask of type boolx4"},
          {"f[ramp(0, 1, 32)] = broadcast(1.0, 32)", "a vector of 32 lanes"},
          {"acc[ramp(4, 1, 4)] = broadcast(1.0, 4)", ""},
          {"acc[ramp(5, 1, 4)] = broadcast(1.0, 4)", "register 8 of `acc`, which has 8"},
          {"acc[8] = 1.0", "register 8 of `acc`"},
          {"acc[w] = 1.0", "registers of `acc` are indexed by something that is not a literal"},
          {"f[0] = acc[th]", "registers of `acc` are indexed"},
          {"if th < 3 { sync barrier }", "a barrier of the block under control flow that depends on the thread"},
          {"let q = th*2 if q < 3 { sync barrier }", "a barrier of the block under control flow"},
          {"serial i in [0, th) { sync barrier }", "a barrier of the block under control flow"},
          {"acc[0] = 1.0 if acc[0] < 3.0 { sync barrier }", "a barrier of the block under control flow"},
          {"if b < w { serial i in [0, w) { sync barrier } }", ""},
          {"if th < 64 { sync barrier(1, 64) }", ""},
          {"sync barrier(16, 64)", "the id of a named barrier"},
          {"sync barrier(1, 40)", "not in warps"},
          {"sync mbarrier.wait(full[0])", "mbarrier.wait with 1 operands"},
          {"sync mbarrier.arrive(t[0])", "the barrier is not an element of a u64 allocation"},
          {"sync mbarrier.init(full[0], 1:i64)", "an operand that is not i32"},
          {"sync copy.wait(w)", "the number of groups in flight is not a constant"},
          {"sync set_max_registers(44)", "not a multiple of 8"},
          {"sync set_max_registers(40) sync fence.proxy.async sync grid.wait", ""},
          {"async_copy tensor A slot 1 at (0, 0) from g at (w, 0) box (64, 128) signal full[1]", ""},
          {"async_copy tensor A at (0, 0) from g at (w, 0) box (64, 128) signal full[1]", "a copy to a ring without a slot"},
          {"async_copy tensor A slot 4 at (0, 0) from g at (w, 0) box (64, 128) signal full[1]", "slot 4 of a ring of 4"},
          {"async_copy tensor A slot 1 at (0) from g at (w, 0) box (64, 128) signal full[1]", "coordinates and box differ in number"},
          {"async_copy tensor A slot 1 at (0, 0) from a at (w, 0) box (64, 128) signal full[1]", "a copy between bf16 and f32"},
          {"async_copy bulk a at (0, 0) from f at (w, 0) box (64, 128)", "does not join a global and a shared buffer"},
          {"async_copy tensor A slot 1 at (0, 0) from g at (w, 0) box (64, 128)", "what the copy signals is not an element"},
          {"async_copy cp_async A slot 1 at (0, 0) from g at (w, 0) box (8, 1) signal full[0]", "cp.async completes in groups"},
          {"matrix \"wgmma.m64n8k16.f32.bf16\" acc += A*A at (0)", ""},
          {"matrix \"wgmma.m64n8k16.f16.bf16\" acc += A*A", "accumulators of f32"},
          {"matrix \"wgmma.m64n8k16.f32.f16\" acc += A*A", "operands of bf16"},
          {"matrix \"wgmma.m64k16.f32.f16\" acc += A*A", "is no matrix instruction"},
          {"matrix \"mma.m16n8k16.f32.bf16\" t += A*A", "accumulators that are not in registers"},
          {"matrix \"wgmma.m64n8k16.f32.f32\" acc += A*acc", "the second operand of wgmma is in shared memory"},
      },
      [](const std::string& body) { return threads_problems(module_text("", body)); });
}

TEST(Verify, KernelHeadersAndEntries) {
  EXPECT_EQ(threads_problems(module_text("", "")), "");
  const auto has = [](const std::string& text, const char* part) {
    const std::string got = threads_problems(text);
    EXPECT_NE(got.find(part), std::string::npos) << part << "\n" << got;
  };
  const auto replaced = [](const std::string& from, const std::string& to) {
    std::string text = module_text("", "");
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  has(module_text("", "", "2048"), "a block of 2048 threads");
  has(module_text("", "", "128"), "is not of warps of the block");
  has(module_text("", "", "512"), "the roles do not cover the block's warps");
  has(module_text("", "", "256", "role p first 0 warps 4 { } role c first 2 warps 6 { }"), "the roles do not cover");
  has(module_text("", "", "256", "role p first 0 warps 4 registers 41 { } role c first 4 warps 4 { }"), "41 registers");
  has(replaced("shared_bytes 21504", "shared_bytes 21500"), "`A`: bytes 5120 to 21504 of 21500");
  has(replaced("at 5120", "at 5100"), "`A`: offset 5100 is not aligned to 1024");
  has(replaced("written (f)", "written (t)"), "is not among the buffers");
  has(replaced("shared full", "host full"), "neither shared nor in registers");
  has(replaced("let w = f.w", "f[0] = 1.0"), "Store does not belong here");
  has(replaced("    let w = f.w\n", ""), "the kernel's scalar `w` is not in scope");
  has(replaced("grid i64(f.h)", "grid i32(f.h)"), "a grid that is not i64");
}

std::string module_with_entry(const std::string& entry) {
  return std::string(kProgram) +
         "module \"host\" {\n  slots (a.base : u64, f.base : u64, f.w, f.h)\n"
         "  buffer a : f32 argument base a.base\n  buffer t : f32\n  buffer f : f32 argument output base f.base\n  entry {\n" +
         entry + "\n  }\n}\n";
}

TEST(Verify, HostModules) {
  expect(
      {
          {"check \"w\" f.w at_least 1 parallel y.1 in [0, f.h) { alloc t : f32 [0, 7; 8] x [0, 0; 1] in host serial i in [0, 8) { t[i] = a[y.1 + i] } "
           "f[ramp(y.1, 1, 8), align 8] = t[ramp(0, 1, 8)] }",
           ""},
          {"t[0] = 1.0", "`t` is accessed outside of its allocation"},
          {"a[0] = 1.0", "a store to the Input `a`"},
          {"f(0, 0) = 1.0", "Provide does not belong here"},
          {"block i in [0, 4) { }", "a block loop does not belong here"},
          {"vectorized i in [0, 4) { }", "a vectorized loop does not belong here"},
          {"f[0] = shuffle(1.0, 0)", "a Shuffle outside of a kernel"},
          {"sync barrier", "Sync does not belong here"},
          {"f[f.s1] = 1.0", "`f.s1` is used where it is not bound"},
          {"f[0:u32] = 1.0", "an index of type u32"},
          {"if f.w < 3 { f[0] = 1.0 } else { f[0] = f32(1.0:f64) }", ""},
      },
      [](const std::string& entry) { return threads_problems(module_with_entry(entry)); });
}

TEST(Verify, Tiles) {
  const std::string flat = " layout flat(threads 256, vector 4) { ";
  const std::string blocked = " layout blocked(threads 256, vector 1) reg[2:d0*1] lane[32:d0*2] warp[8:d1*1] { ";
  expect(
      {
          {"let q = w*2 tile map t (x.1 in 64 live w, y.1 in 16)" + flat + "t(x.1, y.1) = a(x.1, y.1) } sync barrier tile map f (x.2 in 64, y.2 in 16)" + blocked + "f(x.2, y.2) = t(x.2, y.2) }", ""},
          {"t(0, 0) = 1.0", "Provide does not belong here"},
          {"tile map t (i in 4) layout single { sync barrier }", "Sync does not belong here"},
          {"tile map t (i in 4) layout single { produce t { } }", "Produce does not belong here"},
          {"tile map t (i in 4) layout single { tile map t (j in 4) layout single { } }", "Tile does not belong here"},
          {"coop i in [0, 4) { }", "a coop loop does not belong here"},
          {"if th < 3 { tile map t (i in 4) layout single { } }", "a tile under control flow that depends on the thread"},
          {"tile map t (i in 0) layout single { }", "a tile of extent 0"},
          {"tile map t (i in 6)" + flat + "}", "does not divide the innermost extent"},
          {"tile map t (i in 64)" + blocked + "}", "a digit of warps that moves along no dimension"},
          {"tile map t (i in 64) layout blocked(threads 256, vector 1) reg[] lane[16:d0*1] warp[8:none] { }", "the digits of lanes multiply to 16"},
          {"tile map t (i in 64) layout blocked(threads 256, vector 1) reg[] lane[32:d0*1] warp[4:none] { }", "the digits of warps multiply to 4, for 256 threads"},
          {"tile map t (i in 4) layout flat(threads 512, vector 1) { }", "a layout of more threads than the role has"},
          {"tile map t (i in 4 live 3:i64) layout single { }", "live of type i64"},
          {"tile map t (i in 4) layout single { alloc t : f32 [0, 1; 2] x [0, 1; 2] in shared }", "an allocation inside a tile that is not in registers"},
          {"tile map t (i in 4) layout single { t(i) = 1.0 }", "`t` has 2 dimensions"},
          {"tile map t (i in 4) layout single { } f[0] = f32(i)", "`i` is used where it is not bound"},
      },
      [](const std::string& body) {
        const Module m = parse_module(module_text("", body));
        return problems_of([&] { verify_kernel_tiles(m.kernels[0], m); });
      });
}

TEST(Verify, ModuleTables) {
  Module m = parse_module(module_with_entry(""));
  EXPECT_EQ(problems_of([&] { verify_module(m); }), "");
  Module twice = m;
  twice.args.slots.push_back(twice.args.slots[0]);
  EXPECT_NE(problems_of([&] { verify_module(twice); }).find("is in two slots"), std::string::npos);
  Module no_base = m;
  no_base.buffers[0].base = nullptr;
  EXPECT_NE(problems_of([&] { verify_module(no_base); }).find("an argument without a base"), std::string::npos);
  Module sizes = m;
  sizes.workspace_bytes = make_var(make_sym("z", Int(64)));
  sizes.buffers[2].stride = {i32(1)};
  const std::string got = problems_of([&] { verify_module(sizes); });
  EXPECT_NE(got.find("`z`, which is in no slot"), std::string::npos);
  EXPECT_NE(got.find("a size of type i32"), std::string::npos);
  Module empty = m;
  empty.entry = nullptr;
  EXPECT_NE(problems_of([&] { verify_module(empty); }).find("without an entry"), std::string::npos);
}

TEST(Verify, ShowsTheStatementInTheText) {
  const auto [p, s] = parse_nest(kProgram + std::string("nest {\n  f(0, 0) = a(0, 0)\n  f(1, 1) = t(1, 1)\n  f(0) = 1.0\n}"));
  try {
    verify_nest(p, s);
    FAIL();
  } catch (const VerifyError& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("[E0501] the nest breaks 2 invariants of its form"), std::string::npos) << text;
    EXPECT_NE(text.find("  | f(1, 1) = t(1, 1)\n  | // ^ `t` is accessed outside of its allocation\n  | f(0) = 1.0\n  | // ^ `f` has 2 dimensions"), std::string::npos) << text;
  }
}

TEST(PassScope, RecordsVerifiesAndNamesThePass) {
  PassLog log;
  const auto [p, s] = parse_nest(kProgram + std::string("nest { f(0, 0) = 1.0 }"));
  const auto print_it = [&p = p](const Stmt& x) { return print(x, p); };
  const auto verify = [&p = p](const Stmt& x) { verify_nest(p, x); };
  const Stmt same = run_pass(&log, "nothing", s, [&s = s] { return s; }, print_it, verify);
  EXPECT_EQ(same, s);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].name, "nothing");
  try {
    run_pass(&log, "break-it", s, [] { return Stmt(std::make_shared<ProvideStmt>(2, 0, std::vector<Expr>{}, i32(0))); }, print_it, verify);
    FAIL();
  } catch (const VerifyError& e) {
    EXPECT_NE(std::string(e.what()).find("after pass break-it: the nest breaks"), std::string::npos) << e.what();
  }
}

TEST(PassScope, DumpsWhatChanged) {
  EXPECT_FALSE(dump_wanted(nullptr, "simplify"));
  EXPECT_FALSE(dump_wanted("", "simplify"));
  EXPECT_TRUE(dump_wanted("all", "simplify"));
  EXPECT_TRUE(dump_wanted("flatten,simplify", "simplify"));
  EXPECT_FALSE(dump_wanted("simplify-more", "simplify"));
  ASSERT_EQ(setenv("SINTER_DUMP", "grow,keep", 1), 0);
  std::string text = "a\n";
  testing::internal::CaptureStderr();
  for (const char* name : {"grow", "keep", "silent"}) {
    PassScope scope(name, nullptr, [&] { return text; });
    if (name == std::string("grow")) text += "b\n";
    scope.done();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "// after grow\na\nb\n// after keep (unchanged)\n");
  unsetenv("SINTER_DUMP");
}

}  // namespace
}  // namespace sinter::test
