// Device code that a host module carries.
#pragma once

#include <string>

namespace sinter::codegen {

struct DeviceImage {
  std::string arch;   // "ptx", or the architecture of a cubin: "sm_90a"
  std::string bytes;
};

}  // namespace sinter::codegen
