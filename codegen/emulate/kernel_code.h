// A kernel's roles compiled to flat lists of steps that a thread can stop at and resume.
#pragma once

#include <string>
#include <vector>

#include "ir/eval/flat.h"
#include "ir/kernel.h"

namespace sinter::codegen::emulator {

// A place in the kernel that a message can name: an access, or a synchronisation.
struct Site {
  ir::Loc loc;
  int buffer = -1;  // -1: none
  std::string what; // of a synchronisation: "barrier"
};

struct Step {
  enum class Kind : uint8_t {
    Eval,         // ops [begin, end)
    Assign,       // slots [a, a + lanes) = slots [b, ...)
    LoopEnter,    // slot a = b, slot c = b + slot `begin`: the variable and its limit
    LoopTest,     // if slot a >= slot c, go to target
    LoopNext,     // ++ slot a, go to target
    BranchIfNot,  // if slot a is false, go to target
    Jump,
    Store,        // stores[begin]
    Barrier,      // of the block; or named: slot a = id, slot b = threads
    WarpSync,
    Shuffle,      // accesses[begin]
    End,
  } kind{};
  bool named = false;
  uint16_t lanes = 1;
  uint32_t begin = 0, end = 0, target = 0;
  ir::Slot a = 0, b = 0, c = 0;
  uint32_t site = 0;
};

// What an access needs besides its operands.
struct AccessInfo {
  int buffer = -1;
  ir::Type type;      // of an element
  int lanes = 1;
  int64_t align = 0;  // claimed multiple of the first index, in elements
  bool dense = false; // lanes are consecutive elements
  bool masked = false;
  uint32_t site = 0;
};

struct StoreCode {
  AccessInfo info;
  ir::Slot index = 0, value = 0, mask = 0;
};

struct RoleCode {
  int first_thread = 0, threads = 0;
  ir::FlatCode code;
  std::vector<Step> steps;
  std::vector<StoreCode> stores;
  std::vector<AccessInfo> accesses;  // beside code.accesses; unused for shuffles
};

struct KernelCode {
  const ir::Kernel* kernel = nullptr;
  std::vector<RoleCode> roles;
  std::vector<Site> sites;
};

KernelCode compile_kernel(const ir::Kernel& kernel);

}  // namespace sinter::codegen::emulator
