// Copies that in() made: which Func each stands for, and who reads through it. Where a schedule is stored, they are part of it.
#pragma once

#include <vector>

#include "ir/program.h"

namespace sinter::ir {

struct FuncCopy {
  FuncId func, of;
  bool all = false;             // nobody reads `of` past its copies: in() would do
  std::vector<FuncId> readers;  // what was named in in(): not the wrappers that are chained to this one
};

// In the order of the Program, so that a copy of a copy follows it.
std::vector<FuncCopy> copies_of(const Program& program);

}  // namespace sinter::ir
