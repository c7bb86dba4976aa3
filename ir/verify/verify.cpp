// The verifiers of statements and modules: what each hands to the Checker.
#include "ir/verify/verify.h"

#include <algorithm>
#include <sstream>
#include <unordered_set>

#include "ir/analysis/visit.h"
#include "ir/text/print.h"
#include "ir/verify/checker.h"
#include "ir/verify/type_rules.h"

namespace sinter::ir {

namespace {

std::string joined(const std::string& what, const std::vector<std::string>& problems, const std::string& excerpt) {
  std::string out = "[" + code_text(ErrorCode::VerifyError) + "] " + what + " breaks " + std::to_string(problems.size()) +
                    (problems.size() == 1 ? " invariant of its form" : " invariants of its form");
  constexpr size_t kMost = 20;
  for (size_t i = 0; i < problems.size() && i < kMost; ++i) out += "\n  - " + problems[i];
  if (problems.size() > kMost) out += "\n  - and " + std::to_string(problems.size() - kMost) + " more";
  return out + "\n" + excerpt;
}

// The lines around marks; the whole text where it is short.
std::string around_marks(const std::string& text) {
  constexpr size_t kWhole = 60, kAround = 4;
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string l; std::getline(stream, l);) lines.push_back(l);
  std::vector<bool> keep(lines.size(), lines.size() <= kWhole);
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].find("// ^ ") != std::string::npos)
      for (size_t j = i >= kAround ? i - kAround : 0; j < std::min(lines.size(), i + kAround); ++j) keep[j] = true;
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (keep[i]) out += "  | " + lines[i] + "\n";
    else if (i == 0 || keep[i - 1]) out += "  | ...\n";
  }
  return out;
}

void program_variables(Checker& c, const Program& p) {
  for (const FuncDef& f : p.funcs)
    for (const std::vector<Sym>* syms : {&f.extent, &f.stride})
      for (const Sym& s : *syms)
        if (s) c.in_scope(s);
  for (const ParamDef& q : p.params)
    if (q.var) c.in_scope(q.var);
}

void slots(Checker& c, const Module& m) {
  for (const Sym& s : m.args.slots)
    if (s) c.in_scope(s);
}

void host_form(FormKind form, const Stmt& s, const Module& m) {
  Checker c(form, m.program, &m);
  slots(c, m);
  c.body(s);
  finish(c, "the host code", [&](const PrintOptions& o) { return print(s, m, o); });
}

}  // namespace

void finish(const Checker& c, const std::string& what, const std::function<std::string(const PrintOptions&)>& print_it) {
  if (c.clean()) return;
  PrintOptions options;
  options.marks = &c.marks();
  throw VerifyError(what, c.problems(), around_marks(print_it(options)));
}

void kernel_header(Checker& c, const Kernel& k, const Module& m) {
  c.problem_if(k.name.empty(), "a kernel without a name");
  c.problem_if(!k.block || !k.thread || k.block->type != Int(32) || k.thread->type != Int(32), "block or thread index is not an i32 variable");
  c.problem_if(k.threads < 1 || k.threads > 1024, "a block of " + std::to_string(k.threads) + " threads");
  c.problem_if(k.cluster < 1, "a cluster of " + std::to_string(k.cluster) + " blocks");
  const int buffers = static_cast<int>(m.buffers.size());
  std::unordered_set<int> listed;
  for (int id : k.buffers) c.problem_if(id < 0 || id >= buffers || !listed.insert(id).second, "buffer " + std::to_string(id) + " does not exist, or is listed twice");
  for (int id : k.written) c.problem_if(!listed.count(id), "written buffer " + std::to_string(id) + " is not among the buffers");
  std::unordered_set<const VarNode*> scalars;
  for (const Sym& s : k.scalars) c.problem_if(!s || !scalars.insert(s.get()).second || !s->type.is_scalar(), "a scalar that is missing, a vector, or listed twice");
  std::unordered_set<int> allocated;
  for (const Allocation& a : k.allocations) {
    const std::string name = a.buffer >= 0 && a.buffer < buffers ? "`" + m.buffers[a.buffer].name + "`" : "?" + std::to_string(a.buffer);
    c.problem_if(a.buffer < 0 || a.buffer >= buffers || !allocated.insert(a.buffer).second, name + " does not exist, or is allocated twice");
    c.problem_if(a.type.is_none() || a.elements < 1 || a.ring < 1, name + ": an allocation of nothing");
    c.problem_if(a.memory != Memory::Shared && a.memory != Memory::Register, name + ": an allocation that is neither shared nor in registers");
    if (a.memory != Memory::Shared) continue;
    c.problem_if(a.align < 1 || (a.align & (a.align - 1)) != 0 || a.offset < 0 || a.offset % std::max(a.align, 1) != 0, name + ": offset " + std::to_string(a.offset) + " is not aligned to " + std::to_string(a.align));
    c.problem_if(a.offset + a.elements * a.type.bytes() > k.shared_bytes, name + ": bytes " + std::to_string(a.offset) + " to " + std::to_string(a.offset + a.elements * a.type.bytes()) + " of " + std::to_string(k.shared_bytes) + " of shared memory");
  }
  const int warps = (k.threads + 31) / 32;
  std::vector<int> owners(static_cast<size_t>(std::clamp(warps, 0, 32)), 0);
  for (const Role& r : k.roles) {
    const bool inside = r.first_warp >= 0 && r.warps >= 1 && r.warps <= warps && r.first_warp <= warps - r.warps && warps <= 32;
    c.problem_if(!inside, "role `" + r.name + "` is not of warps of the block");
    for (int w = 0; inside && w < r.warps; ++w) ++owners[static_cast<size_t>(r.first_warp + w)];
    c.problem_if(r.registers != 0 && (r.registers < 24 || r.registers > 240 || r.registers % 8 != 0), "role `" + r.name + "`: " + std::to_string(r.registers) + " registers");
  }
  c.problem_if(std::any_of(owners.begin(), owners.end(), [](int n) { return n != 1; }), "the roles do not cover the block's warps once each");
}

namespace {

void kernel_form(FormKind form, const Kernel& k, const Module& m) {
  Checker c(form, m.program, &m);
  kernel_header(c, k, m);
  c.set_kernel(k);
  for (const Role& r : k.roles) c.role(r);
  finish(c, "kernel `" + k.name + "`", [&](const PrintOptions& o) { return print(k, m, o); });
}

void gpu_entry(const Module& m) {
  Checker c(FormKind::Entry, m.program, &m);
  slots(c, m);
  c.body(m.entry);
  finish(c, "the entry", [&](const PrintOptions& o) { return print(m.entry, m, o); });
}

}  // namespace

VerifyError::VerifyError(std::string what, std::vector<std::string> problems, std::string excerpt)
    : InternalError(joined(what, problems, excerpt)), problems_(std::move(problems)), what_(std::move(what)), excerpt_(std::move(excerpt)) {}

void verify_nest(const Program& program, const Stmt& nest) {
  Checker c(FormKind::Nest, program, nullptr);
  program_variables(c, program);
  c.body(nest);
  finish(c, "the nest", [&](const PrintOptions& o) { return print(nest, program, o); });
}

void verify_cut(const Stmt& entry, const std::vector<KernelDraft>& drafts, const Module& module) {
  // The launches are checked as those of kernels: with the host variables as their scalars.
  Module launched = module;
  for (const KernelDraft& d : drafts) {
    Kernel k;
    k.name = d.name;
    k.scalars = d.host;
    launched.kernels.push_back(std::move(k));
  }
  launched.entry = entry;
  gpu_entry(launched);
  for (const KernelDraft& d : drafts) verify_draft(d, module);
}

void verify_kernel_tiles(const Kernel& kernel, const Module& module) { kernel_form(FormKind::Tiles, kernel, module); }
void verify_kernel_threads(const Kernel& kernel, const Module& module) { kernel_form(FormKind::Threads, kernel, module); }

void verify_host_loops(const Stmt& s, const Module& module) { host_form(FormKind::HostLoops, s, module); }
void verify_host_flat(const Stmt& s, const Module& module) { host_form(FormKind::HostFlat, s, module); }

void verify_host(const Module& module) {
  Checker c(FormKind::Host, module.program, &module);
  slots(c, module);
  c.problem_if(!module.kernels.empty(), "kernels in a Module for the host");
  c.body(module.entry);
  finish(c, "the host entry", [&](const PrintOptions& o) { return print(module.entry, module, o); });
}

void verify_module(const Module& m) {
  verify_program(m.program);
  std::vector<std::string> problems;
  const auto problem_if = [&problems](bool bad, const std::string& text) {
    if (bad) problems.push_back(text);
  };
  problem_if(m.buffers.size() < m.program.funcs.size(), "a Func without an entry among the buffers");
  std::unordered_set<const VarNode*> known;
  for (const Sym& s : m.args.slots)
    if (s) problem_if(!known.insert(s.get()).second, "`" + s->name + "` is in two slots");
  for (size_t i = 0; i < m.buffers.size(); ++i) {
    const Buffer& b = m.buffers[i];
    const std::string name = "buffer `" + b.name + "`";
    problem_if(i < m.program.funcs.size() && b.func != static_cast<int>(i), name + " is not the Func's of its index");
    problem_if(b.is_argument && !b.base, name + " is an argument without a base");
    problem_if(b.base && b.base->type != UInt(64), name + ": the base is not u64");
    problem_if(b.is_argument && b.base && !known.count(b.base.get()), name + ": the base of an argument is in no slot");
    problem_if(b.is_output && !b.is_argument, name + " is an output that is no argument");
    for (const auto& [es, t] : {std::pair{&b.min, Int(32)}, {&b.extent, Int(32)}, {&b.stride, Int(64)}})
      for (const Expr& e : *es)
        if (e.defined()) problem_if(e.type() != t, name + ": a size of type " + to_string(e.type()));
    for (const Expr& e : {b.workspace_offset, b.bytes})
      if (e.defined()) problem_if(e.type() != Int(64), name + ": a size of type " + to_string(e.type()));
  }
  if (m.workspace_bytes.defined()) {
    problem_if(m.workspace_bytes.type() != Int(64), "the size of the workspace is not i64");
    for (const Sym& s : free_vars(m.workspace_bytes)) problem_if(!known.count(s.get()), "the size of the workspace uses `" + s->name + "`, which is in no slot");
  }
  std::unordered_set<std::string> names;
  for (const Kernel& k : m.kernels) problem_if(!names.insert(k.name).second, "two kernels `" + k.name + "`");
  problem_if(!m.entry, "a Module without an entry");
  if (!problems.empty()) throw VerifyError("the module", problems, "");
  if (m.target.is_gpu()) {
    for (const Kernel& k : m.kernels) verify_kernel_threads(k, m);
    gpu_entry(m);
  } else {
    verify_host(m);
  }
}

}  // namespace sinter::ir
