#include "codegen/emulate/shadow.h"

#include <algorithm>

namespace sinter::codegen::emulator {

void Clocks::reset(int threads) {
  const auto nothing = std::make_shared<const Vector>(static_cast<size_t>(threads), 0u);
  joined_.assign(static_cast<size_t>(threads), nothing);
  own_.assign(static_cast<size_t>(threads), 1u);
}

void Clocks::join(const std::vector<int>& threads) {
  if (threads.empty()) return;
  auto all = std::make_shared<Vector>(*joined_[static_cast<size_t>(threads[0])]);
  const Vector* previous = joined_[static_cast<size_t>(threads[0])].get();
  for (int t : threads) {
    const Vector* v = joined_[static_cast<size_t>(t)].get();
    if (v == previous) continue;  // most share one
    previous = v;
    for (size_t u = 0; u < all->size(); ++u) (*all)[u] = std::max((*all)[u], (*v)[u]);
  }
  for (int t : threads) (*all)[static_cast<size_t>(t)] = own_[static_cast<size_t>(t)];
  const std::shared_ptr<const Vector> shared = std::move(all);
  for (int t : threads) {
    joined_[static_cast<size_t>(t)] = shared;
    ++own_[static_cast<size_t>(t)];
  }
}

template <class F>
void Shadow::each(const EpochSet& s, F&& f) const {
  if (s.more < 0) {
    if (s.one.clock) f(s.one);
    return;
  }
  const Many& m = pool_[static_cast<size_t>(s.more)];
  for (const Epoch& e : m.list) f(e);
  for (const Epoch& e : m.by_thread)
    if (e.clock) f(e);
}

void Shadow::clear(EpochSet& s) {
  if (s.more >= 0) {
    pool_[static_cast<size_t>(s.more)] = {};
    free_.push_back(s.more);
  }
  s = {};
}

void Shadow::forget_stale(EpochSet& s, const Now& now) {
  if (s.empty()) return;
  uint32_t latest = s.one.block;
  if (s.more >= 0) {
    const Many& m = pool_[static_cast<size_t>(s.more)];
    latest = m.by_thread.empty() ? m.list.back().block : m.block;  // entries of a new block are added last
  }
  if (latest < now.first_block || (now.own_block_only && latest != now.block)) clear(s);
}

void Shadow::add(EpochSet& s, const Epoch& e, const Now& now) {
  if (s.more < 0) {
    if (s.one.clock == 0 || (s.one.block == e.block && s.one.thread == e.thread)) {
      s.one = e;
      return;
    }
    if (free_.empty()) {
      free_.push_back(static_cast<int32_t>(pool_.size()));
      pool_.emplace_back();
    }
    s.more = free_.back();
    free_.pop_back();
    pool_[static_cast<size_t>(s.more)].list = {s.one, e};
    s.one = {};
    return;
  }
  Many& m = pool_[static_cast<size_t>(s.more)];
  // Of other blocks one witness is enough: nothing that happens later orders any of them.
  if (m.list.back().block != e.block && m.list.size() > 1) m.list.resize(1);
  if (!m.by_thread.empty()) {
    if (m.block == e.block) {
      m.by_thread[e.thread] = e;
      return;
    }
    m.by_thread.clear();
  }
  for (Epoch& x : m.list)
    if (x.block == e.block && x.thread == e.thread) {
      x = e;
      return;
    }
  m.list.push_back(e);
  if (m.list.size() > 32) {
    m.block = e.block;
    m.by_thread.assign(static_cast<size_t>(now.clocks->threads()), {});
    std::vector<Epoch> others;
    for (const Epoch& x : m.list) {
      if (x.block == e.block) m.by_thread[x.thread] = x;
      else if (others.empty()) others.push_back(x);
    }
    if (others.empty()) others.push_back(e);  // the list is never empty
    m.list = std::move(others);
  }
}

Epoch Shadow::last_write(size_t cell, const Now& now) {
  EpochSet& s = cells_[cell].writes;
  forget_stale(s, now);
  Epoch last;
  each(s, [&](const Epoch& e) { last = e; });
  return last;
}

Epoch Shadow::read(size_t cell, const Now& now, int t, uint32_t site) {
  Cell& c = cells_[cell];
  forget_stale(c.writes, now);
  forget_stale(c.reads, now);
  Epoch race;
  each(c.writes, [&](const Epoch& e) {
    if (!ordered(e, now, t)) race = e;
  });
  const Epoch mine{now.block, now.clocks->now(t), site, static_cast<uint16_t>(t)};
  // A read that everything later than this one knows of need not be kept.
  if (c.reads.more < 0 && c.reads.one.clock && ordered(c.reads.one, now, t)) c.reads.one = mine;
  else add(c.reads, mine, now);
  return race;
}

Shadow::Conflict Shadow::write(size_t cell, const Now& now, int t, uint32_t site, bool same_bytes) {
  Cell& c = cells_[cell];
  forget_stale(c.writes, now);
  forget_stale(c.reads, now);
  Conflict conflict;
  bool benign = false;
  each(c.reads, [&](const Epoch& e) {
    if (!ordered(e, now, t)) conflict = {e, false};
  });
  each(c.writes, [&](const Epoch& e) {
    if (ordered(e, now, t)) return;
    if (same_bytes && e.site == site) benign = true;
    else conflict = {e, true};
  });
  const Epoch mine{now.block, now.clocks->now(t), site, static_cast<uint16_t>(t)};
  if (!benign) clear(c.writes);
  add(c.writes, mine, now);
  clear(c.reads);
  return conflict;
}

}  // namespace sinter::codegen::emulator
