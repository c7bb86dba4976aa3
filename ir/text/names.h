// Names in text: which are plain identifiers, how others are quoted, and how two things of one name are told apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ir/expr.h"

namespace sinter::ir::text {

// What an identifier before `(` or at the start of an expression can mean besides a Func or a variable.
bool is_reserved(std::string_view word);   // if else let true false inf nan
bool is_function(std::string_view word);   // min, select, exp, f32 ...
std::optional<MathFn> math_function(std::string_view word);

// The spelling of a variable's (or Func's) name: itself, or in backquotes where it isn't a plain identifier or is taken.
std::string quote_sym(std::string_view name);
std::string quote_func(std::string_view name);
std::string quote_string(std::string_view s);  // "..." with escapes

// Gives out names that are distinct within one text: x, x.1, x.2 ... in order of first appearance.
class UniqueNames {
 public:
  std::string add(const std::string& wanted);

 private:
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, int> next_;
};

}  // namespace sinter::ir::text
