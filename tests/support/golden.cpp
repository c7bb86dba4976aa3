#include "tests/support/golden.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace sinter::test {

namespace fs = std::filesystem;

GoldenFile parse_golden(const fs::path& path, const std::string& text) {
  GoldenFile g;
  g.path = path;
  std::istringstream stream(text);
  std::string line;
  enum { Header, Input, Expected } part = Header;
  bool expect_seen = false;
  while (std::getline(stream, line)) {
    const bool marker = line.rfind("; ", 0) == 0;
    if (part == Header && !marker) part = Input;
    if (part == Header) {
      const size_t colon = line.find(": ");
      if (colon == std::string::npos) throw std::runtime_error(path.string() + ": expected \"; key: value\", found " + line);
      g.header[line.substr(2, colon - 2)] = line.substr(colon + 2);
      g.head += line + "\n";
    } else if (part == Input && line == "; expect:") {
      part = Expected;
      expect_seen = true;
    } else {
      (part == Input ? g.input : g.expected) += line + "\n";
    }
  }
  if (!g.header.count("pass")) throw std::runtime_error(path.string() + ": the first line is \"; pass: name\"");
  if (!expect_seen) throw std::runtime_error(path.string() + ": there is no line \"; expect:\"");
  return g;
}

GoldenFile read_golden(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("can't read " + path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return parse_golden(path, text.str());
}

std::vector<fs::path> golden_files(const fs::path& folder) {
  std::vector<fs::path> out;
  if (fs::exists(folder))
    for (const fs::directory_entry& e : fs::recursive_directory_iterator(folder))
      if (e.is_regular_file() && e.path().extension() == ".ir") out.push_back(e.path());
  std::sort(out.begin(), out.end());
  return out;
}

static std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string l; std::getline(stream, l);) out.push_back(l);
  return out;
}

std::string unified_diff(const std::string& a_text, const std::string& b_text) {
  const std::vector<std::string> a = lines_of(a_text), b = lines_of(b_text);
  // length[i][j]: longest common subsequence of a[i..] and b[j..].
  std::vector<std::vector<int>> length(a.size() + 1, std::vector<int>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;)
    for (size_t j = b.size(); j-- > 0;) length[i][j] = a[i] == b[j] ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
  struct Edit {
    char mark;
    const std::string* line;
    size_t a, b;  // positions before it
  };
  std::vector<Edit> edits;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) edits.push_back({' ', &a[i], i, j}), ++i, ++j;
    else if (j == b.size() || (i < a.size() && length[i + 1][j] >= length[i][j + 1])) edits.push_back({'-', &a[i], i, j}), ++i;
    else edits.push_back({'+', &b[j], i, j}), ++j;
  }
  constexpr size_t kContext = 3;
  std::vector<bool> keep(edits.size(), false);
  for (size_t k = 0; k < edits.size(); ++k)
    if (edits[k].mark != ' ')
      for (size_t n = k >= kContext ? k - kContext : 0; n < std::min(edits.size(), k + kContext + 1); ++n) keep[n] = true;
  std::string out;
  for (size_t k = 0; k < edits.size(); ++k) {
    if (!keep[k]) continue;
    if (k == 0 || !keep[k - 1]) out += "@@ -" + std::to_string(edits[k].a + 1) + " +" + std::to_string(edits[k].b + 1) + " @@\n";
    out += edits[k].mark + *edits[k].line + "\n";
  }
  return out;
}

std::string check_golden(const GoldenFile& file, const std::string& actual) {
  if (actual == file.expected) return "";
  if (!std::getenv("SINTER_BLESS"))
    return file.path.string() + ": pass " + file.header.at("pass") + " gives another text (SINTER_BLESS=1 accepts it)\n--- expected\n+++ actual\n" +
           unified_diff(file.expected, actual);
  if (std::getenv("CI")) return "SINTER_BLESS is refused where CI is set: expected texts are part of a change, not of a test run";
  std::ofstream out(file.path, std::ios::binary | std::ios::trunc);
  out << file.head << file.input << "; expect:\n" << actual;
  return out.flush() ? "" : "can't write " + file.path.string();
}

}  // namespace sinter::test
