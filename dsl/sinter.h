// The front door: everything that a user of Sinter writes with. Included as <sinter/sinter.h>.
#pragma once

#include "dsl/boundary.h"
#include "dsl/buffer.h"
#include "dsl/build_program.h"
#include "dsl/expr.h"
#include "dsl/func.h"
#include "dsl/generator.h"
#include "dsl/half.h"
#include "dsl/input.h"
#include "dsl/integer_math.h"
#include "dsl/math.h"
#include "dsl/pipeline.h"
#include "dsl/pipeline_timer.h"
#include "dsl/reduce.h"
#include "dsl/schedule.h"
#include "dsl/types.h"
#include "dsl/var.h"
