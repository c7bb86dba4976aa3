// The loop nest as users see it: where each Func is computed and stored, without the expressions.
#include "ir/text/print.h"

namespace sinter::ir {

namespace {

class LoopNest {
 public:
  explicit LoopNest(const Program& p) : program_(p) {}

  void visit(const Stmt& s) {
    if (!s) return;
    switch (s->kind) {
      case StmtKind::Seq:
        for (const Stmt& one : as<SeqStmt>(s)->stmts) visit(one);
        return;
      case StmtKind::For: {
        const auto* f = as<ForStmt>(s);
        std::string t = loop_kind_name(f->loop) + std::string(" ") + (f->var ? f->var->name : "_");
        const int64_t *min = as_int(f->min), *extent = as_int(f->extent);
        if (min && extent) t += " in [" + std::to_string(*min) + ", " + std::to_string(*min + *extent) + ")";
        nested(t + ":", f->body);
        return;
      }
      case StmtKind::If:
        visit(as<IfStmt>(s)->then_body);
        visit(as<IfStmt>(s)->else_body);
        return;
      case StmtKind::Let: visit(as<LetStmt>(s)->body); return;
      case StmtKind::Alloc: {
        const auto* a = as<AllocStmt>(s);
        std::string t = "store " + name(a->func) + " in " + memory_name(a->memory);
        std::string box;
        for (const Region& r : a->region) {
          const int64_t* n = as_int(r.extent);
          box += (box.empty() ? "" : " x ") + (n ? std::to_string(*n) : std::string("?"));
        }
        if (!box.empty()) t += ": " + box;
        if (a->ring > 1) t += ", ring of " + std::to_string(a->ring);
        nested(t, a->body);
        return;
      }
      case StmtKind::Produce: nested("produce " + name(as<ProduceStmt>(s)->func) + ":", as<ProduceStmt>(s)->body); return;
      case StmtKind::Consume: nested("consume " + name(as<ConsumeStmt>(s)->func) + ":", as<ConsumeStmt>(s)->body); return;
      case StmtKind::Provide: {
        const auto* p = as<ProvideStmt>(s);
        line(name(p->func) + (p->index.empty() ? "() = ..." : "(...) = ..."));
        return;
      }
      default: return;
    }
  }

  std::string take() { return std::move(out_); }

 private:
  std::string name(FuncId f) const {
    return f >= 0 && f < static_cast<int>(program_.funcs.size()) ? program_.funcs[f].name : "?" + std::to_string(f);
  }
  void line(const std::string& t) { out_ += std::string(2 * indent_, ' ') + t + "\n"; }
  void nested(const std::string& head, const Stmt& body) {
    line(head);
    ++indent_;
    visit(body);
    --indent_;
  }

  const Program& program_;
  std::string out_;
  size_t indent_ = 0;
};

}  // namespace

std::string print_loop_nest(const Stmt& s, const Program& program) {
  LoopNest nest(program);
  nest.visit(s);
  return nest.take();
}

}  // namespace sinter::ir
