#include "scheduler/lower/entry.h"

#include <unordered_set>

#include "ir/analysis/visit.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

std::string argument_text(const Program& program, FuncId f, int dim, const char* what) {
  const FuncDef& def = program.funcs[f];
  return std::string(def.is_input() ? "input `" : "output `") + def.name + "`, dimension " + std::to_string(dim) + ": " + what;
}

// Declared extents, strides and unit innermost strides.
std::vector<Stmt> declared_checks(const Program& program) {
  std::vector<Stmt> out;
  const auto check = [&](FuncId f, int d, const char* what, const Expr& given, const Expr& needed) {
    if (!needed.defined()) return;
    out.push_back(std::make_shared<CheckStmt>(argument_text(program, f, d, what), given, make_cast(given.type(), needed),
                                              CheckStmt::Equal, program.funcs[f].loc));
  };
  // The stride of a dimension with one element is nobody's business.
  const auto stride = [&](const FuncDef& def, int d, const Expr& needed) {
    return make_select(make_var(def.extent[d]) <= i32(1), make_cast(Int(64), needed), make_var(def.stride[d]));
  };
  for (const Argument& a : program.args) {
    if (a.kind == Argument::Kind::Param) continue;
    const FuncDef& def = program.funcs[a.id];
    for (int d = 0; d < def.rank(); ++d) {
      if (d < static_cast<int>(def.fixed_extent.size())) check(a.id, d, "extent", make_var(def.extent[d]), def.fixed_extent[d]);
      const bool unit = d == 0 && !def.free_stride0;
      const bool fixed = d < static_cast<int>(def.fixed_stride.size()) && def.fixed_stride[d].defined();
      const Expr needed = fixed ? def.fixed_stride[d] : unit ? make_int(Int(64), 1) : Expr();
      if (needed.defined() && def.stride[d]) check(a.id, d, "stride", stride(def, d, needed), needed);
    }
  }
  return out;
}

Expr not_empty(const FuncDef& def) {
  Expr all = make_bool(true);
  for (const Sym& e : def.extent) all = all && (make_var(e) >= i32(1));
  return all;
}

// An index that mentions an extent, as a clamp does, is inside the tensor only where there is something inside. An RDom over an extent
// of 0 reads nothing.
std::unordered_set<const VarNode*> sizes_in_indices(const Program& program) {
  std::unordered_set<const VarNode*> out;
  const auto visit = [&](const Expr& e) {
    walk(e, [&](const Expr& n) {
      if (n->op != Op::Call) return;
      for (const Expr& index : n->args)
        for (const Sym& s : free_vars(index)) out.insert(s.get());
    });
  };
  for (const FuncDef& def : program.funcs)
    for (const Definition& stage : def.stages) {
      for (const Expr& a : stage.args) visit(a);
      visit(stage.value);
      if (stage.rdom.where.defined()) visit(stage.rdom.where);
    }
  return out;
}

// Where some output has elements, the others and the sizes in indices must be at least 1.
std::vector<Stmt> size_checks(const Program& program) {
  const std::unordered_set<const VarNode*> indexed = sizes_in_indices(program);
  int outputs = 0;
  for (const Argument& a : program.args) outputs += a.kind == Argument::Kind::Output;
  std::vector<Stmt> out;
  for (const Argument& a : program.args) {
    if (a.kind == Argument::Kind::Param) continue;
    const FuncDef& def = program.funcs[a.id];
    for (int d = 0; d < def.rank(); ++d) {
      const bool relied_on = a.kind == Argument::Kind::Output ? outputs > 1 : indexed.count(def.extent[d].get()) != 0;
      if (relied_on)
        out.push_back(std::make_shared<CheckStmt>(argument_text(program, a.id, d, "extent"), make_var(def.extent[d]), i32(1), CheckStmt::AtLeast, def.loc));
    }
  }
  return out;
}

}  // namespace

Module make_module(const Program& program, const Target& target) {
  Module m;
  m.program = program;
  m.target = target;
  for (size_t f = 0; f < program.funcs.size(); ++f) {
    Buffer b;
    b.func = static_cast<FuncId>(f);
    b.name = program.funcs[f].name;
    b.type = program.funcs[f].type;
    m.buffers.push_back(std::move(b));
  }
  for (const Argument& a : program.args) {
    if (a.kind == Argument::Kind::Param) {
      m.args.slots.push_back(program.params[a.id].var);
      continue;
    }
    const FuncDef& def = program.funcs[a.id];
    Buffer& b = m.buffers[a.id];
    b.is_argument = true;
    b.is_output = a.kind == Argument::Kind::Output;
    b.base = make_sym(def.name + ".base", UInt(64));
    m.args.slots.push_back(b.base);
    for (int d = 0; d < def.rank(); ++d) {
      b.min.push_back(i32(0));
      b.extent.push_back(make_var(def.extent[d]));
      m.args.slots.push_back(def.extent[d]);
    }
    for (int d = 0; d < def.rank(); ++d) {
      const bool unit = d == 0 && !def.free_stride0;
      b.stride.push_back(unit ? make_int(Int(64), 1) : make_var(def.stride[d]));
      m.args.slots.push_back(def.stride[d]);
    }
  }
  return m;
}

Stmt make_entry(const Program& program, const Stmt& body) {
  std::vector<Stmt> entry = declared_checks(program), guarded = size_checks(program);
  guarded.push_back(body);
  Expr any;
  for (const Argument& a : program.args)
    if (a.kind == Argument::Kind::Output) any = any.defined() ? any || not_empty(program.funcs[a.id]) : not_empty(program.funcs[a.id]);
  entry.push_back(simplify(make_if(any, make_seq(std::move(guarded)))));
  return make_seq(std::move(entry));
}

}  // namespace sinter::scheduler
