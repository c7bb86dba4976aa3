// Statements that both back ends have: Seq, Let, If, serial loops, stores.
#include "codegen/llvm/emit.h"
#include "ir/diagnostic.h"

namespace sinter::codegen {

using llvm::Value;

void Emitter::other_stmt(const ir::Stmt&) { throw ir::InternalError("code generation: a statement that is not of the final form"); }

void Emitter::stmt(const ir::Stmt& s) {
  if (!s) return;
  if (const auto* seq = ir::as<ir::SeqStmt>(s)) {
    for (const ir::Stmt& c : seq->stmts) stmt(c);
    return;
  }
  if (const auto* let = ir::as<ir::LetStmt>(s)) {
    // In a scope of its own: copies of a statement may bind one Sym to different values.
    const Known v = known(let->value);
    in_scope([&] {
      bind(let->var, v.value, nonneg(let->value));
      stmt(let->body);
    });
    return;
  }
  before(s);
  if (const auto* iff = ir::as<ir::IfStmt>(s)) {
    Value* c = expr(iff->cond);
    llvm::BasicBlock* yes = new_block("then");
    llvm::BasicBlock* no = iff->else_body ? new_block("else") : nullptr;
    llvm::BasicBlock* join = new_block("endif");
    b_.CreateCondBr(c, yes, no ? no : join);
    for (const bool first : {true, false}) {
      if (!first && !no) break;
      b_.SetInsertPoint(first ? yes : no);
      in_scope([&] { stmt(first ? iff->then_body : iff->else_body); });
      b_.CreateBr(join);
    }
    b_.SetInsertPoint(join);
  } else if (const auto* st = ir::as<ir::StoreStmt>(s)) {
    store(*st);
  } else if (const auto* f = ir::as<ir::ForStmt>(s); f && f->loop == ir::LoopKind::Serial) {
    serial_loop(*f);
  } else {
    other_stmt(s);
  }
}

void Emitter::serial_loop(const ir::ForStmt& f) {
  Value* first = expr(f.min);
  Value* extent = expr(f.extent);
  const bool is_nonneg = nonneg(f.min);
  forget_memory();  // the body may write what was read before
  llvm::Type* type = first->getType();
  Value* end = b_.CreateNSWAdd(first, extent);
  llvm::BasicBlock* body = new_block("loop");
  llvm::BasicBlock* done = new_block("done");
  llvm::BasicBlock* from = b_.GetInsertBlock();
  b_.CreateCondBr(b_.CreateICmpSGT(extent, llvm::ConstantInt::get(type, 0)), body, done);
  b_.SetInsertPoint(body);
  llvm::PHINode* i = b_.CreatePHI(type, 2, f.var->name);
  i->addIncoming(first, from);
  in_scope([&] {
    bind(f.var, i, is_nonneg);
    stmt(f.body);
  });
  forget_memory();
  Value* next = b_.CreateNSWAdd(i, llvm::ConstantInt::get(type, 1));
  i->addIncoming(next, b_.GetInsertBlock());
  annotate_loop(b_.CreateCondBr(b_.CreateICmpSLT(next, end), body, done));
  b_.SetInsertPoint(done);
}

}  // namespace sinter::codegen
