// Pipelines of the language, exported and used from C: two in one program, the same two in a shared
// object, and one for a GPU that is not there.
#include <gmock/gmock.h>
#include <sinter/sinter.h>

#include "tests/package/c_program.h"

namespace sinter {
namespace {

using ::testing::HasSubstr;

// out = clamp(in * gain + offset), bytes, with scalars in front of and behind the tensor.
Pipeline brighten() {
  Param<float> gain("gain");
  Param<int32_t> offset("offset");
  Input in("in", UInt(8), 2);
  Var x("x"), y("y");
  Func out("out");
  out(x, y) = cast(UInt(8), clamp(f32(in(x, y)) * gain + f32(offset), 0.f, 255.f));
  out.vectorize(x, 16).parallel(y);
  return Pipeline("brighten", {gain, in, offset}, {out});
}

// A stencil in two steps with memory in between, as tiles.
Pipeline box_blur(const std::string& name) {
  Input in("in", Float(32), 2);
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func rows("rows"), out("out");
  rows(x, y) = in(x, y) + in(x + 1, y) + in(x + 2, y);
  out(x, y) = (rows(x, y) + rows(x, y + 1) + rows(x, y + 2)) * 0.125f;
  rows.compute_root();
  out.gpu_tile(x, y, xo, yo, xi, yi, 32, 8);
  return Pipeline(name, {in}, {out});
}

constexpr const char* kTensors = R"(
#include <dlpack/dlpack.h>
#include <stdio.h>
#include <string.h>

static DLTensor tensor(void* data, int64_t* shape, uint8_t code, uint8_t bits, DLDeviceType device) {
  DLTensor t;
  memset(&t, 0, sizeof t);
  t.data = data;
  t.ndim = 2;
  t.shape = shape;
  t.dtype.code = code;
  t.dtype.bits = bits;
  t.dtype.lanes = 1;
  t.device.device_type = device;
  return t;
}
)";

constexpr const char* kHostProgram = R"(
#include "brighten.h"
#include "box_blur.h"

#define EXPECT(c) if (!(c)) { printf("line %d: %s (%s)\n", __LINE__, #c, sinter_last_error()); return 1; }
enum { W = 77, H = 19 };

int main(void) {
  static uint8_t photo[H][W], bright[H][W];
  static float source[H + 2][W + 2], blurred[H][W];
  int64_t shape[2] = {H, W}, larger[2] = {H + 2, W + 2};
  int x, y;
  for (y = 0; y < H; ++y)
    for (x = 0; x < W; ++x) photo[y][x] = (uint8_t)(x * 3 + y);
  for (y = 0; y < H + 2; ++y)
    for (x = 0; x < W + 2; ++x) source[y][x] = (float)((x * 7 + y * 5) % 32);
  {
    DLTensor in = tensor(photo, shape, kDLUInt, 8, kDLCPU), out = tensor(bright, shape, kDLUInt, 8, kDLCPU);
    EXPECT(brighten(2.0f, &in, -20, &out, NULL) == 0);
    for (y = 0; y < H; ++y)
      for (x = 0; x < W; ++x) {
        const int want = 2 * photo[y][x] - 20;
        EXPECT(bright[y][x] == (want < 0 ? 0 : want > 255 ? 255 : want));
      }
    EXPECT(brighten(2.0f, &in, -20, &in, NULL) != 0); /* in place: not declared */
    EXPECT(strstr(sinter_last_error(), "brighten") != NULL);
  }
  {
    DLTensor in = tensor(source, larger, kDLFloat, 32, kDLCPU), out = tensor(blurred, shape, kDLFloat, 32, kDLCPU);
    EXPECT(box_blur_workspace_size(&in, &out) >= 0);
    EXPECT(box_blur(&in, &out, NULL) == 0);
    for (y = 0; y < H; ++y)
      for (x = 0; x < W; ++x) {
        float sum = 0.0f;
        int dx, dy;
        for (dy = 0; dy < 3; ++dy)
          for (dx = 0; dx < 3; ++dx) sum += source[y + dy][x + dx];
        EXPECT(blurred[y][x] == sum * 0.125f); /* small integers: exact */
      }
    in.shape = shape; /* too small for the stencil */
    EXPECT(box_blur(&in, &out, NULL) != 0);
    EXPECT(strstr(sinter_last_error(), "in") != NULL);
  }
  puts("all right");
  return 0;
}
)";

// A library with versions for devices and for the host: host memory runs here, device memory would need a GPU.
constexpr const char* kFatProgram = R"(
#include "fat.h"

#define EXPECT(c) if (!(c)) { printf("line %d: %s (%s)\n", __LINE__, #c, sinter_last_error()); return 1; }
enum { W = 77, H = 19 };

int main(void) {
  static float source[H + 2][W + 2], blurred[H][W];
  int64_t shape[2] = {H, W}, larger[2] = {H + 2, W + 2};
  DLTensor in = tensor(source, larger, kDLFloat, 32, kDLCPU), out = tensor(blurred, shape, kDLFloat, 32, kDLCPU);
  int x, y;
  for (y = 0; y < H + 2; ++y)
    for (x = 0; x < W + 2; ++x) source[y][x] = (float)((x * 7 + y * 5) % 32);
  EXPECT(fat_init(-1) == 0);
  EXPECT(fat_workspace_size(&in, &out) >= 0);
  EXPECT(fat(&in, &out, NULL) == 0);
  for (y = 0; y < H; ++y)
    for (x = 0; x < W; ++x) {
      float sum = 0.0f;
      int dx, dy;
      for (dy = 0; dy < 3; ++dy)
        for (dx = 0; dx < 3; ++dx) sum += source[y + dy][x + dx];
      EXPECT(blurred[y][x] == sum * 0.125f);
    }
  out.device.device_type = kDLCUDA; /* the first tensor decides */
  EXPECT(fat(&in, &out, NULL) != 0);
  EXPECT(strstr(sinter_last_error(), "needed cpu memory, given cuda memory") != NULL);
  in.shape = shape; /* too small for the stencil: the host version checks it too */
  out.device.device_type = kDLCPU;
  EXPECT(fat(&in, &out, NULL) != 0);
  EXPECT(strstr(sinter_last_error(), "input `in`") != NULL || strstr(sinter_last_error(), "`in`") != NULL);
  in.shape = larger;
  in.device.device_type = out.device.device_type = kDLCUDA;
  if (fat_init(0) != 0) { /* no GPU here: what the library would have run on is in the words */
    printf("init: %s\n", sinter_last_error());
    EXPECT(fat(&in, &out, NULL) != 0);
    printf("call: %s\n", sinter_last_error());
    EXPECT(fat_workspace_size(&in, &out) < 0);
  }
  printf("%s\n", fat_metadata());
  return 0;
}
)";

constexpr const char* kGpuProgram = R"(
#include "gpu_blur.h"

int main(void) {
  static float source[10][10], blurred[8][8];
  int64_t larger[2] = {10, 10}, shape[2] = {8, 8};
  DLTensor in = tensor(source, larger, kDLFloat, 32, kDLCPU), out = tensor(blurred, shape, kDLFloat, 32, kDLCPU);
  if (gpu_blur(&in, &out, NULL) == 0) { puts("host memory was accepted"); return 1; }
  printf("host memory: %s\n", sinter_last_error());
  if (gpu_blur_init(0) == 0) { puts("a GPU: ready"); return 0; }
  printf("init: %s\n", sinter_last_error());
  in.device.device_type = out.device.device_type = kDLCUDA;
  if (gpu_blur(&in, &out, NULL) == 0) { puts("ran without a GPU"); return 1; }
  printf("call: %s\n", sinter_last_error());
  return 0;
}
)";

using PipelineExport = test::CProgram;

TEST_F(PipelineExport, TwoLibrariesInAProgramAndInASharedObject) {
  const Target host = Target::parse("host");
  brighten().compile_to_static_library(path("brighten"), host);
  box_blur("box_blur").compile_to_static_library(path("box_blur"), host);
  write("main.c", std::string(kTensors) + kHostProgram);
  must(compile() + "-c main.c");

  must("cc -pie main.o brighten.a box_blur.a " + runtime() + " -o program" + system());
  EXPECT_EQ(must("./program"), "all right\n");

  // No text relocations: the code is position independent as it stands.
  must(
      "cc -shared -o libboth.so -Wl,-z,defs -Wl,-z,text -Wl,--whole-archive brighten.a box_blur.a "
      "-Wl,--no-whole-archive " +
      runtime() + system());
  must("cc main.o -L. -lboth -Wl,-rpath,. -o second");
  EXPECT_EQ(must("./second"), "all right\n");
}

TEST_F(PipelineExport, WithoutAGpuTheCallSaysSo) {
  box_blur("gpu_blur")
      .compile_to_static_library(path("gpu_blur"), Target::parse("cuda-sm_80-no_ptxas"));
  write("main.c", std::string(kTensors) + kGpuProgram);
  must(compile() + "main.c gpu_blur.a " + runtime() + " -o program" + system());
  const std::string log = must("./program");
  EXPECT_THAT(log, HasSubstr("host memory: gpu_blur: "));
  if (log.find("a GPU: ready") == std::string::npos) {
    EXPECT_THAT(log, HasSubstr("init: "));
    EXPECT_THAT(log, HasSubstr("driver"));
  }
}

TEST_F(PipelineExport, SeveralTargetsInOneLibrary) {
  const std::vector<Target> targets = {Target::parse("cuda-sm_80-no_ptxas"), Target::parse("host"), Target::parse("cuda-sm_90a-no_ptxas")};
  box_blur("fat").compile_to_static_library(path("fat"), targets);
  write("main.c", std::string(kTensors) + kFatProgram);
  must(compile() + "main.c fat.a " + runtime() + " -o program" + system());
  const std::string log = must("./program");
  if (log.find("init: ") != std::string::npos) {
    for (const char* call : {"init: ", "call: "})
      EXPECT_THAT(log, HasSubstr(std::string(call) + "fat: compiled for cuda (ptx sm_80), host, cuda (ptx sm_90a), cuda (ptx sm_90): no CUDA driver"));
  }
  for (const char* version : {R"({"target": "cuda-sm_80-no_ptxas", "device": "cuda", "images": ["ptx sm_80"])",
                              R"({"target": "host", "device": "cpu", "images": [], "kernels": []})",
                              R"({"target": "cuda-sm_90a-no_ptxas", "device": "cuda", "images": ["ptx sm_90a"])",
                              R"({"target": "cuda-sm_90-no_ptxas", "device": "cuda", "images": ["ptx sm_90"])"})
    EXPECT_THAT(log, HasSubstr(version));

  // Tools read what a library, and a program that it went into, holds; a linker that collects garbage leaves it.
  must("cc -ffunction-sections -Wl,--gc-sections main.c fat.a " + runtime() + " -o collected" + system());
  for (const char* file : {"fat.a", "program", "collected"})
    EXPECT_THAT(must(std::string("readelf -p .sinter.metadata ") + file), HasSubstr(R"({"name": "fat", "arguments": [{"name": "in")")) << file;
}

TEST_F(PipelineExport, TargetsThatMakeNoLibrary) {
  const auto words = [&](const std::vector<Target>& targets) -> std::string {
    try {
      box_blur("blur").compile_to_static_library(path("blur"), targets);
    } catch (const UserError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_THAT(words({}), HasSubstr("E0400]: static library: no target is given"));
  EXPECT_THAT(words({Target::parse("host"), Target::parse("emulate")}), HasSubstr("E0603]: static library of `blur`: not for target emulate-sm_90a"));
  EXPECT_THAT(words({Target::parse("host"), Target::parse("host-strict_float")}),
              HasSubstr("targets host and host-strict_float are for the same devices"));
  EXPECT_THAT(words({Target::parse("cuda-sm_90a"), Target::parse("cuda-sm_90a-no_ptxas")}), HasSubstr("for the same devices"));
}

}  // namespace
}  // namespace sinter
