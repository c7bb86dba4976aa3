// How many registers a kernel's PTX needs, without an assembler.
#pragma once

#include <string>
#include <vector>

namespace sinter::codegen {

struct RegisterPressure {
  std::string kernel;
  int registers = 0;  // of 32 bits, a thread
};

// For each kernel in `ptx`, in order: the 32-bit words of all values that are alive at one point, at most, and some for addresses and
// for what an assembler moves about. Parameters and constants are operands of their own and count nothing. An estimate: ptxas
// reorders, and rounds up to 8 registers.
std::vector<RegisterPressure> estimate_registers(const std::string& ptx);

}  // namespace sinter::codegen
