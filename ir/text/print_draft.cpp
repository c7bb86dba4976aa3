// A kernel's draft. What is decided about the body stands below it, as it names the body's variables.
#include "ir/text/printer.h"

namespace sinter::ir::text {

namespace {

std::string numbers(const std::vector<int64_t>& values) {
  std::string out;
  for (const int64_t v : values) out += (out.empty() ? "" : ", ") + std::to_string(v);
  return "(" + out + ")";
}

}  // namespace

void Printer::storage(const KernelStorage& s) {
  std::string t = "storage " + func(s.func) + " : " + to_string(s.type);
  for (size_t d = 0; d < s.region.size(); ++d) {
    const Region& r = s.region[d];
    t += (d ? " x [" : " [") + inline_expr(r.min) + ", " + inline_expr(r.max) + "; " + inline_expr(r.extent) + "]";
  }
  t += std::string(" in ") + memory_name(s.memory);
  if (s.offset) t += " at " + std::to_string(s.offset);
  if (s.align != 16) t += " align " + std::to_string(s.align);
  if (!s.pad.empty()) t += " pad " + numbers(s.pad);
  if (!s.order.empty()) t += " order " + numbers({s.order.begin(), s.order.end()});
  if (s.in_thread) t += " of_thread";
  if (s.padded) t += " padded";
  if (!s.loops.empty()) {
    std::string loops;
    for (const Sym& v : s.loops) loops += (loops.empty() ? "" : ", ") + sym(v);
    t += " loops (" + loops + ")";
  }
  if (s.layout.kind != Layout::Kind::Single) t += " layout " + to_string(s.layout);
  line(t + loc(s.loc));
}

void Printer::draft(const KernelDraft& k) {
  std::string head = "draft " + quote_sym(k.name) + " " + draft_stage_name(k.stage);
  if (!k.fast) head += " general";
  if (k.threads) head += " threads " + std::to_string(k.threads);
  if (k.threads_hint) head += " threads_hint " + std::to_string(k.threads_hint);
  if (k.shared_bytes) head += " shared_bytes " + std::to_string(k.shared_bytes);
  line(head + loc(k.loc) + " {");
  ++indent_;
  if (!k.host.empty()) line("host " + bindings(k.host));
  for (const BlockLoop& l : k.block_loops) {
    const Type t = l.var ? l.var->type : Int(32);
    line("block_loop " + binding(l.var) + " in " + range(inline_expr(l.min, t), inline_expr(l.extent, t)) + block_order(l.order, l.group));
  }
  if (k.grid.defined()) line("grid " + inline_expr(k.grid, Int(64)));
  if (!k.start.empty()) line("start " + bindings(k.start));
  if (k.block) line("index " + bindings({k.block, k.thread, k.lane, k.warp}));
  for (const NarrowStride& n : k.strides)
    line("stride " + binding(n.var) + " = " + inline_expr(n.value, Int(32)) + " multiple " + std::to_string(n.multiple_bytes) + " of " +
         std::to_string(n.element_bytes));
  if (k.body) declare_free(free_vars(k.body));
  line("body {");
  ++indent_;
  body(k.body);
  --indent_;
  line("}");
  walk_stmts(k.body, [&](const Stmt& s) {
    if (const auto* t = as<TileStmt>(s))
      for (const Sym& v : t->vars) {
        const auto it = k.hints.find(v.get());
        if (it == k.hints.end() || it->second == LoopHints{}) continue;
        const LoopHints& h = it->second;
        std::string text = "hint " + sym(v);
        if (h.vector) text += " vector " + std::to_string(h.vector);
        if (h.unroll) text += " unroll " + std::to_string(h.unroll);
        if (h.threads) text += " threads " + std::to_string(h.threads);
        text += block_order(h.order, h.group);
        line(text);
      }
    return s->kind != StmtKind::Tile;
  });
  if (!k.coordinates.empty()) {
    std::string names;
    for (const Sym& v : k.coordinates) names += (names.empty() ? "" : ", ") + sym(v);
    line("coordinates (" + names + ")");
  }
  for (const auto& [f, s] : k.storage) storage(s);
  for (const auto& [b, bytes] : k.access_bytes) line("access " + func(b) + " " + std::to_string(bytes));
  --indent_;
  line("}");
}

}  // namespace sinter::ir::text

namespace sinter::ir {

std::string print_draft(const Module& module, const KernelDraft& draft, const PrintOptions& options) {
  text::Printer p(options);
  p.use_module(module);
  p.module(module);
  p.draft(draft);
  return p.take();
}

std::string print(const KernelDraft& draft, const Module& module, const PrintOptions& options) {
  text::Printer p(options);
  p.use_module(module);
  p.draft(draft);
  return p.take();
}

std::string print_cut(const Stmt& entry, const std::vector<KernelDraft>& drafts, const Module& module) {
  text::Printer p({});
  p.use_module(module);
  for (const KernelDraft& d : drafts) p.name_kernel(d.name);
  if (entry) p.body(entry);
  for (const KernelDraft& d : drafts) p.draft(d);
  return p.take();
}

}  // namespace sinter::ir
