#include "codegen/llvm/pressure.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace sinter::codegen {

namespace {

// What kernels have on top: addresses that an assembler splits or keeps, and loads that it moves up. The median over the tests' kernels.
constexpr int kOverhead = 10;

struct Instruction {
  std::vector<int> defs, uses;
  std::string target;  // of a branch
  bool falls_through = true;
};

// Has the first operand of such an instruction no result in it?
bool has_no_result(std::string_view op) {
  for (const char* prefix : {"st.", "red.", "bra", "bar.", "barrier.", "ret", "exit", "trap", "cp.", "prefetch", "membar", "fence", "call", "discard", "nanosleep",
                             "wgmma.fence", "wgmma.commit", "wgmma.wait", "setmaxnreg", "griddepcontrol", "pragma"})
    if (op.starts_with(prefix)) return true;
  return false;
}

// One kernel's body as instructions over numbered registers.
class Body {
 public:
  void declare(const std::string& line) {  // .reg .b32 %r<10>;
    std::istringstream in(line);
    std::string reg, type, name;
    in >> reg >> type >> name;
    const size_t end = name.find_first_of("<;");
    const std::string digits = type.substr(std::min(type.find_first_of("0123456789"), type.size()));
    words_[name.substr(0, end)] = type == ".pred" ? 0 : digits.empty() ? 1 : (std::stoi(digits) + 31) / 32;
  }

  void label(const std::string& name) { labels_[name] = code_.size(); }

  void instruction(std::string text) {
    Instruction i;
    const auto skip_space = [&] { text.erase(0, std::min(text.find_first_not_of(" \t"), text.size())); };
    if (text[0] == '@') {
      const size_t end = text.find_first_of(" \t");
      collect(text.substr(0, end), i.uses);
      text.erase(0, end);
      skip_space();
    }
    const bool guarded = !i.uses.empty();
    const size_t space = std::min(text.find_first_of(" \t;"), text.size());
    const std::string op = text.substr(0, space);
    text.erase(0, space);
    skip_space();
    if (op.starts_with("bra")) {
      i.target = text.substr(0, text.find_first_of("; \t"));
      i.falls_through = guarded;
    } else if (op == "ret" || op == "exit" || op == "trap") {
      i.falls_through = guarded;
    }
    size_t at = 0;
    if (!has_no_result(op) && !text.empty()) {
      at = text[0] == '{' ? text.find('}') : text.find(',');
      at = std::min(at, text.size());
      collect(text.substr(0, at), i.defs);
      // What a guard may leave as it was, and an accumulator that is added to, is read too.
      if (guarded || op.starts_with("wgmma.mma_async")) i.uses.insert(i.uses.end(), i.defs.begin(), i.defs.end());
    }
    collect(text.substr(at), i.uses);
    note_origin(op, text.substr(at), i);
    code_.push_back(std::move(i));
  }

  int pressure() {
    const size_t sets = (names_.size() + 63) / 64;
    std::vector<std::vector<uint64_t>> live(code_.size() + 1, std::vector<uint64_t>(sets));  // before each instruction
    const auto out_of = [&](size_t at, std::vector<uint64_t>& out) {
      const Instruction& i = code_[at];
      out = i.falls_through ? live[at + 1] : std::vector<uint64_t>(sets);
      if (const auto to = labels_.find(i.target); to != labels_.end())
        for (size_t s = 0; s < sets; ++s) out[s] |= live[to->second][s];
    };
    std::vector<uint64_t> now;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t at = code_.size(); at-- > 0;) {
        out_of(at, now);
        for (const int d : code_[at].defs) now[static_cast<size_t>(d) / 64] &= ~(uint64_t{1} << (d % 64));
        for (const int u : code_[at].uses) now[static_cast<size_t>(u) / 64] |= uint64_t{1} << (u % 64);
        if (now != live[at]) changed = true, live[at] = now;
      }
    }
    int most = 0;
    for (size_t at = 0; at < code_.size(); ++at) {
      out_of(at, now);
      for (const int d : code_[at].defs) now[static_cast<size_t>(d) / 64] |= uint64_t{1} << (d % 64);
      int words = 0;
      for (size_t r = 0; r < names_.size(); ++r)
        if ((now[r / 64] >> (r % 64) & 1) && !free_[r]) words += width_[r];
      most = std::max(most, words);
    }
    return std::min(most + kOverhead, 255);
  }

 private:
  // The registers in some operands; special ones (%tid.x) are not declared and not counted.
  void collect(const std::string& text, std::vector<int>& out) {
    for (size_t at = text.find('%'); at != text.npos; at = text.find('%', at + 1)) {
      size_t end = at + 1;
      while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
      const auto kind = words_.find(text.substr(at, end - at));
      const size_t digits = end;
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
      if (kind == words_.end() || end == digits) continue;
      const auto [it, fresh] = names_.emplace(text.substr(at, end - at), static_cast<int>(names_.size()));
      if (fresh) {
        width_.push_back(kind->second);
        free_.push_back(false);
        defined_.push_back(false);
      }
      out.push_back(it->second);
    }
  }

  // Parameters, constants and addresses made of them are read where they lie.
  void note_origin(const std::string& op, const std::string& operands, const Instruction& i) {
    const bool constant = op.starts_with("ld.param") || (op.starts_with("mov.") && operands.find('%') == operands.npos) ||
                          (op.starts_with("cvta.") && !i.uses.empty() && free_[static_cast<size_t>(i.uses[0])]);
    for (const int d : i.defs) {
      free_[static_cast<size_t>(d)] = constant && !defined_[static_cast<size_t>(d)];
      defined_[static_cast<size_t>(d)] = true;
    }
  }

  std::map<std::string, int> words_;  // of each kind of register, by its prefix
  std::unordered_map<std::string, int> names_;
  std::vector<int> width_;
  std::vector<bool> free_, defined_;
  std::unordered_map<std::string, size_t> labels_;
  std::vector<Instruction> code_;
};

}  // namespace

std::vector<RegisterPressure> estimate_registers(const std::string& ptx) {
  std::vector<RegisterPressure> out;
  std::istringstream lines(ptx);
  Body body;
  std::string kernel;
  int depth = 0;
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find("//"));
    line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
    if (line.empty()) continue;
    if (const size_t entry = line.find(".entry "); entry != line.npos) {
      kernel = line.substr(entry + 7, line.find_first_of("( ", entry + 7) - entry - 7);
      body = Body();
      continue;
    }
    if (kernel.empty()) continue;
    if (line == "{") ++depth;
    else if (line == "}" && --depth == 0) out.push_back({std::exchange(kernel, {}), body.pressure()});
    else if (line.starts_with(".reg ")) body.declare(line);
    else if (line.back() == ':') body.label(line.substr(0, line.size() - 1));
    else if (depth > 0 && line[0] != '.' && line[0] != '{' && line[0] != '}') body.instruction(line);
  }
  return out;
}

}  // namespace sinter::codegen
