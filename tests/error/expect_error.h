// One expectation of an error: code, the user's line, and words anywhere in what is shown. Excerpts start with "| ", the others say
// what they are, so "help: f.serial(x)" or "counterexample: thread 0" ask for a part.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "ir/diagnostic.h"

namespace sinter::testing {

template <class F>
void expect_error(const char* file, int test_line, ir::ErrorCode code, int line, std::initializer_list<std::string> words, F statement) {
  const ::testing::ScopedTrace trace(file, test_line, "expected " + ir::code_text(code));
  try {
    statement();
  } catch (const ir::UserError& e) {
    EXPECT_EQ(ir::code_text(e.code()), ir::code_text(code)) << e.what();
    const ir::Loc loc = e.diagnostic().loc;
    EXPECT_EQ(loc.line, line) << e.what();
    if (line > 0) {
      EXPECT_STREQ(loc.file, file) << e.what();
    }
    EXPECT_THAT(e.what(), ::testing::HasSubstr("error[" + ir::code_text(code) + "]: "));
    for (const std::string& w : words) EXPECT_THAT(e.what(), ::testing::HasSubstr(w));
    EXPECT_FALSE(e.diagnostic().help.empty()) << e.what();
    return;
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another error: " << e.what();
    return;
  }
  ADD_FAILURE() << "nothing was thrown";
}

}  // namespace sinter::testing

// EXPECT_ERROR(code, line, ({"words", ...}), statement): the statement throws a UserError for `line` of this file; 0: for no line (text
// forms, calls and files have none).
#define SINTER_UNPACK(...) __VA_ARGS__
#define EXPECT_ERROR(CODE, LINE, WORDS, ...) \
  ::sinter::testing::expect_error(__FILE__, __LINE__, CODE, LINE, SINTER_UNPACK WORDS, [&] { __VA_ARGS__; })
