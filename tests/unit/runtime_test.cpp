// The rest of the runtime that needs no GPU: errors, the missing driver, parallel_for, arenas.

#include "codegen/runtime/sinter_runtime.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

bool has(const std::string& text, const std::string& word) { return text.find(word) != text.npos; }

TEST(RuntimeErrors, KeepTextPerThread) {
  EXPECT_EQ(sinter_rt_fail(SINTER_ERR_SHAPE, "first"), SINTER_ERR_SHAPE);
  std::string other = "unset";
  std::thread([&] { other = sinter_last_error(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_STREQ(sinter_last_error(), "first");
  EXPECT_EQ(sinter_rt_fail(SINTER_ERR_CUDA, nullptr), SINTER_ERR_CUDA);
  EXPECT_STREQ(sinter_last_error(), "");
  // A text that was got from here may be given back.
  sinter_rt_fail(1, "again");
  EXPECT_EQ(sinter_rt_fail(2, sinter_last_error()), 2);
  EXPECT_STREQ(sinter_last_error(), "again");
}

TEST(RuntimeErrors, Requirements) {
  EXPECT_EQ(sinter_rt_fail_requires("pipe", "extent 0 of `x`", 8, -7), SINTER_ERR_REQUIRES);
  EXPECT_STREQ(sinter_last_error(), "pipe: requires extent 0 of `x`: needed 8, given -7");
}

// ---- Without a driver ------------------------------------------------------------------------

TEST(RuntimeWithoutDriver, SaysWhatWasLookedForAndTheWayOut) {
  if (sinter_rt_have_gpu()) GTEST_SKIP() << "this machine has a GPU";
  const char* kernel = "k";
  sinter_rt_module module = {"pipe", nullptr, nullptr, nullptr, 0, 1, &kernel, nullptr};
  void* out = &module;
  int number = 0;
  sinter_rt_device_info info;
  float ms = 0;
  auto expect_no_driver = [](int code) {
    EXPECT_EQ(code, SINTER_ERR_NO_DRIVER);
    EXPECT_TRUE(has(sinter_last_error(), "libcuda.so.1")) << sinter_last_error();
    EXPECT_TRUE(has(sinter_last_error(), "host target")) << sinter_last_error();
    sinter_rt_fail(0, "");
  };
  expect_no_driver(sinter_rt_module_load(&module));
  expect_no_driver(sinter_rt_launch(&module, 0, 1, 32, 0, nullptr, nullptr));
  expect_no_driver(sinter_rt_workspace(&module, 64, nullptr, &out));
  EXPECT_EQ(out, nullptr);
  expect_no_driver(sinter_rt_device_count(&number));
  expect_no_driver(sinter_rt_device_query(0, &info));
  expect_no_driver(sinter_rt_device_current(&number));
  expect_no_driver(sinter_rt_device_use(0));
  expect_no_driver(sinter_rt_device_alloc(64, &out));
  expect_no_driver(sinter_rt_device_free(&info));
  expect_no_driver(sinter_rt_copy_to_device(&info, &info, 1, nullptr));
  expect_no_driver(sinter_rt_copy_to_host(&info, &info, 1, nullptr));
  expect_no_driver(sinter_rt_memset(&info, 1, nullptr));
  expect_no_driver(sinter_rt_stream_create(&out));
  expect_no_driver(sinter_rt_stream_sync(nullptr));
  expect_no_driver(sinter_rt_event_create(&out));
  expect_no_driver(sinter_rt_event_record(nullptr, nullptr));
  expect_no_driver(sinter_rt_event_elapsed(nullptr, nullptr, &ms));
  sinter_rt_module_unload(&module);
}

TEST(RuntimeWithoutDriver, NothingToDoNeedsNone) {
  const char* kernel = "k";
  sinter_rt_module module = {"pipe", nullptr, nullptr, nullptr, 0, 1, &kernel, nullptr};
  void* out = &module;
  EXPECT_EQ(sinter_rt_launch(&module, 0, 0, 32, 0, nullptr, nullptr), 0) << "an empty grid";
  EXPECT_EQ(sinter_rt_workspace(&module, 0, nullptr, &out), 0);
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(sinter_rt_memset(nullptr, 0, nullptr), 0);
  EXPECT_EQ(sinter_rt_device_free(nullptr), 0);
  EXPECT_EQ(sinter_rt_copy_to_host(nullptr, nullptr, 0, nullptr), 0);
  sinter_rt_module_unload(&module);
}

TEST(RuntimeWithoutDriver, LaunchArgumentsAreChecked) {
  const char* kernel = "k";
  sinter_rt_module module = {"pipe", nullptr, nullptr, nullptr, 0, 1, &kernel, nullptr};
  EXPECT_EQ(sinter_rt_launch(&module, 1, 1, 32, 0, nullptr, nullptr), SINTER_ERR_INTERNAL);
  EXPECT_EQ(sinter_rt_launch(&module, -1, 1, 32, 0, nullptr, nullptr), SINTER_ERR_INTERNAL);
  EXPECT_EQ(sinter_rt_launch(&module, 0, uint64_t{1} << 31, 32, 0, nullptr, nullptr),
            SINTER_ERR_UNSUPPORTED);
  EXPECT_TRUE(has(sinter_last_error(), "2147483648 blocks")) << sinter_last_error();
}

// ---- parallel_for ----------------------------------------------------------------------------

/// Runs a lambda as a loop's body.
template <class F>
int parallel_for(int64_t n, F&& f) {
  return sinter_rt_parallel_for(
      n,
      [](int64_t i, int worker, void* env) -> int {
        return (*static_cast<std::remove_reference_t<F>*>(env))(i, worker);
      },
      &f);
}

TEST(ParallelFor, RunsEveryIndexOnce) {
  for (int64_t n : {-5, 0, 1, 2, 3, 7, 64, 1000, 100003}) {
    std::vector<std::atomic<int>> seen(n > 0 ? n : 0);
    const int code = parallel_for(n, [&](int64_t i, int worker) {
      if (worker < 0 || worker >= sinter_rt_num_workers()) return 1;
      ++seen[i];
      return 0;
    });
    EXPECT_EQ(code, 0);
    for (const auto& count : seen) ASSERT_EQ(count, 1);
  }
}

TEST(ParallelFor, NoTwoThreadsShareAWorker) {
  std::vector<std::atomic<int>> busy(sinter_rt_num_workers());
  std::atomic<int> clashes = 0;
  parallel_for(20000, [&](int64_t, int worker) {
    if (busy[worker]++ != 0) ++clashes;
    --busy[worker];
    return 0;
  });
  EXPECT_EQ(clashes, 0);
}

TEST(ParallelFor, TheFirstFailureStopsTheRest) {
  std::atomic<int64_t> ran = 0;
  const int64_t n = int64_t{1} << 50;  // never ends unless stopped
  const int code = parallel_for(n, [&](int64_t i, int) {
    ++ran;
    if (i != 17) return 0;
    return sinter_rt_fail(SINTER_ERR_MEMORY, "words of the thread that failed");
  });
  EXPECT_EQ(code, SINTER_ERR_MEMORY);
  EXPECT_STREQ(sinter_last_error(), "words of the thread that failed");
  EXPECT_LT(ran, n);
}

TEST(ParallelFor, AFailureOnAnotherThreadBringsItsWords) {
  if (sinter_rt_num_workers() < 2) GTEST_SKIP() << "one thread";
  const auto caller = std::this_thread::get_id();
  const int code = parallel_for(int64_t{1} << 50, [&](int64_t, int) {
    if (std::this_thread::get_id() == caller) return 0;
    return sinter_rt_fail(5, "from afar");
  });
  EXPECT_EQ(code, 5);
  EXPECT_STREQ(sinter_last_error(), "from afar");
}

TEST(ParallelFor, NestedLoopsRunOnTheirWorker) {
  std::atomic<int64_t> sum = 0;
  std::atomic<int> strayed = 0;
  const int code = parallel_for(50, [&](int64_t i, int outer) {
    const auto thread = std::this_thread::get_id();
    return parallel_for(100, [&](int64_t j, int inner) {
      if (inner != outer || std::this_thread::get_id() != thread) ++strayed;
      sum += i * j;
      return 0;
    });
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(strayed, 0);
  EXPECT_EQ(sum, (49 * 50 / 2) * (99 * 100 / 2));
}

TEST(ParallelFor, NestedFailuresComeOut) {
  EXPECT_EQ(parallel_for(4,
                         [](int64_t, int) {
                           return parallel_for(10, [](int64_t j, int) { return j == 3 ? 9 : 0; });
                         }),
            9);
}

TEST(ParallelFor, CallersDoNotDisturbEachOther) {
  std::vector<std::thread> callers;
  std::vector<int64_t> sums(8);
  for (int c = 0; c < 8; ++c) {
    callers.emplace_back([&, c] {
      for (int round = 0; round < 200; ++round) {
        std::atomic<int64_t> sum = 0;
        const bool bad = round % 10 == 9;
        const int code = parallel_for(500, [&](int64_t i, int) {
          sum += i;
          return bad && i == 250 ? c + 1 : 0;
        });
        if (code != (bad ? c + 1 : 0)) sums[c] = -1000000;
        if (!bad) sums[c] += sum;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (int64_t sum : sums) EXPECT_EQ(sum, 180 * (499 * 500 / 2));
}

TEST(ParallelFor, WorksInAForkedChild) {
  parallel_for(100, [](int64_t, int) { return 0; });  // the pool runs, in the parent
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int64_t> sum = 0;
    parallel_for(100, [&](int64_t i, int) {
      sum += i;
      return 0;
    });
    _exit(sum == 4950 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// ---- Arena -----------------------------------------------------------------------------------

TEST(Arena, AllocationsAreAlignedAndApart) {
  const uint64_t mark = sinter_rt_arena_mark();
  std::vector<std::pair<std::byte*, size_t>> blocks;
  for (size_t bytes : {0, 1, 63, 64, 65, 5000, 1 << 20, 3 << 20, 7, 1 << 22, 100}) {
    auto* p = static_cast<std::byte*>(sinter_rt_arena_alloc(bytes));
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 64, 0u);
    std::memset(p, static_cast<int>(blocks.size()), bytes);
    blocks.emplace_back(p, bytes);
  }
  for (size_t b = 0; b < blocks.size(); ++b) {
    for (size_t i = 0; i < blocks[b].second; ++i) {
      ASSERT_EQ(blocks[b].first[i], static_cast<std::byte>(b));
    }
  }
  sinter_rt_arena_release(mark);
}

TEST(Arena, ReleaseGivesTheSameMemoryAgain) {
  const uint64_t outer = sinter_rt_arena_mark();
  void* first = sinter_rt_arena_alloc(1000);
  const uint64_t inner = sinter_rt_arena_mark();
  void* second = sinter_rt_arena_alloc(1000);
  void* far = sinter_rt_arena_alloc(20 << 20);
  sinter_rt_arena_release(inner);
  EXPECT_EQ(sinter_rt_arena_alloc(1000), second);
  EXPECT_EQ(sinter_rt_arena_alloc(20 << 20), far);
  sinter_rt_arena_release(outer);
  EXPECT_EQ(sinter_rt_arena_alloc(1000), first);
  sinter_rt_arena_release(outer);
}

TEST(Arena, ChunksThatAreTooSmallAreReplaced) {
  const uint64_t mark = sinter_rt_arena_mark();
  for (uint64_t bytes = 1 << 10; bytes <= 1 << 26; bytes *= 2) {
    auto* p = static_cast<std::byte*>(sinter_rt_arena_alloc(bytes));
    ASSERT_NE(p, nullptr);
    p[0] = p[bytes - 1] = std::byte{1};
    sinter_rt_arena_release(mark);
  }
}

TEST(Arena, IsOfTheThread) {
  const uint64_t mark = sinter_rt_arena_mark();
  void* mine = sinter_rt_arena_alloc(64);
  void* theirs = nullptr;
  std::thread([&] { theirs = sinter_rt_arena_alloc(64); }).join();
  EXPECT_NE(mine, theirs);
  sinter_rt_arena_release(mark);
}

TEST(Arena, OutOfMemoryIsNull) {
  EXPECT_EQ(sinter_rt_arena_alloc(UINT64_MAX), nullptr);
  EXPECT_TRUE(has(sinter_last_error(), "out of host memory")) << sinter_last_error();
  EXPECT_NE(sinter_rt_arena_alloc(64), nullptr);
  sinter_rt_arena_release(0);
}

TEST(HostWorkspace, IsKeptAndGrows) {
  int key = 0, other_key = 0;
  void *first = nullptr, *again = nullptr, *other = nullptr, *larger = nullptr;
  ASSERT_EQ(sinter_rt_host_workspace(&key, 1000, &first), 0);
  ASSERT_EQ(sinter_rt_host_workspace(&key, 500, &again), 0);
  ASSERT_EQ(sinter_rt_host_workspace(&other_key, 1000, &other), 0);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  ASSERT_EQ(sinter_rt_host_workspace(&key, 100000, &larger), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(larger) % 64, 0u);
  std::memset(larger, 1, 100000);
  EXPECT_EQ(sinter_rt_host_workspace(&key, 0, &larger), 0);
  EXPECT_EQ(larger, nullptr);
  EXPECT_EQ(sinter_rt_host_workspace(&key, UINT64_MAX, &larger), SINTER_ERR_MEMORY);
}

}  // namespace
