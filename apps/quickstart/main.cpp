// The quickstart: two pipelines on real files, each unfused and fused, checked, timed and explained.
//
//   sinter_quickstart [--image photo.png] [--amount 1.5] [--tensor x.npy --bias b.npy --residual r.npy] [--out DIR] [--target host]
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "apps/quickstart/bias_gelu.h"
#include "apps/quickstart/unsharp.h"
#include "apps/support/image.h"
#include "apps/support/npy.h"

namespace {

using namespace sinter;
using namespace sinter::apps;

struct Options {
  std::string image, tensor, bias, residual, out = "out", target;
  float amount = 1.5f;
  bool explain = false;
};

Buffer host_buffer(const std::vector<float>& values, std::vector<int64_t> extents) {
  Buffer b = Buffer::host<float>(std::move(extents));
  std::copy(values.begin(), values.end(), b.data<float>());
  return b;
}

void sharpen(const Options& o, const Target& target) {
  const Image image = read_png(o.image);
  if (image.channels < 3) throw std::runtime_error(o.image + ": a colour image is needed (RGB or RGBA); it has " + std::to_string(image.channels) + " channels");
  std::vector<float> planes = to_float(image, SampleOrder::Planar);
  const size_t plane = static_cast<size_t>(image.width) * image.height;
  const std::vector<float> alpha(planes.begin() + 3 * plane, planes.end());
  planes.resize(3 * plane);
  const std::vector<int64_t> extents = {image.width, image.height, 3};
  const Buffer sharp = compare_forms({fmt::format("unsharp mask on {} ({} x {})", std::filesystem::path(o.image).filename().string(), image.width, image.height),
                                      unsharp_mask, {host_buffer(planes, extents), o.amount}, extents, 2e-4},
                                     target, o.explain);
  std::vector<float> result(sharp.data<float>(), sharp.data<float>() + sharp.size());
  result.insert(result.end(), alpha.begin(), alpha.end());
  const std::string path = o.out + "/sharpened.png";
  write_png(path, from_float(result, image.width, image.height, image.channels, SampleOrder::Planar, image.bits));
  fmt::print("  written: {}\n", path);
}

Buffer tensor_from(const std::string& path, const std::vector<int64_t>& shape) {
  const Npy npy = read_npy(path);
  if (npy.dtype != "f4") throw std::runtime_error(path + ": float32 is needed; it holds " + npy.dtype);
  if (npy.shape.size() != shape.size()) throw std::runtime_error(fmt::format("{}: {} dimensions are needed; it has {}", path, shape.size(), npy.shape.size()));
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] >= 0 && npy.shape[d] != shape[d]) throw std::runtime_error(fmt::format("{}: dimension {} is {}, and {} is needed", path, d, npy.shape[d], shape[d]));
  Buffer b = Buffer::host<float>(std::vector<int64_t>(npy.shape.rbegin(), npy.shape.rend()));
  std::memcpy(b.data<float>(), npy.data.data(), npy.data.size());
  return b;
}

Buffer random_tensor(std::vector<int64_t> extents, uint32_t seed) {
  Buffer b = Buffer::host<float>(std::move(extents));
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < b.size(); ++i) b.data<float>()[i] = normal(generator);
  return b;
}

void activate(const Options& o, const Target& target) {
  const Buffer x = o.tensor.empty() ? random_tensor({1024, 768}, 1) : tensor_from(o.tensor, {-1, -1});
  const int64_t n = x.extent(0), m = x.extent(1);
  const Buffer bias = o.bias.empty() ? random_tensor({n}, 2) : tensor_from(o.bias, {n});
  const Buffer residual = o.residual.empty() ? random_tensor({n, m}, 3) : tensor_from(o.residual, {m, n});
  const std::string name = o.tensor.empty() ? "generated tensors" : std::filesystem::path(o.tensor).filename().string();
  const Buffer y = compare_forms({fmt::format("bias + GELU + residual on {} ({} x {})", name, m, n), bias_gelu_residual, {x, bias, residual}, {n, m}, 5e-3}, target, o.explain);
  Npy npy{"f4", {m, n}, {}};
  npy.data.resize(static_cast<size_t>(y.size()) * 4);
  std::memcpy(npy.data.data(), y.data<float>(), npy.data.size());
  const std::string path = o.out + "/activated.npy";
  write_npy(path, npy);
  fmt::print("  written: {}\n", path);
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  o.image = SINTER_QUICKSTART_DATA "/photo.png";
  CLI::App app{"Two pipelines, written as pure functions and fused by a schedule, on your files"};
  app.add_option("--image", o.image, "a colour PNG to sharpen (a picture is bundled)");
  app.add_option("--amount", o.amount, "how much sharper")->capture_default_str();
  app.add_option("--tensor", o.tensor, "x: float32 .npy of shape [M, N] (generated if not given)");
  app.add_option("--bias", o.bias, "float32 .npy of shape [N]");
  app.add_option("--residual", o.residual, "float32 .npy of shape [M, N]");
  app.add_option("--out", o.out, "where the results are written")->capture_default_str();
  app.add_option("--target", o.target, "host, cuda-sm_90a, emulate ... (default: the GPU if there is one, else host)");
  app.add_flag("--explain", o.explain, "print what each schedule became");
  CLI11_PARSE(app, argc, argv);
  try {
    const Target target = o.target.empty() ? native_target() : Target::parse(o.target);
    std::filesystem::create_directories(o.out);
    sharpen(o, target);
    activate(o, target);
  } catch (const std::exception& e) {
    fmt::print(stderr, "\nsinter_quickstart: {}\n", e.what());
    return 1;
  }
}
