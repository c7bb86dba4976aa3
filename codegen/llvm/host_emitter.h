// Host statements: parallel loops, allocations, checks, launches. Internal to codegen/llvm.
#pragma once

#include "codegen/llvm/emit.h"
#include "ir/kernel.h"

namespace sinter::codegen {

// What all functions of one module share.
struct HostShared {
  const ir::Module& ir;
  bool half_convert = false;  // the machine converts f16
  llvm::GlobalVariable* device = nullptr;
  int tasks = 0;  // names of outlined loops
};

// One function that returns a status (int32): the body of the entry, or of a parallel loop.
class HostEmitter : public Emitter {
 public:
  HostEmitter(llvm::Module& module, llvm::Function* function, HostShared& shared, llvm::Value* stream)
      : Emitter(module, function, shared.ir.target.strict_float), shared_(shared), stream_(stream) {}

  // The workspace is asked for once, before the first statement that is no Check: what a Check rejects asks for nothing.
  void run_entry(const ir::Stmt& s);
  void run_task(const ir::Stmt& s);
  // Binds an argument of the entry to the 64 bits it arrives in.
  llvm::Value* unpacked(ir::Type t, llvm::Value* bits);
  llvm::Value* convert(ir::Type from, ir::Type to, llvm::Value* v) { return cast(from, to, v); }
  bool uses_arena() const { return uses_arena_; }

 protected:
  bool soft_narrow() const override { return true; }
  bool has_half_convert() const override { return shared_.half_convert; }
  void other_stmt(const ir::Stmt& s) override;
  void before(const ir::Stmt& s) override;

 private:
  void parallel(const ir::ForStmt& f);
  void alloc(const ir::AllocStmt& a);
  void check(const ir::CheckStmt& c);
  void launch(const ir::LaunchStmt& l);
  void clear(const ir::MemsetStmt& s);
  void bind_workspace();
  llvm::Value* as_i64(const ir::Expr& e);
  llvm::Value* runtime(const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> args);
  void return_if_failed(llvm::Value* status);
  void return_if(llvm::Value* condition, const std::function<llvm::Value*()>& status);

  HostShared& shared_;
  llvm::Value* stream_;
  bool is_entry_ = false, has_workspace_ = false, uses_arena_ = false;
};

}  // namespace sinter::codegen
