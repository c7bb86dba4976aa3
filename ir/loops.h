// The names of a stage's loops while a user writes its schedule: enough to refuse, at the call, a directive that names
// a loop which is not there, names one twice, or takes a factor that is not positive. Everything deeper (kinds, tails,
// dependences, order) is checked where the schedule is applied (scheduler/primitive).
#pragma once

#include <string>
#include <vector>

#include "ir/schedule.h"

namespace sinter::ir {

// The largest factor of a split, tile, vectorize or unroll, so that extents can be rounded up in an i32; and of a vectorize.
inline constexpr int64_t kMaxFactor = 1 << 24, kMaxLanes = 256;

class LoopNames {
 public:
  // A stage's loops before any directive, innermost first.
  void add(Sym var, bool is_rvar);

  // Checks the loop directive `d` of stage `stage_name` ("blur", "acc.update(0)") and follows what it does to the
  // names. Throws E0100, E0101, E0102, E0104 or E0105 and then leaves the names as they were.
  void apply(const Directive& d, const std::string& stage_name);

  struct Loop {
    Sym var;
    bool is_rvar;
  };
  const std::vector<Loop>& loops() const { return loops_; }  // innermost first

 private:
  struct Gone {
    Sym var;
    std::string how;  // "split into `xo` and `xi` at f.cpp:12"
  };
  std::vector<Loop> loops_;
  std::vector<Gone> gone_;

  int find(const Sym& v) const;
  int require(const Sym& v, const Directive& d, const std::string& stage_name) const;
  void require_new(const Sym& v, const Sym& except, const Directive& d, const std::string& stage_name) const;
  void split(const Sym& old, const Sym& outer, const Sym& inner, const Directive& d, const std::string& stage_name);
  void fuse(const Directive& d, const std::string& stage_name);
};

}  // namespace sinter::ir
