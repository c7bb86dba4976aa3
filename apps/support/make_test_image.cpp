#include "apps/support/make_test_image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace sinter::apps {
namespace {

constexpr double pi = 3.14159265358979323846;

struct Color {
  double r, g, b;
};

Color mix(Color from, Color to, double t) {
  t = std::clamp(t, 0.0, 1.0);
  return {from.r + (to.r - from.r) * t, from.g + (to.g - from.g) * t, from.b + (to.b - from.b) * t};
}

Color add(Color base, Color light, double amount) {
  return {base.r + light.r * amount, base.g + light.g * amount, base.b + light.b * amount};
}

double smooth(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// A value in [0, 1) for each integer and seed; integer arithmetic only.
double hash01(std::uint32_t x, std::uint32_t seed) {
  x = (x ^ seed) * 0x9e3779b1u;
  x = (x ^ (x >> 15)) * 0x85ebca77u;
  x = (x ^ (x >> 13)) * 0xc2b2ae3du;
  return static_cast<double>((x ^ (x >> 16)) >> 8) / 16777216.0;
}

// Smooth noise along a line, four octaves, in about [0, 1].
double ridge_noise(double x, std::uint32_t seed) {
  double sum = 0, weight = 0.5;
  for (std::uint32_t octave = 0; octave < 5; ++octave) {
    double cell = std::floor(x);
    auto index = static_cast<std::uint32_t>(static_cast<std::int64_t>(cell));
    double a = hash01(index, seed + octave), b = hash01(index + 1, seed + octave);
    sum += weight * (a + (b - a) * smooth(x - cell));
    weight *= 0.5;
    x = x * 2.03 + 11.7;
  }
  return sum;
}

struct Ridge {
  double base, height, frequency;
  std::uint32_t seed;
  Color color;
};

constexpr std::array<Ridge, 4> ridges = {{
    {0.60, 0.30, 2.1, 11, {0.62, 0.55, 0.66}},
    {0.63, 0.24, 3.3, 23, {0.42, 0.40, 0.55}},
    {0.66, 0.20, 4.7, 37, {0.24, 0.27, 0.40}},
    {0.69, 0.13, 7.9, 53, {0.09, 0.12, 0.20}},
}};

constexpr double shore = 0.70;
constexpr double sun_x = 0.98, sun_y = 0.40;  // x runs to 1.5 in the usual 3:2 frame

Color sky(double x, double y) {
  Color color = mix({0.13, 0.22, 0.47}, {0.55, 0.52, 0.72}, y / 0.35);
  color = mix(color, {0.98, 0.66, 0.42}, (y - 0.2) / 0.42);
  double distance = std::hypot(x - sun_x, y - sun_y);
  color = add(color, {1.0, 0.72, 0.36}, 0.55 * std::exp(-distance * 5.5));
  return mix(color, {1.0, 0.95, 0.80}, smooth((0.062 - distance) / 0.004));
}

// Everything above the water. `y` may be mirrored by the caller.
Color land(double x, double y, double pixel) {
  Color color = sky(x, y);
  for (const Ridge& ridge : ridges) {
    double top = ridge.base - ridge.height * (ridge_noise(x * ridge.frequency + 3, ridge.seed) - 0.25);
    double inside = (y - top) / pixel + 0.5;  // coverage of this pixel: an edge of one pixel's width
    if (inside <= 0) continue;
    Color haze = mix(ridge.color, {0.95, 0.68, 0.50}, 0.35 * smooth((y - top) / 0.2));
    color = mix(color, haze, inside);
  }
  return color;
}

Color water(double x, double y, double pixel) {
  double depth = (y - shore) / (1 - shore);
  double ripple = std::sin(220 * std::sqrt(depth + 0.02) + 6 * std::sin(9 * x)) +
                  0.6 * std::sin(31 * x + 130 * depth);
  double shift = 0.006 * ripple * (0.3 + depth);
  Color color = land(x + shift, shore - (y - shore) * 0.9 + shift, pixel);
  color = mix(color, {0.05, 0.09, 0.18}, 0.28 + 0.4 * depth);
  double glint = std::exp(-std::pow((x - sun_x) / (0.05 + 0.12 * depth), 2));
  return add(color, {1.0, 0.70, 0.40}, 0.35 * glint * smooth(0.5 + 0.5 * ripple));
}

// A tower with lit windows: straight edges and small bright spots.
Color tower(Color color, double x, double y) {
  double left = 0.20, right = 0.245, top = 0.36;
  bool roof = y > top - 0.045 && y <= top && std::fabs(x - 0.2225) < 0.03 * (y - top + 0.045) / 0.045;
  bool wall = x > left && x < right && y > top && y < shore;
  if (roof) return {0.10, 0.07, 0.11};
  if (!wall) return color;
  double u = (x - left) / (right - left) * 3, v = (y - top) / 0.032;
  bool window = u - std::floor(u) > 0.35 && u - std::floor(u) < 0.75 && v - std::floor(v) > 0.3 &&
                v - std::floor(v) < 0.8;
  auto index = static_cast<std::uint32_t>(std::floor(u) + 8 * std::floor(v));
  if (window && hash01(index, 5) > 0.45) return {1.0, 0.86, 0.52};
  return mix({0.14, 0.11, 0.16}, {0.30, 0.20, 0.20}, (x - left) / (right - left));
}

// Lines of marks as dense as printed text, black on paper.
double text_mark(double u, double v) {
  double row = std::floor(v * 9), column = std::floor(u * 26);
  double in_row = v * 9 - row, in_column = u * 26 - column;
  if (in_row < 0.2 || in_row > 0.75 || in_column > 0.8) return 0;
  if (row >= 9 || (row == 8 && column > 14)) return 0;
  auto glyph = static_cast<std::uint32_t>(row * 64 + column);
  if (hash01(glyph, 91) < 0.16) return 0;  // the space between words
  auto cell = static_cast<std::uint32_t>(std::floor(in_column / 0.27) + 4 * std::floor(in_row * 5.5));
  return hash01(glyph * 64 + cell, 17) > 0.42 ? 1 : 0;
}

// A card with the patterns that show what a filter does to fine detail.
Color card(Color color, double x, double y) {
  double u = (x - 0.04) / 0.40, v = (y - 0.80) / 0.16;
  if (u < 0 || u >= 1 || v < 0 || v >= 1) return color;
  Color paper = {0.95, 0.93, 0.88}, ink = {0.08, 0.08, 0.10};
  double px = u * 2.5, py = v;  // square units: three panels of 0.8 along x
  if (px < 0.84) {
    double dx = px - 0.44, dy = py - 0.5, r2 = dx * dx + dy * dy;  // rings, finer outwards
    if (r2 > 0.16) return paper;
    return mix(ink, paper, 0.5 + 0.5 * std::cos(r2 * 2 * pi * 56));
  }
  if (px < 1.68) {
    double dx = px - 1.26, dy = py - 0.5;  // spokes, finer inwards
    if (std::hypot(dx, dy) > 0.40) return paper;
    return mix(ink, paper, 0.5 + 1.5 * std::sin(24 * std::atan2(dy, dx)));
  }
  double tu = (px - 1.72) / 0.72, tv = (py - 0.08) / 0.84;
  if (tu < 0 || tu >= 1 || tv < 0 || tv >= 1) return paper;
  return mix(paper, ink, text_mark(tu, tv));
}

std::byte to_byte(double value) {
  return static_cast<std::byte>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
}

}  // namespace

Image make_test_image(int width, int height) {
  Image image{width, height, 3, 8, {}};
  image.data.reserve(image.samples());
  double pixel = 1.0 / height;
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      double x = (column + 0.5) / width * 1.5, y = (row + 0.5) * pixel;
      Color color = y < shore ? land(x, y, pixel) : water(x, y, pixel);
      color = card(tower(color, x, y), x, y);
      for (double value : {color.r, color.g, color.b}) image.data.push_back(to_byte(value));
    }
  }
  return image;
}

}  // namespace sinter::apps
