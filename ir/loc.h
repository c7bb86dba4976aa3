// A place in the user's source.
#pragma once

#include <string>

namespace sinter::ir {

// `file` is borrowed: a literal from __builtin_FILE, or a string that the Program keeps alive (Program::file_names).
struct Loc {
  const char* file = nullptr;
  int line = 0;

  bool known() const { return file != nullptr; }
  // Converting default argument of user-facing calls: `Loc loc = Loc::here()`.
  static Loc here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};

std::string to_string(const Loc& loc);  // "file.cpp:41", base name only; "?" where unknown

}  // namespace sinter::ir
