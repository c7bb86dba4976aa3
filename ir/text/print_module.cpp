// Module and Kernel.
#include "ir/analysis/visit.h"
#include "ir/text/printer.h"

namespace sinter::ir::text {

void Printer::use_module(const Module& module) {
  use_program(module.program);
  for (size_t i = 0; i < module.buffers.size(); ++i) {
    if (i < funcs_.size()) continue;
    funcs_.push_back(quote_func(func_names_.add(module.buffers[i].name)));
    types_.push_back(module.buffers[i].type);
  }
  for (const Kernel& k : module.kernels) kernels_.push_back(quote_sym(kernel_names_.add(k.name)));
}

std::string Printer::kernel_name(int index) const {
  return index >= 0 && index < static_cast<int>(kernels_.size()) ? kernels_[index] : "?" + std::to_string(index);
}

void Printer::buffer(const Buffer& b, int id) {
  std::string s = "buffer " + func(id) + " : " + to_string(b.type);
  if (b.func < 0) s += " internal";
  else if (b.func != id) s += " of " + func(b.func);
  if (func(id) != quote_func(b.name)) s += " named " + quote_string(b.name);
  if (b.is_argument) s += " argument";
  if (b.is_output) s += " output";
  if (b.base) s += " base " + binding(b.base, UInt(64));
  s += optional_exprs("min", b.min, Int(32)) + optional_exprs("extent", b.extent, Int(32)) + optional_exprs("stride", b.stride, Int(64));
  if (b.workspace_offset.defined()) s += " offset " + inline_expr(b.workspace_offset, Int(64));
  if (b.bytes.defined()) s += " bytes " + inline_expr(b.bytes, Int(64));
  line(s);
}

void Printer::kernel(const Kernel& k, int index) {
  const auto buffer_list = [this](const std::vector<int>& ids) {
    std::string out;
    for (int id : ids) out += (out.empty() ? "" : ", ") + func(id);
    return "(" + out + ")";
  };
  std::string s = "kernel " + (index < 0 ? quote_sym(k.name) : kernel_name(index)) + " block " + binding(k.block) + " thread " +
                  binding(k.thread) + " threads " + std::to_string(k.threads);
  if (k.min_blocks) s += " min_blocks " + std::to_string(k.min_blocks);
  if (k.cluster != 1) s += " cluster " + std::to_string(k.cluster);
  if (k.fast) s += " fast";
  if (!k.read_only_inputs) s += " inputs_may_change";
  line(s + loc(k.loc) + " {");
  ++indent_;
  if (!k.buffers.empty()) line("buffers " + buffer_list(k.buffers));
  if (!k.written.empty()) line("written " + buffer_list(k.written));
  if (!k.scalars.empty()) line("scalars " + bindings(k.scalars));
  for (const Allocation& a : k.allocations) {
    std::string t = std::string(memory_name(a.memory)) + " " + func(a.buffer) + " : " + to_string(a.type) + " x " + std::to_string(a.elements);
    if (a.offset) t += " at " + std::to_string(a.offset);
    if (a.ring != 1) t += " ring " + std::to_string(a.ring);
    if (a.align != 16) t += " align " + std::to_string(a.align);
    if (a.swizzle) t += " swizzle " + std::to_string(a.swizzle);
    line(t);
  }
  if (k.shared_bytes) line("shared_bytes " + std::to_string(k.shared_bytes));
  for (const Role& r : k.roles) {
    line("role " + quote_sym(r.name) + " first " + std::to_string(r.first_warp) + " warps " + std::to_string(r.warps) +
         (r.registers ? " registers " + std::to_string(r.registers) : "") + " {");
    ++indent_;
    body(r.body);
    --indent_;
    line("}");
  }
  --indent_;
  line("}");
}

void Printer::module(const Module& m) {
  program(m.program);
  line("module " + quote_string(m.target.to_string()) + " {");
  ++indent_;
  if (!m.args.slots.empty()) line("slots " + bindings(m.args.slots));
  for (const Buffer& b : m.buffers) {
    if (b.base) declared_.insert(b.base.get());
    for (const std::vector<Expr>* es : {&b.min, &b.extent, &b.stride})
      for (const Expr& e : *es)
        if (e.defined()) declare_free(free_vars(e));
    for (const Expr& e : {b.workspace_offset, b.bytes})
      if (e.defined()) declare_free(free_vars(e));
  }
  for (size_t i = 0; i < m.buffers.size(); ++i) buffer(m.buffers[i], static_cast<int>(i));
  for (size_t i = 0; i < m.kernels.size(); ++i) kernel(m.kernels[i], static_cast<int>(i));
  if (m.workspace_bytes.defined()) declare_free(free_vars(m.workspace_bytes));
  if (m.entry) declare_free(free_vars(m.entry));
  if (m.workspace_bytes.defined()) line("workspace " + inline_expr(m.workspace_bytes, Int(64)));
  if (m.entry) {
    line("entry {");
    ++indent_;
    body(m.entry);
    --indent_;
    line("}");
  }
  --indent_;
  line("}");
}

}  // namespace sinter::ir::text

namespace sinter::ir {

std::string print(const Module& module, const PrintOptions& options) {
  text::Printer p(options);
  p.use_module(module);
  p.module(module);
  return p.take();
}

std::string print(const Kernel& kernel, const Module& module, const PrintOptions& options) {
  text::Printer p(options);
  p.use_module(module);
  p.kernel(kernel, -1);
  return p.take();
}

}  // namespace sinter::ir
