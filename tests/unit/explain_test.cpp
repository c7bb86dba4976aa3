// What explain() and traffic() count, against counts made by hand; and the page as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/cases.h"

namespace sinter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const char* const kTargets[] = {"cuda-sm_90a", "host"};

struct Size {
  int64_t w, h;
};
// Whole tiles, odd sizes, less than a tile, one element.
const Size kSizes[] = {{512, 64}, {700, 53}, {45, 7}, {1, 1}};

std::string at(const char* target, Size s) {
  return std::string(target) + " " + std::to_string(s.w) + "x" + std::to_string(s.h);
}

// One test's pipelines are built from the same Vars.
struct Explain : ::testing::Test {
  Var x{"x"}, y{"y"}, xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"};
};

TEST_F(Explain, CopyMovesEachByteTwice) {
  Input in("in", BFloat(16), 1);
  Func out("out");
  out(x) = in(x);
  out.gpu_tile(x, xo, xi, 2048);
  const Pipeline p("copy", {in}, {out});
  for (const char* target : kTargets)
    for (int64_t n : {1, 1000, 2048, 5001}) {
      SCOPED_TRACE(at(target, {n, 1}));
      const Traffic t = p.traffic(Target::parse(target),
                                  {Buffer::host<bfloat16>({n}), Buffer::host<bfloat16>({n})});
      EXPECT_EQ(t.launches, 1);
      EXPECT_EQ(t.read_bytes, 2 * n);
      EXPECT_EQ(t.written_bytes, 2 * n);
      EXPECT_EQ(t.compulsory_bytes, 4 * n);
      EXPECT_EQ(t.flops, 0);
    }
}

TEST_F(Explain, BlurInlineAndAtRoot) {
  for (bool root : {false, true}) {
    Input in("in", Float(32), 2);
    Func bx("bx"), by("by");
    bx(x, y) = in(x, y) + in(x + 1, y) + in(x + 2, y);
    by(x, y) = bx(x, y) + bx(x, y + 1) + bx(x, y + 2);
    by.gpu_tile(x, y, xo, yo, xi, yi, 64, 16);
    if (root) bx.compute_root();
    const Pipeline p("blur", {in}, {by});
    for (const char* target : kTargets)
      for (const Size s : kSizes) {
        SCOPED_TRACE(at(target, s) + (root ? " root" : " inline"));
        const Traffic t = p.traffic(Target::parse(target), {Buffer::host<float>({s.w + 2, s.h + 2}),
                                                            Buffer::host<float>({s.w, s.h})});
        const int64_t source = 4 * (s.w + 2) * (s.h + 2), sums = 4 * s.w * (s.h + 2),
                      result = 4 * s.w * s.h;
        EXPECT_EQ(t.launches, root ? 2 : 1);
        EXPECT_EQ(t.read_bytes, source + (root ? sums : 0));
        EXPECT_EQ(t.written_bytes, result + (root ? sums : 0));
        EXPECT_EQ(t.compulsory_bytes, source + result);
        // Three sums of rows for each point, or one.
        EXPECT_EQ(t.flops, root ? 2 * s.w * (s.h + 2) + 2 * s.w * s.h : 8 * s.w * s.h);
      }
  }
}

TEST_F(Explain, BiasGeluFusedMovesWhatItMust) {
  const auto make = [&](bool fused) {
    Input in("in", Float(32), 2), bias("bias", Float(32), 1), residual("residual", Float(32), 2);
    Func biased("biased"), out("out");
    biased(x, y) = in(x, y) + bias(x);
    out(x, y) = gelu(biased(x, y)) + residual(x, y);
    if (fused)
      out.gpu_tile(x, y, xo, yo, xi, yi, 512, 4);
    else
      biased.compute_root();
    return Pipeline("bias_gelu", {in, bias, residual}, {out});
  };
  const Pipeline fused = make(true), unfused = make(false);
  for (const char* target : kTargets)
    for (const Size s : kSizes) {
      SCOPED_TRACE(at(target, s));
      const Buffer tensor = Buffer::host<float>({s.w, s.h}), row = Buffer::host<float>({s.w});
      const std::vector<CallArgument> arguments = {tensor, row, tensor, tensor};
      const Traffic f = fused.traffic(Target::parse(target), arguments),
                    u = unfused.traffic(Target::parse(target), arguments);
      const int64_t all = 4 * s.w * s.h;
      EXPECT_EQ(f.read_bytes, 2 * all + 4 * s.w);
      EXPECT_EQ(f.written_bytes, all);
      EXPECT_EQ(f.compulsory_bytes, f.read_bytes + f.written_bytes);
      EXPECT_EQ(u.read_bytes, 3 * all + 4 * s.w);
      EXPECT_EQ(u.written_bytes, 2 * all);
      EXPECT_EQ(u.compulsory_bytes, f.compulsory_bytes);
      EXPECT_EQ(u.flops, f.flops);
    }
}

TEST_F(Explain, MatrixProduct) {
  Input a("a", Float(32), 2), b("b", Float(32), 2);
  Func c("c");
  RDom k(0, a.dim(0).extent(), "k");
  c(x, y) = 0.f;
  c(x, y) += a(k, y) * b(x, k);
  const Pipeline p("product", {a, b}, {c});
  const int64_t n = 45, m = 21, depth = 30;
  for (const char* target : kTargets) {
    SCOPED_TRACE(target);
    const Traffic t = p.traffic(Target::parse(target),
                                {Buffer::host<float>({depth, m}), Buffer::host<float>({n, depth}),
                                 Buffer::host<float>({n, m})});
    EXPECT_EQ(t.launches, 2);  // the zeros, and the sums
    EXPECT_EQ(t.flops, 2 * n * m * depth);
    EXPECT_EQ(t.compulsory_bytes, 4 * (depth * m + n * depth + n * m));
    EXPECT_EQ(t.read_bytes, 4 * (depth * m + n * depth + n * m));
    EXPECT_EQ(t.written_bytes, 2 * 4 * n * m);
  }
}

TEST_F(Explain, DataDependentIndicesTouchTheWholeBuffer) {
  Input in("in", UInt(8), 1);
  Func hist("hist");
  RDom r(0, in.dim(0).extent(), "r");
  hist(x) = 0;
  hist(i32(in(r))) += 1;
  hist.bound(x, 0, 256);
  const Pipeline p("histogram", {in}, {hist});
  for (const char* target : kTargets) {
    SCOPED_TRACE(target);
    const Traffic t = p.traffic(Target::parse(target),
                                {Buffer::host<uint8_t>({1000}), Buffer::host<int32_t>({256})});
    EXPECT_EQ(t.compulsory_bytes, 1000 + 4 * 256);
    EXPECT_EQ(t.read_bytes, 1000 + 4 * 256);
    EXPECT_EQ(t.written_bytes, 2 * 4 * 256);
    EXPECT_EQ(t.flops, 0);  // integers
  }
}

TEST_F(Explain, HostLoopsLaunchOncePerIteration) {
  Input in("in", Float(32), 2);
  Func p("p"), f("f");
  p(x, y) = in(x, y) * 2;
  f(x, y) = p(x, y) + p(x, y + 1);
  p.compute_at(f, y);  // a row at a time, two rows of p for each
  const Pipeline pipeline("rows", {in}, {f});
  const int64_t w = 45, h = 7;
  const std::vector<CallArgument> arguments = {Buffer::host<float>({w, h + 1}),
                                               Buffer::host<float>({w, h})};

  const Traffic gpu = pipeline.traffic(Target::parse("cuda-sm_90a"), arguments);
  EXPECT_EQ(gpu.launches, 2 * h);
  EXPECT_EQ(gpu.read_bytes, h * 4 * (2 * w + 2 * w));  // of in, of p
  EXPECT_EQ(gpu.written_bytes, h * 4 * (2 * w + w));   // p, f
  EXPECT_EQ(gpu.compulsory_bytes, 4 * (w * (h + 1) + w * h));
  EXPECT_EQ(gpu.flops, h * (2 * w + w));
  EXPECT_THAT(pipeline.explain(Target::parse("cuda-sm_90a"), arguments),
              HasSubstr("(7 launches by a host loop)"));

  // On a host the rows stay in a cache: one pass over in and f.
  const Traffic host = pipeline.traffic(Target::parse("host"), arguments);
  EXPECT_EQ(host.launches, 1);
  EXPECT_EQ(host.read_bytes + host.written_bytes, host.compulsory_bytes);
}

TEST_F(Explain, EveryCaseMovesWhatItMustAndCanBeExplained) {
  for (const testing::Case& c : testing::all_cases()) {
    SCOPED_TRACE(c.name);
    const testing::Built b = c.build();
    std::vector<CallArgument> arguments = b.inputs;
    arguments.insert(arguments.end(), b.outputs.begin(), b.outputs.end());
    const Traffic t = b.pipeline.traffic(Target::parse("host"), arguments);
    EXPECT_GE(t.launches, 1);
    EXPECT_GE(t.read_bytes + t.written_bytes, t.compulsory_bytes);
    int64_t results = 0;
    for (const Buffer& out : b.outputs) results += out.size() * out.element_bytes();
    EXPECT_GE(t.written_bytes, results);
  }
}

TEST_F(Explain, ThePageIsReadable) {
  Input in("in", Float(32), 2);
  Func bx("bx"), by("by");
  bx(x, y) = in(x, y) + in(x + 1, y) + in(x + 2, y);
  by(x, y) = bx(x, y) + bx(x, y + 1) + bx(x, y + 2);
  by.gpu_tile(x, y, xo, yo, xi, yi, 64, 16);
  bx.compute_at_block(by).store_in(MemoryType::Shared);
  const Pipeline p("blur", {in}, {by});
  const Buffer source = Buffer::host<float>({1002, 502}), result = Buffer::host<float>({1000, 500});

  const std::string gpu = p.explain(Target::parse("cuda-sm_90a"), {source, result});
  EXPECT_THAT(gpu, HasSubstr("sizes: in 1002 x 502, by 1000 x 500\n"));
  EXPECT_THAT(gpu, HasSubstr("read  in   2.01 MB   [0, 1001] x [0, 501]\n"));
  EXPECT_THAT(gpu, HasSubstr("write by   2.00 MB   [0, 999] x [0, 499]\n"));
  EXPECT_THAT(gpu, HasSubstr("total: 1 launch, 4.01 MB of HBM (2.01 MB read + 2.00 MB written), "
                             "1.00x the compulsory 4.01 MB\n"));
  EXPECT_THAT(gpu, HasSubstr("`bx` in shared memory: "));
  EXPECT_THAT(gpu, HasSubstr("in.extent.0 >= by.extent.0 + 2\n"));
  EXPECT_THAT(gpu, Not(HasSubstr("by.extent.0 >=")));  // what holds anyway is not asked for

  const std::string host = p.explain(Target::parse("host"), {source, result});
  EXPECT_THAT(host, HasSubstr("1 pass over memory"));
  EXPECT_THAT(host, Not(HasSubstr("HBM")));
  EXPECT_THAT(host, Not(HasSubstr("launch")));

  // Without arguments the sizes are examples that fit together.
  EXPECT_THAT(
      p.explain(Target::parse("host")),
      HasSubstr("sizes: in 4098 x 4098, by 4096 x 4096   (examples: no arguments were given)"));

  // Estimates stand for what is not given, and only for that; an Input's own goes before what the output needs.
  by.set_estimate(x, 0, 640).set_estimate(y, 0, 480);
  EXPECT_THAT(p.explain(Target::parse("host")),
              HasSubstr("sizes: in 642 x 482, by 640 x 480   (estimates and examples: no arguments were given)"));
  in.dim(0).set_estimate(0, 700);
  in.dim(1).set_estimate(0, 500);
  EXPECT_THAT(p.explain(Target::parse("host")),
              HasSubstr("sizes: in 700 x 500, by 640 x 480   (estimates: no arguments were given)"));
  EXPECT_THAT(p.explain(Target::parse("host"), {source, result}), Not(HasSubstr("no arguments were given")));
}

}  // namespace
}  // namespace sinter
