// Loading modules and launching kernels.

#include "codegen/runtime/module.h"

#include <cstring>

#include "codegen/runtime/choose.h"

namespace sinter_rt {
namespace {

/// One attempt to load one module into the current context.
class Loader {
 public:
  Loader(const Driver& driver, const sinter_rt_module& module) : driver_(driver), module_(module) {}

  int run(const Context& context, std::unique_ptr<Loaded>* out) {
    auto loaded = std::make_unique<Loaded>();
    loaded->context = context;
    if (int code = find_device()) return code;
    if (int code = load_image(&loaded->module)) return code;
    if (int code = find_kernels(loaded.get())) {
      driver_.ModuleUnload(loaded->module);
      return code;
    }
    *out = std::move(loaded);
    return SINTER_OK;
  }

 private:
  int check(CUresult result, const char* doing) {
    if (result == CUDA_SUCCESS) return SINTER_OK;
    return fail_cuda(driver_, result, format("%s: %s", module_.name, doing));
  }

  int find_device() {
    if (int code = device_here(driver_, &device_)) return code;
    return check(driver_.DeviceGetAttribute(&shared_optin_,
                                            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                                            device_.ordinal),
                 "querying the device");
  }

  int load_image(CUmodule* out) {
    const int image = choose_image(module_, device_.capability).image;
    if (image < 0) {
      return failf(SINTER_ERR_UNSUPPORTED,
                   "%s: needed an image for this device, %s, given %s; compile for it too, or add a "
                   "generic target",
                   module_.name, name_of(device_).c_str(), list_images(module_).c_str());
    }
    std::string log(16384, '\0');
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
    const CUresult result =
        driver_.ModuleLoadDataEx(out, module_.images[image], 2, options, values);
    if (result == CUDA_SUCCESS) return SINTER_OK;
    log.resize(std::strlen(log.c_str()));
    std::string doing =
        format("%s: loading %s image %d", module_.name, module_.image_arch[image], image);
    const int code = fail_cuda(driver_, result, doing);
    return log.empty() ? code : fail(code, sinter_last_error() + ("\n" + log));
  }

  int find_kernels(Loaded* loaded) {
    loaded->kernels = std::make_unique<Kernel[]>(module_.num_kernels);
    for (int i = 0; i < module_.num_kernels; ++i) {
      Kernel& kernel = loaded->kernels[i];
      const char* name = module_.kernel_names[i];
      CUresult result = driver_.ModuleGetFunction(&kernel.function, loaded->module, name);
      if (int code = check(result, format("looking up kernel %s", name).c_str())) return code;
      // Where the driver loads lazily, the first launch would otherwise load: and that may
      // synchronise.
      if (driver_.FuncLoad) {
        result = driver_.FuncLoad(kernel.function);
        if (int code = check(result, format("loading kernel %s", name).c_str())) return code;
      }
      int static_shared = 0, dynamic_limit = 0;
      auto attribute = [&](int* value, int which) {
        if (result == CUDA_SUCCESS)
          result = driver_.FuncGetAttribute(value, which, kernel.function);
      };
      attribute(&kernel.max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
      attribute(&static_shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
      attribute(&dynamic_limit, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
      if (int code = check(result, format("querying kernel %s", name).c_str())) return code;
      kernel.shared_limit = dynamic_limit;
      kernel.shared_optin_limit = shared_optin_ - static_shared;
    }
    return SINTER_OK;
  }

  const Driver& driver_;
  const sinter_rt_module& module_;
  Device device_;
  int shared_optin_ = 0;
};

/// Without a driver, the words say which devices the module would have run on.
int open_driver_for(const sinter_rt_module& module, const Driver** driver) {
  const int code = open_driver(driver);
  if (!code || module.num_images == 0) return code;
  return failf(code, "%s: compiled for %s: %s", module.name, list_images(module).c_str(),
               sinter_last_error());
}

const Loaded* find_loaded(const ModuleState& state, const Context& context) {
  const Loaded* it = state.loaded.load(std::memory_order_acquire);
  while (it && (it->context.id != context.id || it->context.handle != context.handle))
    it = it->next;
  return it;
}

int load(const Driver& driver, sinter_rt_module* module, const Context& context,
         const Loaded** out) {
  ModuleState& state = module_state(module);
  *out = find_loaded(state, context);
  if (*out) return SINTER_OK;

  std::lock_guard lock(state.load_mutex);
  *out = find_loaded(state, context);
  if (*out) return SINTER_OK;
  RelaxedCapture relaxed(driver);
  std::unique_ptr<Loaded> loaded;
  if (int code = Loader(driver, *module).run(context, &loaded)) return code;
  loaded->next = state.loaded.load(std::memory_order_relaxed);
  *out = loaded.release();
  state.loaded.store(*out, std::memory_order_release);
  return SINTER_OK;
}

/// More than 48 KB of shared memory has to be asked for, once per kernel.
int raise_shared_limit(const Driver& driver, const sinter_rt_module& module, int index,
                       Kernel& kernel, uint32_t bytes) {
  if (bytes > static_cast<uint32_t>(kernel.shared_optin_limit)) {
    return failf(SINTER_ERR_UNSUPPORTED,
                 "%s: kernel %s: needed %u bytes of shared memory a block, this device gives %d",
                 module.name, module.kernel_names[index], bytes, kernel.shared_optin_limit);
  }
  // To the device's limit at once: launches of different sizes on several threads then can't undo
  // each other. It bounds what a launch may ask for; what it gets is what it asks for.
  const CUresult result = driver.FuncSetAttribute(
      kernel.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel.shared_optin_limit);
  if (result != CUDA_SUCCESS) {
    return fail_cuda(driver, result,
                     format("%s: kernel %s: raising the limit of shared memory to %d bytes",
                            module.name, module.kernel_names[index], kernel.shared_optin_limit));
  }
  kernel.shared_limit.store(kernel.shared_optin_limit, std::memory_order_relaxed);
  return SINTER_OK;
}

int launch(sinter_rt_module* module, int index, uint64_t grid, uint32_t threads,
           uint32_t shared_bytes, void** params, CUstream stream) {
  if (index < 0 || index >= module->num_kernels) {
    return failf(SINTER_ERR_INTERNAL, "%s: needed a kernel index below %d, given %d", module->name,
                 module->num_kernels, index);
  }
  if (grid == 0) return SINTER_OK;
  const char* name = module->kernel_names[index];
  if (grid > SINTER_RT_MAX_GRID) {
    return failf(SINTER_ERR_UNSUPPORTED,
                 "%s: kernel %s: needed a grid of %llu blocks, CUDA takes %u", module->name, name,
                 static_cast<unsigned long long>(grid), SINTER_RT_MAX_GRID);
  }
  const Driver* driver = nullptr;
  Context context;
  const Loaded* loaded = nullptr;
  if (int code = open_driver_for(*module, &driver)) return code;
  if (int code = current_context(*driver, &context)) return code;
  if (int code = load(*driver, module, context, &loaded)) return code;

  Kernel& kernel = loaded->kernels[index];
  if (threads > static_cast<uint32_t>(kernel.max_threads)) {
    return failf(SINTER_ERR_UNSUPPORTED,
                 "%s: kernel %s: needed %u threads a block, its registers allow %d on this device",
                 module->name, name, threads, kernel.max_threads);
  }
  if (static_cast<int64_t>(shared_bytes) > kernel.shared_limit.load(std::memory_order_relaxed)) {
    if (int code = raise_shared_limit(*driver, *module, index, kernel, shared_bytes)) return code;
  }
  const CUresult result =
      driver->LaunchKernel(kernel.function, static_cast<unsigned>(grid), 1, 1, threads, 1, 1,
                           shared_bytes, stream, params, nullptr);
  if (result == CUDA_SUCCESS) return SINTER_OK;
  return fail_cuda(
      *driver, result,
      format("%s: launching kernel %s, %llu blocks of %u threads, %u bytes of shared memory",
             module->name, name, static_cast<unsigned long long>(grid), threads, shared_bytes));
}

}  // namespace

ModuleState& module_state(sinter_rt_module* module) {
  std::atomic_ref<void*> slot(module->state);
  void* state = slot.load(std::memory_order_acquire);
  if (!state) {
    auto made = std::make_unique<ModuleState>();
    // Of several threads that get here, one wins, and the others' work is dropped.
    if (slot.compare_exchange_strong(state, made.get(), std::memory_order_acq_rel)) {
      state = made.release();
    }
  }
  return *static_cast<ModuleState*>(state);
}

bool is_loaded(sinter_rt_module& module, const Context& context) {
  const void* state = std::atomic_ref<void*>(module.state).load(std::memory_order_acquire);
  return state && find_loaded(*static_cast<const ModuleState*>(state), context);
}

}  // namespace sinter_rt

using namespace sinter_rt;

extern "C" {

int sinter_rt_module_load(sinter_rt_module* module) {
  return guarded([&] {
    const Driver* driver = nullptr;
    Context context;
    const Loaded* loaded = nullptr;
    if (int code = open_driver_for(*module, &driver)) return code;
    if (int code = current_context(*driver, &context)) return code;
    return load(*driver, module, context, &loaded);
  });
}

void sinter_rt_module_unload(sinter_rt_module* module) {
  auto* state = static_cast<ModuleState*>(std::atomic_ref<void*>(module->state).exchange(nullptr));
  if (!state) return;
  const std::unique_ptr<ModuleState> owned(state);
  const Loaded* it = state->loaded.load();
  // A state can exist without a driver: then nothing was ever loaded.
  const Driver* driver = nullptr;
  if (sinter_rt_have_gpu() && open_driver(&driver) == SINTER_OK) free_workspaces(*driver, *state);
  while (it) {
    const std::unique_ptr<const Loaded> loaded(it);
    it = loaded->next;
    const ContextScope scope(*driver, loaded->context);
    if (scope.entered()) driver->ModuleUnload(loaded->module);
  }
}

int sinter_rt_launch(sinter_rt_module* module, int kernel_index, uint64_t grid, uint32_t threads,
                     uint32_t shared_bytes, void** params, sinter_stream_t stream) {
  return guarded([&] {
    return launch(module, kernel_index, grid, threads, shared_bytes, params,
                  static_cast<CUstream>(stream));
  });
}
}
