#include "ir/type.h"

#include <array>
#include <charconv>

namespace sinter::ir {

std::string to_string(Type t) {
  if (t.is_none()) return "none";
  std::string s;
  switch (t.code) {
    case TypeCode::Bool: s = "bool"; break;
    case TypeCode::Int: s = "i" + std::to_string(t.bits); break;
    case TypeCode::UInt: s = "u" + std::to_string(t.bits); break;
    case TypeCode::Float: s = "f" + std::to_string(t.bits); break;
    case TypeCode::BFloat: s = "bf" + std::to_string(t.bits); break;
    case TypeCode::E4M3: s = "f8e4m3"; break;
    case TypeCode::E5M2: s = "f8e5m2"; break;
  }
  if (t.lanes != 1) s += "x" + std::to_string(t.lanes);
  return s;
}

std::optional<Type> parse_type(std::string_view text) {
  int lanes = 1;
  if (const size_t x = text.rfind('x'); x != std::string_view::npos) {
    const std::string_view n = text.substr(x + 1);
    const auto [end, error] = std::from_chars(n.data(), n.data() + n.size(), lanes);
    if (error != std::errc() || end != n.data() + n.size() || lanes < 2 || lanes > 1024) return std::nullopt;
    text = text.substr(0, x);
  }
  static constexpr std::array scalars = {Bool(),  Int(8),   Int(16),   Int(32),   Int(64),   UInt(8),    UInt(16),
                                         UInt(32), UInt(64), Float(16), Float(32), Float(64), BFloat(16), F8E4M3(), F8E5M2()};
  for (Type t : scalars)
    if (to_string(t) == text) return t.with_lanes(lanes);
  return std::nullopt;
}

}  // namespace sinter::ir
