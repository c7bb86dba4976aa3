// Wrappers made by in(): recorded at the Func they wrap, and put into its readers when a Program is built.
#pragma once

#include "dsl/contents.h"

namespace sinter::detail {

// What `reader` reads where its definitions say `callee`: a wrapper for this reader, else one for all, else `callee`. A
// wrapper itself reads what it wraps, or a wrapper of that which names it as a reader; an update reads its own Func.
FuncPtr resolve(const FuncPtr& callee, const FuncContents& reader);

}  // namespace sinter::detail
