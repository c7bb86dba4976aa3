// The page of compile_to_html: one file, well formed, with every form in it and each kernel at its place under the roof.
#include "scheduler/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sinter/sinter.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <regex>

namespace sinter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Elements closed in order; attributes quoted. "" or what is wrong.
std::string malformed(const std::string& html) {
  static const std::regex tag(R"re(<(/?)([a-zA-Z0-9]+)((?:\s+[a-zA-Z0-9:-]+(?:="[^"<>]*")?)*)\s*(/?)>)re");
  std::vector<std::string> open;
  size_t at = 0;
  while ((at = html.find('<', at)) != html.npos) {
    if (html.compare(at, 9, "<!DOCTYPE") == 0) {
      at += 9;
      continue;
    }
    std::smatch m;
    const auto from = html.begin() + static_cast<std::ptrdiff_t>(at);
    if (!std::regex_search(from, std::min(html.end(), from + 20000), m, tag, std::regex_constants::match_continuous)) return "no tag: " + html.substr(at, 40);
    const std::string name = m[2];
    if (m[1].length()) {
      if (open.empty() || open.back() != name) return "</" + name + "> closes " + (open.empty() ? "nothing" : open.back());
      open.pop_back();
    } else if (!m[4].length() && name != "meta") {
      open.push_back(name);
      if (name == "script" || name == "style") {
        at = html.find("</" + name + ">", at);
        if (at == html.npos) return name + " does not end";
        continue;
      }
    }
    at += static_cast<size_t>(m.length());
  }
  return open.empty() ? "" : open.back() + " is not closed";
}

Pipeline blur(bool root) {
  Input in("in", Float(32), 2);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func bx("bx"), by("by");
  bx(x, y) = in(x, y) + in(x + 1, y) + in(x + 2, y);
  by(x, y) = select(bx(x, y) < bx(x, y + 1), bx(x, y + 2), 0.f);
  by.gpu_tile(x, y, xo, yo, xi, yi, 64, 16);
  if (root) bx.compute_root();
  return Pipeline("blur", {in}, {by});
}

std::string page(const Pipeline& p, const char* target, const std::vector<CallArgument>& arguments = {}) {
  char name[] = "/tmp/sinter-html-XXXXXX";
  const int fd = mkstemp(name);
  EXPECT_GE(fd, 0);
  close(fd);
  p.compile_to_html(name, Target::parse(target), arguments);
  std::ifstream in(name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  unlink(name);
  return text;
}

TEST(Html, OneFileWithEveryForm) {
  const std::string html = page(blur(true), "cuda-sm_90a-no_ptxas");
  EXPECT_EQ(malformed(html), "");
  EXPECT_THAT(html, Not(HasSubstr("http"))) << "it needs nothing from elsewhere";
  EXPECT_THAT(html, Not(HasSubstr(" src=")));
  for (const char* title : {"Loop nest", "explain()", "Algorithm and schedule", "Nest", "blur_bx_0", "blur_bx_0_general", "blur_by_1", "Entry on the host", "PTX", "LLVM IR"})
    EXPECT_THAT(html, HasSubstr("<section><h2>" + std::string(title) + "</h2><pre>"));
  EXPECT_THAT(html, HasSubstr("bx(x, y) &lt; bx(x, y + <u>1</u>)")) << "text is escaped";
  EXPECT_THAT(html, HasSubstr(".visible .entry blur_bx_0("));
  EXPECT_THAT(html, HasSubstr("about ")) << "registers, estimated";
  EXPECT_THAT(html, HasSubstr("in 4098 x 4098, by 4096 x 4096 (examples: no arguments were given)"));
  EXPECT_THAT(html, HasSubstr("<b>2</b><span>launches</span>"));
}

TEST(Html, AtTheSizesOfTheArguments) {
  const Buffer in = Buffer::host<float>({66, 34}), out = Buffer::host<float>({64, 32});
  const std::string html = page(blur(false), "cuda-sm_80-no_ptxas", {in, out});
  EXPECT_EQ(malformed(html), "");
  EXPECT_THAT(html, HasSubstr("<p class=\"sizes\">in 66 x 34, by 64 x 32</p>"));
  EXPECT_THAT(html, HasSubstr("<b>1</b><span>launch</span>"));
  EXPECT_THAT(html, HasSubstr("1.00x"));
}

TEST(Html, OnAHostAndInTheEmulator) {
  const std::string host = page(blur(false), "host");
  EXPECT_EQ(malformed(host), "");
  EXPECT_THAT(host, HasSubstr("<h2>Flat loops</h2>"));
  EXPECT_THAT(host, HasSubstr("target triple"));
  EXPECT_THAT(host, Not(HasSubstr("<h2>PTX</h2>")));
  const std::string emulated = page(blur(false), "emulate-sm_90a");
  EXPECT_EQ(malformed(emulated), "");
  EXPECT_THAT(emulated, HasSubstr("<h2>blur_by_0</h2>"));
  EXPECT_THROW(blur(false).compile_to_html("/no/such/folder/page.html", Target::parse("host")), UserError);
}

TEST(Html, WhatIsMalformedIsSeen) {
  EXPECT_NE(malformed("<p><b></p></b>"), "");
  EXPECT_NE(malformed("<p>1 < 2</p>"), "");
  EXPECT_NE(malformed("<p"), "");
  EXPECT_NE(malformed("<div>"), "");
  EXPECT_EQ(malformed("<!DOCTYPE html><p class=\"a\">1 &lt; 2<br/></p>"), "");
}

// ---- the roofline ------------------------------------------------------------------------------

scheduler::Costs costs(std::vector<scheduler::KernelCost> kernels) {
  scheduler::Costs c;
  for (const auto& k : kernels) c.total.flops += k.flops, c.total.read += k.read, c.total.written += k.written;
  c.total.compulsory = c.total.read + c.total.written;
  c.kernels = std::move(kernels);
  return c;
}

struct Point {
  double x, y;
};
std::vector<Point> circles(const std::string& svg) {
  static const std::regex circle("<circle cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"");
  std::vector<Point> out;
  for (std::sregex_iterator it(svg.begin(), svg.end(), circle), end; it != end; ++it) out.push_back({std::stod((*it)[1]), std::stod((*it)[2])});
  return out;
}

TEST(Roofline, KernelsLieOnTheRoof) {
  const Target target = Target::parse("cuda-sm_90a");
  // Bound by memory, at ten times its intensity, at a hundred times; and far beyond the ridge, twice.
  const std::string svg = scheduler::roofline_svg(
      costs({{"a", 1, 1 << 20, 1 << 20, 1 << 20, {}}, {"b", 1, 1 << 20, 1 << 20, 10 << 20, {}}, {"c", 1, 1 << 20, 1 << 20, int64_t{1000} << 20, {}}, {"d", 1, 1 << 20, 1 << 20, int64_t{10000} << 20, {}}}), target);
  EXPECT_EQ(malformed(svg), "");
  const std::vector<Point> at = circles(svg);
  ASSERT_EQ(at.size(), 4u);
  const double decade_x = at[1].x - at[0].x, decade_y = at[0].y - at[1].y;
  EXPECT_GT(decade_x, 0);
  EXPECT_GT(decade_y, 0) << "ten times the intensity is ten times the rate";
  EXPECT_NEAR(at[3].x - at[2].x, decade_x, 0.2);
  EXPECT_NEAR(at[2].y, at[3].y, 0.1) << "beyond the ridge it is the device's arithmetic";
  EXPECT_NEAR(at[2].x - at[1].x, 2 * decade_x, 0.2);
  const ir::DeviceLimits dev = ir::limits(target);
  const double decades = std::log10(dev.fp32_flops / (0.5 * dev.hbm_bytes_per_second));  // from a to the roof, upwards
  EXPECT_NEAR(at[0].y - at[2].y, decades * decade_y, 0.5);
}

TEST(Roofline, ManyKernelsAtOnePointAndNoneAtAll) {
  std::vector<scheduler::KernelCost> same(40, {"k<1>", 1, 100, 100, 0, {}});
  const std::string svg = scheduler::roofline_svg(costs(same), Target::parse("host"));
  EXPECT_EQ(malformed(svg), "");
  EXPECT_EQ(circles(svg).size(), 40u);
  EXPECT_THAT(svg, HasSubstr("k&lt;1&gt; (computes nothing)"));
  EXPECT_EQ(malformed(scheduler::roofline_svg(costs({}), Target::parse("host"))), "");
}

}  // namespace
}  // namespace sinter
