// What becomes of a reduction in a block: which loads its fast version makes.
#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace sinter {
namespace {

std::string ptx_of(const Pipeline& p, const std::string& name) {
  const auto file = std::filesystem::temp_directory_path() / ("reduction_lowering_" + name + ".ptx");
  p.compile_to_ptx(file.string(), Target::parse("cuda-sm_90a"));
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::filesystem::remove(file);
  return text.str();
}

// Few columns by many rows, the last part of them shorter: the threads that the columns leave idle take rows, in vectors along the
// columns, and a part that is whole has no condition between its loads.
TEST(ReductionLowering, RowsOfAPartAreLoadedTogether) {
  constexpr int kRows = 256;
  Input x("x", BFloat(16), 2);
  Var i("i"), part("part"), io("io"), po("po"), ii("ii"), pi("pi");
  RDom r(0, kRows);
  Func total("total"), y("y");
  const Expr row = part * kRows + r;
  r.where(row < x.height());
  total(i, part) = sum(r, f32(x(i, min(row, x.height() - 1))));
  y(i, part) = total(i, part);
  y.gpu_tile(i, part, io, po, ii, pi, 64, 1).threads(256);
  total.compute_at_block(y).store_in(MemoryType::Register);
  const std::string ptx = ptx_of(Pipeline("parts", {x}, {y}), "parts");
  // 64 columns are 8 vectors, so 32 rows at a time: 8 loads a thread, none of them behind a branch.
  const std::regex loads("(ld\\.global\\.nc\\.v4\\.b32[^@$]*){8}");
  EXPECT_TRUE(std::regex_search(ptx, loads)) << ptx;
}

}  // namespace
}  // namespace sinter
