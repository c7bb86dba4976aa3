#include "ir/transform/rules/tables.h"

namespace sinter::ir::rules {

void logic(std::vector<Rule>& out) {
  Table t(out, "logic");
  const auto& [x, y, z, w, p, q, r, c0, c1, c2] = wildcards();
  const uint8_t I = kInteger, B = kBool;

  t.add(B, p && truth(true), p);
  t.add(B, p && truth(false), truth(false));
  t.add(B, p || truth(true), truth(true));
  t.add(B, p || truth(false), p);
  t.add(B, p && p, p);
  t.add(B, p || p, p);
  t.add(B, p && !p, truth(false));
  t.add(B, p || !p, truth(true));
  t.add(B, (p && q) && p, p && q);
  t.add(B, (p || q) || p, p || q);
  t.add(B, (p || q) && p, p);
  t.add(B, (p && q) || p, p);
  t.add(B, (p && q) || (p && r), p && (q || r));
  t.add(B, !!p, p);
  t.add(B, p == truth(true), p);
  t.add(B, p == truth(false), !p);
  t.add(B, p != truth(true), !p);
  t.add(B, p != truth(false), p);

  // Comparisons. For floats !(x < y) holds for NaN and y <= x does not.
  t.add(I, !(x < y), y <= x);
  t.add(I, !(x <= y), y < x);
  t.add(I | kFloat, !(x == y), x != y);
  t.add(I | kFloat, !(x != y), x == y);
  t.add(I, x < c0 && x < c1, x < min(c0, c1));
  t.add(I, x < c0 || x < c1, x < max(c0, c1));
  t.add(I, c0 <= x && c1 <= x, max(c0, c1) <= x);
  t.add(I, c0 <= x || c1 <= x, min(c0, c1) <= x);
  t.add(I, x < c0 && c1 <= x, truth(false), c0 <= c1);
  t.add(I, x < c0 || c1 <= x, truth(true), c1 <= c0);
  t.add(I, x < y && y <= x, truth(false));
  t.add(I, x < y || y <= x, truth(true));
  t.add(I, x < y && x <= y, x < y);
  t.add(I, x < y || x <= y, x <= y);
  t.add(I, x == c0 && x == c1, truth(false), c0 != c1);

  t.add(kAny, select(truth(true), x, y), x);
  t.add(kAny, select(truth(false), x, y), y);
  t.add(kAny, select(p, x, x), x);
  t.add(kAny, select(!p, x, y), select(p, y, x));
  t.add(kAny, select(p, x, select(p, y, z)), select(p, x, z));
  t.add(kAny, select(p, select(p, x, y), z), select(p, x, z));
  t.add(kAny, select(p, select(q, x, y), y), select(p && q, x, y));
  t.add(kAny, select(p, x, select(q, x, y)), select(p || q, x, y));
  t.add(B, select(p, truth(true), truth(false)), p);
  t.add(B, select(p, truth(false), truth(true)), !p);
  t.add(B, select(p, q, truth(false)), p && q);
  t.add(B, select(p, truth(true), q), p || q);
  t.add(I, select(x < y, x, y), min(x, y));
  t.add(I, select(x <= y, x, y), min(x, y));
  t.add(I, select(x < y, y, x), max(x, y));
  t.add(I, select(x <= y, y, x), max(x, y));
}

}  // namespace sinter::ir::rules
