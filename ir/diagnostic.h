// Errors a user can meet, and the one renderer of their text.
//
// Three kinds, three types: a mistake in an algorithm or schedule (UserError, found before anything runs), a failure at
// run time (RuntimeError: a bad buffer, a missing driver), and a fault of ours (InternalError). All derive from Error.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "ir/error_codes.h"
#include "ir/loc.h"

namespace sinter::ir {

// The parts of a message; render() lays them out as
//   file.cpp:41: error[E0207]: message
//     | excerpt line
//     counterexample: ...
//     help: ...
struct Diagnostic {
  ErrorCode code{};
  Loc loc;
  std::string message;
  std::vector<std::string> excerpt;  // loop nest or expression, the place marked
  std::string counterexample;        // empty where there is none
  std::string help;                  // what to write instead
};

std::string render(const Diagnostic& d);
std::string code_text(ErrorCode code);  // "E0207"

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class UserError : public Error {
 public:
  explicit UserError(Diagnostic d) : Error(render(d)), diagnostic_(std::move(d)) {}
  const Diagnostic& diagnostic() const { return diagnostic_; }
  ErrorCode code() const { return diagnostic_.code; }

 private:
  Diagnostic diagnostic_;
};

class RuntimeError : public Error {
 public:
  RuntimeError(int status, const std::string& text) : Error(text), status_(status) {}
  int status() const { return status_; }  // sinter_status of codegen/runtime

 private:
  int status_;
};

class InternalError : public Error {
 public:
  explicit InternalError(const std::string& text, Loc where = Loc::here());
};

// Throws InternalError where `ok` is false. For invariants of ours, never for what a user can cause.
inline void internal_check(bool ok, const char* what, Loc where = Loc::here()) {
  if (!ok) throw InternalError(what, where);
}

[[noreturn]] void user_error(ErrorCode code, Loc loc, std::string message, std::string help = {},
                             std::vector<std::string> excerpt = {}, std::string counterexample = {});

}  // namespace sinter::ir
