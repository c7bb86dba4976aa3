#include "apps/quickstart/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace sinter::apps {

namespace {

// The oracle takes about a microsecond a point and stage: beyond this it would be a wait.
constexpr int64_t kOraclePoints = 4'000'000;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void say(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

struct Outcome {
  Buffer result;
  Traffic traffic;
  double compile_ms = 0, ms = 0;
};

double largest_difference(const Buffer& a, const Buffer& b) {
  const float *x = a.data<float>(), *y = b.data<float>();
  double worst = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    if (std::isnan(x[i]) != std::isnan(y[i])) return INFINITY;
    if (std::isnan(x[i]) || x[i] == y[i]) continue;  // equal infinities too
    worst = std::max(worst, std::fabs(static_cast<double>(x[i]) - y[i]));
  }
  return worst;
}

Outcome run(const Comparison& c, Form form, const Target& target) {
  Outcome out;
  const Pipeline pipeline = c.make(form);
  const auto start = std::chrono::steady_clock::now();
  const Callable kernel = pipeline.compile_jit(target);
  out.compile_ms = milliseconds_since(start);

  const bool gpu = target.backend == ir::Backend::Cuda;
  std::vector<CallArgument> arguments;
  for (const CallArgument& a : c.inputs) arguments.push_back(gpu && a.is_buffer() ? CallArgument(a.buffer().copy_to_device()) : a);
  const Buffer device_out = gpu ? Buffer::device<float>(c.output_extents) : Buffer::host<float>(c.output_extents);
  arguments.emplace_back(device_out);
  out.traffic = pipeline.traffic(target, arguments);

  kernel.call(arguments);
  if (gpu) {
    out.ms = gpu_median_ms([&] { kernel.call(arguments); }, 21);
    out.result = device_out.copy_to_host();
  } else {
    std::vector<double> times;
    for (int i = 0; i < 7; ++i) {
      const auto t = std::chrono::steady_clock::now();
      kernel.call(arguments);
      times.push_back(milliseconds_since(t));
    }
    std::nth_element(times.begin(), times.begin() + 3, times.end());
    out.ms = times[3];
    out.result = device_out;
  }
  return out;
}

std::string megabytes(int64_t bytes) { return fmt::format("{:.2f} MB", static_cast<double>(bytes) / 1e6); }

void row(const std::string& what, const std::string& unfused, const std::string& fused) { say(fmt::format("  {:26s} {:>14s} {:>14s}\n", what, unfused, fused)); }

}  // namespace

Buffer compare_forms(const Comparison& c, const Target& target, bool explain) {
  say(fmt::format("\n{}\n", c.title));
  say("  compiling and running unfused ... ");
  const Outcome unfused = run(c, Form::Unfused, target);
  say(fmt::format("compiled in {:.0f} ms\n  compiling and running fused ...   ", unfused.compile_ms));
  const Outcome fused = run(c, Form::Fused, target);
  say(fmt::format("compiled in {:.0f} ms\n", fused.compile_ms));

  const double apart = largest_difference(unfused.result, fused.result);
  if (!(apart <= c.tolerance)) throw std::runtime_error(fmt::format("{}: unfused and fused results differ by {:.3g}, more than {:.3g}", c.title, apart, c.tolerance));
  std::string checked = fmt::format("unfused and fused agree to {:.1e}", apart);
  if (fused.result.size() <= kOraclePoints) {
    say("  checking against the oracle ... ");
    std::vector<CallArgument> arguments = c.inputs;
    const Buffer expected = Buffer::host<float>(c.output_extents);
    arguments.emplace_back(expected);
    c.make(Form::Fused).interpret(arguments);
    const double error = largest_difference(expected, fused.result);
    if (!(error <= c.tolerance)) throw std::runtime_error(fmt::format("{}: the result differs from the oracle by {:.3g}, more than {:.3g}", c.title, error, c.tolerance));
    say("done\n");
    checked += fmt::format("; the oracle agrees to {:.1e}", error);
  } else {
    checked += fmt::format("; the oracle was not run ({} points are a wait)", fused.result.size());
  }

  say("\n");
  row(target.is_gpu() ? "GPU (" + target.to_string() + ")" : "host", "unfused", "fused");
  row(target.is_gpu() ? "kernel launches" : "passes over memory", std::to_string(unfused.traffic.launches), std::to_string(fused.traffic.launches));
  row(target.is_gpu() ? "HBM read" : "memory read", megabytes(unfused.traffic.read_bytes), megabytes(fused.traffic.read_bytes));
  row(target.is_gpu() ? "HBM written" : "memory written", megabytes(unfused.traffic.written_bytes), megabytes(fused.traffic.written_bytes));
  row("compulsory", megabytes(unfused.traffic.compulsory_bytes), megabytes(fused.traffic.compulsory_bytes));
  row("time", fmt::format("{:.4f} ms", unfused.ms), fmt::format("{:.4f} ms", fused.ms));
  say(fmt::format("  fused is {:.2f}x as fast; {}\n", unfused.ms / fused.ms, checked));
  if (explain) {
    std::vector<CallArgument> arguments = c.inputs;
    arguments.emplace_back(Buffer::host<float>(c.output_extents));
    say("\n" + c.make(Form::Fused).explain(target, arguments));
  }
  return fused.result;
}

}  // namespace sinter::apps
