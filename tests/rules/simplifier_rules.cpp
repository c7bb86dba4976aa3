// Every rule of the simplifier is proved by Z3, and the check itself can fail.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "ir/transform/rules/tables.h"
#include "scheduler/prove/rule_checker.h"

namespace sinter {
namespace {

using namespace ir::rules;
using ir::Rule;
using ir::Verdict;
using scheduler::check_rule;

// One test per operator of the table keeps ctest's list short and a failure local.
class SimplifierRules : public ::testing::TestWithParam<const char*> {};

TEST_P(SimplifierRules, AreProved) {
  const std::string group = std::string(GetParam()) + ":";
  int count = 0;
  for (const Rule& rule : ir::all_rules()) {
    if (rule.name.compare(0, group.size(), group) != 0) continue;
    ++count;
    for (const auto& proof : check_rule(rule))
      EXPECT_EQ(proof.verdict, Verdict::Proved) << rule.name << "\n  " << proof.what << ": " << proof.detail;
  }
  EXPECT_GT(count, 4) << "no rules in this group?";
}
INSTANTIATE_TEST_SUITE_P(Table, SimplifierRules, ::testing::Values("arithmetic", "division", "min_max", "compare", "logic", "vector"),
                         [](const auto& info) { return std::string(info.param); });

TEST(SimplifierRulesTable, GroupsAreAllTested) {
  std::set<std::string> names;
  for (const Rule& rule : ir::all_rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << "twice: " << rule.name;
    const std::string group = rule.name.substr(0, rule.name.find(':'));
    EXPECT_TRUE(std::set<std::string>({"arithmetic", "division", "min_max", "compare", "logic", "vector"}).count(group)) << group;
  }
}

// Wrong rules: each must be refuted, in the obligation named.
struct Wrong {
  std::string obligation;
  uint8_t domains;
  Pat lhs, rhs;
  ir::Expr condition;
};

TEST(SimplifierRulesTable, WrongRulesAreRefuted) {
  const auto& [x, y, z, w, p, q, r, c0, c1, c2] = wildcards();
  const Wrong wrong[] = {
      {"signed value", ir::kSigned, x / c0 * c0, x, {}},
      {"signed value", ir::kSigned, (x + c0) / c1, x / c1 + c0 / c1, (c1 > 0).e},
      {"signed value", ir::kSigned, x % c0, x, (x < c0).e},
      {"signed value", ir::kSigned, min(x, max(x, y)), y, {}},
      {"signed value", ir::kSigned, x * c0 < y * c0, x < y, (c0 != 0).e},
      {"signed overflow", ir::kSigned, x + c0 < y + c1, x + (c0 - c1) < y, {}},
      {"signed overflow", ir::kSigned, (x - y) + z, (x + z) - y, {}},
      {"signed overflow", ir::kSigned, x / 2 + y / 2, (x / 2 + y) - y + y / 2, {}},
      {"i8", ir::kWrapping, x + y < x + z, y < z, {}},
      {"u8", ir::kWrapping, x * 2 / 2, x, {}},
      {"bool", ir::kBool, p || (q && r), p && (q || r), {}},
      {"float", ir::kFloat, !(x < y), y <= x, {}},
      {"float", ir::kFloat, x == x, truth(true), {}},
      {"signed value", ir::kSigned, ramp(x, c0) + ramp(y, c1), ramp(x + y, c0 - c1), {}},
  };
  for (const Wrong& rule : wrong) {
    const Rule as_rule{"wrong", rule.domains, rule.lhs.e, rule.rhs.e, rule.condition};
    bool refuted = false;
    std::string all;
    for (const auto& proof : check_rule(as_rule)) {
      all += proof.what + "=" + ir::verdict_name(proof.verdict) + " " + proof.detail + "; ";
      if (proof.what == rule.obligation && proof.verdict == Verdict::Refuted && !proof.detail.empty()) refuted = true;
    }
    EXPECT_TRUE(refuted) << to_string(rule.lhs.e) << " → " << to_string(rule.rhs.e) << ": " << all;
  }
}

}  // namespace
}  // namespace sinter
