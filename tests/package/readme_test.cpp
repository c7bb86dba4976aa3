// The kernel in README.md compiles and does what it says. CMake cuts it out of the page:
// readme_kernel.inc.
#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include <cmath>
#include <cstdio>
#include <regex>

#include "tests/package/c_program.h"

namespace {

using namespace sinter;

void readme(const Buffer& x_buf, const Buffer& bias_buf, const Buffer& res_buf, const Buffer& out,
            Stream stream) {
#include <readme_kernel.inc>
}

using Readme = test::CProgram;

TEST_F(Readme, TheKernelRuns) {
  const int64_t w = 100, h = 7;
  Buffer x = Buffer::host<bfloat16>({w, h}), bias = Buffer::host<bfloat16>({w}),
         res = Buffer::host<bfloat16>({w, h}), out = Buffer::host<bfloat16>({w, h});
  for (int64_t m = 0; m < h; ++m)
    for (int64_t n = 0; n < w; ++n) {
      x.at<bfloat16>(n, m) = bfloat16(static_cast<float>((n + m) % 9 - 4) / 4);
      bias.at<bfloat16>(n) = bfloat16(static_cast<float>(n % 5 - 2) / 4);
      res.at<bfloat16>(n, m) = bfloat16(static_cast<float>(m));
    }
  const bool gpu = native_target().is_gpu();
  if (gpu)
    x = x.copy_to_device(), bias = bias.copy_to_device(), res = res.copy_to_device(),
    out = out.copy_to_device();

  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir_);
  std::filesystem::create_directory("out");
  ::testing::internal::CaptureStdout();
  readme(x, bias, res, out, {});
  const std::string page = ::testing::internal::GetCapturedStdout();
  EXPECT_TRUE(std::filesystem::exists("out/bias_gelu.a"));
  EXPECT_TRUE(std::filesystem::exists("out/bias_gelu.h"));
  std::filesystem::current_path(before);
  EXPECT_NE(page.find("pipeline `bias_gelu`"), std::string::npos) << page;

  if (gpu)
    x = x.copy_to_host(), bias = bias.copy_to_host(), res = res.copy_to_host(),
    out = out.copy_to_host();
  for (int64_t m = 0; m < h; ++m)
    for (int64_t n = 0; n < w; ++n) {
      const double v =
          static_cast<float>(x.at<bfloat16>(n, m)) + static_cast<float>(bias.at<bfloat16>(n));
      const double want = 0.5 * v * (1 + std::tanh(0.7978845608 * (v + 0.044715 * v * v * v))) +
                          static_cast<float>(res.at<bfloat16>(n, m));
      // Half a unit of the last place of bf16, and a little for the fast functions.
      ASSERT_NEAR(static_cast<float>(out.at<bfloat16>(n, m)), want, std::fabs(want) / 256 + 1e-4)
          << n << ", " << m;
    }
}

std::string readme_text() {
  std::ifstream file(std::string(SINTER_SOURCE_DIR) + "/README.md");
  std::ostringstream page;
  page << file.rdbuf();
  return page.str();
}

// What the page says that the kernel became: the part of explain() on traffic.
TEST(ReadmePage, QuotesExplain) {
  Input x("x", BFloat(16), 2), bias("bias", BFloat(16), 1), res("res", BFloat(16), 2);
  Var n("n"), m("m"), no("no"), mo("mo"), ni("ni"), mi("mi");
  Func pre("pre"), y("y");
  pre(n, m) = f32(x(n, m)) + f32(bias(n));
  y(n, m) = bf16(gelu(pre(n, m)) + f32(res(n, m)));
  y.gpu_tile(n, m, no, mo, ni, mi, 1024, 4);
  const std::string text =
      Pipeline("bias_gelu", {x, bias, res}, {y}).explain(Target::parse("cuda-sm_90a-no_ptxas"));
  const size_t begin = text.find("1 kernel"), total = text.find("total:"),
               end = text.find('\n', total);
  ASSERT_NE(begin, std::string::npos) << text;
  ASSERT_NE(total, std::string::npos) << text;
  EXPECT_NE(readme_text().find(text.substr(begin, end + 1 - begin)), std::string::npos)
      << text.substr(begin, end + 1 - begin);
}

// The error that the page shows is one that the compiler gives.
TEST(ReadmePage, ShowsARealError) {
  Input in("in", Float(32), 2);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func bx("bx"), by("by");
  bx(x, y) = in(x, y) * 2;
  by(x, y) = bx(x, y) + bx(x + 1, y);
  by.tile(x, y, xo, yo, xi, yi, 32, 4).gpu_blocks(xo, yo).gpu_threads(xi, yi);
  bx.compute_at_block(by).gpu_threads(x, y).store_in(MemoryType::Register);
  const std::regex place(R"(\w+\.cpp:\d+)");
  try {
    Pipeline("blur", {in}, {by}).compile_jit(Target::parse("cuda-sm_90a"));
    FAIL() << "accepted";
  } catch (const UserError& e) {
    const std::string text = std::regex_replace(std::string(e.what()), place, "FILE");
    EXPECT_NE(std::regex_replace(readme_text(), place, "FILE").find(text), std::string::npos)
        << e.what();
  }
}

}  // namespace
