// Happens-before: vector clocks of the threads of a block, and who last touched each piece of memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace sinter::codegen::emulator {

// One access: thread `thread` of block `block` at its time `clock`, by the statement `site`. Blocks are numbered through all launches,
// so that accesses of an earlier launch are recognised. clock 0: none.
struct Epoch {
  uint32_t block = 0, clock = 0, site = 0;
  uint16_t thread = 0;
};

// The clocks of one block. Thread t knows all that thread u did up to time[t][u]; threads that were joined share a vector, since they
// differ only in their own component.
class Clocks {
 public:
  void reset(int threads);
  int threads() const { return static_cast<int>(own_.size()); }
  uint32_t now(int t) const { return own_[static_cast<size_t>(t)]; }
  // Whether what `u` did at `clock` is before everything that `t` does from now on.
  bool knows(int t, int u, uint32_t clock) const {
    return t == u || clock <= (*joined_[static_cast<size_t>(t)])[static_cast<size_t>(u)];
  }
  // A barrier of these threads: each then knows what all of them knew and did.
  void join(const std::vector<int>& threads);

 private:
  using Vector = std::vector<uint32_t>;
  std::vector<std::shared_ptr<const Vector>> joined_;
  std::vector<uint32_t> own_;
};

// Accesses that are not ordered among each other, to one cell.
struct EpochSet {
  Epoch one;
  int32_t more = -1;  // index into the shadow's pool: then `one` is unused

  bool empty() const { return one.clock == 0 && more < 0; }
};

struct Cell {
  EpochSet writes, reads;
};

// Cells for a range of memory; one for each granule, a size that all elements in the range are multiples of.
class Shadow {
 public:
  void resize(size_t cells) { cells_.resize(cells); }
  bool empty() const { return cells_.empty(); }

  // The current block; epochs of blocks before `first_block` (earlier launches) do not count. Where `own_block_only`, neither do those
  // of any other block (shared memory starts anew).
  struct Now {
    const Clocks* clocks;
    uint32_t block, first_block;
    bool own_block_only;
  };

  // The last write of this cell; clock 0 if there is none.
  Epoch last_write(size_t cell, const Now& now);
  // Records a read by thread t; returns an earlier write that it races with, or clock 0.
  Epoch read(size_t cell, const Now& now, int t, uint32_t site);
  // Records a write; returns an earlier access that it races with. `same_bytes`: the cell holds these bytes already, which makes
  // an unordered write by the same site benign.
  struct Conflict {
    Epoch with;
    bool is_write = false;
  };
  Conflict write(size_t cell, const Now& now, int t, uint32_t site, bool same_bytes);

 private:
  // Unordered epochs of one cell. Many are kept by thread, so that a broadcast read stays cheap.
  struct Many {
    std::vector<Epoch> list;
    std::vector<Epoch> by_thread;  // if not empty: those of `block`, beside the ones in list
    uint32_t block = 0;
  };
  void forget_stale(EpochSet& s, const Now& now);
  void clear(EpochSet& s);
  void add(EpochSet& s, const Epoch& e, const Now& now);
  template <class F>
  void each(const EpochSet& s, F&& f) const;
  static bool ordered(const Epoch& e, const Now& now, int t) { return e.block == now.block && now.clocks->knows(t, e.thread, e.clock); }

  std::vector<Cell> cells_;
  std::vector<Many> pool_;
  std::vector<int32_t> free_;
};

}  // namespace sinter::codegen::emulator
