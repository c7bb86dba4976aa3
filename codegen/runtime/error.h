// Errors inside the runtime: a code, and a text kept per thread.
#pragma once

#include <cstdarg>
#include <new>
#include <string>

#include "codegen/runtime/sinter_runtime.h"

#pragma GCC visibility push(hidden)
namespace sinter_rt {

/// Sets this thread's text and returns the code.
int fail(int code, std::string text) noexcept;

/// As fail(), with the text in printf's manner.
[[gnu::format(printf, 2, 3)]] int failf(int code, const char* format, ...) noexcept;

/// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char* format, ...);

/// Runs `body`, which returns a code, and keeps C++ exceptions from crossing the C ABI.
template <class Body>
int guarded(const Body& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return failf(SINTER_ERR_MEMORY, "out of host memory");
  } catch (const std::exception& e) {
    return failf(SINTER_ERR_INTERNAL, "internal error in the runtime: %s", e.what());
  } catch (...) {
    return failf(SINTER_ERR_INTERNAL, "internal error in the runtime");
  }
}

}  // namespace sinter_rt
#pragma GCC visibility pop
