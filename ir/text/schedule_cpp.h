// A Schedule as C++: a function that gives the directives to a Pipeline of the same algorithm, to be pasted into a program.
#pragma once

#include <string>

#include "ir/program.h"
#include "ir/schedule.h"

namespace sinter::ir {

//   void NAME(sinter::Pipeline& p) { ... }
// Funcs are found by name (Pipeline::func), dimensions by their places, so that nothing else has to be in scope; with the algorithm at
// hand, the lines that look them up can be deleted. `p` must have no directives yet (Pipeline::clear_schedule).
std::string schedule_to_cpp(const Program& program, const Schedule& schedule, const std::string& name);

}  // namespace sinter::ir
