// One expectation of the error tests: code, line and words.
#pragma once

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/diagnostic.h"

namespace sinter::test {

template <class F>
void expect_user_error(ir::ErrorCode code, const std::string& words, const char* file, int line, F statement) {
  const testing::ScopedTrace trace(file, line, "expected " + ir::code_text(code) + ": " + words);
  try {
    statement();
  } catch (const ir::UserError& e) {
    EXPECT_EQ(ir::code_text(e.code()), ir::code_text(code)) << e.what();
    EXPECT_EQ(e.diagnostic().loc.line, line) << e.what();
    EXPECT_TRUE(e.diagnostic().loc.known() && std::string(e.diagnostic().loc.file) == file) << e.what();
    EXPECT_THAT(e.what(), testing::HasSubstr(words));
    EXPECT_THAT(e.what(), testing::HasSubstr("error[" + ir::code_text(code) + "]"));
    EXPECT_FALSE(e.diagnostic().help.empty()) << e.what();
    return;
  }
  ADD_FAILURE() << "nothing was thrown";
}

}  // namespace sinter::test

// The statement throws the UserError CODE for this line, with `WORDS` in its text, and with help. On one line.
#define EXPECT_USER_ERROR(CODE, WORDS, ...) \
  sinter::test::expect_user_error(CODE, WORDS, __FILE__, __LINE__, [&] { __VA_ARGS__; })
