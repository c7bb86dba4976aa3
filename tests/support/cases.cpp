#include "tests/support/cases.h"

#include "tests/support/case_lists.h"

namespace sinter::testing {

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (auto list : {pointwise_cases, stencil_cases, reduction_cases, shared_reduction_cases, directive_cases, language_cases, app_cases, image_app_cases, found_cases})
    for (Case& c : list()) all.push_back(std::move(c));
  return all;
}

}  // namespace sinter::testing
