#include "ir/expr.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "ir/diagnostic.h"

namespace sinter::ir {

namespace {

using NodePtr = std::shared_ptr<ExprNode>;

NodePtr node(Op op, Type type, std::vector<Expr> args = {}, Loc loc = {}) {
  auto n = std::make_shared<ExprNode>();
  n->op = op;
  n->type = type;
  n->args = std::move(args);
  n->loc = loc;
  return n;
}

int64_t wrap_to(Type t, int64_t v) {
  if (t.is_bool()) return v != 0;
  if (t.bits >= 64) return v;
  const int shift = 64 - t.bits;
  const uint64_t up = static_cast<uint64_t>(v) << shift;
  return t.is_int() ? static_cast<int64_t>(up) >> shift : static_cast<int64_t>(up >> shift);
}

// Rounds to `keep` explicit mantissa bits and a least exponent, to nearest even; infinity beyond `largest`.
double round_narrow(double v, int mantissa, int min_exponent, double largest) {
  if (!std::isfinite(v) || v == 0) return v;
  int e = 0;
  std::frexp(v, &e);
  const int unit = std::max(e - 1, min_exponent) - mantissa;
  const double r = std::ldexp(std::nearbyint(std::ldexp(v, -unit)), unit);
  return std::fabs(r) > largest ? std::copysign(HUGE_VAL, v) : r;
}

double round_to(Type t, double v) {
  if (t.is_f8()) {
    const bool e4m3 = t.code == TypeCode::E4M3;
    if (std::isnan(v)) return std::numeric_limits<double>::quiet_NaN();
    if (std::isinf(v)) return e4m3 ? std::copysign(largest_finite(t), v) : v;
    const double r = round_narrow(v, e4m3 ? 3 : 2, e4m3 ? -6 : -14, HUGE_VAL);
    return std::fabs(r) > largest_finite(t) ? std::copysign(largest_finite(t), v) : r;
  }
  if (t.code == TypeCode::BFloat) return round_narrow(v, 7, -126, largest_finite(t));
  if (t.bits == 16) return round_narrow(v, 10, -14, largest_finite(t));
  return t.bits == 32 ? static_cast<double>(static_cast<float>(v)) : v;
}

bool is_comparison(Op op) { return op >= Op::EQ && op <= Op::GE; }

}  // namespace

// Releases long chains iteratively: the default recursion would overflow the stack on a chain of 10^5 nodes.
ExprNode::~ExprNode() {
  thread_local std::vector<std::shared_ptr<const ExprNode>>* pending = nullptr;
  if (args.empty()) return;
  if (pending) {
    for (Expr& a : args)
      if (a.defined() && a.ptr().use_count() == 1) pending->push_back(a.ptr());
    args.clear();
    return;
  }
  std::vector<std::shared_ptr<const ExprNode>> list;
  pending = &list;
  for (Expr& a : args)
    if (a.defined() && a.ptr().use_count() == 1) list.push_back(a.ptr());
  args.clear();
  while (!list.empty()) {
    const std::shared_ptr<const ExprNode> last = std::move(list.back());
    list.pop_back();
  }
  pending = nullptr;
}

Expr make_int(Type t, int64_t v) {
  internal_check(t.is_integer() || t.is_bool(), "make_int of a type that is not integer");
  if (t.lanes > 1) return make_broadcast(make_int(t.element(), v), t.lanes);
  NodePtr n = node(Op::IntImm, t);
  n->i = wrap_to(t, v);
  return Expr(n);
}

Expr make_float(Type t, double v) {
  internal_check(t.is_float(), "make_float of a type that is not floating point");
  if (t.lanes > 1) return make_broadcast(make_float(t.element(), v), t.lanes);
  NodePtr n = node(Op::FloatImm, t);
  n->f = round_to(t, v);
  return Expr(n);
}

Expr make_const(Type t, double v) { return t.is_float() ? make_float(t, v) : make_int(t, static_cast<int64_t>(v)); }
Expr make_bool(bool v) { return make_int(Bool(), v); }
Expr i32(int64_t v) { return make_int(Int(32), v); }

Expr make_var(const Sym& s, Loc loc) {
  internal_check(s != nullptr, "make_var of no variable");
  NodePtr n = node(Op::Var, s->type, {}, loc);
  n->var = s;
  return Expr(n);
}

Expr make_let(const Sym& s, Expr value, Expr body) {
  internal_check(s->type == value.type(), "make_let: types differ");
  const Type t = body.type();
  NodePtr n = node(Op::Let, t, {std::move(value), std::move(body)});
  n->var = s;
  return Expr(n);
}

Expr make_cast(Type t, Expr e) {
  if (e.type() == t) return e;
  internal_check(t.lanes == e.type().lanes, "make_cast: lanes differ");
  if (e->op == Op::IntImm && (t.is_integer() || t.is_bool())) return make_int(t, e->i);
  return Expr(node(Op::Cast, t, {std::move(e)}));
}

Expr make_reinterpret(Type t, Expr e) {
  if (e.type() == t) return e;
  internal_check(t.lanes == e.type().lanes && t.bytes() == e.type().bytes(), "make_reinterpret: sizes differ");
  return Expr(node(Op::Reinterpret, t, {std::move(e)}));
}

Expr make_unary(Op op, Expr a, Loc loc) {
  internal_check(op == Op::Neg || op == Op::Abs || op == Op::Not || op == Op::BitNot, "make_unary: not a unary operator");
  const Type t = a.type();
  return Expr(node(op, t, {std::move(a)}, loc));
}

Expr make_binary(Op op, Expr a, Expr b, Loc loc) {
  if (a.type() != b.type())
    throw InternalError(std::string("make_binary ") + op_name(op) + ": types " + to_string(a.type()) + " and " + to_string(b.type()) + " differ");
  const Type t = is_comparison(op) ? Bool(a.type().lanes) : a.type();
  return Expr(node(op, t, {std::move(a), std::move(b)}, loc));
}

Expr make_select(Expr c, Expr t, Expr f, Loc loc) {
  internal_check(t.type() == f.type(), "make_select: types differ");
  internal_check(c.type().is_bool() && (c.type().lanes == t.type().lanes || c.type().lanes == 1), "make_select: bad condition");
  if (c.type().lanes != t.type().lanes) c = make_broadcast(c, t.type().lanes);
  const Type type = t.type();
  return Expr(node(Op::Select, type, {std::move(c), std::move(t), std::move(f)}, loc));
}

Expr make_math(MathFn fn, std::vector<Expr> args, Loc loc) {
  internal_check(!args.empty(), "make_math: no operands");
  const Type t = fn == MathFn::IsNan ? Bool(args[0].type().lanes) : args[0].type();
  for (const Expr& a : args) internal_check(a.type() == args[0].type(), "make_math: operand types differ");
  NodePtr n = node(Op::Math, t, std::move(args), loc);
  n->fn = fn;
  return Expr(n);
}

Expr make_strict(Expr e) {
  if (e->op == Op::Strict) return e;
  const Type t = e.type();
  return Expr(node(Op::Strict, t, {std::move(e)}));
}

Expr make_call(FuncId f, Type t, std::vector<Expr> index, Loc loc) {
  NodePtr n = node(Op::Call, t, std::move(index), loc);
  n->id = f;
  return Expr(n);
}

Expr make_load(int buffer, Type t, Expr index, Expr mask, int64_t align, CachePolicy cache, Loc loc) {
  internal_check(t.lanes == index.type().lanes, "make_load: lanes of the index differ");
  std::vector<Expr> args = {std::move(index)};
  if (mask.defined()) args.push_back(std::move(mask));
  NodePtr n = node(Op::Load, t, std::move(args), loc);
  n->id = buffer;
  n->i = align;
  n->cache = static_cast<uint8_t>(cache);
  return Expr(n);
}

Expr make_ramp(Expr base, Expr stride, int lanes) {
  if (lanes == 1) return base;
  internal_check(base.type() == stride.type() && base.type().is_scalar(), "make_ramp: bad operands");
  const Type t = base.type().with_lanes(lanes);
  return Expr(node(Op::Ramp, t, {std::move(base), std::move(stride)}));
}

Expr make_broadcast(Expr e, int lanes) {
  if (lanes == 1) return e;
  internal_check(e.type().is_scalar(), "make_broadcast of a vector");
  const Type t = e.type().with_lanes(lanes);
  return Expr(node(Op::Broadcast, t, {std::move(e)}));
}

Expr make_lane(Expr vec, int lane) {
  if (vec.type().is_scalar()) return vec;
  internal_check(lane >= 0 && lane < vec.type().lanes, "make_lane: no such lane");
  if (vec->op == Op::Broadcast) return vec->args[0];
  if (vec->op == Op::Concat) return vec->args[lane];
  const Type t = vec.type().element();
  NodePtr n = node(Op::Lane, t, {std::move(vec)});
  n->i = lane;
  return Expr(n);
}

Expr make_concat(std::vector<Expr> lanes) {
  internal_check(!lanes.empty(), "make_concat of nothing");
  if (lanes.size() == 1) return lanes[0];
  for (const Expr& e : lanes) internal_check(e.type() == lanes[0].type() && e.type().is_scalar(), "make_concat: bad operands");
  const Type t = lanes[0].type().with_lanes(static_cast<int>(lanes.size()));
  return Expr(node(Op::Concat, t, std::move(lanes)));
}

Expr make_shuffle(Expr value, Expr lane) {
  const Type t = value.type();
  return Expr(node(Op::Shuffle, t, {std::move(value), std::move(lane)}));
}

Expr with_args(const Expr& e, std::vector<Expr> args, Type type) {
  NodePtr n = node(e->op, type, std::move(args), e->loc);
  n->var = e->var;
  n->i = e->i;
  n->f = e->f;
  n->id = e->id;
  n->fn = e->fn;
  n->cache = e->cache;
  return Expr(n);
}
Expr with_args(const Expr& e, std::vector<Expr> args) { return with_args(e, std::move(args), e.type()); }

// ---- structure ----------------------------------------------------------------------------------------------------

static bool same_attributes(const ExprNode& a, const ExprNode& b) {
  return a.op == b.op && a.type == b.type && a.args.size() == b.args.size() && a.var == b.var && a.i == b.i &&
         std::memcmp(&a.f, &b.f, sizeof a.f) == 0 && a.id == b.id && a.fn == b.fn && a.cache == b.cache;
}

namespace {
struct PairHash {
  size_t operator()(const std::pair<const ExprNode*, const ExprNode*>& p) const {
    return std::hash<const void*>()(p.first) * 31 + std::hash<const void*>()(p.second);
  }
};
using EqualMemo = std::unordered_map<std::pair<const ExprNode*, const ExprNode*>, bool, PairHash>;

bool equal_nodes(const Expr& a, const Expr& b, EqualMemo& memo) {
  if (a.same_as(b)) return true;
  if (!a.defined() || !b.defined() || !same_attributes(*a, *b)) return false;
  if (a->args.empty()) return true;
  const auto [it, fresh] = memo.try_emplace({a.get(), b.get()}, true);
  if (!fresh) return it->second;
  bool same = true;
  for (size_t i = 0; same && i < a->args.size(); ++i) same = equal_nodes(a->args[i], b->args[i], memo);
  if (!same) memo[{a.get(), b.get()}] = false;
  return same;
}

uint64_t mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdull;
}

uint64_t hash_node(const Expr& e, std::unordered_map<const ExprNode*, uint64_t>& memo) {
  if (!e.defined()) return 0;
  if (!e->args.empty())
    if (const auto it = memo.find(e.get()); it != memo.end()) return it->second;
  uint64_t h = mix(static_cast<uint64_t>(e->op), (static_cast<uint64_t>(e->type.code) << 32) | (e->type.bits << 16) | e->type.lanes);
  h = mix(h, reinterpret_cast<uintptr_t>(e->var.get()));
  h = mix(h, static_cast<uint64_t>(e->i));
  uint64_t bits;
  std::memcpy(&bits, &e->f, sizeof bits);
  h = mix(h, bits);
  h = mix(h, static_cast<uint64_t>(e->id) * 64 + static_cast<uint64_t>(e->fn));
  for (const Expr& a : e->args) h = mix(h, hash_node(a, memo));
  if (!e->args.empty()) memo[e.get()] = h;
  return h;
}
}  // namespace

bool equal_structure(const Expr& a, const Expr& b) {
  EqualMemo memo;
  return equal_nodes(a, b, memo);
}

uint64_t structural_hash(const Expr& e) {
  std::unordered_map<const ExprNode*, uint64_t> memo;
  return hash_node(e, memo);
}

}  // namespace sinter::ir
