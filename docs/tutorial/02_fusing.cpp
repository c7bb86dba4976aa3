// Lesson 2: fusing.
//
// A sharpened picture, in four functions. Written as four loops it crosses memory four times; here
// it becomes one kernel, a directive at a time. After each step explain() says how many kernels are
// launched and how many bytes cross the memory bus, which is nearly all that the time depends on.
// The algorithm is not touched: what differs from step to step is the few lines of schedule.
//
// Lines that begin with `// >` are what this program prints. A test runs it and compares.
//
// Built and run by the tests as `tutorial_02_fusing`. By hand, with Sinter installed:
//
//   find_package(sinter REQUIRED)
//   add_executable(lesson 02_fusing.cpp)
//   target_link_libraries(lesson PRIVATE sinter::sinter)
#include <sinter/sinter.h>

#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>

using namespace sinter;

static int mistakes = 0;

// This lesson checks its own numbers: it returns 1 where one is wrong.
static void expect(bool ok, const char* what) {
  if (ok) return;
  std::printf("WRONG: %s\n", what);
  ++mistakes;
}

// -------------------------------------------------------------------------------------------------------
// The algorithm
// -------------------------------------------------------------------------------------------------------
// Three planes (x, y, channel) become one, two points smaller each way. `grey` is read by `rows` at
// three points and by `sharp` at one; `rows` is read at three; `blur` is read where it is computed.
struct Unsharp {
  Input in{"in", Float(32), 3};
  Param<float> strength{"strength"};
  Var x{"x"}, y{"y"}, xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"}, strip{"strip"};
  Func grey{"grey"}, rows{"rows"}, blur{"blur"}, sharp{"sharp"};

  Unsharp() {
    grey(x, y) = 0.25f * in(x, y, 0) + 0.5f * in(x, y, 1) + 0.25f * in(x, y, 2);
    rows(x, y) = grey(x, y) + 2.f * grey(x + 1, y) + grey(x + 2, y);
    blur(x, y) = (rows(x, y) + 2.f * rows(x, y + 1) + rows(x, y + 2)) / 16.f;
    sharp(x, y) = grey(x + 1, y + 1) + strength * (grey(x + 1, y + 1) - blur(x, y));
  }

  // A tile of a block of threads: what it computes together.
  void tile(Func f) { f.gpu_tile(x, y, xo, yo, xi, yi, 64, 16); }
  Pipeline pipeline() const { return Pipeline("unsharp", {in, strength}, {sharp}); }
};

// -------------------------------------------------------------------------------------------------------
// How a step is looked at
// -------------------------------------------------------------------------------------------------------
// explain() works for a GPU that this machine does not have: bytes follow from the schedule.
// `-no_ptxas` leaves out NVIDIA's assembler, which may be missing here.
static const Target hopper = Target::parse("cuda-sm_90a-no_ptxas");

// At these sizes each tensor of one plane has 35.4 MB, and the three of the input have 106 MB.
static const int64_t width = 4096, height = 2160;
static const int64_t input = 3 * 4 * (width + 2) * (height + 2), grey_bytes = input / 3,
                     row_bytes = 4 * width * (height + 2), output = 4 * width * height;

// From `first` to the end of the line that begins with `last`.
static std::string part(const std::string& page, const std::string& first,
                        const std::string& last) {
  const size_t begin = page.find(first), end = page.find('\n', page.find(last, begin));
  if (begin == std::string::npos || end == std::string::npos) return "(not found)\n";
  return page.substr(begin, end + 1 - begin);
}

static float value(int64_t x, int64_t y, int64_t c) {
  return static_cast<float>((7 * x + 3 * y + 5 * c) % 32);
}

// The schedule run on a small picture of an odd size, on this machine's GPU if it has one, and
// compared with the oracle. All values are multiples of 1/128 below 1024, so that sums are exact.
static void run(const Pipeline& p, const Target& target = native_target()) {
  const int64_t w = 197, h = 83;
  const Buffer in = Buffer::host<float>({w + 2, h + 2, 3}), want = Buffer::host<float>({w, h});
  for (int64_t c = 0; c < 3; ++c)
    for (int64_t y = 0; y < h + 2; ++y)
      for (int64_t x = 0; x < w + 2; ++x) in.at<float>(x, y, c) = value(x, y, c);
  p.interpret({in, 0.5f, want});

  const Buffer source = target.is_gpu() ? in.copy_to_device() : in;
  const Buffer made = target.is_gpu() ? Buffer::device<float>({w, h}) : Buffer::host<float>({w, h});
  p.compile_jit(target)(source, 0.5f, made);
  const Buffer got = target.is_gpu() ? made.copy_to_host() : made;
  for (int64_t i = 0; i < want.size(); ++i)
    if (want.data<float>()[i] != got.data<float>()[i])
      return expect(false, "a schedule changed the result");
}

static void look(const char* title, const Unsharp& u, int launches, int64_t read, int64_t written) {
  const Pipeline p = u.pipeline();
  const Buffer in = Buffer::host<float>({width + 2, height + 2, 3});
  const Buffer out = Buffer::host<float>({width, height});
  const std::string page = p.explain(hopper, {in, 0.5f, out});
  std::printf("---- %s ----\n%s\n", title, p.print_loop_nest(hopper).c_str());
  std::printf(
      "%s", part(page, launches == 1 ? "1 kernel" : std::to_string(launches) + " kernels", "total:")
                .c_str());
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);)
    if (line.find("in shared memory:") != std::string::npos) std::printf("%s\n", line.c_str());
  std::puts("");

  const Traffic t = p.traffic(hopper, {in, 0.5f, out});
  expect(t.launches == launches, "launches");
  expect(t.read_bytes == read, "bytes read");
  expect(t.written_bytes == written, "bytes written");
  expect(t.compulsory_bytes == input + output, "compulsory bytes");
  run(p);
}

// -------------------------------------------------------------------------------------------------------
// 1. Everything at root
// -------------------------------------------------------------------------------------------------------
// This is what a framework does that calls one operator after the other: four kernels, and each
// writes a tensor that the next one reads.
static void everything_at_root() {
  Unsharp u;
  u.grey.compute_root();
  u.rows.compute_root();
  u.blur.compute_root();
  for (const Func& f : {u.grey, u.rows, u.blur, u.sharp}) u.tile(f);
  look("1. everything at root", u, 4, input + grey_bytes + row_bytes + 2 * output,
       grey_bytes + row_bytes + 2 * output);

  // > 4 kernels (bytes that cross HBM: each once a launch, what its blocks share comes from L2)
  // >   grey
  // >     read  in       106 MB   [0, 4097] x [0, 2161] x [0, 2]
  // >     write grey    35.4 MB   [0, 4097] x [0, 2161]
  // >     106 MB read + 35.4 MB written, 44.3 MFLOP, 0.31 FLOP/byte; at least 33.75 us, bound by memory
  // >   rows
  // >     read  grey    35.4 MB   [0, 4097] x [0, 2161]
  // >     write rows    35.4 MB   [0, 4095] x [0, 2161]
  //
  // and so on. All four are bound by memory, so that the bytes are what there is to save:
  //
  // > total: 4 launches, 390 MB of HBM (248 MB read + 142 MB written), 2.75x the compulsory 142 MB
  //
  // Compulsory is what no schedule can avoid: the input read once, the output written once.
}

// -------------------------------------------------------------------------------------------------------
// 2. compute_inline
// -------------------------------------------------------------------------------------------------------
// A Func that is read at one point per point of its consumer is best not stored at all. `blur` is
// replaced by its formula: a launch less, and 35.4 MB less in each direction.
static void inline_blur() {
  Unsharp u;
  u.grey.compute_root();
  u.rows.compute_root();
  u.blur.compute_inline();
  for (const Func& f : {u.grey, u.rows, u.sharp}) u.tile(f);
  look("2. blur inline", u, 3, input + grey_bytes + output + row_bytes,
       grey_bytes + row_bytes + output);

  // >   sharp
  // >     read  grey    35.4 MB   [1, 4096] x [1, 2160]
  // >     read  rows    35.4 MB   [0, 4095] x [0, 2161]
  // >     write sharp   35.4 MB   [0, 4095] x [0, 2159]
  // >     70.8 MB read + 35.4 MB written, 61.9 MFLOP, 0.58 FLOP/byte; at least 25.29 us, bound by memory
  // > total: 3 launches, 319 MB of HBM (213 MB read + 106 MB written), 2.25x the compulsory 142 MB
}

// Inline is not always less. `grey` is smaller than what it is made from: inlined into two kernels
// that each read all of `in`, it saves a launch and not a byte.
static void inline_grey() {
  Unsharp u;
  u.grey.compute_inline();
  u.rows.compute_root();
  u.blur.compute_inline();
  for (const Func& f : {u.rows, u.sharp}) u.tile(f);
  look("2b. grey inline too", u, 2, input + 3 * output + row_bytes, row_bytes + output);

  // > total: 2 launches, 319 MB of HBM (248 MB read + 70.8 MB written), 2.25x the compulsory 142 MB
}

// -------------------------------------------------------------------------------------------------------
// 3. compute_at_block
// -------------------------------------------------------------------------------------------------------
// A stencil's producer is needed at more points than one, and by neighbours too. The block that
// computes a tile of `sharp` computes the tile's part of `rows` first, two rows more than the tile
// has, and keeps it on the chip.
static void rows_in_the_block() {
  Unsharp u;
  u.grey.compute_inline();
  u.rows.compute_at_block(u.sharp);
  u.blur.compute_inline();
  u.tile(u.sharp);
  look("3. rows in the block", u, 1, input, output);

  // > produce sharp:
  // >   block yo in [0, (sharp.extent.1 + 15)/16):
  // >     block xo in [0, (sharp.extent.0 + 63)/64):
  // >       store rows: 64 x 18
  // >         produce rows:
  // >           coop y in [0, 18):
  // >             coop x in [0, 64):
  // >               rows(...) = ...
  // >         consume rows:
  // >           coop yi in [0, 16):
  // >             coop xi in [0, 64):
  // >               sharp(...) = ...
  //
  // No size was given: it follows from the reads, for each Func, by the same reasoning that proves
  // that nothing outside of it is read. There is one kernel now, and it moves what it must:
  //
  // >     106 MB read + 35.4 MB written, 285 MFLOP, 2.01 FLOP/byte; at least 33.74 us, bound by memory
  // > total: 1 launch, 142 MB of HBM (106 MB read + 35.4 MB written), 1.00x the compulsory 142 MB
  // >   `rows` in shared memory: 4608 bytes at 0
}

// The operations went up: `grey` is computed three times for each row sum. Put it into the block as
// well, and they are halved. The bytes are the same, and memory still sets the time; it starts to
// matter where what is repeated is more than three multiplications.
static void grey_in_the_block() {
  Unsharp u;
  u.grey.compute_at_block(u.sharp);
  u.rows.compute_at_block(u.sharp);
  u.blur.compute_inline();
  u.tile(u.sharp);
  look("3b. grey in the block too", u, 1, input, output);

  // >     106 MB read + 35.4 MB written, 143 MFLOP, 1.01 FLOP/byte; at least 33.74 us, bound by memory
  // > total: 1 launch, 142 MB of HBM (106 MB read + 35.4 MB written), 1.00x the compulsory 142 MB
  // >   `grey` in shared memory: 4752 bytes at 0
  // >   `rows` in shared memory: 4608 bytes at 4752
}

// -------------------------------------------------------------------------------------------------------
// 4. compute_at
// -------------------------------------------------------------------------------------------------------
// compute_at_block is compute_at with the innermost block loop. Any loop that runs in time can be
// named: here a block walks down a tile of 64 x 128, a strip of 16 rows at a time. Computed at the
// strip, `grey` and `rows` need memory for one strip; computed at the block they would need 67 KB.
//
// strip.serial is what makes it a loop in time. All other loops inside of a block are cooperative:
// its threads run them together, and so there is no moment "at" which something could be computed.
static void strips() {
  Unsharp u;
  u.sharp.tile(u.x, u.y, u.xo, u.yo, u.xi, u.yi, 64, 128)
      .split(u.yi, u.strip, u.yi, 16)
      .reorder(u.xi, u.yi, u.strip, u.xo, u.yo)
      .gpu_blocks(u.xo, u.yo)
      .serial(u.strip);
  u.grey.compute_at(u.sharp, u.strip);
  u.rows.compute_at(u.sharp, u.strip);
  u.blur.compute_inline();
  look("4. strips", u, 1, input, output);

  // >       serial strip in [0, (min(sharp.extent.1 - yo*128, 128) + 15)/16):
  // >         store grey: 66 x 18
  // >           produce grey:
  // >             coop y in [0, 18):
  // >               coop x in [0, 66):
  // >                 grey(...) = ...
  // >           consume grey:
  // >             store rows: 64 x 18
}

// On a CPU the same words fuse in strips that stay in a core's cache.
static void strips_on_a_host() {
  Unsharp u;
  u.sharp.split(u.y, u.yo, u.yi, 32).parallel(u.yo).vectorize(u.x, 8);
  u.grey.compute_at(u.sharp, u.yo).vectorize(u.x, 8);
  u.rows.compute_at(u.sharp, u.yo).vectorize(u.x, 8);
  std::printf("---- 4b. strips on a host ----\n%s\n",
              u.pipeline().print_loop_nest(Target::parse("host")).c_str());
  run(u.pipeline(), Target::parse("host"));

  // > produce sharp:
  // >   parallel yo in [0, (sharp.extent.1 + 31)/32):
  // >     store grey in host: (sharp.extent.0 + 2) x (min(yo*32 + 31, sharp.extent.1 - 1) - yo*32 + 3)
}

// -------------------------------------------------------------------------------------------------------
// 5. No schedule
// -------------------------------------------------------------------------------------------------------
// What one gets for nothing is fused too: explain() says what was chosen, and why.
static void by_default() {
  Unsharp u;
  look("5. no schedule", u, 1, input, output);
  std::printf("%s\n", part(u.pipeline().explain(hopper), "placement", "  sharp  root").c_str());

  // > placement
  // >   grey   sharp at block xo  in the block of its consumer, 5200 bytes (9 reads per point of a consumer)
  // >   rows   inline             cheap to repeat: 3 reads x 8 operations <= 64
  // >   blur   inline             read at one index per point
  // >   sharp  root               an output
}

// -------------------------------------------------------------------------------------------------------
// 6. A mistake
// -------------------------------------------------------------------------------------------------------
// Registers belong to one thread, and a row sum is read by the threads of the rows above it too.
static void mistake() {
  Unsharp u;
  u.rows.compute_at_block(u.sharp).store_in(MemoryType::Register);
  u.tile(u.sharp);
  try {
    u.pipeline().compile_jit(hopper);
    expect(false, "a mistake was accepted");
  } catch (const UserError& e) {
    std::printf("---- 6. a mistake ----\n%s\n", e.what());
    expect(e.code() == ErrorCode::CrossThreadRegister, "the error's code");
  }

  // > 02_fusing.cpp:45: error[E0207]: `rows` is read by a thread that did not write it
  // >   | rows[xo*64 + xi, yo*16 + yi]     read here (02_fusing.cpp:45); computed under cooperative loops (02_fusing.cpp:44)
  // >   help: rows.store_in(MemoryType::Shared)
}

int main() {
  try {
    everything_at_root();
    inline_blur();
    inline_grey();
    rows_in_the_block();
    grey_in_the_block();
    strips();
    strips_on_a_host();
    by_default();
    mistake();
  } catch (const Error& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  std::puts(mistakes == 0 ? "all numbers are right" : "some numbers are wrong");
  return mistakes == 0 ? 0 : 1;
}
