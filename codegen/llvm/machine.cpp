#include "codegen/llvm/machine.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

#include <mutex>

#include "ir/diagnostic.h"

namespace sinter::codegen {

namespace {

void initialize_nvptx() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

void initialize_host() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

const llvm::Target& lookup(const llvm::Triple& triple) {
  std::string error;
  const llvm::Target* t = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!t) throw ir::InternalError("LLVM has no target " + triple.str() + ": " + error);
  return *t;
}

// The lowest PTX version that has what we use: cache policies need 7.4, then what the architecture itself needs.
const char* ptx_feature(const ir::Target& t) { return t.sm >= 90 ? "+ptx80" : t.sm >= 89 ? "+ptx78" : "+ptx74"; }

std::string emit(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, type)) throw ir::InternalError("LLVM can't emit this kind of file");
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> nvptx_machine(const ir::Target& target) {
  initialize_nvptx();
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::TargetOptions options;
  std::unique_ptr<llvm::TargetMachine> m(lookup(triple).createTargetMachine(
      triple, target.sm_name(), ptx_feature(target), options, llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!m) throw ir::InternalError("LLVM made no NVPTX target machine");
  return m;
}

std::unique_ptr<llvm::TargetMachine> host_machine(const std::string& cpu, bool pic) {
  initialize_host();
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string name = cpu, features;
  if (cpu == "native") {
    name = llvm::sys::getHostCPUName().str();
    llvm::SubtargetFeatures list;
    for (const auto& f : llvm::sys::getHostCPUFeatures()) list.AddFeature(f.getKey(), f.getValue());
    features = list.getString();
  } else if (!triple.isX86() && cpu.starts_with("x86-64")) {
    name = "generic";
  }
  const llvm::TargetOptions options;
  std::unique_ptr<llvm::TargetMachine> m(lookup(triple).createTargetMachine(
      triple, name, features, options, pic ? std::optional(llvm::Reloc::PIC_) : std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Default, /*JIT=*/!pic));
  if (!m) throw ir::InternalError("LLVM made no target machine for " + triple.str());
  return m;
}

bool has_feature(const llvm::TargetMachine& machine, const char* feature) {
  return machine.getMCSubtargetInfo()->checkFeatures(std::string("+") + feature);
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine, bool host) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = host;
  tuning.SLPVectorization = host;
  tuning.LoopInterleaving = host;
  tuning.LoopUnrolling = host;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

std::string to_assembly(llvm::Module& module, llvm::TargetMachine& machine) {
  return emit(module, machine, llvm::CodeGenFileType::AssemblyFile);
}
std::string to_object(llvm::Module& module, llvm::TargetMachine& machine) {
  return emit(module, machine, llvm::CodeGenFileType::ObjectFile);
}

std::string to_text(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}

void verify(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (llvm::verifyModule(module, &out)) throw ir::InternalError("code generation made invalid LLVM IR: " + text);
}

}  // namespace sinter::codegen
