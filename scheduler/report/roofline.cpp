// The roofline picture of the HTML page.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scheduler/report/html.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

constexpr double kWidth = 640, kHeight = 340, kLeft = 78, kRight = 18, kTop = 18, kBottom = 46;

// Logarithmic axes over whole decades.
struct Axes {
  double x0, x1, y0, y1;  // decades

  double x(double v) const { return kLeft + (std::log10(v) - x0) / (x1 - x0) * (kWidth - kLeft - kRight); }
  double y(double v) const { return kHeight - kBottom - (std::log10(v) - y0) / (y1 - y0) * (kHeight - kTop - kBottom); }
};

std::string rate(double flops) { return scaled_text(flops, {"FLOP/s", "KFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s"}); }

// 0.001, 0.1, 1, 100: as it would be said.
std::string decade(int d) { return d >= 0 ? fmt::format("{:.0f}", std::pow(10, d)) : fmt::format("{:.{}f}", std::pow(10, d), -d); }

// Classes of the style sheet.
constexpr const char* kKernel = "kernel";
constexpr const char* kGoal = "least";

struct Mark {
  std::string label, detail;
  double intensity;
  const char* kind;
};

}  // namespace

std::string roofline_svg(const Costs& costs, const Target& target) {
  const DeviceLimits dev = limits(target);
  const double bandwidth = dev.hbm_bytes_per_second, peak = dev.fp32_flops, ridge = peak / bandwidth;
  std::vector<Mark> marks;
  for (const KernelCost& k : costs.kernels)
    marks.push_back({k.name, fmt::format("{}: {:.3g} FLOP/byte, {} over {}, at least {}", k.name, k.intensity(), flops_text(k.flops), bytes_text(k.bytes()),
                                         seconds_text(k.seconds(dev))),
                     k.intensity(), kKernel});
  const double least = static_cast<double>(costs.total.flops) / static_cast<double>(std::max<int64_t>(costs.total.compulsory, 1));
  if (costs.total.compulsory > 0)
    marks.push_back({"all in one", fmt::format("the whole pipeline if each byte of its inputs and outputs moved once: {:.3g} FLOP/byte, {}", least, bytes_text(costs.total.compulsory)),
                     least, kGoal});

  // What computes nothing has no place on a logarithm: it stands at the left edge.
  double lowest = ridge / 100, highest = ridge * 10;
  for (const Mark& m : marks) {
    if (m.intensity > 0) lowest = std::min(lowest, m.intensity);
    highest = std::max(highest, m.intensity);
  }
  Axes a{};
  a.x0 = std::max(std::floor(std::log10(lowest)), std::floor(std::log10(ridge)) - 6);
  a.x1 = std::ceil(std::log10(highest));
  const double left = std::pow(10, a.x0), right = std::pow(10, a.x1);
  a.y0 = std::floor(std::log10(std::min(left * bandwidth, peak)));
  a.y1 = std::ceil(std::log10(peak));

  std::string out = fmt::format("<svg class=\"roofline\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Roofline: what each kernel can reach at its intensity\">\n", kWidth, kHeight);
  for (int d = static_cast<int>(a.x0); d <= static_cast<int>(a.x1); ++d) {
    const double x = a.x(std::pow(10, d));
    out += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/><text class=\"tick\" x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>\n", x, kTop,
                       kHeight - kBottom, kHeight - kBottom + 15, decade(d));
  }
  for (int d = static_cast<int>(a.y0); d <= static_cast<int>(a.y1); ++d) {
    const double y = a.y(std::pow(10, d));
    out += fmt::format("<line class=\"grid\" x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/><text class=\"tick\" x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n", y, kLeft,
                       kWidth - kRight, kLeft - 6, y + 4, rate(std::pow(10, d)));
  }
  out += fmt::format("<text class=\"axis\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">FLOP/byte</text>\n", (kLeft + kWidth - kRight) / 2, kHeight - 8);
  out += fmt::format("<polyline class=\"roof\" points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\"/>\n", a.x(left), a.y(left * bandwidth), a.x(ridge), a.y(peak), a.x(right), a.y(peak));
  const double mid = std::pow(left, 0.3) * std::pow(ridge, 0.7);
  const double slope = std::atan2(a.y(left * bandwidth) - a.y(peak), a.x(ridge) - a.x(left)) * 180 / M_PI;
  out += fmt::format("<text class=\"roof-label\" transform=\"translate({:.1f} {:.1f}) rotate({:.1f})\" text-anchor=\"middle\">{} of {}</text>\n", a.x(mid), a.y(mid * bandwidth) - 7, -slope,
                     scaled_text(bandwidth, {"B/s", "KB/s", "MB/s", "GB/s", "TB/s"}), target.is_gpu() ? "HBM" : "memory");
  out += fmt::format("<text class=\"roof-label\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{} in f32</text>\n", a.x(right) - 4, a.y(peak) - 7, rate(peak));

  // Labels stand below the roof, each lower than those before it that are near.
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& p, const Mark& q) { return p.intensity < q.intensity; });
  // The goal is the larger sign, and lies below what reaches it.
  std::stable_partition(marks.begin(), marks.end(), [](const Mark& m) { return m.kind == kGoal; });
  std::vector<std::pair<double, double>> taken;
  for (const Mark& m : marks) {
    const double v = std::clamp(m.intensity, left, right);
    const double x = a.x(v), y = a.y(std::min(v * bandwidth, peak));
    const bool at_right = x > kWidth * 0.62;
    double label = y + 18;
    // From the top: each only moves it further down.
    std::sort(taken.begin(), taken.end(), [](const auto& p, const auto& q) { return p.second < q.second; });
    for (const auto& [tx, ty] : taken)
      if (std::fabs(tx - x) < 190 && std::fabs(ty - label) < 13) label = ty + 13;
    taken.emplace_back(x, label);
    out += fmt::format("<g class=\"{}\"><title>{}</title>", m.kind, escape_html(m.detail));
    out += m.kind == kGoal ? fmt::format("<path d=\"M{0:.1f} {1:.1f} l9 9 l-9 9 l-9 -9 z\"/>", x, y - 9) : fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"/>", x, y);
    if (label < kHeight - kBottom - 2)
      out += fmt::format("<line class=\"leader\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"{5}\">{6}{7}</text>", x, y + 6, label - 3,
                         at_right ? x - 4 : x + 4, label, at_right ? "end" : "start", escape_html(m.label), m.intensity > 0 ? "" : " (computes nothing)");
    out += "</g>\n";
  }
  return out + "</svg>\n";
}

}  // namespace sinter::scheduler
