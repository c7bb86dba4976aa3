// What a pipeline is compiled for, and what each device has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sinter::ir {

enum class Backend : uint8_t { Host, Cuda, Emulate };

// "host", "host-strict_float", "cuda-sm_80", "cuda-sm_89", "cuda-sm_90", "cuda-sm_90a", "emulate-sm_90a"; features follow, each
// with a dash: "strict_float", "no_ptxas".
struct Target {
  Backend backend = Backend::Host;
  int sm = 0;              // 80, 89, 90
  bool arch_specific = false;  // the "a" of sm_90a
  bool strict_float = false;
  bool no_ptxas = false;   // keep PTX even where ptxas is present

  // Throws UserError E0400 that lists the names it knows.
  static Target parse(std::string_view text);
  std::string to_string() const;
  std::string sm_name() const;  // "sm_90a"
  bool is_gpu() const { return backend != Backend::Host; }
  friend bool operator==(const Target&, const Target&) = default;
};

// Limits and rates of a device generation. Rates are of the largest part of the generation and feed explain() only.
struct DeviceLimits {
  int max_threads_per_block = 1024;
  int warp_size = 32;
  int64_t shared_bytes_per_block = 0;   // opt-in maximum
  int64_t shared_bytes_per_sm = 0;
  int registers_per_thread = 255;
  int64_t registers_per_sm = 65536;
  int max_threads_per_sm = 2048;
  int sms = 0;
  double hbm_bytes_per_second = 0;      // sustained by a copy
  double fp32_flops = 0;
  double tensor_flops_bf16 = 0;
  double latency_seconds = 700e-9;      // of HBM
};
DeviceLimits limits(const Target& target);

}  // namespace sinter::ir
