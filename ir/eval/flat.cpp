#include "ir/eval/flat.h"

#include "ir/analysis/postorder.h"

namespace sinter::ir {

void FlatBuilder::begin_statement() {
  memo_.clear();
  bound_.clear();
  keep_.clear();
  next_temporary_ = 0;
}

Slot FlatBuilder::temporary(int lanes) {
  const Slot s = next_temporary_ | FlatCode::temporary_bit;
  next_temporary_ += static_cast<uint32_t>(lanes);
  code_.temporaries = std::max(code_.temporaries, next_temporary_);
  return s;
}

Slot FlatBuilder::variable(const Sym& s) {
  const auto [it, fresh] = variables_.try_emplace(s.get(), code_.persistent);
  if (fresh) {
    code_.persistent += s->type.lanes;
    code_.variables.emplace_back(s, it->second);
  }
  return it->second;
}

Slot FlatBuilder::constant(uint64_t bits) {
  const auto [it, fresh] = constants_.try_emplace(bits, code_.persistent);
  if (fresh) {
    ++code_.persistent;
    code_.constants.emplace_back(it->second, bits);
  }
  return it->second;
}

void FlatBuilder::push(const Expr& e, FlatOp op) {
  op.node = static_cast<uint32_t>(code_.nodes.size());
  code_.nodes.push_back(e);
  code_.ops.push_back(op);
}

Slot FlatBuilder::emit(const Expr& root) {
  internal_check(root.defined(), "FlatBuilder::emit of no expression");
  post_order(
      root, [&](const Expr& e) { return memo_.count(e.get()) != 0; },
      [&](const Expr& e) {
        memo_[e.get()] = emit_node(e);
        keep_.push_back(e);
      },
      [&](const Expr& e, size_t operand) {
        if (e->op == Op::Let && operand == 1) bound_[e->var.get()] = memo_.at(e->args[0].get());
      });
  return memo_.at(root.get());
}

Slot FlatBuilder::emit_node(const Expr& e) {
  const auto arg = [&](size_t i) { return memo_.at(e->args[i].get()); };
  const int lanes = e->type.lanes;
  switch (e->op) {
    case Op::IntImm:
    case Op::FloatImm: return constant(scalar_of(e)->bits);
    case Op::Var: {
      const auto it = bound_.find(e->var.get());
      return it != bound_.end() ? it->second : variable(e->var);
    }
    case Op::Let: return arg(1);
    case Op::Strict: return arg(0);
    case Op::Lane: return arg(0) + static_cast<Slot>(e->i);
    case Op::Broadcast: {
      const Slot dst = temporary(lanes);
      push(e, {.kind = FlatOp::Kind::Copy, .lanes = static_cast<uint16_t>(lanes), .dst = dst, .a = arg(0)});
      return dst;
    }
    case Op::Concat: {
      const Slot dst = temporary(lanes);
      for (size_t i = 0; i < e->args.size(); ++i)
        push(e, {.kind = FlatOp::Kind::Copy, .lanes = 1, .dst = dst + static_cast<Slot>(i), .a = arg(i)});
      return dst;
    }
    case Op::Ramp: {
      const Type t = e->type.element();
      const Slot dst = temporary(lanes), step = temporary(1);
      const ScalarFn mul = scalar_fn(Op::Mul, {}, t, t), add = scalar_fn(Op::Add, {}, t, t);
      for (int i = 0; i < lanes; ++i) {
        const Slot lane = constant(Scalar::of_int(t, i).bits);
        push(e, {.kind = FlatOp::Kind::Scalar, .dst = step, .a = arg(1), .b = lane, .fn = mul});
        push(e, {.kind = FlatOp::Kind::Scalar, .dst = dst + static_cast<Slot>(i), .a = arg(0), .b = step, .fn = add});
      }
      return dst;
    }
    case Op::Call:
    case Op::Load:
    case Op::Shuffle: {
      FlatAccess access{e, {}, temporary(lanes)};
      for (size_t i = 0; i < e->args.size(); ++i) access.args.push_back(arg(i));
      push(e, {.kind = FlatOp::Kind::Access, .access = static_cast<uint32_t>(code_.accesses.size())});
      code_.accesses.push_back(access);
      return access.dst;
    }
    default: return emit_operator(e);
  }
}

Slot FlatBuilder::emit_operator(const Expr& e) {
  const Type operand = e->args.at(e->op == Op::Select ? 1 : 0).type();
  const ScalarFn fn = scalar_fn(e->op, e->fn, operand, e->type);
  if (!fn || e->args.size() > 3)
    throw InternalError(std::string("no evaluation of ") + op_name(e->op) + " on " + to_string(operand) + " to " + to_string(e->type));
  const int lanes = e->type.lanes;
  FlatOp op{.kind = lanes == 1 ? FlatOp::Kind::Scalar : FlatOp::Kind::Lanes, .lanes = static_cast<uint16_t>(lanes),
            .dst = temporary(lanes), .fn = fn};
  Slot* const operands[] = {&op.a, &op.b, &op.c};
  // Unused operands read the first one: any slots that exist will do.
  for (size_t i = 0; i < 3; ++i) *operands[i] = memo_.at(e->args[i < e->args.size() ? i : 0].get());
  push(e, op);
  return op.dst;
}

FlatCode FlatBuilder::finish() {
  for (FlatOp& op : code_.ops)
    for (Slot* s : {&op.dst, &op.a, &op.b, &op.c}) *s = code_.resolve(*s);
  for (FlatAccess& a : code_.accesses) {
    a.dst = code_.resolve(a.dst);
    for (Slot& s : a.args) s = code_.resolve(s);
  }
  begin_statement();
  return std::move(code_);
}

// ---- expressions alone --------------------------------------------------------------------------------------------

namespace {
struct NoMemory {
  void access(const FlatAccess& a, uint64_t*) { throw InternalError(std::string("evaluate: a ") + op_name(a.node->op)); }
  [[noreturn]] void trap(const ArithmeticTrap& t, const Expr& node) { throw EvalError(t, node->loc); }
};
}  // namespace

ExprFunction::ExprFunction(const Expr& e, const std::vector<Sym>& parameters) : type_(e.type()) {
  internal_check(type_.is_scalar(), "ExprFunction of a vector");
  FlatBuilder b;
  for (const Sym& s : parameters) parameters_.push_back(b.variable(s));
  result_ = b.emit(e);
  code_ = b.finish();
  result_ = code_.resolve(result_);
  if (code_.variables.size() > parameters.size())
    throw InternalError("evaluate: variable `" + code_.variables[parameters.size()].first->name + "` has no value");
  frame_.resize(code_.frame_size());
  code_.set_constants(frame_.data());
}

uint64_t ExprFunction::operator()(std::span<const uint64_t> arguments) {
  for (size_t i = 0; i < parameters_.size(); ++i) frame_[parameters_[i]] = arguments[i];
  NoMemory none;
  run_flat(code_, 0, static_cast<uint32_t>(code_.ops.size()), frame_.data(), none);
  return frame_[result_];
}

Scalar ExprFunction::operator()(std::span<const Scalar> arguments) {
  std::vector<uint64_t> bits;
  for (const Scalar& s : arguments) bits.push_back(s.bits);
  return {type_, (*this)(std::span<const uint64_t>(bits))};
}

Scalar evaluate(const Expr& e, const SymMap<Scalar>& values) {
  if (const auto literal = scalar_of(e)) return *literal;
  std::vector<Sym> parameters;
  std::vector<Scalar> arguments;
  for (const Sym& s : free_vars(e)) {
    const auto it = values.find(s.get());
    if (it == values.end()) continue;  // ExprFunction names it
    parameters.push_back(s);
    arguments.push_back(it->second);
  }
  return ExprFunction(e, parameters)(std::span<const Scalar>(arguments));
}

}  // namespace sinter::ir
