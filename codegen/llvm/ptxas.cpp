#include "codegen/llvm/ptxas.h"

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "codegen/tool.h"
#include "ir/diagnostic.h"

namespace sinter::codegen {

namespace {

[[noreturn]] void tool_failed(const std::string& message, const std::string& help = {}) {
  ir::user_error(ir::ErrorCode::ToolFailed, {}, message, help);
}

void parse(const std::string& log, AssembleResult& out) {
  static const std::regex entry(R"(Compiling entry function '([^']*)')");
  static const std::regex stack(R"((\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads)");
  static const std::regex registers(R"(Used (\d+) registers)");
  static const std::regex barriers(R"(used (\d+) barriers)");
  static const std::regex shared(R"((\d+) bytes smem)");
  std::istringstream lines(log);
  std::smatch m;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("warning") != std::string::npos) out.warnings.push_back(line);
    if (std::regex_search(line, m, entry)) {
      out.kernels.push_back({m[1]});
      continue;
    }
    if (out.kernels.empty()) continue;
    KernelResources& k = out.kernels.back();
    if (std::regex_search(line, m, stack)) {
      k.stack_bytes = std::stoi(m[1]);
      k.spill_store_bytes = std::stoi(m[2]);
      k.spill_load_bytes = std::stoi(m[3]);
    }
    if (std::regex_search(line, m, registers)) k.registers = std::stoi(m[1]);
    if (std::regex_search(line, m, barriers)) k.barriers = std::stoi(m[1]);
    if (std::regex_search(line, m, shared)) k.static_shared_bytes = std::stoi(m[1]);
  }
}

}  // namespace

std::string find_ptxas() {
  std::vector<std::string> places;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(name)) places.push_back(std::string(home) + "/bin");
  places.push_back("/usr/local/cuda/bin");
  return find_tool("ptxas", places);
}

AssembleResult assemble(const std::string& ptx, const std::string& sm_name) {
  const std::string tool = find_ptxas();
  if (tool.empty()) tool_failed("ptxas is not installed", "install the CUDA toolkit, or leave the PTX to the driver");
  const TemporaryDirectory dir;
  {
    std::ofstream out(dir.file("kernels.ptx"), std::ios::binary);
    out << ptx;
    if (!out.flush()) tool_failed("can't write " + dir.file("kernels.ptx"));
  }
  const int status = run_tool({tool, "-v", "-arch=" + sm_name, dir.file("kernels.ptx"), "-o", dir.file("kernels.cubin")}, dir.file("log"));
  const std::string log = read_file(dir.file("log"));
  if (status != 0) tool_failed("ptxas rejected our PTX for " + sm_name + ": " + log);
  AssembleResult out;
  out.cubin = read_file(dir.file("kernels.cubin"));
  if (out.cubin.empty()) tool_failed("ptxas wrote no cubin: " + log);
  parse(log, out);
  return out;
}

}  // namespace sinter::codegen
