#include "ir/text/names.h"

#include <cstdio>

namespace sinter::ir::text {

bool is_reserved(std::string_view word) {
  for (std::string_view r : {"if", "else", "let", "true", "false", "inf", "nan", "_"})
    if (word == r) return true;
  return false;
}

std::optional<MathFn> math_function(std::string_view word) {
  for (int i = 0; i <= static_cast<int>(MathFn::IsNan); ++i)
    if (word == math_name(static_cast<MathFn>(i))) return static_cast<MathFn>(i);
  return std::nullopt;
}

bool is_function(std::string_view word) {
  for (std::string_view r : {"min", "max", "abs", "select", "strict", "reinterpret", "ramp", "broadcast", "lane", "concat", "shuffle"})
    if (word == r) return true;
  return parse_type(word) || math_function(word);
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Letters, digits and `$`, with single dots between them.
static bool is_plain(std::string_view name) {
  if (name.empty() || !is_letter(name[0])) return false;
  for (size_t i = 1; i < name.size(); ++i) {
    const char c = name[i];
    const bool part = is_letter(c) || (c >= '0' && c <= '9') || c == '$';
    const bool dot = c == '.' && name[i - 1] != '.' && i + 1 < name.size();
    if (!part && !dot) return false;
  }
  return true;
}

static std::string escaped(std::string_view s, char quote) {
  std::string out(1, quote);
  for (const char c : s) {
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned char>(c));
      out += hex;
    } else {
      out += c;
    }
  }
  return out + quote;
}

std::string quote_sym(std::string_view name) {
  return is_plain(name) && !is_reserved(name) ? std::string(name) : escaped(name, '`');
}
std::string quote_func(std::string_view name) { return is_function(name) ? escaped(name, '`') : quote_sym(name); }
std::string quote_string(std::string_view s) { return escaped(s, '"'); }

std::string UniqueNames::add(const std::string& wanted) {
  if (used_.insert(wanted).second) return wanted;
  for (int& n = ++next_[wanted];; ++n) {
    std::string candidate = wanted + "." + std::to_string(n);
    if (used_.insert(candidate).second) return candidate;
  }
}

}  // namespace sinter::ir::text
