// From handles to the IR: the Program that a pipeline computes, and its Schedule.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dsl/func.h"
#include "ir/program.h"
#include "ir/schedule.h"

namespace sinter {

// An argument of a Pipeline: an Input or a Param.
class PipelineArgument {
 public:
  PipelineArgument(const Input& input) : input_(input.contents()) {}
  PipelineArgument(const AnyParam& param) : param_(param.contents()) {}

  const std::shared_ptr<detail::FuncContents>& input() const { return input_; }  // null: a Param
  const std::shared_ptr<detail::ParamContents>& param() const { return param_; }

 private:
  std::shared_ptr<detail::FuncContents> input_;
  std::shared_ptr<detail::ParamContents> param_;
};

// Ids are given to the Inputs in the order of `args`, then to the Funcs that the outputs reach, producers first.
// Wrappers are in their readers. Func names are distinct. Throws E0600 (no output, an argument missing or listed
// twice), E0011 (two arguments of one name), E0001 (an undefined output), E0112 and E0209 (a wrapper that nothing
// reads, a place in a Func that is not reached).
std::pair<ir::Program, ir::Schedule> build_program(const std::string& name, const std::vector<PipelineArgument>& args,
                                                   const std::vector<Func>& outputs, Loc loc = Loc::here());

// The Funcs behind the ids of that Program. Nothing of the schedule is checked, which may be half made.
std::vector<std::shared_ptr<detail::FuncContents>> reached_funcs(const std::string& name, const std::vector<PipelineArgument>& args,
                                                                 const std::vector<Func>& outputs, Loc loc = Loc::here());

}  // namespace sinter
