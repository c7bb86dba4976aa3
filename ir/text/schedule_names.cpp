#include "ir/text/schedule_names.h"

namespace sinter::ir::text {

static std::string distinct(const std::string& wanted, std::unordered_set<std::string>& used) {
  std::string name = wanted;
  for (int i = 1; !used.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
  return name;
}

LoopScope::LoopScope(const Program& program) : funcs_(program.funcs.size()) {
  for (size_t f = 0; f < program.funcs.size(); ++f) {
    std::unordered_set<std::string> own;
    const auto add = [&](const Sym& v) {
      if (!v || funcs_[f].by_sym.count(v.get())) return;
      const std::string name = distinct(v->name, own);
      funcs_[f].names.emplace_back(name, v);
      funcs_[f].by_sym[v.get()] = name;
      used_.insert(name);
    };
    for (const Sym& v : program.funcs[f].dims) add(v);
    for (const Definition& d : program.funcs[f].stages)
      for (const RVarDef& r : d.rdom.vars) add(r.var);
  }
}

std::string LoopScope::name(FuncId f, const Sym& loop) {
  const OfFunc& own = funcs_[static_cast<size_t>(f)];
  if (const auto it = own.by_sym.find(loop.get()); it != own.by_sym.end()) return it->second;
  if (const auto it = others_.find(loop.get()); it != others_.end()) return it->second;
  return others_[loop.get()] = distinct(loop->name, used_);
}

Sym LoopScope::find(FuncId f, const std::string& name) const {
  for (const auto& [n, sym] : funcs_[static_cast<size_t>(f)].names)
    if (n == name) return sym;
  const auto it = made_.find(name);
  return it == made_.end() ? nullptr : it->second;
}

Sym LoopScope::find_or_make(FuncId f, const std::string& name) {
  if (const Sym known = find(f, name)) return known;
  return made_[name] = make_sym(name);
}

std::vector<std::string> LoopScope::known(FuncId f) const {
  std::vector<std::string> out;
  for (const auto& [n, sym] : funcs_[static_cast<size_t>(f)].names) out.push_back(n);
  return out;
}

}  // namespace sinter::ir::text
