#include "scheduler/lower/unroll_loops.h"

#include "ir/diagnostic.h"
#include "scheduler/lower/copies.h"

namespace sinter::scheduler {

using namespace ir;

Stmt unroll_loops(const Stmt& s) {
  return rewrite_stmt(
      s,
      [](const Stmt& st) -> Stmt {
        const auto* f = as<ForStmt>(st);
        if (!f || f->loop != LoopKind::Unrolled) return st;
        const int64_t* n = as_int(f->extent);
        internal_check(n != nullptr, "unroll_loops: extent is not constant");
        std::vector<Stmt> copies;
        for (int64_t i = 0; i < *n; ++i) copies.push_back(instantiate(f->body, {{f->var.get(), f->min + i}}));
        return make_seq(std::move(copies));
      },
      nullptr);
}

}  // namespace sinter::scheduler
