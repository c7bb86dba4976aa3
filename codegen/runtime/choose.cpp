// Choosing what runs where: images by architecture, versions by where the tensors lie.

#include "codegen/runtime/choose.h"

#include <cstring>
#include <string_view>

#include "codegen/runtime/module.h"

namespace sinter_rt {
namespace {

/// A GPU architecture: "sm_90a" is {90, 'a'}.
struct Arch {
  int version = 0;
  char suffix = '\0';  // 'a': this version only; 'f': this family; none: this version and later
};

bool parse_arch(std::string_view text, Arch* out) {
  if (!text.starts_with("sm_")) return false;
  size_t i = 3;
  out->version = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    if (out->version > 9999) return false;
    out->version = out->version * 10 + (text[i] - '0');
  }
  if (i == 3) return false;
  out->suffix = i < text.size() ? text[i] : '\0';
  return true;
}

/// What PTX is for, from its `.target sm_90a` line; the default for one that does not say.
Arch target_of_ptx(const char* text, size_t size) {
  const std::string_view ptx(text, strnlen(text, size));
  Arch arch;
  const std::string_view directive = "\n.target";
  const size_t at = ptx.find(directive);
  if (at == ptx.npos) return arch;
  const size_t name = ptx.find_first_not_of(" \t", at + directive.size());
  if (name == ptx.npos) return arch;
  const size_t end = ptx.find_first_of(" \t,\r\n", name);
  if (!parse_arch(ptx.substr(name, end - name), &arch)) return Arch{};
  return arch;
}

bool ptx_runs_on(Arch arch, int device) {
  if (arch.suffix == 'a') return arch.version == device;
  if (arch.suffix == 'f') return arch.version <= device && arch.version / 10 == device / 10;
  return arch.version <= device;
}

/// Machine code runs on its architecture and on later ones of the same major version; an 'a' on its own.
bool cubin_runs_on(Arch arch, int device) {
  if (arch.suffix == 'a') return arch.version == device;
  return arch.version <= device && arch.version / 10 == device / 10;
}

/// Higher is more specific; an architecture's own features are worth having.
int rank_of(Arch arch) { return arch.version * 4 + (arch.suffix == 'a' ? 2 : arch.suffix == 'f'); }

}  // namespace

ImageChoice choose_image(const sinter_rt_module& module, int device) {
  ImageChoice best;
  for (int i = 0; i < module.num_images; ++i) {
    const bool ptx = std::strcmp(module.image_arch[i], "ptx") == 0;
    Arch arch;
    if (ptx) {
      arch = target_of_ptx(module.images[i], module.image_sizes[i]);
      if (!ptx_runs_on(arch, device)) continue;
    } else if (!parse_arch(module.image_arch[i], &arch) || !cubin_runs_on(arch, device)) {
      continue;
    }
    // A cubin made for this device beats everything; an older one's only the PTX that is no newer: what a newer version was
    // compiled for is worth the driver's time once.
    const int cubin = ptx ? 0 : arch.version == device ? 1 << 20 : 1;
    const int rank = 2 * rank_of(arch) + cubin;
    if (rank > best.rank) best = {i, rank};
  }
  return best;
}

std::string list_images(const sinter_rt_module& module) {
  std::string text;
  for (int i = 0; i < module.num_images; ++i) {
    if (i > 0) text += ", ";
    if (std::strcmp(module.image_arch[i], "ptx") != 0) {
      text += format("cubin %s", module.image_arch[i]);
      continue;
    }
    const Arch arch = target_of_ptx(module.images[i], module.image_sizes[i]);
    text += format("ptx sm_%d", arch.version);
    if (arch.suffix) text += arch.suffix;
  }
  return text.empty() ? "none" : text;
}

std::string name_of(const Device& device) {
  const std::string sm = format("sm_%d", device.capability);
  return device.name.empty() ? sm : device.name + ", " + sm;
}

int device_here(const Driver& driver, Device* out) {
  int major = 0, minor = 0;
  char name[128] = "";
  CUresult result = driver.CtxGetDevice(&out->ordinal);
  auto attribute = [&](int* value, int which) {
    if (result == CUDA_SUCCESS) result = driver.DeviceGetAttribute(value, which, out->ordinal);
  };
  attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  if (result == CUDA_SUCCESS) result = driver.DeviceGetName(name, sizeof name, out->ordinal);
  if (result != CUDA_SUCCESS) return fail_cuda(driver, result, "querying the device");
  out->capability = major * 10 + minor;
  out->name = name;
  return SINTER_OK;
}

Place place_of(const sinter_rt_arg* args, int n, const DLTensor* const* tensors) {
  for (int i = 0; i < n; ++i) {
    if (args[i].kind == SINTER_RT_SCALAR || !tensors || !tensors[i]) continue;
    switch (tensors[i]->device.device_type) {
      case kDLCUDA: return Place::Cuda;
      case kDLCUDAManaged: break;  // both reach it: the others decide
      default: return Place::Host;  // what is no host memory, the checks of the arguments name
    }
  }
  return Place::Either;
}

namespace {

std::string list_versions(const sinter_rt_version* versions, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    const sinter_rt_module* module = versions[i].module;
    text += module ? format("cuda (%s)", list_images(*module).c_str()) : "host";
  }
  return text;
}

}  // namespace

int host_version(const sinter_rt_version* versions, int count) {
  for (int i = 0; i < count; ++i)
    if (!versions[i].module) return i;
  return -1;
}

int choose_version(const char* pipeline, const sinter_rt_version* versions, int count,
                   const Device& device, int* out) {
  int best_rank = -1;
  for (int i = 0; i < count; ++i) {
    if (!versions[i].module) continue;
    const int rank = choose_image(*versions[i].module, device.capability).rank;
    if (rank > best_rank) *out = i, best_rank = rank;
  }
  if (best_rank >= 0) return SINTER_OK;
  return failf(SINTER_ERR_UNSUPPORTED,
               "%s: needed a version for this device, %s, given %s; compile for it too, or add a "
               "generic target",
               pipeline, name_of(device).c_str(), list_versions(versions, count).c_str());
}

namespace {

/// The version for a device of this machine, or why there is none.
int choose_on_device(const char* pipeline, const sinter_rt_version* versions, int count, int* out) {
  const Driver* driver = nullptr;
  if (int code = open_driver(&driver)) {
    return failf(code, "%s: compiled for %s: %s", pipeline,
                 list_versions(versions, count).c_str(), sinter_last_error());
  }
  Context context;
  if (int code = current_context(*driver, &context)) return code;
  // What was chosen before is loaded: later calls read and compare no images.
  for (int i = 0; i < count; ++i) {
    if (versions[i].module && is_loaded(*versions[i].module, context)) {
      *out = i;
      return SINTER_OK;
    }
  }
  Device device;
  if (int code = device_here(*driver, &device)) return code;
  return choose_version(pipeline, versions, count, device, out);
}

int choose(const char* pipeline, const sinter_rt_version* versions, int count,
           const sinter_rt_arg* args, int n, const DLTensor* const* tensors, int* out) {
  *out = 0;
  if (count <= 1) return SINTER_OK;
  const int host = host_version(versions, count);
  const Place place = place_of(args, n, tensors);
  if (place == Place::Host && host >= 0) {
    *out = host;
    return SINTER_OK;
  }
  // Without a host version the checks of the arguments say what is wrong with host memory, and any
  // version will do for that.
  if (place == Place::Host) return SINTER_OK;
  if (place == Place::Either && host >= 0 && !sinter_rt_have_gpu()) {
    *out = host;
    return SINTER_OK;
  }
  return choose_on_device(pipeline, versions, count, out);
}

}  // namespace
}  // namespace sinter_rt

using namespace sinter_rt;

extern "C" {

int sinter_rt_choose(const char* pipeline, const sinter_rt_version* versions, int num_versions,
                     const sinter_rt_arg* args, int n, const DLTensor* const* tensors,
                     int* version) {
  return guarded(
      [&] { return choose(pipeline, versions, num_versions, args, n, tensors, version); });
}

int sinter_rt_prepare(const char* pipeline, const sinter_rt_version* versions, int num_versions,
                      int device) {
  return guarded([&] {
    if (device < 0 || (num_versions == 1 && !versions[0].module)) {
      if (host_version(versions, num_versions) >= 0) return static_cast<int>(SINTER_OK);
      return failf(SINTER_ERR_DEVICE, "%s: needed the number of a CUDA device, given %d: %s",
                   pipeline, device, list_versions(versions, num_versions).c_str());
    }
    const Driver* driver = nullptr;
    int version = 0;
    if (open_driver(&driver) == SINTER_OK) {
      if (int code = sinter_rt_device_use(device)) return code;
    }
    if (int code = choose_on_device(pipeline, versions, num_versions, &version)) return code;
    return sinter_rt_module_load(versions[version].module);
  });
}
}
