// ownership: a register is read by the thread that holds it, at a position that is known while compiling.
#pragma once

#include "scheduler/prove/kernel_places.h"
#include "scheduler/prove/kernel_touch.h"

namespace sinter::scheduler {

// Every access to a Func that is distributed over registers is made by the thread that its layout says, and every statement that
// computes such a Func runs in that layout. Storage of one thread is used by one tile statement only. Throws E0303; E0207 for a position
// that varies with a serial loop, the block or data.
void prove_ownership(Claims& claims, const ir::Program& program, const KernelDraft& kernel);

// resources: threads, shared memory and registers of the kernel fit the target. Throws E0401, E0402, E0403, with each Func's share.
void prove_resources(Claims& claims, const ir::Program& program, const KernelDraft& kernel, const ir::Target& target);

}  // namespace sinter::scheduler
