#include "scheduler/prove/obligations.h"

#include <fmt/format.h>

namespace sinter::scheduler {

using namespace ir;

namespace {

std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') out += {'\\', c};
    else if (c == '\n') out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\u{:04x}", static_cast<int>(c));
    else out += c;
  }
  return out + "\"";
}

}  // namespace

std::string ProofReport::to_json() const {
  std::string out = fmt::format("{{\"milliseconds\": {:.3f}, \"obligations\": [", milliseconds);
  const char* separator = "";
  for (const Obligation& o : obligations) {
    out += fmt::format("{}\n  {{\"kind\": {}, \"claim\": {}, \"verdict\": {}, \"milliseconds\": {:.3f}, \"note\": {}}}", separator,
                       quoted(o.kind), quoted(o.claim), quoted(verdict_name(o.verdict)), o.milliseconds, quoted(o.note));
    separator = ",";
  }
  return out + "\n]}\n";
}

std::string ProofReport::table() const {
  size_t kind = 0, claim = 0;
  for (const Obligation& o : obligations) {
    kind = std::max(kind, o.kind.size());
    claim = std::max(claim, o.claim.size());
  }
  std::string out;
  for (const Obligation& o : obligations) {
    out += fmt::format("{:<{}}  {:<{}}  {:<8}{:>9.2f} ms", o.kind, kind, o.claim, claim, verdict_name(o.verdict), o.milliseconds);
    if (!o.note.empty()) out += "  " + o.note;
    out += "\n";
  }
  return out;
}

}  // namespace sinter::scheduler
