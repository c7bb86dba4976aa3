#include "ir/pass_scope.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "ir/verify/verify.h"

namespace sinter::ir {

bool dump_wanted(const char* setting, std::string_view pass) {
  if (!setting) return false;
  std::string_view rest(setting);
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view one = rest.substr(0, comma);
    if (one == "all" || one == pass) return true;
    rest = rest.substr(std::min(comma + 1, rest.size()));
  }
  return false;
}

bool verifies_each_pass() {
#ifdef NDEBUG
  return std::getenv("SINTER_VERIFY") != nullptr;
#else
  return true;
#endif
}

PassScope::PassScope(std::string name, PassLog* log, std::function<std::string()> print, std::function<void()> verify)
    : name_(std::move(name)), log_(log), print_(std::move(print)), verify_(std::move(verify)) {
  dump_ = print_ && dump_wanted(std::getenv("SINTER_DUMP"), name_);
  if (dump_) before_ = print_();
  start_ = std::chrono::steady_clock::now();
}

void PassScope::done() {
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start_;
  if (log_) log_->push_back({name_, time.count()});
  if (dump_) {
    const std::string after = print_();
    std::fprintf(stderr, "// after %s%s\n%s", name_.c_str(), after == before_ ? " (unchanged)" : "", after == before_ ? "" : after.c_str());
  }
  if (!verify_) return;
  try {
    verify_();
  } catch (const VerifyError& e) {
    throw VerifyError("after pass " + name_ + ": " + e.what_broke(), e.problems(), e.excerpt());
  }
}

}  // namespace sinter::ir
