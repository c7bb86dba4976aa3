// An unsharp mask of several stages: plain algorithm, and two schedules.
#pragma once

#include <sinter/sinter.h>

#include "apps/quickstart/run.h"

namespace sinter::apps {

// image: f32 [3, H, W] in [0, 1]; amount: how much sharper (0 = unchanged); result: f32 [3, H, W], clamped to [0, 1].
// Luma is blurred by a separable 5-tap Gaussian; every channel is scaled by the ratio of the sharpened luma to the luma.
Pipeline unsharp_mask(Form form);

}  // namespace sinter::apps
