// Generator: a program that exports pipelines, with a command line of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dsl/pipeline.h"

namespace sinter {

// Named pipelines, each made when it is asked for and for the target it is asked for, so that a schedule may depend on it. A whole program:
//
//   int main(int argc, char** argv) {
//     sinter::Generator g;
//     g.add("blur", "3x3 box filter, f32", [](const sinter::Target& target) { return blur(target); });
//     return g.main(argc, argv);
//   }
//
//   generate blur --out build --target cuda-sm_90a,host --emit library,python,ptx
//
// The name is the pipeline's own: it names the C function and the files. `generate --help` lists the options; CMake users write
// sinter_add_library(blur GENERATOR generate TARGETS cuda-sm_90a host).
class Generator {
 public:
  using Function = std::function<Pipeline(const Target&)>;

  Generator& add(std::string name, std::string help, Function make);

  // Does what the arguments say, and prints the files it wrote. 0; 1 after an error, whose words go to stderr; 2 for a command line that is
  // not understood. Throws nothing.
  int main(int argc, const char* const* argv) const noexcept;

 private:
  struct Entry {
    std::string name, help;
    Function make;
  };
  std::vector<Entry> entries_;
};

}  // namespace sinter
