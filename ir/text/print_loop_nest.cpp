// The loop nest as users see it: where each Func is computed and stored, without the expressions.
#include "ir/text/print.h"
#include "ir/transform/simplify.h"

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
        const std::string min = brief(f->min), end = brief(simplify(f->min + f->extent));
        if (!min.empty() && !end.empty()) t += " in [" + min + ", " + end + ")";
        if (f->hints.vector) t += ", vectors of " + std::to_string(f->hints.vector);
        if (f->hints.unroll) t += ", unrolled by " + std::to_string(f->hints.unroll);
        if (f->hints.threads) t += ", " + std::to_string(f->hints.threads) + " threads";
        if (f->hints.order) t += ", number " + std::to_string(f->hints.order) + " in block order";
        if (f->hints.group) t += " by groups of " + std::to_string(f->hints.group);
        nested(t + ":", f->body);
        return;
      }
      case StmtKind::If: {
        const auto* i = as<IfStmt>(s);
        const std::string condition = brief(i->cond), before = out_;
        const std::string head = "if " + (condition.empty() ? "..." : condition) + ":";
        nested(head, i->then_body);
        // Around checks of the arguments: nothing to see.
        if (out_.size() == before.size() + 2 * indent_ + head.size() + 1) out_ = before;
        if (i->else_body) nested("else:", i->else_body);
        return;
      }
      case StmtKind::Let: visit(as<LetStmt>(s)->body); return;
      case StmtKind::Alloc: {
        const auto* a = as<AllocStmt>(s);
        std::string t = "store " + name(a->func);
        if (a->memory != Memory::Auto) t += std::string(" in ") + memory_name(a->memory);
        std::string box;
        for (const Region& r : a->region) {
          // No box is smaller than empty: that goes without saying.
          const bool clamped = r.extent->op == Op::Max && is_const_int(r.extent->args[1], 0);
          const Expr extent = clamped ? r.extent->args[0] : r.extent;
          const std::string n = brief(extent);
          box += (box.empty() ? "" : " x ") +
                 (n.empty() ? "..." : as_int(extent) || extent->op == Op::Var ? n : "(" + n + ")");
        }
        if (!box.empty()) t += ": " + box;
        for (size_t i = 0; i < a->order.size(); ++i)
          t += (i ? ", " : ", order ") + program_.funcs[a->func].dims[static_cast<size_t>(a->order[i])]->name;
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
  // "" where it would be longer than what it explains.
  static std::string brief(const Expr& e) {
    const std::string text = to_string(e);
    return text.size() <= 48 ? text : "";
  }
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
