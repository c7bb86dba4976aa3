#include "scheduler/lower/kernel/decode_blocks.h"

#include "scheduler/lower/copies.h"
#include "scheduler/lower/kernel/block_order.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

class Decoder {
 public:
  explicit Decoder(KernelDraft& draft)
      : draft_(draft), loops_(draft.block_loops), order_(fastest_first(loops_)), starts_(!draft.fast && !draft.start.empty()), index_(make_var(draft.block)) {}

  void run() {
    std::vector<Expr> at(loops_.size());
    for (size_t i = 0; i < order_.size(); ++i) {
      const BlockLoop& v = loops_[order_[i]];
      if (!is_grouped(loops_, order_, i)) {
        at[order_[i]] = coordinate(v, digit(i, v.extent));
        advance(i, v.extent);
        continue;
      }
      const BlockLoop& w = loops_[order_[i + 1]];
      const auto [dv, dw] = grouped(i, v, w);
      at[order_[i]] = coordinate(v, dv);
      at[order_[i + 1]] = coordinate(w, dw);
      ++i;
    }
    Substitution renamed;
    for (size_t i = 0; i < loops_.size(); ++i) {
      renamed[loops_[i].var.get()] = at[i];
      draft_.coordinates.push_back(at[i]->var);
    }
    draft_.body = instantiate(draft_.body, renamed);
    for (size_t i = lets_.size(); i-- > 0;) draft_.body = make_let(lets_[i].first, lets_[i].second, draft_.body);
  }

 private:
  Expr let(const std::string& name, const Expr& value) {
    if (as_int(value)) return value;
    lets_.emplace_back(make_sym(name, value.type()), value);
    return make_var(lets_.back().first);
  }
  Expr coordinate(const BlockLoop& loop, const Expr& digit) {
    lets_.emplace_back(make_sym(loop.var->name), loop.min + digit);
    return make_var(lets_.back().first);
  }

  // The digit at position i of the order. The last one is all that is left of the index.
  Expr digit(size_t i, const Expr& extent) {
    const Expr own = i + 1 == order_.size() ? index_ : index_ % extent;
    return starts_ ? started(i, own, extent) : own;
  }
  void advance(size_t i, const Expr& extent) {
    if (i + 1 < order_.size()) index_ = let("blocks", index_ / extent);
  }

  // digit + start, less the extent where it is reached; written so that nothing leaves i32.
  Expr started(size_t i, const Expr& own, const Expr& extent) {
    const Expr start = make_var(draft_.start[order_[i]]);
    Expr digit = let("digit", own);
    if (carry_.defined()) digit = digit + make_select(carry_, i32(1), i32(0));
    if (i + 1 == order_.size()) return digit + start;
    const Expr room = extent - start;
    carry_ = let("carry", digit >= room);
    return make_select(carry_, digit - room, digit + start);
  }

  Regrouped grouped(size_t i, const BlockLoop& v, const BlockLoop& w) {
    Expr t, n = let("group", min(v.extent, i32(static_cast<int>(v.group)))), extent_v = v.extent, extent_w = w.extent;
    if (starts_) {
      // Both digits may be as large as an i32: together they are not. Only here, where no grid is known to be small enough.
      const Expr low = digit(i, v.extent);
      advance(i, v.extent);
      const Expr high = digit(i + 1, w.extent);
      advance(i + 1, w.extent);
      const auto wide = [](const Expr& e) { return make_cast(Int(64), e); };
      n = wide(n), extent_v = wide(extent_v), extent_w = wide(extent_w);
      t = let("pair", wide(high) * extent_v + wide(low));
    } else {
      const Expr both = v.extent * w.extent;
      t = let("pair", digit(i + 1, both));
      advance(i + 1, both);
    }
    const Regrouped r = regroup(t, n, extent_v, extent_w);
    return {make_cast(Int(32), r.v), make_cast(Int(32), r.w)};
  }

  KernelDraft& draft_;
  const std::vector<BlockLoop>& loops_;
  const std::vector<size_t> order_;
  const bool starts_;
  Expr index_, carry_;
  std::vector<std::pair<Sym, Expr>> lets_;
};

}  // namespace

void decode_blocks(KernelDraft& draft) {
  draft.block = make_sym("block");
  draft.thread = make_sym("thread");
  draft.lane = make_sym("lane");
  draft.warp = make_sym("warp");
  Decoder(draft).run();
  draft.stage = DraftStage::Decoded;
}

}  // namespace sinter::scheduler
