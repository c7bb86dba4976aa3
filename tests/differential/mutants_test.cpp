// Mutants of good schedules. Each is a correct Nest or kernel with one thing broken, as a fault of ours could break it. The proof has
// to refute it with a witness; with proofs off, running it has to show the fault: the emulator stops, or a value is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "codegen/compiled.h"
#include "ir/analysis/visit.h"
#include "scheduler/layout/fixed_layout.h"
#include "scheduler/lower/build_nest.h"
#include "scheduler/lower/kernel/draft.h"
#include "scheduler/lower/kernel/lower_kernels.h"
#include "scheduler/lower/plan.h"
#include "scheduler/prove/obligations.h"
#include "scheduler/prove/prover.h"
#include "tests/support/cases.h"

namespace sinter::testing {
namespace {

using ir::AllocStmt;
using ir::as;
using ir::ErrorCode;
using ir::ForStmt;
using ir::IfStmt;
using ir::ProvideStmt;
using ir::Stmt;
using ir::SyncStmt;
using ir::TileStmt;
using ir::KernelDraft;

// ---- good schedules -------------------------------------------------------------------------------------------------
constexpr int64_t kWidth = 70, kHeight = 21;

Built blur(MemoryType memory, bool serial_rows = false) {
  Input in("in", Float(32), 2);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func bx("bx"), by("by");
  bx(x, y) = in(x, y) + in(x + 1, y);
  by(x, y) = bx(x, y) + bx(x, y + 1) + bx(x, y + 2);
  by.gpu_tile(x, y, xo, yo, xi, yi, 32, 8).threads(64);
  if (serial_rows) {
    by.serial(yi);
    bx.compute_at(by, yi).store_in(memory);
  } else {
    bx.compute_at_block(by).store_in(memory);
  }
  return {Pipeline("blur", {in}, {by}), {integers(dtype_of<float>(), {kWidth + 1, kHeight + 2})}, {Buffer::host(dtype_of<float>(), {kWidth, kHeight})}};
}

// Held in registers: read at the thread's own points.
Built pointwise() {
  Input in("in", Float(32), 2);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func f("f"), g("g");
  f(x, y) = in(x, y) * 2.f;
  g(x, y) = f(x, y) + 1.f;
  g.gpu_tile(x, y, xo, yo, xi, yi, 32, 8).threads(64);
  f.compute_at_block(g).store_in(MemoryType::Register);
  return {Pipeline("pointwise", {in}, {g}), {integers(dtype_of<float>(), {kWidth, kHeight})}, {Buffer::host(dtype_of<float>(), {kWidth, kHeight})}};
}

// An update at root: each block accumulates over r into its own columns.
Built sums() {
  Input in("in", Float(32), 2);
  Var x("x"), xo("xo"), xi("xi");
  RDom r(0, 16);
  Func s("s");
  s(x) = 0.f;
  s(x) += in(x, r);
  s.update().gpu_tile(x, xo, xi, 64);
  return {Pipeline("sums", {in}, {s}), {integers(dtype_of<float>(), {150, 16})}, {Buffer::host(dtype_of<float>(), {150})}};
}

// A polynomial by Horner's rule: each step needs the one before, so no block can share them out.
Built horner() {
  Input in("in", Float(32), 2);
  Var x("x"), xo("xo"), xi("xi");
  RDom r(0, 16);
  Func s("s");
  s(x) = 0.f;
  s(x) = s(x) * 2.f + in(x, r);
  s.update().gpu_tile(x, xo, xi, 64);
  return {Pipeline("horner", {in}, {s}), {integers(dtype_of<float>(), {150, 16})}, {Buffer::host(dtype_of<float>(), {150})}};
}

Built triangle() {
  Input in("in", Int(32), 2);
  Var x("x"), xo("xo"), xi("xi");
  RDom r(0, 40);
  r.where(r <= x);
  Func s("s");
  s(x) = 0;
  s(x) += in(r, x);
  s.update().gpu_tile(x, xo, xi, 32);
  return {Pipeline("triangle", {in}, {s}), {integers(dtype_of<int32_t>(), {40, 50}, 1, 1, 9)}, {Buffer::host(dtype_of<int32_t>(), {50})}};
}

// An update of a Func in shared memory, in a block.
Built shared_sums() {
  Input in("in", Float(32), 2);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  RDom r(0, 4);
  Func s("s"), out("out");
  s(x, y) = 0.f;
  s(x, y) += in(x + r, y);
  out(x, y) = s(x, y) + s(x, y + 1);
  out.gpu_tile(x, y, xo, yo, xi, yi, 32, 8).threads(64);
  s.compute_at_block(out).store_in(MemoryType::Shared);
  return {Pipeline("shared_sums", {in}, {out}), {integers(dtype_of<float>(), {kWidth + 3, kHeight + 1})}, {Buffer::host(dtype_of<float>(), {kWidth, kHeight})}};
}

// ---- breaking them --------------------------------------------------------------------------------------------------
using EditNest = std::function<Stmt(const ir::Program&, const Stmt&)>;
using EditKernel = std::function<void(const ir::Program&, KernelDraft&)>;

ir::FuncId id_of(const ir::Program& p, const std::string& name) {
  for (size_t f = 0; f < p.funcs.size(); ++f)
    if (p.funcs[f].name == name) return static_cast<ir::FuncId>(f);
  throw std::runtime_error("no Func " + name);
}

// The statements of the nests that compute `func` (stage `stage`), rewritten by `f`, which returns null to keep one.
EditNest in_stage(const std::string& func, int stage, std::function<Stmt(const Stmt&)> f) {
  return [=](const ir::Program& p, const Stmt& nest) {
    const ir::FuncId id = id_of(p, func);
    const auto computes = [&](const Stmt& s) {
      bool found = false;
      ir::walk_stmts(s, [&](const Stmt& c) {
        if (const auto* pr = as<ProvideStmt>(c)) found = found || (pr->func == id && pr->stage == stage);
        return true;
      });
      return found;
    };
    return ir::rewrite_stmt(
        nest,
        [&](const Stmt& s) {
          if (!computes(s)) return s;
          const Stmt out = f(s);
          return out ? out : s;
        },
        nullptr);
  };
}

EditNest edit_loop(const std::string& func, int stage, const std::string& var, std::function<Stmt(const ForStmt&)> f) {
  return in_stage(func, stage, [=](const Stmt& s) -> Stmt {
    const auto* l = as<ForStmt>(s);
    return l && l->var->name == var ? f(*l) : nullptr;
  });
}

Stmt with_extent(const ForStmt& l, ir::Expr extent, ir::Expr live) { return ir::make_for(l.var, l.min, std::move(extent), l.loop, l.body, l.loc, std::move(live), l.hints); }

EditNest edit_alloc(std::function<void(ir::Region&, ir::Region&)> f) {
  return [=](const ir::Program&, const Stmt& nest) {
    return ir::rewrite_stmt(
        nest,
        [&](const Stmt& s) -> Stmt {
          const auto* a = as<AllocStmt>(s);
          if (!a) return s;
          auto copy = std::make_shared<AllocStmt>(*a);
          f(copy->region.at(0), copy->region.at(1));
          return copy;
        },
        nullptr);
  };
}

EditNest edit_exprs(std::function<ir::Expr(const ir::Program&, const ir::Expr&)> f) {
  return [=](const ir::Program& p, const Stmt& nest) {
    ir::Rewriter r([&](const ir::Expr& e) { return f(p, e); });
    return ir::rewrite_stmt(nest, nullptr, [&](const ir::Expr& e) { return r(e); });
  };
}

bool is_barrier(const Stmt& s) {
  const auto* b = as<SyncStmt>(s);
  return b && b->sync == ir::SyncKind::Barrier;
}

// The n-th barrier in program order replaced; -1: all. (The general version has one more, around its loop over passes.)
EditKernel edit_barrier(int n, std::function<Stmt(const KernelDraft&, const Stmt&)> f) {
  return [=](const ir::Program&, KernelDraft& k) {
    int seen = 0;
    k.body = ir::rewrite_stmt(k.body, [&](const Stmt& s) { return is_barrier(s) && (seen++ == n || n < 0) ? f(k, s) : s; }, nullptr);
  };
}

EditKernel edit_layout(const std::string& func, int stage, std::function<void(const KernelDraft&, ir::Layout&)> f) {
  return [=](const ir::Program& p, KernelDraft& k) {
    const ir::FuncId id = id_of(p, func);
    k.body = scheduler::map_tiles(k.body, [&](const TileStmt& t) -> Stmt {
      auto copy = std::make_shared<TileStmt>(t);
      if (t.func == id && t.stage == stage) f(k, copy->layout);
      return copy;
    });
  };
}

// Barriers to the front, in the same sequence: they no longer wait for what they are there for.
void barriers_first(const ir::Program&, KernelDraft& k) {
  k.body = ir::rewrite_stmt(
      k.body,
      [](const Stmt& s) -> Stmt {
        const auto* q = as<ir::SeqStmt>(s);
        if (!q) return s;
        std::vector<Stmt> stmts = q->stmts;
        std::stable_partition(stmts.begin(), stmts.end(), is_barrier);
        return ir::make_seq(std::move(stmts));
      },
      nullptr);
}

struct Mutant {
  std::string name;
  std::function<Built()> good;
  EditNest nest;
  EditKernel kernel;
  ErrorCode code;
  std::vector<std::string> words;  // in the message or the counterexample
};

void PrintTo(const Mutant& m, std::ostream* out) { *out << m.name; }

std::vector<Mutant> mutants() {
  const auto shared_blur = [] { return blur(MemoryType::Shared); };
  const auto rows = [] { return blur(MemoryType::Shared, true); };
  std::vector<Mutant> all;
  const auto nest = [&](const std::string& name, std::function<Built()> good, EditNest edit, ErrorCode code, std::vector<std::string> words) {
    all.push_back({name, std::move(good), std::move(edit), {}, code, std::move(words)});
  };
  const auto kernel = [&](const std::string& name, std::function<Built()> good, EditKernel edit, ErrorCode code, std::vector<std::string> words) {
    all.push_back({name, std::move(good), {}, std::move(edit), code, std::move(words)});
  };

  nest("shrunk_allocation_columns", shared_blur, edit_alloc([](ir::Region& x, ir::Region&) { x.extent = x.extent - 1; }), ErrorCode::OutOfBounds, {"`bx`", "needs 32"});
  nest("shrunk_allocation_rows", shared_blur, edit_alloc([](ir::Region&, ir::Region& y) { y.extent = y.extent - 1; }), ErrorCode::OutOfBounds, {"`bx`", "needs 10"});
  nest("region_off_by_one", shared_blur, edit_alloc([](ir::Region& x, ir::Region&) { x.min = x.min + 1; }), ErrorCode::OutOfBounds, {"`bx`", "coordinate 0 is not in [1,"});
  nest("tail_without_guard", shared_blur, edit_loop("by", 0, "xi", [](const ForStmt& l) { return with_extent(l, l.extent, {}); }), ErrorCode::OutOfBounds, {"`by`", "is not in [0, "});
  nest("consumer_loop_too_short", shared_blur, edit_loop("by", 0, "xi", [](const ForStmt& l) { return with_extent(l, l.extent - 1, l.live); }), ErrorCode::NotCovered,
       {"`by`", "x = 31 is not computed"});
  nest("block_loop_too_short", shared_blur, edit_loop("by", 0, "yo", [](const ForStmt& l) { return with_extent(l, l.extent - 1, l.live); }), ErrorCode::NotCovered,
       {"`by`", "is not computed"});
  nest("producer_loop_too_short", shared_blur, edit_loop("bx", 0, "y", [](const ForStmt& l) { return with_extent(l, l.extent - 1, l.live); }), ErrorCode::NotCovered,
       {"`bx`", "is not computed"});
  nest("live_limit_too_small", shared_blur, edit_loop("by", 0, "xi", [](const ForStmt& l) { return with_extent(l, l.extent, l.live - 1); }), ErrorCode::NotCovered,
       {"`by`", "is not computed"});
  nest("read_beyond_the_halo", shared_blur, edit_exprs([](const ir::Program& p, const ir::Expr& e) {
         if (e->op != ir::Op::Call || e->id != id_of(p, "bx")) return e;
         return ir::with_args(e, {e->args[0], e->args[1] + 1});
       }),
       ErrorCode::OutOfBounds, {"`bx`", "read outside of its storage"});
  nest("overlapping_tiles_of_an_update", sums, in_stage("s", 1, [](const Stmt& s) -> Stmt {
         // Tiles of 64 in steps of 48.
         const auto step = [](const ir::Expr& n) {
           if (n->op == ir::Op::Mul && ir::is_const_int(n->args[1], 64)) return n->args[0] * 48;
           if (n->op == ir::Op::Div && ir::is_const_int(n->args[1], 64)) return (n->args[0] - 16) / 48;
           return n;
         };
         return ir::map_children(s, nullptr, [&](const ir::Expr& e) { return e.defined() ? ir::rewrite(e, step) : e; });
       }),
       ErrorCode::NotCovered, {"`s`", "twice", "xo = 0", "xo = 1"});
  nest("wrong_where_guard", triangle, in_stage("s", 1, [](const Stmt& s) -> Stmt {
         const auto* i = as<IfStmt>(s);
         if (!i || i->cond->op != ir::Op::LE) return nullptr;
         return ir::make_if(ir::make_binary(ir::Op::LT, i->cond->args[0], i->cond->args[1]), i->then_body);
       }),
       ErrorCode::NotCovered, {"`s`", "is not computed"});
  nest("missing_where_guard", triangle, in_stage("s", 1, [](const Stmt& s) -> Stmt {
         const auto* i = as<IfStmt>(s);
         return i ? i->then_body : nullptr;
       }),
       ErrorCode::NotCovered, {"`s`", "where"});
  nest("recurrence_run_by_all_threads", horner, in_stage("s", 1, [](const Stmt& s) -> Stmt {
         const auto* l = as<ForStmt>(s);
         if (!l || l->loop != ir::LoopKind::Serial) return nullptr;
         return ir::make_for(l->var, l->min, l->extent, ir::LoopKind::Cooperative, l->body, l->loc);
       }),
       ErrorCode::Race, {"`s`", "iterations of `r`", "no order"});

  kernel("dropped_barrier", shared_blur, edit_barrier(-1, [](const KernelDraft&, const Stmt&) { return ir::make_seq({}); }), ErrorCode::Race,
         {"`bx`", "is stored by thread", "read by thread"});
  kernel("barrier_before_the_producer", shared_blur, barriers_first, ErrorCode::Race, {"`bx`", "is stored by thread"});
  kernel("barrier_in_half_of_the_threads", shared_blur, edit_barrier(0, [](const KernelDraft& k, const Stmt& s) {
           return ir::make_if(ir::make_var(k.thread) < ir::i32(32), s);
         }),
         ErrorCode::DivergentBarrier, {"barrier", "thread"});
  kernel("barrier_in_a_loop_of_each_thread", shared_blur, edit_barrier(0, [](const KernelDraft& k, const Stmt& s) {
           return ir::make_for(ir::make_sym("again"), ir::i32(0), ir::make_var(k.thread) % 2 + 1, ir::LoopKind::Serial, s);
         }),
         ErrorCode::DivergentBarrier, {"barrier", "thread"});
  kernel("missing_barrier_at_the_back_edge", rows, edit_barrier(0, [](const KernelDraft&, const Stmt&) { return ir::make_seq({}); }), ErrorCode::Race, {"`bx`"});
  kernel("missing_barrier_after_the_producer_in_a_loop", rows, edit_barrier(1, [](const KernelDraft&, const Stmt&) { return ir::make_seq({}); }), ErrorCode::Race, {"`bx`"});
  kernel("registers_instead_of_shared", shared_blur, [](const ir::Program& p, KernelDraft& k) {
           scheduler::KernelStorage& s = k.storage.at(id_of(p, "bx"));
           s.memory = ir::Memory::Register;
           for (const TileStmt* t : scheduler::tiles(k.body))
             if (t->func == s.func) s.layout = t->layout;
         },
         ErrorCode::NotOwned, {"`bx`", "thread"});
  kernel("reader_in_another_layout", pointwise, edit_layout("g", 0, [](const KernelDraft&, ir::Layout& l) { l = scheduler::flat_layout(l.threads, 1); }),
         ErrorCode::NotOwned, {"`f`", "thread"});
  kernel("lanes_in_another_order", pointwise, edit_layout("g", 0, [](const KernelDraft&, ir::Layout& l) {
           // The lanes of the reader along the other dimension: a transposed tile.
           std::vector<ir::Digit> lane;
           for (ir::Digit d : l.lane) {
             if (d.dim >= 0 && d.extent == 32) lane = {{16, d.dim, d.stride * 2}, {2, d.dim, d.stride}};
             else if (d.dim >= 0 && d.extent > 2) lane.insert(lane.end(), {{d.extent / 2, d.dim, d.stride * 2}, {2, d.dim, d.stride}});
             else lane.push_back(d);
           }
           l.lane = lane;
         }),
         ErrorCode::NotOwned, {"`f`", "holds"});
  kernel("two_threads_own_one_point", shared_sums, edit_layout("s", 1, [](const KernelDraft& k, ir::Layout& l) {
           // Warps repeat what the lanes of the first warp do.
           l = scheduler::fixed_layout({32, 9}, std::vector<ir::LoopHints>(2), k.threads, 1);
           l.reg = {{9, 1, 1}};
           l.warp = {{k.threads / 32, 0, 0}};
         }),
         ErrorCode::Race, {"`s`", "thread"});
  return all;
}

// ---- running --------------------------------------------------------------------------------------------------------
struct Lowered {
  ir::Program program;
  Stmt nest;
};

Lowered nest_of(const Built& b) {
  const ir::Target target = ir::Target::parse("emulate-sm_90a");
  scheduler::Plan plan = scheduler::apply_schedule(b.pipeline.program(), b.pipeline.schedule(), target);
  scheduler::resolve_placement(plan);
  scheduler::Nest n = scheduler::build_nest(plan);
  return {n.program, n.body};
}

ir::Module lowered(const Lowered& l, const Mutant& m, ir::Prover* prover, scheduler::ProofReport* report) {
  scheduler::KernelOptions options{prover, report, nullptr, !m.kernel, {}};  // a mutant may break its form, and is to be found elsewhere
  if (m.kernel)
    options.after = [&](const std::string& pass, const ir::Module&, KernelDraft& k) {
      if (pass == "insert-barriers") m.kernel(l.program, k);
    };
  const Stmt nest = m.nest ? m.nest(l.program, l.nest) : l.nest;
  if (prover) scheduler::prove_nest(l.program, nest, *prover, *report);
  return scheduler::lower_kernels(l.program, nest, ir::Target::parse("emulate-sm_90a"), options);
}

class Mutants : public ::testing::TestWithParam<Mutant> {};

TEST_P(Mutants, GoodIsProvedAndRight) {
  Mutant good = GetParam();
  good.nest = nullptr;
  good.kernel = nullptr;
  const std::unique_ptr<ir::Prover> prover = scheduler::make_prover();
  scheduler::ProofReport report;
  EXPECT_NO_THROW(lowered(nest_of(good.good()), good, prover.get(), &report));
  for (const ir::Obligation& o : report.obligations) EXPECT_EQ(o.verdict, ir::Verdict::Proved) << o.kind << ": " << o.claim;
  EXPECT_EQ(run_and_compare({"good", good.good}, Target::parse("emulate-sm_90a")), "");
}

TEST_P(Mutants, IsRefutedWithAWitness) {
  const std::unique_ptr<ir::Prover> prover = scheduler::make_prover();
  scheduler::ProofReport report;
  try {
    lowered(nest_of(GetParam().good()), GetParam(), prover.get(), &report);
    FAIL() << "proved:\n" << report.table();
  } catch (const ir::UserError& e) {
    EXPECT_EQ(e.code(), GetParam().code) << e.what();
    EXPECT_NE(e.diagnostic().counterexample, "") << e.what();
    for (const std::string& w : GetParam().words) EXPECT_NE(std::string(e.what()).find(w), std::string::npos) << w << " is not in:\n" << e.what();
  }
}

// "" where the mutant computes what the algorithm says and nothing complains.
std::string symptom(const Mutant& m) {
  const Built b = m.good();
  std::vector<CallArgument> expected(b.inputs), given(b.inputs);
  std::vector<Buffer> right, got;
  for (const Buffer& o : b.outputs) {
    std::vector<int64_t> extents;
    for (int d = 0; d < o.rank(); ++d) extents.push_back(o.extent(d));
    right.push_back(Buffer::host(o.dtype(), extents));
    got.push_back(Buffer::host(o.dtype(), extents));
    expected.emplace_back(right.back());
    given.emplace_back(got.back());
  }
  b.pipeline.interpret(expected);
  try {
    Callable(std::make_shared<codegen::Compiled>(lowered(nest_of(b), m, nullptr, nullptr))).call(given);
  } catch (const ir::Error& e) {
    return e.what();
  }
  for (size_t i = 0; i < got.size(); ++i)
    if (std::memcmp(right[i].raw_data(), got[i].raw_data(), static_cast<size_t>(right[i].size() * right[i].element_bytes())) != 0) return "wrong values";
  return "";
}

TEST_P(Mutants, ShowsWhenItRuns) { EXPECT_NE(symptom(GetParam()), ""); }

INSTANTIATE_TEST_SUITE_P(All, Mutants, ::testing::ValuesIn(mutants()), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sinter::testing
