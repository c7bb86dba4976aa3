#include "dsl/pipeline.h"

#include <cmath>
#include <cstring>

#include "codegen/aot/export.h"
#include "codegen/compiled.h"
#include "codegen/llvm/pressure.h"
#include "codegen/runtime/sinter_runtime.h"
#include "ir/diagnostic.h"
#include "ir/eval/interpret.h"
#include "ir/text/print.h"
#include "scheduler/lower/lower.h"
#include "scheduler/report/explain.h"
#include "scheduler/report/html.h"

namespace sinter {

using namespace ir;  // dsl/ has an Expr of its own: ir::Expr is spelled out

// ---- calls ---------------------------------------------------------------------------------------------------------

int64_t CallArgument::slot(Type t, const std::string& name) const {
  const auto refuse = [&](const std::string& value) {
    user_error(ErrorCode::BadCall, {}, "Param `" + name + "` is " + to_string(t) + ", and " + value + " does not fit it", "give a value of that type");
  };
  if (t.is_float()) {
    const double v = is_float_ ? float_ : static_cast<double>(int_);
    if (t.bits == 64) {
      int64_t bits;
      std::memcpy(&bits, &v, sizeof bits);
      return bits;
    }
    return static_cast<int64_t>(Scalar::of_float(t, v).bits);
  }
  if (is_float_ && float_ != std::floor(float_)) refuse(std::to_string(float_));
  const ir::Expr e = make_int(t, int_);
  if (e->i != int_) refuse(std::to_string(int_));
  return e->i;
}

namespace {

// Tensors and slots in call order; E0601 where the list does not fit the arguments.
struct Bound {
  std::vector<const DLTensor*> tensors;
  std::vector<int64_t> slots;
};

Bound bind_arguments(const Program& program, const std::vector<CallArgument>& arguments) {
  if (arguments.size() != program.args.size())
    user_error(ErrorCode::BadCall, {},
               "`" + program.name + "` takes " + std::to_string(program.args.size()) + " arguments, and " + std::to_string(arguments.size()) + " were given",
               "Inputs and Params in the Pipeline's order, then outputs");
  Bound bound;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& a = program.args[i];
    const bool scalar = a.kind == Argument::Kind::Param;
    const std::string& name = scalar ? program.params[a.id].name : program.funcs[a.id].name;
    if (scalar == arguments[i].is_buffer())
      user_error(ErrorCode::BadCall, {}, "argument " + std::to_string(i) + " of `" + program.name + "`, `" + name + "`, is a " + (scalar ? "scalar" : "buffer"),
                 "Inputs and Params in the Pipeline's order, then outputs");
    bound.tensors.push_back(scalar || !arguments[i].buffer().defined() ? nullptr : arguments[i].buffer().dltensor());
    bound.slots.push_back(scalar ? arguments[i].slot(program.params[a.id].var->type, name) : 0);
  }
  return bound;
}

void check_status(int status) {
  if (status != SINTER_OK) throw RuntimeError(status, sinter_last_error());
}

}  // namespace

void Callable::call(const std::vector<CallArgument>& arguments, Stream stream) const {
  const Bound bound = bind_arguments(code_->module().program, arguments);
  code_->call(bound.tensors, bound.slots, stream.handle);
}

const Target& Callable::target() const { return code_->module().target; }
const std::string& Callable::ptx() const { return code_->device().ptx; }

Target native_target() {
  int device = 0;
  sinter_rt_device_info info{};
  if (!sinter_rt_have_gpu() || sinter_rt_device_current(&device) != SINTER_OK || sinter_rt_device_query(device, &info) != SINTER_OK)
    return Target::parse("host");
  const int cc = info.cc_major * 10 + info.cc_minor;
  if (cc == 90) return Target::parse("cuda-sm_90a");
  return Target::parse(cc > 90 ? "cuda-sm_90" : cc == 89 ? "cuda-sm_89" : "cuda-sm_80");
}

// ---- the pipeline --------------------------------------------------------------------------------------------------

Pipeline::Pipeline(std::string name, std::vector<PipelineArgument> args, std::vector<Func> outputs, Loc loc)
    : name_(std::move(name)), args_(std::move(args)), outputs_(std::move(outputs)), loc_(loc) {
  build();
}

std::pair<Program, Schedule> Pipeline::build() const { return build_program(name_, args_, outputs_, loc_); }
Program Pipeline::program() const { return build().first; }
Schedule Pipeline::schedule() const { return build().second; }

namespace {

scheduler::Lowered lower_pipeline(const std::pair<Program, Schedule>& p, const Target& target) {
  return scheduler::lower(p.first, p.second, target);
}

}  // namespace

Callable Pipeline::compile_jit(const Target& target) const {
  scheduler::Lowered lowered = lower_pipeline(build(), target);
  return Callable(std::make_shared<codegen::Compiled>(std::move(lowered.module)));
}

void Pipeline::realize(const std::vector<CallArgument>& arguments, const Target& target) {
  const auto built = build();
  const std::string key = target.to_string() + "\n" + print(built.first, built.second);
  if (!kept_ || kept_key_ != key) {
    scheduler::Lowered lowered = lower_pipeline(built, target);
    kept_ = std::make_shared<Callable>(std::make_shared<codegen::Compiled>(std::move(lowered.module)));
    kept_key_ = key;
  }
  kept_->call(arguments);
  if (target.backend == Backend::Cuda) check_status(sinter_rt_stream_sync(nullptr));
}

void Pipeline::interpret(const std::vector<CallArgument>& arguments) const {
  const Program program = build().first;
  const Bound bound = bind_arguments(program, arguments);
  // The same checks as any other call, so that a bad buffer reads the same.
  const codegen::RuntimeArguments expected = codegen::runtime_arguments(program);
  std::vector<int64_t> values(1);
  for (const sinter_rt_arg& a : expected.args) values.resize(values.size() + (a.kind == SINTER_RT_SCALAR ? 1 : 1 + 2 * a.rank));
  check_status(sinter_rt_unpack(name_.c_str(), expected.args.data(), static_cast<int>(expected.args.size()), bound.tensors.data(), bound.slots.data(), kDLCPU,
                                values.data()));
  std::vector<TensorView> views;
  std::vector<Scalar> params;
  const int64_t* v = values.data();
  for (const Argument& a : program.args) {
    if (a.kind == Argument::Kind::Param) {
      params.push_back(Scalar{program.params[a.id].var->type, static_cast<uint64_t>(*v++)});
      continue;
    }
    const FuncDef& f = program.funcs[a.id];
    TensorView view{f.type, reinterpret_cast<void*>(*v++), {}, {}};
    view.extent.assign(v, v + f.rank());
    view.stride.assign(v + f.rank(), v + 2 * f.rank());
    v += 2 * f.rank();
    views.push_back(std::move(view));
  }
  ir::interpret(program, views, params);
}

// ---- files ---------------------------------------------------------------------------------------------------------

void Pipeline::compile_to_static_library(const std::string& path, const Target& target) const {
  compile_to_static_library(path, std::vector<Target>{target});
}

void Pipeline::compile_to_static_library(const std::string& path, const std::vector<Target>& targets) const {
  sinter::compile_to_static_library(path, targets, [this](const Target&) { return *this; });
}

std::vector<std::string> Pipeline::compile_to_python(const std::string& path, const std::vector<Target>& targets) const {
  return sinter::compile_to_python(path, targets, [this](const Target&) { return *this; });
}

void Pipeline::compile_to_ptx(const std::string& path, const Target& target) const {
  codegen::export_ptx(lower_pipeline(build(), target).module, path);
}
void Pipeline::compile_to_llvm(const std::string& path, const Target& target) const {
  codegen::export_llvm(lower_pipeline(build(), target).module, path);
}
void Pipeline::compile_to_ir(const std::string& path, const Target& target) const {
  codegen::export_text(print(lower_pipeline(build(), target).module), path);
}

namespace {

codegen::Library lower_for_each(const std::vector<Target>& targets, const std::function<Pipeline(const Target&)>& make) {
  codegen::check_targets(targets);
  codegen::Library library;
  const auto add = [&](const Target& t) {
    const Pipeline p = make(t);
    library.versions.push_back(lower_pipeline({p.program(), p.schedule()}, t).module);
  };
  for (const Target& t : targets) add(t);
  for (const Target& t : codegen::generic_targets(targets)) {
    try {
      add(t);
    } catch (const UserError& e) {
      // A schedule may need what only the named architecture has: newer devices then have no version, and the header says why.
      library.notes.push_back("No version for newer devices (" + t.to_string() + "): " + e.diagnostic().message);
    }
  }
  return library;
}

}  // namespace

void compile_to_static_library(const std::string& path, const std::vector<Target>& targets, const std::function<Pipeline(const Target&)>& make) {
  codegen::export_static_library(lower_for_each(targets, make), path);
}

std::vector<std::string> compile_to_python(const std::string& path, const std::vector<Target>& targets, const std::function<Pipeline(const Target&)>& make) {
  return codegen::export_python_module(lower_for_each(targets, make), path);
}

// ---- reports -------------------------------------------------------------------------------------------------------

namespace {

scheduler::ExplainInput explain_input(const scheduler::Lowered& lowered, const std::vector<CallArgument>& arguments) {
  scheduler::ExplainInput in;
  in.nest = &lowered.nest;
  in.module = &lowered.module;
  in.traffic = scheduler::measure_traffic(lowered.nest.program, lowered.nest.body);
  const Program& p = lowered.nest.program;
  if (arguments.empty()) return in;
  bind_arguments(p, arguments);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& a = p.args[i];
    if (a.kind == Argument::Kind::Param) {
      const Type t = p.params[a.id].var->type;
      if (t.is_integer()) in.sizes[p.params[a.id].var.get()] = arguments[i].slot(t, p.params[a.id].name);
      continue;
    }
    for (int d = 0; d < p.funcs[a.id].rank(); ++d) in.sizes[p.funcs[a.id].extent[d].get()] = arguments[i].buffer().extent(d);
  }
  return in;
}

}  // namespace

namespace {

// Everything that a report shows of a pipeline, made once.
struct Report {
  scheduler::Lowered lowered;
  codegen::DeviceCode device;  // of a cuda target
  scheduler::ExplainInput input;

  Report(const std::pair<Program, Schedule>& built, const Target& target, const std::vector<CallArgument>& arguments) : lowered(lower_pipeline(built, target)) {
    input = explain_input(lowered, arguments);
    input.obligations = &lowered.proofs.obligations;
    input.proof_ms = lowered.proofs.milliseconds;
    if (target.backend != Backend::Cuda) return;
    device = codegen::compile_device(lowered.module);
    for (const codegen::RegisterPressure& e : codegen::estimate_registers(device.ptx)) {
      scheduler::KernelResources r{e.kernel, 0, 0, e.registers};
      for (const codegen::KernelResources& said : device.resources)
        if (said.kernel == e.kernel) r.registers = said.registers, r.spill_bytes = said.spill_store_bytes + said.spill_load_bytes;
      input.resources.push_back(r);
    }
  }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
};

}  // namespace

std::string Pipeline::explain(const Target& target, const std::vector<CallArgument>& arguments) const {
  return scheduler::explain(Report(build(), target, arguments).input);
}

void Pipeline::compile_to_html(const std::string& path, const Target& target, const std::vector<CallArgument>& arguments) const {
  const auto built = build();
  const Report r(built, target, arguments);
  const Module& m = r.lowered.module;
  scheduler::HtmlColumn ir = {{"Algorithm and schedule", print(built.first, built.second)}, {"Nest", print(r.lowered.nest.body, r.lowered.nest.program)}};
  for (const Kernel& k : m.kernels) ir.push_back({k.name, print(k, m)});
  ir.push_back({m.kernels.empty() ? "Flat loops" : "Entry on the host", print(m.entry, m)});
  scheduler::HtmlColumn code;
  if (target.backend == Backend::Cuda) code = {{"PTX", r.device.ptx}, {"LLVM IR", r.device.llvm_ir}};
  if (target.backend == Backend::Host) code = {{"LLVM IR", codegen::llvm_text(m)}};
  std::vector<scheduler::HtmlColumn> columns = {{{"Loop nest", ir::print_loop_nest(r.lowered.nest.body, r.lowered.nest.program)}, {"explain()", scheduler::explain(r.input), false}}, std::move(ir)};
  if (!code.empty()) columns.push_back(std::move(code));
  codegen::export_text(scheduler::html_page(r.input, columns), path);
}

Traffic Pipeline::traffic(const Target& target, const std::vector<CallArgument>& arguments) const {
  const scheduler::Lowered lowered = lower_pipeline(build(), target);
  const scheduler::ExplainInput in = explain_input(lowered, arguments);
  const scheduler::TrafficTotals t = scheduler::measure_costs(*in.nest, in.traffic, in.sizes).total;
  return {t.launches, t.read, t.written, t.compulsory, t.flops};
}

std::string Pipeline::proofs_json(const Target& target) const { return lower_pipeline(build(), target).proofs.to_json(); }

std::string Pipeline::print_loop_nest(const Target& target) const {
  const auto [program, schedule] = build();
  scheduler::Plan plan = scheduler::apply_schedule(program, schedule, target);
  scheduler::resolve_placement(plan);
  const scheduler::Nest nest = scheduler::build_nest(plan);
  return ir::print_loop_nest(nest.body, nest.program);
}

}  // namespace sinter
