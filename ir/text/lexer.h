// Tokens of the textual forms. `//` starts a comment; `%` directly before a digit is a temporary, else the operator.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinter::ir::text {

enum class TokenKind : uint8_t {
  Word,    // x, x.1, block
  Quoted,  // `any name`: text is the name
  String,  // "...": text is the value
  Number,  // 3, 0x1f, 1.5, 2e-3
  Temp,    // %3: text is "3"
  Punct,   // ( ) { } [ ] , ; : . = + - * / % < <= == ... @
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;
  size_t offset = 0;
};

// The tokens of `source`, End last. Throws UserError E0500.
std::vector<Token> lex(std::string_view source);

// Throws UserError E0500 that shows the line of `offset` with a caret below.
[[noreturn]] void parse_error(std::string_view source, size_t offset, const std::string& message, const std::string& help = {});

}  // namespace sinter::ir::text
