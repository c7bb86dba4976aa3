// The image applications against the same formulas written as plain loops: what the other tests take as right is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "apps/bilateral_grid/bilateral_grid.h"
#include "apps/histogram/histogram.h"
#include "apps/iir_blur/iir_blur.h"
#include "apps/interpolate/interpolate.h"
#include "apps/max_filter/max_filter.h"
#include "tests/support/cases.h"

namespace sinter::testing {
namespace {

using apps::Scheduled;

// A dense image of C++ values; at() repeats its edges.
template <class T>
struct Image {
  int width, height, channels;
  std::vector<T> data;
  Image(int w, int h, int c) : width(w), height(h), channels(c), data(static_cast<size_t>(w) * h * c) {}
  explicit Image(const Buffer& b) : Image(static_cast<int>(b.extent(0)), b.rank() > 1 ? static_cast<int>(b.extent(1)) : 1, b.rank() > 2 ? static_cast<int>(b.extent(2)) : 1) {
    std::copy_n(static_cast<const T*>(b.raw_data()), data.size(), data.begin());
  }
  T& operator()(int x, int y, int c) { return data[(static_cast<size_t>(c) * height + y) * width + x]; }
  const T& at(int x, int y, int c) const {
    return data[(static_cast<size_t>(c) * height + std::clamp(y, 0, height - 1)) * width + std::clamp(x, 0, width - 1)];
  }
};

// The oracle and the schedule for a host give what `right` says, within `tolerance`.
template <class T>
void expect(const std::function<Pipeline(Scheduled)>& app, const std::vector<CallArgument>& inputs, Image<T> right, double tolerance = 0) {
  for (const bool oracle : {true, false}) {
    const Buffer out = right.channels > 1 ? Buffer::host<T>({right.width, right.height, right.channels}) : Buffer::host<T>({right.width, right.height});
    std::vector<CallArgument> arguments = inputs;
    arguments.emplace_back(out);
    Pipeline p = app(oracle ? Scheduled::ByDefault : Scheduled::ForHost);
    if (oracle) p.interpret(arguments);
    else p.realize(arguments, Target::parse("host"));
    const Image<T> got(out);
    int wrong = 0;
    for (int c = 0; c < right.channels; ++c)
      for (int y = 0; y < right.height; ++y)
        for (int x = 0; x < right.width; ++x)
          if (!(std::fabs(static_cast<double>(got.at(x, y, c)) - static_cast<double>(right.at(x, y, c))) <= tolerance) && ++wrong <= 3)
            ADD_FAILURE() << (oracle ? "oracle" : "host") << " (" << x << ", " << y << ", " << c << "): " << +got.at(x, y, c) << ", expected " << +right.at(x, y, c);
    EXPECT_EQ(wrong, 0);
  }
}

const std::pair<int, int> sizes[] = {{67, 45}, {3, 50}, {1, 1}};

TEST(ImageApps, MaxFilter) {
  for (const auto& [w, h] : sizes)
    for (const int radius : {0, 1, 9}) {
      const Buffer in = normals(dtype_of<float>(), {w, h, 2});
      const Image<float> image(in);
      Image<float> right(w, h, 2);
      for (int c = 0; c < 2; ++c)
        for (int y = 0; y < h; ++y)
          for (int x = 0; x < w; ++x) {
            float most = image.at(x, y, c);
            for (int dy = -radius; dy <= radius; ++dy)
              for (int dx = -radius; dx <= radius; ++dx)
                if (dx * dx + dy * dy <= radius * radius) most = std::max(most, image.at(x + dx, y + dy, c));
            right(x, y, c) = most;
          }
      expect<float>([&](Scheduled how) { return apps::max_filter(radius, how); }, {in}, right);
    }
}

TEST(ImageApps, HistogramEqualize) {
  for (const auto& [w, h] : sizes) {
    const Buffer in = integers(dtype_of<uint8_t>(), {w, h, 3}, 1, 20, 180);
    Image<uint8_t> image(in), right(w, h, 3);
    std::vector<int> luma, counts(256, 0);
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        luma.push_back((77 * image(x, y, 0) + 150 * image(x, y, 1) + 29 * image(x, y, 2) + 128) >> 8);
        ++counts[luma.back()];
      }
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        const int v = luma[y * w + x];
        int64_t below = 0;
        for (int b = 0; b <= v; ++b) below += counts[b];
        const int gain = static_cast<int>(below * 255 / (static_cast<int64_t>(w) * h)) - v;
        for (int c = 0; c < 3; ++c) right(x, y, c) = static_cast<uint8_t>(std::clamp(image(x, y, c) + gain, 0, 255));
      }
    expect<uint8_t>([](Scheduled how) { return apps::histogram_equalize(how); }, {in}, right);
  }
}

TEST(ImageApps, IirBlur) {
  for (const auto& [w, h] : sizes) {
    const Buffer in = normals(dtype_of<float>(), {w, h, 3});
    const float alpha = 0.3f;
    Image<float> image(in), right(w, h, 3);
    // One line of n values, forth and back.
    const auto blur = [&](std::vector<double> v) {
      for (size_t i = 1; i < v.size(); ++i) v[i] = (1 - alpha) * v[i - 1] + alpha * v[i];
      for (size_t i = v.size() - 1; i-- > 0;) v[i] = (1 - alpha) * v[i + 1] + alpha * v[i];
      return v;
    };
    for (int c = 0; c < 3; ++c) {
      std::vector<std::vector<double>> columns(w, std::vector<double>(h));
      for (int x = 0; x < w; ++x) {
        for (int y = 0; y < h; ++y) columns[x][y] = image(x, y, c);
        columns[x] = blur(columns[x]);
      }
      for (int y = 0; y < h; ++y) {
        std::vector<double> row(w);
        for (int x = 0; x < w; ++x) row[x] = columns[x][y];
        row = blur(row);
        for (int x = 0; x < w; ++x) right(x, y, c) = static_cast<float>(row[x]);
      }
    }
    expect<float>([](Scheduled how) { return apps::iir_blur(how); }, {in, alpha}, right, 1e-5);
  }
}

TEST(ImageApps, BilateralGrid) {
  constexpr int cell = 4, bins = 6;
  for (const auto& [w, h] : sizes) {
    const Buffer in = normals(dtype_of<float>(), {w, h});
    const Image<float> image(in);
    Image<float> right(w, h, 1);
    // Cells from -3 on, so that the blur of those that are read finds all it needs.
    const int cw = w / cell + 8, ch = h / cell + 8, cz = bins + 1;
    using Grid = std::vector<std::array<double, 2>>;
    const auto at = [&](Grid& g, int x, int y, int z) -> std::array<double, 2>& { return g[(static_cast<size_t>(z) * ch + y + 3) * cw + x + 3]; };
    Grid grid(static_cast<size_t>(cw) * ch * cz);
    for (int y = -3; y < ch - 3; ++y)
      for (int x = -3; x < cw - 3; ++x)
        for (int dy = 0; dy < cell; ++dy)
          for (int dx = 0; dx < cell; ++dx) {
            const float v = std::clamp(image.at(x * cell + dx - cell / 2, y * cell + dy - cell / 2, 0), 0.f, 1.f);
            auto& sums = at(grid, x, y, static_cast<int>(v * bins + 0.5f));
            sums[0] += v;
            sums[1] += 1;
          }
    constexpr int weights[] = {1, 4, 6, 4, 1};
    for (int axis = 0; axis < 3; ++axis) {
      Grid blurred(grid.size());
      for (int z = 0; z < cz; ++z)
        for (int y = -3; y < ch - 3; ++y)
          for (int x = -3; x < cw - 3; ++x)
            for (int d = -2; d <= 2; ++d) {
              const int sx = x + (axis == 0) * d, sy = y + (axis == 1) * d, sz = z + (axis == 2) * d;
              if (sx < -3 || sx >= cw - 3 || sy < -3 || sy >= ch - 3 || sz < 0 || sz >= cz) continue;
              for (int i : {0, 1}) at(blurred, x, y, z)[i] += weights[d + 2] * at(grid, sx, sy, sz)[i];
            }
      grid = blurred;
    }
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        const double level = std::clamp(image.at(x, y, 0), 0.f, 1.f) * bins;
        const int z = std::min(static_cast<int>(level), bins - 1);
        double total[2] = {0, 0};
        for (int corner = 0; corner < 8; ++corner) {
          const int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
          const double fx = x % cell / double(cell), fy = y % cell / double(cell), fz = level - z;
          for (int i : {0, 1}) total[i] += (dx ? fx : 1 - fx) * (dy ? fy : 1 - fy) * (dz ? fz : 1 - fz) * at(grid, x / cell + dx, y / cell + dy, z + dz)[i];
        }
        right(x, y, 0) = static_cast<float>(total[0] / total[1]);
      }
    expect<float>([](Scheduled how) { return apps::bilateral_grid(cell, bins, how); }, {in}, right, 1e-5);
  }
}

TEST(ImageApps, Interpolate) {
  constexpr int levels = 4;
  for (const auto& [w, h] : sizes) {
    const Buffer in = integers(dtype_of<float>(), {w, h, 4}, 1, 0, 4);
    float* p = static_cast<float*>(in.raw_data());
    for (int64_t i = 0; i < in.size(); ++i) p[i] = p[i] / 4 * (i % 5 != 3);
    p[in.size() - 1] = 1;
    const Image<float> image(in);
    Image<float> right(w, h, 3);
    // Values of a level at any coordinates, computed when they are asked for.
    const std::function<double(int, int, int, int)> down = [&](int l, int x, int y, int c) -> double {
      if (l == 0) return (c < 3 ? image.at(x, y, c) : 1.f) * image.at(x, y, 3);
      double sum = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) sum += (2 - std::abs(dx)) * (2 - std::abs(dy)) * down(l - 1, 2 * x + dx, 2 * y + dy, c) / 16;
      return sum;
    };
    std::map<std::array<int, 4>, double> known;
    const std::function<double(int, int, int, int)> filled = [&](int l, int x, int y, int c) -> double {
      const auto [it, is_new] = known.try_emplace({l, x, y, c});
      if (!is_new) return it->second;
      double v = down(l, x, y, c);
      if (l < levels - 1) {
        const double around = (filled(l + 1, x / 2, y / 2, c) + filled(l + 1, (x + 1) / 2, y / 2, c) + filled(l + 1, x / 2, (y + 1) / 2, c) + filled(l + 1, (x + 1) / 2, (y + 1) / 2, c)) / 4;
        v += (1 - down(l, x, y, 3)) * around;
      }
      return known[{l, x, y, c}] = v;
    };
    for (int c = 0; c < 3; ++c)
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) right(x, y, c) = static_cast<float>(filled(0, x, y, c) / filled(0, x, y, 3));
    expect<float>([](Scheduled how) { return apps::interpolate(levels, how); }, {in}, right, 1e-5);
  }
}

}  // namespace
}  // namespace sinter::testing
