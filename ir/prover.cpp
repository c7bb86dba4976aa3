#include "ir/prover.h"

namespace sinter::ir {

const char* verdict_name(Verdict v) {
  switch (v) {
    case Verdict::Proved: return "proved";
    case Verdict::Refuted: return "refuted";
    case Verdict::Unknown: return "unknown";
  }
  return "unknown";
}

std::string Answer::model_text() const {
  std::string out;
  for (const auto& [sym, value] : model) {
    if (!out.empty()) out += ", ";
    out += sym->name + " = " + (sym->type.is_bool() ? (value ? "true" : "false") : std::to_string(value));
  }
  return out;
}

}  // namespace sinter::ir
