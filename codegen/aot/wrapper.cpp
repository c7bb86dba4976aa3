#include "codegen/aot/wrapper.h"

#include <llvm/IR/Constants.h>

#include "codegen/aot/header.h"
#include "codegen/arguments.h"
#include "codegen/llvm/host_emitter.h"
#include "codegen/llvm/machine.h"

namespace sinter::codegen {

using llvm::Constant;
using llvm::Value;

namespace {

class Wrappers {
 public:
  Wrappers(llvm::Module& out, const llvm::TargetMachine& machine, const ir::Module& m, const EntryFunctions& entry)
      : out_(out), c_(out.getContext()), m_(m), entry_(entry), shared_{m, has_feature(machine, "f16c"), entry.device} {}

  void run() {
    table_ = argument_table();
    call();
    workspace_size();
    init();
    metadata();
  }

 private:
  llvm::Type* i32() { return llvm::Type::getInt32Ty(c_); }
  llvm::Type* i64() { return llvm::Type::getInt64Ty(c_); }
  llvm::Type* ptr() { return llvm::PointerType::get(c_, 0); }

  llvm::Type* c_type(ir::Type t) {
    if (t.is_bool()) return llvm::Type::getInt8Ty(c_);
    if (t.is_float()) return t.bits == 64 ? llvm::Type::getDoubleTy(c_) : llvm::Type::getFloatTy(c_);
    return llvm::Type::getIntNTy(c_, t.bits);
  }

  // sinter_rt_arg, field by field.
  Constant* argument_table() {
    llvm::Type* i8 = llvm::Type::getInt8Ty(c_);
    llvm::Type* i16 = llvm::Type::getInt16Ty(c_);
    llvm::StructType* type = llvm::StructType::get(c_, {ptr(), i8, i8, i8, i8, i8, i16});
    std::vector<Constant*> rows;
    for (const sinter_rt_arg& a : runtime_arguments(m_.program).args) {
      const auto byte = [&](int v) { return llvm::ConstantInt::get(i8, static_cast<uint64_t>(v) & 0xff); };
      rows.push_back(llvm::ConstantStruct::get(type, {c_string(out_, a.name), byte(a.code), byte(a.bits), byte(a.kind), byte(a.rank),
                                                      byte(a.dim0_free_stride), llvm::ConstantInt::get(i16, a.may_alias)}));
    }
    return c_array(out_, type, rows);
  }

  llvm::Function* function(const std::string& name, llvm::Type* result, const std::vector<llvm::Type*>& params) {
    auto* f = llvm::Function::Create(llvm::FunctionType::get(result, params, false), llvm::GlobalValue::ExternalLinkage, name, out_);
    f->setDoesNotThrow();
    return f;
  }

  std::vector<llvm::Type*> parameters() {
    std::vector<llvm::Type*> out;
    for (const ir::Argument& a : m_.program.args)
      out.push_back(a.kind == ir::Argument::Kind::Param ? c_type(m_.program.params[static_cast<size_t>(a.id)].var->type) : ptr());
    return out;
  }

  // A scalar parameter as the 64 bits of its slot.
  Value* slot(HostEmitter& e, ir::Type t, Value* v) {
    llvm::IRBuilder<>& b = e.builder();
    if (t.is_narrow_float()) v = e.convert(ir::Float(32), t, v);
    else if (t.is_float()) v = b.CreateBitCast(v, b.getIntNTy(t.bits));
    else if (t.is_bool()) v = b.CreateICmpNE(v, b.getInt8(0));
    return b.CreateIntCast(v, b.getInt64Ty(), t.is_int());
  }

  // Gathers the parameters, has the runtime check them, and returns the values; `failed` ends the function.
  Value* unpack(HostEmitter& e, llvm::Function* f, const std::function<Value*(Value*)>& failed) {
    llvm::IRBuilder<>& b = e.builder();
    const std::vector<ir::Argument>& args = m_.program.args;
    const auto array = [&](llvm::Type* t, size_t n) { return b.CreateAlloca(t, b.getInt32(static_cast<uint32_t>(std::max<size_t>(1, n)))); };
    Value* tensors = array(ptr(), args.size());
    Value* scalars = array(i64(), args.size());
    Value* values = array(i64(), m_.args.slots.size());
    for (unsigned i = 0; i < args.size(); ++i) {
      const bool scalar = args[i].kind == ir::Argument::Kind::Param;
      Value* tensor = scalar ? llvm::ConstantPointerNull::get(llvm::PointerType::get(c_, 0)) : static_cast<Value*>(f->getArg(i));
      Value* bits = scalar ? slot(e, m_.program.params[static_cast<size_t>(args[i].id)].var->type, f->getArg(i)) : b.getInt64(0);
      b.CreateStore(tensor, b.CreateConstInBoundsGEP1_64(ptr(), tensors, i));
      b.CreateStore(bits, b.CreateConstInBoundsGEP1_64(i64(), scalars, i));
    }
    llvm::FunctionCallee check = out_.getOrInsertFunction("sinter_rt_unpack", i32(), ptr(), ptr(), i32(), ptr(), ptr(), i32(), ptr());
    Value* status = b.CreateCall(check, {c_string(out_, m_.program.name), table_, b.getInt32(static_cast<uint32_t>(args.size())), tensors, scalars,
                                         b.getInt32(m_.target.is_gpu() ? kDLCUDA : kDLCPU), values});
    llvm::BasicBlock* bad = llvm::BasicBlock::Create(c_, "bad", f);
    llvm::BasicBlock* good = llvm::BasicBlock::Create(c_, "good", f);
    b.CreateCondBr(b.CreateICmpNE(status, b.getInt32(0)), bad, good);
    b.SetInsertPoint(bad);
    b.CreateRet(failed(status));
    b.SetInsertPoint(good);
    return values;
  }

  void call() {
    std::vector<llvm::Type*> types = parameters();
    types.push_back(ptr());
    llvm::Function* f = function(m_.program.name, i32(), types);
    Value* stream = f->getArg(static_cast<unsigned>(types.size()) - 1);
    HostEmitter e(out_, f, shared_, stream);
    Value* values = unpack(e, f, [](Value* status) { return status; });
    e.builder().CreateRet(e.builder().CreateCall(entry_.entry, {values, stream}));
  }

  void workspace_size() {
    llvm::Function* f = function(m_.program.name + "_workspace_size", i64(), parameters());
    HostEmitter e(out_, f, shared_, nullptr);
    llvm::IRBuilder<>& b = e.builder();
    Value* values = unpack(e, f, [&](Value* status) { return b.CreateSExt(b.CreateNeg(status), b.getInt64Ty()); });
    b.CreateRet(b.CreateCall(entry_.workspace_bytes, {values}));
  }

  void init() {
    llvm::Function* f = function(m_.program.name + "_init", i32(), {i32()});
    HostEmitter e(out_, f, shared_, nullptr);
    llvm::IRBuilder<>& b = e.builder();
    if (!m_.target.is_gpu()) {
      b.CreateRet(b.getInt32(0));
      return;
    }
    Value* status = b.CreateCall(out_.getOrInsertFunction("sinter_rt_device_use", i32(), i32()), {f->getArg(0)});
    llvm::BasicBlock* bad = llvm::BasicBlock::Create(c_, "bad", f);
    llvm::BasicBlock* good = llvm::BasicBlock::Create(c_, "good", f);
    b.CreateCondBr(b.CreateICmpNE(status, b.getInt32(0)), bad, good);
    b.SetInsertPoint(bad);
    b.CreateRet(status);
    b.SetInsertPoint(good);
    b.CreateRet(b.CreateCall(out_.getOrInsertFunction("sinter_rt_module_load", i32(), ptr()), {entry_.device}));
  }

  void metadata() {
    llvm::Function* f = function(m_.program.name + "_metadata", ptr(), {});
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(c_, "entry", f));
    b.CreateRet(c_string(out_, metadata_json(m_)));
  }

  llvm::Module& out_;
  llvm::LLVMContext& c_;
  const ir::Module& m_;
  const EntryFunctions& entry_;
  HostShared shared_;
  Constant* table_ = nullptr;
};

}  // namespace

void emit_wrappers(llvm::Module& out, const llvm::TargetMachine& machine, const ir::Module& m, const EntryFunctions& entry) {
  Wrappers(out, machine, m, entry).run();
}

}  // namespace sinter::codegen
