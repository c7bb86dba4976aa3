#include "dsl/contents.h"

#include "ir/analysis/visit.h"

namespace sinter::detail {

void FuncContents::set_rank(int r) {
  rank = r;
  for (int d = 0; d < r; ++d)
    for (auto* list : {&extent, &stride}) {
      SymNode& node = list->emplace_back();
      node.name = sym.name + (list == &extent ? ".extent." : ".stride.") + std::to_string(d);
      node.type = list == &extent ? Int(32) : Int(64);
      node.kind = SymKind::Size;
      node.func = this;
    }
  fixed_extent.resize(static_cast<size_t>(r));
  fixed_stride.resize(static_cast<size_t>(r));
}

FuncPtr make_func(std::string name, Loc loc) {
  auto f = std::make_shared<FuncContents>();
  f->sym.name = std::move(name);
  f->sym.type = Type{};
  f->sym.kind = SymKind::Func;
  f->sym.func = f.get();
  f->loc = loc;
  return f;
}

static ir::Expr with_sym(const ir::Expr& e, ir::Sym sym) {
  auto node = std::make_shared<ir::ExprNode>();
  node->op = e->op;
  node->type = e->type;
  node->args = e->args;
  node->id = e->id;
  node->loc = e->loc;
  node->var = std::move(sym);
  return ir::Expr(node);
}

ir::Expr make_handle_call(const FuncPtr& f, std::vector<ir::Expr> index, Loc loc) {
  return with_sym(ir::make_call(-1, f->type, std::move(index), loc), func_sym(f));
}

ir::Expr weaken(const ir::Expr& e, const void* owner) {
  return ir::rewrite(e, [&](const ir::Expr& n) {
    if (!n->var || !owns(n->var)) return n;
    const SymNode& s = sym_node(n->var);
    return s.func == owner || s.rdom == owner ? with_sym(n, weak_sym(n->var)) : n;
  });
}

std::string checked_name(std::string name, const char* what, Loc loc) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  bool good = !name.empty() && letter(name[0]);
  for (char c : name) good = good && (letter(c) || (c >= '0' && c <= '9'));
  if (!good)
    ir::user_error(ErrorCode::BadArgument, loc,
                   std::string("the name `") + name + "` of a " + what + " is not an identifier",
                   "names are letters, digits and _, and do not start with a digit");
  return name;
}

}  // namespace sinter::detail
