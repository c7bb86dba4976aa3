#include "codegen/runtime/error.h"

#include <cstdio>

namespace sinter_rt {
namespace {

thread_local std::string last_error;

std::string vformat(const char* format, va_list args) {
  va_list again;
  va_copy(again, args);
  const int length = std::vsnprintf(nullptr, 0, format, args);
  std::string text(length > 0 ? static_cast<size_t>(length) : 0, '\0');
  if (length > 0) std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

}  // namespace

int fail(int code, std::string text) noexcept {
  last_error = std::move(text);
  return code;
}

int failf(int code, const char* format, ...) noexcept {
  va_list args;
  va_start(args, format);
  try {
    last_error = vformat(format, args);
  } catch (...) {
    last_error.clear();  // no memory for words; the code still says what happened
  }
  va_end(args);
  return code;
}

std::string format(const char* format, ...) {
  va_list args;
  va_start(args, format);
  std::string text = vformat(format, args);
  va_end(args);
  return text;
}

}  // namespace sinter_rt

extern "C" {

const char* sinter_last_error(void) { return sinter_rt::last_error.c_str(); }

int sinter_rt_fail(int code, const char* text) {
  return sinter_rt::failf(code, "%s", text ? text : "");
}

int sinter_rt_fail_requires(const char* pipeline, const char* what, int64_t needed, int64_t given) {
  return sinter_rt::failf(SINTER_ERR_REQUIRES, "%s: requires %s: needed %lld, given %lld", pipeline,
                          what, static_cast<long long>(needed), static_cast<long long>(given));
}
}
