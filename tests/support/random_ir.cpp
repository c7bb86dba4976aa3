#include "tests/support/random_ir.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace sinter::test {

using namespace sinter::ir;

std::string RandomIr::name() {
  static const char* const names[] = {"x",    "y",  "n",      "if",    "let",   "min",  "f32",    "block", "in",    "true",    "inf", "live", "x.1",
                                      "a b",  "_",  "r$1",    "\\`\"", "serial", "of",  "expr",   "tail",  "update", "stage", "x",   "k",    "param",
                                      "none", "sm", "memory", "",      "mask",  "%0",  "\n\x01z", "exp",   "lane",  "threads", "x."};
  return names[below(std::size(names))];
}

Sym RandomIr::fresh(Type t) {
  syms_.push_back(make_sym(name(), t));
  return syms_.back();
}

Type RandomIr::scalar_type() {
  static const Type types[] = {Bool(), Int(8), Int(16), Int(32), Int(32), Int(64), UInt(8), UInt(16), UInt(32), UInt(64), Float(16), Float(32), Float(32), Float(64), BFloat(16), F8E4M3(), F8E5M2()};
  return types[below(std::size(types))];
}

Loc RandomIr::loc() {
  static const char* const files[] = {"a.cpp", "dir/b \"q\".cpp", "c.cpp"};
  return one_in(3) ? Loc{files[below(3)], below(1000)} : Loc{};
}

Expr RandomIr::leaf(Type t) {
  if (t.lanes > 1) return make_broadcast(leaf(t.element()), t.lanes);
  if (one_in(2)) {
    std::vector<Sym> fitting;
    for (const Sym& s : syms_)
      if (s->type == t) fitting.push_back(s);
    if (!fitting.empty()) return make_var(fitting[below(static_cast<int>(fitting.size()))]);
  }
  if (t.is_bool()) return make_bool(one_in(2));
  if (t.is_float()) {
    using L = std::numeric_limits<double>;
    static const double values[] = {0.0, -0.0, 1.0, -1.5, 0.1, 1e30, 3e-39, L::infinity(), -L::infinity(), L::quiet_NaN(), -L::quiet_NaN(), 5e-324, L::max(), 12345678.9};
    if (one_in(2)) return make_float(t, values[below(std::size(values))]);
    return make_float(t, static_cast<double>(static_cast<int64_t>(random_())) / static_cast<double>(1ull << below(63)));
  }
  switch (below(4)) {
    case 0: return make_int(t, 0);
    case 1: return make_int(t, static_cast<int64_t>(random_()));
    case 2: return make_int(t, std::numeric_limits<int64_t>::min() >> (64 - t.bits));
    default: return make_int(t, below(300) - 100);
  }
}

std::vector<Expr> RandomIr::exprs(int n, Type t) {
  std::vector<Expr> out;
  while (n-- > 0) out.push_back(expr(t, 2));
  return out;
}

Expr RandomIr::expr(Type t, int depth) {
  if (depth <= 0 || one_in(5)) return leaf(t);
  if (one_in(3)) {  // sharing
    std::vector<Expr> fitting;
    for (const Expr& e : pool_)
      if (e.type() == t) fitting.push_back(e);
    if (!fitting.empty()) return fitting[below(static_cast<int>(fitting.size()))];
  }
  const auto sub = [&](Type of) { return expr(of, depth - 1); };
  Expr e;
  switch (below(16)) {
    case 0: {
      static const Op ops[] = {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Mod, Op::Min, Op::Max, Op::BitAnd, Op::BitOr, Op::BitXor, Op::Shl, Op::Shr};
      e = make_binary(ops[below(std::size(ops))], sub(t), sub(t));
      break;
    }
    case 1:
      if (!t.is_bool()) {
        e = make_unary(one_in(2) ? Op::Neg : one_in(2) ? Op::Abs : Op::BitNot, sub(t));
      } else {
        const Type of = scalar_type().with_lanes(t.lanes);
        static const Op ops[] = {Op::EQ, Op::NE, Op::LT, Op::LE, Op::GT, Op::GE};
        e = make_binary(ops[below(6)], sub(of), sub(of));
      }
      break;
    case 2: e = make_select(sub(Bool(one_in(2) ? t.lanes : 1)), sub(t), sub(t)); break;
    case 3: e = make_cast(t, sub(scalar_type().with_lanes(t.lanes))); break;
    case 4:
      if (t.is_bool()) e = one_in(2) ? make_unary(Op::Not, sub(t)) : make_binary(one_in(2) ? Op::And : Op::Or, sub(t), sub(t));
      else e = make_math(MathFn::Fma, {sub(t), sub(t), sub(t)});
      break;
    case 5: e = make_math(one_in(2) ? MathFn::Exp : MathFn::Round, {sub(t)}); break;
    case 6: e = make_strict(sub(t)); break;
    case 7: {
      const Expr value = sub(scalar_type());
      const Sym v = fresh(value.type());
      pool_.clear();  // nothing made under the let may leave it
      e = make_let(v, value, sub(t));
      pool_.clear();
      syms_.erase(std::find(syms_.begin(), syms_.end(), v));
      return e;
    }
    case 8:
      if (t.lanes > 1) {
        e = one_in(2) ? make_ramp(sub(t.element()), sub(t.element()), t.lanes) : make_broadcast(sub(t.element()), t.lanes);
      } else {
        e = make_lane(sub(t.with_lanes(4)), below(4));
      }
      break;
    case 9:
      if (t.lanes > 1) {
        std::vector<Expr> parts;
        for (int i = 0; i < t.lanes; ++i) parts.push_back(leaf(t.element()));
        e = make_concat(parts);
      } else {
        e = make_shuffle(sub(t), sub(Int(32)));
      }
      break;
    case 10:
    case 11:
      if (!types_.empty()) {
        const int f = func();
        if (t.lanes == 1) e = make_call(f, one_in(9) ? t : types_[f], exprs(rank_[f], Int(32)));
        if (e.defined() && e.type() == t) break;
      }
      [[fallthrough]];
    case 12:
      if (!types_.empty()) {
        const int f = func();
        e = make_load(f, t, sub((one_in(2) ? Int(32) : Int(64)).with_lanes(t.lanes)), one_in(3) ? sub(Bool(t.lanes)) : Expr{}, one_in(3) ? 4 : 0,
                      static_cast<CachePolicy>(below(3)));
        break;
      }
      [[fallthrough]];
    default: return leaf(t);
  }
  // Raw nodes of shapes that constructors would fold come from passes: with_args makes them.
  if (e->op == Op::Cast && one_in(8)) e = with_args(e, {leaf(e->args[0].type())});
  pool_.push_back(e);
  return e;
}

Program RandomIr::program() {
  Program p;
  p.name = name();
  for (int i = below(3); i > 0; --i) {
    ParamDef q{name(), fresh(scalar_type()), loc()};
    if (one_in(2)) q.name = q.var->name;
    p.params.push_back(q);
    p.args.push_back({Argument::Kind::Param, static_cast<int>(p.params.size()) - 1});
  }
  const int funcs = 2 + below(4);
  const std::vector<Sym> outer = syms_;
  for (int id = 0; id < funcs; ++id) {
    FuncDef f;
    f.name = name() + "f" + std::to_string(id);
    if (one_in(4)) f.name = name();
    f.kind = id == 0 || one_in(4) ? FuncKind::Input : FuncKind::Computed;
    f.type = scalar_type();
    f.loc = loc();
    f.is_wrapper = one_in(8);
    const int rank = below(4);
    for (int d = 0; d < rank; ++d) f.dims.push_back(fresh());
    if (f.is_input() || one_in(3)) {
      for (int d = 0; d < rank; ++d) {
        f.extent.push_back(fresh());
        f.stride.push_back(fresh(Int(64)));
        f.fixed_extent.push_back(one_in(3) ? i32(below(99)) : Expr{});
        f.fixed_stride.push_back(one_in(3) ? expr(Int(64), 2) : Expr{});
      }
      f.free_stride0 = one_in(4);
      p.args.push_back({f.is_input() ? Argument::Kind::Input : Argument::Kind::Output, id});
    }
    pool_.clear();
    if (!f.is_input()) {
      Definition pure;
      for (const Sym& v : f.dims) pure.args.push_back(make_var(v));
      pure.value = expr(f.type, 6);
      pure.loc = loc();
      f.stages.push_back(pure);
    }
    types_.push_back(f.type);
    rank_.push_back(rank);
    for (int u = f.is_input() ? 0 : below(3); u > 0; --u) {
      Definition d;
      for (int v = below(3); v > 0; --v) {
        const Type t = one_in(5) ? Int(64) : Int(32);
        const Expr min = one_in(2) ? make_int(t, 0) : expr(t, 2), extent = expr(t, 2);
        d.rdom.vars.push_back({fresh(t), min, extent});
      }
      if (!d.rdom.vars.empty() && one_in(2)) d.rdom.where = expr(Bool(), 3);
      d.args = exprs(rank, Int(32));
      d.value = expr(f.type, 5);
      d.loc = loc();
      f.stages.push_back(d);
    }
    p.funcs.push_back(f);
  }
  pool_.clear();
  return p;
}

Schedule RandomIr::schedule(const Program& p) {
  Schedule s;
  for (int i = below(12); i > 0; --i) {
    Directive d;
    d.kind = static_cast<DirectiveKind>(below(static_cast<int>(kLastDirective) + 1));
    d.func = below(static_cast<int>(p.funcs.size()));
    d.stage = below(4) - 1;
    for (int n = below(4); n > 0; --n) d.loops.push_back(one_in(2) || syms_.empty() ? fresh() : syms_[below(static_cast<int>(syms_.size()))]);
    for (int n = below(3); n > 0; --n) d.ints.push_back(below(100) - 20);
    for (int n = one_in(4) ? below(3) : 0; n > 0; --n) d.exprs.push_back(expr(Int(32), 3));
    d.tail = static_cast<Tail>(below(static_cast<int>(kLastTail) + 1));
    d.memory = static_cast<Memory>(below(5));
    if (one_in(3)) {
      d.target = below(static_cast<int>(p.funcs.size()));
      d.target_stage = below(4) - 1;
    }
    d.loc = loc();
    s.directives.push_back(d);
  }
  return s;
}

Stmt RandomIr::nest(const Program&) {
  for (int i = 0; i < 3; ++i) fresh(scalar_type());  // free variables
  return stmt(6, false);
}

Stmt RandomIr::leaf_stmt(bool kernel) {
  pool_.clear();
  const int f = func();
  switch (below(kernel ? 9 : 2)) {
    case 0: return std::make_shared<ProvideStmt>(f, below(3), exprs(rank_[f], Int(32)), expr(types_[f], 5), loc());
    case 1: {
      const int lanes = one_in(3) ? 4 : 1;
      return std::make_shared<StoreStmt>(f, expr(Int(32, lanes), 3), expr(types_[f].with_lanes(lanes), 4), one_in(3) ? expr(Bool(lanes), 2) : Expr{}, one_in(3) ? 4 : 0,
                                         static_cast<CachePolicy>(below(3)), loc());
    }
    case 2: return std::make_shared<SyncStmt>(static_cast<SyncKind>(below(static_cast<int>(SyncKind::SetMaxRegisters) + 1)), exprs(below(3), Int(32)), loc());
    case 3:
      return std::make_shared<AsyncCopyStmt>(static_cast<CopyKind>(below(3)), f, func(), exprs(below(3), Int(32)), exprs(below(3), Int(32)), std::vector<int64_t>{64, below(99)},
                                             maybe(Int(32)), maybe(UInt(64)), loc());
    case 4: return std::make_shared<MatrixStmt>("wgmma.m64n256k16.f32.bf16", f, func(), func(), exprs(below(3), Int(32)), loc());
    case 5: return std::make_shared<CheckStmt>("`x` \"dim\" 0", expr(Int(64), 3), expr(Int(64), 3), static_cast<CheckStmt::Relation>(below(3)), loc());
    case 6: return std::make_shared<MemsetStmt>(f);
    case 7:
      if (kernels_) return std::make_shared<LaunchStmt>(below(kernels_), expr(Int(64), 3), loc());
      [[fallthrough]];
    default: return make_seq({});
  }
}

Stmt RandomIr::stmt(int depth, bool kernel) {
  if (depth <= 0 || one_in(5)) return leaf_stmt(kernel);
  pool_.clear();
  const auto inner = [&] { return stmt(depth - 1, kernel); };
  switch (below(kernel ? 9 : 8)) {
    case 0:
    case 1: {
      std::vector<Stmt> list;
      for (int n = below(5); n > 0; --n) list.push_back(inner());
      return std::make_shared<SeqStmt>(std::move(list));
    }
    case 2: {
      const Type t = one_in(6) ? Int(64) : Int(32);
      const Expr min = one_in(2) ? make_int(t, 0) : expr(t, 2), extent = expr(t, 3), live = maybe(t);
      const Sym v = fresh(t);
      LoopHints hints;
      if (one_in(3)) hints = {below(3), below(3), below(3) * 32, below(3), below(3)};
      return make_for(v, min, extent, static_cast<LoopKind>(below(7)), inner(), loc(), live, hints);
    }
    case 3: {  // in the order of the text: a variable is used after it is bound
      const Expr cond = expr(Bool(), 3);
      const Stmt then_body = inner();
      return std::make_shared<IfStmt>(cond, then_body, one_in(2) ? inner() : nullptr);
    }
    case 4: {
      const Expr value = expr(scalar_type(), 4);
      const Sym v = fresh(value.type());
      return std::make_shared<LetStmt>(v, value, inner());
    }
    case 5: {
      const int f = func();
      std::vector<Region> region;
      for (int d = 0; d < rank_[f]; ++d) region.push_back({maybe(Int(32)), expr(Int(32), 2), expr(Int(32), 1)});
      auto a = std::make_shared<AllocStmt>(f, types_[f], static_cast<Memory>(below(5)), region, inner(), loc());
      if (one_in(2)) a->ring = 4;
      if (one_in(2)) a->align = 1024;
      if (one_in(2)) a->swizzle = 128;
      if (one_in(2)) a->pad = {0, 8};
      if (one_in(2)) a->order = {1, 0};
      return a;
    }
    case 6: return std::make_shared<ProduceStmt>(func(), inner());
    case 7: return std::make_shared<ConsumeStmt>(func(), inner());
    default: {
      const int rank = below(4);
      std::vector<Sym> vars;
      std::vector<int64_t> extent;
      std::vector<Expr> live;
      for (int d = 0; d < rank; ++d) {
        live.push_back(maybe(Int(32)));
        extent.push_back(1 + below(99));
      }
      for (int d = 0; d < rank; ++d) vars.push_back(fresh());
      return std::make_shared<TileStmt>(static_cast<TileOp>(below(4)), func(), below(2), vars, extent, live, layout(rank), inner(), loc());
    }
  }
}

std::vector<Digit> RandomIr::digits(int rank) {
  std::vector<Digit> out;
  for (int n = below(4); n > 0; --n) out.push_back(rank && !one_in(4) ? Digit{1 + below(64), below(rank), 1 + below(64)} : Digit{1 + below(64), -1, 1});
  return out;
}

Layout RandomIr::layout(int rank) {
  Layout l;
  l.kind = static_cast<Layout::Kind>(below(3));
  if (l.kind == Layout::Kind::Single) return l;
  l.threads = 1 + below(512);
  l.vector = 1 << below(4);
  if (l.kind == Layout::Kind::Flat) return l;
  l.reg = digits(rank), l.lane = digits(rank), l.warp = digits(rank), l.cluster = digits(rank);
  return l;
}

Kernel RandomIr::kernel() {
  Kernel k;
  k.name = name() + std::to_string(kernels_);
  k.block = fresh();
  k.thread = fresh();
  k.threads = 32 * (1 + below(32));
  k.min_blocks = below(3);
  k.cluster = 1 + below(2);
  k.fast = one_in(2);
  k.read_only_inputs = one_in(2);
  for (int n = below(3); n > 0; --n) k.buffers.push_back(func());
  for (int n = below(2); n > 0; --n) k.written.push_back(func());
  for (int n = below(3); n > 0; --n) k.scalars.push_back(one_in(2) ? fresh(scalar_type()) : syms_[below(static_cast<int>(syms_.size()))]);
  for (int n = below(3); n > 0; --n)
    k.allocations.push_back({func(), scalar_type(), one_in(2) ? Memory::Shared : Memory::Register, below(4) * 1024, 1 + below(999), 1 + below(4), 16 << below(3), below(2) * 128});
  k.shared_bytes = below(3) * 4096;
  k.loc = loc();
  for (int n = 1 + below(2); n > 0; --n) k.roles.push_back({name(), below(4), 1 + below(8), below(2) * 40, stmt(4, true)});
  return k;
}

Module RandomIr::module() {
  Module m;
  m.program = program();
  static const char* const targets[] = {"host", "cuda-sm_80", "cuda-sm_90a", "emulate-sm_90a", "host-strict_float"};
  m.target = Target::parse(targets[below(5)]);
  for (int n = below(4); n > 0; --n) m.args.slots.push_back(one_in(4) ? nullptr : one_in(2) ? fresh(scalar_type()) : syms_[below(static_cast<int>(syms_.size()))]);
  const int extra = below(3);
  for (int id = 0; id < static_cast<int>(m.program.funcs.size()) + extra; ++id) {
    Buffer b;
    const bool of_func = id < static_cast<int>(m.program.funcs.size());
    b.func = of_func ? id : -1;
    b.name = of_func ? m.program.funcs[id].name : name() + "b";
    b.type = of_func ? types_[id] : scalar_type();
    if (!of_func) {
      types_.push_back(b.type);
      rank_.push_back(1);
    }
    b.is_argument = one_in(2);
    b.is_output = one_in(2);
    if (one_in(2)) b.base = fresh(UInt(64));
    if (one_in(2)) {
      b.min = exprs(rank_[id], Int(32));
      b.extent = exprs(rank_[id], Int(32));
      b.stride = exprs(rank_[id], Int(64));
    }
    b.workspace_offset = maybe(Int(64));
    b.bytes = maybe(Int(64));
    m.buffers.push_back(b);
  }
  for (int n = below(3); n > 0; --n) {
    m.kernels.push_back(kernel());
    ++kernels_;
  }
  m.workspace_bytes = maybe(Int(64));
  if (!one_in(5)) m.entry = stmt(5, true);
  return m;
}

}  // namespace sinter::test
