// Expression DAGs compiled to straight-line code over 64-bit slots: what the oracle and the emulator execute.
//
// A frame is an array of slots; a value of n lanes takes n consecutive ones, in the canonical form of ir/eval/scalar.h. Variables and
// constants keep their slots for the life of the code; temporaries are reused by each statement. A node that several parents of one
// statement share is computed once. Call, Load and Shuffle are left to the executor (FlatAccess).
#pragma once

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/analysis/visit.h"
#include "ir/eval/scalar.h"

namespace sinter::ir {

using Slot = uint32_t;

// A Call, Load or Shuffle: its operands' slots and where its value goes.
struct FlatAccess {
  Expr node;
  std::vector<Slot> args;
  Slot dst = 0;
};

struct FlatOp {
  enum class Kind : uint8_t { Scalar, Lanes, Copy, Access } kind{};
  uint16_t lanes = 1;
  Slot dst = 0, a = 0, b = 0, c = 0;  // Copy: `lanes` slots from a
  ScalarFn fn = nullptr;
  uint32_t access = 0;                // index into accesses
  uint32_t node = 0;                  // index into nodes: whose trap it is
};

struct FlatCode {
  std::vector<FlatOp> ops;
  std::vector<FlatAccess> accesses;
  std::vector<Expr> nodes;
  std::vector<std::pair<Slot, uint64_t>> constants;
  std::vector<std::pair<Sym, Slot>> variables;  // in order of first use
  uint32_t persistent = 0, temporaries = 0;

  uint32_t frame_size() const { return persistent + temporaries; }
  // The final slot of one that the builder returned: temporaries lie behind all variables and constants.
  Slot resolve(Slot s) const { return s & temporary_bit ? (s & ~temporary_bit) + persistent : s; }
  void set_constants(uint64_t* frame) const {
    for (const auto& [slot, bits] : constants) frame[slot] = bits;
  }
  static constexpr Slot temporary_bit = 1u << 31;
};

class FlatBuilder {
 public:
  // Forgets temporaries: what was emitted before can't be referred to any more, and its slots are reused.
  void begin_statement();
  // Appends the code of `e`; its value is then in the returned slots, for the rest of the statement.
  Slot emit(const Expr& e);
  // The slots of a variable, allocated on first use.
  Slot variable(const Sym& s);
  Slot constant(uint64_t bits);
  uint32_t position() const { return static_cast<uint32_t>(code_.ops.size()); }  // of the next op
  const FlatCode& code() const { return code_; }
  // Slots in `ops` and `accesses` are resolved by this; slots that the caller kept are its to resolve.
  FlatCode finish();

 private:
  Slot temporary(int lanes);
  Slot emit_node(const Expr& e);
  Slot emit_operator(const Expr& e);
  void push(const Expr& e, FlatOp op);

  FlatCode code_;
  uint32_t next_temporary_ = 0;
  std::unordered_map<const ExprNode*, Slot> memo_;
  std::unordered_map<const VarNode*, Slot> bound_;  // by a Let of this statement
  SymMap<Slot> variables_;
  std::unordered_map<uint64_t, Slot> constants_;
  std::vector<Expr> keep_;  // the memo's keys stay alive
};

// Executes ops [begin, end). `host` has
//   void access(const FlatAccess&, uint64_t* frame);
//   void trap(const ArithmeticTrap&, const Expr& node);   // must throw
template <class Host>
void run_flat(const FlatCode& code, uint32_t begin, uint32_t end, uint64_t* frame, Host& host) {
  const FlatOp* op = code.ops.data() + begin;
  const FlatOp* const last = code.ops.data() + end;
  try {
    for (; op != last; ++op) {
      switch (op->kind) {
        case FlatOp::Kind::Scalar: frame[op->dst] = op->fn(frame[op->a], frame[op->b], frame[op->c]); break;
        case FlatOp::Kind::Lanes:
          for (uint32_t i = 0; i < op->lanes; ++i)
            frame[op->dst + i] = op->fn(frame[op->a + i], frame[op->b + i], frame[op->c + i]);
          break;
        case FlatOp::Kind::Copy:
          for (uint32_t i = 0; i < op->lanes; ++i) frame[op->dst + i] = frame[op->a];
          break;
        case FlatOp::Kind::Access: host.access(code.accesses[op->access], frame); break;
      }
    }
  } catch (const ArithmeticTrap& trap) {
    host.trap(trap, code.nodes[op->node]);
  }
}

// A scalar expression without Call, Load or Shuffle, as a function of some of its variables. Throws EvalError where it traps and
// InternalError where a variable is not listed.
class ExprFunction {
 public:
  ExprFunction(const Expr& e, const std::vector<Sym>& parameters);
  Scalar operator()(std::span<const Scalar> arguments);
  uint64_t operator()(std::span<const uint64_t> arguments);  // bits in, bits out

 private:
  Type type_;
  FlatCode code_;
  Slot result_ = 0;
  std::vector<Slot> parameters_;  // absent ones have a slot that nothing reads
  std::vector<uint64_t> frame_;
};

// Once.
Scalar evaluate(const Expr& e, const SymMap<Scalar>& values = {});

}  // namespace sinter::ir
