// Text that does not parse: E0500 with line, column, caret and what was expected; and nothing but that, whatever the text.
#include <gtest/gtest.h>

#include <functional>

#include "ir/diagnostic.h"
#include "ir/text/parse.h"
#include "ir/text/print.h"
#include "tests/support/random_ir.h"

namespace sinter::test {
namespace {

using namespace sinter::ir;

std::string error_of(const std::string& nest) {
  const std::string text = "program p {\n  input a(x, y) : f32\n  func f(x, y) : f32 = 0.0\n}\nfree (n, m : i64, b : bool)\nnest {\n" + nest + "\n}\n";
  try {
    parse_nest(text);
  } catch (const UserError& e) {
    EXPECT_EQ(e.code(), ErrorCode::ParseError);
    return e.what();
  }
  return "";
}

TEST(TextErrors, ShowThePlaceAndWhatWasExpected) {
  EXPECT_EQ(error_of("  f(n, 3) = a(n 3)"), "error[E0500]: 7:17: expected `)`, found `3`\n  |   f(n, 3) = a(n 3)\n  |                 ^\n  help: docs/ir.md has the grammar");
  EXPECT_EQ(error_of("  f(n, 3) = 1.0"), "");
}

TEST(TextErrors, SayWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"f(n, k) = 1.0", "no variable `k`"},
      {"g(n) = 1.0", "no Func or buffer `g`"},
      {"f(n, n) = n + m", "operands of types i32 and i64"},
      {"f(n, n) = select(n, 1.0, 2.0)", "the condition of `select` is not bool"},
      {"if n { }", "the condition of `if` is not bool"},
      {"f(n, n) = f32(n < n < n)", "comparisons do not chain"},
      {"f(n, n) = f32(3000000000)", "3000000000 does not fit i32"},
      {"f(n, n) = f32(256:u8)", "256 does not fit u8"},
      {"f(n, n) = f32(-1:u8)", "-1 does not fit u8"},
      {"f(n, n) = f32(1.5:i32)", "a literal of type i32 is not written so"},
      {"f(n, n) = %3", "%3 is not defined here"},
      {"%0 = f32(n)*2.0 f(n, n) = %0 f(n, n) = %0", "%0 is not defined here"},
      {"f(n, n) = nan(0x1)", "not the bits of a NaN"},
      {"f(n, n) = abs(1.0, 2.0)", "`abs` takes 1 operand"},
      {"f(n, n) = lane(broadcast(1.0, 4), 4)", "no such lane"},
      {"f(n, n) = broadcast(1.0, 2000)", "a number from 1 to 1024"},
      {"f(n, n) = b && n", "operands of types bool and i32"},
      {"f(n, n) = f32(!n)", "`!` of a value that is not bool"},
      {"serial i in [1, 4) { }", "[min, +extent]"},
      {"serial i in [0, 4] { }", "expected `)`, found `]`"},
      {"slide i in [0, 4) { }", "no statement starts with `slide`"},
      {"sync later", "expected a kind of synchronisation"},
      {"alloc f : f33 in shared", "expected a type"},
      {"alloc f : f32 in cellar", "expected a memory"},
      {"let n = 3:i64", "`n` is i32 above, and i64 here"},
      {"check \"unfinished", "does not end on its line"},
      {"f(n, n) = 1.0 # 2.0", "no token starts with this character"},
      {"tile map f (x in 4) layout round(3)", "expected single, flat or blocked"},
      {"launch k grid 1", "expected a kernel that is known"},
      {"f(n, n) = ", "expected an expression, found `}`"},
      {"} extra", "expected the end of the text, found `extra`"},
  };
  for (const auto& [text, part] : cases) EXPECT_NE(error_of(text).find(part), std::string::npos) << text << "\n" << error_of(text);
}

TEST(TextErrors, OfProgramsAndModules) {
  const auto program_error = [](const std::string& text) -> std::string {
    try {
      parse_program(text);
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  };
  const auto module_error = [](const std::string& text) -> std::string {
    try {
      parse_module("program p { input a(x) : f32 }\n" + text);
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  };
  const std::string f = "program p { func f(x) : f32 = 1.0 ";
  EXPECT_NE(program_error("").find("expected `program`, found the end of the text"), std::string::npos);
  EXPECT_NE(program_error(f + "func f(x) : i32 = 0 }").find("a second Func or buffer `f`"), std::string::npos);
  EXPECT_NE(program_error(f + "} schedule { f.spit(x) }").find("no directive `spit`"), std::string::npos);
  EXPECT_NE(program_error(f + "} schedule { g.split(x) }").find("expected a Func that is known"), std::string::npos);
  EXPECT_NE(program_error(f + "} schedule { f.split(x, tail Long) }").find("no tail strategy `Long`"), std::string::npos);
  EXPECT_EQ(program_error(f + "} schedule { f.split(x, xo, xi, 8) }"), "");
  EXPECT_NE(module_error("module \"toaster\" { }").find("E0500"), std::string::npos);
  EXPECT_NE(module_error("module \"host\" { buffer b : f32 }").find("expected the buffer of `a`"), std::string::npos);
  EXPECT_EQ(module_error("module \"host\" { buffer a : f32 argument }"), "");
}

TEST(TextErrors, NestingIsBounded) {
  const auto repeat = [](const char* s, int n) {
    std::string out;
    while (n-- > 0) out += s;
    return out;
  };
  EXPECT_EQ(error_of("f(n, n) = " + repeat("(", 100) + "1.0" + repeat(")", 100)), "");
  for (const char* open : {"(", "-", "{ %0 = ", "abs(", "a(0, "})
    EXPECT_NE(error_of("f(n, n) = " + repeat(open, 100000)).find("nested too deeply"), std::string::npos) << open;
  EXPECT_NE(error_of(repeat("seq { ", 100000)).find("nested too deeply"), std::string::npos);
  EXPECT_NE(error_of(repeat("if b { ", 100000)).find("nested too deeply"), std::string::npos);
}

// Small damage gets further into the parser than large.
std::string damaged(std::string s, std::mt19937_64& random) {
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % std::max<size_t>(n, 1)); };
  for (size_t edits = 1 + below(3); edits > 0; --edits) {
    const size_t at = below(s.size()), length = below(std::min<size_t>(s.size() - at, 12));
    switch (below(5)) {
      case 0: s.erase(at, length); break;
      case 1: s.insert(at, 1, static_cast<char>(below(256))); break;
      case 2: s.insert(at, s.substr(below(s.size()), length)); break;
      case 3: s[at] = "(){}[],;:.=+-*/%<>!~&|^@`\"0123456789axf \n"[below(42)]; break;
      default: {
        static const char* const words[] = {" -9223372036854775809", "%99", "x4", ":f64", " live ", "{", "}", " _ ", "nan(0x", "1e999", "x.", " let q = ", "0x"};
        s.insert(at, words[below(std::size(words))]);
      }
    }
  }
  return s;
}

TEST(TextErrors, OnlyUserErrorsComeOutOfDamagedText) {
  std::mt19937_64 random(7);
  int parsed = 0, refused = 0;
  const auto attempt = [&](const std::function<void()>& parse, const std::string& text) {
    try {
      parse();
      ++parsed;
    } catch (const UserError& e) {
      ASSERT_EQ(e.code(), ErrorCode::ParseError) << text;
      ++refused;
    } catch (const std::exception& e) {
      FAIL() << e.what() << "\n" << text;
    }
  };
  for (uint64_t i = 0; i < 2100; ++i) {
    RandomIr make(i % 100);
    std::string text;
    if (i % 3 == 0) {
      const Program p = make.program();
      text = damaged(print(p, make.schedule(p)), random);
      attempt([&] { parse_program(text); }, text);
    } else if (i % 3 == 1) {
      const Program p = make.program();
      text = damaged(print_nest(p, make.nest(p)), random);
      attempt([&] { const auto [q, s] = parse_nest(text); print_nest(q, s); }, text);
    } else {
      text = damaged(print(make.module()), random);
      attempt([&] { print(parse_module(text)); }, text);
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(parsed, 50);  // comments, blanks, numbers: some damage is harmless
}

}  // namespace
}  // namespace sinter::test
