// Golden files: an input, the pass to run on it, and the text that must come out.
//
//   ; pass: simplify            further "; key: value" lines may follow
//   <text>
//   ; expect:
//   <text>
//
// With SINTER_BLESS=1 in the environment the expected part is rewritten instead of compared; refused where CI is set.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sinter::test {

struct GoldenFile {
  std::filesystem::path path;
  std::map<std::string, std::string> header;  // "pass" and what else stands there
  std::string head, input, expected;          // `head`: the header's lines as they are
};

GoldenFile parse_golden(const std::filesystem::path& path, const std::string& text);  // throws std::runtime_error
GoldenFile read_golden(const std::filesystem::path& path);
std::vector<std::filesystem::path> golden_files(const std::filesystem::path& folder);  // *.ir, sorted, of all subfolders

// Lines of `a` and `b` that differ, as a unified diff with three lines of context; empty where there are none.
std::string unified_diff(const std::string& a, const std::string& b);

// Empty: as expected, or blessed. Otherwise what to print.
std::string check_golden(const GoldenFile& file, const std::string& actual);

}  // namespace sinter::test
