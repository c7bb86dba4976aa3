#include "codegen/arguments.h"

namespace sinter::codegen {

using namespace ir;

DLDataType dl_type(Type t) {
  constexpr uint8_t kBool = 6;  // kDLBool of later DLPack versions
  switch (t.code) {
    case TypeCode::Bool: return {kBool, 8, 1};
    case TypeCode::Int: return {kDLInt, t.bits, 1};
    case TypeCode::UInt: return {kDLUInt, t.bits, 1};
    case TypeCode::Float: return {kDLFloat, t.bits, 1};
    case TypeCode::BFloat: return {kDLBfloat, t.bits, 1};
    case TypeCode::E4M3: return {10, 8, 1};  // kDLFloat8_e4m3fn and kDLFloat8_e5m2 of DLPack 1.1
    case TypeCode::E5M2: return {12, 8, 1};
  }
  return {};
}

RuntimeArguments runtime_arguments(const Program& program) {
  RuntimeArguments out;
  out.names.reserve(program.args.size());
  for (const Argument& a : program.args) {
    const bool scalar = a.kind == Argument::Kind::Param;
    out.names.push_back(scalar ? program.params[a.id].name : program.funcs[a.id].name);
    const Type type = scalar ? program.params[a.id].var->type : program.funcs[a.id].type;
    const DLDataType dl = dl_type(type);
    sinter_rt_arg arg{};
    arg.name = out.names.back().c_str();
    arg.code = dl.code;
    arg.bits = dl.bits;
    arg.kind = scalar ? SINTER_RT_SCALAR : a.kind == Argument::Kind::Output ? SINTER_RT_OUTPUT : SINTER_RT_INPUT;
    if (!scalar) {
      arg.rank = static_cast<int8_t>(program.funcs[a.id].rank());
      arg.dim0_free_stride = program.funcs[a.id].free_stride0;
    }
    out.args.push_back(arg);
  }
  return out;
}

}  // namespace sinter::codegen
