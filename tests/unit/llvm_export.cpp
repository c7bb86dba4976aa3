// Export: names, files and texts. That the libraries link and run is tests/package/export_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "codegen/aot/export.h"
#include "codegen/aot/files.h"
#include "codegen/aot/header.h"
#include "ir/diagnostic.h"
#include "tests/unit/llvm_modules.h"

namespace sinter {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class LlvmExport : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sinter-export-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir_ = name;
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string at(const std::string& name) const { return (dir_ / name).string(); }
  std::vector<std::string> listing() const {
    std::vector<std::string> out;
    for (const auto& e : fs::directory_iterator(dir_)) out.push_back(e.path().filename().string());
    return out;
  }
  static std::string text_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  template <class F>
  static void fails(const F& f, const std::string& words) {
    try {
      f();
      FAIL() << "no error";
    } catch (const ir::UserError& e) {
      EXPECT_EQ(e.code(), ir::ErrorCode::ExportFailed);
      EXPECT_THAT(e.what(), HasSubstr("E0603"));
      EXPECT_THAT(e.what(), HasSubstr(words));
    }
  }
  fs::path dir_;
};

TEST_F(LlvmExport, WritesArchiveAndHeader) {
  codegen::export_static_library(test::saxpy_host(), at("saxpy"));
  EXPECT_THAT(listing(), ::testing::UnorderedElementsAre("saxpy.a", "saxpy.h"));
  EXPECT_EQ(text_of(at("saxpy.a")).substr(0, 8), "!<arch>\n");
  const std::string h = text_of(at("saxpy.h"));
  EXPECT_THAT(h, HasSubstr("int saxpy(const DLTensor* x, float a, const DLTensor* y, const DLTensor* out, sinter_stream_t stream);"));
  EXPECT_THAT(h, HasSubstr("int64_t saxpy_workspace_size(const DLTensor* x, float a, const DLTensor* y, const DLTensor* out);"));
  EXPECT_THAT(h, HasSubstr("output f32 [d0]"));
}

TEST_F(LlvmExport, TheSameModuleGivesTheSameBytes) {
  codegen::export_static_library(test::stencil_host(), at("a"));
  codegen::export_static_library(test::stencil_host(), at("b"));
  EXPECT_EQ(text_of(at("a.a")), text_of(at("b.a")));
}

TEST_F(LlvmExport, DeviceCodeTravelsInside) {
  codegen::export_static_library(test::saxpy_cuda("cuda-sm_80-no_ptxas"), at("saxpy"));
  EXPECT_THAT(text_of(at("saxpy.a")), HasSubstr(".visible .entry saxpy_kernel"));
}

TEST_F(LlvmExport, OtherFiles) {
  codegen::export_ptx(test::saxpy_cuda("cuda-sm_90a"), at("k.ptx"));
  EXPECT_THAT(text_of(at("k.ptx")), HasSubstr(".target sm_90a"));
  codegen::export_llvm(test::saxpy_cuda("cuda-sm_90a"), at("k.ll"));
  EXPECT_THAT(text_of(at("k.ll")), HasSubstr("ptx_kernel void @saxpy_kernel"));
  codegen::export_llvm(test::saxpy_host(), at("h.ll"));
  EXPECT_THAT(text_of(at("h.ll")), HasSubstr("@saxpy("));
  fails([&] { codegen::export_ptx(test::saxpy_host(), at("h.ptx")); }, "host");
}

TEST_F(LlvmExport, NamesThatCCannotUse) {
  for (const char* name : {"2fast", "a-b", "while", "", "caf\xc3\xa9", "a.b"}) {
    ir::Module m = test::saxpy_host();
    m.program.name = name;
    fails([&] { codegen::export_static_library(m, at("x")); }, name);
    m = test::saxpy_host();
    m.program.params[0].name = name;
    fails([&] { codegen::export_static_library(m, at("x")); }, name);
  }
  EXPECT_TRUE(listing().empty());
}

TEST_F(LlvmExport, APathThatCannotBeWritten) {
  fails([&] { codegen::export_static_library(test::saxpy_host(), at("no/such/place")); }, "make the directory");
  // The header's place is taken by a directory: the archive must not appear either.
  fs::create_directory(at("lib.h"));
  fails([&] { codegen::export_static_library(test::saxpy_host(), at("lib")); }, "lib.h");
  EXPECT_THAT(listing(), ::testing::ElementsAre("lib.h"));
}

TEST_F(LlvmExport, FilesAreReplacedWhole) {
  codegen::write_files({{at("f"), "old text"}});
  codegen::write_files({{at("f"), "new"}});
  EXPECT_EQ(text_of(at("f")), "new");
  EXPECT_THAT(listing(), ::testing::ElementsAre("f"));
}

TEST_F(LlvmExport, Metadata) {
  ir::Module device = test::saxpy_cuda("cuda-sm_90a"), host = test::saxpy_host();
  device.program.funcs[0].fixed_extent = {ir::i32(128)};
  const std::string text = codegen::metadata_json({{&device, {"cubin sm_90a", "ptx sm_90a"}}, {&host, {}}});
  EXPECT_EQ(text,
            R"({"name": "saxpy", "arguments": [{"name": "x", "kind": "input", "type": "f32", "rank": 1, "shape": [128], "dense": true}, )"
            R"({"name": "a", "kind": "scalar", "type": "f32"}, {"name": "y", "kind": "input", "type": "f32", "rank": 1, "shape": [null], "dense": true}, )"
            R"({"name": "out", "kind": "output", "type": "f32", "rank": 1, "shape": [null], "dense": true}], )"
            R"("versions": [{"target": "cuda-sm_90a", "device": "cuda", "images": ["cubin sm_90a", "ptx sm_90a"], "kernels": ["saxpy_kernel"]}, )"
            R"({"target": "host", "device": "cpu", "images": [], "kernels": []}]})");
}

TEST_F(LlvmExport, SeveralVersions) {
  const codegen::Library library{{test::saxpy_cuda("cuda-sm_90a-no_ptxas"), test::saxpy_cuda("cuda-sm_80-no_ptxas"), test::saxpy_host()}, {"left out: */ x"}};
  codegen::export_static_library(library, at("saxpy"));
  const std::string a = text_of(at("saxpy.a")), h = text_of(at("saxpy.h"));
  EXPECT_THAT(a, HasSubstr(".target sm_90a"));
  EXPECT_THAT(a, HasSubstr(".target sm_80"));
  EXPECT_THAT(a, HasSubstr(".sinter.metadata"));
  EXPECT_THAT(h, HasSubstr("compiled by Sinter for cuda-sm_90a-no_ptxas, cuda-sm_80-no_ptxas, host."));
  EXPECT_THAT(h, HasSubstr("left out: *| x"));
  EXPECT_THAT(h, HasSubstr("or all of them in host memory"));
}

TEST_F(LlvmExport, GenericPtxGoesWithAnArchitecturesOwn) {
  const auto names = [](const std::vector<std::string>& given) {
    std::vector<ir::Target> targets;
    for (const std::string& t : given) targets.push_back(ir::Target::parse(t));
    std::vector<std::string> out;
    for (const ir::Target& t : codegen::generic_targets(targets)) out.push_back(t.to_string());
    return out;
  };
  EXPECT_THAT(names({"cuda-sm_90a", "host"}), ::testing::ElementsAre("cuda-sm_90-no_ptxas"));
  EXPECT_THAT(names({"cuda-sm_90a-strict_float"}), ::testing::ElementsAre("cuda-sm_90-strict_float-no_ptxas"));
  EXPECT_THAT(names({"cuda-sm_90a", "cuda-sm_90"}), ::testing::IsEmpty());
  EXPECT_THAT(names({"cuda-sm_80", "host"}), ::testing::IsEmpty());
}

}  // namespace
}  // namespace sinter
