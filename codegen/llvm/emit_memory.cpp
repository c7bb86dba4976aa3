// Loads and stores: addresses as a shared base plus a literal offset, vectors in pieces the machine has, masks as branches.
#include <llvm/IR/Constants.h>

#include <bit>

#include "codegen/llvm/emit.h"
#include "ir/diagnostic.h"

namespace sinter::codegen {

using ir::Expr;
using ir::Op;
using ir::Type;
using llvm::Value;

namespace {

int64_t low_bit(int64_t v) { return v & -v; }

// Bytes that the first of `lanes` consecutive elements is aligned to.
int dense_align(const Place& p, Type t, int64_t align) {
  const int64_t known = align > 0 ? low_bit(align * t.bytes()) : 0;
  return static_cast<int>(std::max<int64_t>(t.bytes(), std::min<int64_t>(known, p.base_align)));
}

}  // namespace

// index = rest + constant. The rest may leave i32 only where the index itself is within the constant's distance of the limit; for
// elements of two bytes and more that is out of reach (byte offsets are below 2^31), for bytes such offsets are not split off.
const Emitter::Split& Emitter::split(const Expr& e, bool narrow_elements, int depth) {
  auto& memo = splits_[narrow_elements];
  if (const auto it = memo.find(e.get()); it != memo.end()) return it->second;
  Split out{e, 0};
  const bool wide = e.type().bits == 64;
  const auto fits = [&](int64_t c) {
    return c != 0 && (wide ? std::abs(c) < (int64_t{1} << 40) : std::abs(c) <= (1 << 20) && (c > 0 || !narrow_elements));
  };
  constexpr int kDeepest = 200;
  if (!e.type().traps_on_overflow() || depth > kDeepest) {
    // what wraps can't be split
  } else if (const int64_t* c = ir::as_int(e)) {
    out = {{}, *c};
  } else if (e->op == Op::Add || e->op == Op::Sub) {
    const Split a = split(e->args[0], narrow_elements, depth + 1), b = split(e->args[1], narrow_elements, depth + 1);
    const int64_t c = e->op == Op::Add ? a.constant + b.constant : a.constant - b.constant;
    if (fits(c) || (c == 0 && (a.constant || b.constant))) {
      if (!b.rest.defined()) out = {a.rest, c};
      else if (a.rest.defined()) out = {e->op == Op::Add ? a.rest + b.rest : a.rest - b.rest, c};
      else if (e->op == Op::Add) out = {b.rest, c};
    }
  } else if (e->op == Op::Mul) {
    const int64_t *k = ir::as_int(e->args[1]), *j = ir::as_int(e->args[0]);
    if (k || j) {
      const Split a = split(e->args[k ? 0 : 1], narrow_elements, depth + 1);
      int64_t c = 0;
      if (!__builtin_mul_overflow(a.constant, k ? *k : *j, &c) && fits(c)) {
        out = {a.rest.defined() ? a.rest * ir::make_int(e.type(), k ? *k : *j) : Expr(), c};
      }
    }
  } else if (e->op == Op::Cast && e->args[0].type().traps_on_overflow() && wide) {
    const Split a = split(e->args[0], narrow_elements, depth + 1);
    if (a.constant != 0) out = {a.rest.defined() ? ir::make_cast(e.type(), a.rest) : Expr(), a.constant};
  }
  keep_.push_back(e);
  if (out.rest.defined()) keep_.push_back(out.rest);
  return memo[e.get()] = out;
}

Emitter::Address Emitter::address(const Place& p, const Expr& index, bool& impure, int& level) {
  const Split s = split(index, p.type.bytes() == 1);
  Address out{p.base, s.constant * p.type.bytes()};
  if (!s.rest.defined()) return out;
  const Known k = known(s.rest);
  impure |= k.impure;
  level = std::max(level, k.level);
  Value* i = k.value;
  if (!s.rest.type().is_int()) i = b_.CreateZExt(i, b_.getInt64Ty());
  out.base = b_.CreateGEP(memory_type(p.type), p.base, i);
  return out;
}

Value* Emitter::with_offset(Value* base, int64_t bytes) {
  return bytes == 0 ? base : b_.CreateGEP(b_.getInt8Ty(), base, b_.getInt64(static_cast<uint64_t>(bytes)));
}

// Lane `lane` of an index, as an expression: literal offsets between lanes stay visible.
Expr Emitter::lane_of(const Expr& e, int lane) {
  if (e.type().is_scalar()) return e;
  Expr& out = lanes_[{e.get(), lane}];
  if (out.defined()) return out;
  Expr r;
  switch (e->op) {
    case Op::Ramp: r = e->args[0] + e->args[1] * static_cast<int64_t>(lane); break;
    case Op::Add: r = lane_of(e->args[0], lane) + lane_of(e->args[1], lane); break;
    case Op::Sub: r = lane_of(e->args[0], lane) - lane_of(e->args[1], lane); break;
    case Op::Mul: r = lane_of(e->args[0], lane) * lane_of(e->args[1], lane); break;
    case Op::Cast: r = ir::make_cast(e.type().element(), lane_of(e->args[0], lane)); break;
    default: r = ir::make_lane(e, lane); break;
  }
  keep_.push_back(e);
  return lanes_[{e.get(), lane}] = r;
}

Expr Emitter::dense_base(const Expr& e) {
  if (e->op == Op::Ramp) return ir::is_const_int(e->args[1], 1) ? e->args[0] : Expr();
  if (e->op == Op::Add || e->op == Op::Sub) {
    for (int ramp : {0, 1}) {
      if (ramp == 1 && e->op == Op::Sub) break;
      const Expr& other = e->args[1 - ramp];
      if (other->op != Op::Broadcast) continue;
      if (dense_base(e->args[ramp]).defined()) return lane_of(e, 0);
    }
  }
  return {};
}

Value* Emitter::from_memory(Type t, Value* v) { return t.is_bool() ? b_.CreateICmpNE(v, splat(ir::UInt(8, t.lanes), 0)) : v; }
Value* Emitter::to_memory(Type t, Value* v) { return t.is_bool() ? b_.CreateZExt(v, memory_type(t)) : v; }

Value* Emitter::load_piece(const Place& p, Value* base, int64_t offset, llvm::Type* type, int align, ir::CachePolicy) {
  llvm::LoadInst* l = b_.CreateAlignedLoad(type, with_offset(base, offset), llvm::Align(align));
  if (p.read_only && p.global) l->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  return l;
}

void Emitter::store_piece(const Place&, Value* base, int64_t offset, Value* value, int align, ir::CachePolicy) {
  b_.CreateAlignedStore(value, with_offset(base, offset), llvm::Align(align));
}

Value* Emitter::load_dense(const Place& p, Address a, Type t, int64_t align, ir::CachePolicy policy) {
  const int bytes = t.bytes();
  const int known = dense_align(p, t, align);
  const int per_piece = std::max(1, max_access(known) / bytes);
  if (t.lanes <= per_piece)
    return from_memory(t, load_piece(p, a.base, a.offset, memory_type(t), known, policy));
  Value* out = llvm::PoisonValue::get(memory_type(t));
  for (int first = 0; first < t.lanes; first += per_piece) {
    const int n = std::min(per_piece, t.lanes - first);
    const int piece_align = first == 0 ? known : static_cast<int>(std::min<int64_t>(known, low_bit(first * bytes)));
    Value* piece = load_piece(p, a.base, a.offset + first * bytes, memory_type(t.with_lanes(n)), piece_align, policy);
    for (int i = 0; i < n; ++i)
      out = b_.CreateInsertElement(out, n == 1 ? piece : b_.CreateExtractElement(piece, i), first + i);
  }
  return from_memory(t, out);
}

void Emitter::store_dense(const Place& p, Address a, Type t, Value* v, int64_t align, ir::CachePolicy policy) {
  const int bytes = t.bytes();
  const int known = dense_align(p, t, align);
  const int per_piece = std::max(1, max_access(known) / bytes);
  v = to_memory(t, v);
  for (int first = 0; first < t.lanes; first += per_piece) {
    const int n = std::min(per_piece, t.lanes - first);
    Value* piece = v;
    if (n == 1 && t.lanes > 1) {
      piece = b_.CreateExtractElement(v, first);
    } else if (n < t.lanes) {
      std::vector<int> picked;
      for (int i = 0; i < n; ++i) picked.push_back(first + i);
      piece = b_.CreateShuffleVector(v, picked);
    }
    const int piece_align = first == 0 ? known : static_cast<int>(std::min<int64_t>(known, low_bit(first * bytes)));
    store_piece(p, a.base, a.offset + first * bytes, piece, piece_align, policy);
  }
}

// `f` runs only where `mask` (a scalar) holds; elsewhere the value is 0, as good as any.
Value* Emitter::guarded(Value* mask, Type t, const std::function<Value*()>& f) {
  llvm::BasicBlock* from = b_.GetInsertBlock();
  llvm::BasicBlock* yes = new_block("masked");
  llvm::BasicBlock* join = new_block("join");
  b_.CreateCondBr(mask, yes, join);
  b_.SetInsertPoint(yes);
  Value* v = f();
  llvm::BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  llvm::PHINode* phi = b_.CreatePHI(v->getType(), 2);
  phi->addIncoming(v, end);
  phi->addIncoming(llvm::Constant::getNullValue(type_of(t)), from);
  return phi;
}

void Emitter::guarded_store(Value* mask, const std::function<void()>& f) {
  llvm::BasicBlock* yes = new_block("masked");
  llvm::BasicBlock* join = new_block("join");
  b_.CreateCondBr(mask, yes, join);
  b_.SetInsertPoint(yes);
  f();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
}

// Addresses and masks are computed before any branch, so that they dominate whatever is memoised.
Emitter::Known Emitter::load(const Expr& e) {
  const Type t = e.type();
  const Place p = place(e->id);
  const Expr& index = e->args[0];
  const auto policy = static_cast<ir::CachePolicy>(e->cache);
  Known out;
  out.impure = !p.read_only;
  Expr mask = e->args.size() > 1 ? e->args[1] : Expr();
  if (mask.defined() && ir::is_const(mask) && !ir::is_const_int(mask, 0)) mask = {};
  Value* m = nullptr;
  bool uniform = true;
  if (mask.defined()) {
    if (mask->op == Op::Broadcast) mask = mask->args[0];
    uniform = mask.type().is_scalar();
    const Known k = known(mask);
    m = k.value;
    out.impure |= k.impure;
    out.level = std::max(out.level, k.level);
  }
  const Expr base = t.is_scalar() ? index : dense_base(index);
  if (base.defined() && uniform) {
    const Address a = address(p, base, out.impure, out.level);
    const auto access = [&] { return load_dense(p, a, t, e->i, policy); };
    out.value = m ? guarded(m, t, access) : access();
    return out;
  }
  std::vector<Address> lanes;
  for (int i = 0; i < t.lanes; ++i) lanes.push_back(address(p, lane_of(index, i), out.impure, out.level));
  out.value = llvm::PoisonValue::get(type_of(t));
  for (int i = 0; i < t.lanes; ++i) {
    const auto access = [&] { return load_dense(p, lanes[i], t.element(), 0, policy); };
    Value* lane_mask = m && !uniform ? b_.CreateExtractElement(m, i) : m;
    out.value = b_.CreateInsertElement(out.value, lane_mask ? guarded(lane_mask, t.element(), access) : access(), i);
  }
  return out;
}

void Emitter::store(const ir::StoreStmt& s) {
  const Type t = s.value.type();
  const Place p = place(s.buffer);
  bool impure = false;
  int level = 0;
  Value* v = expr(s.value);
  Expr mask = s.mask;
  if (mask.defined() && ir::is_const(mask) && !ir::is_const_int(mask, 0)) mask = {};
  if (mask.defined() && mask->op == Op::Broadcast) mask = mask->args[0];
  const bool uniform = !mask.defined() || mask.type().is_scalar();
  Value* m = mask.defined() ? expr(mask) : nullptr;
  const Expr base = t.is_scalar() ? s.index : dense_base(s.index);
  if (base.defined() && uniform) {
    const Address a = address(p, base, impure, level);
    const auto access = [&] { store_dense(p, a, t, v, s.align, s.cache); };
    if (m) guarded_store(m, access);
    else access();
  } else {
    std::vector<Address> lanes;
    for (int i = 0; i < t.lanes; ++i) lanes.push_back(address(p, lane_of(s.index, i), impure, level));
    for (int i = 0; i < t.lanes; ++i) {
      Value* element = b_.CreateExtractElement(v, i);
      const auto access = [&] { store_dense(p, lanes[i], t.element(), element, 0, s.cache); };
      if (m) guarded_store(uniform ? m : b_.CreateExtractElement(m, i), access);
      else access();
    }
  }
  forget_memory();
}

}  // namespace sinter::codegen
