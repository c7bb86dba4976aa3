#include "codegen/llvm/nvptx.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <set>

#include "codegen/llvm/emit.h"
#include "codegen/llvm/machine.h"
#include "ir/diagnostic.h"

namespace sinter::codegen {

using ir::MathFn;
using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

constexpr int kGlobalSpace = 1, kSharedSpace = 3;

class DeviceEmitter : public Emitter {
 public:
  DeviceEmitter(llvm::Module& module, llvm::Function* function, const ir::Target& target)
      : Emitter(module, function, target.strict_float), sm_(target.sm) {}

  void declare(const ir::Module& m, const ir::Kernel& k, const SignAnalysis& entry);
  void finish() { b_.CreateRetVoid(); }

 protected:
  int max_access(int align) const override { return std::min(16, align); }

  // The instructions of sm_89 need a later version of PTX than its code is written in.
  bool has_f8_convert() const override { return sm_ >= 90; }
  Value* f8_pair(ir::Type to, Value* low, Value* high) override {
    return intrinsic(to == ir::F8E4M3() ? Intrinsic::nvvm_ff_to_e4m3x2_rn : Intrinsic::nvvm_ff_to_e5m2x2_rn, {}, {high, low});
  }
  Value* halves_of_f8_pair(ir::Type from, Value* pair) override {
    return intrinsic(from == ir::F8E4M3() ? Intrinsic::nvvm_e4m3x2_to_f16x2_rn : Intrinsic::nvvm_e5m2x2_to_f16x2_rn, {}, {pair});
  }

  Value* native(MathFn fn, const std::vector<Value*>& a, bool strict) override {
    if (strict) return nullptr;
    switch (fn) {
      case MathFn::Exp2: return intrinsic(Intrinsic::nvvm_ex2_approx_ftz, {b_.getFloatTy()}, a);  // see expand_math.h
      case MathFn::Log2: return intrinsic(Intrinsic::nvvm_lg2_approx_f, {}, a);
      case MathFn::Sqrt: return intrinsic(Intrinsic::nvvm_sqrt_approx_f, {}, a);
      case MathFn::Rsqrt: return intrinsic(Intrinsic::nvvm_rsqrt_approx_f, {}, a);
      case MathFn::Sin: return intrinsic(Intrinsic::nvvm_sin_approx_f, {}, a);
      case MathFn::Cos: return intrinsic(Intrinsic::nvvm_cos_approx_f, {}, a);
      case MathFn::Tanh: {
        const llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
        llvm::FastMathFlags flags;
        flags.setApproxFunc(true);
        b_.setFastMathFlags(flags);
        return intrinsic(Intrinsic::tanh, {b_.getFloatTy()}, a);
      }
      default: return nullptr;
    }
  }

  // div.full: 2 ulp over the whole range. By a constant: a product with the reciprocal, where that is a normal number.
  Value* divide_f32(Value* a, Value* b, bool strict) override {
    if (strict) return b_.CreateFDiv(a, b);
    if (const auto* c = llvm::dyn_cast<llvm::ConstantFP>(b)) {
      llvm::APFloat r(1.0f);
      r.divide(c->getValueAPF(), llvm::APFloat::rmNearestTiesToEven);
      if (r.isNormal()) return b_.CreateFMul(a, llvm::ConstantFP::get(context_, r));
    }
    return intrinsic(Intrinsic::nvvm_div_full, {}, {a, b});
  }

  Value* shuffle(Value* v, ir::Type t, Value* lane) override;
  Value* load_piece(const Place& p, Value* base, int64_t offset, llvm::Type* type, int align, ir::CachePolicy policy) override;
  void store_piece(const Place& p, Value* base, int64_t offset, Value* v, int align, ir::CachePolicy policy) override;
  void other_stmt(const ir::Stmt& s) override;

  void annotate_loop(llvm::BranchInst* back) override {
    llvm::Metadata* off[] = {llvm::MDString::get(context_, "llvm.loop.unroll.disable")};
    llvm::MDNode* id = llvm::MDNode::getDistinct(context_, {nullptr, llvm::MDNode::get(context_, off)});
    id->replaceOperandWith(0, id);
    back->setMetadata(llvm::LLVMContext::MD_loop, id);
  }

 private:
  int sm_;

  // How inline assembly accesses `bytes` at once.
  struct Access {
    int words = 1;
    int word_bits = 32;
    std::string suffix;  // ".v4.b32"
    char constraint = 'r';
  };
  static std::optional<Access> access_of(int bytes, int align);
  llvm::CallInst* assembly(const std::string& text, const std::string& constraints, llvm::Type* result,
                           llvm::ArrayRef<Value*> args, bool writes);
};

Value* DeviceEmitter::shuffle(Value* v, ir::Type t, Value* lane) {
  return map_lanes({v}, t, [&](llvm::ArrayRef<Value*> a) -> Value* {
    const ir::Type e = t.element();
    llvm::Type* i32 = b_.getInt32Ty();
    const auto move = [&](Value* word) {
      return intrinsic(Intrinsic::nvvm_shfl_sync_idx_i32, {}, {b_.getInt32(~0u), word, lane, b_.getInt32(31)});
    };
    Value* bits = b_.CreateBitCast(a[0], b_.getIntNTy(e.bits));
    if (e.bits == 64) {
      Value* low = b_.CreateZExt(move(b_.CreateTrunc(bits, i32)), b_.getInt64Ty());
      Value* high = b_.CreateZExt(move(b_.CreateTrunc(b_.CreateLShr(bits, 32), i32)), b_.getInt64Ty());
      bits = b_.CreateOr(low, b_.CreateShl(high, 32));
    } else {
      bits = b_.CreateTrunc(move(b_.CreateZExt(bits, i32)), b_.getIntNTy(e.bits));
    }
    return b_.CreateBitCast(bits, type_of(e));
  });
}

std::optional<DeviceEmitter::Access> DeviceEmitter::access_of(int bytes, int align) {
  if (align < bytes) return std::nullopt;
  switch (bytes) {
    case 16: return Access{4, 32, ".v4.b32", 'r'};
    case 8: return Access{2, 32, ".v2.b32", 'r'};
    case 4: return Access{1, 32, ".b32", 'r'};
    case 2: return Access{1, 16, ".b16", 'h'};
    default: return std::nullopt;
  }
}

llvm::CallInst* DeviceEmitter::assembly(const std::string& text, const std::string& constraints, llvm::Type* result,
                                        llvm::ArrayRef<Value*> args, bool writes) {
  std::vector<llvm::Type*> types;
  for (Value* a : args) types.push_back(a->getType());
  llvm::InlineAsm* code = llvm::InlineAsm::get(llvm::FunctionType::get(result, types, false), text, constraints, writes);
  llvm::CallInst* call = b_.CreateCall(code, args);
  call->setDoesNotThrow();
  call->addFnAttr(llvm::Attribute::WillReturn);
  return call;
}

// LLVM has no way to ask for a cache policy, so streaming accesses are inline assembly.
Value* DeviceEmitter::load_piece(const Place& p, Value* base, int64_t offset, llvm::Type* type, int align,
                                 ir::CachePolicy policy) {
  const int bytes = static_cast<int>(module_.getDataLayout().getTypeStoreSize(type).getFixedValue());
  const auto access = access_of(bytes, align);
  if (policy != ir::CachePolicy::Stream || !p.global || !access) return Emitter::load_piece(p, base, offset, type, align, policy);
  llvm::Type* word = b_.getIntNTy(access->word_bits);
  std::vector<llvm::Type*> words(access->words, word);
  std::string regs, constraints;
  for (int i = 0; i < access->words; ++i) {
    regs += (i ? ", $" : "$") + std::to_string(i);
    constraints += std::string("=") + access->constraint + ",";
  }
  if (access->words > 1) regs = "{" + regs + "}";
  const std::string text = std::string("ld.global") + (p.read_only ? ".nc" : "") + ".L1::no_allocate" + access->suffix + " " + regs +
                           ", [$" + std::to_string(access->words) + "+" + std::to_string(offset) + "];";
  llvm::Type* result = access->words == 1 ? word : llvm::StructType::get(context_, words);
  llvm::CallInst* call = assembly(text, constraints + "l", result, {base}, /*writes=*/false);
  if (p.read_only) call->setDoesNotAccessMemory();
  else call->setOnlyReadsMemory();
  Value* v = call;
  if (access->words > 1) {
    v = llvm::PoisonValue::get(llvm::FixedVectorType::get(word, access->words));
    for (int i = 0; i < access->words; ++i) v = b_.CreateInsertElement(v, b_.CreateExtractValue(call, i), i);
  }
  return b_.CreateBitCast(v, type);
}

void DeviceEmitter::store_piece(const Place& p, Value* base, int64_t offset, Value* v, int align, ir::CachePolicy policy) {
  const int bytes = static_cast<int>(module_.getDataLayout().getTypeStoreSize(v->getType()).getFixedValue());
  const auto access = access_of(bytes, align);
  if (policy != ir::CachePolicy::Stream || !p.global || !access) return Emitter::store_piece(p, base, offset, v, align, policy);
  llvm::Type* word = b_.getIntNTy(access->word_bits);
  Value* bits = b_.CreateBitCast(v, access->words == 1 ? word : llvm::FixedVectorType::get(word, access->words));
  std::vector<Value*> args = {base};
  std::string regs, constraints = "l";
  for (int i = 0; i < access->words; ++i) {
    regs += (i ? ", $" : "$") + std::to_string(i + 1);
    constraints += std::string(",") + access->constraint;
    args.push_back(access->words == 1 ? bits : b_.CreateExtractElement(bits, i));
  }
  if (access->words > 1) regs = "{" + regs + "}";
  const std::string text = "st.global.cs" + access->suffix + " [$0+" + std::to_string(offset) + "], " + regs + ";";
  assembly(text, constraints + ",~{memory}", b_.getVoidTy(), args, /*writes=*/true);
}

void DeviceEmitter::other_stmt(const ir::Stmt& s) {
  if (const auto* sync = ir::as<ir::SyncStmt>(s)) {
    if (sync->sync == ir::SyncKind::Barrier && sync->args.empty()) {
      b_.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all, {b_.getInt32(0)});
      return forget_memory();
    }
    if (sync->sync == ir::SyncKind::WarpSync) {
      b_.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, {b_.getInt32(~0u)});
      return forget_memory();
    }
    ir::user_error(ir::ErrorCode::NotExecutable, s->loc,
                   std::string("`") + ir::sync_name(sync->sync) + "` can't be executed on cuda yet");
  }
  if (s->kind == ir::StmtKind::AsyncCopy || s->kind == ir::StmtKind::Matrix)
    ir::user_error(ir::ErrorCode::NotExecutable, s->loc, "asynchronous copies and matrix statements can't be executed on cuda yet");
  Emitter::other_stmt(s);
}

void DeviceEmitter::declare(const ir::Module& m, const ir::Kernel& k, const SignAnalysis& entry) {
  const auto range = [&](Intrinsic::ID id, uint32_t end) {
    llvm::CallInst* call = b_.CreateIntrinsic(id, {});
    call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, end)));
    return call;
  };
  if (k.thread) bind(k.thread, range(Intrinsic::nvvm_read_ptx_sreg_tid_x, static_cast<uint32_t>(k.threads)), true);
  if (k.block) bind(k.block, range(Intrinsic::nvvm_read_ptx_sreg_ctaid_x, 0x7fffffffu), true);
  const std::set<int> written(k.written.begin(), k.written.end());
  unsigned at = 0;
  for (int id : k.buffers) {
    llvm::Argument* arg = function_->getArg(at++);
    const ir::Buffer& b = m.buffers.at(static_cast<size_t>(id));
    const bool read_only = k.read_only_inputs && !written.contains(id);
    arg->setName(b.name);
    arg->addAttr(llvm::Attribute::NoAlias);
    arg->addAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(static_cast<uint64_t>(b.type.bytes()))));
    arg->addAttr(llvm::Attribute::get(context_, llvm::Attribute::Captures, llvm::CaptureInfo::none().toIntValue()));
    if (read_only) arg->addAttr(llvm::Attribute::ReadOnly);
    // Only the fast version may assume more than the element's alignment of a caller's buffer.
    bind_buffer(id, {arg, b.type, k.fast || !b.is_argument ? 16 : b.type.bytes(), true, read_only});
  }
  for (const ir::Sym& s : k.scalars) {
    llvm::Argument* arg = function_->getArg(at++);
    arg->setName(s->name);
    bind(s, s->type.is_bool() ? b_.CreateICmpNE(arg, b_.getInt8(0)) : static_cast<Value*>(arg), entry.knows(s));
  }
  for (const ir::Allocation& a : k.allocations) {
    if (a.memory == ir::Memory::Register) {
      llvm::Type* array = llvm::ArrayType::get(memory_type(a.type), static_cast<uint64_t>(std::max<int64_t>(1, a.elements)));
      bind_buffer(a.buffer, {entry_alloca(array, "registers", 16), a.type, 16, false, false});
      continue;
    }
    llvm::GlobalVariable* shared = module_.getNamedGlobal("sinter_shared");
    if (!shared) {
      shared = new llvm::GlobalVariable(module_, llvm::ArrayType::get(b_.getInt8Ty(), 0), false, llvm::GlobalValue::ExternalLinkage,
                                        nullptr, "sinter_shared", nullptr, llvm::GlobalValue::NotThreadLocal, kSharedSpace);
      shared->setAlignment(llvm::Align(1024));
    }
    const int align = a.offset == 0 ? 1024 : static_cast<int>(std::min<int64_t>(1024, a.offset & -a.offset));
    bind_buffer(a.buffer, {with_offset(shared, a.offset), a.type, std::min(16, align), false, false});
  }
}

void emit_kernel(llvm::Module& out, const ir::Module& m, const ir::Kernel& k, const SignAnalysis& entry) {
  if (k.roles.size() != 1 || k.cluster != 1)
    ir::user_error(ir::ErrorCode::NotExecutable, k.loc, "kernel `" + k.name + "`: roles and clusters can't be executed on cuda yet");
  llvm::LLVMContext& c = out.getContext();
  std::vector<llvm::Type*> params(k.buffers.size(), llvm::PointerType::get(c, kGlobalSpace));
  for (const ir::Sym& s : k.scalars) {
    const ir::Type t = s->type;
    params.push_back(t.is_bool() || t.is_f8() ? llvm::Type::getInt8Ty(c)
                     : !t.is_float() ? llvm::Type::getIntNTy(c, t.bits)
                     : t.code == ir::TypeCode::BFloat ? llvm::Type::getBFloatTy(c)
                     : t.bits == 16 ? llvm::Type::getHalfTy(c)
                     : t.bits == 32 ? llvm::Type::getFloatTy(c)
                                    : llvm::Type::getDoubleTy(c));
  }
  auto* f = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(c), params, false),
                                   llvm::GlobalValue::ExternalLinkage, k.name, out);
  if (f->getName() != k.name) throw ir::InternalError("two kernels are named " + k.name);
  f->setCallingConv(llvm::CallingConv::PTX_Kernel);
  f->addFnAttr("nvvm.maxntid", std::to_string(k.threads));
  if (k.min_blocks > 0) f->addFnAttr("nvvm.minctasm", std::to_string(k.min_blocks));
  f->addFnAttr(llvm::Attribute::NoUnwind);
  f->addFnAttr(llvm::Attribute::WillReturn);
  DeviceEmitter e(out, f, m.target);
  e.declare(m, k, entry);
  e.stmt(k.roles[0].body);
  e.finish();
}

}  // namespace

PtxResult emit_ptx(const ir::Module& m) {
  const auto machine = nvptx_machine(m.target);
  llvm::LLVMContext context;
  llvm::Module out(m.program.name, context);
  out.setTargetTriple(machine->getTargetTriple());
  out.setDataLayout(machine->createDataLayout());
  SignAnalysis entry;
  entry.note_entry(m);
  for (const ir::Kernel& k : m.kernels) emit_kernel(out, m, k, entry);
  verify(out);
  optimize(out, *machine, /*host=*/false);
  PtxResult r;
  r.llvm_ir = to_text(out);
  r.ptx = to_assembly(out, *machine);
  return r;
}

std::vector<std::string> kernels_with_local_memory(const std::string& ptx) {
  std::vector<std::string> out;
  std::string kernel;
  for (size_t at = 0; at < ptx.size();) {
    const size_t end = std::min(ptx.find('\n', at), ptx.size());
    const std::string_view line(ptx.data() + at, end - at);
    if (const size_t e = line.find(".entry "); e != std::string_view::npos) {
      const size_t first = e + 7;
      kernel = std::string(line.substr(first, line.find('(', first) - first));
    }
    if (line.find(".local") != std::string_view::npos && (out.empty() || out.back() != kernel)) out.push_back(kernel);
    at = end + 1;
  }
  return out;
}

}  // namespace sinter::codegen
