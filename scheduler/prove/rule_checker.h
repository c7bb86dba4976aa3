// Proofs of simplifier rules (proofs.md 7), for tests/rules.
#pragma once

#include <string>
#include <vector>

#include "ir/prover.h"
#include "ir/transform/rules/rule.h"

namespace sinter::scheduler {

struct RuleProof {
  std::string what;  // "signed value", "signed overflow", "i8", "u8", "bool", "float"
  ir::Verdict verdict = ir::Verdict::Unknown;
  std::string detail;  // a counterexample, or how it was proved where not outright
};

// One entry per obligation of the rule's domains:
//  - signed: over all integers with the condition, both sides are equal; and with i32 inputs, where no part of the pattern leaves
//    i32 no part of the result does. Where Z3 can't do this with unknown literals (products and quotients of unknowns), for each
//    choice of literals, and of divisors, from a list that includes the ends of i32; the other wildcards stay free.
//    Bitwise operators: as for wrapping types.
//  - wrapping: 8-bit vectors, signed and unsigned. The operators' carries move upwards only or the rule mentions no literal
//    above the type, so that 8 bits stand for all widths.
//  - float: a small IEEE format, equal bit for bit.
std::vector<RuleProof> check_rule(const ir::Rule& rule);

}  // namespace sinter::scheduler
