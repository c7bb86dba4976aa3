// Expressions: memo, scopes, constants and vectors. Arithmetic, casts and memory are in files of their own.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <bit>
#include <cmath>

#include "codegen/llvm/emit.h"
#include "ir/diagnostic.h"
#include "ir/eval/scalar.h"

namespace sinter::codegen {

using ir::Expr;
using ir::Op;
using ir::Type;
using llvm::Value;

namespace {
constexpr int kDeepest = 200;  // calls of known() inside one another
}

Emitter::Emitter(llvm::Module& module, llvm::Function* function, bool strict)
    : module_(module), context_(module.getContext()), function_(function), b_(module.getContext()), strict_(strict) {
  b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function));
}

void Emitter::bind(const ir::Sym& s, Value* v, bool is_nonneg) {
  env_[s.get()] = {v, 0, false};
  signs_.note(s, is_nonneg);
}

void Emitter::forget_memory() {
  for (Level& l : levels_) l.impure.clear();
}

llvm::Type* Emitter::type_of(Type t) const {
  llvm::Type* e = nullptr;
  if (t.is_f8()) e = llvm::Type::getInt8Ty(context_);
  else if (t.is_float() && t.bits == 16 && soft_narrow()) e = llvm::Type::getInt16Ty(context_);
  else if (t.code == ir::TypeCode::BFloat) e = llvm::Type::getBFloatTy(context_);
  else if (!t.is_float()) e = llvm::Type::getIntNTy(context_, t.bits);
  else if (t.bits == 16) e = llvm::Type::getHalfTy(context_);
  else e = t.bits == 32 ? llvm::Type::getFloatTy(context_) : llvm::Type::getDoubleTy(context_);
  return t.lanes == 1 ? e : llvm::FixedVectorType::get(e, t.lanes);
}

llvm::Type* Emitter::memory_type(Type t) const {
  return type_of(t.is_bool() ? ir::UInt(8, t.lanes) : t);
}

Value* Emitter::splat(Type t, int64_t v) const {
  return llvm::ConstantInt::get(type_of(t), static_cast<uint64_t>(v), /*isSigned=*/true, /*implicitTrunc=*/true);
}

Value* Emitter::intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type*> types, llvm::ArrayRef<Value*> args) {
  llvm::Function* f = llvm::Intrinsic::getOrInsertDeclaration(&module_, id, types);
  llvm::CallInst* call = b_.CreateCall(f, args);
  if (llvm::isa<llvm::FPMathOperator>(call)) call->setFastMathFlags(b_.getFastMathFlags());
  return call;
}

Value* Emitter::map_lanes(llvm::ArrayRef<Value*> args, Type result,
                          const std::function<Value*(llvm::ArrayRef<Value*>)>& f) {
  if (result.is_scalar()) return f(args);
  Value* out = llvm::PoisonValue::get(type_of(result));
  for (int i = 0; i < result.lanes; ++i) {
    std::vector<Value*> lane;
    for (Value* a : args) lane.push_back(b_.CreateExtractElement(a, i));
    out = b_.CreateInsertElement(out, f(lane), i);
  }
  return out;
}

llvm::BasicBlock* Emitter::new_block(const char* name) { return llvm::BasicBlock::Create(context_, name, function_); }

llvm::AllocaInst* Emitter::entry_alloca(llvm::Type* t, const char* name, int align) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> at(&entry, entry.begin());
  llvm::AllocaInst* a = at.CreateAlloca(t, nullptr, name);
  a->setAlignment(llvm::Align(align));
  return a;
}

const Place& Emitter::place(int id) const {
  const auto it = places_.find(id);
  if (it == places_.end()) throw ir::InternalError("code generation: buffer " + std::to_string(id) + " has no place here");
  return it->second;
}

void Emitter::in_scope(const std::function<void()>& f) {
  const int saved = statement_level_;
  levels_.emplace_back();
  statement_level_ = static_cast<int>(levels_.size()) - 1;
  f();
  levels_.pop_back();
  statement_level_ = saved;
}

void Emitter::set_flags(bool strict) {
  llvm::FastMathFlags flags;
  if (!strict) {
    flags.setAllowContract(true);
    flags.setAllowReciprocal(true);
  }
  b_.setFastMathFlags(flags);
}

Emitter::Known Emitter::known(const Expr& e) {
  if (e->op == Op::Var) {
    const auto it = env_.find(e->var.get());
    if (it == env_.end()) throw ir::InternalError("code generation: variable `" + e->var->name + "` is not bound here");
    return it->second;
  }
  if (e->op == Op::IntImm || e->op == Op::FloatImm) return {constant(e), 0, false};
  const Key key{e.get(), strict_};
  for (size_t i = levels_.size(); i-- > 0;) {
    if (const auto it = levels_[i].pure.find(key); it != levels_[i].pure.end()) return it->second;
    if (const auto it = levels_[i].impure.find(key); it != levels_[i].impure.end()) return it->second;
  }
  ++depth_;
  if (depth_ > kDeepest) operands_first(e);
  const Known k = compute(e);
  --depth_;
  Level& level = levels_[std::max(k.level, statement_level_)];
  (k.impure ? level.impure : level.pure)[key] = k;
  keep_.push_back(e);  // the caller's may be a temporary, and the next node at its address another value
  return k;
}

// Emits what `e` is made of before `e`, so that long chains do not nest calls. Lets, loads and Strict see to their operands themselves.
void Emitter::operands_first(const Expr& e) {
  const auto opens = [](const Expr& n) { return n->op != Op::Let && n->op != Op::Load && n->op != Op::Strict; };
  std::unordered_set<const ir::ExprNode*> seen = {e.get()};
  std::vector<std::pair<Expr, bool>> pending;
  const auto push_operands = [&](const Expr& n) {
    for (const Expr& a : n->args)
      if (!a->args.empty() && seen.insert(a.get()).second && !is_known(a)) pending.emplace_back(a, false);
  };
  if (opens(e)) push_operands(e);
  while (!pending.empty()) {
    auto& [n, ready] = pending.back();
    if (ready || !opens(n)) {
      const Expr done = n;
      pending.pop_back();
      known(done);
    } else {
      ready = true;
      const Expr here = n;
      push_operands(here);
    }
  }
}

bool Emitter::is_known(const Expr& e) const {
  const Key key{e.get(), strict_};
  for (const Level& l : levels_)
    if (l.pure.contains(key) || l.impure.contains(key)) return true;
  return false;
}

Value* Emitter::constant(const Expr& e) const {
  const Type t = e.type();
  if (e->op == Op::IntImm) return splat(t, e->i);
  if (t.is_f8()) return llvm::ConstantInt::get(type_of(t), ir::Scalar::of_float(t, e->f).bits);
  if (t.bits == 64) return llvm::ConstantFP::get(type_of(t), e->f);
  if (t.bits == 32) return llvm::ConstantFP::get(context_, llvm::APFloat(static_cast<float>(e->f)));
  llvm::APFloat v(e->f);
  bool loses = false;
  v.convert(t.code == ir::TypeCode::BFloat ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf(),
            llvm::APFloat::rmNearestTiesToEven, &loses);
  if (soft_narrow()) return llvm::ConstantInt::get(context_, v.bitcastToAPInt());
  return llvm::ConstantFP::get(context_, v);
}

// The bound variable's level is the one pushed here; nothing outside may keep a value of that level.
Emitter::Known Emitter::let(const Expr& e) {
  const Known value = known(e->args[0]);
  levels_.emplace_back();
  const int level = static_cast<int>(levels_.size()) - 1;
  signs_.note(e->var, nonneg(e->args[0]));
  env_[e->var.get()] = {value.value, level, value.impure};
  const Known body = known(e->args[1]);
  levels_.pop_back();
  return {body.value, std::max(value.level, std::min(body.level, level - 1)), body.impure};
}

Emitter::Known Emitter::compute(const Expr& e) {
  switch (e->op) {
    case Op::Let: return let(e);
    case Op::Load: return load(e);
    case Op::Strict: {
      const bool saved = strict_;
      strict_ = true;
      const Known k = known(e->args[0]);
      strict_ = saved;
      return k;
    }
    case Op::Call: throw ir::InternalError("code generation: a Call is left: " + ir::to_string(e));
    default: break;
  }
  Known out;
  std::vector<Value*> v;
  v.reserve(e->args.size());
  for (const Expr& a : e->args) {
    const Known k = known(a);
    v.push_back(k.value);
    out.level = std::max(out.level, k.level);
    out.impure |= k.impure;
  }
  set_flags(strict_);
  out.value = vector_op(e, v);
  return out;
}

Value* Emitter::vector_op(const Expr& e, const std::vector<Value*>& v) {
  const Type t = e.type();
  const Type from = e->args[0].type();
  switch (e->op) {
    case Op::Cast: return cast(from, t, v[0]);
    case Op::Reinterpret: return reinterpret(from, t, v[0]);
    case Op::Neg: case Op::Abs: case Op::Not: case Op::BitNot: return unary(e->op, t, v[0]);
    case Op::EQ: case Op::NE: case Op::LT: case Op::LE: case Op::GT: case Op::GE: return compare(e->op, from, v[0], v[1]);
    case Op::Select: return b_.CreateSelect(v[0], v[1], v[2]);
    case Op::Math: return math(e, v);
    case Op::Broadcast: return b_.CreateVectorSplat(t.lanes, v[0]);
    case Op::Lane: return b_.CreateExtractElement(v[0], static_cast<uint64_t>(e->i));
    case Op::Concat: {
      Value* out = llvm::PoisonValue::get(type_of(t));
      for (size_t i = 0; i < v.size(); ++i) out = b_.CreateInsertElement(out, v[i], i);
      return out;
    }
    case Op::Ramp: {
      std::vector<llvm::Constant*> steps;
      for (int i = 0; i < t.lanes; ++i) steps.push_back(llvm::cast<llvm::Constant>(splat(t.element(), i)));
      const bool nsw = t.traps_on_overflow();
      Value* scaled = b_.CreateMul(llvm::ConstantVector::get(steps), b_.CreateVectorSplat(t.lanes, v[1]), "", false, nsw);
      return b_.CreateAdd(b_.CreateVectorSplat(t.lanes, v[0]), scaled, "", false, nsw);
    }
    case Op::Shuffle: return shuffle(v[0], t, v[1]);
    default: return binary(e, v[0], v[1]);
  }
}

Value* Emitter::shuffle(Value*, Type, Value*) { throw ir::InternalError("code generation: a warp shuffle on the host"); }

}  // namespace sinter::codegen
