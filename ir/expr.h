// Expressions: one immutable node type, shared as a DAG by every form of the IR.
//
// Semantics (language.md, Numbers; the one definition of arithmetic is ir/eval/scalar.h):
//  - Integers of 8 and 16 bits and all unsigned ones wrap; i32 and i64 may not overflow (oracle and emulator trap).
//  - Integer Div and Mod are Euclidean (remainder in [0, |b|)), x / 0 = 0, x % 0 = 0.
//  - Arithmetic on f16 and bf16 does not exist in the IR: operands are cast to f32 first, only a Cast rounds to them.
//  - Min and Max propagate NaN. Comparisons are IEEE. Lanes of vectors are independent.
//  - And, Or, Select evaluate all operands; a masked-off Load has no effect and an undefined value.
// Every visitor memoises by node (see analysis/visit.h): a DAG may have exponentially many paths.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ir/loc.h"
#include "ir/type.h"

namespace sinter::ir {

enum class Op : uint8_t {
  IntImm,    // i: value of an Int, UInt or Bool, sign- or zero-extended to 64 bits
  FloatImm,  // f: value of a Float or BFloat (already rounded to the type)
  Var,       // var
  Let,       // var = args[0] in args[1]
  Cast,      // args[0] converted to type; float → int truncates and saturates, NaN → 0; narrowing floats round to even
  Reinterpret,  // same bits
  Neg, Abs,
  Add, Sub, Mul, Div, Mod, Min, Max,
  EQ, NE, LT, LE, GT, GE,  // type Bool
  And, Or, Not,            // of Bool
  BitAnd, BitOr, BitXor, BitNot, Shl, Shr,  // Shr is arithmetic for Int; shift amounts are taken modulo the width
  Select,  // args: condition, true value, false value
  Math,    // fn(args...), all of `type`
  Strict,  // args[0], computed without contraction, reassociation or approximation
  Call,    // element `args...` of Func `id` (multi-dimensional, absolute); Program and Nest forms
  Load,    // element args[0] (flat, in elements, relative to the buffer) of buffer `id`; args[1], if present: Bool mask
  Ramp,       // args[0] + i * args[1], i < lanes
  Broadcast,  // args[0] in every lane
  Lane,       // lane i of vector args[0]
  Concat,     // a vector of the scalars args[...]
  Shuffle,    // args: value, source lane; value of the register in that lane of the warp. All 32 lanes must arrive.
};

// Math functions. Fast forms are within the ulp stated in docs/numbers.md; under Strict all are correctly expanded.
enum class MathFn : uint8_t {
  Exp, Exp2, Log, Log2, Tanh, Erf, Sqrt, Rsqrt, Pow, Sin, Cos, Floor, Ceil, Round /*half to even*/, Trunc, Fma,
  IsNan,  // type Bool
};

// A variable: identity is the node's address, the name is for printing.
struct VarNode {
  std::string name;
  Type type = Int(32);
};
using Sym = std::shared_ptr<const VarNode>;
inline Sym make_sym(std::string name, Type type = Int(32)) {
  return std::make_shared<const VarNode>(VarNode{std::move(name), type});
}

using FuncId = int;  // index into Program::funcs; also the id of the Func's buffer

struct ExprNode;

// A shared immutable expression. Empty (`!e.defined()`) only where a comment says so.
class Expr {
 public:
  Expr() = default;
  explicit Expr(std::shared_ptr<const ExprNode> node) : node_(std::move(node)) {}

  bool defined() const { return node_ != nullptr; }
  const ExprNode* get() const { return node_.get(); }
  const ExprNode* operator->() const { return node_.get(); }
  const ExprNode& operator*() const { return *node_; }
  bool same_as(const Expr& o) const { return node_ == o.node_; }
  inline Type type() const;
  const std::shared_ptr<const ExprNode>& ptr() const { return node_; }

 private:
  std::shared_ptr<const ExprNode> node_;
};

struct ExprNode {
  Op op{};
  Type type;
  std::vector<Expr> args;
  Sym var;           // Var, Let
  int64_t i = 0;     // IntImm value; Lane index; Load: alignment in elements that the index is a multiple of (0 = unknown)
  double f = 0;      // FloatImm value
  int id = -1;       // Call, Load: FuncId / buffer
  MathFn fn{};       // Math
  uint8_t cache = 0; // Load: CachePolicy
  Loc loc;

  ~ExprNode();  // iterative: a long chain must not overflow the stack
};

// How a global access uses the caches.
enum class CachePolicy : uint8_t { Default, Stream /* read or written once: no L1, evict first from L2 */, Keep };

inline Type Expr::type() const { return node_->type; }

// ---- constructors: they check types (InternalError) and fold nothing; see transform/simplify.h for folding ----
Expr make_int(Type t, int64_t v);   // Int, UInt or Bool; wraps to the type
Expr make_float(Type t, double v);  // rounds to the type
Expr make_const(Type t, double v);  // whichever of the two
Expr make_bool(bool v);
Expr i32(int64_t v);
Expr make_var(const Sym& s, Loc loc = {});
Expr make_let(const Sym& s, Expr value, Expr body);
Expr make_cast(Type t, Expr e);  // returns e itself when the type is the same
Expr make_reinterpret(Type t, Expr e);  // same bits per lane
Expr make_unary(Op op, Expr a, Loc loc = {});
Expr make_binary(Op op, Expr a, Expr b, Loc loc = {});  // operands of one type; comparisons give Bool
Expr make_select(Expr c, Expr t, Expr f, Loc loc = {});
Expr make_math(MathFn fn, std::vector<Expr> args, Loc loc = {});
Expr make_strict(Expr e);
Expr make_call(FuncId f, Type t, std::vector<Expr> index, Loc loc = {});
Expr make_load(int buffer, Type t, Expr index, Expr mask = {}, int64_t align = 0, CachePolicy cache = {}, Loc loc = {});
Expr make_ramp(Expr base, Expr stride, int lanes);
Expr make_broadcast(Expr e, int lanes);
Expr make_lane(Expr vec, int lane);
Expr make_concat(std::vector<Expr> lanes);
Expr make_shuffle(Expr value, Expr lane);
// The same node with other operands (same op, attributes and loc; type as given).
Expr with_args(const Expr& e, std::vector<Expr> args);
Expr with_args(const Expr& e, std::vector<Expr> args, Type type);

// Integer index arithmetic on i32/i64 with immediate folding: what lowering code should use.
Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
Expr operator%(const Expr& a, const Expr& b);
Expr operator+(const Expr& a, int64_t b);
Expr operator-(const Expr& a, int64_t b);
Expr operator*(const Expr& a, int64_t b);
Expr operator/(const Expr& a, int64_t b);
Expr operator%(const Expr& a, int64_t b);
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr ceil_div(const Expr& a, int64_t b);
Expr operator<(const Expr& a, const Expr& b);
Expr operator<=(const Expr& a, const Expr& b);
Expr operator>=(const Expr& a, const Expr& b);
Expr operator>(const Expr& a, const Expr& b);
Expr equal(const Expr& a, const Expr& b);
Expr operator&&(const Expr& a, const Expr& b);  // an undefined operand is `true`
Expr operator||(const Expr& a, const Expr& b);
Expr operator!(const Expr& a);

// Constants.
bool is_const(const Expr& e);  // IntImm, FloatImm, or a Broadcast of one
bool is_const_int(const Expr& e, int64_t v);
const int64_t* as_int(const Expr& e);  // the value of an IntImm, else nullptr
bool is_true(const Expr& e);
bool is_false(const Expr& e);

// Structural equality of DAGs (memoised); variables by identity.
bool equal_structure(const Expr& a, const Expr& b);
uint64_t structural_hash(const Expr& e);

const char* op_name(Op op);       // "Add"
const char* math_name(MathFn f);  // "exp"
// Readable infix text without types: for messages and tests of bounds. The parseable form is text/print.h.
std::string to_string(const Expr& e);

}  // namespace sinter::ir
