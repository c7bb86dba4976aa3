#include "ir/diagnostic.h"

#include <cstdio>
#include <cstring>

namespace sinter::ir {

std::string to_string(const Loc& loc) {
  if (!loc.known()) return "?";
  const char* slash = std::strrchr(loc.file, '/');
  return std::string(slash ? slash + 1 : loc.file) + ":" + std::to_string(loc.line);
}

std::string code_text(ErrorCode code) {
  char text[8];
  std::snprintf(text, sizeof text, "E%04d", static_cast<int>(code));
  return text;
}

std::string render(const Diagnostic& d) {
  std::string out;
  if (d.loc.known()) out += to_string(d.loc) + ": ";
  out += "error[" + code_text(d.code) + "]: " + d.message;
  for (const std::string& line : d.excerpt) out += "\n  | " + line;
  if (!d.counterexample.empty()) out += "\n  counterexample: " + d.counterexample;
  if (!d.help.empty()) out += "\n  help: " + d.help;
  return out;
}

InternalError::InternalError(const std::string& text, Loc where)
    : Error("internal error at " + to_string(where) + ": " + text + " (this is a fault of Sinter; please report it)") {}

void user_error(ErrorCode code, Loc loc, std::string message, std::string help, std::vector<std::string> excerpt,
                std::string counterexample) {
  throw UserError({code, loc, std::move(message), std::move(excerpt), std::move(counterexample), std::move(help)});
}

}  // namespace sinter::ir
