// What surrounds a pass: its name, its time, a dump of what it changed, and the verifier of the form it leaves.
//
//   Stmt s = run_pass(log, "simplify", nest, [&] { return simplify(nest); }, printer, verifier);
// or, where the IR changes in place or there are several results:
//   PassScope scope("pack-shared", log, [&] { return print(kernel, module); }, [&] { verify_kernel_tiles(kernel, module); });
//   ...
//   scope.done();
//
// SINTER_DUMP=all, or the names of passes with commas between, writes the IR after those passes to stderr, "(unchanged)" where it is.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::ir {

struct PassTime {
  std::string name;
  double milliseconds = 0;
};
using PassLog = std::vector<PassTime>;

// Is `pass` among those that `setting` (the value of SINTER_DUMP, may be null) names?
bool dump_wanted(const char* setting, std::string_view pass);

// Whether the verifier runs after each small pass, too: in builds without NDEBUG, which tests are, and where SINTER_VERIFY is set. What the
// stages of lowering leave is verified always.
bool verifies_each_pass();

class PassScope {
 public:
  // `print` and `verify` may be empty. `print` is called before the pass and after it, and only where a dump is wanted.
  PassScope(std::string name, PassLog* log, std::function<std::string()> print = {}, std::function<void()> verify = {});
  // Records the time, dumps, then verifies: a violation throws with the name of this pass in front. Not called where the pass throws.
  void done();

 private:
  std::string name_;
  PassLog* log_;
  std::function<std::string()> print_;
  std::function<void()> verify_;
  bool dump_ = false;
  std::string before_;
  std::chrono::steady_clock::time_point start_;
};

// A pass that maps `in` to its result: `print(x)` gives the text and `verify(x)` throws where x breaks its form.
template <class T, class Pass, class Print, class Verify>
auto run_pass(PassLog* log, std::string name, const T& in, Pass pass, Print print, Verify verify) {
  decltype(pass()) out{};
  bool ran = false;
  PassScope scope(std::move(name), log, [&] { return ran ? print(out) : print(in); }, [&] { verify(out); });
  out = pass();
  ran = true;
  scope.done();
  return out;
}

}  // namespace sinter::ir
