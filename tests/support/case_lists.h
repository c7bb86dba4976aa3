// The lists that all_cases() joins, a file each.
#pragma once

#include "tests/support/cases.h"

namespace sinter::testing {

std::vector<Case> pointwise_cases();
std::vector<Case> stencil_cases();
std::vector<Case> reduction_cases();
std::vector<Case> shared_reduction_cases();
std::vector<Case> directive_cases();
std::vector<Case> app_cases();
std::vector<Case> image_app_cases();
std::vector<Case> language_cases();
std::vector<Case> found_cases();

inline DLDataType f32_type() { return dtype_of<float>(); }
inline DLDataType bf16_type() { return dtype_of<bfloat16>(); }

}  // namespace sinter::testing
