#include "codegen/tool.h"

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
#include <sstream>

#include "ir/diagnostic.h"

extern char** environ;

namespace sinter::codegen {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void tool_failed(const std::string& message) { ir::user_error(ir::ErrorCode::ToolFailed, {}, message); }

}  // namespace

std::string find_tool(const std::string& name, const std::vector<std::string>& more) {
  std::vector<std::string> places;
  if (const char* path = std::getenv("PATH")) {
    std::istringstream parts(path);
    for (std::string p; std::getline(parts, p, ':');)
      if (!p.empty()) places.push_back(p);
  }
  places.insert(places.end(), more.begin(), more.end());
  for (const std::string& p : places) {
    const std::string candidate = (fs::path(p) / name).string();
    std::error_code none;
    if (fs::is_regular_file(candidate, none) && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

int run_tool(const std::vector<std::string>& command, const std::string& log) {
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

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TemporaryDirectory::TemporaryDirectory() {
  std::error_code none;
  fs::path base = fs::temp_directory_path(none);
  if (none) base = "/tmp";
  std::string name = (base / "sinter-XXXXXX").string();
  if (!mkdtemp(name.data())) tool_failed("no temporary directory in " + base.string() + ": " + std::strerror(errno));
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace sinter::codegen
