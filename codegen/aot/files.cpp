#include "codegen/aot/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "ir/diagnostic.h"

namespace sinter::codegen {

namespace {

[[noreturn]] void failed(const std::string& path, int error) {
  std::string help = "name a file in a folder that can be written";
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  std::error_code none;
  if (error == ENOENT && !parent.empty() && !std::filesystem::exists(parent, none)) help = "make the directory " + parent.string() + " first";
  ir::user_error(ir::ErrorCode::ExportFailed, {}, "can't write " + path + ": " + std::strerror(error), help);
}

class Temporary {
 public:
  explicit Temporary(const OutputFile& file) : path_(file.path), name_(file.path + ".XXXXXX") {
    const int fd = mkstemp(name_.data());
    if (fd < 0) failed(path_, errno);
    made_ = true;
    size_t at = 0;
    int error = 0;
    while (at < file.bytes.size() && !error) {
      const ssize_t n = write(fd, file.bytes.data() + at, file.bytes.size() - at);
      if (n >= 0) at += static_cast<size_t>(n);
      else if (errno != EINTR) error = errno;
    }
    if (!error && fchmod(fd, 0644) != 0) error = errno;
    if (close(fd) != 0 && !error) error = errno;
    if (error) {
      unlink(name_.c_str());
      failed(path_, error);
    }
  }
  Temporary(Temporary&& o) noexcept : path_(std::move(o.path_)), name_(std::move(o.name_)), made_(o.made_) { o.made_ = false; }
  ~Temporary() {
    if (made_) unlink(name_.c_str());
  }
  void keep() {
    if (std::rename(name_.c_str(), path_.c_str()) != 0) failed(path_, errno);
    made_ = false;
  }

 private:
  std::string path_, name_;
  bool made_ = false;
};

}  // namespace

void write_files(const std::vector<OutputFile>& files) {
  for (const OutputFile& f : files)
    if (std::error_code none; std::filesystem::is_directory(f.path, none)) failed(f.path, EISDIR);
  std::vector<Temporary> written;
  written.reserve(files.size());
  for (const OutputFile& f : files) written.emplace_back(f);
  for (Temporary& t : written) t.keep();
}

}  // namespace sinter::codegen
