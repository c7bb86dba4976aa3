// Writes the schedules of tests/support/schedule_samples.h as C++ into the file that is named.
#include <cstdio>
#include <fstream>
#include <set>

#include "tests/support/schedule_samples.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ofstream out(argv[1]);
  std::string table = "const std::map<std::string, void (*)(sinter::Pipeline&)> printed = {\n";
  for (const sinter::testing::ScheduleSample& s : sinter::testing::schedule_samples()) {
    out << s.build().schedule_to_cpp("schedule_" + s.name) << "\n";
    table += "  {\"" + s.name + "\", schedule_" + s.name + "},\n";
  }
  out << table << "};\n";
  out.close();
  return out ? 0 : 1;
}
