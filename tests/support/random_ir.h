// Random IR of every form: well typed and printable, otherwise as wild as the types allow. For round trips of the text.
#pragma once

#include <random>

#include "ir/kernel.h"
#include "ir/schedule.h"

namespace sinter::test {

class RandomIr {
 public:
  explicit RandomIr(uint64_t seed) : random_(seed) {}

  ir::Program program();
  ir::Schedule schedule(const ir::Program& p);
  ir::Stmt nest(const ir::Program& p);
  ir::Module module();
  ir::Expr expr(ir::Type t, int depth);

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  std::string name();
  ir::Sym fresh(ir::Type t = ir::Int(32));
  ir::Type scalar_type();
  ir::Loc loc();
  ir::Expr leaf(ir::Type t);
  ir::Expr maybe(ir::Type t) { return one_in(2) ? expr(t, 2) : ir::Expr{}; }
  std::vector<ir::Expr> exprs(int n, ir::Type t);
  ir::Stmt stmt(int depth, bool kernel);
  ir::Stmt leaf_stmt(bool kernel);
  ir::Kernel kernel();
  ir::Layout layout(int rank);
  std::vector<ir::Digit> digits(int rank);
  int func() { return below(static_cast<int>(types_.size())); }

  std::mt19937_64 random_;
  std::vector<ir::Sym> syms_;       // variables that exist
  std::vector<ir::Expr> pool_;      // expressions to share
  std::vector<ir::Type> types_;     // of Funcs and buffers
  std::vector<int> rank_;
  int kernels_ = 0;
};

}  // namespace sinter::test
