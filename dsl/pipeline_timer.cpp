#include "dsl/pipeline_timer.h"

#include <algorithm>
#include <vector>

#include "codegen/runtime/sinter_runtime.h"
#include "ir/diagnostic.h"

namespace sinter {

namespace {

void check(int status) {
  if (status != SINTER_OK) throw ir::RuntimeError(status, sinter_last_error());
}

class Event {
 public:
  Event() { check(sinter_rt_event_create(&event_)); }
  ~Event() { sinter_rt_event_destroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record() const { check(sinter_rt_event_record(event_, nullptr)); }
  sinter_rt_event get() const { return event_; }

 private:
  sinter_rt_event event_{};
};

}  // namespace

double gpu_median_ms(const std::function<void()>& work, int repeats) {
  for (int i = 0; i < 2; ++i) work();
  std::vector<float> times;
  const Event start, end;
  for (int i = 0; i < std::max(repeats, 1); ++i) {
    start.record();
    work();
    end.record();
    float ms = 0;
    check(sinter_rt_event_elapsed(start.get(), end.get(), &ms));
    times.push_back(ms);
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

}  // namespace sinter
