#include "scheduler/lower/entry.h"

namespace sinter::scheduler {

using namespace ir;

std::string argument_text(const Program& program, FuncId f, int dim, const char* what) {
  const FuncDef& def = program.funcs[f];
  return std::string(def.is_input() ? "input `" : "output `") + def.name + "`, dimension " + std::to_string(dim) + ": " + what;
}

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

}  // namespace sinter::scheduler
