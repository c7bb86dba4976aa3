// Programs of the machine that finish what we made: an assembler, a linker.
#pragma once

#include <string>
#include <vector>

namespace sinter::codegen {

// The path of a program: in a folder of PATH, else in one of `more`; empty where there is none.
std::string find_tool(const std::string& name, const std::vector<std::string>& more = {});

// Runs a program, command[0] being its path, without a shell; its output goes to the file `log`. The exit status, or -1 where it was
// killed. Throws UserError E0605 where it can't be started.
int run_tool(const std::vector<std::string>& command, const std::string& log);

std::string read_file(const std::string& path);  // empty where it can't be read

// A directory of our own, gone at the end whatever happens. Throws UserError E0605.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace sinter::codegen
