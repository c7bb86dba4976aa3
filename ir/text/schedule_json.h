// A Schedule as JSON, for files: by the names of Funcs, dimensions and loops, so that it can be put on the same algorithm in another
// process, or on one that has grown. docs/schedules.md describes the members.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/program.h"
#include "ir/schedule.h"

namespace sinter::ir {

std::string schedule_to_json(const Program& program, const Schedule& schedule);

// A copy that the schedule makes: `name` = of.in(readers).
struct NamedCopy {
  std::string name, of;
  std::vector<std::string> readers;
};

// A stored schedule, read in two steps: the copies that it needs, which change the Program; then the directives on that Program.
// Whatever the text, what comes out is a schedule whose fields have the right numbers, or UserError E0502 with `loc`.
class StoredSchedule {
 public:
  StoredSchedule(std::string_view json, Loc loc);
  ~StoredSchedule();
  StoredSchedule(const StoredSchedule&) = delete;
  StoredSchedule& operator=(const StoredSchedule&) = delete;

  std::vector<NamedCopy> copies() const;
  // `funcs`: what the names in the text stand for, in `program`.
  Schedule directives(const Program& program, const std::unordered_map<std::string, FuncId>& funcs) const;

 private:
  struct Contents;
  std::unique_ptr<Contents> contents_;
  Loc loc_;
};

}  // namespace sinter::ir
