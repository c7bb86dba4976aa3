#include "codegen/llvm/host_emitter.h"

#include <llvm/IR/Constants.h>

#include <algorithm>
#include <set>

#include "codegen/llvm/entry.h"
#include "ir/diagnostic.h"

namespace sinter::codegen {

using llvm::Value;

namespace {

constexpr int64_t kLargestOnStack = 4096;
constexpr int kArenaAlign = 64;

// Buffers that `s` touches, in order.
std::vector<int> buffers_of(const ir::Stmt& s) {
  std::set<int> out;
  ir::walk_stmts(s, [&](const ir::Stmt& c) {
    if (const auto* st = ir::as<ir::StoreStmt>(c)) out.insert(st->buffer);
    if (const auto* m = ir::as<ir::MemsetStmt>(c)) out.insert(m->buffer);
    return true;
  });
  std::unordered_set<const ir::ExprNode*> seen;
  ir::walk_exprs(s, [&](const ir::Expr& e) {
    ir::walk_down(e, [&](const ir::Expr& n) {
      if (!seen.insert(n.get()).second) return false;
      if (n->op == ir::Op::Load) out.insert(n->id);
      return true;
    });
  });
  return {out.begin(), out.end()};
}

}  // namespace

Value* HostEmitter::runtime(const char* name, llvm::Type* result, llvm::ArrayRef<Value*> args) {
  std::vector<llvm::Type*> types;
  for (Value* a : args) types.push_back(a->getType());
  llvm::FunctionCallee f = module_.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  auto* declared = llvm::cast<llvm::Function>(f.getCallee());
  declared->setDoesNotThrow();
  if (std::string(name) == "sinter_rt_arena_alloc") declared->addRetAttr(llvm::Attribute::NoAlias);
  return b_.CreateCall(f, args);
}

void HostEmitter::return_if(Value* condition, const std::function<Value*()>& status) {
  llvm::BasicBlock* fail = new_block("fail");
  llvm::BasicBlock* go_on = new_block("ok");
  b_.CreateCondBr(condition, fail, go_on);
  b_.SetInsertPoint(fail);
  b_.CreateRet(status());
  b_.SetInsertPoint(go_on);
}

void HostEmitter::return_if_failed(Value* status) {
  return_if(b_.CreateICmpNE(status, b_.getInt32(0)), [&] { return status; });
}

Value* HostEmitter::as_i64(const ir::Expr& e) { return cast(e.type(), ir::Int(64), expr(e)); }

Value* HostEmitter::unpacked(ir::Type t, Value* bits) {
  if (t.is_bool()) return b_.CreateICmpNE(b_.CreateAnd(bits, b_.getInt64(0xff)), b_.getInt64(0));
  Value* low = b_.CreateTrunc(bits, b_.getIntNTy(t.bits));
  return b_.CreateBitCast(low, type_of(t));
}

void HostEmitter::run_entry(const ir::Stmt& s) {
  is_entry_ = true;
  stmt(s);
  b_.CreateRet(b_.getInt32(0));
}

void HostEmitter::run_task(const ir::Stmt& s) {
  stmt(s);
  b_.CreateRet(b_.getInt32(0));
}

void HostEmitter::before(const ir::Stmt& s) {
  if (!is_entry_ || has_workspace_ || s->kind == ir::StmtKind::Check) return;
  has_workspace_ = true;
  bind_workspace();
}

void HostEmitter::bind_workspace() {
  const ir::Module& m = shared_.ir;
  if (!m.workspace_bytes.defined()) return;
  llvm::AllocaInst* out = entry_alloca(b_.getPtrTy(), "workspace", 8);
  Value* bytes = as_i64(m.workspace_bytes);
  return_if_failed(m.target.is_gpu()
                       ? runtime("sinter_rt_workspace", b_.getInt32Ty(), {shared_.device, bytes, stream_, out})
                       : runtime("sinter_rt_host_workspace", b_.getInt32Ty(), {shared_.device, bytes, out}));
  Value* base = b_.CreateLoad(b_.getPtrTy(), out);
  for (size_t id = 0; id < m.buffers.size(); ++id) {
    const ir::Buffer& b = m.buffers[id];
    if (!b.workspace_offset.defined()) continue;
    bind_buffer(static_cast<int>(id), {b_.CreateGEP(b_.getInt8Ty(), base, as_i64(b.workspace_offset)), b.type, 16, true, false});
  }
}

void HostEmitter::other_stmt(const ir::Stmt& s) {
  if (const auto* f = ir::as<ir::ForStmt>(s); f && f->loop == ir::LoopKind::Parallel) parallel(*f);
  else if (const auto* a = ir::as<ir::AllocStmt>(s)) alloc(*a);
  else if (const auto* c = ir::as<ir::CheckStmt>(s)) check(*c);
  else if (const auto* l = ir::as<ir::LaunchStmt>(s)) launch(*l);
  else if (const auto* m = ir::as<ir::MemsetStmt>(s)) clear(*m);
  else Emitter::other_stmt(s);
}

// The body becomes a function of its variables and buffers, so that the optimiser knows again that buffers don't overlap; what the
// runtime calls unpacks them from an array of eight-byte fields.
void HostEmitter::parallel(const ir::ForStmt& f) {
  struct Capture {
    Value* value = nullptr;
    ir::Sym sym;  // or
    int buffer = -1;
  };
  std::vector<Capture> captures;
  for (const ir::Sym& s : ir::free_vars(f.body)) {
    if (s == f.var) continue;
    captures.push_back({expr(ir::make_var(s)), s, -1});
  }
  for (int id : buffers_of(f.body))
    if (const auto it = places_.find(id); it != places_.end()) captures.push_back({it->second.base, nullptr, id});
  Value* first = expr(f.min);
  const bool nonneg_first = nonneg(f.min);

  // What travels: the first index, the stream, then the captures.
  std::vector<Value*> fields = {first, stream_};
  for (const Capture& c : captures) fields.push_back(c.value);
  std::vector<llvm::Type*> types;
  for (Value* v : fields) types.push_back(v->getType());
  llvm::StructType* closure = llvm::StructType::get(context_, types);

  const std::string name = shared_.ir.program.name + "_loop" + std::to_string(shared_.tasks++);
  llvm::Type* i32 = b_.getInt32Ty();
  std::vector<llvm::Type*> body_types = types;
  body_types[0] = type_of(f.var->type);
  auto* body = llvm::Function::Create(llvm::FunctionType::get(i32, body_types, false), llvm::GlobalValue::InternalLinkage,
                                      name + "_body", module_);
  body->setDoesNotThrow();
  HostEmitter inner(module_, body, shared_, body->getArg(1));
  inner.bind(f.var, body->getArg(0), nonneg_first);
  for (size_t i = 0; i < captures.size(); ++i) {
    llvm::Argument* arg = body->getArg(static_cast<unsigned>(i + 2));
    if (captures[i].sym) {
      inner.bind(captures[i].sym, arg, nonneg(ir::make_var(captures[i].sym)));
    } else {
      arg->addAttr(llvm::Attribute::NoAlias);
      Place p = places_.at(captures[i].buffer);
      p.base = arg;
      inner.bind_buffer(captures[i].buffer, p);
    }
  }
  inner.run_task(f.body);
  uses_arena_ |= inner.uses_arena();

  llvm::Type* i64 = b_.getInt64Ty();
  auto* task = llvm::Function::Create(llvm::FunctionType::get(i32, {i64, i32, b_.getPtrTy()}, false),
                                      llvm::GlobalValue::InternalLinkage, name, module_);
  task->setDoesNotThrow();
  HostEmitter outer(module_, task, shared_, stream_);
  llvm::IRBuilder<>& t = outer.b_;
  std::vector<Value*> args;
  for (unsigned i = 0; i < types.size(); ++i) args.push_back(t.CreateLoad(types[i], t.CreateStructGEP(closure, task->getArg(2), i)));
  args[0] = t.CreateAdd(args[0], t.CreateIntCast(task->getArg(0), types[0], true));
  Value* mark = inner.uses_arena() ? outer.runtime("sinter_rt_arena_mark", i64, {}) : nullptr;
  Value* status = t.CreateCall(body, args);
  if (mark) outer.runtime("sinter_rt_arena_release", t.getVoidTy(), {mark});
  t.CreateRet(status);

  llvm::AllocaInst* env = entry_alloca(closure, "closure", 16);
  for (unsigned i = 0; i < fields.size(); ++i) b_.CreateStore(fields[i], b_.CreateStructGEP(closure, env, i));
  return_if_failed(runtime("sinter_rt_parallel_for", i32, {as_i64(f.extent), task, env}));
  forget_memory();
}

void HostEmitter::alloc(const ir::AllocStmt& a) {
  const std::optional<Place> outside = places_.contains(a.func) ? std::optional(places_[a.func]) : std::nullopt;
  ir::Expr elements = ir::make_int(ir::Int(64), std::max(1, a.ring));
  for (size_t d = 0; d < a.region.size(); ++d) {
    ir::Expr extent = a.region[d].extent;
    extent = extent->op == ir::Op::IntImm ? ir::make_int(ir::Int(64), extent->i) : ir::make_cast(ir::Int(64), extent);
    elements = elements * (d < a.pad.size() ? extent + a.pad[d] : extent);
  }
  const ir::Expr bytes = elements * static_cast<int64_t>(a.type.bytes());
  if (const int64_t* constant = ir::as_int(bytes); constant && *constant <= kLargestOnStack) {
    llvm::Type* array = llvm::ArrayType::get(b_.getInt8Ty(), static_cast<uint64_t>(std::max<int64_t>(1, *constant)));
    bind_buffer(a.func, {entry_alloca(array, "local", kArenaAlign), a.type, kArenaAlign, false, false});
    stmt(a.body);
  } else {
    uses_arena_ = true;
    Value* mark = runtime("sinter_rt_arena_mark", b_.getInt64Ty(), {});
    Value* base = runtime("sinter_rt_arena_alloc", b_.getPtrTy(), {expr(bytes)});
    return_if(b_.CreateAnd(b_.CreateIsNull(base), b_.CreateICmpNE(expr(bytes), b_.getInt64(0))),
              [&] { return b_.getInt32(12); });  // SINTER_ERR_MEMORY; the arena has said why
    bind_buffer(a.func, {base, a.type, kArenaAlign, false, false});
    stmt(a.body);
    runtime("sinter_rt_arena_release", b_.getVoidTy(), {mark});
  }
  places_.erase(a.func);
  if (outside) places_[a.func] = *outside;
}

void HostEmitter::check(const ir::CheckStmt& c) {
  Value* given = as_i64(c.given);
  Value* needed = as_i64(c.needed);
  Value* fails = nullptr;
  std::string what = c.what;
  switch (c.relation) {
    case ir::CheckStmt::AtLeast: fails = b_.CreateICmpSLT(given, needed); break;
    case ir::CheckStmt::Equal: fails = b_.CreateICmpNE(given, needed); break;
    case ir::CheckStmt::MultipleOf: {
      what += " to be a multiple";
      Value* safe = b_.CreateSelect(b_.CreateICmpSGT(needed, b_.getInt64(0)), needed, b_.getInt64(1));
      fails = b_.CreateICmpNE(b_.CreateSRem(given, safe), b_.getInt64(0));
      break;
    }
  }
  return_if(fails, [&] {
    return runtime("sinter_rt_fail_requires", b_.getInt32Ty(),
                   {c_string(module_, shared_.ir.program.name), c_string(module_, what), needed, given});
  });
}

void HostEmitter::launch(const ir::LaunchStmt& l) {
  const ir::Kernel& k = shared_.ir.kernels.at(static_cast<size_t>(l.kernel));
  std::vector<Value*> values;
  for (int id : k.buffers) values.push_back(place(id).base);
  for (const ir::Sym& s : k.scalars) {
    Value* v = expr(ir::make_var(s));
    values.push_back(s->type.is_bool() ? b_.CreateZExt(v, b_.getInt8Ty()) : v);
  }
  const uint64_t n = std::max<size_t>(1, values.size());
  llvm::Type* array = llvm::ArrayType::get(b_.getPtrTy(), n);
  llvm::AllocaInst* params = entry_alloca(array, "params", 8);
  for (size_t i = 0; i < values.size(); ++i) {
    llvm::AllocaInst* slot = entry_alloca(values[i]->getType(), "param", 8);
    b_.CreateStore(values[i], slot);
    b_.CreateStore(slot, b_.CreateConstInBoundsGEP2_64(array, params, 0, i));
  }
  return_if_failed(runtime("sinter_rt_launch", b_.getInt32Ty(),
                           {shared_.device, b_.getInt32(static_cast<uint32_t>(l.kernel)), as_i64(l.grid),
                            b_.getInt32(static_cast<uint32_t>(k.threads)), b_.getInt32(static_cast<uint32_t>(k.shared_bytes)),
                            params, stream_}));
}

void HostEmitter::clear(const ir::MemsetStmt& s) {
  const ir::Buffer& b = shared_.ir.buffers.at(static_cast<size_t>(s.buffer));
  ir::Expr bytes = b.bytes;
  if (!bytes.defined()) {
    bytes = ir::make_int(ir::Int(64), b.type.bytes());
    for (const ir::Expr& e : b.extent) bytes = bytes * ir::make_cast(ir::Int(64), e);
  }
  Value* base = place(s.buffer).base;
  if (shared_.ir.target.is_gpu()) return_if_failed(runtime("sinter_rt_memset", b_.getInt32Ty(), {base, as_i64(bytes), stream_}));
  else b_.CreateMemSet(base, b_.getInt8(0), as_i64(bytes), llvm::MaybeAlign(1));
  forget_memory();
}

}  // namespace sinter::codegen
