// From final-form expressions and statements to LLVM IR: the part that the NVPTX and the host back end share.
//
// requires: the final Kernel or host form (expand_math has run; no Call, Provide, Tile, Produce, Consume).
// ensures: the semantics of ir/expr.h. Internal to codegen/: this header includes LLVM.
//
// Values are memoised by node. A value lives in the innermost scope that it depends on: a statement's block (so that it
// dominates its uses) or the Let of a variable in it (a copy of a Let may bind the same Sym to another value). Values that
// depend on memory which this code writes are forgotten at the end of the statement.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <unordered_map>
#include <vector>

#include "codegen/llvm/sign.h"
#include "ir/analysis/visit.h"
#include "ir/expr.h"
#include "ir/stmt.h"

namespace sinter::codegen {

// Where a buffer's elements lie.
struct Place {
  llvm::Value* base = nullptr;
  ir::Type type;           // of an element
  int base_align = 16;     // bytes that the base is a multiple of (as far as an access may assume)
  bool global = true;      // not registers, not shared memory
  bool read_only = false;  // nothing writes it while this code runs
};

class Emitter {
 public:
  Emitter(llvm::Module& module, llvm::Function* function, bool strict);
  virtual ~Emitter() = default;
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  llvm::Value* expr(const ir::Expr& e) { return known(e).value; }
  void stmt(const ir::Stmt& s);

  // `nonneg`: the value is known to be >= 0, which makes divisions by constants cheap.
  void bind(const ir::Sym& s, llvm::Value* v, bool nonneg);
  void bind_buffer(int id, Place p) { places_[id] = p; }
  llvm::IRBuilder<>& builder() { return b_; }

 protected:
  // ---- what a back end adds ----
  // True: f16 and bf16 are held as i16 and converted by integer arithmetic.
  virtual bool soft_narrow() const { return false; }
  // Hardware conversions between f32 and f16 exist even though narrow floats are soft.
  virtual bool has_half_convert() const { return false; }
  // Hardware conversions between f32 and the 8-bit floats, two at a time, and those of f8_pair and halves_of_f8_pair then.
  virtual bool has_f8_convert() const { return false; }
  virtual llvm::Value* f8_pair(ir::Type /*to*/, llvm::Value* /*low*/, llvm::Value* /*high*/) { return nullptr; }  // two floats to an i16
  virtual llvm::Value* halves_of_f8_pair(ir::Type /*from*/, llvm::Value* /*i16*/) { return nullptr; }             // to <2 x half>
  // The native functions beyond those that LLVM has everywhere; scalar f32 operands. Null: not native here.
  virtual llvm::Value* native(ir::MathFn, const std::vector<llvm::Value*>&, bool /*strict*/) { return nullptr; }
  virtual llvm::Value* divide_f32(llvm::Value* a, llvm::Value* b, bool strict);
  virtual llvm::Value* shuffle(llvm::Value* value, ir::Type type, llvm::Value* lane);
  // One access of `type` at base + byte offset; the policy is a hint.
  virtual llvm::Value* load_piece(const Place& p, llvm::Value* base, int64_t offset, llvm::Type* type, int align,
                                  ir::CachePolicy policy);
  virtual void store_piece(const Place& p, llvm::Value* base, int64_t offset, llvm::Value* value, int align,
                           ir::CachePolicy policy);
  // The widest access in bytes that `align` allows; wider vectors become several.
  virtual int max_access(int /*align*/) const { return 64; }
  virtual void other_stmt(const ir::Stmt& s);  // whatever emit_stmt.cpp does not know
  virtual void before(const ir::Stmt&) {}      // sees every statement that is no Seq and no Let, before it is emitted
  virtual void annotate_loop(llvm::BranchInst* /*back edge*/) {}

  // ---- helpers for back ends ----
  llvm::Type* type_of(ir::Type t) const;         // in registers
  llvm::Type* memory_type(ir::Type t) const;     // in memory: Bool is i8
  llvm::Value* splat(ir::Type t, int64_t v) const;  // an integer constant in every lane
  llvm::Value* intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type*> types, llvm::ArrayRef<llvm::Value*> args);
  llvm::Value* map_lanes(llvm::ArrayRef<llvm::Value*> args, ir::Type result,
                         const std::function<llvm::Value*(llvm::ArrayRef<llvm::Value*>)>& f);
  llvm::BasicBlock* new_block(const char* name);
  const Place& place(int id) const;
  llvm::Value* with_offset(llvm::Value* base, int64_t bytes);
  // Runs `f` in a scope of its own: what it memoises is forgotten afterwards.
  void in_scope(const std::function<void()>& f);
  // After something wrote memory: what was computed from it is computed anew.
  void forget_memory();
  bool nonneg(const ir::Expr& e) { return signs_.nonneg(e); }
  llvm::Value* cast(ir::Type from, ir::Type to, llvm::Value* v);
  // An alloca in the function's entry block.
  llvm::AllocaInst* entry_alloca(llvm::Type* t, const char* name, int align);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::Function* function_;
  llvm::IRBuilder<> b_;
  std::unordered_map<int, Place> places_;

  struct Known {
    llvm::Value* value = nullptr;
    int level = 0;        // of the innermost Let it depends on
    bool impure = false;  // depends on memory that this code may write
  };
  ir::SymMap<Known> env_;

 private:
  // emit_expr.cpp
  Known known(const ir::Expr& e);
  Known compute(const ir::Expr& e);
  void operands_first(const ir::Expr& e);
  bool is_known(const ir::Expr& e) const;
  Known let(const ir::Expr& e);
  llvm::Value* constant(const ir::Expr& e) const;
  llvm::Value* vector_op(const ir::Expr& e, const std::vector<llvm::Value*>& v);
  void set_flags(bool strict);
  // emit_arith.cpp
  llvm::Value* unary(ir::Op op, ir::Type t, llvm::Value* v);
  llvm::Value* binary(const ir::Expr& e, llvm::Value* x, llvm::Value* y);
  llvm::Value* compare(ir::Op op, ir::Type t, llvm::Value* x, llvm::Value* y);
  llvm::Value* int_binary(const ir::Expr& e, llvm::Value* x, llvm::Value* y);
  llvm::Value* float_binary(ir::Op op, ir::Type t, llvm::Value* x, llvm::Value* y);
  llvm::Value* divide(const ir::Expr& e, bool mod, llvm::Value* x, llvm::Value* y);
  llvm::Value* divide_by_constant(ir::Type t, bool mod, bool nonneg, llvm::Value* x, int64_t c);
  llvm::Value* math(const ir::Expr& e, const std::vector<llvm::Value*>& v);
  llvm::Value* math(const ir::Expr& e, ir::Type t, const std::vector<llvm::Value*>& v);
  // emit_cast.cpp
  llvm::Value* reinterpret(ir::Type from, ir::Type to, llvm::Value* v);
  llvm::Value* widen(ir::Type from, llvm::Value* v);                 // f16, bf16, f8 → f32
  llvm::Value* narrow(ir::Type to, llvm::Value* v);                  // f32 → f16, bf16, f8, to nearest even
  llvm::Value* narrow_double(ir::Type to, llvm::Value* v);           // f64 → f16, bf16, f8, rounded once
  llvm::Value* narrow_integer(ir::Type from, ir::Type to, llvm::Value* v);
  llvm::Value* soft_half_from_float(llvm::Value* v, int lanes);
  llvm::Value* soft_float_from_half(llvm::Value* v, int lanes);
  // emit_f8.cpp
  llvm::Value* soft_f8_from_float(ir::Type to, llvm::Value* v);
  llvm::Value* soft_float_from_f8(ir::Type from, llvm::Value* v);
  llvm::Value* native_f8_from_float(ir::Type to, llvm::Value* v);
  llvm::Value* native_float_from_f8(ir::Type from, llvm::Value* v);
  // emit_memory.cpp
  struct Split {
    ir::Expr rest;  // undefined: 0
    int64_t constant = 0;
  };
  struct Address {
    llvm::Value* base = nullptr;
    int64_t offset = 0;  // bytes
  };
  const Split& split(const ir::Expr& index, bool narrow_elements, int depth = 0);
  Address address(const Place& p, const ir::Expr& index, bool& impure, int& level);
  ir::Expr lane_of(const ir::Expr& e, int lane);
  ir::Expr dense_base(const ir::Expr& e);  // undefined where lanes are not consecutive
  Known load(const ir::Expr& e);
  void store(const ir::StoreStmt& s);
  llvm::Value* load_dense(const Place& p, Address a, ir::Type t, int64_t align, ir::CachePolicy policy);
  void store_dense(const Place& p, Address a, ir::Type t, llvm::Value* v, int64_t align, ir::CachePolicy policy);
  llvm::Value* from_memory(ir::Type t, llvm::Value* v);
  llvm::Value* to_memory(ir::Type t, llvm::Value* v);
  llvm::Value* guarded(llvm::Value* mask, ir::Type t, const std::function<llvm::Value*()>& f);
  void guarded_store(llvm::Value* mask, const std::function<void()>& f);
  // emit_stmt.cpp
  void serial_loop(const ir::ForStmt& f);

  struct Key {
    const ir::ExprNode* node;
    bool strict;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& k) const { return std::hash<const void*>()(k.node) * 2 + k.strict; }
  };
  using Memo = std::unordered_map<Key, Known, KeyHash>;

  bool strict_;
  struct Level {
    Memo pure, impure;
  };
  std::vector<Level> levels_{1};
  int statement_level_ = 0;
  std::unordered_map<const ir::ExprNode*, Split> splits_[2];
  std::map<std::pair<const ir::ExprNode*, int>, ir::Expr> lanes_;
  SignAnalysis signs_;
  int depth_ = 0;
  std::vector<ir::Expr> keep_;  // nodes made here stay alive: the memos key on addresses
};

}  // namespace sinter::codegen
