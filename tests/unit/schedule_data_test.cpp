// Schedules as JSON: what is printed loads back as the same schedule, by name; what does not fit is refused and changes nothing.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/cases.h"
#include "tests/support/ir_equal.h"
#include "tests/support/schedule_samples.h"

namespace sinter::testing {
namespace {

std::string nest_of(const Pipeline& p, const Target& t) { return p.print_loop_nest(t); }

void expect_same(const std::string& name, const Pipeline& original, Pipeline again) {
  const std::string json = original.schedule_to_json();
  again.clear_schedule();
  again.schedule_from_json(json);
  test::IrEqual equal;
  EXPECT_TRUE(equal(original.program(), again.program())) << name << ": " << equal.difference();
  EXPECT_TRUE(equal(original.schedule(), again.schedule())) << name << ": " << equal.difference() << "\n" << json;
  EXPECT_EQ(json, again.schedule_to_json()) << name;
  // On top of the schedule that it has.
  again.schedule_from_json(json);
  EXPECT_EQ(json, again.schedule_to_json()) << name;
}

TEST(ScheduleJson, EveryCaseLoadsBackAsTheSameSchedule) {
  size_t cases = 0;
  for (const Case& c : all_cases()) {
    expect_same(c.name, c.build().pipeline, c.build().pipeline);
    ++cases;
  }
  EXPECT_GT(cases, 200u);
}

TEST(ScheduleJson, EverySampleLoadsBackAsTheSameSchedule) {
  for (const ScheduleSample& s : schedule_samples()) expect_same(s.name, s.build(), s.build());
}

TEST(ScheduleJson, TheSameLoopsComeOut) {
  size_t n = 0;
  for (const Case& c : all_cases()) {
    if (++n % 7 != 0) continue;
    const Pipeline original = c.build().pipeline;
    Pipeline again = c.build().pipeline;
    again.clear_schedule();
    again.schedule_from_json(original.schedule_to_json());
    for (const char* target : {"host", "cuda-sm_90a"}) {
      if (c.host_only && std::string(target) != "host") continue;
      EXPECT_EQ(nest_of(original, Target::parse(target)), nest_of(again, Target::parse(target))) << c.name;
    }
  }
}

// A directive that is added has to be in the samples, which are stored and printed above, and on the page that describes it.
TEST(ScheduleJson, EveryDirectiveIsInTheSamplesAndOnItsPage) {
  std::set<ir::DirectiveKind> used;
  std::set<std::string> tails;
  for (const ScheduleSample& s : schedule_samples())
    for (const ir::Directive& d : s.build().schedule().directives) {
      used.insert(d.kind);
      tails.insert(ir::tail_name(d.tail));
    }
  std::ifstream in(std::string(SINTER_SOURCE_DIR) + "/docs/directives.md");
  std::stringstream page;
  page << in.rdbuf();
  for (int k = 0; k <= static_cast<int>(ir::kLastDirective); ++k) {
    const ir::DirectiveInfo& d = ir::directive_info(static_cast<ir::DirectiveKind>(k));
    EXPECT_TRUE(used.count(d.kind)) << d.name << " is in no sample (tests/support/schedule_samples.cpp)";
    EXPECT_NE(page.str().find(std::string("\n### ") + d.method + "\n"), std::string::npos) << d.name << " has no section in docs/directives.md";
  }
  for (int t = 0; t <= static_cast<int>(ir::kLastTail); ++t)
    EXPECT_TRUE(tails.count(ir::tail_name(static_cast<ir::Tail>(t)))) << ir::tail_name(static_cast<ir::Tail>(t)) << " is in no sample";
}

struct Blur {
  Input in{"in", Float(32), 2};
  Var x{"x"}, y{"y"}, xo{"xo"}, xi{"xi"};
  Func rows{"rows"}, f{"f"};
  Blur() {
    rows(x, y) = in(x, y) + in(x + 1, y);
    f(x, y) = rows(x, y) + rows(x, y + 1);
  }
  Pipeline pipeline() { return Pipeline("blur", {in}, {f}); }
};

std::string with(const std::string& directives, const std::string& copies = "") {
  return "{\"format\": \"sinter schedule\", \"version\": 1, \"pipeline\": \"blur\", \"copies\": [" + copies + "], \"directives\": [" + directives + "]}";
}

TEST(ScheduleJson, LoadsByNameOntoAnotherPipeline) {
  Blur b;
  Pipeline p = b.pipeline();
  p.schedule_from_json(with(R"({"directive": "split", "func": "f", "loops": ["x", "xo", "xi"], "ints": [8]},
                               {"directive": "compute_at", "func": "rows", "of": "f", "loops": ["xo"]})"));
  EXPECT_EQ(p.schedule_to_cpp(), R"(// The schedule of pipeline `blur`.
void schedule_blur(sinter::Pipeline& p) {
  using namespace sinter;
  Func rows = p.func("rows");
  Func f = p.func("f");
  Var xo("xo");
  Var x = f.args()[0];
  Var xi("xi");
  rows.compute_at(f, xo);
  f.split(x, xo, xi, 8);
}
)");
}

TEST(ScheduleJson, AHandleToAWrapperOutlivesItsSchedule) {
  Blur b;
  Pipeline p = b.pipeline();
  Func w = b.rows.in(b.f);
  w.compute_root();
  p.clear_schedule();
  EXPECT_EQ(w.name(), "rows_in_f");
  EXPECT_EQ(p.schedule().directives.size(), 0u);
  EXPECT_EQ(p.program().funcs.size(), 3u);
}

TEST(ScheduleJson, WhatDoesNotFitIsRefusedAndChangesNothing) {
  struct Bad {
    std::string json, words;
  };
  const std::string split = R"({"directive": "split", "func": "f", "loops": ["x", "xo", "xi"], "ints": [8]})";
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "[";
  const Bad bad[] = {
      {"", "no JSON"},
      {"{", "no JSON"},
      {deep, "too deep"},
      {"[]", "no schedule"},
      {R"({"format": "sinter schedule"})", "no \"version\""},
      {R"({"format": "sinter schedule", "version": 99})", "version 99 is not known"},
      {R"({"format": "sinter schedule", "version": 1, "more": 0})", "no member `more`"},
      {with(R"({"directive": "splat", "func": "f"})"), "there is no directive `splat`"},
      {with(R"({"func": "f"})"), "`directive` is missing"},
      {with(R"({"directive": "split", "func": "nobody", "loops": ["x", "xo", "xi"], "ints": [8]})"), "no Func `nobody`"},
      {with(R"({"directive": "split", "func": "f", "loops": ["q", "xo", "xi"], "ints": [8]})"), "no loop or dimension `q`"},
      {with(R"({"directive": "split", "func": "f", "loops": ["x", "xo", "x i"], "ints": [8]})"), "not an identifier"},
      {with(R"({"directive": "split", "func": "f", "loops": ["x", "xo"], "ints": [8]})"), "2 loops, but it takes 3"},
      {with(R"({"directive": "split", "func": "f", "loops": ["x", "xo", "xi"]})"), "0 integers, but it takes 1"},
      {with(R"({"directive": "split", "func": "f", "loops": ["x", "xo", "xi"], "ints": [1.5]})"), "is no integer"},
      {with(R"({"directive": "split", "func": "f", "loops": ["x", "xo", "xi"], "ints": [8], "tail": "Round"})"), "no tail strategy `Round`"},
      {with(R"({"directive": "serial", "func": "f", "loops": ["x"], "tail": "RoundUp"})"), "`tail` does not belong here"},
      {with(R"({"directive": "serial", "func": "f", "loops": ["x"], "update": 0})"), "no update 0"},
      {with(R"({"directive": "compute_root", "func": "rows", "update": 0})"), "`update` does not belong here"},
      {with(R"({"directive": "compute_at", "func": "rows", "loops": ["x"]})"), "no `of`"},
      {with(R"({"directive": "compute_at", "func": "rows", "of": "f", "loops": ["xo"]})"), "no loop or dimension `xo`"},
      {with(R"({"directive": "store_in", "func": "rows"})"), "no `memory`"},
      {with(R"({"directive": "store_in", "func": "rows", "memory": "disk"})"), "no memory `disk`"},
      {with(R"({"directive": "bound", "func": "f", "loops": ["x"], "exprs": [0, {"param": "n"}]})"), "no Param `n`"},
      {with(R"({"directive": "bound", "func": "f", "loops": ["x"], "exprs": [0, {"extent": "rows", "dim": 0}]})"), "neither an Input nor an output"},
      {with(R"({"directive": "bound", "func": "f", "loops": ["x"], "exprs": [0, {"extent": "in", "dim": 2}]})"), "no dimension 2"},
      {with(R"({"directive": "bound", "func": "f", "loops": ["x"], "exprs": [0, {"op": "Add", "args": [1, true]}]})"), "`Add` of types i32 and bool"},
      {with(R"({"directive": "bound", "func": "f", "loops": ["x"], "exprs": [0, {"op": "Load", "args": [1]}]})"), "no operation `Load`"},
      {with(R"({"directive": "compute_root", "func": "in"})"), "of the Input `in`"},
      {with("", R"({"name": "c", "of": "nobody", "readers": ["f"]})"), "no Func `nobody`"},
      {with("", R"({"name": "c", "of": "rows", "readers": []})"), "has no readers"},
  };
  Blur b;
  Pipeline p = b.pipeline();
  b.rows.in(b.f).compute_at(b.f, b.y);
  b.f.split(b.x, b.xo, b.xi, 4);
  const std::string before = p.schedule_to_json();
  for (const Bad& c : bad) {
    try {
      p.schedule_from_json(c.json);
      ADD_FAILURE() << "accepted: " << c.json;
    } catch (const UserError& e) {
      EXPECT_EQ(ir::code_text(e.code()), "E0502") << e.what();
      EXPECT_NE(std::string(e.what()).find(c.words), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("schedule_data_test.cpp:"), std::string::npos) << e.what();
    }
    EXPECT_EQ(p.schedule_to_json(), before);
  }
  // A directive that is not legal says so as it does in C++.
  try {
    p.schedule_from_json(with(split + ", " + R"({"directive": "rename", "func": "f", "loops": ["y", "xi"]})"));
    ADD_FAILURE() << "accepted";
  } catch (const UserError& e) {
    EXPECT_EQ(ir::code_text(e.code()), "E0102") << e.what();
  }
  EXPECT_EQ(p.schedule_to_json(), before);
}

TEST(PipelineParts, AreFoundByName) {
  Blur b;
  const Pipeline p = b.pipeline();
  EXPECT_EQ(p.func("rows").contents(), b.rows.contents());
  EXPECT_EQ(p.input("in").contents(), b.in.contents());
  for (const auto& missing : {std::function<void()>([&] { p.func("none"); }), std::function<void()>([&] { p.input("none"); }), std::function<void()>([&] { p.param("none"); })})
    try {
      missing();
      ADD_FAILURE();
    } catch (const UserError& e) {
      EXPECT_EQ(ir::code_text(e.code()), "E0013") << e.what();
    }
}

}  // namespace
}  // namespace sinter::testing
