#include "codegen/llvm/ptxas.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "ir/diagnostic.h"

extern char** environ;

namespace sinter::codegen {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void tool_failed(const std::string& message, const std::string& help = {}) {
  ir::user_error(ir::ErrorCode::ToolFailed, {}, message, help);
}

// A directory of our own, gone at the end whatever happens.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::error_code none;
    fs::path base = fs::temp_directory_path(none);
    if (none) base = "/tmp";
    std::string name = (base / "sinter-XXXXXX").string();
    if (!mkdtemp(name.data())) tool_failed("no temporary directory in " + base.string() + ": " + std::strerror(errno));
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Runs a program without a shell; its output goes to `log`. The exit status, or -1 where it was killed.
int run(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& s : command) argv.push_back(const_cast<char*>(s.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error) tool_failed("can't run " + command[0] + ": " + std::strerror(error));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) tool_failed("can't wait for " + command[0] + ": " + std::strerror(errno));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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
  std::vector<fs::path> places;
  if (const char* path = std::getenv("PATH")) {
    std::istringstream parts(path);
    for (std::string p; std::getline(parts, p, ':');)
      if (!p.empty()) places.emplace_back(p);
  }
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(name)) places.push_back(fs::path(home) / "bin");
  places.emplace_back("/usr/local/cuda/bin");
  for (const fs::path& p : places) {
    const std::string candidate = (p / "ptxas").string();
    std::error_code none;
    if (fs::is_regular_file(candidate, none) && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
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
  const int status = run({tool, "-v", "-arch=" + sm_name, dir.file("kernels.ptx"), "-o", dir.file("kernels.cubin")}, dir.file("log"));
  const std::string log = read_file(dir.file("log"));
  if (status != 0) tool_failed("ptxas rejected our PTX for " + sm_name + ": " + log);
  AssembleResult out;
  out.cubin = read_file(dir.file("kernels.cubin"));
  if (out.cubin.empty()) tool_failed("ptxas wrote no cubin: " + log);
  parse(log, out);
  return out;
}

}  // namespace sinter::codegen
