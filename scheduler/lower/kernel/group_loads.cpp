#include "scheduler/lower/kernel/group_loads.h"

#include <algorithm>
#include <set>

#include "ir/analysis/interval.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

// Bytes a thread may hold in loaded values before it starts to use them.
constexpr int64_t kBatchBytes = 288;

// Elements of the widest access to a buffer that its base and rows allow; 0 for registers, which are not memory.
int64_t widest_access(const Module& module, const KernelDraft& draft, int buffer) {
  const KernelStorage* s = draft.stored(buffer);
  if (s && s->memory == Memory::Register) return 0;
  const int64_t bytes = module.buffers[buffer].type.bytes();
  if (s && s->memory == Memory::Shared) return std::max<int64_t>(1, 16 / bytes);
  return draft.fast ? std::max<int64_t>(1, row_width(module.program, buffer) / bytes) : 1;
}

int64_t modulo(int64_t a, int64_t b) { return ((a % b) + b) % b; }

// The address of an element: base (no literal part) + offset.
struct Spot {
  int group = -1;
  int64_t offset = 0;
};

class LoadGrouper {
 public:
  LoadGrouper(const std::function<int64_t(int)>& width, const SymMap<int64_t>& facts) : width_(width), facts_(facts) {}

  Stmt visit(const Stmt& s) {
    if (const auto* l = as<LetStmt>(s)) note_multiple(*l);
    if (straight(s)) return run({s});
    if (const auto* q = as<SeqStmt>(s)) {
      std::vector<Stmt> out, line;
      const auto flush = [&] {
        if (!line.empty()) out.push_back(run(line));
        line.clear();
      };
      for (const Stmt& c : q->stmts) {
        if (straight(c)) {
          line.push_back(c);
          continue;
        }
        flush();
        out.push_back(visit(c));
      }
      flush();
      return make_seq(std::move(out));
    }
    return map_children(s, [&](const Stmt& c) { return visit(c); }, [&](const Expr& e) { return aligned(e); });
  }

  std::map<int, int64_t> access_bytes;

 private:
  struct Item {
    Sym var;     // Let
    Expr value;
    Stmt store;
  };
  struct Group {
    int buffer;
    Type type;
    Expr base;            // undefined: 0
    Type index_type;
    int64_t multiple;     // of base; 0: any
    std::map<int64_t, Expr> loaded;  // offset → value
  };

  static bool straight(const Stmt& s) {
    if (s->kind == StmtKind::Store) return true;
    if (const auto* l = as<LetStmt>(s)) return straight(l->body);
    if (const auto* q = as<SeqStmt>(s)) return std::all_of(q->stmts.begin(), q->stmts.end(), straight);
    return false;
  }

  void linearize(const Stmt& s, std::vector<Item>& out) {
    if (const auto* l = as<LetStmt>(s)) {
      note_multiple(*l);
      out.push_back({l->var, l->value, nullptr});
      linearize(l->body, out);
    } else if (const auto* q = as<SeqStmt>(s)) {
      for (const Stmt& c : q->stmts) linearize(c, out);
    } else {
      out.push_back({nullptr, Expr(), s});
    }
  }

  // ---- one straight line --------------------------------------------------------------------------------------------
  Stmt run(const std::vector<Stmt>& line) {
    std::vector<Item> items;
    for (const Stmt& s : line) linearize(s, items);
    stored_.clear();
    bound_.clear();
    groups_.clear();
    by_hash_.clear();
    for (const Item& i : items) {
      if (i.var) bound_.insert(i.var.get());
      else stored_.insert(as<StoreStmt>(i.store)->buffer);
    }
    // Data-dependent addresses: what they need is loaded in an earlier round.
    for (int round = 0; round < 4 && load_batches(items); ++round) {}
    for (Item& i : items) {
      if (i.var) i.value = aligned(i.value);
      else i.store = aligned_store(map_children(i.store, nullptr, [&](const Expr& e) { return aligned(e); }));
    }
    std::vector<Stmt> tail;
    for (size_t i = items.size(); i-- > 0;) {
      if (!items[i].var) {
        tail.insert(tail.begin(), items[i].store);
        continue;
      }
      Stmt body = make_seq(std::move(tail));
      tail = {make_let(items[i].var, items[i].value, body)};
    }
    return make_seq(std::move(tail));
  }

  bool movable(const Expr& e) const {
    if (e->op != Op::Load || e->args.size() > 1 || stored_.count(e->id) || width_(e->id) == 0) return false;
    const Expr& index = e->args[0];
    if (!index.type().is_scalar() && !(index->op == Op::Ramp && is_const_int(index->args[1], 1))) return false;
    bool ok = true;
    walk_down(index, [&](const Expr& n) {
      if (n->op == Op::Load || n->op == Op::Call || (n->op == Op::Var && bound_.count(n->var.get()))) ok = false;
      return ok;
    });
    return ok;
  }

  Spot spot(const Expr& load) {
    if (const auto it = spots_.find(load.get()); it != spots_.end() && it->second.first == generation_) return it->second.second;
    const Expr& index = load->args[0];
    const Expr scalar = index.type().is_scalar() ? index : index->args[0];
    Linear l = linear_form(scalar);
    Spot s;
    s.offset = l.constant;
    l.constant = 0;
    const Expr base = l.terms.empty() ? Expr() : from_linear(l, scalar.type());
    const uint64_t hash = structural_hash(base) * 31 + static_cast<uint64_t>(load->id);
    for (const int g : by_hash_[hash])
      if (groups_[g].buffer == load->id && same(groups_[g].base, base)) s.group = g;
    if (s.group < 0) {
      s.group = static_cast<int>(groups_.size());
      by_hash_[hash].push_back(s.group);
      groups_.push_back({load->id, load.type().element(), base, scalar.type(), base.defined() ? known_multiple(base, facts_) : 0, {}});
    }
    keep_.push_back(load);
    spots_[load.get()] = {generation_, s};
    return s;
  }
  static bool same(const Expr& a, const Expr& b) {
    return a.defined() == b.defined() && (!a.defined() || equal_structure(a, b));
  }

  template <class F>
  static void each_load(const Item& i, F f) {
    const auto in = [&](const Expr& e) {
      walk(e, [&](const Expr& n) {
        if (n->op == Op::Load) f(n);
      });
    };
    if (i.var) in(i.value);
    else each_expr(i.store, in);
  }

  // One pass over the line: batches of new loads in front of the items that use them. False where there was nothing to load.
  bool load_batches(std::vector<Item>& items) {
    ++generation_;
    groups_.clear();
    by_hash_.clear();
    bool any = false;
    std::vector<Item> out;
    for (size_t first = 0; first < items.size();) {
      // What an earlier round loaded stays in front of what needs it.
      if (loaded_here(items[first])) {
        out.push_back(items[first++]);
        continue;
      }
      std::vector<int> order;                    // groups in order of first use
      std::map<int, std::set<int64_t>> wanted;
      int64_t bytes = 0;
      size_t last = first;
      for (; last < items.size() && !loaded_here(items[last]); ++last) {
        std::vector<Spot> fresh;
        int64_t more = 0;
        each_load(items[last], [&](const Expr& e) {
          if (!movable(e)) return;
          const Spot s = spot(e);
          for (int64_t i = 0; i < e.type().lanes; ++i) {
            if (groups_[s.group].loaded.count(s.offset + i)) continue;
            const auto w = wanted.find(s.group);
            if (w != wanted.end() && w->second.count(s.offset + i)) continue;
            fresh.push_back({s.group, s.offset + i});
            more += std::max(4, e.type().bytes());
          }
        });
        if (last > first && bytes > 0 && bytes + more > kBatchBytes) break;
        bytes += more;
        for (const Spot& s : fresh) {
          if (!wanted.count(s.group)) order.push_back(s.group);
          wanted[s.group].insert(s.offset);
        }
      }
      for (const int g : order) {
        any = true;
        load_group(groups_[g], wanted[g], out);
      }
      for (; first < last; ++first) out.push_back(replaced(items[first]));
    }
    items = std::move(out);
    return any;
  }

  // Aligned vectors that cover exactly the wanted elements, greedily from the left.
  void load_group(Group& g, const std::set<int64_t>& wanted, std::vector<Item>& out) {
    const int64_t widest = std::max<int64_t>(1, width_(g.buffer));
    for (auto it = wanted.begin(); it != wanted.end();) {
      const int64_t at = *it;
      int64_t w = 1;
      for (int64_t n = widest; n > 1; n /= 2) {
        if ((g.multiple != 0 && g.multiple % n != 0) || modulo(at, n) != 0) continue;
        bool all = true;
        for (int64_t i = 0; i < n; ++i) all = all && wanted.count(at + i);
        if (!all) continue;
        w = n;
        break;
      }
      Expr index = g.base.defined() ? g.base + make_int(g.index_type, at) : make_int(g.index_type, at);
      const Type t = g.type.with_lanes(static_cast<int>(w));
      if (w > 1) index = make_ramp(index, make_int(g.index_type, 1), static_cast<int>(w));
      note(g.buffer, g.type, w);
      const Expr load = make_load(g.buffer, t, index, {}, w > 1 ? w : 0);
      const Sym v = make_sym("ld", t);
      out.push_back({v, load, nullptr});
      own_loads_.insert(load.get());
      for (int64_t i = 0; i < w; ++i) {
        g.loaded[at + i] = make_lane(make_var(v), static_cast<int>(i));
        if (it != wanted.end()) ++it;
      }
    }
  }

  bool loaded_here(const Item& i) const { return i.var && own_loads_.count(i.value.get()); }

  Item replaced(const Item& item) {
    const auto fe = [&](const Expr& e) {
      return rewrite(e, [&](const Expr& n) {
        if (!movable(n)) return n;
        const Spot s = spot(n);
        const Group& g = groups_[s.group];
        std::vector<Expr> lanes;
        for (int i = 0; i < n.type().lanes; ++i) {
          const auto it = g.loaded.find(s.offset + i);
          if (it == g.loaded.end()) return n;
          lanes.push_back(it->second);
        }
        return whole(lanes);
      });
    };
    if (item.var) return {item.var, fe(item.value), nullptr};
    return {nullptr, Expr(), map_children(item.store, nullptr, fe)};
  }

  // The lanes as a value: the loaded vector itself where they are all of it in order.
  static Expr whole(const std::vector<Expr>& lanes) {
    if (lanes.size() == 1) return lanes[0];
    if (lanes[0]->op == Op::Lane) {
      const Expr& v = lanes[0]->args[0];
      bool all = v.type().lanes == static_cast<int>(lanes.size());
      for (size_t i = 0; all && i < lanes.size(); ++i)
        all = lanes[i]->op == Op::Lane && equal_structure(lanes[i]->args[0], v) && lanes[i]->i == static_cast<int64_t>(i);
      if (all) return v;
    }
    return make_concat(lanes);
  }

  // ---- alignment of dense vectors -------------------------------------------------------------------------------------
  int64_t known_alignment(int buffer, const Expr& index) const {
    if (index->op != Op::Ramp || !is_const_int(index->args[1], 1)) return 0;
    const int64_t m = known_multiple(index->args[0], facts_);
    int64_t w = 1;
    while (w * 2 <= std::min<int64_t>(width_(buffer), index.type().lanes) && (m == 0 || m % (w * 2) == 0)) w *= 2;
    return w > 1 ? w : 0;
  }

  Expr aligned(const Expr& e) {
    return rewrite(e, [&](const Expr& n) {
      if (n->op != Op::Load || n.type().lanes == 1 || n->i != 0) return n;
      const int64_t w = known_alignment(n->id, n->args[0]);
      if (w == 0) return n;
      note(n->id, n.type(), w);
      return make_load(n->id, n.type(), n->args[0], n->args.size() > 1 ? n->args[1] : Expr(), w, static_cast<CachePolicy>(n->cache), n->loc);
    });
  }

  Stmt aligned_store(const Stmt& s) {
    const auto* st = as<StoreStmt>(s);
    if (st->value.type().lanes == 1 || st->align != 0) return s;
    const int64_t w = known_alignment(st->buffer, st->index);
    if (w == 0) return s;
    note(st->buffer, st->value.type(), w);
    return std::make_shared<StoreStmt>(st->buffer, st->index, st->value, st->mask, w, st->cache, st->loc);
  }

  void note(int buffer, Type t, int64_t elements) {
    int64_t& b = access_bytes[buffer];
    b = std::max<int64_t>(b, elements * t.bytes());
  }

  void note_multiple(const LetStmt& l) {
    if (l.value.type().is_int() && l.value.type().is_scalar()) facts_[l.var.get()] = known_multiple(l.value, facts_);
  }

  const std::function<int64_t(int)>& width_;
  SymMap<int64_t> facts_;  // grows by the Lets on the way down
  std::set<int> stored_;
  std::unordered_set<const VarNode*> bound_;
  std::vector<Group> groups_;
  std::unordered_map<uint64_t, std::vector<int>> by_hash_;
  std::unordered_map<const ExprNode*, std::pair<int, Spot>> spots_;
  std::unordered_set<const ExprNode*> own_loads_;
  std::vector<Expr> keep_;
  int generation_ = 0;
};

}  // namespace

void group_loads(const Module& module, KernelDraft& draft) {
  SymMap<int64_t> facts;
  for (const NarrowStride& n : draft.strides) facts[n.var.get()] = std::max<int64_t>(1, n.multiple_bytes / n.element_bytes);
  const std::function<int64_t(int)> width = [&](int buffer) { return widest_access(module, draft, buffer); };
  LoadGrouper grouper(width, facts);
  draft.body = grouper.visit(draft.body);
  draft.access_bytes = std::move(grouper.access_bytes);
}

}  // namespace sinter::scheduler
