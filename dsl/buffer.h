// Buffer: a tensor in host or device memory, as users hold one and pipelines take it.
#pragma once

#include <dlpack/dlpack.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "dsl/half.h"

namespace sinter {

/// A Buffer used as what it is not: wrong element type, out of bounds, memory of another device.
class BufferError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The DLPack element type that C++ type T is stored as.
template <class T>
constexpr DLDataType dtype_of() {
  constexpr uint8_t bits = 8 * sizeof(T);
  if constexpr (std::is_same_v<T, bool>) {
    return {6, 8, 1};  // kDLBool, which older versions of dlpack.h lack
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return {kDLBfloat, bits, 1};
  } else if constexpr (std::is_same_v<T, float8_e4m3> || std::is_same_v<T, float8_e5m2>) {
    return {std::is_same_v<T, float8_e4m3> ? 10 : 12, bits, 1};  // kDLFloat8_e4m3fn, kDLFloat8_e5m2 of DLPack 1.1
  } else if constexpr (std::is_same_v<T, float16> || std::is_floating_point_v<T>) {
    static_assert(sizeof(T) <= 8, "no such element type");
    return {kDLFloat, bits, 1};
  } else {
    static_assert(std::is_integral_v<T>, "no such element type");
    return {static_cast<uint8_t>(std::is_signed_v<T> ? kDLInt : kDLUInt), bits, 1};
  }
}

/// A handle on a typed, strided, multi-dimensional piece of memory. Copies of a handle are the same
/// buffer, and so is a cropped view; the memory goes with the last of them. Nothing is ever copied
/// between host and device except by copy_to_host and copy_to_device.
///
/// Dimensions are in Func order: dimension 0 is the innermost. A row-major [M, N] tensor has
/// extents {N, M}. Coordinates begin at 0.
class Buffer {
 public:
  /// No buffer; only defined() may be asked.
  Buffer() = default;

  /// New host memory, compact, 64-byte aligned, zeroed.
  static Buffer host(DLDataType type, std::vector<int64_t> extents);
  template <class T>
  static Buffer host(std::vector<int64_t> extents) {
    return host(dtype_of<T>(), std::move(extents));
  }

  /// New memory on the current CUDA device, compact, 256-byte aligned, not initialised.
  static Buffer device(DLDataType type, std::vector<int64_t> extents);
  template <class T>
  static Buffer device(std::vector<int64_t> extents) {
    return device(dtype_of<T>(), std::move(extents));
  }

  /// A view of somebody else's tensor: its description is copied, its memory is not. `owner`, if
  /// given, is kept while the buffer lives; else the memory has to outlive it.
  static Buffer wrap(const DLTensor& tensor, std::shared_ptr<void> owner = nullptr);

  /// A view of compact host memory.
  template <class T>
  static Buffer view(T* data, std::vector<int64_t> extents) {
    return view(data, dtype_of<T>(), std::move(extents));
  }
  static Buffer view(void* data, DLDataType type, std::vector<int64_t> extents);

  /// Takes ownership: the tensor's deleter runs when the last handle goes, and also if this throws.
  static Buffer from_dlpack(DLManagedTensor* tensor);

  /// A tensor that shares this buffer's memory, for one consumer, who calls its deleter.
  DLManagedTensor* to_dlpack() const;

  bool defined() const { return view_ != nullptr; }
  DLDataType dtype() const { return tensor().dtype; }
  int rank() const { return tensor().ndim; }
  int64_t extent(int d) const;
  /// In elements.
  int64_t stride(int d) const;
  /// Number of elements.
  int64_t size() const;
  /// Bytes of an element.
  int64_t element_bytes() const { return (tensor().dtype.bits * tensor().dtype.lanes + 7) / 8; }
  /// Whether the elements fill their memory, dimension 0 innermost.
  bool compact() const;
  /// Whether the host can read and write it.
  bool on_host() const;
  /// Whether it is memory of a CUDA device.
  bool on_device() const { return tensor().device.device_type == kDLCUDA; }

  /// For the C ABI and for other libraries. Valid while a handle on this buffer lives.
  const DLTensor* dltensor() const { return &tensor(); }

  /// The first element, of whatever type, on the host or the device.
  void* raw_data() const;

  /// The first element, on the host or the device. T is the element type, exactly; uint8_t also for
  /// bool.
  template <class T>
  T* data() const {
    check_type(dtype_of<T>());
    return static_cast<T*>(raw_data());
  }

  /// The element at these coordinates, of a host buffer. Bounds are checked.
  template <class T, class... Coordinates>
  T& at(Coordinates... coordinates) const {
    static_assert((std::is_integral_v<Coordinates> && ...), "coordinates are integers");
    return data<T>()[offset_of({static_cast<int64_t>(coordinates)...})];
  }

  /// A view of coordinates [min, min + extent) of dimension d, which begins at 0 again.
  Buffer cropped(int d, int64_t min, int64_t extent) const;

  /// Sets every element. A device buffer has to be compact.
  template <class T>
  void fill(T value) const {
    check_type(dtype_of<T>());
    fill_bytes(&value);
  }

  /// A new compact buffer on the host with the same elements. Waits for the default stream; give
  /// the one that writes the buffer if it is another.
  Buffer copy_to_host(void* stream = nullptr) const;

  /// A new compact buffer on the current CUDA device with the same elements.
  Buffer copy_to_device(void* stream = nullptr) const;

 private:
  struct View;
  explicit Buffer(std::shared_ptr<const View> view) : view_(std::move(view)) {}
  static Buffer make(void* data, DLDevice device, DLDataType type, std::vector<int64_t> shape,
                     std::vector<int64_t> strides, std::shared_ptr<void> owner);

  const DLTensor& tensor() const;
  void check_type(DLDataType wanted) const;
  int64_t offset_of(std::initializer_list<int64_t> coordinates) const;
  void fill_bytes(const void* element) const;

  std::shared_ptr<const View> view_;
};

/// "float32", "bfloat16", "uint8 x 4 lanes".
std::string to_string(DLDataType type);

}  // namespace sinter
