#include "codegen/compiled.h"

#include "codegen/emulate/emulate.h"
#include "codegen/llvm/jit.h"
#include "codegen/llvm/nvptx.h"
#include "codegen/runtime/sinter_runtime.h"
#include "ir/diagnostic.h"
#include "scheduler/prove/obligations.h"

namespace sinter::codegen {

static_assert(scheduler::kMaxExtent == SINTER_RT_MAX_EXTENT, "the runtime checks what proofs assume");

using namespace ir;

DeviceCode compile_device(const Module& module) {
  DeviceCode out;
  PtxResult ptx = emit_ptx(module);
  out.llvm_ir = std::move(ptx.llvm_ir);
  out.ptx = std::move(ptx.ptx);
  if (!module.target.no_ptxas && !find_ptxas().empty()) {
    AssembleResult assembled = assemble(out.ptx, module.target.sm_name());
    out.resources = std::move(assembled.kernels);
    out.warnings = std::move(assembled.warnings);
    out.images.push_back({module.target.sm_name(), std::move(assembled.cubin)});
  }
  out.images.push_back({"ptx", out.ptx});
  return out;
}

Compiled::Compiled(Module module) : module_(std::move(module)), arguments_(runtime_arguments(module_.program)) {
  switch (module_.target.backend) {
    case Backend::Cuda:
      device_ = compile_device(module_);
      jit_ = std::make_unique<HostJit>(module_, device_.images);
      break;
    case Backend::Host: jit_ = std::make_unique<HostJit>(module_); break;
    case Backend::Emulate: break;
  }
}

// The runtime keeps what it loaded under the address of a structure that lives in the compiled code: it is unloaded first, when the
// device has finished with it.
Compiled::~Compiled() {
  if (!jit_ || module_.target.backend != Backend::Cuda || !jit_->device_module()->state) return;
  if (sinter_rt_stream_sync(nullptr) == SINTER_OK) sinter_rt_module_unload(jit_->device_module());
}

void Compiled::call(const std::vector<const DLTensor*>& tensors, const std::vector<int64_t>& scalars, void* stream) const {
  const auto check = [](int status) {
    if (status != SINTER_OK) throw RuntimeError(status, sinter_last_error());
  };
  std::vector<int64_t> values(module_.args.slots.size() + 1);
  const int device = module_.target.backend == Backend::Cuda ? kDLCUDA : kDLCPU;
  check(sinter_rt_unpack(module_.program.name.c_str(), arguments_.args.data(), static_cast<int>(arguments_.args.size()), tensors.data(), scalars.data(),
                         device, values.data()));
  if (module_.target.backend == Backend::Emulate) {
    emulate(module_, values.data(), EmulateOptions{}, nullptr);
    return;
  }
  check(jit_->entry()(values.data(), stream));
}

}  // namespace sinter::codegen
