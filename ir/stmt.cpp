#include "ir/stmt.h"

#include "ir/diagnostic.h"

namespace sinter::ir {

Stmt make_seq(std::vector<Stmt> stmts) {
  std::vector<Stmt> flat;
  for (Stmt& s : stmts) {
    if (!s) continue;
    if (const auto* seq = as<SeqStmt>(s)) flat.insert(flat.end(), seq->stmts.begin(), seq->stmts.end());
    else flat.push_back(std::move(s));
  }
  if (flat.size() == 1) return flat[0];
  return std::make_shared<SeqStmt>(std::move(flat));
}

Stmt make_for(Sym v, Expr min, Expr extent, LoopKind k, Stmt body, Loc l, Expr live, LoopHints hints) {
  internal_check(body != nullptr, "make_for: no body");
  return std::make_shared<ForStmt>(std::move(v), std::move(min), std::move(extent), std::move(live), k, std::move(body), l, hints);
}

Stmt make_if(Expr cond, Stmt then_body, Stmt else_body) {
  if (!cond.defined() || is_true(cond)) return then_body;
  if (is_false(cond)) return else_body ? else_body : make_seq({});
  return std::make_shared<IfStmt>(std::move(cond), std::move(then_body), std::move(else_body));
}

Stmt make_let(Sym v, Expr value, Stmt body) {
  internal_check(v->type == value.type(), "make_let: types differ");
  return std::make_shared<LetStmt>(std::move(v), std::move(value), std::move(body));
}

const char* loop_kind_name(LoopKind k) {
  static const char* const names[] = {"serial", "parallel", "block", "thread", "coop", "vectorized", "unrolled"};
  return names[static_cast<int>(k)];
}
const char* memory_name(Memory m) {
  static const char* const names[] = {"auto", "register", "shared", "global", "host"};
  return names[static_cast<int>(m)];
}
const char* sync_name(SyncKind k) {
  static const char* const names[] = {"barrier", "warp.sync", "cluster.arrive", "cluster.wait", "mbarrier.init", "mbarrier.arrive",
                                      "mbarrier.expect_bytes", "mbarrier.wait", "fence.proxy.async", "copy.commit", "copy.wait",
                                      "matrix.commit", "matrix.wait", "grid.wait", "grid.launch", "set_max_registers"};
  return names[static_cast<int>(k)];
}
const char* tile_op_name(TileOp o) {
  static const char* const names[] = {"map", "reduce", "matrix", "copy"};
  return names[static_cast<int>(o)];
}

}  // namespace sinter::ir
