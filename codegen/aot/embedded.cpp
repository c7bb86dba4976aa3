// SINTER_SHARED_RUNTIME and SINTER_PYTHON_SUPPORT are the paths of the files at build time (CMakeLists.txt).
#include "codegen/aot/embedded.h"

#define SINTER_EMBED(symbol, file)                                                     \
  asm(".pushsection .rodata\n.balign 16\n" #symbol "_begin:\n.incbin \"" file "\"\n" \
      #symbol "_end:\n.byte 0\n.popsection\n.globl " #symbol "_begin, " #symbol "_end\n.hidden " #symbol "_begin, " #symbol "_end\n"); \
  extern "C" const char symbol##_begin[], symbol##_end[]

SINTER_EMBED(sinter_shared_runtime, SINTER_SHARED_RUNTIME);
SINTER_EMBED(sinter_python_support, SINTER_PYTHON_SUPPORT);

namespace sinter::codegen {

std::string_view shared_runtime() { return {sinter_shared_runtime_begin, sinter_shared_runtime_end}; }
std::string_view shared_runtime_name() { return SINTER_SHARED_RUNTIME_NAME; }
std::string_view python_support() { return {sinter_python_support_begin, sinter_python_support_end}; }

}  // namespace sinter::codegen
