// The command line of a generator: what it writes, what it says, and its exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sinter/sinter.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace sinter {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
namespace fs = std::filesystem;

Pipeline scale(const std::string& name, const Target& target, bool two_inputs = false) {
  Input in("in", Float(32), 1), more("more", Float(32), 1);
  Var i("i"), io("io"), ii("ii");
  Func out("out");
  if (two_inputs) out(i) = in(i) + more(i);
  else out(i) = in(i) * 2.f;
  if (target.is_gpu()) out.gpu_tile(i, io, ii, 256);
  if (two_inputs) return Pipeline(name, {in, more}, {out});
  return Pipeline(name, {in}, {out});
}

Generator two() {
  Generator g;
  g.add("scale", "doubles", [](const Target& t) { return scale("scale", t); });
  g.add("again", "doubles too", [](const Target& t) { return scale("again", t); });
  return g;
}

class GeneratorLine : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sinter-generator-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir_ = name;
  }
  void TearDown() override { fs::remove_all(dir_); }

  int run(const Generator& g, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "/some/where/generate");
    std::vector<const char*> argv;
    for (const std::string& a : arguments) argv.push_back(a.c_str());
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = g.main(static_cast<int>(argv.size()), argv.data());
    out_ = ::testing::internal::GetCapturedStdout();
    err_ = ::testing::internal::GetCapturedStderr();
    return status;
  }
  std::vector<std::string> listing() const {
    std::vector<std::string> names;
    for (const auto& e : fs::directory_iterator(dir_)) names.push_back(e.path().filename().string());
    return names;
  }
  std::string text(const std::string& name) const {
    std::ifstream in(dir_ + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  std::string dir_, out_, err_;
};

TEST_F(GeneratorLine, WritesTheLibraryOfEachPipeline) {
  EXPECT_EQ(run(two(), {"--out", dir_, "--target", "host"}), 0) << err_;
  EXPECT_THAT(listing(), UnorderedElementsAre("scale.a", "scale.h", "again.a", "again.h"));
  EXPECT_EQ(out_, dir_ + "/scale.a\n" + dir_ + "/scale.h\n" + dir_ + "/again.a\n" + dir_ + "/again.h\n");
  EXPECT_EQ(err_, "");
}

TEST_F(GeneratorLine, OnePipelineForSeveralTargetsWithAllThatCanBeWritten) {
  EXPECT_EQ(run(two(), {"scale", "-o", dir_ + "/made/for/it", "-t", "cuda-sm_90a-no_ptxas,host", "-e", "library,ptx,llvm,ir,html,explain,proofs,loops"}), 0) << err_;
  dir_ += "/made/for/it";
  EXPECT_THAT(listing(), UnorderedElementsAre("scale.a", "scale.h", "scale.ptx", "scale.cuda-sm_90a-no_ptxas.ll", "scale.host.ll", "scale.cuda-sm_90a-no_ptxas.ir",
                                              "scale.host.ir", "scale.cuda-sm_90a-no_ptxas.html", "scale.host.html", "scale.cuda-sm_90a-no_ptxas.txt", "scale.host.txt", "scale.cuda-sm_90a-no_ptxas.json", "scale.host.json",
                                              "scale.cuda-sm_90a-no_ptxas.loops", "scale.host.loops"));
  EXPECT_THAT(text("scale.ptx"), HasSubstr(".target sm_90a"));
  EXPECT_THAT(text("scale.h"), HasSubstr("compiled by Sinter for cuda-sm_90a-no_ptxas, host, cuda-sm_90-no_ptxas."));
  EXPECT_THAT(text("scale.cuda-sm_90a-no_ptxas.loops"), HasSubstr("block io"));
  EXPECT_THAT(text("scale.host.loops"), ::testing::Not(HasSubstr("block io"))) << "scheduled for its target";
}

TEST_F(GeneratorLine, ListAndHelp) {
  EXPECT_EQ(run(two(), {"--list"}), 0);
  EXPECT_EQ(out_, "scale                   doubles\nagain                   doubles too\n");
  EXPECT_EQ(run(two(), {"--help"}), 0);
  EXPECT_THAT(out_, HasSubstr("--target"));
  EXPECT_THAT(out_, HasSubstr("doubles too"));
  EXPECT_TRUE(listing().empty());
}

TEST_F(GeneratorLine, Mistakes) {
  EXPECT_EQ(run(two(), {"--nonsense"}), 2);
  EXPECT_THAT(err_, HasSubstr("--nonsense"));
  EXPECT_EQ(run(two(), {"other", "-o", dir_}), 1);
  EXPECT_THAT(err_, HasSubstr("generate: error[E0603]: there is no pipeline called `other` in this generator\n  help: it has scale, again"));
  EXPECT_EQ(run(two(), {"-o", dir_, "-e", "wasm"}), 1);
  EXPECT_THAT(err_, HasSubstr("nothing called `wasm` can be emitted\n  help: --emit takes library, python, ptx"));
  EXPECT_EQ(run(two(), {"-o", dir_, "-t", "metal"}), 1);
  EXPECT_THAT(err_, HasSubstr("error[E0400]"));
  EXPECT_EQ(run(two(), {"-o", dir_, "-t", "host", "-e", "ptx"}), 1);
  EXPECT_THAT(err_, HasSubstr("none of the targets has ptx"));
  EXPECT_EQ(run(two(), {"-o", "/proc/nothing/here", "-t", "host"}), 1);
  EXPECT_THAT(err_, HasSubstr("can't make the directory /proc/nothing/here"));

  Generator twins = two();
  twins.add("scale", "", [](const Target& t) { return scale("scale", t); });
  EXPECT_EQ(run(twins, {"-o", dir_}), 1);
  EXPECT_THAT(err_, HasSubstr("two pipelines called `scale`"));

  Generator misnamed;
  misnamed.add("fast", "", [](const Target& t) { return scale("slow", t); });
  EXPECT_EQ(run(misnamed, {"-o", dir_, "-t", "host"}), 1);
  EXPECT_THAT(err_, HasSubstr("the pipeline that the generator calls `fast` is named `slow`"));

  Generator different;
  different.add("scale", "", [](const Target& t) { return scale("scale", t, t.is_gpu()); });
  EXPECT_EQ(run(different, {"-o", dir_, "-t", "host,cuda-sm_80-no_ptxas"}), 1);
  EXPECT_THAT(err_, HasSubstr("the pipelines for host and cuda-sm_80-no_ptxas have different names or arguments"));
  EXPECT_TRUE(listing().empty()) << listing()[0];
}

// A mistake in an algorithm or a schedule reads as it does anywhere: the user's line, code, help.
TEST_F(GeneratorLine, ABadScheduleNamesItsLine) {
  Generator g;
  const int line = __LINE__ + 6;
  g.add("scale", "", [](const Target&) {
    Input in("in", Float(32), 1);
    Var i("i"), j("j");
    Func out("out");
    out(i) = in(i);
    out.serial(j);
    return Pipeline("scale", {in}, {out});
  });
  EXPECT_EQ(run(g, {"-o", dir_, "-t", "host"}), 1);
  EXPECT_THAT(err_, HasSubstr("generate: generator_test.cpp:" + std::to_string(line) + ": error[E0"));
  EXPECT_THAT(err_, HasSubstr("help: "));
}

}  // namespace
}  // namespace sinter
