// The generator of a project: three pipelines, one of them scheduled for what it is compiled for.
#include <sinter/sinter.h>

using namespace sinter;

static Pipeline weighted_sum(const Target& target) {
  Input a("a", Float(32), 1), b("b", Float(32), 1);
  Param<float> weight("weight");
  Var i("i"), io("io"), ii("ii");
  Func sum("sum");
  sum(i) = a(i) + weight * b(i);
  if (target.is_gpu()) sum.gpu_tile(i, io, ii, 1024);
  else sum.vectorize(i, 8);
  return Pipeline("weighted_sum", {a, b, weight}, {sum});
}

static Pipeline scaled(const char* name, float factor) {
  Input a("a", Float(32), 1);
  Var i("i");
  Func out("out");
  out(i) = a(i) * factor;
  return Pipeline(name, {a}, {out});
}

int main(int argc, char** argv) {
  Generator g;
  g.add("weighted_sum", "a + weight * b", weighted_sum);
  g.add("twice", "2 * a", [](const Target&) { return scaled("twice", 2); });
  g.add("negate", "-a", [](const Target&) { return scaled("negate", -1); });
  return g.main(argc, argv);
}
