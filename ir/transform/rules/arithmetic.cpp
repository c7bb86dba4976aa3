#include "ir/transform/rules/tables.h"

namespace sinter::ir::rules {

void arithmetic(std::vector<Rule>& out) {
  Table t(out, "arithmetic");
  const auto& [x, y, z, w, p, q, r, c0, c1, c2] = wildcards();
  const uint8_t S = kSigned, I = kInteger;

  t.add(I, x + 0, x);
  t.add(I, x - 0, x);
  t.add(I, x - x, 0);
  t.add(I, x * 0, 0);
  t.add(I, x * 1, x);
  t.add(I, x * -1, -x);
  t.add(I, -(-x), x);
  t.add(I, 0 - x, -x);
  t.add(I, x + -y, x - y);
  t.add(I, x - -y, x + y);
  t.add(I, -(x - y), y - x);
  t.add(I, -(x * c0), x * -c0);

  // Literals meet. The value is that of the left side, so nothing new can overflow.
  t.add(I, (x + c0) + c1, x + (c0 + c1));
  t.add(I, (x + c0) - c1, x + (c0 - c1));
  t.add(I, (x - c0) + c1, x + (c1 - c0));
  t.add(I, (x - c0) - c1, x - (c0 + c1));
  t.add(I, (c0 - x) + c1, (c0 + c1) - x);
  t.add(I, (c0 - x) - c1, (c0 - c1) - x);
  t.add(I, c0 - (x + c1), (c0 - c1) - x);
  t.add(I, c0 - (x - c1), (c0 + c1) - x);
  t.add(I, c0 - (c1 - x), x + (c0 - c1));
  t.add(I, (x * c0) * c1, x * (c0 * c1));

  // What cancels.
  t.add(I, (x - y) + y, x);
  t.add(I, (x + y) - x, y);
  t.add(I, (x + y) - y, x);
  t.add(I, x - (x - y), y);
  t.add(I, x - (x + y), -y);
  t.add(I, (x - y) - x, -y);
  t.add(I, (x + c0) - (y + c0), x - y);
  t.add(I, x + x, x * 2);
  t.add(I, x * c0 + x, x * (c0 + 1));
  t.add(I, x * c0 + x * c1, x * (c0 + c1));
  t.add(I, x * c0 - x, x * (c0 - 1));
  t.add(I, x * c0 - x * c1, x * (c0 - c1));

  t.add(S, abs(abs(x)), abs(x));
  t.add(S, abs(-x), abs(x));
  t.add(S, abs(x), x, 0 <= x);
  t.add(S, abs(x), -x, x <= 0);

  t.add(I, bitand_(x, x), x);
  t.add(I, bitor_(x, x), x);
  t.add(I, bitxor(x, x), 0);
  t.add(I, bitand_(x, 0), 0);
  t.add(I, bitand_(x, -1), x);
  t.add(I, bitor_(x, 0), x);
  t.add(I, bitxor(x, 0), x);
  t.add(I, bitnot(bitnot(x)), x);
  t.add(I, bitand_(bitand_(x, c0), c1), bitand_(x, bitand_(c0, c1)));
  t.add(I, shl(x, 0), x);
  t.add(I, shr(x, 0), x);
}

}  // namespace sinter::ir::rules
