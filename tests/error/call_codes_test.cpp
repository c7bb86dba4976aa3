// Mistakes around a pipeline: targets, calls, buffers, files, text, a machine without a driver.
#include <filesystem>

#include "codegen/runtime/sinter_runtime.h"
#include "ir/text/parse.h"
#include "tests/error/expect_error.h"
#include "tests/support/cases.h"

namespace sinter::testing {
namespace {

using ir::ErrorCode;
using ::testing::HasSubstr;

struct CallCodes : ::testing::Test {
  Input in{"in", Float(32), 1};
  Param<uint8_t> level{"level"};
  Var x{"x"};
  Func f{"f"};
  Buffer a = Buffer::host<float>({8}), b = Buffer::host<float>({8});

  CallCodes() { f(x) = in(x) + f32(level); }
  Pipeline pipeline(const std::string& name = "add_level") { return Pipeline(name, {in, level}, {f}); }
};

TEST_F(CallCodes, E0400_BadTarget) {
  EXPECT_ERROR(ErrorCode::BadTarget, 0, ({"target `cuda-sm_12`: `sm_12` is not understood", "help: known are host, cuda-sm_80"}), Target::parse("cuda-sm_12"));
  EXPECT_ERROR(ErrorCode::BadTarget, 0, ({"target `metal`: `metal` is not understood"}), Target::parse("metal"));
  EXPECT_ERROR(ErrorCode::BadTarget, 0, ({"target `cuda`: `(no architecture)`"}), Target::parse("cuda"));
  EXPECT_ERROR(ErrorCode::BadTarget, 0, ({"target ``"}), Target::parse(""));
  EXPECT_ERROR(ErrorCode::BadTarget, 0, ({"target `host-sm_90`: `sm_90` is not understood"}), Target::parse("host-sm_90"));
  EXPECT_ERROR(ErrorCode::BadTarget, 0, ({"target `cuda-sm_90-sm_80`: `sm_80`"}), Target::parse("cuda-sm_90-sm_80"));
}

TEST_F(CallCodes, E0601_BadCall) {
  for (const char* target : {"host", "emulate", "cuda-sm_90a"}) {
    const Callable k = pipeline().compile_jit(Target::parse(target));
    EXPECT_ERROR(ErrorCode::BadCall, 0, ({"`add_level` takes 3 arguments, and 2 were given", "help: Inputs and Params in the Pipeline's order, then outputs"}), k(a, b));
    EXPECT_ERROR(ErrorCode::BadCall, 0, ({"`add_level` takes 3 arguments, and 0 were given"}), k());
    EXPECT_ERROR(ErrorCode::BadCall, 0, ({"argument 1 of `add_level`, `level`, is a scalar"}), k(a, b, b));
    EXPECT_ERROR(ErrorCode::BadCall, 0, ({"argument 0 of `add_level`, `in`, is a buffer"}), k(1, 2, b));
    EXPECT_ERROR(ErrorCode::BadCall, 0, ({"Param `level` is u8, and 300 does not fit it", "help: "}), k(a, 300, b));
    EXPECT_ERROR(ErrorCode::BadCall, 0, ({"Param `level` is u8, and -1 does not fit it"}), k(a, -1, b));
    EXPECT_ERROR(ErrorCode::BadCall, 0, ({"Param `level` is u8, and 1.5"}), k(a, 1.5, b));
  }
  EXPECT_ERROR(ErrorCode::BadCall, 0, ({"takes 3 arguments, and 1 were given"}), pipeline().interpret({a}));
  EXPECT_ERROR(ErrorCode::BadCall, 0, ({"takes 3 arguments, and 1 were given"}), pipeline().realize({a}, Target::parse("host")));
}

// What a buffer is like is known when it is given: an error of the run, in the same words on every way to run.
TEST_F(CallCodes, BuffersThatDoNotFit) {
  const auto words = [&](const Buffer& in_buffer, const Buffer& out_buffer) {
    std::string first;
    for (const char* target : {"host", "emulate"}) {
      std::string text = "accepted";
      try {
        pipeline().compile_jit(Target::parse(target))(in_buffer, 1, out_buffer);
      } catch (const ir::RuntimeError& e) {
        text = e.what();
      }
      if (first.empty()) first = text;
      EXPECT_EQ(text, first) << target;
    }
    return first;
  };
  EXPECT_THAT(words(Buffer::host<int32_t>({8}), b), HasSubstr("`in`"));
  EXPECT_THAT(words(Buffer::host<float>({8, 2}), b), HasSubstr("`in`"));
  EXPECT_THAT(words(a, Buffer::host<double>({8})), HasSubstr("`f`"));
  EXPECT_THAT(words(Buffer(), b), HasSubstr("`in`"));
  EXPECT_THAT(words(Buffer::host<float>({4}), b), HasSubstr("input `in`, dimension 0"));
  EXPECT_THAT(words(a, a), HasSubstr("`f`"));  // an output that overlaps an input
  EXPECT_EQ(words(a, b), "accepted");
}

// Proofs take extents to be at least 1: the entry turns the others away, or has nothing to do.
TEST_F(CallCodes, EmptyTensors) {
  const auto words = [](const Pipeline& p, const std::vector<CallArgument>& args, const char* target) {
    try {
      p.compile_jit(Target::parse(target)).call(args);
    } catch (const ir::RuntimeError& e) {
      return std::string(e.what());
    }
    return std::string("done");
  };
  Func edge = BoundaryConditions::repeat_edge(in), g("g"), h("h"), wide("wide"), total("total");
  g(x) = edge(x) + edge(x - 1);
  wide(x) = in(x) + 1.f;
  wide.compute_root();
  h(x) = wide(x) + wide(x + 1);
  RDom r(in);
  total() = sum(r, in(r.x));
  const Buffer none = Buffer::host<float>({0}), one = Buffer::host<float>({});
  for (const char* target : {"host", "emulate"}) {
    SCOPED_TRACE(target);
    EXPECT_THAT(words(Pipeline("edges", {in}, {g}), {none, a}, target), HasSubstr("input `in`, dimension 0: extent"));
    EXPECT_EQ(words(Pipeline("edges", {in}, {g}), {none, none}, target), "done");
    // `wide` covers one element more than its readers: none of an input without elements.
    EXPECT_EQ(words(Pipeline("halo", {in}, {h}), {none, none}, target), "done");
    EXPECT_THAT(words(Pipeline("two", {in}, {g, h}), {a, b, none}, target), HasSubstr("output `h`, dimension 0: extent"));
    EXPECT_EQ(words(Pipeline("sum", {in}, {total}), {none, one}, target), "done");
    EXPECT_EQ(one.at<float>(), 0.f);
  }
}

TEST_F(CallCodes, E0603_ExportFailed) {
  const std::string nowhere = "/nowhere/at/all/f";
  EXPECT_ERROR(ErrorCode::ExportFailed, 0, ({"can't write /nowhere/at/all/f", "No such file or directory", "help: make the directory /nowhere/at/all first"}),
               pipeline().compile_to_static_library(nowhere, Target::parse("host")));
  EXPECT_ERROR(ErrorCode::ExportFailed, 0, ({"can't write /nowhere/at/all/f"}), pipeline().compile_to_ptx(nowhere, Target::parse("cuda-sm_90a")));
  EXPECT_ERROR(ErrorCode::ExportFailed, 0, ({"can't write /nowhere/at/all/f"}), pipeline().compile_to_llvm(nowhere, Target::parse("host")));
  EXPECT_ERROR(ErrorCode::ExportFailed, 0, ({"can't write /nowhere/at/all/f"}), pipeline().compile_to_ir(nowhere, Target::parse("emulate")));
  const std::string folder = std::filesystem::temp_directory_path().string();
  EXPECT_ERROR(ErrorCode::ExportFailed, 0, ({"can't write " + folder, "Is a directory"}), pipeline().compile_to_ptx(folder, Target::parse("cuda-sm_80")));
  EXPECT_ERROR(ErrorCode::ExportFailed, 0, ({"PTX of `add_level`: not for target host", "help: cuda targets have PTX"}), pipeline().compile_to_ptx("unused.ptx", Target::parse("host")));
  EXPECT_ERROR(ErrorCode::ExportFailed, 0, ({"static library of `add_level`: not for target emulate-sm_90a"}), pipeline().compile_to_static_library("unused", Target::parse("emulate")));
  EXPECT_ERROR(ErrorCode::ExportFailed, 0, ({"the pipeline's name `while` can't be the name of a C function", "help: "}),
               pipeline("while").compile_to_static_library("unused", Target::parse("host")));
  EXPECT_FALSE(std::filesystem::exists("unused.a") || std::filesystem::exists("unused.h") || std::filesystem::exists("unused.ptx"));
}

TEST_F(CallCodes, NoDriver) {
  if (sinter_rt_have_gpu()) GTEST_SKIP() << "there is a GPU";
  const Callable k = pipeline().compile_jit(Target::parse("cuda-sm_90a"));  // needs none
  try {
    k(a, 1, b);
    ADD_FAILURE() << "ran on a GPU that is not there";
  } catch (const ir::RuntimeError& e) {  // host buffers are the first thing wrong
    EXPECT_THAT(e.what(), HasSubstr("`in`"));
  }
  try {
    a.copy_to_device();
    ADD_FAILURE() << "memory of a GPU that is not there";
  } catch (const std::exception& e) {
    EXPECT_THAT(e.what(), HasSubstr("libcuda.so.1"));
  }
  Func constant("constant");
  constant(x) = f32(x);
  DLManagedTensor* device = Buffer::host<float>({4}).to_dlpack();
  device->dl_tensor.device = {kDLCUDA, 0};
  const Buffer out = Buffer::from_dlpack(device);
  try {
    Pipeline("constant", {}, {constant}).compile_jit(Target::parse("cuda-sm_90a"))(out);
    ADD_FAILURE() << "ran on a GPU that is not there";
  } catch (const ir::RuntimeError& e) {
    EXPECT_EQ(e.status(), SINTER_ERR_NO_DRIVER);
    EXPECT_THAT(e.what(), HasSubstr("libcuda.so.1"));
    EXPECT_THAT(e.what(), HasSubstr("compile for the host target"));
  }
}

TEST(TextCodes, E0500_ParseError) {
  EXPECT_ERROR(ErrorCode::ParseError, 0, ({"1:1: "}), ir::parse_program("pipeline p {}"));
}

}  // namespace
}  // namespace sinter::testing
