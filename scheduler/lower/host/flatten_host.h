// flatten-host: the accesses of a host Nest become flat, in i64.
//
// requires: Allocs whose regions hold what their bodies access; arguments as in `module.buffers`.
// ensures: no Call, no Provide. Allocs stay: arena storage of product(extent) elements.
// why here: after loops are bound (copies share an Alloc's region), before vectors, which look at flat indices.
#pragma once

#include "ir/kernel.h"

namespace sinter::scheduler {

ir::Stmt flatten_host(const ir::Stmt& s, const ir::Module& module);

}  // namespace sinter::scheduler
