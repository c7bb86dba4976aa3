#include "codegen/aot/export.h"

#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Support/MemoryBuffer.h>

#include "codegen/aot/files.h"
#include "codegen/aot/header.h"
#include "codegen/aot/wrapper.h"
#include "codegen/compiled.h"
#include "codegen/llvm/machine.h"
#include "codegen/llvm/nvptx.h"
#include "ir/diagnostic.h"

namespace sinter::codegen {

namespace {

void require_backend(const ir::Module& m, bool host_too, const char* what) {
  if (m.target.backend == ir::Backend::Cuda || (host_too && m.target.backend == ir::Backend::Host)) return;
  ir::user_error(ir::ErrorCode::ExportFailed, {}, std::string(what) + " of `" + m.program.name + "`: not for target " + m.target.to_string(),
                 host_too ? "host and cuda targets can be exported" : "cuda targets have PTX");
}

// The whole host part as `use` wants it: the LLVM module lives only here.
template <class F>
std::string host_part(const ir::Module& m, const ExportOptions& options, const F& use) {
  const auto machine = host_machine(options.cpu, /*pic=*/true);
  llvm::LLVMContext context;
  llvm::Module out(m.program.name, context);
  out.setTargetTriple(machine->getTargetTriple());
  out.setDataLayout(machine->createDataLayout());
  out.setPICLevel(llvm::PICLevel::BigPIC);
  const std::vector<DeviceImage> images = m.target.backend == ir::Backend::Cuda ? compile_device(m).images : std::vector<DeviceImage>();
  emit_wrappers(out, *machine, m, emit_entry(out, *machine, m, images));
  verify(out);
  optimize(out, *machine, /*host=*/true);
  return use(out, *machine);
}

std::string archive_of(const std::string& object, const std::string& member) {
  std::vector<llvm::NewArchiveMember> members(1);
  members[0].Buf = llvm::MemoryBuffer::getMemBuffer(object, member, /*RequiresNullTerminator=*/false);
  members[0].MemberName = member;
  auto buffer = llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
                                           /*Deterministic=*/true, /*Thin=*/false);
  if (!buffer) throw ir::InternalError("archive: " + llvm::toString(buffer.takeError()));
  return (*buffer)->getBuffer().str();
}

}  // namespace

void export_static_library(const ir::Module& m, const std::string& path, const ExportOptions& options) {
  require_backend(m, true, "static library");
  check_c_names(m.program);
  const std::string member = m.program.name + ".o";
  const std::string object = host_part(m, options, to_object);
  write_files({{path + ".a", archive_of(object, member)}, {path + ".h", c_header(m)}});
}

void export_ptx(const ir::Module& m, const std::string& path) {
  require_backend(m, false, "PTX");
  write_files({{path, emit_ptx(m).ptx}});
}

void export_llvm(const ir::Module& m, const std::string& path, const ExportOptions& options) {
  require_backend(m, true, "LLVM IR");
  if (m.target.backend == ir::Backend::Cuda) return write_files({{path, emit_ptx(m).llvm_ir}});
  write_files({{path, host_part(m, options, [](llvm::Module& out, llvm::TargetMachine&) { return to_text(out); })}});
}

void export_text(const std::string& text, const std::string& path) { write_files({{path, text}}); }

}  // namespace sinter::codegen
