// What the runtime keeps for a module: its kernels in each context, and its workspaces.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "codegen/runtime/cuda_driver.h"

#pragma GCC visibility push(hidden)
namespace sinter_rt {

/// One kernel in one context.
struct Kernel {
  CUfunction function = nullptr;
  int max_threads = 0;
  int shared_optin_limit = 0;        // dynamic shared memory that the device can give it
  std::atomic<int> shared_limit{0};  // what it may use as set so far
};

/// A module in one context. Constant once published, but for shared_limit; never moved.
struct Loaded {
  Context context;
  CUmodule module = nullptr;
  std::unique_ptr<Kernel[]> kernels;
  const Loaded* next = nullptr;  // of the list that readers walk without a lock
};

/// A block of device scratch; see workspace.cpp for what tells one from another.
struct Workspace {
  Context context;
  CUstream stream = nullptr;
  uint64_t stream_id = 0;
  uint64_t capture_id = 0;  // 0: not of a capture
  CUdeviceptr data = 0;
  uint64_t bytes = 0;
};

/// Behind sinter_rt_module::state.
struct ModuleState {
  std::atomic<const Loaded*> loaded{nullptr};  // appended at the front
  std::mutex load_mutex;
  std::mutex workspace_mutex;
  std::vector<Workspace> workspaces;
};

/// The state, made on first use.
ModuleState& module_state(sinter_rt_module* module);

/// Whether it is loaded in this context; takes no lock.
bool is_loaded(sinter_rt_module& module, const Context& context);

/// Frees the workspaces; each of their contexts may be gone.
void free_workspaces(const Driver& driver, ModuleState& state);

}  // namespace sinter_rt
#pragma GCC visibility pop
