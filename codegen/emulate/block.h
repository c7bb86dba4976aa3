// Runs the blocks of one launch, a thread at a time between synchronisations.
#pragma once

#include <random>
#include <unordered_map>

#include "codegen/emulate/emulate.h"
#include "codegen/emulate/kernel_code.h"
#include "codegen/emulate/memory.h"

namespace sinter::codegen::emulator {

// Where a buffer of the kernel lies during this launch.
struct Place {
  enum class Kind : uint8_t { None, Global, Shared, Register } kind = Kind::None;
  std::string name;
  ir::Type type;
  uint8_t* base = nullptr;    // Global
  Region* region = nullptr;   // Global
  Shape shape;                // Global
  bool writable = false;      // Global
  int64_t offset = 0;         // Shared: bytes; Register: index of the first in the thread's array
  int64_t elements = 0;       // Shared, Register
};

struct LaunchContext {
  const KernelCode* code = nullptr;
  std::vector<Place> places;  // by buffer id
  ir::SymMap<uint64_t> scalars;
  uint32_t first_block = 0;   // number of this launch's block 0 among all blocks so far
  int64_t shared_bytes = 0;
  int64_t registers = 0;      // elements of a thread
};

class BlockRunner {
 public:
  BlockRunner(LaunchContext& launch, const EmulateOptions& options, EmulateReport& report);
  void run(int64_t block, std::mt19937_64& rng);

  // run_flat's host.
  void access(const ir::FlatAccess& a, uint64_t* frame);
  [[noreturn]] void trap(const ir::ArithmeticTrap& t, const ir::Expr& node);

 private:
  enum class State : uint8_t { Ready, Barrier, WarpSync, Shuffle, Done };
  struct Thread {
    State state = State::Ready;
    uint32_t pc = 0;
    const RoleCode* role = nullptr;
    std::vector<uint64_t> frame;
    std::vector<uint64_t> registers;
    std::vector<uint8_t> has_value;  // per register
    int64_t barrier = 0, count = 0;  // of a named barrier; count 0: the block's
  };

  void start(int64_t block);
  void run_thread(int t);
  bool release();  // false: nobody can go on
  bool release_warp(int first);
  bool release_barriers();
  void shuffle(int first, int last);
  [[noreturn]] void report_stuck();
  std::string describe_wait(int t) const;

  void store(const StoreCode& s, uint64_t* frame);
  void check_alignment(const AccessInfo& info, const Place& p, int64_t index);
  uint64_t load_element(const AccessInfo& info, Place& p, int64_t index);
  void store_element(const AccessInfo& info, Place& p, int64_t index, uint64_t bits);
  Place& place(const AccessInfo& info);
  void report_race(const Place& p, int64_t index, const Epoch& other, bool other_writes, bool writes, uint32_t site, const std::string& value);
  [[noreturn]] void fail(Fault f, uint32_t site, const std::string& text) const;
  [[noreturn]] void fail_at(Fault f, ir::Loc loc, const std::string& text) const;
  std::string element(const Place& p, int64_t index) const;
  Shadow::Now now(bool shared) const { return {&clocks_, launch_.first_block + static_cast<uint32_t>(block_), launch_.first_block, shared}; }

  LaunchContext& launch_;
  const EmulateOptions& options_;
  EmulateReport& report_;
  int count_;
  int64_t block_ = 0;
  int current_ = 0;  // thread
  std::vector<Thread> threads_;
  std::vector<int> order_;
  Clocks clocks_;
  std::vector<uint8_t> shared_;
  int shared_granule_ = 1;
  Shadow shared_shadow_;
};

}  // namespace sinter::codegen::emulator
