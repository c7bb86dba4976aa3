#include "ir/text/lexer.h"

#include <algorithm>

#include "ir/diagnostic.h"

namespace sinter::ir::text {

void parse_error(std::string_view source, size_t offset, const std::string& message, const std::string& help) {
  offset = std::min(offset, source.size());
  const std::string_view before = source.substr(0, offset);
  const size_t line_number = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  const size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const size_t column = offset - start;
  std::string line(source.substr(start, std::min(source.find('\n', offset), source.size()) - start));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  // A window around the place: a line of a generated text may be very long.
  constexpr size_t kBefore = 80, kAfter = 60;
  const size_t first = column > kBefore ? column - kBefore : 0;
  line = line.substr(first, column - first + kAfter);
  user_error(ErrorCode::ParseError, {}, std::to_string(line_number) + ":" + std::to_string(column + 1) + ": " + message, help.empty() ? "docs/ir.md has the grammar" : help,
             {line, std::string(column - first, ' ') + "^"});
}

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word_part(char c) { return is_letter(c) || is_digit(c) || c == '$'; }
int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    for (;;) {
      skip_blanks();
      Token t;
      t.offset = at_;
      const char c = peek();
      if (at_ == source_.size()) {
        tokens_.push_back(t);
        return std::move(tokens_);
      }
      if (is_letter(c)) word(t);
      else if (is_digit(c)) number(t);
      else if (c == '`' || c == '"') quoted(t, c);
      else if (c == '%' && is_digit(peek(1))) temp(t);
      else punct(t);
      tokens_.push_back(std::move(t));
    }
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

  void skip_blanks() {
    while (at_ < source_.size()) {
      const char c = source_[at_];
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') ++at_;
      else if (c == '/' && peek(1) == '/') at_ = std::min(source_.find('\n', at_), source_.size());
      else return;
    }
  }

  void word(Token& t) {
    t.kind = TokenKind::Word;
    const size_t start = at_;
    while (is_word_part(peek()) || (peek() == '.' && is_word_part(peek(1)))) ++at_;
    t.text = source_.substr(start, at_ - start);
  }

  void number(Token& t) {
    t.kind = TokenKind::Number;
    const size_t start = at_;
    if (peek() == '0' && peek(1) == 'x') {
      at_ += 2;
      while (hex_digit(peek()) >= 0) ++at_;
    } else {
      while (is_digit(peek())) ++at_;
      if (peek() == '.' && is_digit(peek(1))) {
        ++at_;
        while (is_digit(peek())) ++at_;
      }
      const size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
      if (peek() == 'e' && is_digit(peek(sign))) {
        at_ += sign;
        while (is_digit(peek())) ++at_;
      }
    }
    t.text = source_.substr(start, at_ - start);
  }

  void quoted(Token& t, char quote) {
    t.kind = quote == '`' ? TokenKind::Quoted : TokenKind::String;
    ++at_;
    for (;;) {
      if (at_ == source_.size() || peek() == '\n') parse_error(source_, t.offset, "the text between quotes does not end on its line");
      const char c = source_[at_++];
      if (c == quote) return;
      if (c != '\\') {
        t.text += c;
      } else if (peek() == 'x' && hex_digit(peek(1)) >= 0 && hex_digit(peek(2)) >= 0) {
        t.text += static_cast<char>(hex_digit(peek(1)) * 16 + hex_digit(peek(2)));
        at_ += 3;
      } else if (peek() == '\\' || peek() == quote) {
        t.text += source_[at_++];
      } else {
        parse_error(source_, at_ - 1, "expected \\\\, \\x and two hexadecimal digits, or an escaped quote");
      }
    }
  }

  void temp(Token& t) {
    t.kind = TokenKind::Temp;
    ++at_;
    while (is_digit(peek())) t.text += source_[at_++];
  }

  void punct(Token& t) {
    static constexpr std::string_view two[] = {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "+="};
    static constexpr std::string_view one = "(){}[],;:.=+-*/%<>!~&|^@";
    t.kind = TokenKind::Punct;
    for (std::string_view p : two)
      if (source_.substr(at_, 2) == p) {
        t.text = p;
        at_ += 2;
        return;
      }
    if (one.find(source_[at_]) == std::string_view::npos) parse_error(source_, at_, "no token starts with this character");
    t.text = source_[at_++];
  }

  std::string_view source_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(std::string_view source) { return Lexer(source).run(); }

}  // namespace sinter::ir::text
