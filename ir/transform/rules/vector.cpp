#include "ir/transform/rules/tables.h"

namespace sinter::ir::rules {

// Dense ramps stay visible: they are vector accesses. Strides that are combined have to be literals, whose sum is checked.
void vector(std::vector<Rule>& out) {
  Table t(out, "vector");
  const auto& [x, y, z, w, p, q, r, c0, c1, c2] = wildcards();
  const uint8_t I = kInteger;

  t.add(I, ramp(x, 0), broadcast(x));
  t.add(I, ramp(x, y) + broadcast(z), ramp(x + z, y));
  t.add(I, ramp(x, y) - broadcast(z), ramp(x - z, y));
  t.add(I, broadcast(z) - ramp(x, c0), ramp(z - x, -c0));
  t.add(I, ramp(x, c0) + ramp(y, c1), ramp(x + y, c0 + c1));
  t.add(I, ramp(x, c0) - ramp(y, c1), ramp(x - y, c0 - c1));
  t.add(I, ramp(x, c0) * broadcast(c1), ramp(x * c1, c0 * c1));
  t.add(I, -ramp(x, c0), ramp(-x, -c0));
}

}  // namespace sinter::ir::rules
