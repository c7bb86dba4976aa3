#include "ir/transform/rules/tables.h"

namespace sinter::ir::rules {

// Division is Euclidean and x / 0 = x % 0 = 0. Wrapping types have few rules: (x * 2) / 2 is not x where x * 2 wraps.
void division(std::vector<Rule>& out) {
  Table t(out, "division");
  const auto& [x, y, z, w, p, q, r, c0, c1, c2] = wildcards();
  const uint8_t S = kSigned, I = kInteger;
  const Pat positive = c0 > 0;
  const Pat multiple = c1 > 0 && c0 % c1 == 0;

  t.add(I, x / 1, x);
  t.add(I, x % 1, 0);
  t.add(I, 0 / x, 0);
  t.add(I, 0 % x, 0);
  t.add(I, x / 0, 0);
  t.add(I, x % 0, 0);
  t.add(I, x % x, 0);
  t.add(S, x / x, 1, 0 < x);

  // In range.
  t.add(S, x / c0, 0, 0 <= x && x < c0);
  t.add(S, x / y, 0, 0 <= x && x < y);
  t.add(S, x % c0, x, 0 <= x && x < c0);
  t.add(S, x % y, x, 0 <= x && x < y);

  // Multiples leave the quotient.
  t.add(S, (x * c0) / c1, x * (c0 / c1), multiple);
  t.add(S, (x * c0) / c1, x / (c1 / c0), c0 > 0 && c1 > 0 && c1 % c0 == 0);
  t.add(S, (x * c0 + y) / c1, x * (c0 / c1) + y / c1, multiple);
  t.add(S, (y - x * c0) / c1, y / c1 - x * (c0 / c1), multiple);
  t.add(S, (x + c0) / c1, x / c1 + c0 / c1, multiple);
  t.add(S, (x - c0) / c1, x / c1 - c0 / c1, multiple);
  t.add(S, (x / c0) / c1, x / (c0 * c1), c0 > 0 && c1 > 0);
  t.add(S, (x - x % c0) / c0, x / c0, positive);
  t.add(S, (x * y) / y, x, 0 < y);
  t.add(S, (x * y + z) / y, x + z / y, 0 < y);

  // And vanish from the remainder.
  t.add(S, (x * c0) % c1, 0, multiple);
  t.add(S, (x * c0 + y) % c1, y % c1, multiple);
  t.add(S, (y - x * c0) % c1, y % c1, multiple);
  t.add(S, (x + c0) % c1, x % c1, multiple);
  t.add(S, (x - c0) % c1, x % c1, multiple);
  t.add(S, (x % c0) % c1, x % c1, c0 > 0 && multiple);
  t.add(S, (x % y) % y, x % y);
  t.add(S, (x * y) % y, 0);
  t.add(S, (x * y + z) % y, z % y);

  // Quotient and remainder meet again.
  t.add(I, (x / c0) * c0 + x % c0, x, positive);
  t.add(I, x - (x / c0) * c0, x % c0, positive);
  t.add(I, x - x % c0, (x / c0) * c0, positive);
  t.add(S, (x / y) * y + x % y, x, 0 < y);
}

}  // namespace sinter::ir::rules
