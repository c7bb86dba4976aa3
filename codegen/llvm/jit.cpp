#include "codegen/llvm/jit.h"

#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cmath>
#include <cstring>

#include "codegen/llvm/entry.h"
#include "codegen/llvm/machine.h"
#include "codegen/runtime/sinter_runtime.h"
#include "ir/diagnostic.h"

namespace sinter::codegen {

namespace orc = llvm::orc;

struct HostJit::Impl {
  std::unique_ptr<orc::LLJIT> jit;
  Entry entry = nullptr;
  int64_t (*bytes)(const int64_t*) = nullptr;
  sinter_rt_module* device = nullptr;
  std::string llvm_ir;
};

namespace {

void check(llvm::Error error) {
  if (error) throw ir::InternalError("in-memory compilation: " + llvm::toString(std::move(error)));
}
template <class T>
T check(llvm::Expected<T> value) {
  if (!value) check(value.takeError());
  return std::move(*value);
}

// Named one by one, so that they are found in programs that export no symbols.
orc::SymbolMap known_symbols(orc::LLJIT& jit) {
  orc::SymbolMap map;
  const auto add = [&](const char* name, auto* address) {
    map[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  add("sinter_rt_fail_requires", &sinter_rt_fail_requires);
  add("sinter_rt_parallel_for", &sinter_rt_parallel_for);
  add("sinter_rt_arena_alloc", &sinter_rt_arena_alloc);
  add("sinter_rt_arena_mark", &sinter_rt_arena_mark);
  add("sinter_rt_arena_release", &sinter_rt_arena_release);
  add("sinter_rt_host_workspace", &sinter_rt_host_workspace);
  add("sinter_rt_workspace", &sinter_rt_workspace);
  add("sinter_rt_launch", &sinter_rt_launch);
  add("sinter_rt_memset", &sinter_rt_memset);
  // What LLVM itself may call.
  add("memcpy", &std::memcpy);
  add("memmove", &std::memmove);
  add("memset", &std::memset);
  add("fma", static_cast<double (*)(double, double, double)>(&std::fma));
  add("fmaf", static_cast<float (*)(float, float, float)>(&std::fma));
  return map;
}

}  // namespace

HostJit::HostJit(const ir::Module& m, const std::vector<DeviceImage>& images, const std::string& cpu)
    : impl_(std::make_unique<Impl>()) {
  const auto machine = host_machine(cpu, /*pic=*/true);
  std::string object;
  {
    llvm::LLVMContext context;
    llvm::Module out(m.program.name, context);
    out.setTargetTriple(machine->getTargetTriple());
    out.setDataLayout(machine->createDataLayout());
    const EntryFunctions f = emit_entry(out, *machine, m, images);
    f.entry->setName("entry");
    f.workspace_bytes->setName("workspace_bytes");
    f.device->setName("device");
    for (llvm::GlobalValue* g : std::initializer_list<llvm::GlobalValue*>{f.entry, f.workspace_bytes, f.device})
      g->setLinkage(llvm::GlobalValue::ExternalLinkage);
    verify(out);
    optimize(out, *machine, /*host=*/true);
    impl_->llvm_ir = to_text(out);
    object = to_object(out, *machine);
  }
  orc::LLJITBuilder builder;
  builder.setPlatformSetUp(orc::setUpInactivePlatform);
  impl_->jit = check(builder.create());
  orc::JITDylib& lib = impl_->jit->getMainJITDylib();
  check(lib.define(orc::absoluteSymbols(known_symbols(*impl_->jit))));
  lib.addGenerator(check(orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(impl_->jit->getDataLayout().getGlobalPrefix())));
  check(impl_->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object, m.program.name)));
  impl_->entry = check(impl_->jit->lookup("entry")).toPtr<Entry>();
  impl_->bytes = check(impl_->jit->lookup("workspace_bytes")).toPtr<int64_t (*)(const int64_t*)>();
  impl_->device = check(impl_->jit->lookup("device")).toPtr<sinter_rt_module*>();
}

HostJit::~HostJit() = default;

HostJit::Entry HostJit::entry() const { return impl_->entry; }
int64_t HostJit::workspace_bytes(const int64_t* values) const { return impl_->bytes(values); }
sinter_rt_module* HostJit::device_module() const { return impl_->device; }
const std::string& HostJit::llvm_ir() const { return impl_->llvm_ir; }

}  // namespace sinter::codegen
