#include <algorithm>

#include "ir/diagnostic.h"
#include "scheduler/prove/kernel_registers.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

// What a thread needs besides its arrays: addresses, coordinates, values in flight. An estimate.
constexpr int64_t kOtherRegisters = 24;

// 32-bit registers per thread of a Func in registers.
int64_t registers_of(const KernelDraft& kernel, const KernelStorage& s) {
  int64_t elements = s.elements();
  if (!s.in_thread) {
    if (s.layout.kind == Layout::Kind::Blocked) elements = digit_product(s.layout.reg);
    else if (s.layout.kind == Layout::Kind::Flat) elements = (elements + kernel.threads - 1) / std::max(kernel.threads, 1);
  }
  return (elements * s.type.bytes() + 3) / 4;
}

}  // namespace

void prove_resources(Claims& claims, const Program& program, const KernelDraft& kernel, const Target& target) {
  const DeviceLimits has = limits(target);
  const auto refuse = [&](ErrorCode code, const std::string& message, const std::string& help, const std::vector<std::string>& shares, const std::string& numbers) {
    claims.record("resources", "kernel `" + kernel.name + "` fits " + target.sm_name(), Verdict::Refuted);
    user_error(code, kernel.loc, message, help, shares, numbers);
  };
  if (kernel.threads > has.max_threads_per_block || kernel.threads < 1)
    refuse(ErrorCode::TooManyThreads, "kernel `" + kernel.name + "` asks for " + std::to_string(kernel.threads) + " threads a block", "threads(n) with n up to " + std::to_string(has.max_threads_per_block),
           {}, std::to_string(kernel.threads) + " > " + std::to_string(has.max_threads_per_block));
  int64_t shared = 0, registers = kOtherRegisters;
  std::vector<std::pair<int64_t, FuncId>> in_shared, in_registers;
  for (const auto& [f, s] : kernel.storage) {
    if (s.memory == Memory::Shared) {
      const int64_t bytes = s.elements() * s.type.bytes();
      in_shared.push_back({bytes, f});
      shared = std::max(shared, s.offset + bytes);
    } else if (s.memory == Memory::Register) {
      in_registers.push_back({registers_of(kernel, s), f});
      registers += in_registers.back().first;
    }
  }
  const auto shares = [&](std::vector<std::pair<int64_t, FuncId>> list, const std::string& unit) {
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    std::vector<std::string> out;
    for (const auto& [n, f] : list) out.push_back("`" + storage_name(program, kernel, f) + "`: " + std::to_string(n) + " " + unit + at_loc(kernel.storage.at(f).loc));
    return out;
  };
  if (shared > has.shared_bytes_per_block)
    refuse(ErrorCode::TooMuchShared, "kernel `" + kernel.name + "` needs " + std::to_string(shared) + " bytes of shared memory", "smaller tiles, or compute_root() for one of these",
           shares(in_shared, "bytes"), std::to_string(shared) + " > " + std::to_string(has.shared_bytes_per_block));
  const int64_t per_thread = std::min<int64_t>(has.registers_per_thread, has.registers_per_sm / std::max(kernel.threads, 1));
  if (registers > per_thread)
    refuse(ErrorCode::TooManyRegisters, "kernel `" + kernel.name + "` needs about " + std::to_string(registers) + " registers a thread", "more threads, smaller tiles, or store_in(MemoryType::Shared)",
           shares(in_registers, "registers a thread"), std::to_string(registers) + " > " + std::to_string(per_thread) + " with " + std::to_string(kernel.threads) + " threads");
  claims.record("resources", "kernel `" + kernel.name + "` fits " + target.sm_name(), Verdict::Proved,
                std::to_string(kernel.threads) + " threads, " + std::to_string(shared) + " bytes shared, about " + std::to_string(registers) + " registers");
}

}  // namespace sinter::scheduler
