// Which image of a module, and which version of an exported pipeline, runs on a device.
#pragma once

#include <string>

#include "codegen/runtime/cuda_driver.h"

#pragma GCC visibility push(hidden)
namespace sinter_rt {

/// A CUDA device, as far as the choice depends on it: tests make up devices that are not there.
struct Device {
  CUdevice ordinal = 0;
  int capability = 0;  // 90 for compute capability 9.0
  std::string name;    // "NVIDIA H200"
};

/// "NVIDIA H200, sm_90"
std::string name_of(const Device& device);

/// The device of the current context.
int device_here(const Driver& driver, Device* out);

/// An image of a module, -1 for none, and how well it fits: a cubin for exactly the device before
/// PTX, then the most specific.
struct ImageChoice {
  int image = -1;
  int rank = -1;
};
ImageChoice choose_image(const sinter_rt_module& module, int capability);

/// "cubin sm_90a, ptx sm_90"
std::string list_images(const sinter_rt_module& module);

/// Where a call's tensors lie.
enum class Place { Host, Cuda, Either };
Place place_of(const sinter_rt_arg* args, int n, const DLTensor* const* tensors);

/// The host version, or -1.
int host_version(const sinter_rt_version* versions, int count);

/// The version that fits `device` best; fails with a text that names the device and everything that
/// the library holds.
int choose_version(const char* pipeline, const sinter_rt_version* versions, int count,
                   const Device& device, int* out);

}  // namespace sinter_rt
#pragma GCC visibility pop
