// Device scratch, kept between calls.
//
// A block belongs to a module, a context and a stream: stream order keeps two uses of it apart.
// What makes that harder than a table:
//  - A graph may be launched long after its capture, and beside the stream it was captured on, so
//  each
//    capture has blocks of its own, and they are never freed or grown before the module goes.
//  - A stream may be destroyed with work in flight, and a new one get its handle. Ids tell them
//  apart.
//    Not during a capture: asking for the id would end it.
//  - The handle of the per-thread default stream is one handle for many streams, one for each
//  thread.

#include "codegen/runtime/module.h"

namespace sinter_rt {
namespace {

/// CU_STREAM_PER_THREAD.
CUstream per_thread_stream() { return reinterpret_cast<CUstream>(uintptr_t{2}); }

/// Tells this thread from every other, also from those that have ended.
uint64_t thread_id() {
  static std::atomic<uint64_t> last{0};
  thread_local const uint64_t id = ++last;
  return id;
}

bool same_stream(const Workspace& a, const Workspace& b) {
  if (a.stream != b.stream) return false;
  return a.stream != per_thread_stream() || a.stream_id == b.stream_id;
}

bool same_owner(const Workspace& a, const Workspace& b) {
  return a.context.handle == b.context.handle && a.context.id == b.context.id &&
         a.capture_id == b.capture_id && same_stream(a, b);
}

class WorkspaceFinder {
 public:
  WorkspaceFinder(const Driver& driver, const sinter_rt_module& module, ModuleState& state)
      : driver_(driver), module_(module), state_(state) {}

  /// The block that `wanted` (all but its data) asks for.
  int find(const Workspace& wanted, void** out) {
    std::lock_guard lock(state_.workspace_mutex);
    for (Workspace& have : state_.workspaces) {
      if (!same_owner(have, wanted)) continue;
      if (have.stream_id == wanted.stream_id && have.bytes >= wanted.bytes) {
        *out = reinterpret_cast<void*>(have.data);
        return SINTER_OK;
      }
      if (have.capture_id != 0) continue;  // its graph goes on using it
      if (int code = drop(have, wanted)) return code;
      return fill(have, wanted, out);
    }
    state_.workspaces.emplace_back();
    return fill(state_.workspaces.back(), wanted, out);
  }

 private:
  int drop(Workspace& have, const Workspace& wanted) {
    RelaxedCapture relaxed(driver_);
    CUresult result = CUDA_SUCCESS;
    // A stream that is gone can't be waited for; freeing waits for the device.
    if (have.stream_id == wanted.stream_id) result = driver_.StreamSynchronize(have.stream);
    if (result == CUDA_SUCCESS && have.data != 0) result = driver_.MemFree(have.data);
    if (result != CUDA_SUCCESS) {
      return fail_cuda(driver_, result, format("%s: growing the workspace", module_.name));
    }
    have.data = 0;
    have.bytes = 0;
    return SINTER_OK;
  }

  int fill(Workspace& have, const Workspace& wanted, void** out) {
    RelaxedCapture relaxed(driver_);
    have = wanted;
    have.data = 0;
    have.bytes = 0;
    const CUresult result = driver_.MemAlloc(&have.data, wanted.bytes);
    if (result != CUDA_SUCCESS) {
      have.data = 0;
      return fail_cuda(driver_, result,
                       format("%s: allocating a workspace of %llu bytes", module_.name,
                              static_cast<unsigned long long>(wanted.bytes)));
    }
    have.bytes = wanted.bytes;
    *out = reinterpret_cast<void*>(have.data);
    return SINTER_OK;
  }

  const Driver& driver_;
  const sinter_rt_module& module_;
  ModuleState& state_;
};

int workspace(sinter_rt_module* module, uint64_t bytes, CUstream stream, void** out) {
  *out = nullptr;
  if (bytes == 0) return SINTER_OK;
  const Driver* driver = nullptr;
  Workspace wanted;
  if (int code = open_driver(&driver)) return code;
  if (int code = current_context(*driver, &wanted.context)) return code;
  wanted.stream = stream;
  wanted.bytes = bytes;
  int capturing = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult result = driver->StreamGetCaptureInfo(stream, &capturing, &wanted.capture_id);
  if (stream == per_thread_stream()) wanted.stream_id = thread_id();
  if (result == CUDA_SUCCESS && capturing == CU_STREAM_CAPTURE_STATUS_NONE) {
    wanted.capture_id = 0;
    if (driver->StreamGetId && stream != per_thread_stream()) {
      result = driver->StreamGetId(stream, &wanted.stream_id);
    }
  }
  if (result != CUDA_SUCCESS) {
    return fail_cuda(*driver, result, format("%s: querying the stream", module->name));
  }
  return WorkspaceFinder(*driver, *module, module_state(module)).find(wanted, out);
}

}  // namespace

void free_workspaces(const Driver& driver, ModuleState& state) {
  std::lock_guard lock(state.workspace_mutex);
  for (const Workspace& have : state.workspaces) {
    if (have.data == 0) continue;
    const ContextScope scope(driver, have.context);
    if (scope.entered()) driver.MemFree(have.data);
  }
  state.workspaces.clear();
}

}  // namespace sinter_rt

extern "C" int sinter_rt_workspace(sinter_rt_module* module, uint64_t bytes, sinter_stream_t stream,
                                   void** out) {
  return sinter_rt::guarded([&] {
    return sinter_rt::workspace(module, bytes, static_cast<sinter_rt::CUstream>(stream), out);
  });
}
