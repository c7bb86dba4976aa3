// Files that travel inside of the compiler, because what it exports needs them beside it.
#pragma once

#include <string_view>

namespace sinter::codegen {

// The runtime as a shared library, and the name that what links it asks for. One process loads one of that name, however many exported
// libraries are in it.
std::string_view shared_runtime();
std::string_view shared_runtime_name();

// What every exported Python module begins with: codegen/aot/python_support.py.
std::string_view python_support();

}  // namespace sinter::codegen
