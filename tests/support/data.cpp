#include <cmath>
#include <cstring>
#include <random>
#include <sstream>

#include "tests/support/cases.h"

namespace sinter::testing {

namespace {

template <class T>
bool is_type(DLDataType t) {
  return t.code == dtype_of<T>().code && t.bits == dtype_of<T>().bits;
}

// One element as a double, and back; every element type.
double read_element(const Buffer& b, const std::byte* p) {
  const DLDataType t = b.dtype();
  const auto get = [&]<class T>(T) {
    T v;
    std::memcpy(&v, p, sizeof v);
    return v;
  };
  if (is_type<float8_e4m3>(t)) return float(get(float8_e4m3{}));
  if (is_type<float8_e5m2>(t)) return float(get(float8_e5m2{}));
  if (t.code == kDLBfloat) return float(get(bfloat16{}));
  if (t.code == kDLFloat) return t.bits == 16 ? float(get(float16{})) : t.bits == 32 ? get(float{}) : get(double{});
  const bool is_signed = t.code == kDLInt;
  switch (t.bits) {
    case 8: return is_signed ? get(int8_t{}) : get(uint8_t{});
    case 16: return is_signed ? get(int16_t{}) : get(uint16_t{});
    case 32: return is_signed ? get(int32_t{}) : get(uint32_t{});
    default: return static_cast<double>(is_signed ? get(int64_t{}) : static_cast<int64_t>(get(uint64_t{})));
  }
}

void write_element(const Buffer& b, std::byte* p, double v) {
  const DLDataType t = b.dtype();
  const auto put = [&](auto x) { std::memcpy(p, &x, sizeof x); };
  if (is_type<float8_e4m3>(t)) return put(float8_e4m3(static_cast<float>(v)));
  if (is_type<float8_e5m2>(t)) return put(float8_e5m2(static_cast<float>(v)));
  if (t.code == kDLBfloat) return put(bfloat16(static_cast<float>(v)));
  if (t.code == kDLFloat) return t.bits == 16 ? put(float16(static_cast<float>(v))) : t.bits == 32 ? put(static_cast<float>(v)) : put(v);
  const auto i = static_cast<int64_t>(v);
  switch (t.bits) {
    case 8: return put(static_cast<uint8_t>(t.code == 6 ? (i & 1) : i));
    case 16: return put(static_cast<uint16_t>(i));
    case 32: return put(static_cast<uint32_t>(i));
    default: return put(static_cast<uint64_t>(i));
  }
}

template <class Draw>
Buffer filled(DLDataType type, std::vector<int64_t> extents, Draw draw) {
  Buffer b = Buffer::host(type, std::move(extents));
  auto* p = static_cast<std::byte*>(b.raw_data());
  for (int64_t i = 0; i < b.size(); ++i) write_element(b, p + i * b.element_bytes(), draw());
  return b;
}

// Calls f(address in a, address in b, coordinates) for each element of two buffers of the same extents.
template <class F>
void each_element(const Buffer& a, const Buffer& b, F f) {
  std::vector<int64_t> at(a.rank(), 0);
  if (a.size() == 0) return;
  for (;;) {
    int64_t oa = 0, ob = 0;
    for (int d = 0; d < a.rank(); ++d) oa += at[d] * a.stride(d), ob += at[d] * b.stride(d);
    if (!f(static_cast<const std::byte*>(a.raw_data()) + oa * a.element_bytes(), static_cast<const std::byte*>(b.raw_data()) + ob * b.element_bytes(), at)) return;
    int d = 0;
    while (d < a.rank() && ++at[d] == a.extent(d)) at[d++] = 0;
    if (d == a.rank()) return;
  }
}

std::string compare(const Buffer& expected, const Buffer& got, const Case& c, const std::string& name) {
  std::string difference;
  const bool is_float = [&](DLDataType t) {
    return t.code == kDLFloat || t.code == kDLBfloat || is_type<float8_e4m3>(t) || is_type<float8_e5m2>(t);
  }(expected.dtype());
  each_element(expected, got, [&](const std::byte* e, const std::byte* g, const std::vector<int64_t>& at) {
    if (!is_float && std::memcmp(e, g, expected.element_bytes()) == 0) return true;
    const double x = read_element(expected, e), y = read_element(got, g);
    if (is_float) {
      if (x == y || (std::isnan(x) && std::isnan(y))) return true;
      if (std::fabs(x - y) <= c.absolute + c.relative * std::fabs(x)) return true;
    }
    std::ostringstream text;
    text.precision(9);
    text << name << "(";
    for (size_t d = 0; d < at.size(); ++d) text << (d ? ", " : "") << at[d];
    text << "): expected " << x << ", got " << y;
    difference = text.str();
    return false;
  });
  return difference;
}

// The same elements in memory of the same strides, for the device (crops keep their gaps).
Buffer fresh_output(const Buffer& like) { return Buffer::host(like.dtype(), [&] {
    std::vector<int64_t> e;
    for (int d = 0; d < like.rank(); ++d) e.push_back(like.extent(d));
    return e;
  }()); }

void poison(const Buffer& b) { std::memset(b.raw_data(), 0xCD, static_cast<size_t>(b.size() * b.element_bytes())); }

}  // namespace

Buffer integers(DLDataType type, std::vector<int64_t> extents, uint32_t seed, int low, int high) {
  std::mt19937 generator(seed);
  if (type.code == kDLUInt && low < 0) low = 0;
  std::uniform_int_distribution<int> d(low, high);
  return filled(type, std::move(extents), [&] { return static_cast<double>(d(generator)); });
}

Buffer normals(DLDataType type, std::vector<int64_t> extents, uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> d;
  return filled(type, std::move(extents), [&] { return d(generator); });
}

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

std::string run_and_compare(const Case& c, const Target& target) {
  const Built built = c.build();
  std::vector<Buffer> expected, got;
  std::vector<CallArgument> oracle = built.inputs, call;
  const bool device = target.backend == ir::Backend::Cuda;
  for (const CallArgument& a : built.inputs) call.push_back(device && a.is_buffer() ? CallArgument(a.buffer().copy_to_device()) : a);
  for (const Buffer& o : built.outputs) {
    expected.push_back(fresh_output(o));
    got.push_back(fresh_output(o));
    poison(expected.back());
    poison(got.back());
    if (device) got.back() = got.back().copy_to_device();
    oracle.emplace_back(expected.back());
    call.emplace_back(got.back());
  }
  built.pipeline.interpret(oracle);
  built.pipeline.compile_jit(target).call(call);
  for (size_t i = 0; i < expected.size(); ++i) {
    const Buffer host = device ? got[i].copy_to_host() : got[i];
    const std::string difference = compare(expected[i], host, c, "output " + std::to_string(i));
    if (!difference.empty()) return difference;
  }
  return "";
}

}  // namespace sinter::testing
