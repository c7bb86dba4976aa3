#include "codegen/emulate/block.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace sinter::codegen::emulator {

using ir::Slot;

BlockRunner::BlockRunner(LaunchContext& launch, const EmulateOptions& options, EmulateReport& report)
    : launch_(launch), options_(options), report_(report), count_(launch.code->kernel->threads) {
  const ir::Kernel& k = *launch.code->kernel;
  shared_.resize(static_cast<size_t>(launch.shared_bytes));
  shared_granule_ = 16;
  for (const Place& p : launch.places)
    if (p.kind == Place::Kind::Shared)
      shared_granule_ = std::gcd(std::gcd(shared_granule_, p.type.bytes()), static_cast<int>(p.offset & 0xffff));
  shared_shadow_.resize(shared_.size() / static_cast<size_t>(shared_granule_) + 1);

  threads_.resize(static_cast<size_t>(count_));
  for (const RoleCode& r : launch.code->roles)
    for (int t = r.first_thread; t < r.first_thread + r.threads; ++t) threads_[static_cast<size_t>(t)].role = &r;
  for (int t = 0; t < count_; ++t) {
    Thread& th = threads_[static_cast<size_t>(t)];
    th.registers.resize(static_cast<size_t>(launch.registers));
    th.has_value.resize(static_cast<size_t>(launch.registers));
    order_.push_back(t);
    if (!th.role) continue;
    th.frame.resize(th.role->code.frame_size());
    th.role->code.set_constants(th.frame.data());
    for (const auto& [sym, slot] : th.role->code.variables) {
      if (const auto it = launch.scalars.find(sym.get()); it != launch.scalars.end()) th.frame[slot] = it->second;
      if (sym == k.thread) th.frame[slot] = static_cast<uint64_t>(t);
    }
  }
}

void BlockRunner::start(int64_t block) {
  block_ = block;
  clocks_.reset(count_);
  const ir::Sym& block_var = launch_.code->kernel->block;
  for (Thread& t : threads_) {
    t.state = t.role ? State::Ready : State::Done;
    t.pc = 0;
    std::fill(t.has_value.begin(), t.has_value.end(), 0);
    if (!t.role) continue;
    for (const auto& [sym, slot] : t.role->code.variables) {
      if (sym != block_var) continue;
      t.frame[slot] = static_cast<uint64_t>(block);
      break;
    }
  }
}

void BlockRunner::run(int64_t block, std::mt19937_64& rng) {
  start(block);
  std::shuffle(order_.begin(), order_.end(), rng);
  for (;;) {
    for (int t : order_)
      if (threads_[static_cast<size_t>(t)].state == State::Ready) run_thread(t);
    if (std::all_of(threads_.begin(), threads_.end(), [](const Thread& t) { return t.state == State::Done; })) return;
    if (!release()) report_stuck();
  }
}

// Until the thread waits or is done.
void BlockRunner::run_thread(int t) {
  current_ = t;
  Thread& th = threads_[static_cast<size_t>(t)];
  const RoleCode& role = *th.role;
  uint64_t* const frame = th.frame.data();
  for (;;) {
    const Step& s = role.steps[th.pc];
    switch (s.kind) {
      case Step::Kind::Eval: run_flat(role.code, s.begin, s.end, frame, *this); break;
      case Step::Kind::Assign: std::copy_n(frame + s.b, s.lanes, frame + s.a); break;
      case Step::Kind::LoopEnter:
        frame[s.c] = frame[s.b] + frame[s.begin];
        frame[s.a] = frame[s.b];
        break;
      case Step::Kind::LoopTest:
        if (static_cast<int64_t>(frame[s.a]) >= static_cast<int64_t>(frame[s.c])) {
          th.pc = s.target;
          continue;
        }
        break;
      case Step::Kind::LoopNext:
        ++frame[s.a];
        th.pc = s.target;
        continue;
      case Step::Kind::BranchIfNot:
        if (!frame[s.a]) {
          th.pc = s.target;
          continue;
        }
        break;
      case Step::Kind::Jump: th.pc = s.target; continue;
      case Step::Kind::Store: store(role.stores[s.begin], frame); break;
      case Step::Kind::Barrier:
        th.barrier = s.named ? static_cast<int64_t>(frame[s.a]) : 0;
        th.count = s.named ? static_cast<int64_t>(frame[s.b]) : 0;
        th.state = State::Barrier;
        return;
      case Step::Kind::WarpSync: th.state = State::WarpSync; return;
      case Step::Kind::Shuffle: th.state = State::Shuffle; return;
      case Step::Kind::End: th.state = State::Done; return;
    }
    ++th.pc;
  }
}

// ---- synchronisation ----------------------------------------------------------------------------------------------

bool BlockRunner::release() {
  bool any = false;
  for (int first = 0; first < count_; first += 32) any = release_warp(first) || any;
  return release_barriers() || any;
}

bool BlockRunner::release_warp(int first) {
  const int last = std::min(first + 32, count_);
  const Thread& leader = threads_[static_cast<size_t>(first)];
  if (leader.state != State::WarpSync && leader.state != State::Shuffle) return false;
  std::vector<int> lanes;
  for (int t = first; t < last; ++t) {
    const Thread& th = threads_[static_cast<size_t>(t)];
    if (th.state != leader.state || th.pc != leader.pc || th.role != leader.role) return false;
    lanes.push_back(t);
  }
  if (leader.state == State::WarpSync) clocks_.join(lanes);
  else shuffle(first, last);
  for (int t : lanes) {
    threads_[static_cast<size_t>(t)].state = State::Ready;
    ++threads_[static_cast<size_t>(t)].pc;
  }
  return true;
}

void BlockRunner::shuffle(int first, int last) {
  const Thread& leader = threads_[static_cast<size_t>(first)];
  const Step& step = leader.role->steps[leader.pc];
  const ir::FlatAccess& a = leader.role->code.accesses[step.begin];
  const size_t lanes = a.node->type.lanes;
  // All values are read before any is written: a destination's slots may be another's source.
  std::vector<uint64_t> values;
  for (int t = first; t < last; ++t) {
    const uint64_t* frame = threads_[static_cast<size_t>(t)].frame.data();
    const int64_t from = static_cast<int64_t>(frame[a.args[1]]);
    current_ = t;
    if (from < 0 || from >= last - first)
      fail(Fault::OutOfBounds, step.site, "a shuffle reads lane " + std::to_string(from) + " of a warp of " + std::to_string(last - first));
    const uint64_t* source = threads_[static_cast<size_t>(first + from)].frame.data();
    values.insert(values.end(), source + a.args[0], source + a.args[0] + lanes);
  }
  for (int t = first; t < last; ++t)
    std::copy_n(values.begin() + static_cast<int64_t>(static_cast<size_t>(t - first) * lanes), lanes,
                threads_[static_cast<size_t>(t)].frame.begin() + a.dst);
}

bool BlockRunner::release_barriers() {
  std::map<std::pair<int64_t, int64_t>, std::vector<int>> waiting;
  for (int t = 0; t < count_; ++t) {
    const Thread& th = threads_[static_cast<size_t>(t)];
    if (th.state == State::Barrier) waiting[{th.barrier, th.count}].push_back(t);
  }
  bool any = false;
  for (const auto& [barrier, who] : waiting) {
    const int64_t needed = barrier.second ? barrier.second : count_;
    if (static_cast<int64_t>(who.size()) != needed) continue;
    // Threads of one role must be at one barrier statement: two that pair up by chance are a bug that timing would hide.
    for (int t : who) {
      const Thread &a = threads_[static_cast<size_t>(who[0])], &b = threads_[static_cast<size_t>(t)];
      if (b.role != a.role || b.pc == a.pc) continue;
      current_ = t;
      fail(Fault::Divergence, b.role->steps[b.pc].site, "threads of one block meet at different barriers: " + describe_wait(t) + ", " + describe_wait(who[0]));
    }
    clocks_.join(who);
    for (int t : who) {
      threads_[static_cast<size_t>(t)].state = State::Ready;
      ++threads_[static_cast<size_t>(t)].pc;
    }
    ++report_.barriers;
    any = true;
  }
  return any;
}

std::string BlockRunner::describe_wait(int t) const {
  const Thread& th = threads_[static_cast<size_t>(t)];
  std::string s = "thread " + std::to_string(t);
  if (th.state == State::Done) return s + " is done";
  const Site& site = launch_.code->sites[th.role->steps[th.pc].site];
  return s + " waits at " + site.what + (site.loc.known() ? " (" + to_string(site.loc) + ")" : "");
}

void BlockRunner::report_stuck() {
  int waiter = -1, other = -1;
  size_t here = 0;
  for (int t = 0; t < count_ && waiter < 0; ++t)
    if (threads_[static_cast<size_t>(t)].state != State::Done) waiter = t;
  const Thread& w = threads_[static_cast<size_t>(waiter)];
  // The other is of the warp where that is what the waiter needs.
  const bool warp = w.state != State::Barrier;
  const int from = warp ? waiter / 32 * 32 : 0, to = warp ? std::min(from + 32, count_) : count_;
  for (int t = from; t < to; ++t) {
    const Thread& th = threads_[static_cast<size_t>(t)];
    const bool same = th.state == w.state && th.pc == w.pc && th.role == w.role;
    here += same;
    if (!same && other < 0) other = t;
  }
  current_ = waiter;
  const uint32_t site = w.role->steps[w.pc].site;
  fail(Fault::Divergence, site,
       "a " + launch_.code->sites[site].what + " is reached by " + std::to_string(here) + " of " + std::to_string(to - from) + " threads: " +
           describe_wait(waiter) + (other >= 0 ? ", " + describe_wait(other) : ""));
}

}  // namespace sinter::codegen::emulator
