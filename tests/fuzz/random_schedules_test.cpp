// Random schedules of small pipelines, on the emulator (which looks for races) and on a host: each gives the oracle's numbers or is
// refused with a UserError; anything else is a fault, printed as C++ after as many directives as possible are taken away. A share that
// has to be accepted keeps the test from refusing its way through.
//   SINTER_FUZZ_SEED=n   the first seed;   SINTER_FUZZ_COUNT=n   how many for each pipeline;   SINTER_FUZZ_SHOW=E0301   print what is refused so
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "codegen/runtime/sinter_runtime.h"
#include "ir/diagnostic.h"
#include "tests/support/cases.h"

namespace sinter::testing {
namespace {

// ---- pipelines -----------------------------------------------------------------------------------------------------

// Loops of a stage as the generator follows them, innermost first.
struct StageInfo {
  std::string func;
  int stage = 0;
  std::vector<std::string> loops;
};

struct Subject {
  std::map<std::string, Func> funcs;
  std::map<std::string, Var> vars;
  std::map<std::string, RVar> rvars;
  std::function<Built()> finish;

  VarOrRVar loop(const std::string& name) {
    if (const auto r = rvars.find(name); r != rvars.end()) return r->second;
    return vars.try_emplace(name, Var(name)).first->second;
  }
};

struct Family {
  const char* name;
  const char* source;  // as C++
  std::vector<StageInfo> stages;
  std::vector<std::string> producers, consumers;  // Funcs that may be placed; Funcs that have loops to be placed in
  std::function<Subject(int64_t width, int64_t height)> make;
};

Built finish(const Input& in, const Func& out, int64_t w, int64_t h, int64_t more_w, int64_t more_h) {
  return {Pipeline("fuzz", {in}, {out}), {integers(dtype_of<int32_t>(), {w + more_w, h + more_h})}, {Buffer::host(dtype_of<int32_t>(), {w, h})}};
}

Family stencil() {
  return {"stencil",
          "Input in(\"in\", Int(32), 2); Var x(\"x\"), y(\"y\"); Func p(\"p\"), q(\"q\"), f(\"f\");\n"
          "p(x, y) = in(x, y) * 2 + x;\n"
          "q(x, y) = p(x, y) + p(x + 2, y);\n"
          "f(x, y) = q(x, y) + q(x, y + 1) + p(x + 1, y);\n",
          {{"p", 0, {"x", "y"}}, {"q", 0, {"x", "y"}}, {"f", 0, {"x", "y"}}},
          {"p", "q"},
          {"q", "f"},
          [](int64_t w, int64_t h) {
            Input in("in", Int(32), 2);
            Var x("x"), y("y");
            Func p("p"), q("q"), f("f");
            p(x, y) = in(x, y) * 2 + x;
            q(x, y) = p(x, y) + p(x + 2, y);
            f(x, y) = q(x, y) + q(x, y + 1) + p(x + 1, y);
            return Subject{{{"p", p}, {"q", q}, {"f", f}}, {{"x", x}, {"y", y}}, {}, [=] { return finish(in, f, w, h, 64, 64); }};
          }};
}

Family reduction() {
  return {"reduction",
          "Input in(\"in\", Int(32), 2); Var x(\"x\"), y(\"y\"); RDom r(0, 5, 0, 3, \"r\"); Func p(\"p\"), s(\"s\"), f(\"f\");\n"
          "p(x, y) = in(x, y) + y;\n"
          "s(x, y) = x;  s(x, y) += p(x + r.x, y + r.y) * (r.x + 1);\n"
          "f(x, y) = s(x, y) * 2 + p(x, y);\n",
          {{"p", 0, {"x", "y"}}, {"s", 0, {"x", "y"}}, {"s", 1, {"r.x", "r.y", "x", "y"}}, {"f", 0, {"x", "y"}}},
          {"p", "s"},
          {"s", "f"},
          [](int64_t w, int64_t h) {
            Input in("in", Int(32), 2);
            Var x("x"), y("y");
            RDom r(0, 5, 0, 3, "r");
            Func p("p"), s("s"), f("f");
            p(x, y) = in(x, y) + y;
            s(x, y) = x;
            s(x, y) += p(x + r.x, y + r.y) * (r.x + 1);
            f(x, y) = s(x, y) * 2 + p(x, y);
            return Subject{{{"p", p}, {"s", s}, {"f", f}}, {{"x", x}, {"y", y}}, {{"r.x", r.x}, {"r.y", r.y}}, [=] { return finish(in, f, w, h, 64, 64); }};
          }};
}

Family scan() {
  return {"scan",
          "Input in(\"in\", Int(32), 2); Var x(\"x\"), y(\"y\"); RDom k(1, 7, \"k\"), m(1, 4, \"m\"); Func c(\"c\"), g(\"g\"), f(\"f\");\n"
          "c(x, y) = in(x, y);  c(k, y) += c(k - 1, y);  c(x, m) += c(x, m - 1);\n"
          "g(x, y) = c(x, y) * 3;\n"
          "f(x, y) = g(x, y) + g(x + 1, y);\n",
          {{"c", 0, {"x", "y"}}, {"c", 1, {"k", "y"}}, {"c", 2, {"m", "x"}}, {"g", 0, {"x", "y"}}, {"f", 0, {"x", "y"}}},
          {"c", "g"},
          {"g", "f"},
          [](int64_t w, int64_t h) {
            Input in("in", Int(32), 2);
            Var x("x"), y("y");
            RDom k(1, 7, "k"), m(1, 4, "m");
            Func c("c"), g("g"), f("f");
            c(x, y) = in(x, y);
            c(k, y) += c(k - 1, y);
            c(x, m) += c(x, m - 1);
            g(x, y) = c(x, y) * 3;
            f(x, y) = g(x, y) + g(x + 1, y);
            return Subject{{{"c", c}, {"g", g}, {"f", f}}, {{"x", x}, {"y", y}}, {{"k", k.x}, {"m", m.x}}, [=] { return finish(in, f, w, h, 64, 64); }};
          }};
}

// ---- directives ----------------------------------------------------------------------------------------------------

struct Step {
  std::string text;  // as C++
  std::vector<std::string> names;
  std::function<void(Subject&)> apply;
};

class Generator {
 public:
  Generator(const Family& family, uint32_t seed) : family_(family), stages_(family.stages), random_(seed) {}

  std::vector<Step> run() {
    std::vector<Step> steps;
    for (int n = below(6) + 1; n > 0; --n) below(5) < 3 ? loops(steps) : place(steps);
    return steps;
  }
  int64_t extent(bool wide) { return chance(4) ? below(4) + 1 : below(wide ? 60 : 20) + 1; }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  bool chance(int n) { return below(n) == 0; }
  template <class T>
  const T& any(const std::vector<T>& v) {
    return v[below(static_cast<int>(v.size()))];
  }
  std::string fresh() { return "v" + std::to_string(++fresh_); }

  // The directive on a Func (stage 0) or one of its updates.
  template <class F>
  Step on(const StageInfo& s, const std::string& call, std::vector<std::string> names, F apply) {
    const std::string func = s.func;
    const int stage = s.stage;
    return {func + (stage > 0 ? ".update(" + std::to_string(stage - 1) + ")" : "") + "." + call, std::move(names), [=](Subject& subject) {
              if (stage == 0) return apply(subject, subject.funcs.at(func));
              Stage update = subject.funcs.at(func).update(stage - 1);
              apply(subject, update);
            }};
  }

  static std::string list(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
    return out;
  }

  void loops(std::vector<Step>& steps) {
    StageInfo& s = stages_[static_cast<size_t>(below(static_cast<int>(stages_.size())))];
    if (s.loops.empty()) return;
    const size_t at = static_cast<size_t>(below(static_cast<int>(s.loops.size())));
    // Now and then a loop that is not there.
    const std::string v = chance(40) ? "none" : s.loops[at];
    static const std::vector<int64_t> factors = {1, 2, 3, 4, 5, 8, 16, 32};
    const int64_t n = any(factors);
    const auto tail = static_cast<TailStrategy>(chance(2) ? 0 : below(4));
    static const char* const tail_names[] = {"TailStrategy::Auto", "TailStrategy::RoundUp", "TailStrategy::GuardWithIf", "TailStrategy::ShiftInwards"};
    const std::string tail_text = tail_names[static_cast<int>(tail)], number = std::to_string(n);
    switch (below(15)) {
      case 14: {
        if (s.loops.size() < 2) return;
        const std::string w = s.loops[static_cast<size_t>(below(static_cast<int>(s.loops.size())))];
        const int64_t k = below(4) + 1;
        // The two outermost loops, mostly: what tiles make blocks of.
        const std::string a = chance(4) ? v : s.loops[s.loops.size() - 1], b = chance(4) ? w : s.loops[s.loops.size() - 2];
        steps.push_back(on(s, "block_order(grouped(" + a + ", " + std::to_string(k) + "), " + b + ")", {a, b},
                           [=](Subject& t, auto& f) { f.block_order(grouped(t.loop(a), k), t.loop(b)); }));
        return;
      }
      case 13: {
        const std::string t = fresh();
        steps.push_back(on(s, "rename(" + list({v, t}) + ")", {v, t}, [=](Subject& k, auto& f) { f.rename(k.loop(v), k.loop(t)); }));
        s.loops[at] = t;
        return;
      }
      case 0: case 1: case 2: {
        const std::string o = fresh(), i = fresh();
        steps.push_back(on(s, "split(" + list({v, o, i, number, tail_text}) + ")", {v, o, i},
                           [=](Subject& t, auto& f) { f.split(t.loop(v), t.loop(o), t.loop(i), n, tail); }));
        s.loops[at] = i;
        s.loops.insert(s.loops.begin() + static_cast<int64_t>(at) + 1, o);
        return;
      }
      case 3: {
        if (at + 1 >= s.loops.size()) return;
        const std::string outer = s.loops[at + 1], fused = fresh();
        steps.push_back(on(s, "fuse(" + list({v, outer, fused}) + ")", {v, outer, fused}, [=](Subject& t, auto& f) { f.fuse(t.loop(v), t.loop(outer), t.loop(fused)); }));
        s.loops[at] = fused;
        s.loops.erase(s.loops.begin() + static_cast<int64_t>(at) + 1);
        return;
      }
      case 4: case 5: {
        const size_t other = static_cast<size_t>(below(static_cast<int>(s.loops.size())));
        const std::string w = s.loops[other];
        if (other <= at) return;
        steps.push_back(on(s, "reorder(" + list({w, v}) + ")", {w, v}, [=](Subject& t, auto& f) { f.reorder(t.loop(w), t.loop(v)); }));
        std::swap(s.loops[at], s.loops[other]);
        return;
      }
      case 6: steps.push_back(on(s, "parallel(" + v + ")", {v}, [=](Subject& t, auto& f) { f.parallel(t.loop(v)); })); return;
      case 7: steps.push_back(on(s, "vectorize(" + v + ", " + number + ")", {v}, [=](Subject& t, auto& f) { f.vectorize(t.loop(v), n); })); return;
      case 8: steps.push_back(on(s, "unroll(" + v + ", " + number + ")", {v}, [=](Subject& t, auto& f) { f.unroll(t.loop(v), n); })); return;
      case 9: {
        const std::string word = below(2) ? "serial" : "vectorize";
        const bool serial = word == "serial";
        steps.push_back(on(s, word + "(" + v + ")", {v}, [=](Subject& t, auto& f) { serial ? f.serial(t.loop(v)) : f.vectorize(t.loop(v)); }));
        return;
      }
      case 10: {
        if (s.loops.size() < 2 || at == 0) return;
        const std::string x = s.loops[at - 1], xo = fresh(), xi = fresh(), yo = fresh(), yi = fresh();
        const int64_t k = any(factors);
        steps.push_back(on(s, "gpu_tile(" + list({x, v, xo, yo, xi, yi, number, std::to_string(k), tail_text}) + ")", {x, v, xo, yo, xi, yi}, [=](Subject& t, auto& f) {
          f.gpu_tile(t.loop(x), t.loop(v), t.loop(xo), t.loop(yo), t.loop(xi), t.loop(yi), n, k, tail);
        }));
        std::erase(s.loops, x), std::erase(s.loops, v);
        for (const std::string& l : {xi, yi, xo, yo}) s.loops.push_back(l);
        return;
      }
      case 11: {
        const std::string o = fresh(), i = fresh();
        steps.push_back(on(s, "split(" + list({v, o, i, number}) + ").gpu_blocks(" + o + ").gpu_threads(" + i + ")", {v, o, i},
                           [=](Subject& t, auto& f) { f.split(t.loop(v), t.loop(o), t.loop(i), n).gpu_blocks(t.loop(o)).gpu_threads(t.loop(i)); }));
        s.loops[at] = i;
        s.loops.insert(s.loops.begin() + static_cast<int64_t>(at) + 1, o);
        return;
      }
      default:
        if (below(2)) steps.push_back(on(s, "cooperative()", {}, [](Subject&, auto& f) { f.cooperative(); }));
        else steps.push_back(on(s, "gpu_blocks(" + v + ")", {v}, [=](Subject& t, auto& f) { f.gpu_blocks(t.loop(v)); }));
    }
  }

  void place(std::vector<Step>& steps) {
    const std::string f = any(family_.producers), g = any(family_.consumers);
    std::vector<std::string> loops;
    for (const StageInfo& s : stages_)
      if (s.func == g) loops.insert(loops.end(), s.loops.begin(), s.loops.end());
    const std::string v = any(loops);
    const auto add = [&](const std::string& call, std::vector<std::string> names, std::function<void(Subject&, Func&)> apply) {
      steps.push_back({f + "." + call, std::move(names), [=](Subject& s) { apply(s, s.funcs.at(f)); }});
    };
    static const char* const memory_names[] = {"Auto", "Global", "Shared", "Register"};
    static const MemoryType memories[] = {MemoryType::Auto, MemoryType::Global, MemoryType::Shared, MemoryType::Register};
    switch (below(15)) {
      case 0: case 1: add("compute_root()", {}, [](Subject&, Func& h) { h.compute_root(); }); return;
      case 2: case 3: case 4: add("compute_at(" + g + ", " + v + ")", {v}, [=](Subject& s, Func& h) { h.compute_at(s.funcs.at(g), s.loop(v)); }); return;
      case 5: case 6: add("compute_at_block(" + g + ")", {}, [=](Subject& s, Func& h) { h.compute_at_block(s.funcs.at(g)); }); return;
      case 7: add("compute_inline()", {}, [](Subject&, Func& h) { h.compute_inline(); }); return;
      case 8: {
        const int m = below(4);
        add(std::string("store_in(MemoryType::") + memory_names[m] + ")", {}, [=](Subject&, Func& h) { h.store_in(memories[m]); });
        return;
      }
      case 11: add("reorder_storage(y, x)", {}, [](Subject& s, Func& h) { h.reorder_storage(s.vars.at("y"), s.vars.at("x")); }); return;
      case 12: case 13: {
        const std::string dim = below(2) ? "x" : "y";
        const int64_t n = below(9) + 1;
        if (below(2)) add("align_storage(" + dim + ", " + std::to_string(n) + ")", {}, [=](Subject& s, Func& h) { h.align_storage(s.vars.at(dim), n); });
        else add("align_bounds(" + dim + ", " + std::to_string(n) + ")", {}, [=](Subject& s, Func& h) { h.align_bounds(s.vars.at(dim), n); });
        return;
      }
      case 14: {
        const std::string dim = below(2) ? "x" : "y";
        const int64_t n = below(40) + 1;
        add("bound_extent(" + dim + ", " + std::to_string(n) + ")", {}, [=](Subject& s, Func& h) { h.bound_extent(s.vars.at(dim), static_cast<int>(n)); });
        return;
      }
      case 9: add("store_at(" + g + ", " + v + ")", {v}, [=](Subject& s, Func& h) { h.store_at(s.funcs.at(g), s.loop(v)); }); return;
      default: add("store_root()", {}, [](Subject&, Func& h) { h.store_root(); });
    }
  }

  const Family& family_;
  std::vector<StageInfo> stages_;
  std::mt19937 random_;
  int fresh_ = 0;
};

// ---- outcomes ------------------------------------------------------------------------------------------------------

struct Trial {
  const Family* family;
  int64_t width, height;
  const char* target;
};

std::string as_cpp(const Trial& t, const std::vector<Step>& steps) {
  std::set<std::string> names;
  for (const Step& s : steps)
    for (const std::string& n : s.names)
      if (n[0] == 'v' || n == "none") names.insert(n);
  std::string out = std::string("// ") + t.target + ", output " + std::to_string(t.width) + " x " + std::to_string(t.height) + "\n" + t.family->source;
  for (const std::string& n : names) out += "Var " + n + "(\"" + n + "\");\n";
  for (const Step& s : steps) out += s.text + ";\n";
  return out;
}

std::string error_text;  // of the last refusal

// "" where the numbers are right, "E0207" (or "sizes") where it is refused, else what went wrong. A directive that is refused when it is given is left out.
std::string outcome(const Trial& t, const std::vector<Step>& steps) {
  const Case c{"fuzz", [&] {
                 Subject subject = t.family->make(t.width, t.height);
                 for (const Step& s : steps) {
                   try {
                     s.apply(subject);
                   } catch (const ir::UserError&) {
                   }
                 }
                 return subject.finish();
               }};
  try {
    const std::string difference = run_and_compare(c, Target::parse(t.target));
    return difference.empty() ? "" : "wrong: " + difference;
  } catch (const ir::UserError& e) {
    error_text = e.what();
    if (!e.diagnostic().loc.known()) return std::string("an error without a line: ") + e.what();
    return ir::code_text(e.code());
  } catch (const ir::RuntimeError& e) {
    if (e.status() == SINTER_ERR_REQUIRES) return "sizes";  // RoundUp reads more of the input than there is: said at the call
    return std::string("no UserError: ") + e.what();
  } catch (const std::exception& e) {
    return std::string("no UserError: ") + e.what();
  }
}

bool is_fault(const std::string& outcome) { return !outcome.empty() && outcome.size() != 5; }

std::vector<Step> minimised(const Trial& t, std::vector<Step> steps) {
  for (size_t i = steps.size(); i-- > 0;) {
    std::vector<Step> fewer = steps;
    fewer.erase(fewer.begin() + static_cast<int64_t>(i));
    if (is_fault(outcome(t, fewer))) steps = std::move(fewer);
  }
  return steps;
}

// What runs, for whoever reads the log of a crash or of a schedule that takes forever.
char running[4096];
void say_what_runs(int signal) {
  (void)!write(2, running, std::strlen(running));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

int number_of(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

class RandomSchedules : public ::testing::TestWithParam<Family> {};

TEST_P(RandomSchedules, AreRightOrRefused) {
  for (const int s : {SIGSEGV, SIGABRT, SIGFPE, SIGALRM}) std::signal(s, say_what_runs);
  const int first = number_of("SINTER_FUZZ_SEED", 1), count = number_of("SINTER_FUZZ_COUNT", 67);
  const char* show = std::getenv("SINTER_FUZZ_SHOW");
  int accepted = 0, runs = 0;
  std::map<std::string, int> refused;
  for (int seed = first; seed < first + count; ++seed) {
    Generator generator(GetParam(), static_cast<uint32_t>(seed));
    const int64_t width = generator.extent(true), height = generator.extent(false);
    const std::vector<Step> steps = generator.run();
    for (const char* target : {"emulate-sm_90a", "host"}) {
      const Trial trial{&GetParam(), width, height, target};
      const std::string text = "seed " + std::to_string(seed) + "\n" + as_cpp(trial, steps);
      std::strncpy(running, text.c_str(), sizeof running - 1);
      alarm(120);
      const std::string result = outcome(trial, steps);
      alarm(0);
      ++runs;
      if (result.empty()) ++accepted;
      else if (!is_fault(result)) {
        ++refused[result];
        if (show && result == show) std::printf("seed %d: %s\n%s\n", seed, error_text.c_str(), as_cpp(trial, steps).c_str());
      }
      else ADD_FAILURE() << "seed " << seed << ": " << result << "\n" << as_cpp(trial, minimised(trial, steps));
    }
  }
  std::string counts = std::to_string(accepted) + " of " + std::to_string(runs) + " accepted;";
  for (const auto& [code, n] : refused) counts += " " + code + ": " + std::to_string(n);
  std::puts(counts.c_str());
  EXPECT_GE(accepted * 10, runs * 3) << counts;
}

INSTANTIATE_TEST_SUITE_P(Pipelines, RandomSchedules, ::testing::Values(stencil(), reduction(), scan()), [](const auto& i) { return std::string(i.param.name); });

}  // namespace
}  // namespace sinter::testing
