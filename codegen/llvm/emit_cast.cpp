// Conversions. Every narrowing to a float rounds once, to nearest even, and carries no fast-math flag, so that nothing may
// fold it away.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/emit.h"
#include "ir/diagnostic.h"

namespace sinter::codegen {

using ir::Type;
using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

Value* Emitter::cast(Type from, Type to, Value* v) {
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
  b_.clearFastMathFlags();
  llvm::Type* type = type_of(to);
  Value* out = nullptr;
  if (from.is_float() && to.is_float()) {
    if (from.element() == to.element()) out = v;
    else if (from.is_narrow_float()) out = cast(ir::Float(32, from.lanes), to, widen(from, v));
    else if (to.is_narrow_float()) out = from.bits == 32 ? narrow(to, v) : narrow_double(to, v);
    else out = to.bits > from.bits ? b_.CreateFPExt(v, type) : b_.CreateFPTrunc(v, type);
  } else if (from.is_float()) {
    if (from.is_narrow_float()) v = widen(from, v);
    if (to.is_bool()) out = b_.CreateFCmpUNE(v, llvm::ConstantFP::get(v->getType(), 0));
    else out = intrinsic(to.is_int() ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat, {type, v->getType()}, {v});
  } else if (to.is_float()) {
    if (to.is_narrow_float()) out = narrow_integer(from, to, v);
    else out = from.is_int() ? b_.CreateSIToFP(v, type) : b_.CreateUIToFP(v, type);
  } else if (to.is_bool()) {
    out = from.is_bool() ? v : b_.CreateICmpNE(v, splat(from, 0));
  } else {
    out = b_.CreateIntCast(v, type, from.is_int());
  }
  return out;
}

Value* Emitter::reinterpret(Type from, Type to, Value* v) {
  if (from.is_bool() && !to.is_bool()) v = b_.CreateZExt(v, type_of(ir::UInt(8, from.lanes)));
  if (to.is_bool() && !from.is_bool()) return b_.CreateICmpNE(v, splat(from.is_float() ? ir::UInt(from.bits, from.lanes) : from, 0));
  return b_.CreateBitCast(v, type_of(to));
}

Value* Emitter::widen(Type from, Value* v) {
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
  b_.clearFastMathFlags();
  llvm::Type* f32 = type_of(ir::Float(32, from.lanes));
  if (from.is_f8()) return has_f8_convert() ? native_float_from_f8(from, v) : soft_float_from_f8(from, v);
  if (!soft_narrow()) return b_.CreateFPExt(v, f32);
  if (from.code == ir::TypeCode::BFloat) {
    Value* wide = b_.CreateZExt(v, type_of(ir::UInt(32, from.lanes)));
    return b_.CreateBitCast(b_.CreateShl(wide, 16), f32);
  }
  if (!has_half_convert()) return soft_float_from_half(v, from.lanes);
  llvm::Type* half = llvm::Type::getHalfTy(context_);
  return b_.CreateFPExt(b_.CreateBitCast(v, from.is_scalar() ? half : llvm::FixedVectorType::get(half, from.lanes)), f32);
}

Value* Emitter::narrow(Type to, Value* v) {
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
  b_.clearFastMathFlags();
  Value* out = nullptr;
  if (to.is_f8()) {
    out = has_f8_convert() ? native_f8_from_float(to, v) : soft_f8_from_float(to, v);
  } else if (!soft_narrow()) {
    out = b_.CreateFPTrunc(v, type_of(to));
  } else if (to.code == ir::TypeCode::BFloat) {
    const Type u32 = ir::UInt(32, to.lanes);
    Value* bits = b_.CreateBitCast(v, type_of(u32));
    Value* odd = b_.CreateAnd(b_.CreateLShr(bits, 16), splat(u32, 1));
    Value* rounded = b_.CreateAdd(bits, b_.CreateAdd(odd, splat(u32, 0x7fff)));
    Value* quiet = b_.CreateOr(bits, splat(u32, 0x400000));
    Value* kept = b_.CreateSelect(b_.CreateFCmpUNO(v, v), quiet, rounded);
    out = b_.CreateTrunc(b_.CreateLShr(kept, 16), type_of(to));
  } else if (has_half_convert()) {
    llvm::Type* half = llvm::Type::getHalfTy(context_);
    out = b_.CreateBitCast(b_.CreateFPTrunc(v, to.is_scalar() ? half : llvm::FixedVectorType::get(half, to.lanes)), type_of(to));
  } else {
    out = soft_half_from_float(v, to.lanes);
  }
  return out;
}

// f64 → f32 rounded to odd, then to nearest even: one rounding in effect, since f32 has more than two extra bits.
Value* Emitter::narrow_double(Type to, Value* v) {
  const Type u32 = ir::UInt(32, to.lanes);
  Value* nearest = b_.CreateFPTrunc(v, type_of(ir::Float(32, to.lanes)));
  Value* back = b_.CreateFPExt(nearest, v->getType());
  Value* bits = b_.CreateBitCast(nearest, type_of(u32));
  Value* inexact = b_.CreateFCmpONE(back, v);
  Value* even = b_.CreateICmpEQ(b_.CreateAnd(bits, splat(u32, 1)), splat(u32, 0));
  Value* away = b_.CreateFCmpOGT(intrinsic(Intrinsic::fabs, {v->getType()}, {back}), intrinsic(Intrinsic::fabs, {v->getType()}, {v}));
  Value* odd = b_.CreateAdd(bits, b_.CreateSelect(away, splat(u32, -1), splat(u32, 1)));
  bits = b_.CreateSelect(b_.CreateAnd(inexact, even), odd, bits);
  return narrow(to, b_.CreateBitCast(bits, nearest->getType()));
}

Value* Emitter::narrow_integer(Type from, Type to, Value* v) {
  const bool sign = from.is_int();
  const auto convert = [&](Value* x, Type t) { return sign ? b_.CreateSIToFP(x, type_of(t)) : b_.CreateUIToFP(x, type_of(t)); };
  if (from.bits <= 16) return narrow(to, convert(v, ir::Float(32, to.lanes)));
  if (from.bits == 64) {
    // 53 significant bits are all that f64 holds: the lowest 11 are folded into one sticky bit, which changes no rounding.
    Value* low = b_.CreateAnd(v, splat(from, 0x7ff));
    Value* sticky = b_.CreateSelect(b_.CreateICmpNE(low, splat(from, 0)), splat(from, 0x800), splat(from, 0));
    Value* folded = b_.CreateOr(b_.CreateAnd(v, splat(from, ~int64_t{0x7ff})), sticky);
    Value* size = sign ? intrinsic(Intrinsic::abs, {v->getType()}, {v, b_.getFalse()}) : v;
    v = b_.CreateSelect(b_.CreateICmpUGT(size, splat(from, int64_t{1} << 53)), folded, v);
  }
  return narrow_double(to, convert(v, ir::Float(64, to.lanes)));
}

Value* Emitter::soft_half_from_float(Value* v, int lanes) {
  const Type u32 = ir::UInt(32, lanes);
  llvm::Type* f32 = type_of(ir::Float(32, lanes));
  Value* bits = b_.CreateBitCast(v, type_of(u32));
  Value* sign = b_.CreateAnd(bits, splat(u32, 0x80000000));
  Value* a = b_.CreateXor(bits, sign);
  Value* special = b_.CreateSelect(b_.CreateICmpUGT(a, splat(u32, 0x7f800000)), splat(u32, 0x7e00), splat(u32, 0x7c00));
  // Adding 0.5 puts the last bit of a subnormal half at the last bit of the float: the addition rounds.
  Value* half = llvm::ConstantFP::get(f32, 0.5);
  Value* small = b_.CreateSub(b_.CreateBitCast(b_.CreateFAdd(b_.CreateBitCast(a, f32), half), type_of(u32)), splat(u32, 0x3f000000));
  Value* odd = b_.CreateAnd(b_.CreateLShr(a, 13), splat(u32, 1));
  Value* rebias = splat(u32, (int64_t{15 - 127} << 23) + 0xfff);
  Value* normal = b_.CreateLShr(b_.CreateAdd(b_.CreateAdd(a, rebias), odd), 13);
  Value* r = b_.CreateSelect(b_.CreateICmpULT(a, splat(u32, 0x38800000)), small, normal);
  r = b_.CreateSelect(b_.CreateICmpUGE(a, splat(u32, 0x47800000)), special, r);
  return b_.CreateTrunc(b_.CreateOr(r, b_.CreateLShr(sign, 16)), type_of(ir::UInt(16, lanes)));
}

Value* Emitter::soft_float_from_half(Value* v, int lanes) {
  const Type u32 = ir::UInt(32, lanes);
  llvm::Type* f32 = type_of(ir::Float(32, lanes));
  Value* wide = b_.CreateZExt(v, type_of(u32));
  Value* sign = b_.CreateShl(b_.CreateAnd(wide, splat(u32, 0x8000)), 16);
  Value* magnitude = b_.CreateShl(b_.CreateAnd(wide, splat(u32, 0x7fff)), 13);
  Value* exponent = b_.CreateAnd(magnitude, splat(u32, 0x0f800000));
  Value* normal = b_.CreateAdd(magnitude, splat(u32, int64_t{127 - 15} << 23));
  Value* special = b_.CreateAdd(normal, splat(u32, int64_t{128 - 16} << 23));
  Value* shifted = b_.CreateBitCast(b_.CreateAdd(normal, splat(u32, 1 << 23)), f32);
  Value* smallest_normal = llvm::ConstantFP::get(f32, 0x1p-14);
  Value* small = b_.CreateBitCast(b_.CreateFSub(shifted, smallest_normal), type_of(u32));
  Value* r = b_.CreateSelect(b_.CreateICmpEQ(exponent, splat(u32, 0)), small, normal);
  r = b_.CreateSelect(b_.CreateICmpEQ(exponent, splat(u32, 0x0f800000)), special, r);
  return b_.CreateBitCast(b_.CreateOr(r, sign), f32);
}

}  // namespace sinter::codegen
