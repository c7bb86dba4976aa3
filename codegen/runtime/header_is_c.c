/* The public header has to be C, whatever the library is written in: this makes every build check it. */

#include "codegen/runtime/sinter_runtime.h"

/* Declarations alone: nothing of this file is in the library. */
extern int sinter_rt_header_is_c[sizeof(sinter_rt_arg) > 0 ? 1 : -1];
