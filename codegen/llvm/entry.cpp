#include "codegen/llvm/entry.h"

#include <llvm/IR/Constants.h>

#include "codegen/llvm/host_emitter.h"
#include "codegen/llvm/machine.h"
#include "ir/diagnostic.h"

namespace sinter::codegen {

using llvm::Constant;
using llvm::Value;

namespace {

llvm::GlobalVariable* private_data(llvm::Module& out, Constant* data, int align) {
  auto* g = new llvm::GlobalVariable(out, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "data");
  g->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  g->setAlignment(llvm::Align(align));
  return g;
}

// sinter_rt_module, field by field.
llvm::GlobalVariable* device_module(llvm::Module& out, const ir::Module& m, const std::vector<DeviceImage>& images) {
  llvm::LLVMContext& c = out.getContext();
  llvm::Type* ptr = llvm::PointerType::get(c, 0);
  llvm::Type* i32 = llvm::Type::getInt32Ty(c);
  llvm::Type* i64 = llvm::Type::getInt64Ty(c);
  std::vector<Constant*> bytes, sizes, archs, kernels;
  for (const DeviceImage& i : images) {
    // PTX ends in a NUL byte that its size counts.
    std::string data = i.bytes;
    if (i.arch == "ptx") data.push_back('\0');
    bytes.push_back(private_data(out, llvm::ConstantDataArray::getString(c, data, false), 64));
    sizes.push_back(llvm::ConstantInt::get(i64, data.size()));
    archs.push_back(c_string(out, i.arch));
  }
  for (const ir::Kernel& k : m.kernels) kernels.push_back(c_string(out, k.name));
  llvm::StructType* type = llvm::StructType::get(c, {ptr, ptr, ptr, ptr, i32, i32, ptr, ptr});
  Constant* null = llvm::ConstantPointerNull::get(llvm::PointerType::get(c, 0));
  Constant* init = llvm::ConstantStruct::get(
      type, {c_string(out, m.program.name), c_array(out, ptr, bytes), c_array(out, i64, sizes), c_array(out, ptr, archs),
             llvm::ConstantInt::get(i32, images.size()), llvm::ConstantInt::get(i32, kernels.size()), c_array(out, ptr, kernels), null});
  return new llvm::GlobalVariable(out, type, false, llvm::GlobalValue::InternalLinkage, init, m.program.name + "_device");
}

// Loads the values and binds them; pointers of argument buffers come out in order of id.
std::vector<Value*> load_slots(llvm::IRBuilder<>& b, HostEmitter& e, Value* values, const ir::Module& m) {
  std::vector<Value*> out;
  for (size_t i = 0; i < m.args.slots.size(); ++i) {
    const ir::Sym& s = m.args.slots[i];
    if (!s) {
      out.push_back(nullptr);
      continue;
    }
    Value* bits = b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), values, i));
    out.push_back(e.unpacked(s->type, bits));
  }
  return out;
}

}  // namespace

Constant* c_string(llvm::Module& out, const std::string& text) {
  return private_data(out, llvm::ConstantDataArray::getString(out.getContext(), text, true), 1);
}

Constant* c_array(llvm::Module& out, llvm::Type* element, const std::vector<Constant*>& values) {
  if (values.empty()) return llvm::ConstantPointerNull::get(llvm::PointerType::get(out.getContext(), 0));
  return private_data(out, llvm::ConstantArray::get(llvm::ArrayType::get(element, values.size()), values), 8);
}

EntryFunctions emit_entry(llvm::Module& out, const llvm::TargetMachine& machine, const ir::Module& m,
                          const std::vector<DeviceImage>& images) {
  llvm::LLVMContext& c = out.getContext();
  llvm::Type* i32 = llvm::Type::getInt32Ty(c);
  llvm::Type* i64 = llvm::Type::getInt64Ty(c);
  llvm::Type* ptr = llvm::PointerType::get(c, 0);
  EntryFunctions f;
  f.device = device_module(out, m, images);
  HostShared shared{m, has_feature(machine, "f16c"), f.device};
  SignAnalysis signs;
  signs.note_entry(m);

  // The entry unpacks its values for a function whose pointers are known not to overlap (language.md, Aliasing).
  const std::string name = m.program.name;
  f.entry = llvm::Function::Create(llvm::FunctionType::get(i32, {ptr, ptr}, false), llvm::GlobalValue::InternalLinkage, name + "_entry", out);
  f.entry->setDoesNotThrow();
  HostEmitter unpack(out, f.entry, shared, f.entry->getArg(1));
  const std::vector<Value*> slots = load_slots(unpack.builder(), unpack, f.entry->getArg(0), m);
  llvm::IRBuilder<>& b = unpack.builder();
  std::vector<Value*> args = {f.entry->getArg(1)};
  std::vector<llvm::Type*> types = {ptr};
  ir::SymMap<int> buffer_of;
  for (size_t id = 0; id < m.buffers.size(); ++id)
    if (m.buffers[id].base) buffer_of[m.buffers[id].base.get()] = static_cast<int>(id);
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i]) continue;
    Value* v = buffer_of.contains(m.args.slots[i].get()) ? b.CreateIntToPtr(slots[i], ptr) : slots[i];
    args.push_back(v);
    types.push_back(v->getType());
  }
  auto* body = llvm::Function::Create(llvm::FunctionType::get(i32, types, false), llvm::GlobalValue::InternalLinkage, name + "_body", out);
  body->setDoesNotThrow();
  HostEmitter inner(out, body, shared, body->getArg(0));
  unsigned next = 1;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i]) continue;
    llvm::Argument* arg = body->getArg(next++);
    const ir::Sym& s = m.args.slots[i];
    arg->setName(s->name);
    if (const auto it = buffer_of.find(s.get()); it != buffer_of.end()) {
      const ir::Buffer& buffer = m.buffers[static_cast<size_t>(it->second)];
      arg->addAttr(llvm::Attribute::NoAlias);
      // Vector accesses assume no more than the element's alignment: the machine does not mind, and callers may pass slices.
      inner.bind_buffer(it->second, {arg, buffer.type, buffer.type.bytes(), true, buffer.is_argument && !buffer.is_output});
      inner.bind(s, inner.builder().CreatePtrToInt(arg, i64), true);
    } else {
      inner.bind(s, arg, signs.knows(s));
    }
  }
  inner.run_entry(m.entry);

  Value* mark = inner.uses_arena() ? b.CreateCall(out.getOrInsertFunction("sinter_rt_arena_mark", i64)) : nullptr;
  Value* status = b.CreateCall(body, args);
  if (mark) b.CreateCall(out.getOrInsertFunction("sinter_rt_arena_release", b.getVoidTy(), i64), {mark});
  b.CreateRet(status);

  f.workspace_bytes = llvm::Function::Create(llvm::FunctionType::get(i64, {ptr}, false), llvm::GlobalValue::InternalLinkage,
                                             name + "_bytes", out);
  f.workspace_bytes->setDoesNotThrow();
  HostEmitter sizes(out, f.workspace_bytes, shared, nullptr);
  const std::vector<Value*> values = load_slots(sizes.builder(), sizes, f.workspace_bytes->getArg(0), m);
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i]) sizes.bind(m.args.slots[i], values[i], signs.knows(m.args.slots[i]));
  sizes.builder().CreateRet(m.workspace_bytes.defined() ? sizes.expr(m.workspace_bytes) : sizes.builder().getInt64(0));
  return f;
}

}  // namespace sinter::codegen
