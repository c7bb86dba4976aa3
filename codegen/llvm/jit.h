// The host's part of a Module, compiled in memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/llvm/image.h"
#include "ir/kernel.h"

struct sinter_rt_module;

namespace sinter::codegen {

// Code for this very machine. Instances are independent and may be made on several threads; an entry may be called from several
// threads while the HostJit lives. Kernels that it loaded stay loaded when it goes, since the device may still run them; who knows
// better calls sinter_rt_module_unload(device_module()) before.
class HostJit {
 public:
  using Entry = int (*)(const int64_t* values, void* stream);

  // `images`: what `m` launches (cuda targets). `cpu`: a processor's name to LLVM. Throws InternalError where LLVM fails.
  explicit HostJit(const ir::Module& m, const std::vector<DeviceImage>& images = {}, const std::string& cpu = "native");
  ~HostJit();
  HostJit(const HostJit&) = delete;
  HostJit& operator=(const HostJit&) = delete;

  Entry entry() const;
  int64_t workspace_bytes(const int64_t* values) const;
  sinter_rt_module* device_module() const;  // for sinter_rt_module_load
  const std::string& llvm_ir() const;       // after optimisation

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinter::codegen
