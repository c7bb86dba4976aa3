// Exports every workload as a static library, the C source of the small interface by which a benchmark calls them by name, and
// archives.rsp, the libraries' paths for a linker.
//
//   sinter_bench_generate OUT_DIR [TARGET [variants]]
//
// `variants` adds other schedules of some workloads, called NAME@schedule, for variants.py to compare.
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

#include "apps/bench/workloads.h"

using namespace sinter;

static std::string interface_source(const std::vector<apps::Workload>& workloads) {
  std::string c = "/* Generated: the exported kernels by the names of their benchmarks. */\n#include <string.h>\n#include \"sinter_runtime.h\"\n";
  for (const apps::Workload& w : workloads) c += "#include \"" + w.library + ".h\"\n";
  c += "\n__attribute__((visibility(\"default\"))) const char* sinter_bench_names(void) {\n  return ";
  for (const apps::Workload& w : workloads)
    for (const std::string& n : w.names) c += "\"" + n + "\\n\"\n         ";
  c += ";\n}\n\n__attribute__((visibility(\"default\"))) int sinter_bench_run(const char* name, const DLTensor* const* t, int n, void* stream) {\n";
  for (const apps::Workload& w : workloads) {
    const size_t arguments = w.pipeline.program().args.size();
    std::string call = w.library + "(";
    for (size_t i = 0; i < arguments; ++i) call += "t[" + std::to_string(i) + "], ";
    for (const std::string& name : w.names)
      c += "  if (!strcmp(name, \"" + name + "\"))\n    return n == " + std::to_string(arguments) + " ? " + call + "stream) : sinter_rt_fail(SINTER_ERR_RANK, \"" + name +
           ": wrong number of tensors\");\n";
  }
  return c + "  return sinter_rt_fail(SINTER_ERR_UNSUPPORTED, \"no workload of this name\");\n}\n";
}

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s OUT_DIR [TARGET]\n", argv[0]);
    return 2;
  }
  try {
    const std::string dir = argv[1];
    const Target target = Target::parse(argc > 2 ? argv[2] : "cuda-sm_90a");
    std::vector<apps::Workload> workloads = apps::all_workloads();
    if (argc > 3 && std::string(argv[3]) == "variants")
      for (apps::Workload& w : apps::variants()) workloads.push_back(std::move(w));
    std::ofstream archives(dir + "/archives.rsp");
    for (apps::Workload& w : workloads) {
      w.pipeline.compile_to_static_library(dir + "/" + w.library, target);
      w.pipeline.compile_to_ptx(dir + "/" + w.library + ".ptx", target);
      std::printf("%s\n", w.pipeline.explain(target).c_str());
      archives << "\"" << dir << "/" << w.library << ".a\"\n";
    }
    if (!archives.flush()) throw std::runtime_error("can't write " + dir + "/archives.rsp");
    std::ofstream out(dir + "/bench_interface.c");
    out << interface_source(workloads);
    if (!out.flush()) throw std::runtime_error("can't write " + dir + "/bench_interface.c");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
