#include "ir/text/schedule_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ir/analysis/copies.h"
#include "ir/analysis/visit.h"
#include "ir/diagnostic.h"
#include "ir/text/schedule_names.h"

namespace sinter::ir {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr const char* kFormat = "sinter schedule";
// Conditions and bounds are short; a text that nests deeper is none of ours.
constexpr int kMaxDepth = 200;

// ---- writing -------------------------------------------------------------------------------------------------------

class Writer {
 public:
  Writer(const Program& program, const Schedule& schedule) : program_(program), schedule_(schedule), loops_(program) {}

  std::string run() {
    Json out;
    out["format"] = kFormat;
    out["version"] = kVersion;
    out["pipeline"] = program_.name;
    out["copies"] = Json::array();
    for (const FuncCopy& c : copies_of(program_)) {
      Json copy;
      copy["name"] = name(c.func);
      copy["of"] = name(c.of);
      copy["readers"] = Json::array();
      for (FuncId r : c.readers) copy["readers"].push_back(name(r));
      out["copies"].push_back(std::move(copy));
    }
    out["directives"] = Json::array();
    for (const Directive& d : schedule_.directives) out["directives"].push_back(directive(d));
    return out.dump(2) + "\n";
  }

 private:
  const std::string& name(FuncId f) const { return program_.funcs[static_cast<size_t>(f)].name; }

  Json directive(const Directive& d) {
    const DirectiveInfo& info = directive_info(d.kind);
    Json out;
    out["directive"] = info.name;
    out["func"] = name(d.func);
    if (d.stage > 0) out["update"] = d.stage - 1;
    if (info.target) {
      out["of"] = name(d.target);
      if (d.target_stage >= 0) out["of_stage"] = d.target_stage;
    }
    for (const Sym& v : d.loops) out["loops"].push_back(loops_.name(info.target ? d.target : d.func, v));
    for (int64_t n : d.ints) out["ints"].push_back(n);
    for (const Expr& e : d.exprs) out["exprs"].push_back(expr(e));
    if (info.memory) out["memory"] = memory_name(d.memory);
    if (info.tail && d.tail != Tail::Auto) out["tail"] = tail_name(d.tail);
    return out;
  }

  Json variable(const Sym& v) const {
    Json out;
    for (const ParamDef& p : program_.params)
      if (p.var == v) out["param"] = p.name;
    for (const FuncDef& f : program_.funcs)
      for (const std::vector<Sym>* sizes : {&f.extent, &f.stride})
        for (size_t d = 0; d < sizes->size(); ++d)
          if ((*sizes)[d] == v) {
            out[sizes == &f.extent ? "extent" : "stride"] = f.name;
            out["dim"] = d;
          }
    internal_check(!out.is_null(), "a schedule's expression with a variable that is neither a Param nor a size");
    return out;
  }

  Json expr(const Expr& e) const {
    if (e->op == Op::Var) return variable(e->var);
    if (e->op == Op::IntImm && e.type() == Int(32)) return e->i;
    if (e->op == Op::IntImm && e.type().is_bool()) return e->i != 0;
    Json out;
    if (e->op == Op::IntImm) {
      out["int"] = e->i;
    } else if (e->op == Op::FloatImm) {
      out["float"] = std::isfinite(e->f) ? Json(e->f) : Json(std::isnan(e->f) ? "nan" : e->f > 0 ? "inf" : "-inf");
    } else {
      out["op"] = e->op == Op::Math ? math_name(e->fn) : op_name(e->op);
      for (const Expr& a : e->args) out["args"].push_back(expr(a));
    }
    if (e->args.empty() || e->op == Op::Cast || e->op == Op::Reinterpret) out["type"] = to_string(e.type());
    return out;
  }

  const Program& program_;
  const Schedule& schedule_;
  text::LoopScope loops_;
};

// ---- reading -------------------------------------------------------------------------------------------------------

class Reader {
 public:
  Reader(const Json& json, Loc loc) : json_(json), loc_(loc) {}

  [[noreturn]] void fail(const std::string& message, const std::string& help = {}) const {
    user_error(ErrorCode::BadScheduleData, loc_, "stored schedule" + (where_.empty() ? "" : ", " + where_) + ": " + message, help);
  }

  void check_head() const {
    if (!json_.is_object() || !json_.contains("format") || json_["format"] != kFormat)
      fail("this is no schedule", std::string("its first member is \"format\": \"") + kFormat + "\"; Pipeline::schedule_json() writes one");
    if (!json_.contains("version") || !json_["version"].is_number_integer()) fail("no \"version\"");
    if (json_["version"] != kVersion)
      fail("version " + json_["version"].dump() + " is not known", "this library reads version " + std::to_string(kVersion));
    require_members(json_, {"format", "version", "pipeline", "copies", "directives"});
  }

  std::vector<NamedCopy> copies() {
    std::vector<NamedCopy> out;
    for (const Json& c : list(json_, "copies")) {
      where_ = "copy " + std::to_string(out.size());
      require_members(c, {"name", "of", "readers"});
      NamedCopy copy{string(c, "name"), string(c, "of"), {}};
      for (const Json& r : list(c, "readers")) copy.readers.push_back(string(r, "a reader"));
      if (!is_identifier(copy.name)) fail("the name `" + copy.name + "` is not an identifier");
      if (copy.readers.empty()) fail("`" + copy.name + "` has no readers");
      out.push_back(std::move(copy));
    }
    where_.clear();
    return out;
  }

  Schedule directives(const Program& program, const std::unordered_map<std::string, FuncId>& funcs) {
    program_ = &program;
    funcs_ = &funcs;
    text::LoopScope loops(program);
    loops_ = &loops;
    Schedule out;
    size_t i = 0;
    // Loops of a consumer may be made by a directive that comes later: places are looked up when all loops are known.
    struct Place {
      size_t directive;
      std::string where, loop;
    };
    std::vector<Place> places;
    for (const Json& j : list(json_, "directives")) {
      where_ = "directive " + std::to_string(i++);
      std::vector<std::string> names;
      Directive d = directive(j, names);
      if (directive_info(d.kind).target) {
        for (const std::string& n : names) places.push_back({out.directives.size(), where_, n});
      } else {
        make_loops(d, names);
      }
      out.directives.push_back(std::move(d));
    }
    for (const Place& p : places) {
      where_ = p.where;
      Directive& d = out.directives[p.directive];
      d.loops.push_back(known_loop(d.target, p.loop));
    }
    where_.clear();
    return out;
  }

 private:
  const Json& json_;
  Loc loc_;
  std::string where_;
  const Program* program_ = nullptr;
  const std::unordered_map<std::string, FuncId>* funcs_ = nullptr;
  text::LoopScope* loops_ = nullptr;

  void require_members(const Json& object, const std::vector<std::string>& known) const {
    if (!object.is_object()) fail("expected an object with members, not " + short_text(object));
    for (const auto& [key, value] : object.items())
      if (std::find(known.begin(), known.end(), key) == known.end()) fail("no member `" + key + "` belongs here");
  }
  static std::string short_text(const Json& j) {
    const std::string text = j.dump(-1, ' ', true, Json::error_handler_t::replace);
    return text.size() <= 40 ? text : text.substr(0, 37) + "...";
  }
  const Json& list(const Json& object, const char* key) const {
    static const Json none = Json::array();
    if (!object.contains(key)) return none;
    if (!object[key].is_array()) fail(std::string("`") + key + "` is no list");
    return object[key];
  }
  std::string string(const Json& value, const char* what) const {
    const Json& j = value.is_object() && value.contains(what) ? value[what] : value;
    if (!j.is_string()) fail(std::string("`") + what + "` is missing or no name");
    return j.get<std::string>();
  }
  int64_t integer(const Json& j, const char* what) const {
    if (!j.is_number_integer() || (j.is_number_unsigned() && j.get<uint64_t>() > INT64_MAX)) fail(std::string(what) + ": " + short_text(j) + " is no integer");
    return j.get<int64_t>();
  }
  // A count or index: within an int and not negative.
  int small(const Json& j, const char* what) const {
    const int64_t n = integer(j, what);
    if (n < 0 || n > 1 << 20) fail(std::string(what) + ": " + short_text(j) + " is out of range");
    return static_cast<int>(n);
  }

  FuncId func(const std::string& name) const {
    const auto it = funcs_->find(name);
    if (it != funcs_->end()) return it->second;
    std::string known;
    for (const FuncDef& f : program_->funcs) known += (known.empty() ? "`" : ", `") + f.name + "`";
    fail("pipeline `" + program_->name + "` has no Func `" + name + "`", "it has " + known);
  }

  Sym known_loop(FuncId f, const std::string& name) const {
    if (Sym v = loops_->find(f, name)) return v;
    std::string known;
    for (const std::string& n : loops_->known(f)) known += (known.empty() ? "`" : ", `") + n + "`";
    fail("`" + program_->funcs[static_cast<size_t>(f)].name + "` has no loop or dimension `" + name + "`",
         known.empty() ? "" : "its dimensions and RVars are " + known);
  }

  static bool is_identifier(const std::string& name) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    bool good = !name.empty() && letter(name[0]);
    for (char c : name) good = good && (letter(c) || (c >= '0' && c <= '9') || c == '.');
    return good;
  }

  Sym new_loop(FuncId f, const std::string& name) {
    if (!is_identifier(name)) fail("the name `" + name + "` of a loop is not an identifier");
    return loops_->find_or_make(f, name);
  }

  // The loops that a directive makes are new names; all others have to be there.
  void make_loops(Directive& d, const std::vector<std::string>& names) {
    size_t first_new = names.size();
    if (d.kind == DirectiveKind::Split || d.kind == DirectiveKind::Rename) first_new = 1;
    if (d.kind == DirectiveKind::Fuse) first_new = 2;
    if (d.kind == DirectiveKind::GpuTile) first_new = names.size() / 3;
    for (size_t i = 0; i < names.size(); ++i)
      d.loops.push_back(i < first_new ? known_loop(d.func, names[i]) : new_loop(d.func, names[i]));
  }

  Directive directive(const Json& j, std::vector<std::string>& loops) {
    require_members(j, {"directive", "func", "update", "of", "of_stage", "loops", "ints", "exprs", "memory", "tail"});
    const std::string name = string(j, "directive");
    const DirectiveInfo* info = find_directive(name);
    if (!info) fail("there is no directive `" + name + "`", "docs/directives.md lists them");
    where_ += ", " + name;
    Directive d;
    d.kind = info->kind;
    d.loc = loc_;
    d.func = func(string(j, "func"));
    const FuncDef& f = program_->funcs[static_cast<size_t>(d.func)];
    d.stage = concerns_loops(d.kind) ? 0 : -1;
    if (j.contains("update")) {
      if (!concerns_loops(d.kind)) fail("`update` does not belong here: it concerns the whole Func");
      d.stage = small(j["update"], "update") + 1;
      if (d.stage >= static_cast<int>(f.stages.size())) fail("`" + f.name + "` has no update " + std::to_string(d.stage - 1));
    }
    if (j.contains("of") != info->target) fail(info->target ? "no `of`: the Func whose loop is the place" : "`of` does not belong here");
    if (info->target) d.target = func(string(j, "of"));
    if (j.contains("of_stage")) {
      if (!info->target) fail("`of_stage` does not belong here");
      d.target_stage = small(j["of_stage"], "of_stage");
      if (d.target_stage >= static_cast<int>(program_->funcs[static_cast<size_t>(d.target)].stages.size())) fail("there is no stage " + std::to_string(d.target_stage));
    }
    for (const Json& v : list(j, "loops")) loops.push_back(string(v, "a loop"));
    for (const Json& n : list(j, "ints")) d.ints.push_back(integer(n, "ints"));
    for (const Json& e : list(j, "exprs")) d.exprs.push_back(expr(e, 0));
    const auto check = [&](size_t n, int low, int high, const char* what) {
      if (static_cast<int64_t>(n) < low || static_cast<int64_t>(n) > high) fail(std::to_string(n) + " " + what + ", but it takes " + (low == high ? std::to_string(low) : std::to_string(low) + " to " + std::to_string(high)));
    };
    check(loops.size(), info->min_loops, info->max_loops, "loops");
    check(d.ints.size(), info->min_ints, info->max_ints, "integers");
    check(d.exprs.size(), info->exprs, info->exprs, "expressions");
    if (d.kind == DirectiveKind::GpuTile && loops.size() != 3 * d.ints.size()) fail("it takes three loops for each tile size");
    if (orders_blocks(d.kind) && !d.ints.empty() && loops.size() != d.ints.size()) fail("it takes an integer for each loop, or none");
    if (j.contains("memory") != info->memory) fail(info->memory ? "no `memory`" : "`memory` does not belong here");
    if (info->memory) d.memory = named<Memory>(string(j, "memory"), "memory", memory_name, Memory::Host);
    if (j.contains("tail")) {
      if (!info->tail) fail("`tail` does not belong here");
      d.tail = named<Tail>(string(j, "tail"), "tail strategy", tail_name, kLastTail);
    }
    return d;
  }

  template <class E>
  E named(const std::string& name, const char* what, const char* (*spell)(E), E last) const {
    for (int i = 0; i <= static_cast<int>(last); ++i)
      if (name == spell(static_cast<E>(i))) return static_cast<E>(i);
    fail(std::string("there is no ") + what + " `" + name + "`");
  }

  Type type(const Json& j) const {
    const std::optional<Type> t = parse_type(string(j, "type"));
    if (!t || t->lanes != 1 || t->is_none()) fail("there is no type `" + string(j, "type") + "`");
    return *t;
  }

  Sym size(const Json& j, const char* key) const {
    const FuncDef& f = program_->funcs[static_cast<size_t>(func(string(j, key)))];
    const std::vector<Sym>& sizes = std::string(key) == "extent" ? f.extent : f.stride;
    if (sizes.empty()) fail("`" + f.name + "` is neither an Input nor an output, so its sizes are not known on entry");
    const size_t d = static_cast<size_t>(j.contains("dim") ? small(j["dim"], "dim") : 0);
    if (d >= sizes.size()) fail("`" + f.name + "` has no dimension " + std::to_string(d));
    return sizes[d];
  }

  Expr expr(const Json& j, int depth) const {
    if (depth > kMaxDepth) fail("an expression that is nested too deep");
    if (j.is_boolean()) return make_bool(j.get<bool>());
    if (j.is_number_integer()) {
      const int64_t n = integer(j, "an expression");
      if (n < INT32_MIN || n > INT32_MAX) fail(std::to_string(n) + " is no i32", "{\"int\": n, \"type\": \"i64\"}");
      return i32(n);
    }
    require_members(j, {"param", "extent", "stride", "dim", "int", "float", "op", "args", "type"});
    if (j.contains("param")) {
      const std::string name = string(j, "param");
      for (const ParamDef& p : program_->params)
        if (p.name == name) return make_var(p.var);
      fail("pipeline `" + program_->name + "` has no Param `" + name + "`");
    }
    for (const char* key : {"extent", "stride"})
      if (j.contains(key)) return make_var(size(j, key));
    if (j.contains("int")) {
      const Type t = type(j);
      if (t.is_float()) fail("an `int` of type " + to_string(t));
      return make_int(t, integer(j["int"], "int"));
    }
    if (j.contains("float")) {
      const Type t = type(j);
      const Json& v = j["float"];
      if (!t.is_float()) fail("a `float` of type " + to_string(t));
      if (v == "inf" || v == "-inf") return make_float(t, v == "inf" ? INFINITY : -INFINITY);
      if (v == "nan") return make_float(t, NAN);
      if (!v.is_number()) fail("float: " + short_text(v) + " is no number");
      return make_float(t, v.get<double>());
    }
    return operation(j, depth);
  }

  Expr operation(const Json& j, int depth) const {
    const std::string name = string(j, "op");
    std::vector<Expr> args;
    for (const Json& a : list(j, "args")) args.push_back(expr(a, depth + 1));
    const auto of = [&](size_t n) {
      if (args.size() != n) fail("`" + name + "` of " + std::to_string(args.size()) + " operands");
    };
    // What the constructors refuse is the text's fault here.
    try {
      if (name == op_name(Op::Cast)) return of(1), make_cast(type(j), args[0]);
      if (name == op_name(Op::Reinterpret)) {
        of(1);
        if (type(j).bits != args[0].type().bits) fail("Reinterpret to another width");
        return make_reinterpret(type(j), args[0]);
      }
      if (name == op_name(Op::Select)) {
        of(3);
        if (!args[0].type().is_bool()) fail("Select by what is no condition");
        return make_select(args[0], args[1], args[2]);
      }
      if (name == op_name(Op::Strict)) return of(1), make_strict(args[0]);
      for (Op op : {Op::Neg, Op::Abs, Op::Not, Op::BitNot})
        if (name == op_name(op)) {
          of(1);
          if (args[0].type().is_bool() != (op == Op::Not)) fail("`" + name + "` of type " + to_string(args[0].type()));
          return make_unary(op, args[0]);
        }
      for (Op op : {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Mod, Op::Min, Op::Max, Op::EQ, Op::NE, Op::LT, Op::LE, Op::GT, Op::GE, Op::And, Op::Or, Op::BitAnd,
                    Op::BitOr, Op::BitXor, Op::Shl, Op::Shr})
        if (name == op_name(op)) {
          of(2);
          const bool logic = op == Op::And || op == Op::Or, compares = op >= Op::EQ && op <= Op::GE;
          if (args[0].type() != args[1].type()) fail("`" + name + "` of types " + to_string(args[0].type()) + " and " + to_string(args[1].type()));
          if (!compares && args[0].type().is_bool() != logic) fail("`" + name + "` of type " + to_string(args[0].type()));
          return make_binary(op, args[0], args[1]);
        }
      for (int m = 0; m <= static_cast<int>(MathFn::IsNan); ++m)
        if (name == math_name(static_cast<MathFn>(m))) {
          of(m == static_cast<int>(MathFn::Pow) ? 2 : m == static_cast<int>(MathFn::Fma) ? 3 : 1);
          for (const Expr& a : args)
            if (!a.type().is_float() || a.type() != args[0].type()) fail("`" + name + "` of type " + to_string(a.type()));
          return make_math(static_cast<MathFn>(m), args);
        }
    } catch (const InternalError&) {
      fail("`" + name + "`: operands of types that do not fit");
    }
    fail("there is no operation `" + name + "`");
  }
};

}  // namespace

std::string schedule_to_json(const Program& program, const Schedule& schedule) { return Writer(program, schedule).run(); }

struct StoredSchedule::Contents {
  Json json;
};

StoredSchedule::StoredSchedule(std::string_view json, Loc loc) : contents_(std::make_unique<Contents>()), loc_(loc) {
  // The parser and the values it makes recurse: text that nests deeper than any schedule is refused by its brackets.
  int depth = 0;
  for (char c : json) {
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (depth > 3 * kMaxDepth) user_error(ErrorCode::BadScheduleData, loc, "stored schedule: nested too deep");
  }
  try {
    contents_->json = Json::parse(json);
  } catch (const Json::exception& e) {
    user_error(ErrorCode::BadScheduleData, loc, std::string("stored schedule: this is no JSON: ") + e.what());
  }
  Reader(contents_->json, loc).check_head();
}

StoredSchedule::~StoredSchedule() = default;

std::vector<NamedCopy> StoredSchedule::copies() const { return Reader(contents_->json, loc_).copies(); }

Schedule StoredSchedule::directives(const Program& program, const std::unordered_map<std::string, FuncId>& funcs) const {
  return Reader(contents_->json, loc_).directives(program, funcs);
}

}  // namespace sinter::ir
