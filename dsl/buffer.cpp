#include "dsl/buffer.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "codegen/runtime/sinter_runtime.h"

namespace sinter {
namespace {

constexpr std::align_val_t host_alignment{64};
constexpr uint8_t code_bool = 6;

[[noreturn]] void raise(const std::string& text) { throw BufferError("Buffer: " + text); }

/// Turns a code of the runtime into an exception.
void check(int code) {
  if (code != SINTER_OK) raise(sinter_last_error());
}

std::vector<int64_t> reversed(std::vector<int64_t> v) {
  std::reverse(v.begin(), v.end());
  return v;
}

/// For a shape in DLPack order. Extents of 0 count as 1, as elsewhere.
std::vector<int64_t> compact_strides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(shape[i], 1), &stride)) {
      raise("more elements than fit 64 bits");
    }
  }
  return strides;
}

void check_extents(const std::vector<int64_t>& extents) {
  for (int64_t extent : extents) {
    if (extent < 0 || extent > SINTER_RT_MAX_EXTENT) {
      raise("needed extents from 0 to " + std::to_string(SINTER_RT_MAX_EXTENT) + ", given " + std::to_string(extent));
    }
  }
}

/// The bytes of a new compact buffer of these extents.
uint64_t bytes_of(DLDataType type, const std::vector<int64_t>& extents) {
  int64_t bytes = (type.bits * type.lanes + 7) / 8;
  for (int64_t extent : extents) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) raise("more bytes than fit 64 bits");
  }
  return static_cast<uint64_t>(bytes);
}

/// Copies the elements of a strided piece of memory at `from` to compact memory, dimension by
/// dimension from the outside in. Returns the end of what it wrote.
std::byte* gather(const DLTensor& t, int dim, const std::byte* from, int64_t element,
                  std::byte* to) {
  if (dim == t.ndim) {
    std::memcpy(to, from, element);
    return to + element;
  }
  if (dim == t.ndim - 1 && t.strides[dim] == 1) {
    std::memcpy(to, from, t.shape[dim] * element);
    return to + t.shape[dim] * element;
  }
  for (int64_t i = 0; i < t.shape[dim]; ++i) {
    to = gather(t, dim + 1, from + i * t.strides[dim] * element, element, to);
  }
  return to;
}

void scatter(const DLTensor& t, int dim, std::byte* to, int64_t element, const void* value) {
  if (dim == t.ndim) {
    std::memcpy(to, value, element);
    return;
  }
  for (int64_t i = 0; i < t.shape[dim]; ++i) {
    scatter(t, dim + 1, to + i * t.strides[dim] * element, element, value);
  }
}

}  // namespace

/// What handles share. The DLTensor points into the vectors, so a View never moves.
struct Buffer::View {
  std::vector<int64_t> shape, strides;  // in DLPack order
  std::shared_ptr<void> owner;
  DLTensor tensor;
};

Buffer Buffer::make(void* data, DLDevice device, DLDataType type, std::vector<int64_t> shape,
                    std::vector<int64_t> strides, std::shared_ptr<void> owner) {
  auto view = std::make_shared<View>();
  view->shape = std::move(shape);
  view->strides = std::move(strides);
  view->owner = std::move(owner);
  view->tensor = DLTensor{data,
                          device,
                          static_cast<int>(view->shape.size()),
                          type,
                          view->shape.data(),
                          view->strides.data(),
                          0};
  return Buffer(std::move(view));
}

Buffer Buffer::host(DLDataType type, std::vector<int64_t> extents) {
  check_extents(extents);
  std::vector<int64_t> shape = reversed(std::move(extents));
  std::vector<int64_t> strides = compact_strides(shape);
  const uint64_t bytes = bytes_of(type, shape);
  void* data = ::operator new(std::max<uint64_t>(bytes, 1), host_alignment);
  std::shared_ptr<void> owner(data, [](void* p) { ::operator delete(p, host_alignment); });
  std::memset(data, 0, bytes);
  return make(data, DLDevice{kDLCPU, 0}, type, std::move(shape), std::move(strides),
              std::move(owner));
}

Buffer Buffer::device(DLDataType type, std::vector<int64_t> extents) {
  check_extents(extents);
  std::vector<int64_t> shape = reversed(std::move(extents));
  std::vector<int64_t> strides = compact_strides(shape);
  int id = 0;
  void* data = nullptr;
  check(sinter_rt_device_current(&id));
  check(sinter_rt_device_alloc(bytes_of(type, shape), &data));
  std::shared_ptr<void> owner(data, [](void* p) { sinter_rt_device_free(p); });
  return make(data, DLDevice{kDLCUDA, id}, type, std::move(shape), std::move(strides),
              std::move(owner));
}

Buffer Buffer::wrap(const DLTensor& tensor, std::shared_ptr<void> owner) {
  if (tensor.ndim < 0 || (tensor.ndim > 0 && !tensor.shape)) raise("a tensor without a shape");
  std::vector<int64_t> shape(tensor.shape, tensor.shape + tensor.ndim);
  check_extents(shape);
  std::vector<int64_t> strides =
      tensor.strides ? std::vector<int64_t>(tensor.strides, tensor.strides + tensor.ndim)
                     : compact_strides(shape);
  void* data = tensor.data ? static_cast<std::byte*>(tensor.data) + tensor.byte_offset : nullptr;
  return make(data, tensor.device, tensor.dtype, std::move(shape), std::move(strides),
              std::move(owner));
}

Buffer Buffer::view(void* data, DLDataType type, std::vector<int64_t> extents) {
  check_extents(extents);
  std::vector<int64_t> shape = reversed(std::move(extents));
  std::vector<int64_t> strides = compact_strides(shape);
  return make(data, DLDevice{kDLCPU, 0}, type, std::move(shape), std::move(strides), nullptr);
}

Buffer Buffer::from_dlpack(DLManagedTensor* tensor) {
  if (!tensor) raise("from_dlpack of NULL");
  std::shared_ptr<DLManagedTensor> owner(tensor, [](DLManagedTensor* t) {
    if (t->deleter) t->deleter(t);
  });
  return wrap(tensor->dl_tensor, std::move(owner));
}

DLManagedTensor* Buffer::to_dlpack() const {
  struct Exported {
    DLManagedTensor managed;
    Buffer keep;
  };
  auto* exported = new Exported{{tensor(), nullptr, nullptr}, *this};
  exported->managed.manager_ctx = exported;
  exported->managed.deleter = [](DLManagedTensor* self) {
    delete static_cast<Exported*>(self->manager_ctx);
  };
  return &exported->managed;
}

const DLTensor& Buffer::tensor() const {
  if (!view_) raise("this handle has no buffer");
  return view_->tensor;
}

int64_t Buffer::extent(int d) const {
  const DLTensor& t = tensor();
  if (d < 0 || d >= t.ndim) {
    raise("needed a dimension below " + std::to_string(t.ndim) + ", given " + std::to_string(d));
  }
  return t.shape[t.ndim - 1 - d];
}

int64_t Buffer::stride(int d) const {
  extent(d);  // checks d
  return tensor().strides[rank() - 1 - d];
}

int64_t Buffer::size() const {
  int64_t size = 1;
  for (int d = 0; d < rank(); ++d) size *= extent(d);
  return size;
}

bool Buffer::compact() const {
  int64_t expected = 1;
  for (int d = 0; d < rank(); ++d) {
    if (extent(d) == 0) return true;
    if (extent(d) > 1 && stride(d) != expected) return false;
    expected *= extent(d);
  }
  return true;
}

bool Buffer::on_host() const {
  const int type = tensor().device.device_type;
  return type == kDLCPU || type == kDLCUDAHost || type == kDLCUDAManaged;
}

void* Buffer::raw_data() const { return tensor().data; }

void Buffer::check_type(DLDataType wanted) const {
  const DLDataType have = dtype();
  if (have.lanes == wanted.lanes && have.bits == wanted.bits) {
    if (have.code == wanted.code) return;
    if (have.bits == 8 && have.code == code_bool && wanted.code == kDLUInt) return;
    if (have.bits == 8 && have.code == kDLUInt && wanted.code == code_bool) return;
  }
  raise("elements are " + to_string(have) + ", used as " + to_string(wanted));
}

int64_t Buffer::offset_of(std::initializer_list<int64_t> coordinates) const {
  if (!on_host()) raise("device memory has no elements to reach from the host: use copy_to_host()");
  if (static_cast<int>(coordinates.size()) != rank()) {
    raise("needed " + std::to_string(rank()) + " coordinates, given " +
          std::to_string(coordinates.size()));
  }
  int64_t offset = 0;
  int d = 0;
  for (int64_t c : coordinates) {
    if (c < 0 || c >= extent(d)) {
      raise("dimension " + std::to_string(d) + ": needed a coordinate below " +
            std::to_string(extent(d)) + ", given " + std::to_string(c));
    }
    offset += c * stride(d);
    ++d;
  }
  return offset;
}

Buffer Buffer::cropped(int d, int64_t min, int64_t extent) const {
  const int64_t have = this->extent(d);
  if (min < 0 || extent < 0 || min > have || extent > have - min) {
    raise("dimension " + std::to_string(d) + ": needed a part of its " + std::to_string(have) +
          " coordinates, given " + std::to_string(extent) + " from " + std::to_string(min));
  }
  std::vector<int64_t> shape = view_->shape;
  shape[rank() - 1 - d] = extent;
  auto* data = static_cast<std::byte*>(raw_data());
  if (data && extent > 0) data += min * stride(d) * element_bytes();
  // The whole view is kept, not its owner alone: an owner may be none, and this costs nothing.
  return make(data, tensor().device, dtype(), std::move(shape), view_->strides,
              std::const_pointer_cast<View>(view_));
}

void Buffer::fill_bytes(const void* element) const {
  if (size() == 0) return;
  if (on_host()) {
    scatter(tensor(), 0, static_cast<std::byte*>(raw_data()), element_bytes(), element);
    return;
  }
  if (!on_device()) raise("memory that neither the host nor CUDA can write");
  if (!compact()) raise("a strided view of device memory can't be filled");
  Buffer filled = host(dtype(), reversed(view_->shape));
  filled.fill_bytes(element);
  check(sinter_rt_copy_to_device(raw_data(), filled.raw_data(), size() * element_bytes(), nullptr));
}

Buffer Buffer::copy_to_host(void* stream) const {
  Buffer copy = host(dtype(), reversed(view_ ? view_->shape : std::vector<int64_t>{}));
  if (size() == 0) return copy;
  const int64_t element = element_bytes();
  auto* to = static_cast<std::byte*>(copy.raw_data());
  const auto* from = static_cast<const std::byte*>(raw_data());
  if (on_host()) {
    gather(tensor(), 0, from, element, to);
    return copy;
  }
  if (!on_device()) raise("memory that neither the host nor CUDA can read");
  if (compact()) {
    check(sinter_rt_copy_to_host(to, from, size() * element, stream));
    return copy;
  }
  // A strided view: fetch all bytes from its first element to its last, and pick them here.
  int64_t low = 0, high = 0;
  for (int d = 0; d < rank(); ++d) {
    const int64_t span = (extent(d) - 1) * stride(d);
    (span < 0 ? low : high) += span;
  }
  std::vector<std::byte> bytes((high - low + 1) * element);
  check(sinter_rt_copy_to_host(bytes.data(), from + low * element, bytes.size(), stream));
  gather(tensor(), 0, bytes.data() - low * element, element, to);
  return copy;
}

Buffer Buffer::copy_to_device(void* stream) const {
  // Through the host if it is on a device: rare, and right for any strides and any two devices.
  const Buffer source = on_host() && compact() ? *this : copy_to_host(stream);
  Buffer copy = device(dtype(), reversed(view_->shape));
  check(sinter_rt_copy_to_device(copy.raw_data(), source.raw_data(), size() * element_bytes(),
                                 stream));
  return copy;
}

std::string to_string(DLDataType type) {
  std::string name;
  switch (type.code) {
    case kDLInt: name = "int"; break;
    case kDLUInt: name = "uint"; break;
    case kDLFloat: name = "float"; break;
    case kDLBfloat: name = "bfloat"; break;
    case 10: name = "float8_e4m3fn"; break;  // of DLPack 1.1
    case 12: name = "float8_e5m2"; break;
    case code_bool: name = "bool"; break;
    default: name = "type code " + std::to_string(type.code) + ", bits "; break;
  }
  const bool sized = type.code == 10 || type.code == 12 || type.code == code_bool;  // the name says 8 bits
  if (!sized || type.bits != 8) name += std::to_string(type.bits);
  if (type.lanes != 1) name += " x " + std::to_string(type.lanes) + " lanes";
  return name;
}

}  // namespace sinter
