#include "ir/analysis/intern.h"

#include <cstring>

#include "ir/analysis/postorder.h"

namespace sinter::ir {

namespace {

uint64_t mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdull;
}

uint64_t float_bits(double f) {
  uint64_t bits = 0;
  std::memcpy(&bits, &f, sizeof bits);
  return bits;
}

}  // namespace

size_t Interner::Hash::operator()(const Expr& e) const {
  uint64_t h = mix(static_cast<uint64_t>(e->op), (static_cast<uint64_t>(e->type.code) << 32) |
                                                     (static_cast<uint64_t>(e->type.bits) << 16) | e->type.lanes);
  h = mix(h, reinterpret_cast<uintptr_t>(e->var.get()));
  h = mix(h, static_cast<uint64_t>(e->i));
  h = mix(h, float_bits(e->f));
  h = mix(h, (static_cast<uint64_t>(static_cast<uint32_t>(e->id)) << 16) | (static_cast<uint64_t>(e->fn) << 8) | e->cache);
  for (const Expr& a : e->args) h = mix(h, reinterpret_cast<uintptr_t>(a.get()));
  return h;
}

bool Interner::Same::operator()(const Expr& a, const Expr& b) const {
  if (a.same_as(b)) return true;
  if (a->op != b->op || a->type != b->type || a->args.size() != b->args.size() || a->var != b->var || a->i != b->i ||
      float_bits(a->f) != float_bits(b->f) || a->id != b->id || a->fn != b->fn || a->cache != b->cache)
    return false;
  for (size_t i = 0; i < a->args.size(); ++i)
    if (!a->args[i].same_as(b->args[i])) return false;
  return true;
}

Expr Interner::unique(const Expr& e) {
  const auto [it, fresh] = pool_.insert(e);
  if (fresh) {
    bool data = e->op == Op::Call || e->op == Op::Load || e->op == Op::Shuffle || e->type.is_float();
    for (const Expr& a : e->args) data = data || is_data(a);
    if (data) data_.insert(e.get());
  }
  return *it;
}

Expr Interner::operator()(const Expr& root) {
  post_order(
      root, [&](const Expr& e) { return memo_.count(e.get()) != 0; },
      [&](const Expr& e) {
        Expr out = e;
        std::vector<Expr> args;
        bool changed = false;
        args.reserve(e->args.size());
        for (const Expr& a : e->args) {
          args.push_back(memo_.at(a.get()).second);
          changed = changed || !args.back().same_as(a);
        }
        if (changed) out = with_args(e, std::move(args));
        out = unique(out);
        memo_[e.get()] = {e, out};
        memo_[out.get()] = {out, out};
      });
  return memo_.at(root.get()).second;
}

}  // namespace sinter::ir
