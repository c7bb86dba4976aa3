// Lesson 1: algorithm and schedule.
//
// A pipeline is written twice. The algorithm says what each value is; it has no loops and no
// memory. The schedule says how it is computed: which loops, which threads, what is kept where. A
// schedule may change how fast a result arrives, never what it is. So the schedule can be played
// with, and that is what this lesson does, with one eye on the number that matters: how many bytes
// cross the memory bus.
//
// Built and run by the tests as `tutorial_01_algorithm_and_schedule`. By hand, with Sinter
// installed:
//
//   find_package(sinter REQUIRED)
//   add_executable(lesson 01_algorithm_and_schedule.cpp)
//   target_link_libraries(lesson PRIVATE sinter::sinter)
#include <sinter/sinter.h>

#include <cmath>
#include <cstdio>

using namespace sinter;

static int mistakes = 0;

// This lesson checks its own numbers: it returns 1 where one is wrong.
static void expect(bool ok, const char* what) {
  if (ok) return;
  std::printf("WRONG: %s\n", what);
  ++mistakes;
}

// Func order: dimension 0 is the innermost one, so that a picture of width w and height h has
// extents {w, h}.
static Buffer ramp(int64_t width, int64_t height) {
  Buffer b = Buffer::host<float>({width, height});
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      b.at<float>(x, y) = static_cast<float>((3 * x + 5 * y) % 17);
  return b;
}

static bool equal(const Buffer& a, const Buffer& b) {
  for (int64_t i = 0; i < a.size(); ++i)
    if (!(std::fabs(a.data<float>()[i] - b.data<float>()[i]) < 1e-4f)) return false;
  return true;
}

// -------------------------------------------------------------------------------------------------------
// 1. A pointwise pipeline
// -------------------------------------------------------------------------------------------------------
static void pointwise() {
  std::puts("---- 1. pointwise ----");
  Input x("x", Float(32), 2),
      bias("bias", Float(32), 1);  // tensors of the caller: a type and a rank
  Var n("n"), m("m");              // coordinates
  Func y("y");
  y(n, m) = relu(x(n, m) + bias(n));  // for all n and m

  // A Pipeline names the arguments of a call, in order, and the outputs.
  Pipeline p("bias_relu", {x, bias}, {y});

  // No schedule was given. print_loop_nest() shows what one gets; on a host that is the C code
  //
  //   #pragma omp parallel for
  //   for (int m = 0; m < y.height; ++m)
  //     for (int n = 0; n < y.width; ++n)
  //       y[m][n] = max(x[m][n] + bias[n], 0);
  const Target host = Target::parse("host");
  std::printf("%s\n", p.print_loop_nest(host).c_str());

  // compile_jit() compiles once; the result is called as often as one likes. Sizes are those of the
  // buffers.
  const Buffer in = ramp(100, 30), out = Buffer::host<float>({100, 30});
  const Buffer row = Buffer::host<float>({100});
  for (int i = 0; i < 100; ++i) row.at<float>(i) = static_cast<float>(i) - 50;
  const Callable k = p.compile_jit(host);
  k(in, row, out);
  for (int j = 0; j < 30; ++j)
    for (int i = 0; i < 100; ++i)
      expect(out.at<float>(i, j) == std::fmax(in.at<float>(i, j) + row.at<float>(i), 0.f),
             "bias_relu on the host");
}

// -------------------------------------------------------------------------------------------------------
// 2. A stencil, three schedules
// -------------------------------------------------------------------------------------------------------
enum class Choice { Inline, Root, Block };

struct Blur {
  Input in{"in", Float(32), 2};
  Var x{"x"}, y{"y"}, xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"};
  Func rows{"rows"}, blur{"blur"};

  // Sums of three in a row, then of three rows: the result is two smaller than the input each way.
  Blur() {
    rows(x, y) = in(x, y) + in(x + 1, y) + in(x + 2, y);
    blur(x, y) = (rows(x, y) + rows(x, y + 1) + rows(x, y + 2)) / 9.f;
  }

  Pipeline scheduled(Choice choice) {
    // One block of a GPU computes a tile of 64 x 16 points together: loops xo and yo become the
    // blocks of one kernel, and the box (xi, yi) is shared out among the block's threads.
    blur.gpu_tile(x, y, xo, yo, xi, yi, 64, 16);
    switch (choice) {
      case Choice::Inline:
        // Each read of rows is replaced by its formula: nothing is stored, every row sum is
        // computed three times. It is what a small stencil gets by default as well.
        rows.compute_inline();
        break;
      case Choice::Root:
        // All of rows is computed before blur begins, by a kernel of its own, and travels to memory
        // and back.
        //
        //   for y, x:  rows[y][x] = in[y][x] + in[y][x + 1] + in[y][x + 2];
        //   for y, x:  blur[y][x] = (rows[y][x] + rows[y + 1][x] + rows[y + 2][x]) / 9;
        rows.compute_root();
        break;
      case Choice::Block:
        // Each block computes the 64 x 18 row sums that its tile needs and keeps them in shared
        // memory.
        //
        //   for yo, xo:                      // blocks
        //     float rows[18][64];            // shared by the threads of a block
        //     for y, x of the tile and two rows more:  rows[..] = ...
        //     barrier();
        //     for yi, xi:                    // threads
        //       blur[..] = ...
        rows.compute_at_block(blur).store_in(MemoryType::Shared);
        break;
    }
    return Pipeline("blur", {in}, {blur});
  }
};

static void stencil() {
  std::puts("---- 2. a stencil, three schedules ----");
  const int64_t w = 500, h = 300;
  const Buffer in = ramp(w + 2, h + 2), expected = Buffer::host<float>({w, h});

  // interpret() is the oracle: the algorithm evaluated point by point, whatever the schedule says.
  Blur().scheduled(Choice::Inline).interpret({in, expected});
  expect(
      std::fabs(expected.at<float>(0, 0) - (0 + 3 + 6 + 5 + 8 + 11 + 10 + 13 + 16) / 9.f) < 1e-5f,
      "the oracle");

  // native_target() is this machine's GPU if it has one, else the host. A host runs GPU schedules
  // too: blocks are tasks, and shared memory is a small array of the worker.
  const Target target = native_target();
  const bool gpu = target.is_gpu();
  std::printf("running on %s\n", target.to_string().c_str());

  for (Choice choice : {Choice::Inline, Choice::Root, Choice::Block}) {
    const char* const name = choice == Choice::Inline ? "inline"
                             : choice == Choice::Root ? "root"
                                                      : "block";
    Blur b;
    const Pipeline p = b.scheduled(choice);
    std::printf("\n-- rows: %s\n%s", name, p.print_loop_nest(target).c_str());

    // Copies between host and device are always explicit.
    const Buffer source = gpu ? in.copy_to_device() : in;
    const Buffer result = gpu ? Buffer::device<float>({w, h}) : Buffer::host<float>({w, h});
    p.compile_jit(target)(source, result);
    expect(equal(gpu ? result.copy_to_host() : result, expected), "a schedule changed the result");

    // explain() prints a page: kernels, bytes, roofline, placement, proofs. traffic() has the
    // totals of that page as numbers. For a GPU that this machine may not have, too.
    const Traffic t = p.traffic(Target::parse("cuda-sm_90a"), {in, expected});
    std::printf("on a GPU: %d launch(es), %d bytes read, %d written\n",
                static_cast<int>(t.launches), static_cast<int>(t.read_bytes),
                static_cast<int>(t.written_bytes));

    // Fused, the input is read once and the output written once: no schedule can do with less.
    // Unfused, the row sums are written and read on top of it.
    const int64_t input = 4 * (w + 2) * (h + 2), output = 4 * w * h, sums = 4 * w * (h + 2);
    const bool root = choice == Choice::Root;
    expect(t.compulsory_bytes == input + output, "compulsory bytes");
    expect(t.launches == (root ? 2 : 1), "launches");
    expect(t.read_bytes == input + (root ? sums : 0), "bytes read");
    expect(t.written_bytes == output + (root ? sums : 0), "bytes written");
  }

  std::puts("\n-- the whole page, for rows in shared memory");
  std::puts(Blur().scheduled(Choice::Block).explain(target, {in, expected}).c_str());
}

// -------------------------------------------------------------------------------------------------------
// 3. A mistake
// -------------------------------------------------------------------------------------------------------
// The compiler proves a schedule before it makes code of it; what is not legal is an error that
// names the line, shows the place, and says what to write instead. Here: xi is computed by all
// threads of a block together. That is not a moment in time, so nothing can be computed "at" it.
static void mistake() {
  std::puts("---- 3. a mistake ----");
  Blur b;
  b.blur.gpu_tile(b.x, b.y, b.xo, b.yo, b.xi, b.yi, 64, 16);
  b.rows.compute_at(b.blur, b.xi);
  try {
    Pipeline("blur", {b.in}, {b.blur}).compile_jit(Target::parse("cuda-sm_90a"));
    expect(false, "a mistake was accepted");
  } catch (const UserError& e) {
    std::printf("%s\n", e.what());
    expect(e.code() == ErrorCode::CooperativePlace, "the error's code");
  }
}

int main() {
  try {
    pointwise();
    stencil();
    mistake();
  } catch (const Error& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  std::puts(mistakes == 0 ? "all numbers are right" : "some numbers are wrong");
  return mistakes == 0 ? 0 : 1;
}
