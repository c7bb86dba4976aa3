#include "ir/eval/interpret.h"

#include <algorithm>
#include <functional>

#include "ir/eval/oracle.h"
#include "ir/eval/scalar_ops.h"

namespace sinter::ir::oracle {

// ---- boxes and storage --------------------------------------------------------------------------------------------

void Box::include(const std::vector<int64_t>& lo, const std::vector<int64_t>& hi) {
  for (size_t d = 0; d < lo.size(); ++d)
    if (hi[d] < lo[d]) return;  // nothing is demanded
  if (!known || empty()) {
    known = true;
    min = lo;
    max = hi;
    return;
  }
  for (size_t d = 0; d < lo.size(); ++d) {
    min[d] = std::min(min[d], lo[d]);
    max[d] = std::max(max[d], hi[d]);
  }
}

bool Box::empty() const {
  for (size_t d = 0; d < min.size(); ++d)
    if (max[d] < min[d]) return true;
  return false;
}

void Storage::make_dense(const Box& box) {
  dense_ = true;
  sparse_.clear();
  min_ = box.min;
  extent_.resize(min_.size());
  size_t n = 1;
  for (size_t d = 0; d < min_.size(); ++d) {
    extent_[d] = std::max<int64_t>(0, box.max[d] - box.min[d] + 1);
    n *= static_cast<size_t>(extent_[d]);
  }
  cells_.assign(n, {});
}

Storage::Cell* Storage::find(const int64_t* at, int rank) {
  if (!dense_)
    return &sparse_[std::string(reinterpret_cast<const char*>(at), static_cast<size_t>(rank) * sizeof *at)];
  size_t offset = 0, step = 1;
  for (int d = 0; d < rank; ++d) {
    const int64_t i = at[d] - min_[static_cast<size_t>(d)];
    if (i < 0 || i >= extent_[static_cast<size_t>(d)]) return nullptr;
    offset += static_cast<size_t>(i) * step;
    step *= static_cast<size_t>(extent_[static_cast<size_t>(d)]);
  }
  return &cells_[offset];
}

std::string coordinates(const int64_t* at, int rank) {
  std::string s = "(";
  for (int d = 0; d < rank; ++d) s += (d ? ", " : "") + std::to_string(at[d]);
  return s + ")";
}

std::string at_line(Loc loc, Loc fallback) {
  if (!loc.known()) loc = fallback;
  return loc.known() ? to_string(loc) + ": " : std::string();
}

void Reader::access(const FlatAccess& a, uint64_t* frame) {
  if (a.node->op != Op::Call) throw InternalError(std::string("the oracle met a ") + op_name(a.node->op));
  constexpr int max_rank = 16;
  int64_t at[max_rank];
  const int rank = static_cast<int>(a.args.size());
  internal_check(rank <= max_rank, "the oracle reads Funcs of at most 16 dimensions");
  for (int d = 0; d < rank; ++d) at[d] = static_cast<int64_t>(frame[a.args[static_cast<size_t>(d)]]);
  const Loc loc = a.node->loc.known() ? a.node->loc : fallback;
  frame[a.dst] = oracle.read(a.node->id, at, rank, loc);
}

void Reader::trap(const ArithmeticTrap& t, const Expr& node) { throw EvalError(t, node->loc.known() ? node->loc : fallback); }

const VarNode* bind_globals(const FlatCode& code, uint64_t* frame, const SymMap<Scalar>& globals, const std::vector<Sym>& own) {
  code.set_constants(frame);
  for (const auto& [sym, slot] : code.variables) {
    if (std::find(own.begin(), own.end(), sym) != own.end()) continue;
    const auto it = globals.find(sym.get());
    if (it == globals.end()) return sym.get();
    frame[slot] = it->second.bits;
  }
  return nullptr;
}

// ---- the boundary -------------------------------------------------------------------------------------------------

Oracle::Oracle(const Program& p, const std::vector<TensorView>& buffers, const std::vector<Scalar>& params, const InterpretOptions& o)
    : program_(p), options_(o), funcs_(p.funcs.size()) {
  bind(buffers, params);
}

void Oracle::bind(const std::vector<TensorView>& buffers, const std::vector<Scalar>& params) {
  size_t buffer = 0, param = 0;
  const auto fail = [](const std::string& text) { throw RuntimeError(eval_status, text); };
  for (const Argument& a : program_.args) {
    if (a.kind == Argument::Kind::Param) {
      const ParamDef& def = program_.params.at(static_cast<size_t>(a.id));
      if (param == params.size()) fail("Param `" + def.name + "` has no value");
      if (params[param].type != def.var->type)
        fail("Param `" + def.name + "` is " + to_string(def.var->type) + ", given " + to_string(params[param].type));
      globals_[def.var.get()] = params[param++];
      continue;
    }
    const FuncDef& f = program_.funcs.at(static_cast<size_t>(a.id));
    if (buffer == buffers.size()) fail("`" + f.name + "` has no buffer");
    const TensorView& view = buffers[buffer++];
    const size_t rank = f.dims.size();
    if (view.type != f.type) fail("`" + f.name + "` is " + to_string(f.type) + ", its buffer " + to_string(view.type));
    if (view.extent.size() != rank || view.stride.size() != rank)
      fail("`" + f.name + "` has " + std::to_string(rank) + " dimensions, its buffer " + std::to_string(view.extent.size()));
    funcs_[static_cast<size_t>(a.id)].view = &view;
    for (size_t d = 0; d < rank; ++d) {
      if (d < f.extent.size() && f.extent[d]) globals_[f.extent[d].get()] = Scalar::of_int(f.extent[d]->type, view.extent[d]);
      if (d < f.stride.size() && f.stride[d]) globals_[f.stride[d].get()] = Scalar::of_int(f.stride[d]->type, view.stride[d]);
    }
  }
  if (buffer != buffers.size() || param != params.size()) fail("more arguments than pipeline `" + program_.name + "` has");
  for (const Argument& a : program_.args) {
    if (a.kind == Argument::Kind::Param) continue;
    const FuncDef& f = program_.funcs[static_cast<size_t>(a.id)];
    const TensorView& view = *funcs_[static_cast<size_t>(a.id)].view;
    for (size_t d = 0; d < f.fixed_extent.size(); ++d) {
      if (!f.fixed_extent[d].defined()) continue;
      const int64_t needed = evaluate(f.fixed_extent[d], globals_).as_int();
      if (needed != view.extent[d])
        fail("`" + f.name + "`, dimension " + std::to_string(d) + ": extent " + std::to_string(view.extent[d]) + ", declared " +
             std::to_string(needed));
    }
  }
}

// ---- definitions --------------------------------------------------------------------------------------------------

Stage& Oracle::stage(FuncId id, size_t s) {
  FuncState& state = funcs_[static_cast<size_t>(id)];
  const FuncDef& f = program_.funcs[static_cast<size_t>(id)];
  if (state.stages.size() < f.stages.size()) state.stages.resize(f.stages.size());
  if (state.stages[s]) return *state.stages[s];

  auto st = std::make_unique<Stage>();
  const Definition& def = f.stages[s];
  FlatBuilder b;
  std::vector<Sym> own;
  for (const Sym& v : f.dims) {
    st->dims.push_back(b.variable(v));
    own.push_back(v);
  }
  for (const RVarDef& r : def.rdom.vars) {
    st->rvars.push_back(b.variable(r.var));
    own.push_back(r.var);
  }
  const auto range = [&](const std::function<void()>& emit) {
    b.begin_statement();
    const uint32_t from = b.position();
    emit();
    return std::pair{from, b.position()};
  };
  st->domain = range([&] {
    for (const RVarDef& r : def.rdom.vars) {
      st->rvar_min.push_back(b.emit(r.min));
      st->rvar_extent.push_back(b.emit(r.extent));
    }
  });
  st->filter = range([&] {
    st->has_where = def.rdom.where.defined();
    if (st->has_where) st->where = b.emit(def.rdom.where);
  });
  st->body = range([&] {
    for (size_t d = 0; d < def.args.size(); ++d) {
      st->pure.push_back(def.args[d]->op == Op::Var && def.args[d]->var == f.dims[d]);
      if (s > 0) st->args.push_back(b.emit(def.args[d]));
    }
    st->value = b.emit(def.value);
  });
  st->code = b.finish();
  for (std::vector<Slot>* slots : {&st->rvar_min, &st->rvar_extent, &st->args})
    for (Slot& x : *slots) x = st->code.resolve(x);
  st->where = st->code.resolve(st->where);
  st->value = st->code.resolve(st->value);
  st->frame.resize(st->code.frame_size());
  if (const VarNode* v = bind_globals(st->code, st->frame.data(), globals_, own))
    throw InternalError("variable `" + v->name + "` of Func `" + f.name + "` has no value");
  state.stages[s] = std::move(st);
  return *state.stages[s];
}

// ---- reads --------------------------------------------------------------------------------------------------------

uint64_t Oracle::read_input(FuncId id, const int64_t* at, int rank, Loc loc) {
  const TensorView& view = *funcs_[static_cast<size_t>(id)].view;
  int64_t offset = 0;
  for (int d = 0; d < rank; ++d) {
    const int64_t extent = view.extent[static_cast<size_t>(d)];
    if (at[d] < 0 || at[d] >= extent) {
      const FuncDef& f = program_.funcs[static_cast<size_t>(id)];
      throw RuntimeError(eval_status, at_line(loc, f.loc) + "input `" + f.name + "` is read at " + coordinates(at, rank) +
                                          ", outside its extents " + coordinates(view.extent.data(), rank));
    }
    offset += at[d] * view.stride[static_cast<size_t>(d)];
  }
  return load_bits(view.type, static_cast<const char*>(view.data) + offset * view.type.bytes());
}

uint64_t Oracle::read(FuncId id, const int64_t* at, int rank, Loc loc) {
  const FuncDef& f = program_.funcs[static_cast<size_t>(id)];
  FuncState& state = funcs_[static_cast<size_t>(id)];
  if (f.is_input()) {
    if (!state.view) throw RuntimeError(eval_status, at_line(loc, f.loc) + "input `" + f.name + "` is not an argument of the pipeline");
    return read_input(id, at, rank, loc);
  }
  if (f.has_updates() && state.progress < FuncState::Progress::Running) materialise(id);
  Storage::Cell* cell = state.storage.find(at, rank);
  if (!cell)
    throw RuntimeError(eval_status, at_line(loc, f.loc) + "`" + f.name + "` is read at " + coordinates(at, rank) +
                                        ", outside what is computed of it: " + coordinates(state.box.min.data(), rank) + " to " +
                                        coordinates(state.box.max.data(), rank));
  if (!cell->have) run_pure_stage(id, at, cell);
  return cell->value;
}

void Oracle::run_pure_stage(FuncId id, const int64_t* at, Storage::Cell* cell) {
  Stage& st = stage(id, 0);
  for (size_t d = 0; d < st.dims.size(); ++d) st.frame[st.dims[d]] = static_cast<uint64_t>(at[d]);
  Reader reader{*this, program_.funcs[static_cast<size_t>(id)].stages[0].loc};
  run_flat(st.code, st.body.first, st.body.second, st.frame.data(), reader);
  cell->value = st.frame[st.value];
  cell->have = true;
}

// ---- updates ------------------------------------------------------------------------------------------------------

// Calls f(coordinates) for every point of the box, dimension 0 innermost.
template <class F>
static void each_point(const Box& box, F&& f) {
  if (!box.known || box.empty()) return;
  std::vector<int64_t> at = box.min;
  for (;;) {
    f(at);
    size_t d = 0;
    while (d < at.size() && ++at[d] > box.max[d]) {
      at[d] = box.min[d];
      ++d;
    }
    if (d == at.size()) return;
  }
}

void Oracle::materialise(FuncId id) {
  FuncState& state = funcs_[static_cast<size_t>(id)];
  const FuncDef& f = program_.funcs[static_cast<size_t>(id)];
  internal_check(state.progress == FuncState::Progress::Boxed, "a Func is read before its box is known, or by itself");
  state.progress = FuncState::Progress::Running;
  each_point(state.box, [&](const std::vector<int64_t>& at) {
    Storage::Cell* cell = state.storage.find(at.data(), f.rank());
    run_pure_stage(id, at.data(), cell);
  });
  for (size_t s = 1; s < f.stages.size(); ++s) run_update(id, s);
  state.progress = FuncState::Progress::Done;
}

void Oracle::run_update(FuncId id, size_t s) {
  FuncState& state = funcs_[static_cast<size_t>(id)];
  Stage& st = stage(id, s);
  Box domain = state.box;  // one point in dimensions that the update addresses by an expression
  for (size_t d = 0; d < st.pure.size(); ++d)
    if (!st.pure[d] && domain.known && !domain.empty()) domain.max[d] = domain.min[d];
  Reader reader{*this, program_.funcs[static_cast<size_t>(id)].stages[s].loc};
  each_point(domain, [&](const std::vector<int64_t>& at) {
    for (size_t d = 0; d < at.size(); ++d) st.frame[st.dims[d]] = static_cast<uint64_t>(at[d]);
    run_flat(st.code, st.domain.first, st.domain.second, st.frame.data(), reader);
    // Bounds are temporaries: keep them before the body reuses their slots.
    std::vector<int64_t> min, extent, r;
    for (size_t i = 0; i < st.rvars.size(); ++i) {
      min.push_back(static_cast<int64_t>(st.frame[st.rvar_min[i]]));
      extent.push_back(static_cast<int64_t>(st.frame[st.rvar_extent[i]]));
      if (extent.back() <= 0) return;
    }
    r = min;
    for (;;) {
      for (size_t i = 0; i < r.size(); ++i) st.frame[st.rvars[i]] = static_cast<uint64_t>(r[i]);
      update_point(id, s, st);
      size_t i = 0;
      while (i < r.size() && ++r[i] >= min[i] + extent[i]) {
        r[i] = min[i];
        ++i;
      }
      if (i == r.size()) return;
    }
  });
}

void Oracle::update_point(FuncId id, size_t s, Stage& st) {
  const FuncDef& f = program_.funcs[static_cast<size_t>(id)];
  FuncState& state = funcs_[static_cast<size_t>(id)];
  Reader reader{*this, f.stages[s].loc};
  uint64_t* frame = st.frame.data();
  if (st.has_where) {
    run_flat(st.code, st.filter.first, st.filter.second, frame, reader);
    if (!frame[st.where]) return;
  }
  run_flat(st.code, st.body.first, st.body.second, frame, reader);
  int64_t at[16];
  for (size_t d = 0; d < st.args.size(); ++d) at[d] = static_cast<int64_t>(frame[st.args[d]]);
  Storage::Cell* cell = state.storage.find(at, f.rank());
  if (!cell)
    throw RuntimeError(eval_status, at_line(f.stages[s].loc, f.loc) + "an update of `" + f.name + "` writes " +
                                        coordinates(at, f.rank()) + ", outside " + coordinates(state.box.min.data(), f.rank()) +
                                        " to " + coordinates(state.box.max.data(), f.rank()));
  cell->value = frame[st.value];
  cell->have = true;
}

// ---- the whole ----------------------------------------------------------------------------------------------------

void Oracle::demand(FuncId f, const std::vector<int64_t>& lo, const std::vector<int64_t>& hi) {
  funcs_[static_cast<size_t>(f)].box.include(lo, hi);
}

void Oracle::write_output(FuncId id) {
  const FuncDef& f = program_.funcs[static_cast<size_t>(id)];
  FuncState& state = funcs_[static_cast<size_t>(id)];
  Box domain{true, std::vector<int64_t>(state.view->extent.size(), 0), state.view->extent};
  for (int64_t& m : domain.max) --m;
  each_point(domain, [&](const std::vector<int64_t>& at) {
    int64_t offset = 0;
    for (size_t d = 0; d < at.size(); ++d) offset += at[d] * state.view->stride[d];
    store_bits(f.type, read(id, at.data(), f.rank(), f.loc), static_cast<char*>(state.view->data) + offset * f.type.bytes());
  });
}

void Oracle::run() {
  for (size_t f = 0; f < funcs_.size(); ++f) {
    FuncState& state = funcs_[f];
    if (!state.view || program_.funcs[f].is_input()) continue;
    std::vector<int64_t> last = state.view->extent;
    for (int64_t& m : last) --m;
    state.box.include(std::vector<int64_t>(last.size(), 0), last);
  }
  find_boxes(*this);
  for (size_t f = 0; f < funcs_.size(); ++f) {
    FuncState& state = funcs_[f];
    const FuncDef& def = program_.funcs[f];
    if (def.is_input() || !state.box.known) continue;
    int64_t volume = 1;
    for (size_t d = 0; d < state.box.min.size(); ++d)
      if (__builtin_mul_overflow(volume, std::max<int64_t>(0, state.box.max[d] - state.box.min[d] + 1), &volume)) volume = INT64_MAX;
    if (volume <= options_.max_box) state.storage.make_dense(state.box);
    else if (def.has_updates())
      throw RuntimeError(eval_status, at_line(def.loc, {}) + "`" + def.name + "` is needed over a box without a useful bound: " +
                                          coordinates(state.box.min.data(), def.rank()) + " to " +
                                          coordinates(state.box.max.data(), def.rank()));
    state.progress = FuncState::Progress::Boxed;
  }
  for (const Argument& a : program_.args)
    if (a.kind == Argument::Kind::Output) write_output(a.id);
}

}  // namespace sinter::ir::oracle

namespace sinter::ir {

void interpret(const Program& program, const std::vector<TensorView>& buffers, const std::vector<Scalar>& params,
               const InterpretOptions& options) {
  oracle::Oracle(program, buffers, params, options).run();
}

}  // namespace sinter::ir
