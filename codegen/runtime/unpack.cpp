// Argument checking: from DLPack tensors to the slots that generated code reads.
//
// This runs on every call, so the good path formats and allocates nothing (up to 64 arguments).

#include <algorithm>
#include <array>
#include <memory>

#include "codegen/runtime/error.h"

namespace sinter_rt {
namespace {

constexpr uint8_t code_uint = 1;
constexpr uint8_t code_bool = 6;  // kDLBool of later versions of DLPack

const char* device_name(int type) {
  switch (type) {
    case kDLCPU: return "cpu";
    case kDLCUDA: return "cuda";
    case kDLCUDAHost: return "cuda pinned host";
    case kDLCUDAManaged: return "cuda managed";
    case kDLROCM: return "rocm";
    case kDLMetal: return "metal";
    case kDLVulkan: return "vulkan";
    default: return "another kind of";
  }
}

/// Pinned and managed memory are ordinary memory to the host; the device can follow managed
/// pointers.
bool device_fits(int needed, int given) {
  if (given == needed || given == kDLCUDAManaged) return true;
  return needed == kDLCPU && given == kDLCUDAHost;
}

std::string type_name(int code, int bits, int lanes) {
  std::string name;
  switch (code) {
    case kDLInt: name = "int"; break;
    case kDLUInt: name = "uint"; break;
    case kDLFloat: name = "float"; break;
    case kDLBfloat: name = "bfloat"; break;
    case 10: name = "float8_e4m3fn"; break;  // of DLPack 1.1
    case 12: name = "float8_e5m2"; break;
    case kDLComplex: name = "complex"; break;
    case code_bool: name = "bool"; break;
    default: name = format("type code %d, bits ", code);
  }
  const bool sized = code == 10 || code == 12 || code == code_bool;  // the name says 8 bits
  if (!sized || bits != 8) name += std::to_string(bits);
  if (lanes != 1) name += format(" x %d lanes", lanes);
  return name;
}

bool type_fits(const sinter_rt_arg& arg, DLDataType type) {
  if (type.lanes != 1) return false;
  if (type.code == arg.code && type.bits == arg.bits) return true;
  return arg.code == code_bool && arg.bits == 8 && type.code == code_uint && type.bits == 8;
}

/// The bytes of a tensor that have elements in them, from the first to the last.
struct Range {
  uint64_t begin = 0, end = 0;  // empty: begin == end
};

/// One tensor argument. The checks of a step rely on those before it.
class TensorCheck {
 public:
  TensorCheck(const char* pipeline, const sinter_rt_arg& arg, const DLTensor* tensor,
              int64_t* slots)
      : pipeline_(pipeline), arg_(arg), tensor_(tensor), slots_(slots) {}

  int run(int device_type, Range* range) {
    if (!tensor_) return wrong(SINTER_ERR_NULL, "needed a tensor, given NULL");
    const int given = tensor_->device.device_type;
    if (!device_fits(device_type, given)) {
      return wrong(SINTER_ERR_DEVICE, "needed " + std::string(device_name(device_type)) +
                                          " memory, given " + device_name(given) +
                                          " memory (DLPack device type " + std::to_string(given) +
                                          ")");
    }
    if (!type_fits(arg_, tensor_->dtype)) {
      return wrong(SINTER_ERR_DTYPE,
                   "needed element type " + type_name(arg_.code, arg_.bits, 1) + ", given " +
                       type_name(tensor_->dtype.code, tensor_->dtype.bits, tensor_->dtype.lanes));
    }
    if (tensor_->ndim != arg_.rank) {
      return wrong(SINTER_ERR_RANK, "needed " + std::to_string(arg_.rank) + " dimensions, given " +
                                        std::to_string(tensor_->ndim));
    }
    if (int code = check_extents()) return code;
    if (int code = check_strides()) return code;
    if (arg_.kind == SINTER_RT_OUTPUT && !empty_) {
      if (int code = check_injective()) return code;
    }
    return check_data(range);
  }

 private:
  int check_extents() {
    if (arg_.rank > 0 && !tensor_->shape) {
      return wrong(SINTER_ERR_NULL, "needed a shape, given NULL");
    }
    for (int d = 0; d < arg_.rank; ++d) {
      const int64_t extent = tensor_->shape[arg_.rank - 1 - d];
      if (extent < 0 || extent > SINTER_RT_MAX_EXTENT) {
        return wrong_dim(SINTER_ERR_SHAPE, d,
                         "needed an extent from 0 to " + std::to_string(SINTER_RT_MAX_EXTENT) + ", given " +
                             std::to_string(extent));
      }
      if (extent == 0) empty_ = true;
      slots_[1 + d] = extent;
    }
    return SINTER_OK;
  }

  int check_strides() {
    int64_t compact = 1;
    for (int d = 0; d < arg_.rank; ++d) {
      const int64_t extent = this->extent(d);
      int64_t stride = compact;
      if (tensor_->strides && extent > 1 && !empty_) stride = tensor_->strides[arg_.rank - 1 - d];
      if (d == 0 && stride != 1 && !arg_.dim0_free_stride) {
        return wrong_dim(SINTER_ERR_STRIDE, d, "needed stride 1, given " + std::to_string(stride));
      }
      slots_[1 + arg_.rank + d] = stride;
      // Extents of 0 count as 1: the product then bounds every stride, also of an empty tensor.
      if (__builtin_mul_overflow(compact, std::max<int64_t>(extent, 1), &compact)) {
        return wrong_dim(SINTER_ERR_SHAPE, d,
                         "needed fewer than 2^63 elements, given more up to this dimension");
      }
    }
    return SINTER_OK;
  }

  /// Takes the dimensions from the smallest stride up, by selection: ranks are small, and this way
  /// there is nothing to allocate.
  int check_injective() {
    int64_t reach = 0;   // the largest offset within the dimensions taken so far
    int64_t taken = 0;   // their largest stride
    int taken_dim = -1;  // and whose it is
    for (;;) {
      int next = -1;
      for (int d = 0; d < arg_.rank; ++d) {
        if (extent(d) <= 1) continue;
        if (stride(d) <= 0) {
          return wrong_dim(SINTER_ERR_STRIDE, d,
                           "an output's elements must not share memory: needed a positive stride, "
                           "given " +
                               std::to_string(stride(d)));
        }
        const bool after = stride(d) > taken || (stride(d) == taken && d > taken_dim);
        if (after && (next < 0 || stride(d) < stride(next))) next = d;
      }
      if (next < 0) return SINTER_OK;
      if (stride(next) <= reach) {
        return wrong_dim(
            SINTER_ERR_STRIDE, next,
            "an output's elements must not share memory: needed a stride of at least " +
                std::to_string(reach + 1) + ", given " + std::to_string(stride(next)));
      }
      int64_t span = 0;
      if (__builtin_mul_overflow(extent(next) - 1, stride(next), &span) ||
          __builtin_add_overflow(reach, span, &reach)) {
        return too_far(next);
      }
      taken = stride(next);
      taken_dim = next;
    }
  }

  int check_data(Range* range) {
    const uint64_t element = (uint64_t{arg_.bits} + 7) / 8;
    const uint64_t data = reinterpret_cast<uintptr_t>(tensor_->data) + tensor_->byte_offset;
    slots_[0] = static_cast<int64_t>(data);
    *range = Range{data, data};
    if (empty_) return SINTER_OK;
    if (!tensor_->data) return wrong(SINTER_ERR_NULL, "needed data, given a NULL pointer");
    if (data % element != 0) {
      return wrong(SINTER_ERR_ALIGN, "needed data aligned to " + std::to_string(element) +
                                         " bytes, given a pointer " +
                                         std::to_string(data % element) + " bytes past that");
    }
    int64_t low = 0, high = 0;  // the offsets of the first and the last element
    for (int d = 0; d < arg_.rank; ++d) {
      int64_t span = 0;
      if (__builtin_mul_overflow(extent(d) - 1, stride(d), &span)) return too_far(d);
      int64_t& side = span < 0 ? low : high;
      if (__builtin_add_overflow(side, span, &side)) return too_far(d);
    }
    int64_t bytes = 0, below = 0;
    uint64_t begin = 0, end = 0;
    if (__builtin_sub_overflow(high, low, &bytes) || __builtin_add_overflow(bytes, 1, &bytes) ||
        __builtin_mul_overflow(bytes, static_cast<int64_t>(element), &bytes) ||
        __builtin_mul_overflow(low, -static_cast<int64_t>(element), &below) ||
        __builtin_sub_overflow(data, static_cast<uint64_t>(below), &begin) ||
        __builtin_add_overflow(begin, static_cast<uint64_t>(bytes), &end)) {
      return wrong(SINTER_ERR_STRIDE,
                   "needed a span that fits the address space, given a larger one");
    }
    *range = Range{begin, end};
    return SINTER_OK;
  }

  int64_t extent(int d) const { return slots_[1 + d]; }
  int64_t stride(int d) const { return slots_[1 + arg_.rank + d]; }

  int too_far(int d) const {
    return wrong_dim(SINTER_ERR_STRIDE, d,
                     "needed a span that fits the address space, given stride " +
                         std::to_string(stride(d)) + " for extent " + std::to_string(extent(d)));
  }
  int wrong(int code, const std::string& text) const {
    return failf(code, "%s: %s `%s`: %s", pipeline_,
                 arg_.kind == SINTER_RT_OUTPUT ? "output" : "input", arg_.name, text.c_str());
  }
  int wrong_dim(int code, int d, const std::string& text) const {
    return wrong(code, "dimension " + std::to_string(d) + ": " + text);
  }

  const char* pipeline_;
  const sinter_rt_arg& arg_;
  const DLTensor* tensor_;
  int64_t* slots_;
  bool empty_ = false;
};

/// In place is when each element of one is the same bytes as that element of the other.
bool same_place(const sinter_rt_arg& a, const int64_t* a_slots, const sinter_rt_arg& b,
                const int64_t* b_slots) {
  return a.bits == b.bits && a.rank == b.rank &&
         std::equal(a_slots, a_slots + 1 + 2 * a.rank, b_slots);
}

struct Placed {
  Range range;
  int64_t* slots;
};

int check_aliases(const char* pipeline, const sinter_rt_arg* args, int n, const Placed* placed) {
  for (int i = 0; i < n; ++i) {
    if (args[i].kind != SINTER_RT_OUTPUT) continue;
    const Range& out = placed[i].range;
    for (int j = 0; j < n; ++j) {
      const Range& other = placed[j].range;
      if (j == i || args[j].kind == SINTER_RT_SCALAR) continue;
      if (out.begin == out.end || other.begin == other.end) continue;
      if (out.end <= other.begin || other.end <= out.begin) continue;
      const bool declared = args[i].may_alias == j + 1 || args[j].may_alias == i + 1;
      if (declared && same_place(args[i], placed[i].slots, args[j], placed[j].slots)) continue;
      const uint64_t shared = std::min(out.end, other.end) - std::max(out.begin, other.begin);
      return failf(
          SINTER_ERR_ALIAS,
          "%s: output `%s` overlaps %s `%s`: needed %s, given %llu bytes in common", pipeline,
          args[i].name, args[j].kind == SINTER_RT_OUTPUT ? "output" : "input", args[j].name,
          declared ? "the same pointer, extents and strides, or memory apart" : "memory apart",
          static_cast<unsigned long long>(shared));
    }
  }
  return SINTER_OK;
}

int unpack(const char* pipeline, const sinter_rt_arg* args, int n, const DLTensor* const* tensors,
           const int64_t* scalars, int device_type, int64_t* values) {
  std::array<Placed, 64> few;
  std::unique_ptr<Placed[]> many;
  Placed* placed = few.data();
  if (n > static_cast<int>(few.size())) {
    many = std::make_unique<Placed[]>(n);
    placed = many.get();
  }
  int first = -1;  // the first tensor of a numbered device: all have to be on the same one
  for (int i = 0; i < n; ++i) {
    placed[i] = Placed{Range{}, values};
    if (args[i].kind == SINTER_RT_SCALAR) {
      if (!scalars) {
        return failf(SINTER_ERR_NULL, "%s: scalar `%s`: needed a value, given NULL", pipeline,
                     args[i].name);
      }
      *values++ = scalars[i];
      continue;
    }
    const DLTensor* tensor = tensors ? tensors[i] : nullptr;
    TensorCheck check(pipeline, args[i], tensor, values);
    if (int code = check.run(device_type, &placed[i].range)) return code;
    values += 1 + 2 * args[i].rank;
    if (tensor->device.device_type != kDLCUDA) continue;
    if (first < 0) first = i;
    const int needed = tensors[first]->device.device_id, given = tensor->device.device_id;
    if (needed != given) {
      return failf(SINTER_ERR_DEVICE,
                   "%s: `%s`: needed cuda device %d, where `%s` is, given device %d", pipeline,
                   args[i].name, needed, args[first].name, given);
    }
  }
  return check_aliases(pipeline, args, n, placed);
}

}  // namespace
}  // namespace sinter_rt

extern "C" int sinter_rt_unpack(const char* pipeline, const sinter_rt_arg* args, int n,
                                const DLTensor* const* tensors, const int64_t* scalars,
                                int device_type, int64_t* values) {
  return sinter_rt::guarded(
      [&] { return sinter_rt::unpack(pipeline, args, n, tensors, scalars, device_type, values); });
}
