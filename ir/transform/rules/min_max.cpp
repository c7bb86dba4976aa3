#include "ir/transform/rules/tables.h"

namespace sinter::ir::rules {

void min_max(std::vector<Rule>& out) {
  Table t(out, "min_max");
  const auto& [x, y, z, w, p, q, r, c0, c1, c2] = wildcards();
  const uint8_t S = kSigned, I = kInteger;

  t.add(I | kFloat, min(x, x), x);
  t.add(I | kFloat, max(x, x), x);

  // By range.
  t.add(I, min(x, y), x, x <= y);
  t.add(I, min(x, y), y, y <= x);
  t.add(I, max(x, y), y, x <= y);
  t.add(I, max(x, y), x, y <= x);

  // Absorption.
  t.add(I, min(min(x, y), x), min(x, y));
  t.add(I, max(max(x, y), x), max(x, y));
  t.add(I, min(max(x, y), x), x);
  t.add(I, max(min(x, y), x), x);
  t.add(I, min(max(x, y), min(x, y)), min(x, y));
  t.add(I, max(max(x, y), min(x, y)), max(x, y));
  t.add(I, max(x, y) + min(x, y), x + y);

  // Clamp chains: min inside, max outside; literals meet.
  t.add(I, min(min(x, c0), c1), min(x, min(c0, c1)));
  t.add(I, max(max(x, c0), c1), max(x, max(c0, c1)));
  t.add(I, min(max(x, c0), c1), c1, c1 <= c0);
  t.add(I, max(min(x, c0), c1), c1, c0 <= c1);
  t.add(I, min(max(x, c0), c1), max(min(x, c1), c0), c0 <= c1);
  t.add(I, min(min(x, c0), y), min(min(x, y), c0));
  t.add(I, max(max(x, c0), y), max(max(x, y), c0));

  // What both sides share comes out.
  t.add(S, min(x + y, x + z), x + min(y, z));
  t.add(S, max(x + y, x + z), x + max(y, z));
  t.add(S, min(x - y, z - y), min(x, z) - y);
  t.add(S, max(x - y, z - y), max(x, z) - y);
  t.add(S, min(x * c0, y * c0), min(x, y) * c0, c0 > 0);
  t.add(S, max(x * c0, y * c0), max(x, y) * c0, c0 > 0);
}

}  // namespace sinter::ir::rules
