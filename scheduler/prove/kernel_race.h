// race: within a barrier interval, no two threads touch one element, one of them storing; across blocks, no two blocks do.
//
// Accesses that may be in one interval are followed along the kernel's body: what is pending since the last barrier on some path,
// around the back edges of serial loops too, where the first copy is one iteration behind (any number, where the body has no barrier).
// Each pair is a claim over two copies of the thread's variables: equal indices in every dimension imply equal threads. Stores of one
// pure definition are equal where they meet and are exempt.
#pragma once

#include "scheduler/prove/kernel_places.h"
#include "scheduler/prove/kernel_touch.h"

namespace sinter::scheduler {

// Throws E0302; E0304 for a barrier that not every thread reaches (convergence is known here: the same walk).
void prove_races(Claims& claims, const ir::Program& program, const KernelDraft& kernel);

}  // namespace sinter::scheduler
