// unroll-serial: the loops that a thread runs alone get several iterations into one straight line.
//
// requires: flat per-thread code.
// ensures: an innermost serial loop in straight line that loads from addresses which move with it is unrolled: whole where it is short, else
//          by up to 8 with a loop for the rest. Order of iterations is kept, so values don't change.
// why here: right before load grouping, which can then issue the loads of several iterations together, and as one vector where they are
//          neighbours. A reduction with one load in flight a thread would wait for memory all the time.
#pragma once

#include "scheduler/lower/kernel/draft.h"

namespace sinter::scheduler {

void unroll_serial(KernelDraft& draft);

}  // namespace sinter::scheduler
