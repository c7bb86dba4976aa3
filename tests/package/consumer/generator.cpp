// Built from the installed package alone: compiles a kernel in memory and runs it, then exports it.
#include <sinter/sinter.h>

#include <cstdio>

using namespace sinter;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Input a("a", Float(32), 1), b("b", Float(32), 1);
  Param<float> weight("weight");
  Var i("i");
  Func sum("sum");
  sum(i) = a(i) + weight * b(i);
  sum.vectorize(i, 8);
  try {
    Pipeline p("weighted_sum", {a, b, weight}, {sum});
    const Buffer x = Buffer::host<float>({100}), out = Buffer::host<float>({100});
    x.fill(2.f);
    p.compile_jit(Target::parse("host"))(x, x, 3.f, out);
    for (int k = 0; k < 100; ++k)
      if (out.at<float>(k) != 8.f) return 1;
    p.compile_to_static_library(argv[1], Target::parse("host"));
  } catch (const Error& e) {
    std::puts(e.what());
    return 1;
  }
  return 0;
}
