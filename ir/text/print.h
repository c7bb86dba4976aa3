// Every form of the IR as text. docs/ir.md has the grammar; text/parse.h reads it back: parse(print(x)) is x, up to the identity of
// variables, and of Locs where they are not printed. Printing is linear in the DAG: large shared sub-expressions become `%n`.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/kernel_draft.h"
#include "ir/schedule.h"

namespace sinter::ir {

// Notes to print as `// ^ ...` lines below the first line of a statement (verifiers).
using StmtMarks = std::unordered_map<const StmtNode*, std::vector<std::string>>;

struct PrintOptions {
  bool locs = false;                 // ` @ "file":line` behind statements, definitions and directives
  const StmtMarks* marks = nullptr;
};

std::string print(const Program& program, const Schedule& schedule, const PrintOptions& options = {});
std::string print(const Program& program, const PrintOptions& options = {});
std::string print_nest(const Program& program, const Stmt& nest, const PrintOptions& options = {});  // what parse_nest reads
std::string print(const Module& module, const PrintOptions& options = {});
std::string print_draft(const Module& module, const KernelDraft& draft, const PrintOptions& options = {});  // what parse_draft reads

// Parts of the above, for people; not a whole file.
std::string print(const Stmt& s, const Program& program, const PrintOptions& options = {});
std::string print(const Stmt& s, const Module& module, const PrintOptions& options = {});
std::string print(const Kernel& kernel, const Module& module, const PrintOptions& options = {});
std::string print(const KernelDraft& draft, const Module& module, const PrintOptions& options = {});
std::string print_cut(const Stmt& entry, const std::vector<KernelDraft>& drafts, const Module& module);  // the entry, and what it launches
std::string print(const Expr& e, const Program& program);

// Only loops, allocations, produce and consume, and which Func is computed where: what users see as print_loop_nest().
std::string print_loop_nest(const Stmt& s, const Program& program);

}  // namespace sinter::ir
