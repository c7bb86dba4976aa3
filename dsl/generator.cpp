#include "dsl/generator.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "ir/diagnostic.h"

namespace sinter {

using ir::Backend;
using ir::ErrorCode;
using ir::user_error;

namespace {

struct Options {
  std::vector<std::string> pipelines, targets, emit;
  std::string out = ".";
  bool list = false;
};

// What can be written of a pipeline. A kind that is `per_target` is one file for each target that has it.
struct Kind {
  const char* name;
  const char* ending;
  const char* help;
  enum { Any, CudaOnly } per_target;
  void (*write)(const Pipeline&, const std::string& path, const Target&);
};

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) user_error(ErrorCode::ExportFailed, {}, "can't write " + path, "name a directory that can be written with --out");
}

const Kind kKinds[] = {
    {"ptx", ".ptx", "the kernels in NVIDIA's assembly", Kind::CudaOnly, [](const Pipeline& p, const std::string& path, const Target& t) { p.compile_to_ptx(path, t); }},
    {"llvm", ".ll", "LLVM IR", Kind::Any, [](const Pipeline& p, const std::string& path, const Target& t) { p.compile_to_llvm(path, t); }},
    {"ir", ".ir", "Sinter's own IR as it goes to the back end", Kind::Any, [](const Pipeline& p, const std::string& path, const Target& t) { p.compile_to_ir(path, t); }},
    {"explain", ".txt", "kernels, bytes, roofline, proofs in words", Kind::Any,
     [](const Pipeline& p, const std::string& path, const Target& t) { write_text(path, p.explain(t)); }},
    {"html", ".html", "a page with all forms of the code and a roofline, for a browser", Kind::Any,
     [](const Pipeline& p, const std::string& path, const Target& t) { p.compile_to_html(path, t); }},
    {"proofs", ".json", "every obligation with its verdict", Kind::Any,
     [](const Pipeline& p, const std::string& path, const Target& t) { write_text(path, p.proofs_json(t)); }},
    {"loops", ".loops", "the loop nest that the schedule made", Kind::Any,
     [](const Pipeline& p, const std::string& path, const Target& t) { write_text(path, p.print_loop_nest(t)); }},
};

std::string names_of_kinds() {
  std::string out = "library, python";
  for (const Kind& k : kKinds) out += std::string(", ") + k.name;
  return out;
}

const Kind* find_kind(const std::string& name) {
  for (const Kind& k : kKinds)
    if (name == k.name) return &k;
  user_error(ErrorCode::ExportFailed, {}, "nothing called `" + name + "` can be emitted", "--emit takes " + names_of_kinds());
}

// One run of the command line: what to make, checked before anything is made.
class Run {
 public:
  explicit Run(const Options& o) : out_(o.out) {
    for (const std::string& t : o.targets) targets_.push_back(Target::parse(t));
    if (targets_.empty()) targets_.push_back(native_target());
    for (const std::string& e : o.emit) {
      if (e == "library") library_ = true;
      if (e == "python") python_ = true;
      if (e == "library" || e == "python") continue;
      const Kind* kind = find_kind(e);
      kinds_.push_back(kind);
      if (kind->per_target == Kind::CudaOnly && std::none_of(targets_.begin(), targets_.end(), is_cuda))
        user_error(ErrorCode::ExportFailed, {}, std::string("none of the targets has ") + kind->name, "add a cuda target, such as --target cuda-sm_90a");
    }
    std::error_code error;
    std::filesystem::create_directories(out_, error);
    if (error) user_error(ErrorCode::ExportFailed, {}, "can't make the directory " + out_ + ": " + error.message(), "name another one with --out");
  }

  void emit(const std::string& name, const Generator::Function& make) const {
    const std::string path = (std::filesystem::path(out_) / name).string();
    const auto checked = [&](const Target& t) {
      Pipeline p = make(t);
      if (p.name() != name)
        user_error(ErrorCode::ExportFailed, {}, "the pipeline that the generator calls `" + name + "` is named `" + p.name() + "`",
                   "give both the same name: it is the C function's");
      return p;
    };
    if (library_) {
      compile_to_static_library(path, targets_, checked);
      wrote(path + ".a");
      wrote(path + ".h");
    }
    if (python_)
      for (const std::string& file : compile_to_python(path, targets_, checked)) wrote(file);
    for (const Kind* k : kinds_) {
      std::vector<size_t> which;
      for (size_t i = 0; i < targets_.size(); ++i)
        if (k->per_target == Kind::Any || is_cuda(targets_[i])) which.push_back(i);
      for (const size_t i : which) {
        const std::string file = path + (which.size() > 1 ? "." + targets_[i].to_string() : "") + k->ending;
        k->write(checked(targets_[i]), file, targets_[i]);
        wrote(file);
      }
    }
  }

 private:
  static bool is_cuda(const Target& t) { return t.backend == Backend::Cuda; }
  static void wrote(const std::string& path) { fmt::print("{}\n", path); }

  std::string out_;
  std::vector<Target> targets_;
  std::vector<const Kind*> kinds_;
  bool library_ = false, python_ = false;
};

}  // namespace

Generator& Generator::add(std::string name, std::string help, Function make) {
  entries_.push_back({std::move(name), std::move(help), std::move(make)});
  return *this;
}

int Generator::main(int argc, const char* const* argv) const noexcept {
  const std::string program = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "generator";
  try {
    Options o;
    std::string kinds = "what to write, separated by commas:\nlibrary: a static library and its C header\npython: a Python module, and the shared libraries it needs";
    for (const Kind& k : kKinds) kinds += fmt::format("\n{}: {}", k.name, k.help);
    CLI::App app{"Exports pipelines of Sinter", program};
    app.add_option("pipeline", o.pipelines, "which (all, if none is named)");
    app.add_option("-o,--out", o.out, "the directory they are written to; made if need be")->capture_default_str();
    app.add_option("-t,--target", o.targets, "what they are compiled for, separated by commas: cuda-sm_90a, host, ...\nA library has a version for each (default: this machine's)")
        ->delimiter(',');
    app.add_option("-e,--emit", o.emit, kinds + "\n(default: library)")->delimiter(',');
    app.add_flag("-l,--list", o.list, "print the pipelines' names and what they are, and write nothing");
    std::string footer = "Pipelines:\n";
    for (const Entry& e : entries_) footer += fmt::format("  {:<24}{}\n", e.name, e.help);
    app.footer(footer);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
      return app.exit(e) == 0 ? 0 : 2;
    }
    if (o.emit.empty()) o.emit = {"library"};

    for (size_t i = 0; i < entries_.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (entries_[i].name == entries_[j].name)
          user_error(ErrorCode::ExportFailed, {}, "the generator has two pipelines called `" + entries_[i].name + "`", "give each a name of its own");
    if (o.list) {
      for (const Entry& e : entries_) fmt::print("{:<24}{}\n", e.name, e.help);
      return 0;
    }
    std::vector<const Entry*> wanted;
    for (const std::string& name : o.pipelines) {
      const auto it = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.name == name; });
      if (it == entries_.end()) {
        std::string known;
        for (const Entry& e : entries_) known += (known.empty() ? "" : ", ") + e.name;
        user_error(ErrorCode::ExportFailed, {}, "there is no pipeline called `" + name + "` in this generator", "it has " + (known.empty() ? "none" : known));
      }
      wanted.push_back(&*it);
    }
    if (o.pipelines.empty())
      for (const Entry& e : entries_) wanted.push_back(&e);
    const Run run(o);
    for (const Entry* e : wanted) run.emit(e->name, e->make);
    return 0;
  } catch (const std::exception& e) {
    std::fflush(stdout);
    // A UserError is a whole message: file and line where there are, code, help.
    std::fprintf(stderr, "%s: %s\n", program.c_str(), e.what());
  } catch (...) {
    std::fprintf(stderr, "%s: an exception of unknown type\n", program.c_str());
  }
  return 1;
}

}  // namespace sinter
