#include "ir/text/schedule_cpp.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "ir/analysis/copies.h"
#include "ir/analysis/visit.h"
#include "ir/diagnostic.h"
#include "ir/loops.h"

namespace sinter::ir {

namespace {

// Names of C++ within one function: identifiers, no keywords, distinct.
class Identifiers {
 public:
  std::string add(const std::string& wanted) {
    static const std::unordered_set<std::string> taken = {
        "alignas", "alignof", "and", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "compl", "concept", "const", "consteval", "constexpr",
        "constinit", "continue", "co_await", "co_return", "co_yield", "decltype", "default", "delete", "do", "double", "else", "enum", "explicit", "export", "extern",
        "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "nullptr", "operator", "or",
        "private", "protected", "public", "register", "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static", "struct", "switch", "template",
        "this", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor",
        // what the text itself uses
        "p", "sinter", "std", "Func", "Stage", "Var", "RVar", "Input", "Expr", "MemoryType", "TailStrategy", "select", "cast", "min", "max", "abs", "strict_float"};
    std::string base;
    for (char c : wanted) base += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
    if (base.empty() || std::isdigit(static_cast<unsigned char>(base[0]))) base = "v" + base;
    // A name with two underscores in a row is the implementation's.
    for (size_t at; (at = base.find("__")) != std::string::npos;) base.erase(at, 1);
    std::string name = base;
    for (int i = 1; taken.count(name) || !used_.insert(name).second; ++i) name = base + "_" + std::to_string(i);
    return name;
  }

 private:
  std::unordered_set<std::string> used_;
};

class Writer {
 public:
  Writer(const Program& program, const Schedule& schedule) : program_(program), schedule_(schedule), funcs_(program.funcs.size()) {}

  std::string run(const std::string& name) {
    mentioned();
    for (size_t f = 0; f < program_.funcs.size(); ++f) track_loops(static_cast<FuncId>(f));
    declare_funcs();
    for (const Directive& d : schedule_.directives)
      for (const Sym& v : d.loops) loop(v, d);
    for (size_t i = 0; i < schedule_.directives.size(); ++i) directive(i);
    return "// The schedule of pipeline `" + program_.name + "`.\nvoid " + name + "(sinter::Pipeline& p) {\n  using namespace sinter;\n" + head_ + vars_ + body_ + "}\n";
  }

 private:
  const Program& program_;
  const Schedule& schedule_;
  Identifiers identifiers_;
  std::vector<std::string> funcs_;  // "": not mentioned
  std::unordered_map<const VarNode*, std::string> loops_;
  std::unordered_map<const VarNode*, std::string> known_;  // dimensions and RVars of mentioned Funcs: how they are found
  std::unordered_set<const VarNode*> rvars_;
  std::string head_, vars_, body_;
  int next_expr_ = 0;

  const FuncDef& def(FuncId f) const { return program_.funcs[static_cast<size_t>(f)]; }
  const std::string& name(FuncId f) const { return funcs_[static_cast<size_t>(f)]; }
  static std::string quoted(const std::string& s) { return "\"" + s + "\""; }

  // Which Funcs are looked up. Funcs of expressions are added where they are met.
  void mentioned() {
    const auto add = [this](FuncId f) { funcs_[static_cast<size_t>(f)] = "?"; };
    for (const FuncCopy& c : copies_of(program_)) {
      for (FuncId f : c.readers) add(f);
      add(c.of), add(c.func);
    }
    for (const Directive& d : schedule_.directives) {
      add(d.func);
      if (d.target >= 0) add(d.target);
      for (const Expr& e : d.exprs)
        for (const Sym& v : free_vars(e))
          if (const auto [f, dim] = size_of(v); f >= 0) add(f);
    }
  }

  std::pair<FuncId, size_t> size_of(const Sym& v) const {
    for (size_t f = 0; f < program_.funcs.size(); ++f)
      for (const std::vector<Sym>* sizes : {&program_.funcs[f].extent, &program_.funcs[f].stride})
        for (size_t d = 0; d < sizes->size(); ++d)
          if ((*sizes)[d] == v) return {static_cast<FuncId>(f), d};
    return {-1, 0};
  }

  // Loops that are split off RVars are written as RVars.
  void track_loops(FuncId f) {
    for (size_t s = 0; s < def(f).stages.size(); ++s) {
      LoopNames names;
      for (const RVarDef& r : def(f).stages[s].rdom.vars) names.add(r.var, true);
      for (const Sym& v : def(f).dims) names.add(v, false);
      for (const Directive& d : schedule_.directives) {
        if (d.func != f || d.stage != static_cast<int>(s) || !concerns_loops(d.kind)) continue;
        names.apply(d, def(f).name);
        for (const LoopNames::Loop& l : names.loops())
          if (l.is_rvar) rvars_.insert(l.var.get());
      }
    }
  }

  void declare_funcs() {
    std::unordered_map<FuncId, FuncCopy> copies;
    for (const FuncCopy& c : copies_of(program_)) copies.emplace(c.func, c);
    for (size_t i = 0; i < program_.funcs.size(); ++i) {
      const FuncId f = static_cast<FuncId>(i);
      if (funcs_[i].empty() || copies.count(f)) continue;
      funcs_[i] = identifiers_.add(def(f).name);
      head_ += def(f).is_input() ? "  Input " + funcs_[i] + " = p.input(" : "  Func " + funcs_[i] + " = p.func(";
      head_ += quoted(def(f).name) + ");\n";
    }
    for (size_t i = 0; i < program_.funcs.size(); ++i) {
      const auto copy = copies.find(static_cast<FuncId>(i));
      if (copy == copies.end()) continue;
      funcs_[i] = identifiers_.add(def(static_cast<FuncId>(i)).name);
      std::string readers;
      for (FuncId r : copy->second.readers) readers += (readers.empty() ? "" : ", ") + name(r);
      // As it was written, by the name that it got.
      if (copy->second.all && def(copy->first).name == def(copy->second.of).name + "_in") readers.clear();
      else if (copy->second.readers.size() > 1) readers = "std::vector<Func>{" + readers + "}";
      head_ += "  Func " + funcs_[i] + " = " + name(copy->second.of) + ".in(" + readers + ");\n";
    }
    for (size_t i = 0; i < program_.funcs.size(); ++i) {
      const FuncDef& f = program_.funcs[i];
      if (funcs_[i].empty() || f.is_input()) continue;
      for (size_t d = 0; d < f.dims.size(); ++d) known_.try_emplace(f.dims[d].get(), funcs_[i] + ".args()[" + std::to_string(d) + "]");
      for (size_t s = 1; s < f.stages.size(); ++s)
        for (size_t r = 0; r < f.stages[s].rdom.vars.size(); ++r)
          known_.try_emplace(f.stages[s].rdom.vars[r].var.get(), funcs_[i] + ".rvars(" + std::to_string(s - 1) + ")[" + std::to_string(r) + "]");
    }
  }

  // The C++ variable of a loop, declared where it is met first.
  const std::string& loop(const Sym& v, const Directive& d) {
    std::string& id = loops_[v.get()];
    if (!id.empty() || def(d.func).is_input()) return id;
    id = identifiers_.add(v->name);
    if (const auto it = known_.find(v.get()); it != known_.end()) {
      // A Var that is a dimension of several Funcs is taken from the one that is scheduled.
      const FuncId f = d.target >= 0 ? d.target : d.func;
      for (size_t i = 0; i < def(f).dims.size(); ++i)
        if (def(f).dims[i] == v && !def(f).is_input()) it->second = name(f) + ".args()[" + std::to_string(i) + "]";
      vars_ += std::string(it->second.find(".rvars(") == std::string::npos ? "  Var " : "  RVar ") + id + " = " + it->second + ";\n";
    } else {
      std::string text;  // the object's name: identifiers only
      for (char c : v->name) text += c == '.' ? '_' : c;
      vars_ += std::string(rvars_.count(v.get()) ? "  RVar " : "  Var ") + id + "(" + quoted(text) + ");\n";
    }
    return id;
  }

  void directive(size_t i) {
    const Directive& d = schedule_.directives[i];
    const DirectiveInfo& info = directive_info(d.kind);
    std::vector<std::string> args;
    std::vector<std::string> loops;
    for (const Sym& v : d.loops) loops.push_back(loop(v, d));
    const auto join = [](const std::vector<std::string>& parts) {
      std::string out;
      for (const std::string& s : parts) out += (out.empty() ? "" : ", ") + s;
      return out;
    };
    if (info.target) args.push_back(name(d.target));
    std::string object = name(d.func);
    if (d.stage > 0) object += ".update(" + std::to_string(d.stage - 1) + ")";
    if (def(d.func).is_input()) {
      // Its dimensions have no names: they are counted.
      size_t dim = 0;
      while (dim < def(d.func).dims.size() && def(d.func).dims[dim] != d.loops[0]) ++dim;
      object += ".dim(" + std::to_string(dim) + ")";
    } else if (d.kind == DirectiveKind::ReorderStorage) {
      args.push_back("{" + join(loops) + "}");
    } else if (orders_blocks(d.kind)) {
      for (size_t l = 0; l < loops.size(); ++l) {
        const int64_t group = l < d.ints.size() ? d.ints[l] : 1;
        args.push_back(group == 1 ? loops[l] : "grouped(" + loops[l] + ", " + std::to_string(group) + ")");
      }
    } else {
      args.insert(args.end(), loops.begin(), loops.end());
    }
    for (const Expr& e : d.exprs) args.push_back(expr(e));
    if (!orders_blocks(d.kind))
      for (int64_t n : d.ints) args.push_back(std::to_string(n));
    if (info.memory) args.push_back(std::string("MemoryType::") + memory(d.memory));
    if (info.tail && d.tail != Tail::Auto) args.push_back(std::string("TailStrategy::") + tail_name(d.tail));
    const std::string call = std::string(".") + info.method + "(" + join(args) + ")";
    // Directives of one stage are chained, a line each.
    const Directive* last = i > 0 ? &schedule_.directives[i - 1] : nullptr;
    const auto stage = [](const Directive& x) { return std::max(x.stage, 0); };
    const bool chained = last && last->func == d.func && stage(*last) == stage(d) && !def(d.func).is_input() &&
                         (d.stage > 0 || last->stage <= 0);
    if (chained) {
      body_.insert(body_.size() - 2, "\n      " + call);
    } else {
      body_ += "  " + object + call + ";\n";
    }
  }

  static const char* memory(Memory m) {
    static const char* const names[] = {"Auto", "Register", "Shared", "Global", "Host"};
    return names[static_cast<int>(m)];
  }

  // ---- expressions ----

  // What is used several times gets a name, so that the text is as long as the DAG.
  std::string expr(const Expr& root) {
    std::unordered_map<const ExprNode*, int> uses;
    walk(root, [&](const Expr& e) {
      for (const Expr& a : e->args) ++uses[a.get()];
    });
    std::unordered_map<const ExprNode*, std::string> text;
    std::string out;
    walk(root, [&](const Expr& e) {
      std::string s = node(e, text);
      if (!e->args.empty() && uses[e.get()] > 1) {
        const std::string id = identifiers_.add("e" + std::to_string(next_expr_++));
        vars_ += "  Expr " + id + " = " + s + ";\n";
        s = id;
      }
      text[e.get()] = out = std::move(s);
    });
    return out;
  }

  static std::string literal(const Expr& e) {
    const Type t = e.type();
    if (t.is_bool()) return e->i ? "Expr(true)" : "Expr(false)";
    if (e->op == Op::IntImm) {
      if (t == Int(32) && e->i != INT32_MIN) return std::to_string(e->i);
      const std::string value = e->i == INT64_MIN ? "INT64_MIN" : t == UInt(64) ? std::to_string(static_cast<uint64_t>(e->i)) + "u" : std::to_string(e->i);
      return std::string("Expr(static_cast<") + (t.is_uint() ? "uint" : "int") + std::to_string(t.bits) + "_t>(" + value + "))";
    }
    char digits[64];
    std::snprintf(digits, sizeof digits, "%.17g", e->f);
    std::string value = digits;
    if (std::isnan(e->f)) value = "std::numeric_limits<double>::quiet_NaN()";
    if (std::isinf(e->f)) value = std::string(e->f < 0 ? "-" : "") + "std::numeric_limits<double>::infinity()";
    if (t == Float(64)) return "Expr(double(" + value + "))";
    if (t == Float(32)) return "Expr(float(" + value + "))";
    return "cast(" + type(t) + ", Expr(float(" + value + ")))";
  }

  static std::string type(Type t) {
    static const char* const names[] = {"Bool", "Int", "UInt", "Float", "BFloat", "F8E4M3", "F8E5M2"};
    return std::string(names[static_cast<int>(t.code)]) + "(" + (t.is_bool() || t.is_f8() ? "" : std::to_string(t.bits)) + ")";
  }

  std::string variable(const Sym& v) const {
    for (const ParamDef& q : program_.params)
      if (q.var == v) return "p.param(" + quoted(q.name) + ")";
    const auto [f, dim] = size_of(v);
    internal_check(f >= 0, "a schedule's expression with a variable that is neither a Param nor a size");
    const bool extent = std::find(def(f).extent.begin(), def(f).extent.end(), v) != def(f).extent.end();
    return name(f) + (def(f).is_input() ? "" : ".output_buffer()") + ".dim(" + std::to_string(dim) + ")" + (extent ? ".extent()" : ".stride()");
  }

  std::string node(const Expr& e, const std::unordered_map<const ExprNode*, std::string>& text) const {
    std::vector<std::string> a;
    for (const Expr& x : e->args) a.push_back(text.at(x.get()));
    const auto call = [&](const std::string& f) {
      std::string out;
      for (const std::string& s : a) out += (out.empty() ? "" : ", ") + s;
      return f + "(" + out + ")";
    };
    static const std::map<Op, const char*> infix = {
        {Op::Add, "+"}, {Op::Sub, "-"}, {Op::Mul, "*"}, {Op::Div, "/"}, {Op::Mod, "%"}, {Op::EQ, "=="}, {Op::NE, "!="}, {Op::LT, "<"}, {Op::LE, "<="}, {Op::GT, ">"},
        {Op::GE, ">="}, {Op::And, "&&"}, {Op::Or, "||"}, {Op::BitAnd, "&"}, {Op::BitOr, "|"}, {Op::BitXor, "^"}, {Op::Shl, "<<"}, {Op::Shr, ">>"}};
    if (const auto it = infix.find(e->op); it != infix.end()) {
      // Of two plain numbers C++ would make a third.
      if (e->args[0]->op == Op::IntImm && e->args[1]->op == Op::IntImm && a[0][0] != 'E') a[0] = "Expr(" + a[0] + ")";
      return "(" + a[0] + " " + it->second + " " + a[1] + ")";
    }
    switch (e->op) {
      case Op::IntImm: case Op::FloatImm: return literal(e);
      case Op::Var: return variable(e->var);
      case Op::Cast: return "cast(" + type(e.type()) + ", " + a[0] + ")";
      case Op::Reinterpret: return "reinterpret(" + type(e.type()) + ", " + a[0] + ")";
      case Op::Neg: return "(-" + a[0] + ")";
      case Op::Not: return "(!" + a[0] + ")";
      case Op::BitNot: return "(~" + a[0] + ")";
      case Op::Min: return call("min");
      case Op::Max: return call("max");
      case Op::Abs: return call("abs");
      case Op::Select: return call("select");
      case Op::Strict: return call("strict_float");
      case Op::Math: return call(e->fn == MathFn::IsNan ? "is_nan" : math_name(e->fn));
      default: throw InternalError(std::string("a schedule's expression with ") + op_name(e->op));
    }
  }
};

}  // namespace

std::string schedule_to_cpp(const Program& program, const Schedule& schedule, const std::string& name) { return Writer(program, schedule).run(name); }

}  // namespace sinter::ir
