// Program and Schedule.
#include <limits>
#include <tuple>

#include "ir/text/names.h"
#include "ir/text/parser.h"

namespace sinter::ir::text {

// update [over (k in [0, n)) [where e]] f(args) = e
void Parser::update(FuncDef& f, int id) {
  Definition d;
  if (accept("over")) {
    expect("(");
    comma_list(")", [&] {
      RVarDef r;
      r.var = binding();
      expect("in");
      range(r.var ? r.var->type : Int(32), r.min, r.extent);
      d.rdom.vars.push_back(std::move(r));
    });
    if (accept("where")) d.rdom.where = expr();
  }
  const size_t at = peek().offset;
  if (func() != id) fail_at(at, "an update of another Func than the one above");
  d.args = exprs();
  expect("=");
  d.value = expr(f.type);
  d.loc = loc();
  temps_.clear();
  f.stages.push_back(std::move(d));
}

void Parser::function_definition(Program& p, bool input) {
  FuncDef f;
  f.kind = input ? FuncKind::Input : FuncKind::Computed;
  const size_t at = peek().offset;
  f.name = name("a Func");
  f.dims = bindings();
  expect(":");
  f.type = type();
  const int id = add_func(f.name, f.type, at);
  for (;;) {
    if (accept("wrapper")) f.is_wrapper = true;
    else if (accept("extent")) f.extent = bindings();
    else if (accept("stride")) f.stride = bindings(Int(64));
    else if (accept("require_extent")) f.fixed_extent = exprs(Int(32), true);
    else if (accept("require_stride")) f.fixed_stride = exprs(Int(64), true);
    else if (accept("free_stride0")) f.free_stride0 = true;
    else break;
    temps_.clear();
  }
  if (!f.extent.empty()) {  // nothing declared is printed as nothing
    f.fixed_extent.resize(std::max(f.fixed_extent.size(), f.dims.size()));
    f.fixed_stride.resize(std::max(f.fixed_stride.size(), f.dims.size()));
  }
  f.loc = loc();
  if (accept("=")) {
    Definition d;
    for (const Sym& v : f.dims) {
      if (!v) fail_at(at, "a Func with a definition has named dimensions");
      d.args.push_back(make_var(v));
    }
    d.value = expr(f.type);
    d.loc = loc();
    temps_.clear();
    f.stages.push_back(std::move(d));
    while (accept("update")) update(f, id);
  }
  p.funcs.push_back(std::move(f));
}

Argument Parser::argument(const Program& p) {
  if (accept("param")) {
    const size_t at = peek().offset;
    const Sym v = variable();
    for (size_t i = 0; i < p.params.size(); ++i)
      if (p.params[i].var == v) return {Argument::Kind::Param, static_cast<int>(i)};
    fail_at(at, "this is no param");
  }
  const bool input = accept("input");
  if (!input) expect("output");
  return {input ? Argument::Kind::Input : Argument::Kind::Output, func()};
}

Program Parser::program() {
  Program p;
  p.file_names = files_;
  expect("program");
  p.name = name("the program's name");
  expect("{");
  while (!accept("}")) {
    if (accept("input")) {
      function_definition(p, true);
    } else if (accept("func")) {
      function_definition(p, false);
    } else if (accept("param")) {
      ParamDef q;
      q.name = peek().text;
      q.var = binding(Type{});
      if (accept("named")) q.name = string_literal("the param's name");
      q.loc = loc();
      p.params.push_back(std::move(q));
    } else if (accept("args")) {
      expect("(");
      comma_list(")", [&] { p.args.push_back(argument(p)); });
    } else if (is("free")) {
      free_variables();
    } else {
      expected("input, func, param, args or `}`");
    }
  }
  return p;
}

// A Func's name with a member behind it: the token `f.1.split` is `f.1` and `split`; `f` in backquotes stands alone.
std::pair<int, std::string> Parser::func_and_member() {
  const Token t = peek();
  if (t.kind == TokenKind::Quoted) {
    const int f = func();
    expect(".");
    return {f, name("a directive")};
  }
  if (t.kind != TokenKind::Word) expected("a Func and a directive");
  const size_t dot = t.text.rfind('.');
  const auto it = funcs_.find(t.text.substr(0, dot));
  if (dot == std::string::npos || it == funcs_.end()) expected("a Func that is known, and a directive");
  next();
  return {it->second, t.text.substr(dot + 1)};
}

// The (n) of update(n) or stage(n), as a stage.
int Parser::update_number() {
  expect("(");
  const int n = small_integer();
  expect(")");
  return n;
}

Directive Parser::directive() {
  const auto with_stage = [this](int& func, std::string& member, int usual) {
    int stage = usual;
    std::tie(func, member) = func_and_member();
    if (member == "update" || member == "stage") {
      const bool update = member == "update";
      stage = update_number();
      if (update && stage++ == std::numeric_limits<int>::max()) fail("no such update");
      member.clear();
    }
    return stage;
  };

  Directive d;
  std::string member;
  const size_t at = peek().offset;
  constexpr int kNone = std::numeric_limits<int>::min();
  d.stage = with_stage(d.func, member, kNone);
  if (member.empty()) {
    expect(".");
    member = name("a directive");
  }
  const DirectiveInfo* info = find_directive(member);
  if (!info) fail_at(at, "no directive `" + member + "`");
  d.kind = info->kind;
  if (d.stage == kNone) d.stage = concerns_loops(d.kind) ? 0 : -1;
  expect("(");
  comma_list(")", [&] {
    const Token t = peek();
    const bool qualified = is_name() && peek(1).kind != TokenKind::Punct;  // a word with something behind it
    if (t.kind == TokenKind::Number || is("-")) {
      d.ints.push_back(integer());
    } else if (is("expr")  && !(peek(1).kind == TokenKind::Punct && (peek(1).text == "," || peek(1).text == ")" || peek(1).text == ":"))) {
      next();
      d.exprs.push_back(optional_expr());
      temps_.clear();
    } else if (qualified && accept("of")) {
      const bool member_follows = peek().kind == TokenKind::Word && !funcs_.count(peek().text);
      const bool dot_follows = peek(1).kind == TokenKind::Punct && peek(1).text == ".";
      if (member_follows || dot_follows) {
        std::string stage_word;
        d.target_stage = with_stage(d.target, stage_word, 0);
        if (!stage_word.empty()) fail_at(t.offset, "expected a Func, or its update(n) or stage(n)");
      } else {
        d.target = func();
      }
    } else if (qualified && accept("memory")) {
      const std::string word = name("a memory");
      int m = 0;
      while (m <= static_cast<int>(Memory::Host) && word != memory_name(static_cast<Memory>(m))) ++m;
      if (m > static_cast<int>(Memory::Host)) fail_at(t.offset, "no memory `" + word + "`");
      d.memory = static_cast<Memory>(m);
    } else if (qualified && accept("tail")) {
      const std::string word = name("a tail strategy");
      int m = 0;
      while (m <= static_cast<int>(kLastTail) && word != tail_name(static_cast<Tail>(m))) ++m;
      if (m > static_cast<int>(kLastTail)) fail_at(t.offset, "no tail strategy `" + word + "`");
      d.tail = static_cast<Tail>(m);
    } else {
      d.loops.push_back(binding());
    }
  });
  d.loc = loc();
  return d;
}

Schedule Parser::schedule() {
  Schedule s;
  expect("schedule");
  expect("{");
  while (!accept("}")) s.directives.push_back(directive());
  return s;
}

}  // namespace sinter::ir::text
