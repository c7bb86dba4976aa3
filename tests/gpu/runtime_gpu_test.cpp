// The CUDA side of the runtime, on a GPU: a handwritten kernel is loaded, launched and captured.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "codegen/runtime/sinter_runtime.h"
#include "dsl/buffer.h"

namespace {

using sinter::Buffer;

// scale: data[i] *= factor for i < n. spill: as scale, but every value passes through the last
// bytes of dynamic shared memory, so that all of it has to be there.
const char kernels_ptx[] = R"(.version 7.0
.target sm_70
.address_size 64

.visible .entry scale(.param .u64 data, .param .u32 n, .param .f32 factor) {
  .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .f32 %f<3>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r1, [n];
  setp.ge.u32 %p, %r4, %r1;
  @%p bra done;
  ld.param.u64 %rd1, [data];
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd1, %rd1, %rd2;
  ld.param.f32 %f1, [factor];
  ld.global.f32 %f2, [%rd1];
  mul.f32 %f2, %f2, %f1;
  st.global.f32 [%rd1], %f2;
done:
  ret;
}

.extern .shared .align 16 .b8 dynamic[];
.visible .entry spill(.param .u64 data, .param .u32 bytes) {
  .reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .f32 %f<2>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  ld.global.f32 %f1, [%rd1];
  mov.u32 %r2, dynamic;
  ld.param.u32 %r3, [bytes];
  add.u32 %r2, %r2, %r3;
  mad.lo.s32 %r2, %r1, -4, %r2;
  st.shared.f32 [%r2+-4], %f1;
  bar.sync 0;
  ld.shared.f32 %f1, [%r2+-4];
  add.f32 %f1, %f1, %f1;
  st.global.f32 [%rd1], %f1;
  ret;
}
)";

const char* const kernel_names[] = {"scale", "spill"};
enum { scale = 0, spill = 1 };

/// A module of one or more images, unloaded at the end.
struct Module {
  std::vector<const char*> images, archs;
  std::vector<size_t> sizes;
  sinter_rt_module m{};

  explicit Module(std::initializer_list<std::pair<const char*, const char*>> arch_and_image,
                  const char* const* names = kernel_names, int count = 2) {
    for (auto [arch, image] : arch_and_image) {
      archs.push_back(arch);
      images.push_back(image);
      sizes.push_back(std::strlen(image) + 1);
    }
    m = {"pipe", images.data(), sizes.data(), archs.data(), static_cast<int>(images.size()),
         count,  names,         nullptr};
  }
  ~Module() { sinter_rt_module_unload(&m); }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
};

class RuntimeGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!sinter_rt_have_gpu()) GTEST_SKIP() << "no GPU";
  }

  static Buffer counting(int n) {
    const Buffer b = Buffer::host<float>({n});
    std::iota(b.data<float>(), b.data<float>() + n, 0.f);
    return b.copy_to_device();
  }

  static int launch_scale(Module& module, const Buffer& b, float factor, void* stream = nullptr) {
    void* data = b.raw_data();
    auto n = static_cast<uint32_t>(b.size());
    void* params[] = {&data, &n, &factor};
    return sinter_rt_launch(&module.m, scale, (n + 127) / 128, 128, 0, params, stream);
  }

  static void expect_scaled(const Buffer& device, float factor, void* stream = nullptr) {
    const Buffer b = device.copy_to_host(stream);
    for (int64_t i = 0; i < b.size(); ++i) {
      ASSERT_EQ(b.at<float>(i), static_cast<float>(i) * factor) << i;
    }
  }
};

#define EXPECT_OK(call) EXPECT_EQ((call), 0) << sinter_last_error()
#define ASSERT_OK(call) ASSERT_EQ((call), 0) << sinter_last_error()

TEST_F(RuntimeGpu, DescribesTheDevice) {
  int count = 0, current = -1;
  ASSERT_OK(sinter_rt_device_count(&count));
  ASSERT_GE(count, 1);
  ASSERT_OK(sinter_rt_device_use(0));
  ASSERT_OK(sinter_rt_device_current(&current));
  EXPECT_EQ(current, 0);
  sinter_rt_device_info info;
  ASSERT_OK(sinter_rt_device_query(0, &info));
  EXPECT_GT(std::strlen(info.name), 0u);
  EXPECT_GE(info.cc_major, 7);
  EXPECT_GT(info.sm_count, 0);
  EXPECT_GE(info.shared_per_block, 48 << 10);
  EXPECT_GT(info.l2_bytes, 0);
  EXPECT_GT(info.total_memory, uint64_t{1} << 30);
  EXPECT_EQ(sinter_rt_device_query(count, &info), SINTER_ERR_CUDA);
  EXPECT_NE(std::string(sinter_last_error()).find("CUDA_ERROR_INVALID_DEVICE"), std::string::npos);
}

TEST_F(RuntimeGpu, LaunchesAKernelFromPtx) {
  Module module({{"ptx", kernels_ptx}});
  const Buffer b = counting(1000);
  ASSERT_OK(launch_scale(module, b, 3.f));
  expect_scaled(b, 3.f);
  ASSERT_OK(launch_scale(module, b, 0.5f));
  expect_scaled(b, 1.5f);
}

TEST_F(RuntimeGpu, LaunchesFromManyThreads) {
  Module module({{"ptx", kernels_ptx}});
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      void* stream = nullptr;
      ASSERT_OK(sinter_rt_stream_create(&stream));
      const Buffer b = counting(5000);
      for (int i = 0; i < 4; ++i) ASSERT_OK(launch_scale(module, b, 2.f, stream));
      expect_scaled(b, 16.f, stream);
      ASSERT_OK(sinter_rt_stream_destroy(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(RuntimeGpu, SharedMemoryBeyond48KB) {
  Module module({{"ptx", kernels_ptx}});
  sinter_rt_device_info info;
  ASSERT_OK(sinter_rt_device_query(0, &info));
  const Buffer b = counting(32);
  void* data = b.raw_data();
  uint32_t bytes = 1024;
  void* params[] = {&data, &bytes};
  float factor = 1.f;
  for (int size : {1 << 10, 48 << 10, (48 << 10) + 16, info.shared_per_block}) {
    bytes = static_cast<uint32_t>(size);
    ASSERT_OK(sinter_rt_launch(&module.m, spill, 1, 32, bytes, params, nullptr));
    expect_scaled(b, factor *= 2.f);
  }
  bytes = static_cast<uint32_t>(info.shared_per_block) + 16;
  EXPECT_EQ(sinter_rt_launch(&module.m, spill, 1, 32, bytes, params, nullptr),
            SINTER_ERR_UNSUPPORTED);
  EXPECT_NE(std::string(sinter_last_error()).find("kernel spill"), std::string::npos);
  EXPECT_EQ(sinter_rt_launch(&module.m, spill, 1, 4096, 0, params, nullptr),
            SINTER_ERR_UNSUPPORTED);
  EXPECT_NE(std::string(sinter_last_error()).find("4096 threads"), std::string::npos);
}

TEST_F(RuntimeGpu, ChoosesTheMostSpecificImageThatFits) {
  const std::string future = [] {
    std::string text = kernels_ptx;
    return text.replace(text.find("sm_70"), 5, "sm_499a");
  }();
  // The first two are for other devices and no code at all; only the last can work.
  Module module({{"sm_30", "not a cubin"}, {"ptx", future.c_str()}, {"ptx", kernels_ptx}});
  const Buffer b = counting(10);
  ASSERT_OK(launch_scale(module, b, 2.f));
  expect_scaled(b, 2.f);

  Module none({{"sm_30", "not a cubin"}, {"ptx", future.c_str()}});
  EXPECT_EQ(sinter_rt_module_load(&none.m), SINTER_ERR_UNSUPPORTED);
  const std::string text = sinter_last_error();
  EXPECT_NE(text.find("cubin sm_30, ptx sm_499a"), std::string::npos) << text;

  // A cubin for this very device goes before any PTX, and says so when it is broken.
  sinter_rt_device_info info;
  ASSERT_OK(sinter_rt_device_query(0, &info));
  const std::string exact = "sm_" + std::to_string(info.cc_major * 10 + info.cc_minor) + "a";
  Module broken({{"ptx", kernels_ptx}, {exact.c_str(), "not a cubin"}});
  EXPECT_EQ(sinter_rt_module_load(&broken.m), SINTER_ERR_CUDA);
  EXPECT_NE(std::string(sinter_last_error()).find("loading " + exact), std::string::npos)
      << sinter_last_error();
}

TEST_F(RuntimeGpu, LoadErrorsAreReadable) {
  Module garbled(
      {{"ptx",
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { frobnicate; }\n"}});
  EXPECT_EQ(sinter_rt_module_load(&garbled.m), SINTER_ERR_CUDA);
  std::string text = sinter_last_error();
  EXPECT_NE(text.find("CUDA_ERROR_INVALID_PTX"), std::string::npos) << text;
  EXPECT_NE(text.find("line 4"), std::string::npos) << text;

  const char* const names[] = {"scale", "absent"};
  Module missing({{"ptx", kernels_ptx}}, names);
  EXPECT_EQ(sinter_rt_module_load(&missing.m), SINTER_ERR_CUDA);
  text = sinter_last_error();
  EXPECT_NE(text.find("looking up kernel absent"), std::string::npos) << text;
}

TEST_F(RuntimeGpu, ModulesLoadAgainAfterUnloading) {
  Module module({{"ptx", kernels_ptx}});
  for (int i = 0; i < 3; ++i) {
    const Buffer b = counting(10);
    ASSERT_OK(launch_scale(module, b, 2.f));
    expect_scaled(b, 2.f);
    sinter_rt_module_unload(&module.m);
    EXPECT_EQ(module.m.state, nullptr);
  }
}

TEST_F(RuntimeGpu, WorkspacesAreKeptGrowAndBelongToAStream) {
  Module module({{"ptx", kernels_ptx}}), other_module({{"ptx", kernels_ptx}});
  void *s = nullptr, *first = nullptr, *again = nullptr, *other = nullptr;
  ASSERT_OK(sinter_rt_stream_create(&s));
  ASSERT_OK(sinter_rt_workspace(&module.m, 1000, s, &first));
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 256, 0u);
  ASSERT_OK(sinter_rt_workspace(&module.m, 400, s, &again));
  EXPECT_EQ(again, first);
  ASSERT_OK(sinter_rt_workspace(&module.m, 1000, nullptr, &other));
  EXPECT_NE(other, first) << "of another stream";
  ASSERT_OK(sinter_rt_workspace(&other_module.m, 1000, s, &other));
  EXPECT_NE(other, first) << "of another module";
  void* large = nullptr;
  const uint64_t bytes = 64 << 20;
  ASSERT_OK(sinter_rt_workspace(&module.m, bytes, s, &large));
  ASSERT_OK(sinter_rt_memset(large, bytes, s));
  std::vector<char> back(bytes, 1);
  ASSERT_OK(sinter_rt_copy_to_host(back.data(), large, bytes, s));
  EXPECT_EQ(std::accumulate(back.begin(), back.end(), 0), 0);
  ASSERT_OK(sinter_rt_workspace(&module.m, 1000, s, &again));
  EXPECT_EQ(again, large);
  EXPECT_EQ(sinter_rt_workspace(&module.m, uint64_t{1} << 50, s, &again), SINTER_ERR_MEMORY);
  EXPECT_EQ(again, nullptr);
  ASSERT_OK(sinter_rt_workspace(&module.m, 1000, s, &again));
  EXPECT_NE(again, nullptr) << "a failure leaves it usable";
  ASSERT_OK(sinter_rt_stream_destroy(s));
}

TEST_F(RuntimeGpu, WorkspacesOfThePerThreadStreamAreOfTheThread) {
  Module module({{"ptx", kernels_ptx}});
  void* const per_thread = reinterpret_cast<void*>(uintptr_t{2});
  void *mine = nullptr, *theirs = nullptr, *again = nullptr;
  ASSERT_OK(sinter_rt_workspace(&module.m, 1000, per_thread, &mine));
  std::thread([&] { EXPECT_OK(sinter_rt_workspace(&module.m, 1000, per_thread, &theirs)); }).join();
  ASSERT_OK(sinter_rt_workspace(&module.m, 1000, per_thread, &again));
  EXPECT_NE(mine, theirs);
  EXPECT_EQ(mine, again);
}

TEST_F(RuntimeGpu, CallsCanBeCaptured) {
  // The graph API is none of the runtime's business, so it is fetched here.
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  ASSERT_NE(library, nullptr);
  auto begin = reinterpret_cast<int (*)(void*, int)>(dlsym(library, "cuStreamBeginCapture_v2"));
  auto end = reinterpret_cast<int (*)(void*, void**)>(dlsym(library, "cuStreamEndCapture"));
  auto instantiate = reinterpret_cast<int (*)(void**, void*, unsigned long long)>(
      dlsym(library, "cuGraphInstantiateWithFlags"));
  auto launch = reinterpret_cast<int (*)(void*, void*)>(dlsym(library, "cuGraphLaunch"));
  ASSERT_TRUE(begin && end && instantiate && launch);

  Module module({{"ptx", kernels_ptx}});
  const Buffer b = counting(1000);
  void *s = nullptr, *graph = nullptr, *executable = nullptr, *eager = nullptr;
  void *first = nullptr, *second = nullptr, *later = nullptr;
  ASSERT_OK(sinter_rt_stream_create(&s));
  ASSERT_OK(sinter_rt_workspace(&module.m, 1000, s, &eager));
  // The strictest mode, and with the module's first launch and new workspaces inside.
  ASSERT_EQ(begin(s, 0), 0);
  EXPECT_OK(sinter_rt_workspace(&module.m, 1000, s, &first));
  EXPECT_OK(sinter_rt_memset(first, 1000, s));
  EXPECT_OK(launch_scale(module, b, 2.f, s));
  EXPECT_OK(sinter_rt_workspace(&module.m, 1000, s, &second));
  EXPECT_OK(sinter_rt_workspace(&module.m, 100000, s, &later));
  ASSERT_EQ(end(s, &graph), 0);
  EXPECT_NE(first, eager) << "a graph may run beside the stream";
  EXPECT_EQ(first, second) << "one capture is one order";
  EXPECT_NE(first, later) << "what the graph uses already is not freed";
  ASSERT_EQ(instantiate(&executable, graph, 0), 0);
  expect_scaled(b, 1.f, s);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(launch(executable, s), 0);
  expect_scaled(b, 8.f, s);

  ASSERT_EQ(begin(s, 0), 0);
  EXPECT_OK(sinter_rt_workspace(&module.m, 1000, s, &second));
  ASSERT_EQ(end(s, &graph), 0);
  EXPECT_NE(first, second) << "another capture, another graph";
  ASSERT_OK(sinter_rt_workspace(&module.m, 1000, s, &second));
  EXPECT_EQ(second, eager);
}

TEST_F(RuntimeGpu, EventsTellTime) {
  Module module({{"ptx", kernels_ptx}});
  const Buffer b = Buffer::device<float>({1 << 24});
  ASSERT_OK(launch_scale(module, b, 1.f));
  sinter_rt_event start = nullptr, stop = nullptr;
  ASSERT_OK(sinter_rt_event_create(&start));
  ASSERT_OK(sinter_rt_event_create(&stop));
  ASSERT_OK(sinter_rt_event_record(start, nullptr));
  for (int i = 0; i < 10; ++i) ASSERT_OK(launch_scale(module, b, 1.f));
  ASSERT_OK(sinter_rt_event_record(stop, nullptr));
  float ms = 0;
  ASSERT_OK(sinter_rt_event_elapsed(start, stop, &ms));
  EXPECT_GT(ms, 0.f);
  EXPECT_LT(ms, 10000.f);
  EXPECT_OK(sinter_rt_event_destroy(start));
  EXPECT_OK(sinter_rt_event_destroy(stop));
}

TEST_F(RuntimeGpu, BuffersGoThereAndBack) {
  const Buffer host = Buffer::host<int32_t>({6, 4});
  std::iota(host.data<int32_t>(), host.data<int32_t>() + 24, 0);
  const Buffer device = host.copy_to_device();
  EXPECT_TRUE(device.on_device() && device.compact());
  const Buffer part = device.cropped(0, 2, 3).cropped(1, 1, 2);
  const Buffer back = part.copy_to_host(), twice = part.copy_to_device().copy_to_host();
  const std::vector<int32_t> expected = {8, 9, 10, 14, 15, 16};
  EXPECT_EQ(std::vector<int32_t>(back.data<int32_t>(), back.data<int32_t>() + 6), expected);
  EXPECT_EQ(std::vector<int32_t>(twice.data<int32_t>(), twice.data<int32_t>() + 6), expected);
  device.fill<int32_t>(9);
  EXPECT_EQ(part.copy_to_host().at<int32_t>(2, 1), 9);
  EXPECT_THROW(part.fill<int32_t>(1), sinter::BufferError);
  EXPECT_THROW(device.at<int32_t>(0, 0), sinter::BufferError);
  EXPECT_EQ(Buffer::device<float>({0, 3}).copy_to_host().size(), 0);
}

}  // namespace
