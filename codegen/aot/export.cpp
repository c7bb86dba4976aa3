#include "codegen/aot/export.h"

#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "codegen/aot/embedded.h"
#include "codegen/aot/files.h"
#include "codegen/aot/header.h"
#include "codegen/aot/python.h"
#include "codegen/aot/wrapper.h"
#include "codegen/compiled.h"
#include "codegen/llvm/machine.h"
#include "codegen/llvm/nvptx.h"
#include "codegen/tool.h"
#include "ir/diagnostic.h"

namespace sinter::codegen {

namespace {

void require_backend(const ir::Target& target, const std::string& pipeline, bool host_too, const char* what) {
  if (target.backend == ir::Backend::Cuda || (host_too && target.backend == ir::Backend::Host)) return;
  ir::user_error(ir::ErrorCode::ExportFailed, {}, std::string(what) + " of `" + pipeline + "`: not for target " + target.to_string(),
                 host_too ? "host and cuda targets can be exported" : "cuda targets have PTX");
}

// The whole host part as `use` wants it: the LLVM module lives only here.
template <class F>
std::string host_part(const std::vector<ir::Module>& versions, const ExportOptions& options, const F& use) {
  const auto machine = host_machine(options.cpu, /*pic=*/true);
  llvm::LLVMContext context;
  llvm::Module out(versions[0].program.name, context);
  out.setTargetTriple(machine->getTargetTriple());
  out.setDataLayout(machine->createDataLayout());
  out.setPICLevel(llvm::PICLevel::BigPIC);
  std::vector<ExportedVersion> exported;
  for (const ir::Module& m : versions) {
    ExportedVersion v{&m, {}, {}};
    const std::vector<DeviceImage> images = m.target.backend == ir::Backend::Cuda ? compile_device(m).images : std::vector<DeviceImage>();
    for (const DeviceImage& i : images) v.text.images.push_back(i.arch == "ptx" ? "ptx " + m.target.sm_name() : "cubin " + i.arch);
    v.text.module = &m;
    v.entry = emit_entry(out, *machine, m, images);
    exported.push_back(std::move(v));
  }
  emit_wrappers(out, *machine, exported);
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

void check_library(const Library& library, const char* what) {
  ir::internal_check(!library.versions.empty(), "an exported library has a version");
  const ir::Program& program = library.versions[0].program;
  for (const ir::Module& m : library.versions) {
    require_backend(m.target, m.program.name, true, what);
    if (m.program.name != program.name || arguments_json(m.program) != arguments_json(program))
      ir::user_error(ir::ErrorCode::ExportFailed, {},
                     std::string(what) + " of `" + program.name + "`: the pipelines for " + library.versions[0].target.to_string() + " and " + m.target.to_string() +
                         " have different names or arguments",
                     "only their schedules may differ: arguments are " + arguments_json(program) + " and " + arguments_json(m.program));
  }
  check_c_names(program);
}

// $CC may be a command of several words: "ccache gcc".
std::vector<std::string> linker_command(const std::string& pipeline) {
  const char* cc = std::getenv("CC");
  std::istringstream words(cc && *cc ? cc : "cc");
  std::vector<std::string> command{std::istream_iterator<std::string>(words), {}};
  if (cc && std::filesystem::is_regular_file(cc)) command = {cc};  // a path with spaces in it
  const std::string name = command.empty() ? "" : command[0];
  if (!command.empty() && name.find('/') == std::string::npos) command[0] = find_tool(name);
  if (command.empty() || command[0].empty())
    ir::user_error(ir::ErrorCode::ExportFailed, {}, "Python module of `" + pipeline + "`: there is no C compiler to link it with: looked for `" + name + "`",
                   "install gcc or clang, or name one with the environment variable CC");
  return command;
}

// A shared library that finds the runtime in its own folder.
std::string link_shared(std::vector<std::string> command, const std::string& object, const std::string& name) {
  const TemporaryDirectory dir;
  const std::string runtime = dir.file(std::string(shared_runtime_name())), input = dir.file("pipeline.o"), out = dir.file(name);
  write_files({{input, object}, {runtime, std::string(shared_runtime())}});
  for (const std::string& word : {std::string("-shared"), input, runtime, std::string("-Wl,-rpath,$ORIGIN"), "-Wl,-soname," + name, std::string("-Wl,-z,defs"),
                                  std::string("-lm"), std::string("-o"), out})
    command.push_back(word);
  const int status = run_tool(command, dir.file("log"));
  std::string library = read_file(out);
  if (status != 0 || library.empty()) ir::user_error(ir::ErrorCode::ToolFailed, {}, command[0] + " can't link " + name + ": " + read_file(dir.file("log")));
  return library;
}

}  // namespace

void check_targets(const std::vector<ir::Target>& targets) {
  const auto wrong = [&](const std::string& what, const std::string& help) {
    ir::user_error(ir::ErrorCode::BadTarget, {}, "static library: " + what, help);
  };
  if (targets.empty()) wrong("no target is given", "name at least one: host, cuda-sm_90a");
  for (size_t i = 0; i < targets.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const bool same = targets[i].backend == targets[j].backend && (!targets[i].is_gpu() || targets[i].sm_name() == targets[j].sm_name());
      if (same) wrong("targets " + targets[j].to_string() + " and " + targets[i].to_string() + " are for the same devices", "keep one of them");
    }
  }
}

std::vector<ir::Target> generic_targets(const std::vector<ir::Target>& targets) {
  std::vector<ir::Target> out;
  for (const ir::Target& t : targets) {
    if (t.backend != ir::Backend::Cuda || !t.arch_specific) continue;
    ir::Target generic = t;
    generic.arch_specific = false;
    generic.no_ptxas = true;
    const auto covers = [&](const ir::Target& o) { return o.backend == ir::Backend::Cuda && o.sm_name() == generic.sm_name(); };
    if (std::none_of(targets.begin(), targets.end(), covers)) out.push_back(generic);
  }
  return out;
}

void export_static_library(const Library& library, const std::string& path, const ExportOptions& options) {
  check_library(library, "static library");
  const std::string member = library.versions[0].program.name + ".o";
  const std::string object = host_part(library.versions, options, to_object);
  write_files({{path + ".a", archive_of(object, member)}, {path + ".h", c_header(library)}});
}

std::vector<std::string> export_python_module(const Library& library, const std::string& path, const ExportOptions& options) {
  check_library(library, "Python module");
  const std::filesystem::path at(path);
  const std::string file = "lib" + at.filename().string() + ".so";
  check_python_names(library.versions[0].program, at.filename().string());
  const std::vector<std::string> linker = linker_command(library.versions[0].program.name);
  const std::string shared = link_shared(linker, host_part(library.versions, options, to_object), file);
  const auto beside = [&](std::string_view name) { return (at.parent_path() / name).string(); };
  const std::vector<OutputFile> files = {{path + ".py", python_module(library, file)}, {beside(file), shared}, {beside(shared_runtime_name()), std::string(shared_runtime())}};
  write_files(files);
  std::vector<std::string> paths;
  for (const OutputFile& f : files) paths.push_back(f.path);
  return paths;
}

void export_static_library(const ir::Module& m, const std::string& path, const ExportOptions& options) {
  export_static_library(Library{{m}, {}}, path, options);
}

void export_ptx(const ir::Module& m, const std::string& path) {
  require_backend(m.target, m.program.name, false, "PTX");
  write_files({{path, emit_ptx(m).ptx}});
}

std::string llvm_text(const ir::Module& m, const ExportOptions& options) {
  require_backend(m.target, m.program.name, true, "LLVM IR");
  if (m.target.backend == ir::Backend::Cuda) return emit_ptx(m).llvm_ir;
  return host_part({m}, options, [](llvm::Module& out, llvm::TargetMachine&) { return to_text(out); });
}

void export_llvm(const ir::Module& m, const std::string& path, const ExportOptions& options) { write_files({{path, llvm_text(m, options)}}); }

void export_text(const std::string& text, const std::string& path) { write_files({{path, text}}); }

}  // namespace sinter::codegen
