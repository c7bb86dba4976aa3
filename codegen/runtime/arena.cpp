// Host scratch: a stack per thread, and one block per pipeline and thread.

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "codegen/runtime/error.h"

namespace sinter_rt {
namespace {

constexpr uint64_t alignment = 64;
constexpr uint64_t chunk_bytes = uint64_t{1} << 20;
constexpr uint64_t max_bytes = uint64_t{1} << 47;  // offsets leave room for the chunk in a mark

struct FreeAligned {
  void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{alignment}); }
};
using Bytes = std::unique_ptr<std::byte, FreeAligned>;

Bytes allocate(uint64_t bytes) {
  return Bytes(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{alignment})));
}

/// A stack of chunks. A position is the chunk in the upper 16 bits, the offset in the lower 48.
class Arena {
 public:
  void* alloc(uint64_t bytes) {
    bytes = (std::max<uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    for (;;) {
      if (chunk_ == chunks_.size()) {
        // Doubling keeps the number of chunks small.
        const uint64_t grown = chunks_.empty() ? chunk_bytes : 2 * chunks_.back().bytes;
        const uint64_t size = std::max(bytes, std::min(grown, max_grown));
        chunks_.push_back(Chunk{allocate(size), size});
      }
      const Chunk& chunk = chunks_[chunk_];
      if (chunk.bytes - offset_ >= bytes) {
        void* p = chunk.data.get() + offset_;
        offset_ += bytes;
        return p;
      }
      if (offset_ == 0) {
        chunks_.erase(
            chunks_.begin() + chunk_,
            chunks_.end());  // empty and too small, and so may be those after it: begin afresh
      } else {
        ++chunk_;
        offset_ = 0;
      }
    }
  }

  uint64_t mark() const { return static_cast<uint64_t>(chunk_) << 48 | offset_; }
  void release(uint64_t mark) {
    chunk_ = mark >> 48;
    offset_ = mark & ((uint64_t{1} << 48) - 1);
  }

 private:
  static constexpr uint64_t max_grown = uint64_t{64} << 20;
  struct Chunk {
    Bytes data;
    uint64_t bytes;
  };
  std::vector<Chunk> chunks_;
  size_t chunk_ = 0;  // the one allocated from
  uint64_t offset_ = 0;
};

struct Scratch {
  Bytes data;
  uint64_t bytes = 0;
};

thread_local Arena arena;
thread_local std::unordered_map<void*, Scratch> workspaces;

int too_large(const char* what, uint64_t bytes) {
  return failf(SINTER_ERR_MEMORY, "%s of %llu bytes: out of host memory", what,
               static_cast<unsigned long long>(bytes));
}

}  // namespace
}  // namespace sinter_rt

using namespace sinter_rt;

extern "C" {

void* sinter_rt_arena_alloc(uint64_t bytes) {
  try {
    if (bytes < max_bytes) return arena.alloc(bytes);
  } catch (const std::bad_alloc&) {
  }
  too_large("scratch", bytes);
  return nullptr;
}

uint64_t sinter_rt_arena_mark(void) { return arena.mark(); }

void sinter_rt_arena_release(uint64_t mark) { arena.release(mark); }

int sinter_rt_host_workspace(void* key, uint64_t bytes, void** out) {
  *out = nullptr;
  if (bytes == 0) return SINTER_OK;
  try {
    if (bytes < max_bytes) {
      Scratch& scratch = workspaces[key];
      if (scratch.bytes < bytes) {
        scratch = Scratch{};
        scratch = Scratch{allocate(bytes), bytes};
      }
      *out = scratch.data.get();
      return SINTER_OK;
    }
  } catch (const std::bad_alloc&) {
  }
  return too_large("a workspace", bytes);
}
}
