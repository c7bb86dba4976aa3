// Files written whole or not at all.
#pragma once

#include <string>
#include <vector>

namespace sinter::codegen {

struct OutputFile {
  std::string path, bytes;
};

// Each file is written beside its place and then renamed: no reader, and no failure, sees half of one; where one can't be written, none
// is. Throws UserError E0603.
void write_files(const std::vector<OutputFile>& files);

}  // namespace sinter::codegen
