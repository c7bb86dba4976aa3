// The image applications against the same formulas written as plain loops: what the other tests take as right is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "apps/histogram/histogram.h"
#include "apps/iir_blur/iir_blur.h"
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

}  // namespace
}  // namespace sinter::testing
