// race and alias between the instances of one stage: iterations that may run in any order do not touch each other's points.
#pragma once

#include "scheduler/prove/coverage.h"

namespace sinter::scheduler {

// An update under loops that are not serial: two instances in different iterations of those loops neither store to one point nor read
// what the other stores. (A pure definition reads nothing of its own Func, and stores at one point are equal.) Throws E0302; E0308
// where a pure definition that computes points twice reads what it stores.
void prove_instance_order(Claims& claims, const ir::Program& program, const StageInstance& instance);

}  // namespace sinter::scheduler
