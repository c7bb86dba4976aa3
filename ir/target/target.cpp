#include "ir/target/target.h"

#include <vector>

#include "ir/diagnostic.h"

namespace sinter::ir {

namespace {

constexpr const char* kKnown =
    "host, cuda-sm_80, cuda-sm_89, cuda-sm_90, cuda-sm_90a, emulate-sm_90a; features: -strict_float, -no_ptxas";

[[noreturn]] void bad_target(std::string_view text, const std::string& part) {
  user_error(ErrorCode::BadTarget, {}, "target `" + std::string(text) + "`: `" + part + "` is not understood",
             std::string("known are ") + kKnown);
}

}  // namespace

Target Target::parse(std::string_view text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('-', at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  Target t;
  if (parts[0] == "host") t.backend = Backend::Host;
  else if (parts[0] == "cuda") t.backend = Backend::Cuda;
  else if (parts[0] == "emulate") t.backend = Backend::Emulate;
  else bad_target(text, parts[0]);
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::string& p = parts[i];
    if (p == "strict_float") t.strict_float = true;
    else if (p == "no_ptxas") t.no_ptxas = true;
    else if (t.is_gpu() && t.sm == 0 && p == "sm_80") t.sm = 80;
    else if (t.is_gpu() && t.sm == 0 && p == "sm_89") t.sm = 89;
    else if (t.is_gpu() && t.sm == 0 && p == "sm_90") t.sm = 90;
    else if (t.is_gpu() && t.sm == 0 && p == "sm_90a") t.sm = 90, t.arch_specific = true;
    else bad_target(text, p);
  }
  if (t.is_gpu() && t.sm == 0) {
    if (t.backend == Backend::Cuda) bad_target(text, "(no architecture)");
    t.sm = 90, t.arch_specific = true;
  }
  return t;
}

std::string Target::sm_name() const { return "sm_" + std::to_string(sm) + (arch_specific ? "a" : ""); }

std::string Target::to_string() const {
  std::string s = backend == Backend::Host ? "host" : backend == Backend::Cuda ? "cuda" : "emulate";
  if (is_gpu()) s += "-" + sm_name();
  if (strict_float) s += "-strict_float";
  if (no_ptxas) s += "-no_ptxas";
  return s;
}

DeviceLimits limits(const Target& target) {
  DeviceLimits d;
  switch (target.sm) {
    case 80:  // A100
      d.shared_bytes_per_block = 163 * 1024, d.shared_bytes_per_sm = 164 * 1024, d.sms = 108;
      d.hbm_bytes_per_second = 1.75e12, d.fp32_flops = 19.5e12, d.tensor_flops_bf16 = 280e12;
      break;
    case 89:  // L40
      d.shared_bytes_per_block = 99 * 1024, d.shared_bytes_per_sm = 100 * 1024, d.sms = 142, d.max_threads_per_sm = 1536;
      d.hbm_bytes_per_second = 0.78e12, d.fp32_flops = 90e12, d.tensor_flops_bf16 = 330e12;
      break;
    case 90:  // H200
      d.shared_bytes_per_block = 227 * 1024, d.shared_bytes_per_sm = 228 * 1024, d.sms = 132;
      d.hbm_bytes_per_second = 4.2e12, d.fp32_flops = 60e12, d.tensor_flops_bf16 = 800e12;
      break;
    default:  // a host: one socket
      d.shared_bytes_per_block = d.shared_bytes_per_sm = 1 << 30;
      d.sms = 1, d.hbm_bytes_per_second = 50e9, d.fp32_flops = 500e9, d.tensor_flops_bf16 = 500e9;
      break;
  }
  return d;
}

}  // namespace sinter::ir
