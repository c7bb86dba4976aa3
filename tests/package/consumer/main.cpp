// The least a user's program does, built from the installed package alone.
#include <sinter/sinter.h>

#include <cstdio>

int main() {
  sinter::Var x("x"), y("y");
  sinter::Func f("f");
  f(x, y) = x + y;
  std::puts("the installed package works");
  return 0;
}
