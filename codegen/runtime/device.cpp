// Devices, device memory, streams and events: thin calls over the driver, for hosts that have no
// CUDA runtime of their own.

#include <cstring>

#include "codegen/runtime/cuda_driver.h"

namespace sinter_rt {
namespace {

/// Runs call(driver), which gives a CUresult, and puts `doing` in front of the driver's words.
template <class Call>
int with_driver(const char* doing, const Call& call) {
  return guarded([&] {
    const Driver* driver = nullptr;
    if (int code = open_driver(&driver)) return code;
    const CUresult result = call(*driver);
    return result == CUDA_SUCCESS ? static_cast<int>(SINTER_OK) : fail_cuda(*driver, result, doing);
  });
}

/// The same, with a current context.
template <class Call>
int with_context(const char* doing, const Call& call) {
  return guarded([&] {
    const Driver* driver = nullptr;
    Context context;
    if (int code = open_driver(&driver)) return code;
    if (int code = current_context(*driver, &context)) return code;
    const CUresult result = call(*driver);
    return result == CUDA_SUCCESS ? static_cast<int>(SINTER_OK) : fail_cuda(*driver, result, doing);
  });
}

CUdeviceptr device_ptr(const void* p) { return reinterpret_cast<uintptr_t>(p); }
CUstream stream_of(sinter_stream_t s) { return static_cast<CUstream>(s); }
CUevent event_of(sinter_rt_event e) { return static_cast<CUevent>(e); }

CUresult query(const Driver& driver, int ordinal, sinter_rt_device_info* info) {
  std::memset(info, 0, sizeof *info);
  CUdevice device = 0;
  size_t total = 0;
  CUresult result = driver.DeviceGet(&device, ordinal);
  auto attribute = [&](int* value, int which) {
    if (result == CUDA_SUCCESS) result = driver.DeviceGetAttribute(value, which, device);
  };
  attribute(&info->cc_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  attribute(&info->cc_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  attribute(&info->sm_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  attribute(&info->shared_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  attribute(&info->l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  attribute(&info->clock_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  if (result == CUDA_SUCCESS) {
    result = driver.DeviceGetName(info->name, sizeof info->name, device);
  }
  if (result == CUDA_SUCCESS) result = driver.DeviceTotalMem(&total, device);
  info->total_memory = total;
  return result;
}

}  // namespace
}  // namespace sinter_rt

using namespace sinter_rt;

extern "C" {

int sinter_rt_device_count(int* count) {
  return with_driver("counting devices", [&](const Driver& d) { return d.DeviceGetCount(count); });
}

int sinter_rt_device_query(int device, sinter_rt_device_info* info) {
  return with_driver("querying a device", [&](const Driver& d) { return query(d, device, info); });
}

int sinter_rt_device_current(int* device) {
  return with_context("asking for the current device",
                      [&](const Driver& d) { return d.CtxGetDevice(device); });
}

int sinter_rt_device_use(int device) {
  return with_driver("making a device current", [&](const Driver& d) {
    CUdevice handle = 0, current = -1;
    CUcontext context = nullptr;
    CUresult result = d.DeviceGet(&handle, device);
    if (result != CUDA_SUCCESS) return result;
    // Each retain counts, and nothing here ever releases: so only when it is not current already.
    if (d.CtxGetDevice(&current) == CUDA_SUCCESS && current == handle) return CUDA_SUCCESS;
    result = d.DevicePrimaryCtxRetain(&context, handle);
    return result == CUDA_SUCCESS ? d.CtxSetCurrent(context) : result;
  });
}

int sinter_rt_device_alloc(uint64_t bytes, void** out) {
  *out = nullptr;
  if (bytes == 0) return SINTER_OK;
  return with_context("allocating device memory", [&](const Driver& d) {
    CUdeviceptr data = 0;
    const CUresult result = d.MemAlloc(&data, bytes);
    if (result == CUDA_SUCCESS) *out = reinterpret_cast<void*>(data);
    return result;
  });
}

int sinter_rt_device_free(void* ptr) {
  if (!ptr) return SINTER_OK;
  return with_context("freeing device memory",
                      [&](const Driver& d) { return d.MemFree(device_ptr(ptr)); });
}

int sinter_rt_copy_to_device(void* device_dst, const void* host_src, uint64_t bytes,
                             sinter_stream_t stream) {
  if (bytes == 0) return SINTER_OK;
  return with_context("copying to the device", [&](const Driver& d) {
    const CUresult result =
        d.MemcpyHtoDAsync(device_ptr(device_dst), host_src, bytes, stream_of(stream));
    return result == CUDA_SUCCESS ? d.StreamSynchronize(stream_of(stream)) : result;
  });
}

int sinter_rt_copy_to_host(void* host_dst, const void* device_src, uint64_t bytes,
                           sinter_stream_t stream) {
  if (bytes == 0) return SINTER_OK;
  return with_context("copying to the host", [&](const Driver& d) {
    const CUresult result =
        d.MemcpyDtoHAsync(host_dst, device_ptr(device_src), bytes, stream_of(stream));
    return result == CUDA_SUCCESS ? d.StreamSynchronize(stream_of(stream)) : result;
  });
}

int sinter_rt_memset(void* ptr, uint64_t bytes, sinter_stream_t stream) {
  if (bytes == 0) return SINTER_OK;
  return with_context("zeroing device memory", [&](const Driver& d) {
    return d.MemsetD8Async(device_ptr(ptr), 0, bytes, stream_of(stream));
  });
}

int sinter_rt_stream_create(sinter_stream_t* out) {
  return with_context("creating a stream", [&](const Driver& d) {
    return d.StreamCreate(reinterpret_cast<CUstream*>(out), CU_STREAM_NON_BLOCKING);
  });
}

int sinter_rt_stream_destroy(sinter_stream_t stream) {
  if (!stream) return SINTER_OK;
  return with_context("destroying a stream",
                      [&](const Driver& d) { return d.StreamDestroy(stream_of(stream)); });
}

int sinter_rt_stream_sync(sinter_stream_t stream) {
  return with_context("waiting for a stream",
                      [&](const Driver& d) { return d.StreamSynchronize(stream_of(stream)); });
}

int sinter_rt_event_create(sinter_rt_event* out) {
  return with_context("creating an event", [&](const Driver& d) {
    return d.EventCreate(reinterpret_cast<CUevent*>(out), 0);
  });
}

int sinter_rt_event_destroy(sinter_rt_event event) {
  if (!event) return SINTER_OK;
  return with_context("destroying an event",
                      [&](const Driver& d) { return d.EventDestroy(event_of(event)); });
}

int sinter_rt_event_record(sinter_rt_event event, sinter_stream_t stream) {
  return with_context("recording an event", [&](const Driver& d) {
    return d.EventRecord(event_of(event), stream_of(stream));
  });
}

int sinter_rt_event_elapsed(sinter_rt_event start, sinter_rt_event end, float* ms) {
  return with_context("timing with events", [&](const Driver& d) {
    const CUresult result = d.EventSynchronize(event_of(end));
    return result == CUDA_SUCCESS ? d.EventElapsedTime(ms, event_of(start), event_of(end)) : result;
  });
}
}
