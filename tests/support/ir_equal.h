// Structural equality of whole forms, up to a one-to-one renaming of variables. Names, Locs (unless asked) and sharing do not count.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "ir/kernel_draft.h"
#include "ir/schedule.h"

namespace sinter::test {

class IrEqual {
 public:
  explicit IrEqual(bool locs = false) : locs_(locs) {}

  bool operator()(const ir::Program& a, const ir::Program& b);
  bool operator()(const ir::Schedule& a, const ir::Schedule& b);
  bool operator()(const ir::Stmt& a, const ir::Stmt& b);
  bool operator()(const ir::Expr& a, const ir::Expr& b);
  bool operator()(const ir::Module& a, const ir::Module& b);
  bool operator()(const ir::KernelDraft& a, const ir::KernelDraft& b);
  const std::string& difference() const { return difference_; }  // the first one found

 private:
  bool differ(const char* where);
  bool same(bool equal, const char* where) { return equal || differ(where); }
  bool syms(const ir::Sym& a, const ir::Sym& b);
  bool syms(const std::vector<ir::Sym>& a, const std::vector<ir::Sym>& b);
  bool exprs(const std::vector<ir::Expr>& a, const std::vector<ir::Expr>& b);
  bool optional_exprs(const std::vector<ir::Expr>& a, const std::vector<ir::Expr>& b);
  bool locs(const ir::Loc& a, const ir::Loc& b);
  bool definitions(const ir::Definition& a, const ir::Definition& b);
  bool functions(const ir::FuncDef& a, const ir::FuncDef& b);
  bool storages(const ir::KernelStorage& a, const ir::KernelStorage& b);
  bool kernels(const ir::Kernel& a, const ir::Kernel& b);
  bool buffers(const ir::Buffer& a, const ir::Buffer& b);

  struct PairHash {
    size_t operator()(const std::pair<const void*, const void*>& p) const {
      return std::hash<const void*>()(p.first) * 31 + std::hash<const void*>()(p.second);
    }
  };
  bool locs_;
  std::string difference_;
  std::unordered_map<const ir::VarNode*, const ir::VarNode*> there_, back_;
  std::unordered_map<std::pair<const void*, const void*>, bool, PairHash> memo_;
};

}  // namespace sinter::test
