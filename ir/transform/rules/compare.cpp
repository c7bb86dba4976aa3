#include "ir/transform/rules/tables.h"

namespace sinter::ir::rules {

// Normal form: < and <= only; against a literal, exclusive above (x < 64) and inclusive below (0 <= x).
void compare(std::vector<Rule>& out) {
  Table t(out, "compare");
  const auto& [x, y, z, w, p, q, r, c0, c1, c2] = wildcards();
  const uint8_t S = kSigned, I = kInteger;

  t.add(I | kFloat, x > y, y < x);
  t.add(I | kFloat, x >= y, y <= x);
  t.add(I | kFloat, x < x, truth(false));
  t.add(I, x <= x, truth(true));
  t.add(I | kBool, x == x, truth(true));
  t.add(I | kBool, x != x, truth(false));

  // Differences.
  t.add(S, x - y < 0, x < y);
  t.add(S, x - y < 1, x <= y);
  t.add(S, x - y <= 0, x <= y);
  t.add(S, 0 < x - y, y < x);
  t.add(S, 1 <= x - y, y < x);
  t.add(S, 0 <= x - y, y <= x);
  t.add(I, x - y == 0, x == y);
  t.add(I, x - y != 0, x != y);

  // What both sides share goes.
  t.add(S, x + y < x + z, y < z);
  t.add(S, x + y <= x + z, y <= z);
  t.add(I, x + y == x + z, y == z);
  t.add(I, x + y != x + z, y != z);
  t.add(S, x + y < x, y < 0);
  t.add(S, x + y <= x, y <= 0);
  t.add(S, x < x + y, 0 < y);
  t.add(S, x <= x + y, 0 <= y);
  t.add(I, x + y == x, y == 0);
  t.add(S, x - y < z - y, x < z);
  t.add(S, x - y <= z - y, x <= z);
  t.add(S, x - y < x - z, z < y);
  t.add(S, x - y <= x - z, z <= y);

  // Literals on both sides: only towards the side where the sum shrinks.
  const Pat left = (c1 >= 0 && c0 >= c1) || (c1 <= 0 && c0 <= c1);
  const Pat right = (c0 >= 0 && c1 >= c0) || (c0 <= 0 && c1 <= c0);
  t.add(S, x + c0 < y + c1, x + (c0 - c1) < y, left);
  t.add(S, x + c0 <= y + c1, x + (c0 - c1) <= y, left);
  t.add(S, x + c0 < y + c1, x < y + (c1 - c0), right);
  t.add(S, x + c0 <= y + c1, x <= y + (c1 - c0), right);
  t.add(S, x + c0 == y + c1, x + (c0 - c1) == y, left);
  t.add(S, x + c0 == y + c1, x == y + (c1 - c0), right);

  // Against a literal.
  t.add(S, x + c0 < c1, x < c1 - c0);
  t.add(S, x - c0 < c1, x < c1 + c0);
  t.add(S, x + c0 <= c1, x <= c1 - c0);
  t.add(S, x - c0 <= c1, x <= c1 + c0);
  t.add(S, c1 < x + c0, c1 - c0 < x);
  t.add(S, c1 < x - c0, c1 + c0 < x);
  t.add(S, c1 <= x + c0, c1 - c0 <= x);
  t.add(S, c1 <= x - c0, c1 + c0 <= x);
  t.add(S, c0 - x < c1, c0 - c1 < x);
  t.add(S, c0 - x <= c1, c0 - c1 <= x);
  t.add(S, c1 < c0 - x, x < c0 - c1);
  t.add(S, c1 <= c0 - x, x <= c0 - c1);
  t.add(I, x + c0 == c1, x == c1 - c0);
  t.add(I, x - c0 == c1, x == c1 + c0);
  t.add(I, c0 - x == c1, x == c0 - c1);
  t.add(S, -x < c0, -c0 < x);
  t.add(S, -x <= c0, -c0 <= x);
  t.add(S, c0 < -x, x < -c0);
  t.add(S, c0 <= -x, x <= -c0);

  const Pat positive = c0 > 0;
  t.add(S, x * c0 < y * c0, x < y, positive);
  t.add(S, x * c0 <= y * c0, x <= y, positive);
  t.add(S, x * c0 == y * c0, x == y, c0 != 0);
  t.add(S, x * c0 < c1, x < (c1 + (c0 - 1)) / c0, positive);
  t.add(S, x * c0 <= c1, x <= c1 / c0, positive);
  t.add(S, c1 < x * c0, c1 / c0 < x, positive);
  t.add(S, c1 <= x * c0, (c1 + (c0 - 1)) / c0 <= x, positive);
  t.add(S, x * c0 == c1, x == c1 / c0, c0 != 0 && c1 % c0 == 0);
  t.add(S, x * c0 == c1, truth(false), c0 != 0 && c1 % c0 != 0);
  t.add(S, x / c0 < c1, x < c1 * c0, positive);
  t.add(S, x / c0 <= c1, x < (c1 + 1) * c0, positive);
  t.add(S, c1 < x / c0, (c1 + 1) * c0 <= x, positive);
  t.add(S, c1 <= x / c0, c1 * c0 <= x, positive);

  t.add(S, x < y + 1, x <= y);
  t.add(S, x - 1 < y, x <= y);
  t.add(S, x <= y - 1, x < y);
  t.add(S, x + 1 <= y, x < y);
  t.add(S, x <= c0, x < c0 + 1);
  t.add(S, c0 < x, c0 + 1 <= x);

  // Min and max.
  t.add(I, min(x, y) <= x, truth(true));
  t.add(I, x <= max(x, y), truth(true));
  t.add(I, x < min(x, y), truth(false));
  t.add(I, max(x, y) < x, truth(false));
  t.add(I, min(x, y) <= max(x, y), truth(true));
  t.add(I, min(x, y) == x, x <= y);
  t.add(I, max(x, y) == x, y <= x);
  t.add(I, x <= min(x, y), x <= y);
  t.add(I, max(x, y) <= x, y <= x);
  t.add(I, min(x, y) < x, y < x);
  t.add(I, x < max(x, y), x < y);
  t.add(I, min(x, c0) < c1, truth(true), c0 < c1);
  t.add(I, min(x, c0) < c1, x < c1, c1 <= c0);
  t.add(I, max(x, c0) < c1, truth(false), c1 <= c0);
  t.add(I, max(x, c0) < c1, x < c1, c0 < c1);
  t.add(I, c1 <= min(x, c0), truth(false), c0 < c1);
  t.add(I, c1 <= min(x, c0), c1 <= x, c1 <= c0);
  t.add(I, c1 <= max(x, c0), truth(true), c1 <= c0);
  t.add(I, c1 <= max(x, c0), c1 <= x, c0 < c1);
}

}  // namespace sinter::ir::rules
