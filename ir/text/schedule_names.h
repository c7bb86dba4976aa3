// What the loops of a schedule are called where it is written down by names.
//
// Vars are known by their objects, and two may have one name. In the text a dimension or RVar of the Func that is scheduled has its own
// name (x, or x_1 for the second x of that Func); every other loop has a name that no dimension or RVar of any Func has, one for each Var.
// A Var that is a dimension of one Func and a loop of another thus comes back as two, which changes nothing: loops are known within a Func.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/program.h"
#include "ir/schedule.h"

namespace sinter::ir::text {

class LoopScope {
 public:
  explicit LoopScope(const Program& program);
  std::string name(FuncId f, const Sym& loop);              // writing
  Sym find(FuncId f, const std::string& name) const;        // reading; null: not known
  Sym find_or_make(FuncId f, const std::string& name);      // reading a loop that the directive makes
  std::vector<std::string> known(FuncId f) const;           // dimensions and RVars

 private:
  struct OfFunc {
    std::vector<std::pair<std::string, Sym>> names;
    std::unordered_map<const VarNode*, std::string> by_sym;
  };
  std::vector<OfFunc> funcs_;
  std::unordered_set<std::string> used_;
  std::unordered_map<const VarNode*, std::string> others_;
  std::unordered_map<std::string, Sym> made_;
};

}  // namespace sinter::ir::text
