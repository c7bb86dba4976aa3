// A temporary folder in which the tests compile, link and run C programs as a user of exported
// libraries does.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace sinter::test {

class CProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no C compiler";
    std::string name = (std::filesystem::temp_directory_path() / "sinter-package-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir_ = name;
  }
  void TearDown() override {
    if (!dir_.empty()) std::filesystem::remove_all(dir_);
  }

  std::string path(const std::string& file) const { return dir_ + "/" + file; }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(path(file)) << text;
  }

  // Output of a command in the folder; the status goes to `status`.
  std::string run(const std::string& command, int& status) const {
    status = std::system(("cd '" + dir_ + "' && (" + command + ") > log 2>&1").c_str());
    std::ifstream in(path("log"));
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  // The same for a command that has to succeed.
  std::string must(const std::string& command) const {
    int status = 0;
    const std::string log = run(command, status);
    EXPECT_EQ(status, 0) << command << "\n" << log;
    return log;
  }

  static std::string compile() { return "cc -std=c99 -pedantic -Wall -Wextra -Werror "; }
  static std::string runtime() {
    return std::string("'") + SINTER_BINARY_DIR + "/libsinter_runtime.a'";
  }
  // What the runtime needs.
  static std::string system() { return " -lstdc++ -lpthread -ldl -lm"; }

  std::string dir_;
};

}  // namespace sinter::test
