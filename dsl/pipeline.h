// Pipeline: an algorithm with its schedule, its arguments in order, and all that can be made of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "dsl/buffer.h"
#include "dsl/build_program.h"
#include "ir/target/target.h"

namespace sinter {

using ir::Target;

namespace codegen {
class Compiled;
}

// A stream for a call on a GPU: a CUstream or cudaStream_t. The default is the legacy default stream.
struct Stream {
  void* handle = nullptr;
};

// One argument of a call: a buffer, or a scalar for a Param. Scalars are converted to the Param's type; one that does not fit is an error.
class CallArgument {
 public:
  CallArgument(const Buffer& b) : buffer_(b), is_buffer_(true) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  CallArgument(T v) : is_float_(std::is_floating_point_v<T>), int_(static_cast<int64_t>(v)), float_(static_cast<double>(v)) {}

  bool is_buffer() const { return is_buffer_; }
  const Buffer& buffer() const { return buffer_; }
  // The scalar as a value of `t`: the slot of the entry (integers extended, the bits of a float in the low part).
  int64_t slot(ir::Type t, const std::string& name) const;

 private:
  Buffer buffer_;
  bool is_buffer_ = false, is_float_ = false;
  int64_t int_ = 0;
  double float_ = 0;
};

// A compiled pipeline: call it with the arguments in the Pipeline's order, Inputs and Params, then outputs. Checked and compiled once;
// a call allocates nothing on the device and does not wait for it. Copies share the code.
class Callable {
 public:
  explicit Callable(std::shared_ptr<codegen::Compiled> code) : code_(std::move(code)) {}

  // Throws UserError E0601 for a wrong number or kind of arguments, RuntimeError for a buffer that does not fit.
  void call(const std::vector<CallArgument>& arguments, Stream stream = {}) const;
  template <class... A>
  void operator()(const A&... a) const {
    std::vector<CallArgument> list;
    Stream stream;
    (take(list, stream, a), ...);
    call(list, stream);
  }

  const ir::Target& target() const;
  const std::string& ptx() const;  // empty on a host
  const codegen::Compiled& code() const { return *code_; }

 private:
  static void take(std::vector<CallArgument>& list, Stream&, const CallArgument& a) { list.push_back(a); }
  static void take(std::vector<CallArgument>&, Stream& stream, const Stream& s) { stream = s; }
  std::shared_ptr<codegen::Compiled> code_;
};

// The GPU of this machine if there is one (sm_90a, sm_90, sm_89 or sm_80 code, whichever is the newest it runs), else the host.
Target native_target();

// HBM traffic of a schedule at given sizes (what explain() prints in words).
struct Traffic {
  int64_t launches = 0, read_bytes = 0, written_bytes = 0, compulsory_bytes = 0, flops = 0;
};

class Pipeline {
 public:
  // Inputs and Params in the order of a call, then the outputs. Throws for a malformed pipeline (build_program.h).
  Pipeline(std::string name, std::vector<PipelineArgument> args, std::vector<Func> outputs, Loc loc = Loc::here());

  const std::string& name() const { return name_; }
  // As scheduled at the time of the call: directives given after the Pipeline was made count too.
  ir::Program program() const;
  ir::Schedule schedule() const;

  // What the pipeline is made of, by name as print_loop_nest() and explain() show it, inline reductions and wrappers included. E0013 where
  // there is none.
  Func func(const std::string& name, Loc loc = Loc::here()) const;
  Input input(const std::string& name, Loc loc = Loc::here()) const;
  Expr param(const std::string& name, Loc loc = Loc::here()) const;

  // The schedule as data (docs/schedules.md). As C++: `void function(sinter::Pipeline& p)`, which gives the same directives to the Funcs of a
  // pipeline that has none; without a name it is schedule_NAME. As JSON: for files.
  std::string schedule_to_cpp(const std::string& function = {}, Loc loc = Loc::here()) const;
  std::string schedule_to_json() const;
  // Takes all directives and wrappers off the Funcs that the pipeline reaches.
  void clear_schedule();
  // Puts a stored schedule on the Funcs that have the names it mentions, in place of the one they have. UserError E0502, or the error of a
  // directive that is not legal here; then the old schedule stays.
  void schedule_from_json(const std::string& json, Loc loc = Loc::here());

  // Compiles for a target and returns a callable. Throws UserError where algorithm or schedule is not legal there.
  Callable compile_jit(const Target& target = native_target()) const;
  // compile_jit(...)(arguments), and waits for the result; the code is kept for the next call while nothing was rescheduled.
  void realize(const std::vector<CallArgument>& arguments, const Target& target = native_target());
  // The oracle: a naive interpreter of the algorithm without its schedule, on host buffers.
  void interpret(const std::vector<CallArgument>& arguments) const;

  // Files; `path` is without an ending. Throws UserError E0603 where one can't be written.
  // path.a, path.h. With several targets the library has a version for each, lowered for it, and a call runs the one that suits the device
  // where its tensors lie; a host target makes it take tensors in host memory too. Beside sm_90a goes generic PTX, for newer devices.
  void compile_to_static_library(const std::string& path, const Target& target) const;
  void compile_to_static_library(const std::string& path, const std::vector<Target>& targets) const;
  // path.py, a Python module over the same versions, with the shared libraries that it needs beside it (docs/export.md). Returns the files'
  // paths. Throws UserError E0603 too where there is no C compiler to link with.
  std::vector<std::string> compile_to_python(const std::string& path, const std::vector<Target>& targets) const;
  void compile_to_ptx(const std::string& path, const Target& target) const;             // as named
  void compile_to_llvm(const std::string& path, const Target& target) const;
  void compile_to_ir(const std::string& path, const Target& target) const;
  // A page for a browser, one file: what explain() says as pictures, a roofline among them, and beside each other the loop nest, the IR in
  // each of its forms, PTX and LLVM IR. With arguments: at their sizes.
  void compile_to_html(const std::string& path, const Target& target = native_target(), const std::vector<CallArgument>& arguments = {}) const;

  // One page: kernels, traffic, roofline, placement, requirements, proofs. With arguments: at their sizes.
  std::string explain(const Target& target = native_target(), const std::vector<CallArgument>& arguments = {}) const;
  Traffic traffic(const Target& target, const std::vector<CallArgument>& arguments) const;
  // The proofs as JSON: [{"kind", "claim", "verdict", "milliseconds", "note"}].
  std::string proofs_json(const Target& target = native_target()) const;
  // The loops as the schedule made them, and what is computed where.
  std::string print_loop_nest(const Target& target = native_target()) const;

 private:
  std::pair<ir::Program, ir::Schedule> build() const;
  std::string name_;
  std::vector<PipelineArgument> args_;
  std::vector<Func> outputs_;
  Loc loc_;
  std::shared_ptr<Callable> kept_;
  std::string kept_key_;
};

// Pipeline::compile_to_static_library and compile_to_python with a pipeline made for each target, so that schedules may differ; their arguments may not (E0603).
void compile_to_static_library(const std::string& path, const std::vector<Target>& targets, const std::function<Pipeline(const Target&)>& make);
std::vector<std::string> compile_to_python(const std::string& path, const std::vector<Target>& targets, const std::function<Pipeline(const Target&)>& make);

}  // namespace sinter
