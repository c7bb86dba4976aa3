// A verifier for each form of the IR. They run after every pass; each collects all violations and throws one VerifyError that shows
// them in the printed IR.
//
// Everywhere
//   - operands have the types that ir/expr.h demands; literals are values of their type; no arithmetic on f16 and bf16
//   - a variable is bound before it is used, and bound once
//   - ids of Funcs, buffers, stages and kernels exist; accesses have the element's type
// Program
//   - an Input has no stages; a computed Func has a pure stage 0 whose arguments are its dims, and no reduction domain
//   - a stage calls earlier Funcs; an update may call its own Func; arity is right; everything is scalar
//   - variables of a stage are its pure dims, its reduction variables, Params, and sizes of Inputs and outputs
//   - extents, strides and declared sizes are one per dimension, or none
// Schedule
//   - Func, stage and target exist; the number of loops, integers and expressions is that of the directive
// Nest
//   - Seq, For, If, Let, Provide, Alloc, Produce, Consume, Check; Calls, no Loads; everything is scalar
//   - Block loops are one perfect nest (Lets may stand between), not inside another block; Cooperative and Thread loops are inside it
//   - Cooperative, Thread, Vectorized and Unrolled loops have a constant extent
//   - a computed Func that is no output is accessed inside its Alloc; it is allocated once on a path; inside a block its extents are
//     constants and its memory Register, Shared or undecided, outside Global, Host or undecided; no Shared inside a thread loop
//   - a Provide stores to a computed Func, a value of its type
// Kernel with tile statements
//   - outside tiles: Seq, For (Serial, Unrolled), If, Let, Tile, Sync, AsyncCopy, Matrix; inside: Seq, For (any but Block and Parallel),
//     If, Let, Provide, Store, Alloc in registers; no Tile, Produce, Consume or Sync
//   - tile, live and layout have one entry per dimension; a layout's digits move along existing dimensions, lanes multiply to 32 and
//     warps to the role's; a flat layout's vector divides the innermost extent
//   - tiles and block-wide barriers are not under control flow that depends on the thread (by taint from Kernel::thread)
// Kernel, per thread
//   - Seq, For (Serial), If, Let, Store, Sync, AsyncCopy, Matrix; flat Loads, no Calls; at most 16 lanes
//   - accessed buffers are listed, stored ones as written; allocations are the kernel's, inside its shared memory and aligned
//   - registers are indexed by literals, or a Ramp of them, inside the array
//   - free variables are block, thread and the scalars
//   - block-wide barriers are not under control flow that depends on the thread
//   - roles: their warps cover the block, without overlap
//   - Sync has the operands of its kind; a barrier is an element of a u64 allocation in shared memory; AsyncCopy joins a global and a
//     shared buffer of one type, with a slot where the allocation is a ring; Matrix names an instruction whose types are its operands'
// Draft of a kernel; each stage (ir/kernel_draft.h) keeps what those before it have established
//   - variables are the kernel's index, the host's, those of buffers, or bound in the body; an accessed Func is stored in the kernel, or is
//     an argument or in the workspace; storage has the Func's rank and type, constant extents and a first coordinate in scope wherever
//     it is accessed
//   - cut, decoded: the Nest form inside a block; block loops are in scope until they are decoded
//   - tiled: the form with tile statements, without layouts; `lets` are the body's Lets, hints are of tile variables
//   - sized: threads are whole warps
//   - laid out: a tile with dimensions has a layout of the kernel's threads that covers its box; no Func in Memory::Auto
//   - packed: Funcs in shared memory are aligned and inside `shared_bytes`
//   - expanded: Seq, For (Serial, Vectorized, Unrolled), If, Let, Provide, Store, Sync; flat accesses to the block's registers only
//   - flat: the form of a kernel per thread
// Host, while it is lowered
//   - loops: Seq, For (Serial, Parallel, Vectorized, Unrolled), If, Let, Provide, Alloc, Check; Calls, no Loads; scalars
//   - flat: the same with Store, Loads, no Calls
// Host
//   - the entry is Seq, For (Serial, Parallel), If, Let, Alloc, Store, Check, Memset; flat Loads; at most 16 lanes; no kernels
//   - a buffer is an argument, in the workspace, or inside its Alloc; nothing stores to an Input
// Module
//   - the Program's; one buffer per Func; arguments have a base among the slots; names of kernels are distinct
//   - for a GPU the entry is Seq, For (Serial), If, Let, Check, Launch, Memset, without accesses; scalars of a kernel are in scope at its
//     Launch
#pragma once

#include <string>
#include <vector>

#include "ir/diagnostic.h"
#include "ir/kernel_draft.h"
#include "ir/schedule.h"

namespace sinter::ir {

// E0501: an IR that breaks an invariant of its form. A fault of the pass before, or of a text by hand.
class VerifyError : public InternalError {
 public:
  VerifyError(std::string what, std::vector<std::string> problems, std::string excerpt);
  const std::vector<std::string>& problems() const { return problems_; }
  const std::string& what_broke() const { return what_; }    // "the nest"
  const std::string& excerpt() const { return excerpt_; }    // of the printed IR, violations marked

 private:
  std::vector<std::string> problems_;
  std::string what_, excerpt_;
};

void verify_program(const Program& program);
void verify_schedule(const Program& program, const Schedule& schedule);
void verify_nest(const Program& program, const Stmt& nest);
void verify_kernel_tiles(const Kernel& kernel, const Module& module);
void verify_kernel_threads(const Kernel& kernel, const Module& module);
void verify_draft(const KernelDraft& draft, const Module& module);
// What cut-kernels leaves: the entry launches `drafts` by index, where the host variables that each uses are in scope.
void verify_cut(const Stmt& entry, const std::vector<KernelDraft>& drafts, const Module& module);
void verify_host_loops(const Stmt& s, const Module& module);
void verify_host_flat(const Stmt& s, const Module& module);
void verify_host(const Module& module);
void verify_module(const Module& module);  // a finished Module, for any target

}  // namespace sinter::ir
