// The golden machinery itself: it can fail, it blesses, and it refuses to bless in CI.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/support/golden.h"

namespace sinter::test {
namespace {

class Environment {  // sets variables for a scope; none: unset
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old, had_ = true;
    if (value) setenv(name, value, 1);
    else unsetenv(name);
  }
  ~Environment() {
    if (had_) setenv(name_, old_.c_str(), 1);
    else unsetenv(name_);
  }

 private:
  const char* name_;
  std::string old_;
  bool had_ = false;
};

TEST(GoldenSupport, ReadsTheParts) {
  const GoldenFile g = parse_golden("x.ir", "; pass: print\n; form: tiles\na\n; b\n; expect:\nc\n");
  EXPECT_EQ(g.header.at("pass"), "print");
  EXPECT_EQ(g.header.at("form"), "tiles");
  EXPECT_EQ(g.input, "a\n; b\n");
  EXPECT_EQ(g.expected, "c\n");
  EXPECT_THROW(parse_golden("x.ir", "a\n; expect:\n"), std::runtime_error);
  EXPECT_THROW(parse_golden("x.ir", "; pass: print\na\n"), std::runtime_error);
}

TEST(GoldenSupport, UnifiedDiff) {
  EXPECT_EQ(unified_diff("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nfive\n6\n7\n8\n"), "@@ -2 +2 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(unified_diff("", "x\n"), "@@ -1 +1 @@\n+x\n");
}

TEST(GoldenSupport, BlessesOutsideOfCi) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "sinter_golden.ir";
  std::ofstream(path) << "; pass: p\nin\n; expect:\nold\n";
  {
    Environment bless("SINTER_BLESS", nullptr);
    EXPECT_EQ(check_golden(read_golden(path), "old\n"), "");
    const std::string difference = check_golden(read_golden(path), "new\n");
    EXPECT_NE(difference.find("-old\n+new\n"), std::string::npos) << difference;
    EXPECT_EQ(read_golden(path).expected, "old\n");
  }
  Environment bless("SINTER_BLESS", "1");
  {
    Environment ci("CI", "true");
    EXPECT_NE(check_golden(read_golden(path), "new\n").find("refused where CI is set"), std::string::npos);
    EXPECT_EQ(read_golden(path).expected, "old\n");
  }
  Environment ci("CI", nullptr);
  EXPECT_EQ(check_golden(read_golden(path), "new\n"), "");
  const GoldenFile after = read_golden(path);
  EXPECT_EQ(after.expected, "new\n");
  EXPECT_EQ(after.input, "in\n");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace sinter::test
