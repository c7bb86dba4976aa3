// Arithmetic, comparisons and the maths functions that every back end has.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <bit>

#include "codegen/llvm/emit.h"
#include "ir/diagnostic.h"

namespace sinter::codegen {

using ir::Expr;
using ir::MathFn;
using ir::Op;
using ir::Type;
using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

Value* Emitter::unary(Op op, Type t, Value* v) {
  if (op == Op::Not || op == Op::BitNot) return b_.CreateNot(v);
  if (t.is_float()) {
    if (t.is_narrow_float()) return narrow(t, unary(op, ir::Float(32, t.lanes), widen(t, v)));
    return op == Op::Neg ? b_.CreateFNeg(v) : intrinsic(Intrinsic::fabs, {v->getType()}, {v});
  }
  if (op == Op::Neg) return b_.CreateNeg(v, "", t.traps_on_overflow());
  return t.is_int() ? intrinsic(Intrinsic::abs, {v->getType()}, {v, b_.getInt1(t.traps_on_overflow())}) : v;
}

Value* Emitter::compare(Op op, Type t, Value* x, Value* y) {
  using P = llvm::CmpInst::Predicate;
  if (t.is_float()) {
    if (t.is_narrow_float()) return compare(op, ir::Float(32, t.lanes), widen(t, x), widen(t, y));
    switch (op) {
      case Op::EQ: return b_.CreateFCmp(P::FCMP_OEQ, x, y);
      case Op::NE: return b_.CreateFCmp(P::FCMP_UNE, x, y);
      case Op::LT: return b_.CreateFCmp(P::FCMP_OLT, x, y);
      case Op::LE: return b_.CreateFCmp(P::FCMP_OLE, x, y);
      case Op::GT: return b_.CreateFCmp(P::FCMP_OGT, x, y);
      default: return b_.CreateFCmp(P::FCMP_OGE, x, y);
    }
  }
  const bool sign = t.is_int();
  switch (op) {
    case Op::EQ: return b_.CreateICmp(P::ICMP_EQ, x, y);
    case Op::NE: return b_.CreateICmp(P::ICMP_NE, x, y);
    case Op::LT: return b_.CreateICmp(sign ? P::ICMP_SLT : P::ICMP_ULT, x, y);
    case Op::LE: return b_.CreateICmp(sign ? P::ICMP_SLE : P::ICMP_ULE, x, y);
    case Op::GT: return b_.CreateICmp(sign ? P::ICMP_SGT : P::ICMP_UGT, x, y);
    default: return b_.CreateICmp(sign ? P::ICMP_SGE : P::ICMP_UGE, x, y);
  }
}

Value* Emitter::binary(const Expr& e, Value* x, Value* y) {
  const Type t = e.type();
  if (!t.is_float()) return int_binary(e, x, y);
  if (t.is_narrow_float()) return narrow(t, float_binary(e->op, ir::Float(32, t.lanes), widen(t, x), widen(t, y)));
  return float_binary(e->op, t, x, y);
}

Value* Emitter::int_binary(const Expr& e, Value* x, Value* y) {
  const Type t = e.type();
  const bool nsw = t.traps_on_overflow();
  const auto amount = [&] { return b_.CreateAnd(y, splat(t, t.bits - 1)); };
  switch (e->op) {
    case Op::Add: return b_.CreateAdd(x, y, "", false, nsw);
    case Op::Sub: return b_.CreateSub(x, y, "", false, nsw);
    case Op::Mul: return b_.CreateMul(x, y, "", false, nsw);
    case Op::Div: return divide(e, false, x, y);
    case Op::Mod: return divide(e, true, x, y);
    case Op::Min: return intrinsic(t.is_int() ? Intrinsic::smin : Intrinsic::umin, {x->getType()}, {x, y});
    case Op::Max: return intrinsic(t.is_int() ? Intrinsic::smax : Intrinsic::umax, {x->getType()}, {x, y});
    case Op::And: case Op::BitAnd: return b_.CreateAnd(x, y);
    case Op::Or: case Op::BitOr: return b_.CreateOr(x, y);
    case Op::BitXor: return b_.CreateXor(x, y);
    case Op::Shl: return b_.CreateShl(x, amount());
    case Op::Shr: return t.is_int() ? b_.CreateAShr(x, amount()) : b_.CreateLShr(x, amount());
    default: throw ir::InternalError(std::string("code generation: no integer form of ") + ir::op_name(e->op));
  }
}

Value* Emitter::float_binary(Op op, Type t, Value* x, Value* y) {
  switch (op) {
    case Op::Add: return b_.CreateFAdd(x, y);
    case Op::Sub: return b_.CreateFSub(x, y);
    case Op::Mul: return b_.CreateFMul(x, y);
    case Op::Div:
      if (t.bits == 64) return b_.CreateFDiv(x, y);
      return map_lanes({x, y}, t, [&](llvm::ArrayRef<Value*> a) { return divide_f32(a[0], a[1], strict_); });
    case Op::Mod: {  // x - y * floor(x / y), each operation rounded: contracted, it could leave [0, y)
      const llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
      b_.clearFastMathFlags();
      Value* q = intrinsic(Intrinsic::floor, {x->getType()}, {b_.CreateFDiv(x, y)});
      return b_.CreateFSub(x, b_.CreateFMul(q, y));
    }
    case Op::Min: return intrinsic(Intrinsic::minimum, {x->getType()}, {x, y});
    case Op::Max: return intrinsic(Intrinsic::maximum, {x->getType()}, {x, y});
    default: throw ir::InternalError(std::string("code generation: no floating form of ") + ir::op_name(op));
  }
}

Value* Emitter::divide_f32(Value* a, Value* b, bool) { return b_.CreateFDiv(a, b); }

static const int64_t* constant_divisor(const Expr& e) {
  return e->op == Op::Broadcast ? ir::as_int(e->args[0]) : ir::as_int(e);
}

// Euclidean: 0 <= remainder < |divisor|; by zero both are 0. The divisor given to the machine's division is never 0, nor -1,
// which would trap on some machines for the most negative dividend.
Value* Emitter::divide(const Expr& e, bool mod, Value* x, Value* y) {
  const Type t = e.type();
  Value* zero = splat(t, 0);
  Value* one = splat(t, 1);
  if (const int64_t* c = constant_divisor(e->args[1])) {
    if (*c == 0) return zero;
    if (t.is_uint()) return mod ? b_.CreateURem(x, y) : b_.CreateUDiv(x, y);
    if (*c > 0) return divide_by_constant(t, mod, nonneg(e->args[0]), x, *c);
  }
  Value* by_zero = b_.CreateICmpEQ(y, zero);
  if (t.is_uint()) {
    Value* safe = b_.CreateSelect(by_zero, one, y);
    return b_.CreateSelect(by_zero, zero, mod ? b_.CreateURem(x, safe) : b_.CreateUDiv(x, safe));
  }
  if (nonneg(e->args[0]) && nonneg(e->args[1])) {
    Value* safe = b_.CreateSelect(by_zero, one, y);
    return b_.CreateSelect(by_zero, zero, mod ? b_.CreateURem(x, safe) : b_.CreateUDiv(x, safe));
  }
  Value* by_minus_one = b_.CreateICmpEQ(y, splat(t, -1));
  Value* safe = b_.CreateSelect(b_.CreateOr(by_zero, by_minus_one), one, y);
  Value* r = b_.CreateSRem(x, safe);
  Value* below = b_.CreateICmpSLT(r, zero);
  Value* positive = b_.CreateICmpSGT(safe, zero);
  if (mod) {  // by 0 and by -1 the remainder by 1 is the right one, 0
    Value* size = b_.CreateSelect(positive, safe, b_.CreateNeg(safe));
    return b_.CreateSelect(below, b_.CreateAdd(r, size), r);
  }
  Value* q = b_.CreateSDiv(x, safe);
  q = b_.CreateSelect(below, b_.CreateAdd(q, b_.CreateSelect(positive, splat(t, -1), one)), q);
  q = b_.CreateSelect(by_minus_one, b_.CreateNeg(x), q);
  return b_.CreateSelect(by_zero, zero, q);
}

Value* Emitter::divide_by_constant(Type t, bool mod, bool is_nonneg, Value* x, int64_t c) {
  if (std::has_single_bit(static_cast<uint64_t>(c))) {
    if (mod) return b_.CreateAnd(x, splat(t, c - 1));
    Value* shift = splat(t, std::countr_zero(static_cast<uint64_t>(c)));
    return is_nonneg ? b_.CreateLShr(x, shift) : b_.CreateAShr(x, shift);
  }
  Value* y = splat(t, c);
  if (is_nonneg) return mod ? b_.CreateURem(x, y) : b_.CreateUDiv(x, y);
  Value* r = b_.CreateSRem(x, y);
  Value* sign = b_.CreateAShr(r, splat(t, t.bits - 1));  // -1 where the remainder is negative
  return mod ? b_.CreateAdd(r, b_.CreateAnd(sign, y)) : b_.CreateAdd(b_.CreateSDiv(x, y), sign);
}

Value* Emitter::math(const Expr& e, const std::vector<Value*>& v) {
  const Type t = e->args[0].type();
  if (t.is_narrow_float()) {
    std::vector<Value*> wide;
    for (Value* a : v) wide.push_back(widen(t, a));
    if (e->fn == MathFn::IsNan) return b_.CreateFCmpUNO(wide[0], wide[0]);
    return narrow(t, math(e, ir::Float(32, t.lanes), wide));
  }
  return math(e, t, v);
}

Value* Emitter::math(const Expr& e, Type t, const std::vector<Value*>& v) {
  llvm::Type* type = v[0]->getType();
  if (t.bits == 32) {
    bool is_native = true;
    Value* n = e->fn == MathFn::IsNan ? nullptr : map_lanes(v, t, [&](llvm::ArrayRef<Value*> a) -> Value* {
      Value* r = native(e->fn, {a.begin(), a.end()}, strict_);
      if (r) return r;
      is_native = false;
      return llvm::PoisonValue::get(type_of(t.element()));
    });
    if (n && is_native) return n;
  }
  switch (e->fn) {
    case MathFn::Sqrt: return intrinsic(Intrinsic::sqrt, {type}, {v[0]});
    case MathFn::Floor: return intrinsic(Intrinsic::floor, {type}, {v[0]});
    case MathFn::Ceil: return intrinsic(Intrinsic::ceil, {type}, {v[0]});
    case MathFn::Round: return intrinsic(Intrinsic::roundeven, {type}, {v[0]});
    case MathFn::Trunc: return intrinsic(Intrinsic::trunc, {type}, {v[0]});
    case MathFn::Fma: return intrinsic(Intrinsic::fma, {type}, {v[0], v[1], v[2]});
    case MathFn::IsNan: return b_.CreateFCmpUNO(v[0], v[0]);
    default: throw ir::InternalError(std::string("code generation: ") + ir::math_name(e->fn) + " was not expanded");
  }
}

}  // namespace sinter::codegen
