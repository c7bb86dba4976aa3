// Bias, GELU and residual on tensors, as after a linear layer: plain algorithm, and two schedules.
#pragma once

#include <sinter/sinter.h>

#include "apps/quickstart/run.h"

namespace sinter::apps {

// y[m, n] = gelu(x[m, n] + bias[n]) + residual[m, n], f32, gelu in its tanh form.
Pipeline bias_gelu_residual(Form form);

}  // namespace sinter::apps
