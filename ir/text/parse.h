// Reads back what text/print.h writes (docs/ir.md has the grammar). A mistake is a UserError E0500 that shows the line and what was
// expected; nothing else comes out, whatever the text. Types of operands are checked here; the invariants of the forms are not
// (verify/verify.h).
#pragma once

#include <string_view>
#include <utility>

#include "ir/kernel_draft.h"
#include "ir/schedule.h"

namespace sinter::ir {

std::pair<Program, Schedule> parse_program(std::string_view text);  // the schedule may be left out
std::pair<Program, Stmt> parse_nest(std::string_view text);
Module parse_module(std::string_view text);
std::pair<Module, KernelDraft> parse_draft(std::string_view text);  // the Module: arguments and buffers

}  // namespace sinter::ir
