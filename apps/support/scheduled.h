// Which of an application's schedules to apply.
#pragma once

namespace sinter::apps {

enum class Scheduled {
  ByDefault,  // no directive: what the compiler chooses
  ForHost,    // by hand, for a host
  ForGpu,     // by hand, for a GPU
};

}  // namespace sinter::apps
