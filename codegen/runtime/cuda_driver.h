// The CUDA driver, opened at run time. The few types and entry points used are declared here, so
// that the runtime builds without the toolkit; names and values are those of cuda.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codegen/runtime/error.h"

#pragma GCC visibility push(hidden)
namespace sinter_rt {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;

constexpr CUresult CUDA_SUCCESS = 0;
constexpr CUresult CUDA_ERROR_OUT_OF_MEMORY = 2;
constexpr CUresult CUDA_ERROR_NO_DEVICE = 100;

constexpr int CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13;
constexpr int CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16;
constexpr int CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38;
constexpr int CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75;
constexpr int CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76;
constexpr int CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97;
constexpr int CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0;
constexpr int CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1;
constexpr int CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;
constexpr int CU_JIT_ERROR_LOG_BUFFER = 5;
constexpr int CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6;
constexpr unsigned CU_STREAM_NON_BLOCKING = 1;
constexpr int CU_STREAM_CAPTURE_MODE_RELAXED = 2;
constexpr int CU_STREAM_CAPTURE_STATUS_NONE = 0;

// name in struct, symbol in the driver, parameters. The symbols with a suffix are the ones that
// cuda.h maps the plain names to; all are the legacy-default-stream variants.
#define SINTER_RT_DRIVER_CALLS(X)                                                                \
  X(Init, "cuInit", (unsigned))                                                                  \
  X(GetErrorName, "cuGetErrorName", (CUresult, const char**))                                    \
  X(GetErrorString, "cuGetErrorString", (CUresult, const char**))                                \
  X(DeviceGetCount, "cuDeviceGetCount", (int*))                                                  \
  X(DeviceGet, "cuDeviceGet", (CUdevice*, int))                                                  \
  X(DeviceGetName, "cuDeviceGetName", (char*, int, CUdevice))                                    \
  X(DeviceGetAttribute, "cuDeviceGetAttribute", (int*, int, CUdevice))                           \
  X(DeviceTotalMem, "cuDeviceTotalMem_v2", (size_t*, CUdevice))                                  \
  X(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext*, CUdevice))                  \
  X(CtxGetCurrent, "cuCtxGetCurrent", (CUcontext*))                                              \
  X(CtxSetCurrent, "cuCtxSetCurrent", (CUcontext))                                               \
  X(CtxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext))                                          \
  X(CtxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext*))                                           \
  X(CtxGetDevice, "cuCtxGetDevice", (CUdevice*))                                                 \
  X(ModuleLoadDataEx, "cuModuleLoadDataEx", (CUmodule*, const void*, unsigned, int*, void**))    \
  X(ModuleUnload, "cuModuleUnload", (CUmodule))                                                  \
  X(ModuleGetFunction, "cuModuleGetFunction", (CUfunction*, CUmodule, const char*))              \
  X(FuncGetAttribute, "cuFuncGetAttribute", (int*, int, CUfunction))                             \
  X(FuncSetAttribute, "cuFuncSetAttribute", (CUfunction, int, int))                              \
  X(LaunchKernel, "cuLaunchKernel",                                                              \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, \
     void**, void**))                                                                            \
  X(MemAlloc, "cuMemAlloc_v2", (CUdeviceptr*, size_t))                                           \
  X(MemFree, "cuMemFree_v2", (CUdeviceptr))                                                      \
  X(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CUdeviceptr, const void*, size_t, CUstream))       \
  X(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void*, CUdeviceptr, size_t, CUstream))             \
  X(MemsetD8Async, "cuMemsetD8Async", (CUdeviceptr, unsigned char, size_t, CUstream))            \
  X(StreamCreate, "cuStreamCreate", (CUstream*, unsigned))                                       \
  X(StreamDestroy, "cuStreamDestroy_v2", (CUstream))                                             \
  X(StreamSynchronize, "cuStreamSynchronize", (CUstream))                                        \
  X(StreamGetCaptureInfo, "cuStreamGetCaptureInfo", (CUstream, int*, uint64_t*))                 \
  X(ThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", (int*))                \
  X(EventCreate, "cuEventCreate", (CUevent*, unsigned))                                          \
  X(EventDestroy, "cuEventDestroy_v2", (CUevent))                                                \
  X(EventRecord, "cuEventRecord", (CUevent, CUstream))                                           \
  X(EventSynchronize, "cuEventSynchronize", (CUevent))                                           \
  X(EventElapsedTime, "cuEventElapsedTime", (float*, CUevent, CUevent))

/// Calls of newer drivers, null in an older one; what uses them has another way.
#define SINTER_RT_OPTIONAL_DRIVER_CALLS(X)               \
  X(CtxGetId, "cuCtxGetId", (CUcontext, uint64_t*))      \
  X(StreamGetId, "cuStreamGetId", (CUstream, uint64_t*)) \
  X(FuncLoad, "cuFuncLoad", (CUfunction))

/// The driver's entry points.
struct Driver {
#define SINTER_RT_DECLARE(name, symbol, parameters) CUresult(*name) parameters = nullptr;
  SINTER_RT_DRIVER_CALLS(SINTER_RT_DECLARE)
  SINTER_RT_OPTIONAL_DRIVER_CALLS(SINTER_RT_DECLARE)
#undef SINTER_RT_DECLARE
};

/// The driver, opened and initialised on first use. Sets `*out` or fails with
/// SINTER_ERR_NO_DRIVER; the answer is the same for the life of the process.
int open_driver(const Driver** out);

/// The driver's own words: "CUDA_ERROR_INVALID_VALUE (invalid argument)".
std::string describe(const Driver& driver, CUresult result);

/// fail() for a driver call; `what` says what was being done.
int fail_cuda(const Driver& driver, CUresult result, const std::string& what);

/// Makes sure that a context is current. Its id tells it from a later one at the same address.
struct Context {
  CUcontext handle = nullptr;
  uint64_t id = 0;
};
int current_context(const Driver& driver, Context* out);

/// While it lives, another context is current. A context that is gone can't be entered, and took
/// with it whatever was to be freed in it.
class ContextScope {
 public:
  ContextScope(const Driver& driver, const Context& context);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  bool entered() const { return entered_; }

 private:
  void leave();
  const Driver& driver_;
  bool entered_ = false;
};

/// While it lives, this thread may do what a stream capture elsewhere would otherwise forbid:
/// allocating and loading, neither of which touches the captured stream.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const Driver& driver) : driver_(driver) { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  void exchange() { driver_.ThreadExchangeStreamCaptureMode(&mode_); }
  const Driver& driver_;
  int mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace sinter_rt
#pragma GCC visibility pop
