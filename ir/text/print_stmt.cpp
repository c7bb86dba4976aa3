// Statements. A Let or Alloc that ends its block is printed flat: what follows is its body.
#include "ir/analysis/visit.h"
#include "ir/text/printer.h"

namespace sinter::ir::text {

namespace {

std::string ints(const std::vector<int64_t>& values) {
  std::string out;
  for (int64_t v : values) out += (out.empty() ? "" : ", ") + std::to_string(v);
  return "(" + out + ")";
}

}  // namespace

std::string Printer::sym(const Sym& s) {
  if (!s) return "_";
  const auto [it, fresh] = syms_.try_emplace(s.get());
  if (fresh) {
    keep_.push_back(s);
    it->second = quote_sym(sym_names_.add(s->name));
  }
  return it->second;
}

std::string Printer::func(int id) const {
  return id >= 0 && id < static_cast<int>(funcs_.size()) ? funcs_[id] : "?" + std::to_string(id);
}

std::string Printer::binding(const Sym& s, Type usual) {
  declared_.insert(s.get());
  return !s || s->type == usual ? sym(s) : sym(s) + " : " + to_string(s->type);
}

std::string Printer::bindings(const std::vector<Sym>& syms, Type usual) {
  std::string out;
  for (const Sym& s : syms) out += (out.empty() ? "" : ", ") + binding(s, usual);
  return "(" + out + ")";
}

void Printer::line(const std::string& text) { out_ += std::string(2 * static_cast<size_t>(indent_), ' ') + text + "\n"; }

std::string Printer::loc(const Loc& l) const {
  if (!options_.locs || !l.known()) return "";
  return " @ " + quote_string(l.file) + ":" + std::to_string(l.line);
}

// One line of a statement, with its place and the notes on it.
void Printer::head(const std::string& text, const StmtNode& s, bool brace) {
  line(text + loc(s.loc) + (brace ? " {" : ""));
  if (!options_.marks) return;
  const auto it = options_.marks->find(&s);
  if (it == options_.marks->end()) return;
  for (const std::string& note : it->second) line("// ^ " + note);
}

void Printer::block(const std::string& head_text, const StmtNode& s, const Stmt& inner) {
  head(head_text, s, true);
  ++indent_;
  body(inner);
  --indent_;
  line("}");
}

void Printer::body(const Stmt& s) {
  const SeqStmt* seq = as<SeqStmt>(s);
  if (!seq || seq->stmts.size() == 1) {
    statement(s, true);  // a Seq of one statement is spelled out
    return;
  }
  for (size_t i = 0; i < seq->stmts.size(); ++i) statement(seq->stmts[i], i + 1 == seq->stmts.size());
}

// [0, extent) or [min, +extent]
std::string Printer::range(const std::string& min, const std::string& extent) const {
  return min == "0" ? "[0, " + extent + ")" : "[" + min + ", +" + extent + "]";
}

std::string Printer::block_order(int64_t order, int64_t group) {
  std::string s;
  if (order) s += " order " + std::to_string(order);
  if (group) s += " group " + std::to_string(group);
  return s;
}

std::string Printer::loop_head(const ForStmt& f) {
  const Type t = f.var ? f.var->type : Int(32);
  std::string s = loop_kind_name(f.loop) + std::string(" ") + binding(f.var) + " in " + range(text(f.min, t), text(f.extent, t));
  if (f.live.defined()) s += " live " + text(f.live, t);
  if (f.hints.vector) s += " vector " + std::to_string(f.hints.vector);
  if (f.hints.unroll) s += " unroll " + std::to_string(f.hints.unroll);
  if (f.hints.threads) s += " threads " + std::to_string(f.hints.threads);
  s += block_order(f.hints.order, f.hints.group);
  return s;
}

std::string Printer::alloc_head(const AllocStmt& a) {
  std::string s = "alloc " + func(a.func) + " : " + to_string(a.type);
  for (size_t d = 0; d < a.region.size(); ++d) {
    const Region& r = a.region[d];
    s += (d ? " x [" : " [") + text(r.min) + ", " + text(r.max) + "; " + text(r.extent) + "]";
  }
  s += std::string(" in ") + memory_name(a.memory);
  if (a.ring != 1) s += " ring " + std::to_string(a.ring);
  if (a.align != 16) s += " align " + std::to_string(a.align);
  if (a.swizzle) s += " swizzle " + std::to_string(a.swizzle);
  if (!a.pad.empty()) s += " pad " + ints(a.pad);
  if (!a.order.empty()) s += " order " + ints({a.order.begin(), a.order.end()});
  return s;
}

std::string Printer::tile_head(const TileStmt& t) {
  std::string s = std::string("tile ") + tile_op_name(t.op) + " " + func(t.func);
  if (t.stage) s += " stage " + std::to_string(t.stage);
  s += " (";
  for (size_t d = 0; d < t.vars.size(); ++d) {
    s += (d ? ", " : "") + binding(t.vars[d]) + " in " + (d < t.extent.size() ? std::to_string(t.extent[d]) : "_");
    if (d < t.live.size() && t.live[d].defined()) s += " live " + text(t.live[d]);
  }
  return s + ") layout " + to_string(t.layout);
}

void Printer::statement(const Stmt& first, bool last) {
  for (Stmt s = first;;) {
    if (!s) {
      line("null");
      return;
    }
    std::vector<Expr> roots;
    each_expr(s, [&roots](const Expr& e) { if (e.defined()) roots.push_back(e); });
    plan(roots);
    define_temps();

    const auto* let = as<LetStmt>(s);
    const auto* alloc = as<AllocStmt>(s);
    if (!let && !alloc) {
      leaf(s);
      return;
    }
    const std::string text_of_head = let ? "let " + sym(let->var) + " = " + text(let->value) : alloc_head(*alloc);
    const Stmt& inner = let ? let->body : alloc->body;
    if (!last) {
      block(text_of_head, *s, inner);
      return;
    }
    head(text_of_head, *s, false);
    if (const auto* seq = as<SeqStmt>(inner); !inner || (seq && seq->stmts.size() != 1)) {
      body(inner);
      return;
    }
    s = inner;
  }
}

void Printer::leaf(const Stmt& s) {
  switch (s->kind) {
    case StmtKind::Seq:
      line("seq {");
      ++indent_;
      for (const Stmt& one : as<SeqStmt>(s)->stmts) statement(one, one == as<SeqStmt>(s)->stmts.back());
      --indent_;
      line("}");
      return;
    case StmtKind::For: block(loop_head(*as<ForStmt>(s)), *s, as<ForStmt>(s)->body); return;
    case StmtKind::If: {
      const auto* i = as<IfStmt>(s);
      head("if " + text(i->cond), *s, true);
      ++indent_;
      body(i->then_body);
      --indent_;
      if (i->else_body) {
        line("} else {");
        ++indent_;
        body(i->else_body);
        --indent_;
      }
      line("}");
      return;
    }
    case StmtKind::Produce: block("produce " + func(as<ProduceStmt>(s)->func), *s, as<ProduceStmt>(s)->body); return;
    case StmtKind::Consume: block("consume " + func(as<ConsumeStmt>(s)->func), *s, as<ConsumeStmt>(s)->body); return;
    case StmtKind::Tile: block(tile_head(*as<TileStmt>(s)), *s, as<TileStmt>(s)->body); return;
    case StmtKind::Provide: {
      const auto* p = as<ProvideStmt>(s);
      const std::string stage = p->stage ? "update " + std::to_string(p->stage) + " " : "";
      head(stage + func(p->func) + "(" + list(p->index) + ") = " + text(p->value, func_type(p->func)), *s, false);
      return;
    }
    case StmtKind::Store: {
      const auto* p = as<StoreStmt>(s);
      std::string t = func(p->buffer) + "[" + text(p->index);
      if (p->mask.defined()) t += ", mask " + text(p->mask);
      if (p->align) t += ", align " + std::to_string(p->align);
      if (p->cache == CachePolicy::Stream) t += ", stream";
      if (p->cache == CachePolicy::Keep) t += ", keep";
      head(t + "] = " + text(p->value, func_type(p->buffer)), *s, false);
      return;
    }
    case StmtKind::Sync: {
      const auto* y = as<SyncStmt>(s);
      head(std::string("sync ") + sync_name(y->sync) + (y->args.empty() ? "" : "(" + list(y->args) + ")"), *s, false);
      return;
    }
    case StmtKind::AsyncCopy: {
      const auto* c = as<AsyncCopyStmt>(s);
      static const char* const kinds[] = {"cp_async", "bulk", "tensor"};
      std::string t = std::string("async_copy ") + kinds[static_cast<int>(c->copy)] + " " + func(c->dst);
      if (c->slot.defined()) t += " slot " + text(c->slot);
      t += " at (" + list(c->dst_min) + ") from " + func(c->src) + " at (" + list(c->src_min) + ") box " + ints(c->box);
      if (c->barrier.defined()) t += " signal " + text(c->barrier);
      head(t, *s, false);
      return;
    }
    case StmtKind::Matrix: {
      const auto* m = as<MatrixStmt>(s);
      std::string t = "matrix " + quote_string(m->instruction) + " " + func(m->acc) + " += " + func(m->a) + "*" + func(m->b);
      if (!m->args.empty()) t += " at (" + list(m->args) + ")";
      head(t, *s, false);
      return;
    }
    case StmtKind::Launch: {
      const auto* l = as<LaunchStmt>(s);
      head("launch " + kernel_name(l->kernel) + " grid " + text(l->grid, Int(64)), *s, false);
      return;
    }
    case StmtKind::Check: {
      const auto* c = as<CheckStmt>(s);
      static const char* const relations[] = {" at_least ", " equals ", " multiple_of "};
      head("check " + quote_string(c->what) + " " + text(c->given) + relations[c->relation] + text(c->needed), *s, false);
      return;
    }
    case StmtKind::Memset: head("memset " + func(as<MemsetStmt>(s)->buffer), *s, false); return;
    case StmtKind::Let:
    case StmtKind::Alloc: return;  // statement() printed them
  }
}

void Printer::declare_free(const std::vector<Sym>& used) {
  std::vector<Sym> free;
  for (const Sym& v : used)
    if (!declared_.count(v.get())) free.push_back(v);
  if (!free.empty()) line("free " + bindings(free));
}

void Printer::nest(const Stmt& s) {
  if (s) declare_free(free_vars(s));
  line("nest {");
  ++indent_;
  body(s);
  --indent_;
  line("}");
}

}  // namespace sinter::ir::text

namespace sinter::ir {

std::string print_nest(const Program& program, const Stmt& nest, const PrintOptions& options) {
  text::Printer p(options);
  p.use_program(program);
  p.program(program);
  p.nest(nest);
  return p.take();
}

std::string print(const Stmt& s, const Program& program, const PrintOptions& options) {
  text::Printer p(options);
  p.use_program(program);
  p.body(s);
  return p.take();
}

std::string print(const Stmt& s, const Module& module, const PrintOptions& options) {
  text::Printer p(options);
  p.use_module(module);
  p.body(s);
  return p.take();
}

std::string print(const Expr& e, const Program& program) {
  text::Printer p({});
  p.use_program(program);
  return p.inline_expr(e);
}

}  // namespace sinter::ir
