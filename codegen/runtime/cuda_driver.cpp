#include "codegen/runtime/cuda_driver.h"

#include <dlfcn.h>

#include <mutex>

namespace sinter_rt {
namespace {

constexpr const char* library_name = "libcuda.so.1";
constexpr const char* way_out =
    "; install NVIDIA's driver and run where a GPU is visible, or compile for the host target";

/// What opening the driver came to; made once.
struct Opened {
  Driver driver;
  std::string error;  // empty: usable
};

template <class Function>
bool resolve(void* library, const char* symbol, Function** out) {
  *out = reinterpret_cast<Function*>(dlsym(library, symbol));
  return *out != nullptr;
}

std::string open(Driver* driver) {
  // Never closed: the driver keeps threads and atexit handlers of its own.
  void* library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    return format("no CUDA driver: looked for %s: %s%s", library_name,
                  reason ? reason : "not found", way_out);
  }
  const char* missing = nullptr;
#define SINTER_RT_RESOLVE(name, symbol, parameters) \
  if (!resolve(library, symbol, &driver->name)) missing = symbol;
  SINTER_RT_DRIVER_CALLS(SINTER_RT_RESOLVE)
#undef SINTER_RT_RESOLVE
  if (missing) {
    return format("the CUDA driver is too old: %s has no %s; update NVIDIA's driver", library_name,
                  missing);
  }
#define SINTER_RT_RESOLVE(name, symbol, parameters) resolve(library, symbol, &driver->name);
  SINTER_RT_OPTIONAL_DRIVER_CALLS(SINTER_RT_RESOLVE)
#undef SINTER_RT_RESOLVE

  int count = 0;
  CUresult result = driver->Init(0);
  if (result == CUDA_SUCCESS) result = driver->DeviceGetCount(&count);
  if (result == CUDA_SUCCESS && count == 0) result = CUDA_ERROR_NO_DEVICE;
  if (result == CUDA_SUCCESS) return {};
  return format("%s was found, but there is no usable CUDA device: %s%s", library_name,
                describe(*driver, result).c_str(), way_out);
}

const Opened& opened() {
  // Leaked, so that it outlives whatever other static destructors still want to free.
  static const Opened* const once = [] {
    auto* made = new Opened;
    made->error = open(&made->driver);
    return made;
  }();
  return *once;
}

}  // namespace

int open_driver(const Driver** out) {
  const Opened& it = opened();
  if (!it.error.empty()) return fail(SINTER_ERR_NO_DRIVER, it.error);
  *out = &it.driver;
  return SINTER_OK;
}

std::string describe(const Driver& driver, CUresult result) {
  const char *name = nullptr, *words = nullptr;
  if (driver.GetErrorName(result, &name) != CUDA_SUCCESS) name = nullptr;
  if (driver.GetErrorString(result, &words) != CUDA_SUCCESS) words = nullptr;
  if (!name) return format("CUDA error %d", result);
  return words ? format("%s (%s)", name, words) : std::string(name);
}

int fail_cuda(const Driver& driver, CUresult result, const std::string& what) {
  const int code = result == CUDA_ERROR_OUT_OF_MEMORY ? SINTER_ERR_MEMORY : SINTER_ERR_CUDA;
  return failf(code, "%s: %s", what.c_str(), describe(driver, result).c_str());
}

int current_context(const Driver& driver, Context* out) {
  CUcontext handle = nullptr;
  CUresult result = driver.CtxGetCurrent(&handle);
  if (result == CUDA_SUCCESS && !handle) {
    // Retained for the life of the process: modules and buffers may live as long.
    result = driver.DevicePrimaryCtxRetain(&handle, 0);
    if (result == CUDA_SUCCESS) result = driver.CtxSetCurrent(handle);
  }
  if (result != CUDA_SUCCESS) return fail_cuda(driver, result, "getting a CUDA context");
  out->handle = handle;
  out->id = reinterpret_cast<uintptr_t>(handle);
  if (driver.CtxGetId) {
    result = driver.CtxGetId(handle, &out->id);
    if (result != CUDA_SUCCESS) return fail_cuda(driver, result, "getting the CUDA context's id");
  }
  return SINTER_OK;
}

ContextScope::ContextScope(const Driver& driver, const Context& context) : driver_(driver) {
  entered_ = driver.CtxPushCurrent(context.handle) == CUDA_SUCCESS;
  uint64_t id = context.id;
  if (!entered_ || !driver.CtxGetId) return;
  // A new context may lie where the old one was.
  const bool same = driver.CtxGetId(context.handle, &id) == CUDA_SUCCESS && id == context.id;
  if (!same) leave();
}

ContextScope::~ContextScope() {
  if (entered_) leave();
}

void ContextScope::leave() {
  CUcontext popped = nullptr;
  driver_.CtxPopCurrent(&popped);
  entered_ = false;
}

}  // namespace sinter_rt

extern "C" int sinter_rt_have_gpu(void) {
  try {
    return sinter_rt::opened().error.empty() ? 1 : 0;
  } catch (...) {
    return 0;
  }
}
