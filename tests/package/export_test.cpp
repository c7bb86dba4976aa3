// Two exported libraries and the runtime in one C program, and in one shared object: they link, run, and share no symbol by accident.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "codegen/aot/export.h"
#include "tests/package/c_program.h"
#include "tests/unit/llvm_modules.h"

namespace sinter {
namespace {

constexpr const char* kProgram = R"(
#include <dlpack/dlpack.h>
#include <stdio.h>
#include <string.h>
#include "saxpy.h"
#include "stencil.h"
#include "scaled.h"
#include "copy_gpu.h"

static DLTensor tensor(void* data, int64_t* shape, uint8_t code, uint8_t bits) {
  DLTensor t;
  memset(&t, 0, sizeof t);
  t.data = data;
  t.ndim = 1;
  t.shape = shape;
  t.dtype.code = code;
  t.dtype.bits = bits;
  t.dtype.lanes = 1;
  t.device.device_type = kDLCPU;
  return t;
}

#define EXPECT(c) if (!(c)) { printf("line %d: %s (%s)\n", __LINE__, #c, sinter_last_error()); return 1; }

int main(void) {
  enum { N = 1000 };
  static float x[N + 2], y[N + 2], out[N];
  static uint16_t narrow[N];
  int64_t n = N, more = N + 2, less = N - 1;
  int i;
  for (i = 0; i < N + 2; ++i) { x[i] = (float)(i % 17); y[i] = 3.0f; }
  {
    DLTensor tx = tensor(x, &n, kDLFloat, 32), ty = tensor(y, &n, kDLFloat, 32), to = tensor(out, &n, kDLFloat, 32);
    EXPECT(saxpy_init(0) == 0);
    EXPECT(saxpy_workspace_size(&tx, 2.0f, &ty, &to) == 0);
    EXPECT(saxpy(&tx, 2.0f, &ty, &to, NULL) == 0);
    for (i = 0; i < N; ++i) EXPECT(out[i] == 2.0f * x[i] + 3.0f);
    ty.shape = &less;
    EXPECT(saxpy(&tx, 2.0f, &ty, &to, NULL) != 0);
    EXPECT(strstr(sinter_last_error(), "saxpy") != NULL);
    EXPECT(saxpy(NULL, 2.0f, &ty, &to, NULL) != 0);
    EXPECT(saxpy_workspace_size(NULL, 2.0f, &ty, &to) < 0);
    ty.shape = &n;
    EXPECT(copy_gpu(&tx, &to, NULL) != 0); /* host memory */
    EXPECT(strstr(sinter_last_error(), "copy_gpu") != NULL);
    EXPECT(strstr(copy_gpu_metadata(), "sm_80") != NULL);
  }
  {
    DLTensor ti = tensor(x, &more, kDLFloat, 32), to = tensor(out, &n, kDLFloat, 32);
    EXPECT(stencil(&ti, &to, NULL) == 0);
    for (i = 0; i < N; ++i) {
      const float want = 2.0f * (x[i] + x[i + 1] + x[i + 2]) / 3.0f;
      EXPECT(out[i] - want < 1e-4f && want - out[i] < 1e-4f);
    }
  }
  {
    /* 1 - 3 + 200 + 1 (rounded to bf16 on the way in) + 0.5 = 199.5, which rounds to 200 */
    DLTensor to = tensor(narrow, &n, kDLBfloat, 16);
    EXPECT(scaled(true, -3, 200, 1.00390625f, 0.5, &to, NULL) == 0);
    EXPECT(narrow[0] == 0x4348 && narrow[N - 1] == 0x4348);
  }
  puts("all right");
  return 0;
}
)";

// out(i) = bf16(flag + small + big + narrow + wide) of scalars of five types.
ir::Module scalars_module() {
  test::ModuleBuilder b("scaled", "host");
  std::vector<ir::Sym> params = {b.param("flag", ir::Bool()), b.param("small", ir::Int(8)), b.param("big", ir::UInt(8)),
                                 b.param("narrow", ir::BFloat(16)), b.param("wide", ir::Float(64))};
  const int out = b.tensor("out", ir::BFloat(16), 1, true);
  ir::Expr sum = ir::make_float(ir::Float(64), 0);
  for (const ir::Sym& s : params) sum = ir::make_binary(ir::Op::Add, sum, ir::make_cast(ir::Float(64), ir::make_var(s)));
  const ir::Sym i = ir::make_sym("i");
  b.m.entry = test::loop(i, b.extent(out), test::store(out, ir::make_var(i), ir::make_cast(ir::BFloat(16), sum)));
  return b.m;
}

ir::Module gpu_copy() {
  test::ModuleBuilder b("copy_gpu", "cuda-sm_80-no_ptxas");
  const int x = b.tensor("x", ir::Float(32), 1);
  const int out = b.tensor("out", ir::Float(32), 1, true);
  ir::Kernel& k = b.kernel("copy_kernel", 128);
  const ir::Expr at = ir::make_var(k.block) * 128 + ir::make_var(k.thread);
  test::ModuleBuilder::body(k, ir::make_if(at < b.extent(out), test::store(out, at, ir::make_load(x, ir::Float(32), at))));
  k.buffers = {x, out};
  k.written = {out};
  k.scalars = {b.extent_sym(out)};
  b.m.entry = std::make_shared<ir::LaunchStmt>(0, ir::make_cast(ir::Int(64), ir::ceil_div(b.extent(out), 128)));
  return b.m;
}

class Export : public test::CProgram {
 protected:
  void SetUp() override {
    test::CProgram::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    codegen::export_static_library(test::saxpy_host(), path("saxpy"));
    codegen::export_static_library(test::stencil_host(50000), path("stencil"));
    codegen::export_static_library(scalars_module(), path("scaled"));
    codegen::export_static_library(gpu_copy(), path("copy_gpu"));
  }
};

TEST_F(Export, OneProgram) {
  std::ofstream(dir_ + "/main.c") << kProgram;
  int status = 0;
  std::string log = run("cc -std=c99 -pedantic -Wall -Wextra -Werror -c main.c && cc main.o saxpy.a stencil.a scaled.a copy_gpu.a " + runtime() +
                        " -o program -lstdc++ -lpthread -ldl -lm", status);
  ASSERT_EQ(status, 0) << log;
  log = run("./program", status);
  EXPECT_EQ(status, 0) << log;
  EXPECT_EQ(log, "all right\n");
}

TEST_F(Export, OneSharedObject) {
  int status = 0;
  std::string log = run("cc -shared -o both.so -Wl,-z,defs -Wl,--whole-archive saxpy.a stencil.a -Wl,--no-whole-archive " + runtime() +
                        " -lstdc++ -lpthread -ldl -lm", status);
  ASSERT_EQ(status, 0) << log;
  void* lib = dlopen((dir_ + "/both.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(lib, nullptr) << dlerror();
  for (const char* name : {"saxpy", "stencil", "saxpy_init", "stencil_init", "saxpy_metadata", "stencil_workspace_size"})
    EXPECT_NE(dlsym(lib, name), nullptr) << name;
  for (const char* name : {"saxpy_entry", "saxpy_body", "saxpy_device", "stencil_loop0", "data"}) EXPECT_EQ(dlsym(lib, name), nullptr) << name;
  dlclose(lib);
  // What an object defines for others is its own four names.
  log = run("nm -g --defined-only saxpy.a | awk 'NF == 3 {print $3}' | sort | tr '\\n' ' '", status);
  EXPECT_EQ(log, "saxpy saxpy_init saxpy_metadata saxpy_workspace_size ");
}

}  // namespace
}  // namespace sinter
