// Pipelines for the test of exported Python modules: every type and kind of argument, names that are words of Python's.
#include <sinter/sinter.h>

using namespace sinter;

// A stencil in two steps with memory in between, and scalars; the channels are a fixed extent.
static Pipeline stencil(const Target& target) {
  Input in("in", Float(32), 3);
  in.dim(0).set_extent(3);
  Param<float> gain("gain");
  Param<int32_t> offset("offset");
  Var c("c"), x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func rows("rows"), out("out");
  rows(c, x, y) = in(c, x, y) + in(c, x + 1, y);
  out(c, x, y) = rows(c, x, y) * gain + f32(offset);
  out.bound(c, 0, 3);
  rows.compute_root();
  if (target.is_gpu()) out.gpu_tile(x, y, xo, yo, xi, yi, 32, 8);
  return Pipeline("stencil", {gain, in, offset}, {out});
}

template <class T>
static Pipeline one_of(const char* name, ir::Type type) {
  Input x("x", type, 1);
  Param<T> by("by");
  Var i("i");
  Func out("out");
  out(i) = cast(type, x(i) + cast(type, by));
  return Pipeline(name, {x, by}, {out});
}

static Pipeline every_type(const Target&) {
  Input flag("flag", Bool(), 1), half("half", Float(16), 1), brain("brain", BFloat(16), 1), byte("byte", UInt(8), 1), wide("wide", Int(64), 1), exact("exact", Float(64), 0);
  Param<bool> invert("invert");
  Param<uint64_t> large("large");
  Var i("i");
  Func out("out");
  out(i) = select(flag(i) != invert, f64(half(i)) + f64(brain(i)), f64(byte(i)) + f64(wide(i))) + exact() + f64(large);
  return Pipeline("every_type", {flag, half, brain, byte, wide, exact, invert, large}, {out});
}

static Pipeline fail(const Target&) {
  Input lambda("lambda", Float(32), 1);
  Var i("i");
  Func out("out");
  out(i) = lambda(i);
  return Pipeline("lambda", {lambda}, {out});
}

int main(int argc, char** argv) {
  Generator g;
  g.add("stencil", "two taps, a gain and an offset", stencil);
  g.add("every_type", "an argument of each type", every_type);
  g.add("small", "x + by in bytes", [](const Target&) { return one_of<uint8_t>("small", UInt(8)); });
  g.add("lambda", "a name that Python can't use", fail);
  return g.main(argc, argv);
}
