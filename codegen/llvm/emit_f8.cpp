// Conversions between f32 and the 8-bit floats (ir/eval/scalar.h, encode_f8): by integer arithmetic, or by instructions that take two.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <bit>

#include "codegen/llvm/emit.h"
#include "ir/eval/scalar.h"

namespace sinter::codegen {

using ir::Type;
using llvm::Value;

namespace {

int64_t bits_of(double v) { return std::bit_cast<uint32_t>(static_cast<float>(v)); }
int64_t power(int e) { return int64_t{127 + e} << 23; }  // bits of 2^e

}  // namespace

Value* Emitter::soft_f8_from_float(Type to, Value* v) {
  const ir::F8Format f = ir::f8_format(to);
  const int drop = 23 - f.mantissa;
  const Type u32 = ir::UInt(32, to.lanes);
  llvm::Type* f32 = type_of(ir::Float(32, to.lanes));
  Value* bits = b_.CreateBitCast(v, type_of(u32));
  Value* a = b_.CreateAnd(bits, splat(u32, 0x7fffffff));
  // Adding a power of two whose last bit is that of a subnormal rounds to it. A carry makes the smallest normal number.
  const int magic = 23 + f.min_exp - f.mantissa;
  Value* unit = b_.CreateBitCast(splat(u32, power(magic)), f32);
  Value* small = b_.CreateSub(b_.CreateBitCast(b_.CreateFAdd(b_.CreateBitCast(a, f32), unit), type_of(u32)), splat(u32, power(magic)));
  Value* odd = b_.CreateAnd(b_.CreateLShr(a, static_cast<uint64_t>(drop)), splat(u32, 1));
  Value* rebias = splat(u32, (int64_t{1 - f.min_exp - 127} << 23) + (int64_t{1} << (drop - 1)) - 1);
  Value* normal = b_.CreateLShr(b_.CreateAdd(b_.CreateAdd(a, rebias), odd), static_cast<uint64_t>(drop));
  Value* r = b_.CreateSelect(b_.CreateICmpULT(a, splat(u32, power(f.min_exp))), small, normal);
  r = b_.CreateSelect(b_.CreateICmpUGE(a, splat(u32, bits_of(largest_finite(to)))), splat(u32, f.largest), r);
  r = b_.CreateOr(r, b_.CreateAnd(b_.CreateLShr(bits, 24), splat(u32, 0x80)));
  r = b_.CreateSelect(b_.CreateICmpUGT(a, splat(u32, 0x7f800000)), splat(u32, 0x7f), r);
  return b_.CreateTrunc(r, type_of(to));
}

Value* Emitter::soft_float_from_f8(Type from, Value* v) {
  const ir::F8Format f = ir::f8_format(from);
  const int drop = 23 - f.mantissa;
  const Type u32 = ir::UInt(32, from.lanes);
  llvm::Type* f32 = type_of(ir::Float(32, from.lanes));
  Value* wide = b_.CreateZExt(v, type_of(u32));
  Value* sign = b_.CreateShl(b_.CreateAnd(wide, splat(u32, 0x80)), 24);
  Value* code = b_.CreateAnd(wide, splat(u32, 0x7f));
  Value* normal = b_.CreateAdd(b_.CreateShl(code, static_cast<uint64_t>(drop)), splat(u32, int64_t{127 - 1 + f.min_exp} << 23));
  // A subnormal: as if its exponent were that of the smallest normal number, which then is taken off.
  Value* shifted = b_.CreateBitCast(b_.CreateAdd(normal, splat(u32, 1 << 23)), f32);
  Value* least = b_.CreateBitCast(splat(u32, power(f.min_exp)), f32);
  Value* small = b_.CreateBitCast(b_.CreateFSub(shifted, least), type_of(u32));
  Value* r = b_.CreateSelect(b_.CreateICmpULT(code, splat(u32, int64_t{1} << f.mantissa)), small, normal);
  Value* nan = splat(u32, 0x7fc00000);
  Value* special = f.has_infinity ? b_.CreateSelect(b_.CreateICmpEQ(code, splat(u32, f.largest + 1)), splat(u32, 0x7f800000), nan) : nan;
  r = b_.CreateSelect(b_.CreateICmpUGT(code, splat(u32, f.largest)), special, r);
  return b_.CreateBitCast(b_.CreateOr(r, sign), f32);
}

Value* Emitter::native_f8_from_float(Type to, Value* v) {
  if (to.is_scalar()) return b_.CreateTrunc(f8_pair(to, v, llvm::ConstantFP::get(b_.getFloatTy(), 0)), b_.getInt8Ty());
  const unsigned n = to.lanes, pairs = (n + 1) / 2;
  Value* out = llvm::PoisonValue::get(llvm::FixedVectorType::get(b_.getInt16Ty(), pairs));
  for (unsigned i = 0; i < pairs; ++i) {
    Value* high = 2 * i + 1 < n ? b_.CreateExtractElement(v, 2 * i + 1) : llvm::ConstantFP::get(b_.getFloatTy(), 0);
    out = b_.CreateInsertElement(out, f8_pair(to.element(), b_.CreateExtractElement(v, 2 * i), high), i);
  }
  out = b_.CreateBitCast(out, llvm::FixedVectorType::get(b_.getInt8Ty(), 2 * pairs));
  if (n % 2 == 0) return out;
  std::vector<int> kept;
  for (unsigned i = 0; i < n; ++i) kept.push_back(static_cast<int>(i));
  return b_.CreateShuffleVector(out, kept);
}

Value* Emitter::native_float_from_f8(Type from, Value* v) {
  llvm::Type* f32 = type_of(ir::Float(32, from.lanes));
  if (from.is_scalar()) {
    Value* halves = halves_of_f8_pair(from, b_.CreateZExt(v, b_.getInt16Ty()));
    return b_.CreateFPExt(b_.CreateExtractElement(halves, uint64_t{0}), f32);
  }
  const unsigned n = from.lanes, pairs = (n + 1) / 2;
  if (n % 2) {
    std::vector<int> padded;
    for (unsigned i = 0; i <= n; ++i) padded.push_back(static_cast<int>(i));  // lane n is the first of the zeros
    v = b_.CreateShuffleVector(v, llvm::Constant::getNullValue(v->getType()), padded);
  }
  v = b_.CreateBitCast(v, llvm::FixedVectorType::get(b_.getInt16Ty(), pairs));
  Value* out = llvm::PoisonValue::get(f32);
  Value* halves = nullptr;
  for (unsigned i = 0; i < n; ++i) {
    if (i % 2 == 0) halves = halves_of_f8_pair(from.element(), b_.CreateExtractElement(v, i / 2));
    out = b_.CreateInsertElement(out, b_.CreateFPExt(b_.CreateExtractElement(halves, i % 2), b_.getFloatTy()), i);
  }
  return out;
}

}  // namespace sinter::codegen
