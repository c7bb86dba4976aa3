#include "codegen/aot/wrapper.h"

#include <llvm/IR/Constants.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "codegen/arguments.h"
#include "codegen/llvm/host_emitter.h"
#include "codegen/llvm/machine.h"

namespace sinter::codegen {

using llvm::Constant;
using llvm::Value;

namespace {

class Wrappers {
 public:
  Wrappers(llvm::Module& out, const llvm::TargetMachine& machine, const std::vector<ExportedVersion>& versions)
      : out_(out), c_(out.getContext()), m_(*versions[0].module), versions_(versions),
        shared_{m_, has_feature(machine, "f16c"), versions[0].entry.device} {}

  void run() {
    table_ = argument_table();
    choices_ = version_table();
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

  // sinter_rt_version, field by field.
  Constant* version_table() {
    llvm::StructType* type = llvm::StructType::get(c_, {ptr(), ptr()});
    std::vector<Constant*> rows;
    for (const ExportedVersion& v : versions_) {
      Constant* module = llvm::ConstantPointerNull::get(llvm::PointerType::get(c_, 0));
      if (v.module->target.is_gpu()) module = v.entry.device;
      rows.push_back(llvm::ConstantStruct::get(type, {c_string(out_, v.module->target.to_string()), module}));
    }
    return c_array(out_, type, rows);
  }

  // Ends the function with `result` where the status is not 0.
  void leave_if_failed(llvm::IRBuilder<>& b, llvm::Function* f, Value* status, const std::function<Value*(Value*)>& result) {
    llvm::BasicBlock* bad = llvm::BasicBlock::Create(c_, "bad", f);
    llvm::BasicBlock* good = llvm::BasicBlock::Create(c_, "good", f);
    b.CreateCondBr(b.CreateICmpNE(status, b.getInt32(0)), bad, good);
    b.SetInsertPoint(bad);
    b.CreateRet(result(status));
    b.SetInsertPoint(good);
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

  // Gathers the parameters, has the runtime choose a version and check them, and gives the values to `run` for each version; the
  // function returns what that one returns, or `failed`.
  void dispatch(HostEmitter& e, llvm::Function* f, const std::function<Value*(Value*)>& failed,
                const std::function<Value*(const ExportedVersion&, Value*)>& run) {
    llvm::IRBuilder<>& b = e.builder();
    const std::vector<ir::Argument>& args = m_.program.args;
    const auto array = [&](llvm::Type* t, size_t n) { return b.CreateAlloca(t, b.getInt32(static_cast<uint32_t>(std::max<size_t>(1, n)))); };
    size_t slots = 0;
    for (const ExportedVersion& v : versions_) slots = std::max(slots, v.module->args.slots.size());
    Value* tensors = array(ptr(), args.size());
    Value* scalars = array(i64(), args.size());
    Value* values = array(i64(), slots);
    Value* version = array(i32(), 1);
    for (unsigned i = 0; i < args.size(); ++i) {
      const bool scalar = args[i].kind == ir::Argument::Kind::Param;
      Value* tensor = scalar ? llvm::ConstantPointerNull::get(llvm::PointerType::get(c_, 0)) : static_cast<Value*>(f->getArg(i));
      Value* bits = scalar ? slot(e, m_.program.params[static_cast<size_t>(args[i].id)].var->type, f->getArg(i)) : b.getInt64(0);
      b.CreateStore(tensor, b.CreateConstInBoundsGEP1_64(ptr(), tensors, i));
      b.CreateStore(bits, b.CreateConstInBoundsGEP1_64(i64(), scalars, i));
    }
    Constant* name = c_string(out_, m_.program.name);
    Value* count = b.getInt32(static_cast<uint32_t>(args.size()));
    std::vector<llvm::BasicBlock*> blocks;
    for (size_t i = 0; i < versions_.size(); ++i) blocks.push_back(llvm::BasicBlock::Create(c_, "version", f));
    if (versions_.size() == 1) {
      b.CreateBr(blocks[0]);
    } else {
      llvm::FunctionCallee choose = out_.getOrInsertFunction("sinter_rt_choose", i32(), ptr(), ptr(), i32(), ptr(), i32(), ptr(), ptr());
      leave_if_failed(b, f, b.CreateCall(choose, {name, choices_, b.getInt32(static_cast<uint32_t>(versions_.size())), table_, count, tensors, version}), failed);
      llvm::SwitchInst* choice = b.CreateSwitch(b.CreateLoad(i32(), version), blocks[0]);
      for (uint32_t i = 1; i < versions_.size(); ++i) choice->addCase(b.getInt32(i), blocks[i]);
    }
    for (size_t i = 0; i < versions_.size(); ++i) {
      b.SetInsertPoint(blocks[i]);
      llvm::FunctionCallee check = out_.getOrInsertFunction("sinter_rt_unpack", i32(), ptr(), ptr(), i32(), ptr(), ptr(), i32(), ptr());
      const int device = versions_[i].module->target.is_gpu() ? kDLCUDA : kDLCPU;
      leave_if_failed(b, f, b.CreateCall(check, {name, table_, count, tensors, scalars, b.getInt32(static_cast<uint32_t>(device)), values}), failed);
      b.CreateRet(run(versions_[i], values));
    }
  }

  void call() {
    std::vector<llvm::Type*> types = parameters();
    types.push_back(ptr());
    llvm::Function* f = function(m_.program.name, i32(), types);
    Value* stream = f->getArg(static_cast<unsigned>(types.size()) - 1);
    HostEmitter e(out_, f, shared_, stream);
    dispatch(e, f, [](Value* status) { return status; },
             [&](const ExportedVersion& v, Value* values) { return e.builder().CreateCall(v.entry.entry, {values, stream}); });
  }

  void workspace_size() {
    llvm::Function* f = function(m_.program.name + "_workspace_size", i64(), parameters());
    HostEmitter e(out_, f, shared_, nullptr);
    llvm::IRBuilder<>& b = e.builder();
    dispatch(e, f, [&](Value* status) { return b.CreateSExt(b.CreateNeg(status), b.getInt64Ty()); },
             [&](const ExportedVersion& v, Value* values) { return b.CreateCall(v.entry.workspace_bytes, {values}); });
  }

  void init() {
    llvm::Function* f = function(m_.program.name + "_init", i32(), {i32()});
    HostEmitter e(out_, f, shared_, nullptr);
    llvm::IRBuilder<>& b = e.builder();
    llvm::FunctionCallee prepare = out_.getOrInsertFunction("sinter_rt_prepare", i32(), ptr(), ptr(), i32(), i32());
    b.CreateRet(b.CreateCall(prepare, {c_string(out_, m_.program.name), choices_, b.getInt32(static_cast<uint32_t>(versions_.size())), f->getArg(0)}));
  }

  // Kept by linkers that drop what nothing refers to, so that a program still says what it holds.
  void metadata() {
    llvm::Function* f = function(m_.program.name + "_metadata", ptr(), {});
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(c_, "entry", f));
    std::vector<VersionText> texts;
    for (const ExportedVersion& v : versions_) texts.push_back(v.text);
    Constant* text = llvm::ConstantDataArray::getString(c_, metadata_json(texts), true);
    auto* data = new llvm::GlobalVariable(out_, text->getType(), true, llvm::GlobalValue::InternalLinkage, text, m_.program.name + "_metadata_text");
    data->setSection(".sinter.metadata");
    data->setAlignment(llvm::Align(1));
    llvm::appendToUsed(out_, {data});
    b.CreateRet(data);
  }

  llvm::Module& out_;
  llvm::LLVMContext& c_;
  const ir::Module& m_;
  const std::vector<ExportedVersion>& versions_;
  HostShared shared_;
  Constant* table_ = nullptr;
  Constant* choices_ = nullptr;
};

}  // namespace

void emit_wrappers(llvm::Module& out, const llvm::TargetMachine& machine, const std::vector<ExportedVersion>& versions) {
  Wrappers(out, machine, versions).run();
}

}  // namespace sinter::codegen
