// A pipeline compiled in memory: for the host through ORC, for a GPU as PTX or a cubin with its entry through ORC, or interpreted by
// the emulator.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/arguments.h"
#include "codegen/llvm/image.h"
#include "codegen/llvm/ptxas.h"
#include "ir/kernel.h"

namespace sinter::codegen {

class HostJit;

// Device code of a Module's kernels.
struct DeviceCode {
  std::string ptx, llvm_ir;
  std::vector<DeviceImage> images;         // a cubin for the exact device where ptxas is present, and the PTX
  std::vector<KernelResources> resources;  // from ptxas; empty without it
  std::vector<std::string> warnings;
};
// Throws UserError E0605 where ptxas rejects the text.
DeviceCode compile_device(const ir::Module& module);

class Compiled {
 public:
  explicit Compiled(ir::Module module);
  ~Compiled();
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  // Runs it. `tensors` and `scalars` have one entry per argument, in call order (null, 0 where the other one applies). Throws
  // RuntimeError with the runtime's words; nothing has run then. Safe on several threads.
  void call(const std::vector<const DLTensor*>& tensors, const std::vector<int64_t>& scalars, void* stream) const;

  const ir::Module& module() const { return module_; }
  const DeviceCode& device() const { return device_; }
  const RuntimeArguments& arguments() const { return arguments_; }

 private:
  ir::Module module_;
  RuntimeArguments arguments_;
  DeviceCode device_;
  std::unique_ptr<HostJit> jit_;
};

}  // namespace sinter::codegen
